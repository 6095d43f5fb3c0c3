/** Who of the staff is in which conversation: the stream that says so, and what a browser says of its tabs. */
import { Type } from "@sinclair/typebox";
import { notFound } from "#src/core/problem.ts";
import { Form, Nullable } from "#src/core/schema.ts";
import { findConversation } from "#src/domain/inbound/conversations.ts";
import { findWorkspaceAccess, seesNumber } from "#src/domain/users/read.ts";
import { hasRight } from "#src/domain/users/roles.ts";
import { findSession } from "#src/domain/users/sessions.ts";
import { answerData } from "../answer.ts";
import { readSessionCookie } from "../console/cookies.ts";
import type { WorkspaceCall } from "./call.ts";
import { Data, endpoint, File } from "./endpoint.ts";

const RIGHT = "inbox";

export const presenceEndpoints = {
  "GET /w/{workspace}/inbox/live": endpoint({
    session: RIGHT,
    /** Events called `start` and `presence`: see `console/inbox-stream.ts`. */
    output: File("text/event-stream; charset=utf-8"),
  }).answer((call) => {
    call.keepOpen();
    const { workspace, user, address, numberIds, inboxStreams, request, stopping } = call;
    const viewer = { workspaceId: workspace.id, userId: user.id, email: user.email, address, numberIds };
    return inboxStreams.open(viewer, AbortSignal.any([request.signal, stopping]), () => reviewAccess(call));
  }),
  // Nothing of it is stored, so it is not audited, and needs no form key.
  "POST /w/{workspace}/inbox/presence": endpoint({
    session: RIGHT,
    body: Form({
      /** As `start` named it. */
      stream: Type.Integer({ minimum: 1 }),
      /** A name that the tab gives itself. */
      tab: Type.String({ minLength: 1, maxLength: 32 }),
      /** Null: no conversation is in sight. */
      conversation: Nullable(Type.Integer({ minimum: 1 })),
      /** Absent: as it was, for some seconds. */
      is_typing: Type.Optional(Type.Boolean()),
    }),
    /** Not known: the stream has ended, and the next one starts with everything. */
    output: Data(Type.Object({ is_known: Type.Boolean() })),
  }).answer((call) => {
    const { store, workspace, user, body, inboxStreams } = call;
    const { stream, tab, conversation, is_typing: isTyping } = body;
    const said = { stream, tab, conversation, isTyping };
    const shown = inboxStreams.shownIn({ workspaceId: workspace.id, userId: user.id }, said);
    if (shown === undefined) return answerData(200, { is_known: false });
    // A tab that stays in its conversation asks nothing of the database.
    const isNew = conversation !== null && conversation !== shown;
    const found = isNew ? store.read((tx) => findConversation(tx, workspace.id, conversation)) : undefined;
    if (isNew && (found === undefined || !seesNumber(call, found.numberId))) throw notFound("conversation");
    inboxStreams.note(workspace.id, said, found?.numberId ?? null);
    return answerData(200, { is_known: true });
  }),
};

/** The numbers that the user of an open stream sees by now; undefined: they may not read the inbox any more. */
function reviewAccess({ store, headers, isSecure, workspace, user }: WorkspaceCall) {
  const token = readSessionCookie(headers, isSecure);
  return store.read((tx) => {
    const found = token === null ? undefined : findSession(tx, token);
    const access = found?.user.id === user.id ? findWorkspaceAccess(tx, found.user, workspace.id) : undefined;
    return access !== undefined && hasRight(access.role, RIGHT) ? access.numberIds : undefined;
  });
}

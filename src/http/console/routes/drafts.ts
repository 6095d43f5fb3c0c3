/**
 * Broadcasts on their way through the wizard. A draft is the body of `POST /broadcasts` as far as it is known; it is
 * looked at and sent by the API's own operations. The draft is its own idempotency key: sending writes into its row what
 * it became, in the same transaction, and whoever sends it again is told of that broadcast.
 */
import { Type } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { notFound } from "#src/core/problem.ts";
import type { Operations } from "#src/db/store.ts";
import type { Reading } from "#src/db/transaction.ts";
import {
  createDraft,
  getDraft,
  listDrafts,
  removeDraft,
  saveDraft,
  settleDraft,
} from "#src/domain/broadcasts/drafts.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import type { Draft } from "#src/domain/broadcasts/table.ts";
import { viewBroadcast } from "#src/domain/broadcasts/view.ts";
import { recordDeed } from "#src/domain/users/audit-log.ts";
import { takeOn } from "../../api/accept-broadcast.ts";
import { readBroadcast } from "../../api/broadcast-body.ts";
import { previewBroadcastEndpoint } from "../../api/routes/broadcasts.ts";
import { type Answer, answerData, requireId } from "../../endpoint.ts";
import { type ConsoleRoute, change, Refusal, type WorkspaceCall } from "../route.ts";
import { showValues } from "./draft-values.ts";

const strict = { additionalProperties: false };
const Value = Type.Union([
  Type.String({ maxLength: 1_024 }),
  Type.Object(
    { field: Type.String({ maxLength: 191 }), fallback: Type.Optional(Type.String({ maxLength: 1_024 })) },
    strict,
  ),
]);
const Values = Type.Array(Value, { maxItems: 100 });

/** What may be half done is taken half done; what is whole is checked by the API when it is looked at. */
const Content = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 191 })),
    template: Type.Optional(Type.String({ maxLength: 512 })),
    language: Type.Optional(Type.String({ maxLength: 20 })),
    from: Type.Optional(Type.String({ maxLength: 30 })),
    group: Type.Optional(Type.Integer()),
    to: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 1_000 })),
    variables: Type.Optional(Type.Object({ header: Values, body: Values }, strict)),
    media: Type.Optional(
      Type.Object(
        { link: Type.String({ maxLength: 2_048 }), filename: Type.Optional(Type.String({ maxLength: 240 })) },
        strict,
      ),
    ),
    send_at: Type.Optional(Type.String({ maxLength: 40 })),
  },
  strict,
);

export const draftRoutes: readonly ConsoleRoute[] = [
  {
    method: "GET",
    path: "/w/{workspace}/drafts",
    needs: "member",
    handle: (call) =>
      call.store.read((reading) =>
        answerData(
          200,
          listDrafts(reading, call.workspace.id).map((draft) => viewDraft(draft, call)),
        ),
      ),
  },
  {
    method: "POST",
    path: "/w/{workspace}/drafts",
    needs: "member",
    body: Content,
    handle: (call) =>
      change(call, (tx) => {
        const draft = createDraft(tx, call.workspace.id, call.user.id, call.body);
        const deed = { action: "broadcast.draft", subject: nameOf(draft), details: { draft: draft.id } };
        return { status: 201, data: viewDraft(draft, call), deed };
      }),
  },
  {
    method: "GET",
    path: "/w/{workspace}/drafts/{id}",
    needs: "member",
    handle: (call) => call.store.read((reading) => answerData(200, viewDraft(requireDraft(call, reading), call))),
  },
  {
    method: "PUT",
    path: "/w/{workspace}/drafts/{id}",
    needs: "member",
    body: Content,
    handle: (call) =>
      // Saved at every step: what is worth a line in the log is that it was begun, sent or thrown away.
      change(call, (tx) => {
        const draft = saveDraft(tx, requireDraft(call, tx), call.body);
        return { status: 200, data: viewDraft(draft, call), deed: null };
      }),
  },
  {
    method: "DELETE",
    path: "/w/{workspace}/drafts/{id}",
    needs: "member",
    handle: (call) =>
      change(call, (tx) => {
        const draft = requireDraft(call, tx);
        removeDraft(tx, draft);
        const deed = { action: "broadcast.discard-draft", subject: nameOf(draft), details: { draft: draft.id } };
        return { status: 200, data: {}, deed };
      }),
  },
  {
    method: "GET",
    path: "/w/{workspace}/drafts/{id}/values",
    needs: "member",
    handle: async (call) => {
      const { content } = call.store.read((reading) => requireDraft(call, reading));
      return answerData(200, await showValues(call, content));
    },
  },
  {
    method: "POST",
    path: "/w/{workspace}/drafts/{id}/check",
    needs: "member",
    // It changes nothing; a form's key would only keep an old look at it.
    handle: (call) =>
      look(
        call,
        call.store.read((reading) => requireDraft(call, reading)),
      ),
  },
  {
    method: "POST",
    path: "/w/{workspace}/drafts/{id}/send",
    needs: "member",
    body: Type.Object({ reached: Type.Integer(), amount: Type.Union([Type.String(), Type.Null()]) }, strict),
    handle: sendDraft,
  },
];

interface Sheet {
  reached: number;
  cost: { amount: string } | null;
}

async function look(call: WorkspaceCall, { content }: Draft): Promise<Answer> {
  const body = asBody(content);
  return previewBroadcastEndpoint.handle({ ...call, body, by: { user: call.user.id } });
}

/** The draft as a body: a name is asked for by the interface, so an unnamed one is called by its template. */
function asBody(content: Draft["content"]): Record<string, unknown> {
  const { name, template, ...rest } = content;
  const given = typeof name === "string" ? name.trim() : "";
  return { name: given === "" ? String(template ?? "") : given, template: template ?? "", ...rest };
}

/** Sends what the sheet showed, or refuses because it is no longer so. */
async function sendDraft(call: WorkspaceCall): Promise<Answer> {
  const { store, workspace, user, address, body } = call;
  const draft = store.read((reading) => requireDraft(call, reading));
  if (draft.broadcastId !== null) return answerSent(call, draft.broadcastId);
  const sheet = JSON.parse((await look(call, draft)).body) as { data: Sheet };
  const amount = sheet.data.cost?.amount ?? null;
  if (sheet.data.reached !== body.reached || amount !== body.amount) throw changed();
  const content = asBody(draft.content);
  const input = readBroadcast(content, workspace.timezone);
  let sentAs: number | null = null;
  const once: Operations = {
    read: (query) => store.read(query),
    otherWrites: () => store.otherWrites(),
    write: (operation) =>
      store.write((tx) => {
        sentAs = null;
        const now = requireDraft(call, tx);
        if (now.broadcastId !== null) {
          sentAs = now.broadcastId;
          throw new AlreadySent();
        }
        // Another tab may have saved something else since the sheet was made.
        if (JSON.stringify(now.content) !== JSON.stringify(draft.content)) throw changed();
        const result = operation(tx);
        const made = readMade(result);
        if (made === null) return result;
        if ("to" in input.audience && made.requested - made.skipped.length !== body.reached) throw changed();
        settleDraft(tx, now, made.id);
        const deed = { action: "broadcast.create", subject: input.name, details: { id: made.id, draft: now.id } };
        recordDeed(tx, { userId: user.id, address }, { workspaceId: workspace.id, ...deed });
        return result;
      }),
  };
  try {
    return await takeOn({ ...call, store: once, by: { user: user.id } }, input, null);
  } catch (error) {
    if (error instanceof AlreadySent && sentAs !== null) return answerSent(call, sentAs);
    throw error;
  }
}

/** It was sent a moment ago, by another press. */
class AlreadySent extends Error {}

function changed(): Refusal {
  return new Refusal(409, "changed", "Something has changed since this was checked. Nothing was sent: look again.");
}

function readMade(result: unknown): { id: number; requested: number; skipped: unknown[] } | null {
  const answer = result as Answer | null;
  if (answer === null || typeof answer !== "object" || !("body" in answer) || answer.status !== 202) return null;
  return (JSON.parse(answer.body) as { data: { id: number; requested: number; skipped: unknown[] } }).data;
}

function answerSent({ store, workspace }: WorkspaceCall, id: number): Answer {
  return store.read((reading) => {
    const broadcast = findBroadcast(reading, workspace.id, id);
    if (broadcast === undefined) throw notFound("broadcast");
    const data = viewBroadcast(reading, broadcast, workspace);
    return { ...answerData(202, data), headers: { "idempotent-replayed": "true" } };
  });
}

/** Throws `not_found`. */
function requireDraft({ workspace, path }: WorkspaceCall, reading: Reading): Draft {
  return getDraft(reading, workspace.id, requireId(path.id, "draft"));
}

function viewDraft(draft: Draft, { workspace }: WorkspaceCall) {
  return {
    id: draft.id,
    content: draft.content,
    broadcast_id: draft.broadcastId,
    updated_at: formatInstant(draft.updatedAt, workspace.timezone),
  };
}

function nameOf({ content: { name, template } }: Draft): string {
  return String(name ?? "").trim() || String(template ?? "");
}

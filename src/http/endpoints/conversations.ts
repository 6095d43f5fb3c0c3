/** Conversations for programs: one person on one number each, and who may answer in it. */

import { Type } from "@sinclair/typebox";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { type ConversationState, conversationStates } from "#src/domain/contacts/conversation-states.ts";
import {
  type ConversationPosition,
  findConversation,
  listAssigned,
  listConversations,
} from "#src/domain/inbound/conversations.ts";
import { ConversationView } from "#src/domain/inbound/schema.ts";
import { chooseSender } from "#src/domain/numbers/choose.ts";
import { findUserByEmail, findWorkspaceAccess } from "#src/domain/users/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import {
  CursorMeta,
  CursorQuery,
  cut,
  metaAfter,
  readAfter,
  readChoice,
  readPerPage,
  wrongParameter,
} from "../page.ts";
import { Rows } from "../rows.ts";
import type { KeyCall } from "./call.ts";
import { conversationId, viewFor } from "./conversation-access.ts";
import { Data, endpoint, listWith } from "./endpoint.ts";
import { conversationExample } from "./examples.ts";
import { listPosition, searchConversations } from "./search-conversations.ts";

export const conversationListEndpoints = {
  "GET /w/{workspace}/conversations": endpoint({
    key: ["inbox"],
    keyOfFirstVersion: [],
    query: {
      ...CursorQuery,
      number: Type.String({ description: "Only the conversations on this number of yours, in any common format." }),
      state: OneOf(conversationStates, "Only the conversations in this state."),
      assignee: Type.String({
        description:
          "Only the conversations that this user of the console answers: the e-mail address, or `none` for those without an assignee.",
      }),
    },
    output: listWith(ConversationView, CursorMeta),
    reference: {
      operationId: "listConversations",
      tag: "Conversations",
      summary: "List conversations",
      description:
        "Returns the conversations of the workspace, one for each person on each of its numbers, the latest writer first. A page may have fewer entries than asked for although more follow: read on while `meta.next` is not null.",
      success: "One page of conversations.",
      meta: { per_page: 50, has_more: false, next: null },
      example: [conversationExample],
    },
  }).load(async (call) => {
    const { workspace, query } = call;
    const perPage = readPerPage(query);
    const before = readAfter(query, listPosition);
    const { ids, next } = await find(call, readFilter(call), before, perPage);
    const data = Rows.of(ids, (id, tx) => {
      const conversation = findConversation(tx, workspace.id, id);
      return conversation && viewFor(tx, conversation, workspace);
    });
    return { data, meta: metaAfter(perPage, next) };
  }),
  "GET /w/{workspace}/conversations/{conversation}": endpoint({
    key: ["inbox"],
    keyOfFirstVersion: [],
    params: { conversation: conversationId },
    output: Data(ConversationView),
    reference: {
      operationId: "getConversationById",
      tag: "Conversations",
      summary: "Get a conversation",
      description: "Returns a conversation with the person, the owner and what was last said.",
      success: "The conversation.",
      example: conversationExample,
      problems: ["not_found"],
    },
  }).load(({ store, workspace, path }) =>
    store.read((tx) => {
      const conversation = findConversation(tx, workspace.id, path.conversation);
      if (conversation === undefined) throw notFound("conversation");
      return viewFor(tx, conversation, workspace);
    }),
  ),
};

interface Found {
  ids: number[];
  next: object | null;
}

interface Filter {
  numberIds: readonly number[] | null;
  state: ConversationState | null;
  /** A user's id. */
  assignee: number | "none" | "any";
}

type Listing = Pick<KeyCall, "store" | "workspace" | "searchReader" | "clock">;

/** Throws `invalid_request`. */
function readFilter({
  store,
  workspace,
  query,
}: Listing & { query: { get(name: "number" | "state" | "assignee"): string | null } }): Filter {
  const [number, assignee] = [query.get("number"), query.get("assignee")];
  const state = readChoice(query, "state", conversationStates);
  return store.read((tx) => ({
    numberIds: number === null ? null : [requireNumber(tx, workspace, number)],
    state,
    assignee: assignee === null ? "any" : assignee === "none" ? assignee : requireUser(tx, workspace, assignee),
  }));
}

/** Throws `invalid_request` for a user whom the workspace does not have. */
function requireUser(tx: ReadTx, workspace: Workspace, named: string): number {
  const user = findUserByEmail(tx, named);
  if (user !== undefined && findWorkspaceAccess(tx, user, workspace.id) !== undefined) return user.id;
  throw wrongParameter("assignee", "Must be the e-mail address of a user of this workspace, or `none`.");
}

async function find(
  call: Listing,
  { numberIds, state, assignee }: Filter,
  before: ConversationPosition | null,
  size: number,
): Promise<Found> {
  const { store, workspace } = call;
  if (numberIds !== null || assignee === "none") {
    const { rows, next } = await searchConversations({ ...call, numberIds }, { state, assignee }, before, size);
    return { ids: rows.map(({ id }) => id), next };
  }
  const rows = store.read((tx) =>
    assignee === "any"
      ? listConversations(tx, workspace.id, state === null ? {} : { state }, before, size + 1)
      : listAssigned(tx, { workspaceId: workspace.id, assigneeId: assignee, state }, before, size + 1),
  );
  const { shown, next } = cut(rows, size, ({ wroteAt, id }) => ({ wroteAt, id }));
  return { ids: shown.map(({ id }) => id), next };
}

/** Throws `invalid_request`. */
function requireNumber(tx: ReadTx, workspace: Workspace, named: string): number {
  const chosen = chooseSender(tx, workspace, named);
  if ("fields" in chosen) throw invalidRequest({ number: chosen.fields.from ?? [] });
  if (chosen.sender === null) throw invalidRequest({ number: ["This workspace has no number yet."] });
  return chosen.sender.id;
}

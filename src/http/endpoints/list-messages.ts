/** Lists single messages, so that a program can match every send to its own records. */

import { Type } from "@sinclair/typebox";
import { OneOf } from "#src/core/schema.ts";
import { isLonger } from "#src/core/text-limits.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import { countMessagesSql, listMessages, type MessageFilter, type MessagePosition } from "#src/domain/messages/list.ts";
import { shownStatuses } from "#src/domain/messages/message.ts";
import { findMessageById } from "#src/domain/messages/read.ts";
import { MessageView } from "#src/domain/messages/schema.ts";
import { viewMessage } from "#src/domain/messages/view.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { PageQuery, pageOf, readChoice, readPage, readSince, timePosition, wrongParameter } from "../page.ts";
import { readTogether } from "../validate.ts";
import { AnyMessage } from "./conversation-items.ts";
import { type CallOf, type Declaration, endpoint, ListOf } from "./endpoint.ts";
import { messageExample } from "./examples.ts";
import { searchedDays, searchedOrigins, searchedStatuses, searchMessages } from "./search-messages.ts";

/** No stored value is longer. */
const LENGTH_MAX = { reference: 191, idempotency_key: 100 } as const;

const list = {
  key: ["read"],
  session: "overview",
  query: {
    reference: Type.String({
      minLength: 1,
      maxLength: LENGTH_MAX.reference,
      examples: ["order-10042"],
      description: "Return only messages that were sent with this `reference`.",
    }),
    idempotency_key: Type.String({
      minLength: 1,
      maxLength: LENGTH_MAX.idempotency_key,
      examples: ["order-10042-shipped"],
      description: "Return only messages whose request had this `Idempotency-Key`.",
    }),
    to: Type.String({
      examples: ["442079460210"],
      description: "Return only messages to this phone number, in any common format. Encode a leading `+` as `%2B`.",
    }),
    status: OneOf(shownStatuses, "Return only messages with this status."),
    since: Type.String({
      format: "date-time",
      examples: ["2026-11-20T00:00:00+05:30"],
      description: "Return only messages that were accepted at or after this time.",
    }),
    ...PageQuery,
  },
  consoleQuery: {
    q: Type.String(),
    status: OneOf(searchedStatuses),
    origin: OneOf(searchedOrigins),
    day: OneOf(searchedDays),
    /** Of the failure, as Home counts them. */
    code: Type.String({ minLength: 1, maxLength: 100 }),
  },
  output: ListOf(MessageView),
  consoleOutput: ListOf(AnyMessage),
  reference: {
    operationId: "listMessages",
    tag: "Messages",
    summary: "List messages",
    description:
      "Returns messages that were sent one at a time through the API, newest first; not recipients of broadcasts, and not replies from the console. Filters can be combined. A message is listed once the network has answered, a scheduled one from its creation. Filtered by `reference` or `idempotency_key`, `meta.pending` counts accepted messages that are not listed yet: only `total` 0 and `pending` 0 mean that no such message was accepted.",
    success: "One page of messages.",
    example: [messageExample],
  },
} as const satisfies Declaration;

export const messageListEndpoints = {
  "GET /w/{workspace}/messages": endpoint(list).load((call) =>
    call.user === null ? listSent(call) : searchMessages(call),
  ),
};

type ListCall = Extract<CallOf<typeof list>, { user: null }>;

async function listSent(call: ListCall) {
  const { store, reader, workspace, query } = call;
  const [filter, from] = readTogether(
    () => readFilter(call),
    () => readPage(query, timePosition),
  );
  const isByCaller = query.get("reference") !== null || query.get("idempotency_key") !== null;
  const viewOf = ({ id }: MessagePosition, tx: ReadTx) => {
    const message = findMessageById(tx, id);
    return message && viewMessage(message, workspace);
  };
  const placeOf = ({ at, id }: MessagePosition) => ({ at, id });
  if (filter === null) return pageOf(from, [], 0, viewOf, placeOf, isByCaller ? { pending: 0 } : {});
  await store.waitForOtherWriters();
  // Counted first: what is pending now may be listed a moment later, never the other way round.
  const { sql, parameters } = countMessagesSql(workspace.id, filter);
  const [row] = await reader.query(sql, parameters);
  const found = store.read((tx) => listMessages(tx, workspace.id, filter, from, from.perPage + 1));
  const total = Math.max(Number(row?.total ?? 0), Math.min(found.length, from.perPage));
  return pageOf(from, found, total, viewOf, placeOf, isByCaller ? { pending: Number(row?.pending ?? 0) } : {});
}

/** Null: no contact has the phone number, so no message can match. Throws `invalid_request`. */
function readFilter({ store, workspace, query }: ListCall): MessageFilter | null {
  const to = query.get("to");
  const [reference, idempotencyKey, status, since, contact] = readTogether(
    () => readText(query, "reference"),
    () => readText(query, "idempotency_key"),
    () => readChoice(query, "status", shownStatuses),
    () => readSince(query, "since", workspace.timezone),
    () => (to === null ? null : store.read((tx) => readContact(tx, workspace, to))),
  );
  if (contact === "stranger") return null;
  return { reference, idempotencyKey, status, since, contactId: contact };
}

/** The id of the contact with this phone number. */
function readContact(tx: ReadTx, { id, country }: Workspace, to: string): number | "stranger" {
  const found = lookUpContact(tx, id, to, country);
  if (found === null) {
    throw wrongParameter("to", {
      rule: "format",
      sentence: "This is not a phone number. In an address, a + has to be written as %2B.",
    });
  }
  return found.contact?.id ?? "stranger";
}

function readText(query: ListCall["query"], name: keyof typeof LENGTH_MAX): string | null {
  const text = query.get(name);
  if (text === null) return null;
  if (text !== "" && !isLonger(text, LENGTH_MAX[name])) return text;
  throw wrongParameter(name, `This has 1 to ${LENGTH_MAX[name]} characters.`);
}

/**
 * Searches messages for the console: by phone number (everything sent to that person), by id, or by words (messages
 * sent alone only). Unlike the API's list, it finds messages of every origin, those that have not left yet, and those
 * whose outcome is unknown.
 */
import { startOfDay } from "#src/core/instant.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import { findById, lookUpContact } from "#src/domain/contacts/find.ts";
import { listDispatched, NEWEST } from "#src/domain/inbound/read-conversation.ts";
import { type ConsoleStatus, consoleStatuses, consoleStatusOf } from "#src/domain/messages/message.ts";
import { findWholeMessage } from "#src/domain/messages/read.ts";
import type { Message, MessageRow } from "#src/domain/messages/table.ts";
import { singlesSql } from "../console/queries/recent-activity.ts";
import { firstSince } from "../console/queries/today-counters.ts";
import { cut, idPosition, pageOfRows, positionIn, readChoice, readScreen, timePosition } from "../page.ts";
import { Rows } from "../rows.ts";
import type { WorkspaceCall } from "./call.ts";
import { viewAnyMessage } from "./conversation-items.ts";

/** How many messages a filtered search scans; the next page continues there. */
const MESSAGES_SCANNED = 20_000;
export const searchedStatuses = [...consoleStatuses, "unknown"] as const;
export const searchedDays = ["today"] as const;
export const searchedOrigins = ["api", "console"] as const;

type SearchCall = WorkspaceCall<{
  path: object;
  query: { get(name: "q" | "status" | "origin" | "day" | "code" | "page" | "per_page" | "after"): string | null };
  body: unknown;
}>;

export async function searchMessages(call: SearchCall) {
  const { store, workspace, query } = call;
  const text = (query.get("q") ?? "").trim();
  const byId = /^#?(\d{1,12})$/.exec(text)?.[1];
  if (byId !== undefined) {
    const message = store.read((tx) => findWholeMessage(tx, workspace.id, Number(byId)));
    if (message !== undefined) return answer(call, [message], null);
    if (text.startsWith("#")) return answer(call, [], null);
  }
  if (/^[+\d][\d\s().-]{4,}$/.test(text)) return searchByPhone(call, text);
  return searchSingles(call, text === "" ? null : text);
}

function searchByPhone(call: SearchCall, phone: string) {
  const { store, workspace, query } = call;
  const from = readScreen(query, timePosition);
  const { at, id } = positionIn(from) ?? { at: NEWEST.messageAt, id: NEWEST.messageId };
  const status = readChoice(query, "status", searchedStatuses);
  const origin = readChoice(query, "origin", searchedOrigins);
  const code = query.get("code");
  const since = store.read((tx) => sinceOf(call, tx)) ?? 0;
  const found = store.read((tx) => {
    const contact = lookUpContact(tx, workspace.id, phone, workspace.country)?.contact;
    return contact == null ? [] : listDispatched(tx, contact, { messageAt: at, messageId: id }, from.perPage + 1);
  });
  const page = cut(found, from.perPage, (row) => ({ at: row.dispatchedAt, id: row.id }));
  const shown = page.shown.filter(
    (message) =>
      message.createdAt >= since &&
      (status === null || statusOf(message) === status) &&
      (origin === null || message.origin === origin) &&
      (code === null || (message.errorCode ?? "none") === code),
  );
  return answer(call, shown, page.next);
}

async function searchSingles(call: SearchCall, text: string | null) {
  const { searchReader, workspace, query } = call;
  const from = readScreen(query, idPosition);
  const below = positionIn(from) ?? Number.MAX_SAFE_INTEGER;
  const status = readChoice(query, "status", searchedStatuses);
  const origin = readChoice(query, "origin", searchedOrigins);
  const lowestId = call.store.read((tx) => {
    const since = sinceOf(call, tx);
    return since === null ? 0 : firstSince(tx, "messages", since);
  });
  const code = query.get("code");
  const pairs = [status, status, origin, origin, text, text, code, code];
  const rows = await searchReader.query(singlesSql, [
    workspace.id,
    below,
    lowestId,
    MESSAGES_SCANNED,
    ...pairs,
    from.perPage + 1,
  ]);
  const ids = rows.flatMap(({ id }) => (typeof id === "number" ? [id] : []));
  const { looked: scanned = 0, lowest = null } = rows.find(({ id }) => id === null) ?? {};
  const shown = ids.slice(0, from.perPage);
  const nextId = ids.length > from.perPage ? shown.at(-1) : scanned === MESSAGES_SCANNED ? lowest : null;
  const messages = call.store.read((tx) => shown.flatMap((id) => findWholeMessage(tx, workspace.id, id) ?? []));
  return answer(call, messages, typeof nextId === "number" ? { id: nextId } : null);
}

/** With `day=today`, the start of today, as Home counts it. Null: no limit. */
function sinceOf({ query, workspace }: SearchCall, { now: current }: ReadTx): number | null {
  return readChoice(query, "day", searchedDays) === null ? null : startOfDay(current, workspace.timezone);
}

function answer(call: SearchCall, found: readonly MessageRow[], next: object | null) {
  const data = Rows.of(found, (message, tx) => viewWithContact(tx, message, call));
  return pageOfRows(
    readScreen(call.query, (cursor) => cursor),
    data,
    { total: found.length, hasMore: next !== null, next },
  );
}

export function viewWithContact(tx: ReadTx, message: MessageRow, { workspace }: WorkspaceCall) {
  const { broadcastId, contactId } = message;
  const broadcast = broadcastId === null ? null : (findBroadcast(tx, workspace.id, broadcastId) ?? null);
  const contact = contactId === null ? undefined : findById(tx, workspace.id, contactId);
  return viewAnyMessage(message, broadcast, contact, workspace);
}

function statusOf(message: Message): ConsoleStatus | "unknown" {
  return message.status === "failed" && message.outcomeUnknown ? "unknown" : consoleStatusOf(message);
}

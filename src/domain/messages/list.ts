/**
 * Lists the single messages of the API for callers that match them to their own records. Each filter has an index of
 * its own; the most selective one drives the query, and the others are checked row by row (the unary `+` keeps SQLite
 * from choosing their index instead).
 */
import { and, desc, gte, type SQL, sql } from "drizzle-orm";
import { withinBudget } from "#src/db/query-budget.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { idsOfContact } from "./contact-message-statements.ts";
import { listListedPlaces } from "./contact-messages.ts";
import { SCHEDULED_SQL, type ShownStatus, storedStatusOf, visibleStatuses } from "./message.ts";
import { messages } from "./table.ts";

export interface MessageFilter {
  reference: string | null;
  idempotencyKey: string | null;
  contactId: number | null;
  status: ShownStatus | null;
  /** Only messages accepted at or after it, milliseconds. */
  since: number | null;
}

export interface MessagePosition {
  /** What the list is sorted by: when the message was accepted, or, in a list of one contact, dispatched. */
  at: number;
  id: number;
}

/** The contact's index drives the query. It has the time of the dispatch, at or after that of the acceptance. */
function isOfContact(filter: MessageFilter): filter is MessageFilter & { contactId: number } {
  return filter.contactId !== null && filter.reference === null && filter.idempotencyKey === null;
}

/**
 * Where they stand, newest first. Messages that are not shown yet are omitted. A listed message keeps its place: it is not
 * dispatched again, or it is a scheduled one, which stands where it was accepted.
 */
export function listMessages(
  tx: ReadTx,
  workspaceId: number,
  filter: MessageFilter,
  from: { offset: number } | { after: MessagePosition },
  limit: number,
): MessagePosition[] {
  if (isOfContact(filter)) return listOfContact(tx, workspaceId, filter, from, limit);
  const after = "after" in from ? from.after : null;
  const at = messages.createdAt;
  return tx.db
    .select({ at, id: messages.id })
    .from(messages)
    .where(
      and(
        ...conditionsOf(workspaceId, filter, messages),
        ...statusConditions(filter),
        filter.since === null ? undefined : gte(at, filter.since),
        filter.since === null ? undefined : sql`+${messages.createdAt} >= ${filter.since}`,
        after === null ? undefined : sql`(${at}, ${messages.id}) < (${after.at}, ${after.id})`,
      ),
    )
    .orderBy(desc(at), desc(messages.id))
    .limit(limit)
    .offset("offset" in from ? from.offset : 0)
    .all();
}

function listOfContact(
  tx: ReadTx,
  workspaceId: number,
  { contactId, status, since }: MessageFilter & { contactId: number },
  from: { offset: number } | { after: MessagePosition },
  limit: number,
): MessagePosition[] {
  const before = "after" in from ? from.after : { at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };
  const page = { before, since: since ?? 0, status, limit, offset: "offset" in from ? from.offset : 0 };
  return listListedPlaces(tx, { id: contactId, workspaceId }, page);
}

/**
 * Each repeats the condition of its index literally: with a bound value SQLite could not use it. A filter that finds few
 * messages drives the query, and then `+` keeps SQLite from the index of the status.
 */
function statusConditions({ status, reference, idempotencyKey }: MessageFilter): SQL[] {
  if (status === null) return [sql.raw(`(+status in ${literalList(visibleStatuses)} or send_at is not null)`)];
  if (status === "scheduled") return [sql.raw(SCHEDULED_SQL)];
  const isDriven = reference !== null || idempotencyKey !== null;
  return [sql.raw(NOT_OPEN), sql`${sql.raw(isDriven ? "+status" : "status")} = ${storedStatusOf(status)}`];
}

/**
 * SQL of the number of listed messages (`total`) and of accepted messages that are not listed yet (`pending`), both at
 * one moment. The reader runs it, because a filter may match many messages.
 */
export function countMessagesSql(
  workspaceId: number,
  { reference, idempotencyKey, contactId, status, since }: MessageFilter,
): { sql: string; parameters: (string | number)[] } {
  const isByCaller = reference !== null || idempotencyKey !== null;
  const isSelective = isByCaller || contactId !== null;
  // The `+` of all columns but those of the driving index.
  const unless = (drives: boolean): string => (drives ? "" : "+");
  const conditions: [string, string | number | null][] = [
    [`${unless(isByCaller || contactId === null)}workspace_id = ?`, workspaceId],
    ["reference = ?", reference],
    [`${unless(reference === null)}idempotency_key = ?`, idempotencyKey],
    ["+contact_id = ?", contactId],
    [`${unless(!isSelective)}status = ?`, status === null || status === "scheduled" ? null : storedStatusOf(status)],
    ["created_at >= ?", since],
  ];
  const given = conditions.filter((one): one is [string, string | number] => one[1] !== null);
  const texts = given.map(([text]) => text);
  const parameters = given.map(([, value]) => value);
  if (contactId !== null && !isByCaller) {
    texts.push(`id IN (${idsOfContact("?", "?", { broadcasts: false })})`);
    parameters.push(contactId, contactId, workspaceId, contactId);
  }
  // Of messages of the API, the scheduled ones alone are pending or skipped.
  const listed = literalList([...visibleStatuses, "pending", "skipped"]);
  const isScheduled = status === "scheduled";
  if (isScheduled) texts.push(SCHEDULED_SQL);
  else if (!isSelective) texts.push(NOT_OPEN);
  texts.push(withinBudget("id"));
  // Scheduled ones that are being sent are listed, but are not counted here: the index has no `send_at`.
  if (status === null && !isSelective) texts.push(`status in ${listed}`);
  const shown = `status in ${listed}${isScheduled || isSelective ? " or send_at is not null" : ""}`;
  const open = `status in ('queued', 'sending')${isSelective ? " and send_at is null" : ""}`;
  return {
    sql: `SELECT sum(${shown}) AS total, sum(${open}) AS pending FROM messages WHERE origin = 'api' AND ${texts.join(" AND ")}`,
    parameters,
  };
}

/** Repeats the condition of the index `messages_api_status` literally, so that SQLite may use it. */
const NOT_OPEN = "status not in ('queued', 'sending')";

/** The conditions of a filter, of which only the first may use an index. */
function conditionsOf(workspaceId: number, filter: MessageFilter, table: typeof messages): SQL[] {
  const driving: SQL[] = [];
  const add = (column: SQL, value: string | number | null): void => {
    if (value !== null) driving.push(driving.length === 0 ? sql`${column} = ${value}` : sql`+${column} = ${value}`);
  };
  add(sql`${table.reference}`, filter.reference);
  add(sql`${table.idempotencyKey}`, filter.idempotencyKey);
  add(sql`${table.contactId}`, filter.contactId);
  // Literal, as in the partial indexes: with a bound value SQLite could not use them.
  return [sql`${table.origin} = 'api'`, sql`${table.workspaceId} = ${workspaceId}`, ...driving];
}

function literalList(values: readonly string[]): string {
  return `(${values.map((value) => `'${value}'`).join(", ")})`;
}

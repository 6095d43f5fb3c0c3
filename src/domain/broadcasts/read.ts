/** Queries for broadcasts and their recipients. */
import { and, asc, count, desc, eq, gt, lt, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import { withinBudget } from "#src/db/query-budget.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import type { MessageStatus } from "../messages/message.ts";
import { messages } from "../messages/table.ts";
import { readShape, type TemplateShape } from "../templates/template.ts";
import { type BroadcastStatus, isFinished, type RecipientFilter } from "./broadcast.ts";
import { broadcastById, openBroadcasts } from "./statements.ts";
import { type Broadcast, broadcasts } from "./table.ts";

/** Undefined for a broadcast of another workspace. */
export function findBroadcast(tx: ReadTx, workspaceId: number, id: number): Broadcast | undefined {
  const broadcast = broadcastById(tx).get({ id });
  return broadcast?.workspaceId === workspaceId ? broadcast : undefined;
}

/** For internal work on a known id. */
export function getBroadcast(tx: ReadTx, id: number): Broadcast {
  const broadcast = broadcastById(tx).get({ id });
  if (broadcast === undefined) throw new Error(`broadcast ${id} is gone`);
  return broadcast;
}

/** For commands, which may name any workspace's broadcast. */
export function findAnyBroadcast(tx: ReadTx, id: number): Broadcast | undefined {
  return broadcastById(tx).get({ id });
}

/** Their ids, the newest first: either from `offset` on, or older than an id. */
export function listBroadcastIds(
  tx: ReadTx,
  workspaceId: number,
  from: { offset: number } | { after: number },
  limit: number,
): { id: number }[] {
  return tx.db
    .select({ id: broadcasts.id })
    .from(broadcasts)
    .where(and(eq(broadcasts.workspaceId, workspaceId), "after" in from ? lt(broadcasts.id, from.after) : undefined))
    .orderBy(desc(broadcasts.id))
    .limit(limit)
    .offset("offset" in from ? from.offset : 0)
    .all();
}

export function countBroadcasts(tx: ReadTx, workspaceId: number): number {
  const row = tx.db.select({ total: count() }).from(broadcasts).where(eq(broadcasts.workspaceId, workspaceId)).get();
  return row?.total ?? 0;
}

/** What the console's list is narrowed by; each absent one matches everything. */
export interface BroadcastFilter {
  /** A part of the name, or the id. */
  q?: string | undefined;
  status?: BroadcastStatus | undefined;
  template?: string | undefined;
  /** The number that sends, in E.164. */
  from?: string | undefined;
  /** Started, else due, else created: at or after, and before; milliseconds. */
  since?: number | undefined;
  until?: number | undefined;
}

interface BroadcastSql {
  sql: string;
  parameters: (string | number)[];
}

/**
 * SQL for the reader that lists the ids of matching broadcasts, the newest first, older than `before`. It walks the
 * workspace's broadcasts: the `+` keeps SQLite from the index of a state, which has those of all workspaces.
 */
export function searchBroadcastsSql(
  workspaceId: number,
  filter: BroadcastFilter,
  before: number,
  limit: number,
): BroadcastSql {
  const { sql: conditions, parameters } = matchSql(workspaceId, filter);
  return {
    sql: `SELECT id FROM broadcasts WHERE ${conditions} AND id < ? ORDER BY id DESC LIMIT ?`,
    parameters: [...parameters, before, limit],
  };
}

/** SQL for the reader: one row with `total`. */
export function countMatchingSql(workspaceId: number, filter: BroadcastFilter): BroadcastSql {
  const { sql: conditions, parameters } = matchSql(workspaceId, filter);
  return { sql: `SELECT count(*) AS total FROM broadcasts WHERE ${conditions}`, parameters };
}

const SHOWN_AT = "coalesce(started_at, send_at, created_at)";

function matchSql(workspaceId: number, { q, status, template, from, since, until }: BroadcastFilter): BroadcastSql {
  const conditions: [string, ...(string | number)[]][] = [["workspace_id = ?", workspaceId]];
  if (q !== undefined) {
    const pattern = `%${q.replace(/[\\%_]/g, "\\$&")}%`;
    const id = /^#?(\d{1,15})$/.exec(q)?.[1];
    conditions.push(["(name LIKE ? ESCAPE '\\' OR +id = ?)", pattern, id === undefined ? 0 : Number(id)]);
  }
  if (status !== undefined) conditions.push(["+status = ?", status]);
  if (template !== undefined) conditions.push(["template_name = ?", template]);
  if (from !== undefined) conditions.push(["from_phone = ?", from]);
  if (since !== undefined) conditions.push([`${SHOWN_AT} >= ?`, since]);
  if (until !== undefined) conditions.push([`${SHOWN_AT} < ?`, until]);
  return {
    sql: [...conditions.map(([condition]) => condition), withinBudget("id")].join(" AND "),
    parameters: conditions.flatMap(([, ...values]) => values),
  };
}

/** Unfinished broadcasts in the given states, the oldest first. Reads only those rows, however many are finished. */
export function listOpen(tx: ReadTx, statuses: readonly BroadcastStatus[]): Broadcast[] {
  return statuses.flatMap((status) => openBroadcasts(tx).all({ status })).sort((a, b) => a.id - b.id);
}

/** The row states that a filter matches: unsent recipients of a finished broadcast count as skipped. */
export function statusesFor(broadcast: Broadcast, filter: RecipientFilter): MessageStatus[] {
  const unsent: MessageStatus[] = ["pending", "queued"];
  if (filter === "pending") return isFinished(broadcast.status) ? ["sending"] : [...unsent, "sending"];
  if (filter === "skipped") return isFinished(broadcast.status) ? [...unsent, "skipped"] : ["skipped"];
  return [filter];
}

/** Their ids, in the order in which they were addressed: either from `offset` on, or after an id. */
export function listRecipientIds(
  tx: ReadTx,
  broadcast: Broadcast,
  filter: RecipientFilter | null,
  from: { offset: number } | { after: number },
  limit: number,
): { id: number }[] {
  const after = "after" in from ? from.after : 0;
  const offset = "offset" in from ? from.offset : 0;
  const inBroadcast = and(eq(messages.broadcastId, broadcast.id), gt(messages.id, after));
  const selectIds = () => tx.db.select({ id: messages.id }).from(messages);
  if (filter === null) {
    return selectIds().where(inBroadcast).orderBy(asc(messages.id)).limit(limit).offset(offset).all();
  }
  // Each state is a range of the index ordered by id, so SQLite merges the ranges without sorting.
  const [first, second, ...rest] = statusesFor(broadcast, filter).map((status) =>
    selectIds().where(and(inBroadcast, eq(messages.status, status))),
  );
  if (first === undefined) return [];
  if (second === undefined) return first.orderBy(asc(messages.id)).limit(limit).offset(offset).all();
  return unionAll(first, second, ...rest)
    .orderBy(asc(messages.id))
    .limit(limit)
    .offset(offset)
    .all();
}

/** How many messages in flight have an unknown outcome. Reads all recipients in `sending`. */
export function countInDoubt(tx: ReadTx, broadcastId: number): number {
  const row = tx.db
    .select({ total: count() })
    .from(messages)
    .where(
      and(eq(messages.broadcastId, broadcastId), eq(messages.status, "sending"), eq(messages.outcomeUnknown, true)),
    )
    .get();
  return row?.total ?? 0;
}

/**
 * SQL that counts why recipients failed or were skipped, for the reader; it reads all of them. Unknown outcomes are
 * counted separately from certain failures.
 */
export const countCausesSql = `SELECT status, error_code, outcome_unknown, max(error_message) AS reason, count(*) AS total
  FROM messages WHERE broadcast_id = ? AND status IN ('failed', 'skipped') AND ${withinBudget("id")}
  GROUP BY status, error_code, outcome_unknown ORDER BY total DESC LIMIT 50`;

/** SQL that counts messages in flight with an unknown outcome, for the reader. */
export const countInDoubtSql = `SELECT count(*) AS total FROM messages WHERE broadcast_id = ? AND status = 'sending' AND outcome_unknown = 1 AND ${withinBudget("id")}`;

interface ReasonCount {
  status: "failed" | "skipped";
  reason: string;
  count: number;
}

/** Why recipients failed or were skipped, the most frequent first. Reads all of them; for commands. */
export function countReasons(tx: ReadTx, broadcastId: number, limit: number): ReasonCount[] {
  return (["failed", "skipped"] as const)
    .flatMap((status) =>
      tx.db
        .select({ code: messages.errorCode, reason: sql<string | null>`max(${messages.errorMessage})`, count: count() })
        .from(messages)
        .where(and(eq(messages.broadcastId, broadcastId), eq(messages.status, status)))
        .groupBy(messages.errorCode)
        .all()
        .map((row) => ({ status, reason: row.reason ?? row.code ?? "no reason is known", count: row.count })),
    )
    .toSorted((a, b) => b.count - a.count)
    .slice(0, limit);
}

/** The shape of the template as it was confirmed for the broadcast, whatever the template is now. */
export function confirmedShape(broadcast: Broadcast): TemplateShape {
  return readShape({
    components: broadcast.templateComponents,
    parameterFormat: broadcast.templateFormat,
    category: broadcast.templateCategory,
    parameterOrder: broadcast.templateOrder,
  });
}

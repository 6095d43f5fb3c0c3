/**
 * The event log: a workspace's events in commit order. Only one transaction writes at a time, and it numbers its events,
 * so a reader that has read up to a number misses nothing that is committed later.
 */
import { sql } from "drizzle-orm";
import type { ReadTx } from "#src/db/transaction.ts";
import type { EventType } from "./event-types.ts";

export interface EventLogPage {
  /** The numbers of its events; `eventBody` reads each. */
  seqs: number[];
  /** Everything up to this number was looked at. */
  upTo: number;
  hasMore: boolean;
}

interface EventLogRange {
  /** Nothing after this number has been deleted. */
  oldest: number;
  /** No event has a higher number yet. */
  newest: number;
}

/** How many events one read examines at most: a rare type may be far ahead. */
const EXAMINED_MAX = 1_000;

/** The numbers that a reader may continue from. */
export function eventLogRange(tx: ReadTx): EventLogRange {
  const { newest } = tx.db.get<{ newest: number }>(
    sql`SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) AS newest`,
  );
  const { first } = tx.db.get<{ first: number | null }>(sql`SELECT min(seq) AS first FROM events`);
  return { oldest: first === null ? newest : first - 1, newest };
}

/** Up to `limit` events after a number; `types`: null for all. */
export function readEventLog(
  tx: ReadTx,
  workspaceId: number,
  after: number,
  types: readonly EventType[] | null,
  limit: number,
): EventLogPage {
  const seqs: number[] = [];
  let upTo = after;
  const examinedMax = types === null ? limit : EXAMINED_MAX;
  const rows = tx.db.all<{ seq: number; type: EventType }>(
    sql`SELECT seq, type FROM events WHERE workspace_id = ${workspaceId} AND seq > ${after}
      ORDER BY seq LIMIT ${examinedMax + 1}`,
  );
  for (const [index, { seq, type }] of rows.entries()) {
    if (seqs.length === limit || index === examinedMax) return { seqs, upTo, hasMore: true };
    upTo = seq;
    if (types !== null && !types.includes(type)) continue;
    seqs.push(seq);
  }
  // Nothing of this workspace is left: continue behind everybody's events, so that the position does not grow old.
  return { seqs, upTo: eventLogRange(tx).newest, hasMore: false };
}

/** The body of an event, exactly as webhooks receive it. Throws if it was deleted meanwhile: none may be skipped. */
export function eventBody(tx: ReadTx, seq: number): string {
  const row = tx.db.get<{ body: string } | undefined>(sql`SELECT body FROM events WHERE seq = ${seq}`);
  if (row === undefined) throw new Error(`the event ${seq} is no longer kept`);
  return row.body;
}

/** The workspaces that have events after a number. */
export function workspacesWithEvents(tx: ReadTx, after: number): number[] {
  return tx.db
    .all<{ id: number }>(sql`SELECT DISTINCT workspace_id AS id FROM events WHERE seq > ${after}`)
    .map(({ id }) => id);
}

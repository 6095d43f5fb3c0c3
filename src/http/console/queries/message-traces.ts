/**
 * Finds the stored callbacks and events about one message, which no index leads to. Both are numbered in the order of
 * time, so only rows newer than the message are read, a bounded slice at a time.
 */
import { and, asc, gt, gte, lte, sql } from "drizzle-orm";
import type { ReadTx } from "#src/db/transaction.ts";
import { type Callback, callbacks } from "#src/domain/inbound/table.ts";
import type { Message } from "#src/domain/messages/table.ts";
import { type EventRow, events } from "#src/domain/webhooks/table.ts";

/** One slice of matches, and where the next begins; null at the end. */
export interface Slice<Row> {
  rows: Row[];
  next: number | null;
}

/**
 * Callbacks that contain the message's send token or the network's id, among `rowCount` of them. `from`: null for the first
 * slice.
 */
export function findCallbacks(tx: ReadTx, message: Message, from: number | null, rowCount: number): Slice<Callback> {
  const { sendToken, networkMessageId } = message;
  const start = from ?? firstSince(message.createdAt, (id) => callbackAt(tx, id));
  const ids = [sendToken, networkMessageId].filter((name) => name !== null);
  const mentions = sql.join(
    ids.map((name) => sql`instr(${callbacks.body}, ${name}) > 0`),
    sql` or `,
  );
  const to = start + rowCount;
  const rows = tx.db
    .select()
    .from(callbacks)
    .where(and(gte(callbacks.id, start), lte(callbacks.id, to), sql`(${mentions})`))
    .orderBy(asc(callbacks.id))
    .all();
  return { rows, next: callbackAt(tx, to + 1)?.id ?? null };
}

/** Events about the message. */
export function findEvents(tx: ReadTx, message: Message, from: number | null, rowCount: number): Slice<EventRow> {
  const start = from ?? firstSince(message.createdAt, (seq) => eventAt(tx, seq));
  const to = start + rowCount;
  const rows = tx.db
    .select()
    .from(events)
    .where(
      and(
        gte(events.seq, start),
        lte(events.seq, to),
        sql`${events.workspaceId} = ${message.workspaceId}`,
        sql`instr(${events.body}, ${`"id":${message.id}`}) > 0`,
      ),
    )
    .orderBy(asc(events.seq))
    .all()
    .filter(
      ({ body }) => (JSON.parse(body) as { data?: { message?: { id?: unknown } } }).data?.message?.id === message.id,
    );
  return { rows, next: eventAt(tx, to + 1)?.id ?? null };
}

interface RowPosition {
  id: number;
  at: number;
}

/** The first row at or after this id. */
function callbackAt(tx: ReadTx, id: number): RowPosition | undefined {
  return tx.db
    .select({ id: callbacks.id, at: callbacks.receivedAt })
    .from(callbacks)
    .where(gt(callbacks.id, id - 1))
    .orderBy(asc(callbacks.id))
    .limit(1)
    .get();
}

function eventAt(tx: ReadTx, seq: number): RowPosition | undefined {
  return tx.db
    .select({ id: events.seq, at: events.createdAt })
    .from(events)
    .where(gt(events.seq, seq - 1))
    .orderBy(asc(events.seq))
    .limit(1)
    .get();
}

/** A binary search over ids for the first row of that time. The slack allows for a clock that was set back slightly. */
function firstSince(at: number, rowFrom: (id: number) => RowPosition | undefined): number {
  const since = at - CLOCK_SLACK_MS;
  let [low, high] = [0, 2 ** 52];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = rowFrom(middle);
    if (row === undefined || row.at >= since) high = middle;
    else low = row.id + 1;
  }
  return low;
}

const CLOCK_SLACK_MS = 120_000;

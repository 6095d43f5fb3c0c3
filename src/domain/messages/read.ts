/** Looking messages up. */
import { and, asc, eq, gt, sql } from "drizzle-orm";
import { type Reading, statement } from "#src/storage/transaction.ts";
import { shownStatuses } from "./message.ts";
import { type Message, messages } from "./table.ts";

const byId = statement((db) =>
  db
    .select()
    .from(messages)
    .where(eq(messages.id, sql.placeholder("id")))
    .prepare(),
);

/** A message as the API shows it: undefined for another workspace's, and until it is sent or failed. */
export function findShown(reading: Reading, workspaceId: number, id: number): Message | undefined {
  const message = byId(reading).get({ id });
  if (message?.workspaceId !== workspaceId) return undefined;
  return shownStatuses.some((status) => status === message.status) ? message : undefined;
}

/** For our own work on a message that we hold the id of; undefined when it was withdrawn. */
export function findForWork(reading: Reading, id: number): Message | undefined {
  return byId(reading).get({ id });
}

const byReference = statement((db) =>
  db
    .select()
    .from(messages)
    .where(eq(messages.reference, sql.placeholder("reference")))
    .prepare(),
);

const byNetworkId = statement((db) =>
  db
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.networkMessageId, sql.placeholder("networkMessageId")),
        eq(messages.numberId, sql.placeholder("numberId")),
      ),
    )
    .limit(1)
    .prepare(),
);

/** The message that a number's status speaks of: by our reference, else by the network's id. */
export function findReported(
  reading: Reading,
  numberId: number,
  reference: string | null,
  networkMessageId: string,
): Message | undefined {
  if (reference !== null) {
    const message = byReference(reading).get({ reference });
    if (message !== undefined) return message.numberId === numberId ? message : undefined;
  }
  return byNetworkId(reading).get({ networkMessageId, numberId });
}

/** The words of the index `messages_open`: with bound values SQLite could not use it. */
const isOpen = sql`${messages.status} in ('queued', 'sending')`;

/** Messages whose hand-over is open, a batch at a time by id: at a start, what the process before left behind. */
export function listOpen(reading: Reading, afterId: number, limit: number): Message[] {
  return reading.db
    .select()
    .from(messages)
    .where(and(isOpen, gt(messages.id, afterId)))
    .orderBy(asc(messages.id))
    .limit(limit)
    .all();
}

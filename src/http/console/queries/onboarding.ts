/**
 * How far a workspace has come with its first steps, and whether its webhook works since: the content of its first page.
 * Reads a few rows from the ends of indexes.
 */
import { and, asc, desc, eq, gt, isNotNull, isNull, ne } from "drizzle-orm";
import type { ReadTx } from "#src/db/transaction.ts";
import { broadcasts } from "#src/domain/broadcasts/table.ts";
import { contactCounters } from "#src/domain/contacts/table.ts";
import { messages } from "#src/domain/messages/table.ts";
import { memberships, userLinks } from "#src/domain/users/table.ts";
import { deliveries, events } from "#src/domain/webhooks/table.ts";
import { apiKeys } from "#src/domain/workspaces/table.ts";

interface Onboarding {
  hasPeople: boolean;
  /** One that was started. */
  hasBroadcast: boolean;
  /** Another member than the user, or an invitation that can still be accepted. */
  hasColleague: boolean;
  hasKey: boolean;
  /** Whether a single message of software was delivered. */
  hasSent: boolean;
  /** When a message was last reported delivered, among the newest ones. */
  lastDeliveredAt: number | null;
  /** Whether the receiver has ever accepted an event. */
  hasDelivered: boolean;
  /** Exhausted deliveries, counted up to a hundred. */
  exhaustedCount: number;
}

const EVENTS_SCANNED = 300;
const MESSAGES_SCANNED = 100;
const EXHAUSTED_COUNT_MAX = 100;

export function readOnboarding(tx: ReadTx, workspaceId: number, userId: number): Onboarding {
  const key = tx.db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.workspaceId, workspaceId), isNull(apiKeys.revokedAt)))
    .limit(1)
    .get();
  const newest = listEvents(tx, workspaceId, desc(events.seq));
  const isSent = ({ type }: { type: string }) => type === "message.delivered";
  const hasSent =
    newest.some(isSent) ||
    (newest.length === EVENTS_SCANNED && listEvents(tx, workspaceId, asc(events.seq)).some(isSent));
  const counters = tx.db.select().from(contactCounters).where(eq(contactCounters.workspaceId, workspaceId)).get();
  const started = newestBroadcast(tx, workspaceId);
  return {
    hasPeople: (counters?.contacts ?? 0) > 0,
    hasBroadcast: started !== undefined,
    hasColleague: hasColleague(tx, workspaceId, userId),
    hasKey: key !== undefined,
    hasSent,
    lastDeliveredAt: lastDelivered(tx, workspaceId, started),
    hasDelivered: countDeliveries(tx, workspaceId, "delivered", 1) > 0,
    exhaustedCount: countDeliveries(tx, workspaceId, "exhausted", EXHAUSTED_COUNT_MAX),
  };
}

function newestBroadcast(tx: ReadTx, workspaceId: number): number | undefined {
  return tx.db
    .select({ id: broadcasts.id })
    .from(broadcasts)
    .where(and(eq(broadcasts.workspaceId, workspaceId), isNotNull(broadcasts.startedAt)))
    .orderBy(desc(broadcasts.startedAt))
    .limit(1)
    .get()?.id;
}

/** Among the newest single messages, and the last recipients of the broadcast that started last. */
function lastDelivered(tx: ReadTx, workspaceId: number, broadcastId: number | undefined): number | null {
  const columns = { deliveredAt: messages.deliveredAt, readAt: messages.readAt };
  const newest = (where: ReturnType<typeof and>) =>
    tx.db.select(columns).from(messages).where(where).orderBy(desc(messages.id)).limit(MESSAGES_SCANNED).all();
  const found = [
    ...newest(and(eq(messages.workspaceId, workspaceId), isNull(messages.broadcastId))),
    ...(broadcastId === undefined
      ? []
      : newest(and(eq(messages.broadcastId, broadcastId), isNotNull(messages.broadcastId)))),
  ].flatMap(({ deliveredAt, readAt }) => deliveredAt ?? readAt ?? []);
  return found.length === 0 ? null : Math.max(...found);
}

function hasColleague(tx: ReadTx, workspaceId: number, userId: number): boolean {
  const other = tx.db
    .select({ id: memberships.userId })
    .from(memberships)
    .where(and(eq(memberships.workspaceId, workspaceId), ne(memberships.userId, userId)))
    .limit(1)
    .get();
  if (other !== undefined) return true;
  const isOpen = and(isNull(userLinks.usedAt), gt(userLinks.expiresAt, tx.now));
  const invited = tx.db
    .select({ id: userLinks.id })
    .from(userLinks)
    .where(and(eq(userLinks.workspaceId, workspaceId), isOpen))
    .limit(1)
    .get();
  return invited !== undefined;
}

function listEvents(tx: ReadTx, workspaceId: number, order: ReturnType<typeof desc>) {
  return tx.db
    .select({ type: events.type, createdAt: events.createdAt })
    .from(events)
    .where(eq(events.workspaceId, workspaceId))
    .orderBy(order)
    .limit(EVENTS_SCANNED)
    .all();
}

function countDeliveries(tx: ReadTx, workspaceId: number, status: "delivered" | "exhausted", limit: number): number {
  return tx.db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(eq(deliveries.workspaceId, workspaceId), eq(deliveries.status, status)))
    .limit(limit)
    .all().length;
}

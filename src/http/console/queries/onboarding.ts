/**
 * How far a workspace has come towards its first delivered message, and whether its webhook works since: the content of
 * its first page. Reads a few rows from the ends of indexes.
 */
import { and, asc, desc, eq, isNull } from "drizzle-orm";
import type { ReadTx } from "#src/db/transaction.ts";
import { deliveries, events } from "#src/domain/webhooks/table.ts";
import { apiKeys } from "#src/domain/workspaces/table.ts";

interface Onboarding {
  hasKey: boolean;
  hasSent: boolean;
  /** When a single message was last reported delivered, among the newest events. */
  lastDeliveredAt: number | null;
  /** Whether the receiver has ever accepted an event. */
  hasDelivered: boolean;
  /** Exhausted deliveries, counted up to a hundred. */
  exhaustedCount: number;
}

const EVENTS_SCANNED = 300;
const EXHAUSTED_COUNT_MAX = 100;

export function readOnboarding(tx: ReadTx, workspaceId: number): Onboarding {
  const key = tx.db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.workspaceId, workspaceId), isNull(apiKeys.revokedAt)))
    .limit(1)
    .get();
  const newest = listEvents(tx, workspaceId, desc(events.seq));
  const oldest = newest.length < EVENTS_SCANNED ? [] : listEvents(tx, workspaceId, asc(events.seq));
  return {
    hasKey: key !== undefined,
    hasSent: [...newest, ...oldest].some(({ type }) => type === "message.delivered" || type === "broadcast.finished"),
    lastDeliveredAt: newest.find(({ type }) => type === "message.delivered")?.createdAt ?? null,
    hasDelivered: countDeliveries(tx, workspaceId, "delivered", 1) > 0,
    exhaustedCount: countDeliveries(tx, workspaceId, "exhausted", EXHAUSTED_COUNT_MAX),
  };
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

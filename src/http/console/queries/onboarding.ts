/**
 * How far a workspace has come on the way to its first delivered message, and whether all is well since: what its first
 * page shows. A few rows from the ends of indexes, never a walk.
 */
import { and, asc, desc, eq, isNull } from "drizzle-orm";
import type { Reading } from "#src/db/transaction.ts";
import { deliveries, events } from "#src/domain/webhooks/table.ts";
import { apiKeys } from "#src/domain/workspaces/table.ts";

export interface Beginning {
  hasKey: boolean;
  hasSent: boolean;
  /** When a single message was last told to be delivered, as far as the newest events know. */
  lastDeliveredAt: number | null;
  /** Whether the receiver ever took an event. */
  hasDelivered: boolean;
  /** Deliveries that were given up; counted up to a hundred. */
  exhaustedCount: number;
}

const LOOKED_AT = 300;
const EXHAUSTED_COUNTED = 100;

export function readBeginning(reading: Reading, workspaceId: number): Beginning {
  const key = reading.db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.workspaceId, workspaceId), isNull(apiKeys.revokedAt)))
    .limit(1)
    .get();
  const newest = listEvents(reading, workspaceId, desc(events.seq));
  const oldest = newest.length < LOOKED_AT ? [] : listEvents(reading, workspaceId, asc(events.seq));
  return {
    hasKey: key !== undefined,
    hasSent: [...newest, ...oldest].some(({ type }) => type === "message.delivered" || type === "broadcast.finished"),
    lastDeliveredAt: newest.find(({ type }) => type === "message.delivered")?.createdAt ?? null,
    hasDelivered: countDeliveries(reading, workspaceId, "delivered", 1) > 0,
    exhaustedCount: countDeliveries(reading, workspaceId, "exhausted", EXHAUSTED_COUNTED),
  };
}

function listEvents(reading: Reading, workspaceId: number, order: ReturnType<typeof desc>) {
  return reading.db
    .select({ type: events.type, createdAt: events.createdAt })
    .from(events)
    .where(eq(events.workspaceId, workspaceId))
    .orderBy(order)
    .limit(LOOKED_AT)
    .all();
}

function countDeliveries(
  reading: Reading,
  workspaceId: number,
  status: "delivered" | "exhausted",
  limit: number,
): number {
  return reading.db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(eq(deliveries.workspaceId, workspaceId), eq(deliveries.status, status)))
    .limit(limit)
    .all().length;
}

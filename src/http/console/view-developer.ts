/** JSON of the developer screens: keys, custom fields, deliveries and their attempts. Never contains a secret. */

import { formatInstant } from "#src/core/instant.ts";
import type { CustomField } from "#src/domain/contacts/table.ts";
import type { DeliveryDetail, DeliveryOfEvent } from "#src/domain/webhooks/read.ts";
import type { ApiKey, Workspace } from "#src/domain/workspaces/table.ts";

/** A function that formats times in the workspace's timezone; null stays null. */
export function timesOf({ timezone }: Pick<Workspace, "timezone">): (ms: number | null) => string | null {
  return (ms) => (ms === null ? null : formatInstant(ms, timezone));
}

export function viewKey(key: ApiKey, workspace: Workspace) {
  const when = timesOf(workspace);
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    created_at: when(key.createdAt),
    last_used_at: when(key.lastUsedAt),
    revoked_at: when(key.revokedAt),
  };
}

export function viewField({ key, label, kind, choices }: CustomField) {
  return { key, label, kind, choices };
}

export function viewDelivery(delivery: DeliveryOfEvent, workspace: Workspace) {
  const when = timesOf(workspace);
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    status: delivery.status,
    attempt_count: delivery.attemptCount,
    created_at: when(delivery.createdAt),
    next_attempt_at: when(delivery.nextAttemptAt),
    finished_at: when(delivery.finishedAt),
  };
}

export function viewDeliveryDetail(delivery: DeliveryDetail, workspace: Workspace) {
  const when = timesOf(workspace);
  return {
    ...viewDelivery(delivery, workspace),
    body: delivery.body,
    attempts: delivery.attempts.map((attempt) => ({
      id: attempt.id,
      attempted_at: when(attempt.attemptedAt),
      url: attempt.url,
      status_code: attempt.statusCode,
      error: attempt.error,
      response: attempt.response,
      duration_ms: attempt.durationMs,
    })),
  };
}

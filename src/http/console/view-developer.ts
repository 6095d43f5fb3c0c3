/** JSON of the developer screens: keys, custom fields, deliveries and their attempts. Never contains a secret. */

import type { Static } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import type { CustomField } from "#src/domain/contacts/table.ts";
import { dueAt } from "#src/domain/webhooks/delivery.ts";
import type { DeliveryDetail, DeliveryOfEvent } from "#src/domain/webhooks/read.ts";
import type { ApiKey, Workspace } from "#src/domain/workspaces/table.ts";
import type { DeliveryDetail as DeliveryDetailView, DeliveryView, FieldView, KeyView } from "./contract/developer.ts";

/** A function that formats times in the workspace's timezone; null stays null. */
export function timesOf({ timezone }: Pick<Workspace, "timezone">) {
  function when(ms: number): string;
  function when(ms: number | null): string | null;
  function when(ms: number | null): string | null {
    return ms === null ? null : formatInstant(ms, timezone);
  }
  return when;
}

export function viewKey(key: ApiKey, workspace: Workspace): Static<typeof KeyView> {
  const when = timesOf(workspace);
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes,
    expires_at: when(key.expiresAt),
    daily_people: key.dailyPeople,
    created_at: when(key.createdAt),
    last_used_at: when(key.lastUsedAt),
    revoked_at: when(key.revokedAt),
  };
}

export function viewField({ key, label, kind, choices }: CustomField): Static<typeof FieldView> {
  return { key, label, kind, choices };
}

export function viewDelivery(delivery: DeliveryOfEvent, workspace: Workspace): Static<typeof DeliveryView> {
  const when = timesOf(workspace);
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    status: delivery.status,
    attempt_count: delivery.attemptCount,
    created_at: when(delivery.createdAt),
    next_attempt_at: when(dueAt(delivery)),
    finished_at: when(delivery.finishedAt),
  };
}

export function viewDeliveryDetail(delivery: DeliveryDetail, workspace: Workspace): Static<typeof DeliveryDetailView> {
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

/** The public JSON of a webhook address. It never has the secret. */
import type { Static } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import type { Workspace } from "../workspaces/table.ts";
import { overlapOf } from "./address.ts";
import { showGroupBursts } from "./bursts.ts";
import { defaultTypes } from "./event-types.ts";
import { stateOf } from "./further.ts";
import type { WebhookView } from "./schema.ts";
import type { Webhook } from "./table.ts";

export function viewWebhook(
  webhook: Webhook,
  { timezone }: Pick<Workspace, "timezone">,
  now: number,
): Static<typeof WebhookView> {
  const until = overlapOf(webhook, now);
  return {
    id: webhook.id,
    url: webhook.url ?? "",
    types: [...(webhook.types ?? defaultTypes)],
    state: stateOf(webhook),
    group_bursts: showGroupBursts(webhook),
    old_secret_until: until === null ? null : formatInstant(until, timezone),
    updated_at: formatInstant(webhook.updatedAt, timezone),
  };
}

/** The public JSON of a broadcast, its skips and its recipients, in the API and in events. */
import type { Static } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { formatMoney } from "#src/core/money.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { nameOfAddress } from "../contacts/find.ts";
import { getCounters } from "../messages/adjust-counters.ts";
import { totalOf } from "../messages/broadcast-counters.ts";
import type { MessageStatus } from "../messages/message.ts";
import type { Message } from "../messages/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import { isFinished, type RecipientOutcome } from "./broadcast.ts";
import type { ResolvedRecipient } from "./resolve-list.ts";
import type { BroadcastView, CreatedBroadcastView, PreviewSkipView, RecipientView } from "./schema.ts";
import { describeSkip, type SkipCode } from "./skip.ts";
import type { Broadcast } from "./table.ts";

type Zone = Pick<Workspace, "timezone">;

export function viewBroadcast(tx: ReadTx, broadcast: Broadcast, { timezone }: Zone): Static<typeof BroadcastView> {
  const counters = getCounters(tx, broadcast.id);
  const { sent, delivered, read, failed, skipped } = counters;
  const when = (ms: number | null): string | null => (ms === null ? null : formatInstant(ms, timezone));
  return {
    id: broadcast.id,
    name: broadcast.name,
    status: broadcast.status,
    status_reason: broadcast.statusReason,
    template: { name: broadcast.templateName, language: broadcast.templateLanguage },
    from: broadcast.fromPhone,
    counts: { total: totalOf(counters), sent, delivered, read, failed, skipped },
    held: counters.heldBack,
    charged: counters.isCharged && counters.settledAt !== null ? formatMoney(counters.charged) : null,
    settled: counters.settledAt !== null,
    send_at: when(broadcast.sendAt),
    started_at: when(broadcast.startedAt),
    completed_at: when(broadcast.completedAt),
    created_at: formatInstant(broadcast.createdAt, timezone),
  };
}

export function viewCreated(
  tx: ReadTx,
  broadcast: Broadcast,
  skipped: readonly ResolvedRecipient[],
  zone: Zone,
): Static<typeof CreatedBroadcastView> {
  return {
    ...viewBroadcast(tx, broadcast, zone),
    requested: broadcast.requested,
    skipped: skipped
      .flatMap((resolved) => viewSkip(resolved, zone))
      .map((skip) => ({ ...skip, reason: skip.reason === "may_want_to_stop" ? "opted_out" : skip.reason })),
  };
}

export function viewSkip(
  { input, contactLookup, skip }: ResolvedRecipient,
  { timezone }: Zone,
): Static<typeof PreviewSkipView>[] {
  if (skip === null) return [];
  const since = skip.since === null ? {} : { since: formatInstant(skip.since, timezone) };
  return [{ to: contactLookup === null ? input : nameOfAddress(contactLookup), reason: skip.reason, ...since }];
}

/** Unsent recipients of a finished broadcast are shown as skipped before their rows are updated. */
export function viewRecipient(
  message: Message,
  broadcast: Broadcast,
  { timezone }: Zone,
): Static<typeof RecipientView> {
  const when = (ms: number | null): string | null => (ms === null ? null : formatInstant(ms, timezone));
  const isSkippedUnsent = isFinished(broadcast.status) && (message.status === "pending" || message.status === "queued");
  return {
    to: message.toPhone,
    message_id: message.id,
    status: isSkippedUnsent ? "skipped" : message.status,
    reason: isSkippedUnsent ? skipReasonOf(broadcast) : reasonOf(message),
    sent_at: when(message.sentAt),
    delivered_at: when(message.deliveredAt),
    read_at: when(message.readAt),
  };
}

function skipReasonOf(broadcast: Broadcast): string {
  return describeSkip(broadcast.status === "cancelled" ? "cancelled" : "broadcast_failed", broadcast.statusReason);
}

function reasonOf({ status, errorCode, errorMessage }: Message & { status: MessageStatus }): string | null {
  if (status !== "failed" && status !== "skipped") return null;
  return errorMessage ?? (errorCode === null ? "no reason is known" : describeSkip(errorCode as SkipCode));
}

/** How many recipients an outcome matches, from the counters, which do not tell unknown outcomes from failures. */
export function countRecipients(
  tx: ReadTx,
  broadcast: Broadcast,
  filter: Exclude<RecipientOutcome, "unknown"> | null,
): number {
  if (broadcast.purgedAt !== null) return 0;
  const counters = getCounters(tx, broadcast.id);
  switch (filter) {
    case null:
      return totalOf(counters);
    case "pending":
      return counters.pending + counters.sending;
    case "sent":
      return counters.sent - counters.delivered;
    case "delivered":
      return counters.delivered - counters.read;
    case "accepted":
      return counters.sent;
    case "arrived":
      return counters.delivered;
    case "unsuccessful":
      return counters.failed;
    default:
      return counters[filter];
  }
}

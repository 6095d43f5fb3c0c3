/** The public JSON of a broadcast, its skips and its recipients, in the API and in events. */
import { type Static, Type } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { formatMoney } from "#src/core/money.ts";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { getCounters } from "../messages/adjust-counters.ts";
import { totalOf } from "../messages/broadcast-counters.ts";
import { type MessageStatus, messageStatuses } from "../messages/message.ts";
import type { Message } from "../messages/table.ts";
import { MessageTemplate } from "../messages/view.ts";
import type { Workspace } from "../workspaces/table.ts";
import { broadcastStatuses, isFinished } from "./broadcast.ts";
import type { RecipientFilter } from "./read.ts";
import type { ResolvedRecipient } from "./resolve-list.ts";
import { describeSkip, type SkipCode, skipReasons } from "./skip.ts";
import type { Broadcast } from "./table.ts";

const BroadcastCounts = Type.Object(
  {
    total: Type.Integer({ description: "Everybody: sent, failed, skipped and those still to go." }),
    sent: Type.Integer({ description: "The network has it; holds the delivered." }),
    delivered: Type.Integer({ description: "It is on the phone; holds the read." }),
    read: Type.Integer(),
    failed: Type.Integer({ description: "Whoever fails after it was sent moves here." }),
    skipped: Type.Integer({ description: "Left out, each with a reason." }),
  },
  { $id: "BroadcastCounts", description: "What a broadcast has come to: a funnel from sent to read." },
);

const members = {
  id: Type.Integer({ examples: [7] }),
  name: Type.String({ examples: ["November offer"] }),
  status: OneOf(
    broadcastStatuses,
    "`scheduled`: its time lies ahead. `queueing`: its recipients are being built. `running`: it is being sent. `paused`: `status_reason` says why. `completed`, `cancelled`, `failed`: finished.",
  ),
  status_reason: Nullable(Type.String(), "Why it paused, waits or failed, in words."),
  template: MessageTemplate,
  from: Type.String({ description: "E.164 of the sending number.", examples: ["+911244001100"] }),
  counts: BroadcastCounts,
  charged: Nullable(
    Type.String({ examples: ["12.50"] }),
    "What it cost, once settled. Null before, and where the workspace is not charged.",
  ),
  send_at: Nullable(Instant("When it is to start.")),
  started_at: Nullable(Instant("When its recipients began to be built.")),
  completed_at: Nullable(Instant("When it finished, however.")),
  created_at: Instant(),
};

export const BroadcastView = Type.Object(members, {
  $id: "Broadcast",
  description: "One template, sent to many people.",
});

export const SkipView = Type.Object(
  {
    to: Type.String({ description: "E.164, or what was sent where it is no phone number." }),
    reason: OneOf(skipReasons),
    since: Type.Optional(Instant("Since when the person is opted out; only with that reason.")),
  },
  { $id: "Skip", description: "Somebody who is left out of a broadcast." },
);

export const CreatedBroadcastView = Type.Object(
  {
    ...members,
    requested: Type.Integer({ description: "How many numbers `to` held; 0 for a group." }),
    skipped: Type.Array(SkipView, {
      description: "Who of `to` is left out, in its order. Whoever of a group is left out is told by the recipients.",
    }),
  },
  { $id: "CreatedBroadcast", description: "A broadcast that was just made, and whom it leaves out." },
);

export const RecipientView = Type.Object(
  {
    to: Type.String({ description: "E.164, or what was sent where it is no phone number." }),
    status: OneOf(messageStatuses),
    reason: Nullable(Type.String(), "Why it was skipped or failed, in words."),
    sent_at: Nullable(Instant()),
    delivered_at: Nullable(Instant()),
    read_at: Nullable(Instant()),
  },
  { $id: "Recipient", description: "One person in a broadcast." },
);

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
    charged: counters.isCharged && counters.settledAt !== null ? formatMoney(counters.charged) : null,
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
    skipped: skipped.flatMap((resolved) => viewSkip(resolved, zone)),
  };
}

export function viewSkip(
  { input, contactLookup, skip }: ResolvedRecipient,
  { timezone }: Zone,
): Static<typeof SkipView>[] {
  if (skip === null) return [];
  const since = skip.since === null ? {} : { since: formatInstant(skip.since, timezone) };
  return [{ to: contactLookup?.phone ?? input, reason: skip.reason, ...since }];
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

/** How many recipients a filter matches, from the counters. */
export function countRecipients(tx: ReadTx, broadcast: Broadcast, filter: RecipientFilter | null): number {
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
    default:
      return counters[filter];
  }
}

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
    total: Type.Integer({ description: "All recipients: sent, failed, skipped and not yet sent." }),
    sent: Type.Integer({ description: "Accepted by the network; includes `delivered`." }),
    delivered: Type.Integer({ description: "Delivered to the recipient's phone; includes `read`." }),
    read: Type.Integer(),
    failed: Type.Integer({
      description: "Failed. A message that fails after it was sent is counted here and no longer in `sent`.",
    }),
    skipped: Type.Integer({ description: "Not sent. Each skipped recipient has a reason." }),
  },
  { $id: "BroadcastCounts", description: "The recipients of a broadcast, counted by status." },
);

const members = {
  id: Type.Integer({ examples: [7] }),
  name: Type.String({ examples: ["November offer"] }),
  status: OneOf(
    broadcastStatuses,
    "`scheduled`: waiting for `send_at`. `queueing`: preparing the recipients. `running`: sending. `paused`: not sending; `status_reason` gives the reason. `completed`, `cancelled`, `failed`: finished.",
  ),
  status_reason: Nullable(Type.String(), "Why the broadcast is paused, is waiting or has failed, in plain text."),
  template: MessageTemplate,
  from: Type.String({ description: "The sending number in E.164.", examples: ["+911244001100"] }),
  counts: BroadcastCounts,
  charged: Nullable(
    Type.String({ examples: ["12.50"] }),
    "The cost, once it is settled. Null before that, and if the workspace is not charged.",
  ),
  settled: Type.Boolean({
    description: "Whether the broadcast is finished and its counts and its cost are final, but for late deliveries.",
  }),
  send_at: Nullable(Instant("When the broadcast is scheduled to start.")),
  started_at: Nullable(Instant("When the server started to prepare the recipients.")),
  completed_at: Nullable(Instant("When the broadcast completed, failed or was cancelled.")),
  created_at: Instant(),
};

export const BroadcastView = Type.Object(members, {
  $id: "Broadcast",
  description: "A template that is sent to many people.",
});

export const SkipView = Type.Object(
  {
    to: Type.String({
      description: "The phone number in E.164, or the value from the request if it is not a phone number.",
    }),
    reason: OneOf(skipReasons),
    since: Type.Optional(Instant("Since when; only present with the reasons `opted_out` and `may_want_to_stop`.")),
  },
  { $id: "Skip", description: "A recipient that a broadcast skips." },
);

export const CreatedBroadcastView = Type.Object(
  {
    ...members,
    requested: Type.Integer({ description: "Number of phone numbers in `to`; 0 for a group." }),
    skipped: Type.Array(SkipView, {
      description:
        "The numbers in `to` that are skipped, in the order of `to`. For a group, list the recipients instead.",
    }),
  },
  { $id: "CreatedBroadcast", description: "A new broadcast, with the recipients that it skips." },
);

export const RecipientView = Type.Object(
  {
    to: Type.String({
      description: "The phone number in E.164, or the value from the request if it is not a phone number.",
    }),
    message_id: Type.Integer({
      description: "Id of the message to this recipient. Messages of broadcasts are shown only here.",
      examples: [2077],
    }),
    status: OneOf(messageStatuses),
    reason: Nullable(Type.String(), "Why the message was skipped or failed, in plain text."),
    sent_at: Nullable(Instant()),
    delivered_at: Nullable(Instant()),
    read_at: Nullable(Instant()),
  },
  { $id: "Recipient", description: "A recipient of a broadcast." },
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

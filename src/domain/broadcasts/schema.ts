/** The schema of a broadcast's public JSON, with its skips, its recipients and its preview. Pure. */
import { Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { messageStatuses } from "../messages/message.ts";
import { MessageTemplate } from "../messages/schema.ts";
import { broadcastStatuses } from "./broadcast.ts";
import { previewReasons, skipReasons } from "./skip.ts";

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
  status_reason: Nullable(
    Type.String(),
    "Why the broadcast is paused, is waiting or has failed, in plain text. After it is completed: why the network refused its messages, if that concerns the template, the number or the account.",
  ),
  template: MessageTemplate,
  from: Type.String({ description: "The sending number in E.164.", examples: ["+442079460100"] }),
  counts: BroadcastCounts,
  held: Type.Integer({
    description:
      "How many of `sent` WhatsApp holds back for a quality check of the template. It sends them later, or drops them: then they are `failed`.",
  }),
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

const skippedTo = Type.String({
  description: "The phone number in E.164, or the value from the request if it is not a phone number.",
});

const SkipView = Type.Object(
  {
    to: skippedTo,
    reason: OneOf(skipReasons, "`opted_out` also for a person who may want to stop."),
    since: Type.Optional(Instant("Since when; only present with the reason `opted_out`.")),
  },
  { $id: "Skip", description: "A recipient that a broadcast skips." },
);

export const PreviewSkipView = Type.Object(
  {
    to: skippedTo,
    reason: OneOf(previewReasons),
    since: Type.Optional(Instant("Since when; only present with the reasons `opted_out` and `may_want_to_stop`.")),
  },
  { $id: "PreviewSkip", description: "A recipient that a broadcast would skip." },
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

export const PreviewCounts = Type.Object(
  {
    opted_out: Type.Integer(),
    may_want_to_stop: Type.Integer(),
    invalid_number: Type.Integer(),
    duplicate: Type.Integer(),
    no_opt_in: Type.Integer(),
    missing_variable: Type.Integer(),
    daily_cap: Type.Integer(),
  },
  { $id: "SkipCounts", description: "Number of recipients that would be skipped, by reason." },
);

const PreviewCost = Type.Object(
  {
    currency: Type.String({ examples: ["USD"] }),
    rate: Type.String({ description: "Price of one delivered message.", examples: ["0.0085"] }),
    amount: Type.String({ description: "Cost if every message is delivered.", examples: ["1.06"] }),
    available: Type.String({ description: "The current balance, less the amount held for messages in progress." }),
    available_after: Type.String({
      description: "The balance that would be left; negative if the balance does not cover the cost.",
    }),
    covered: Type.Boolean({ description: "Whether the balance covers the cost." }),
  },
  { $id: "PreviewCost", description: "The cost of a broadcast." },
);

const NetworkLimitView = Type.Object(
  {
    limit: Type.Integer({ description: "People whom all numbers of the business portfolio may send to in 24 hours." }),
    used: Type.Integer({
      description: "People whom this workspace has sent to in the last 24 hours. Other workspaces are not shown.",
    }),
    today: Type.Integer({ description: "How many people of this broadcast can be sent to now; the others wait." }),
  },
  {
    $id: "NetworkLimit",
    description:
      "Meta's messaging limit: different people in 24 hours who are sent templates without having written in the last 24 hours. An estimate: messages that other software sends are not known here.",
  },
);

export const PreviewView = Type.Object(
  {
    requested: Type.Integer({ description: "Number of phone numbers in `to`; 0 for a group." }),
    reached: Type.Integer({ description: "Number of people who would receive the message." }),
    skipped: PreviewCounts,
    skips: Type.Array(PreviewSkipView, {
      description: "The numbers in `to` that would be skipped, in the order of `to`.",
    }),
    cost: Nullable(PreviewCost, "The cost of the broadcast; null if the workspace is not charged."),
    daily_cap_left: Nullable(
      Type.Integer(),
      "How many more people can be sent templates under the daily cap; null if there is no daily cap.",
    ),
    network_limit: Nullable(NetworkLimitView, "Meta's messaging limit; null if there is none, or none is known."),
    warnings: Type.Array(Type.String(), { description: "The `warnings` of the template." }),
    starts_at: Instant("When the broadcast would start."),
    ends_at: Instant(
      "When the last message would be sent, if the number sends at its full rate and has nothing else to send.",
    ),
  },
  { $id: "BroadcastPreview", description: "A preview of a broadcast." },
);

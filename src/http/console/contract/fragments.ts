/** Parts of answers that several areas of the console share. Pure. */
import { Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { InboundDetails } from "#src/domain/inbound/details.ts";
import { echoOrigins, echoStatuses, inboundOrigins } from "#src/domain/inbound/origin.ts";
import { messageStatuses } from "#src/domain/messages/message.ts";
import { MessageTemplate } from "#src/domain/messages/schema.ts";
import { roles } from "#src/domain/users/user.ts";

export const OptionalText = Nullable(Type.String());
export const OptionalTime = Nullable(Instant());
export const OptionalCount = Nullable(Type.Integer());
export const Counts = Type.Record(Type.String(), Type.Integer());
/** Free of any schema: shown as it is. */
export const Details = Type.Record(Type.String(), Type.Unknown());
/** A row of another table by its name. */
export const Named = Type.Object({ id: Type.Integer(), name: Type.String() });
export const Network = OneOf(["simulator", "whatsapp"]);
export const RoleName = OneOf(roles);
export const MemberRole = OneOf(["owner", "member"]);

/** A message as the console shows it: unsent ones too, unknown outcomes, the broadcast, the cost, the contact. */
export const AnyMessage = Type.Object({
  id: Type.Integer(),
  to: Type.String(),
  name: OptionalText,
  contact_id: OptionalCount,
  from: Type.String(),
  type: OneOf(["template", "text"]),
  origin: OneOf(["api", "console", "broadcast"]),
  template: Nullable(MessageTemplate),
  broadcast: Nullable(Named),
  text: Type.String(),
  status: OneOf(messageStatuses),
  /** Dispatched with an unknown outcome: neither sent nor failed. */
  is_unknown: Type.Boolean(),
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  money: OneOf(["none", "held", "charged", "released"]),
  rate: OptionalText,
  created_at: Instant(),
  sent_at: OptionalTime,
  delivered_at: OptionalTime,
  read_at: OptionalTime,
  failed_at: OptionalTime,
});

const SentItem = Type.Object({
  ...AnyMessage.properties,
  kind: Type.Literal("message"),
  key: Type.String(),
  at: Instant(),
  buttons: Type.Array(Type.Object({ text: Type.String(), is_reply: Type.Boolean() })),
});

const InboundItem = Type.Object({
  kind: Type.Literal("inbound"),
  key: Type.String(),
  id: Type.Integer(),
  type: Type.String(),
  text: OptionalText,
  /** How it arrived. */
  origin: OneOf(inboundOrigins),
  at: Instant(),
  details: InboundDetails,
});

/** What was sent from one of our numbers, but not by this server. */
const EchoItem = Type.Object({
  kind: Type.Literal("echo"),
  key: Type.String(),
  id: Type.Integer(),
  type: Type.String(),
  text: OptionalText,
  /** Who sent it. */
  origin: OneOf(echoOrigins),
  status: Nullable(OneOf(echoStatuses)),
  /** Of a control: the roles before and after, in the network's words. */
  control_pass: Nullable(Type.Object({ from: OptionalText, to: OptionalText })),
  at: Instant(),
});

/** One item of a conversation. */
export const ConversationItem = Type.Union([SentItem, InboundItem, EchoItem]);

/** A step of a message's timeline. The time is in UTC with milliseconds. */
export const TimelineStep = Type.Object({
  at: Type.String(),
  what: OneOf(["request", "dispatch", "attempt", "status", "sent", "delivered", "read", "failed", "event", "webhook"]),
  says: Type.String(),
  details: Details,
});

/** A finding of the doctor. `next`: null if there is nothing to do. */
export const Finding = Type.Object({
  level: OneOf(["ok", "warning", "problem"]),
  check: Type.String(),
  message: Type.String(),
  next: OptionalText,
});

/** What is known of an account before an invitation to its address is passed on or accepted. */
export const KnownAccount = Type.Object({ since: Instant(), first_invited_by: OptionalText });

export const AuditEntry = Type.Object({
  id: Type.Integer(),
  at: Instant(),
  /** Null: done on the command line or, with an address, by someone who was not signed in. */
  email: OptionalText,
  action: Type.String(),
  subject: Type.String(),
  details: Details,
  address: Type.String(),
});

/**
 * The events that a workspace's webhook receives, one row each. What addresses may ask for, the shape of `data`, the
 * reference, the clients and the console's choices follow from this list. The console's bundle contains this file, so
 * it imports nothing.
 */

/** Schemas of the API that members of `data` have; the document knows them by these names. */
export type EventMember =
  | "Message"
  | "Inbound"
  | "InboundId"
  | "InboundFrom"
  | "InboundTo"
  | "Media"
  | "MediaFailure"
  | "Contact"
  | "Conversation"
  | "Broadcast"
  | "Template";

interface EventTypeRow {
  summary: string;
  /** When the event is sent. */
  description: string;
  /** The members of `data`: a schema of the API by its name, or a JSON schema. */
  data: Readonly<Record<string, EventMember | Readonly<Record<string, unknown>>>>;
  /** Members that only some events have. */
  optional?: Readonly<Record<string, "Inbounds" | Readonly<Record<string, unknown>>>>;
  /** What the example's members have other than the API's examples; a member with a JSON schema is given as a whole. */
  example: Readonly<Record<string, unknown>>;
  /**
   * True: only addresses that ask for it receive it, because it is newer than 0.1, or can be many times as frequent as the
   * others.
   */
  isOnRequest?: true;
}

/** Times in the examples. */
const DELIVERED_AT = "2026-11-21T08:44:29+05:30";
export const LATER = "2026-11-21T08:51:03+05:30";
const SEND_AT = "2026-11-27T10:00:00+05:30";
const noTerms = { purpose: null, notice: null, may_want_to_stop_since: null } as const;

/** Names a received message in the events that follow `message.received`. */
const ofInbound = {
  inbound_id: "InboundId",
  message_id: "InboundId",
  from: "InboundFrom",
  to: "InboundTo",
  contact: "Contact",
} as const;

const text = { type: "string" } as const;
const nullableText = { anyOf: [text, { type: "null" }] } as const;
const rejectionReason = {
  anyOf: [{ ...text, description: "The network's reason for the rejection; null for an approval." }, { type: "null" }],
} as const;

const paused = {
  status: "paused",
  status_reason: "+442079460100 cannot send: the network has restricted it",
  counts: { total: 128, sent: 40, delivered: 38, read: 12, failed: 0, skipped: 3 },
  charged: null,
  held: 0,
  settled: false,
  completed_at: null,
} as const;

const rows = {
  "message.sent": {
    summary: "A message was sent",
    description: "The network accepted a message sent through the API. The message can still fail.",
    data: { message: "Message" },
    example: {},
  },
  "message.delivered": {
    summary: "A message was delivered",
    description:
      "A message sent through the API was delivered to the recipient's phone. If its `charged` is true, it is charged now.",
    data: { message: "Message" },
    example: { message: { status: "delivered", delivered_at: DELIVERED_AT } },
  },
  "message.read": {
    summary: "A message was read",
    description: "The recipient read a message sent through the API. Recipients can turn off read receipts.",
    data: { message: "Message" },
    example: { message: { status: "read", delivered_at: DELIVERED_AT, read_at: LATER } },
  },
  "message.failed": {
    summary: "A message failed",
    description:
      "A message sent through the API failed; `error` gives the reason. This event often arrives minutes after `message.sent`, because the network reports most failures late. In rare cases the message is delivered after all: `message.sent` or a later event then follows.",
    data: { message: "Message" },
    example: {
      message: {
        status: "failed",
        error: {
          message: "The network held the message back, because this person gets many marketing messages.",
          whatsapp_code: "131049",
        },
      },
    },
  },
  "message.scheduled": {
    summary: "A message was scheduled",
    description:
      "A message with `send_at` was accepted through the API. Sent only to addresses that asked for it (`waxwing webhook set --types`).",
    data: { message: "Message" },
    example: { message: { status: "scheduled", send_at: SEND_AT, sent_at: null } },
    isOnRequest: true,
  },
  "message.cancelled": {
    summary: "A scheduled message was cancelled",
    description:
      "A program or a user cancelled a scheduled message, or the person wrote first and it had `cancel_on_reply`. Sent only to addresses that asked for it (`waxwing webhook set --types`).",
    data: { message: "Message" },
    example: { message: { status: "cancelled", send_at: SEND_AT, sent_at: null } },
    isOnRequest: true,
  },
  "message.received": {
    summary: "A message was received",
    description:
      "A person sent a message to one of the workspace's numbers. For 24 hours from `received_at`, you can send them free-form text.",
    data: { message: "Inbound", contact: "Contact" },
    optional: {
      texts: {
        type: "array",
        items: text,
        description:
          "Only to an address with `group_bursts`: the texts that the person wrote within that time, the oldest first. `message` is the newest message.",
      },
      messages: "Inbounds",
    },
    example: {},
  },
  "media.stored": {
    summary: "A received file was stored",
    description:
      "The file of a received message was fetched from WhatsApp. `media.url` needs no key and works for 7 days; later, `GET /media/{id}` with a key gives the file. `inbound_id` is `message.id` of `message.received` (`message_id` is its former name); `GET /inbounds/{id}` gives that message.",
    data: { media: "Media", ...ofInbound },
    example: {},
  },
  "media.failed": {
    summary: "A received file could not be fetched",
    description:
      "`too_large`: larger than this server accepts. `not_found`: WhatsApp no longer has it. `unavailable`: WhatsApp did not give it for 7 days. `no_room`: the disk quota left no room for 7 days. `number_removed`: the number was removed first.",
    data: { reason: "MediaFailure", ...ofInbound },
    example: {},
  },
  "contact.opted_out": {
    summary: "A contact opted out",
    description: "A person replied STOP, or was marked as opted out. No more messages are sent to them.",
    data: { contact: "Contact" },
    example: {
      contact: {
        consent: { status: "opted_out", source: "inbound_message", at: LATER, ...noTerms },
        updated_at: LATER,
      },
    },
  },
  "contact.opted_in": {
    summary: "A contact opted back in",
    description: "A person who had opted out sent START.",
    data: { contact: "Contact" },
    example: {
      contact: { consent: { status: "opted_in", source: "inbound_message", at: LATER, ...noTerms }, updated_at: LATER },
    },
  },
  "contact.may_want_to_stop": {
    summary: "A contact may want to stop",
    description:
      "A person wrote something that may mean STOP: a word with other meanings, STOP inside more text, or a refusal in other words; or reacted to marketing with a thumbs-down or a stop sign. `text` is what they wrote; it is empty where their message could not be read. Marketing waits, and no opt-in is recorded, until a user clears it in the console or the person sends START.",
    data: { contact: "Contact", text },
    example: {
      contact: {
        consent: {
          status: "opted_in",
          source: "api",
          at: "2026-11-02T10:15:00+05:30",
          ...noTerms,
          may_want_to_stop_since: LATER,
        },
        updated_at: LATER,
      },
      text: "Please stop sending me this",
    },
  },
  "contact.updated": {
    summary: "A contact changed",
    description:
      "Anything that the API shows of a contact changed, or the contact is new. Sent only to addresses that asked for it (`waxwing webhook set --types`), at once, or a minute after the previous one for the same contact, with the contact as it is then. Imports send none.",
    data: { contact: "Contact" },
    example: { contact: { city: "Mumbai", updated_at: LATER } },
    isOnRequest: true,
  },
  "conversation.updated": {
    summary: "A conversation has another owner, state or assignee",
    description:
      "On a number that others answer too, who may answer the person changed: a message arrived for you or for another sender, a sender passed or took the conversation, or you did. On every number, its state or who answers it changed; a done or snoozed conversation opens when the person writes. Sent only to addresses that asked for it (`waxwing webhook set --types`). The end of 24 hours without a word of the person publishes nothing.",
    data: { conversation: "Conversation" },
    example: { conversation: { owner: "other", owner_since: LATER } },
    isOnRequest: true,
  },
  "contact.erased": {
    summary: "A contact was erased",
    description:
      "A person's data was erased on request: erase your copy too. The body of this event is emptied once it is delivered or its attempts are exhausted.",
    data: {
      phone: { ...nullableText, description: "The person's phone number in E.164." },
      user_id: { ...nullableText, description: "The network's own id of the person." },
    },
    example: { phone: "+442079460210", user_id: null },
  },
  "broadcast.paused": {
    summary: "A broadcast was paused",
    description: "A broadcast stopped sending. `status_reason` says why, and whether it resumes automatically.",
    data: { broadcast: "Broadcast" },
    example: { broadcast: paused },
  },
  "broadcast.resumed": {
    summary: "A broadcast was resumed",
    description: "A paused broadcast continues, because a person resumed it or because the cause of the pause is over.",
    data: { broadcast: "Broadcast" },
    example: { broadcast: { ...paused, status: "running", status_reason: null } },
  },
  "broadcast.blocked": {
    summary: "A scheduled broadcast cannot run as things stand",
    description:
      "The template, the number or the group of a scheduled broadcast is gone or can no longer be used; `status_reason` says which. It stays scheduled, and fails only if that still holds at `send_at`.",
    data: { broadcast: "Broadcast" },
    example: {
      broadcast: {
        ...paused,
        status: "scheduled",
        status_reason: "the template november_offer was deleted",
        send_at: LATER,
        started_at: null,
      },
    },
  },
  "broadcast.finished": {
    summary: "A broadcast finished",
    description:
      "A broadcast completed, failed or was cancelled, and its counts and its cost are final. For the result of each recipient, call `GET /broadcasts/{id}/recipients`.",
    data: { broadcast: "Broadcast" },
    example: {},
  },
  "template.approved": {
    summary: "A template was approved",
    description: "The network approved a template. It can be sent if `sendable` is true.",
    data: { template: "Template", reason: rejectionReason },
    example: { reason: null },
  },
  "template.rejected": {
    summary: "A template was rejected",
    description: "The network rejected a template. `reason` is the network's explanation.",
    data: { template: "Template", reason: rejectionReason },
    example: { template: { status: "REJECTED", sendable: false }, reason: "INVALID_FORMAT" },
  },
  "template.updated": {
    summary: "A template changed",
    description:
      "A template was submitted, corrected or deleted through the API, WhatsApp decided on it, or its content or category changed at WhatsApp. Sent only to addresses that asked for it (`waxwing webhook set --types`).",
    data: { template: "Template" },
    example: { template: { status: "PENDING", sendable: false } },
    isOnRequest: true,
  },
  "webhook.test": {
    summary: "A test event",
    description: "A test event was requested for this webhook. `data` is empty.",
    data: {},
    example: {},
  },
} as const satisfies Record<string, EventTypeRow>;

export type EventType = keyof typeof rows;
/** Exactly the members that the row of the type names. */
export type EventData<Type extends EventType> = Readonly<Record<keyof (typeof rows)[Type]["data"], unknown>>;

export const eventRows: Readonly<Record<EventType, EventTypeRow>> = rows;
export const eventTypes = Object.keys(rows) as EventType[];

/** What an address receives that asked for nothing in particular. */
export const defaultTypes: readonly EventType[] = eventTypes.filter((type) => eventRows[type].isOnRequest !== true);

/** The same in words. */
export const USUAL_TYPES = `all but ${eventTypes.filter((type) => eventRows[type].isOnRequest).join(", ")}`;

/** Whether an address receives events of this type. `types`: what it asked for; null: the default. A test always arrives. */
export function isWanted(types: readonly EventType[] | null, type: EventType): boolean {
  return type === "webhook.test" || (types ?? defaultTypes).includes(type);
}

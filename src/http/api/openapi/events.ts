/**
 * The events that are posted to a workspace's webhook address, as the reference describes them. Every event type must
 * have a description here, or the code does not compile. Their data uses the same views as the API's answers.
 */
import { type TObject, Type } from "@sinclair/typebox";
import { Instant, inDocument, Nullable, OneOf } from "#src/core/schema.ts";
import { BroadcastView } from "#src/domain/broadcasts/schema.ts";
import { ContactView } from "#src/domain/contacts/schema.ts";
import { InboundView } from "#src/domain/inbound/schema.ts";
import { failureReasons } from "#src/domain/media/media.ts";
import { MediaView } from "#src/domain/media/schema.ts";
import { MessageView } from "#src/domain/messages/schema.ts";
import { TemplateView } from "#src/domain/templates/schema.ts";
import { type EventType, eventTypes } from "#src/domain/webhooks/event-types.ts";
import {
  broadcastExample,
  contactExample,
  inboundExample,
  mediaExample,
  messageExample,
  templateExample,
} from "../examples.ts";
import type { OpenApiDocument, OperationObject, ParameterObject } from "./document.ts";
import { contentOf } from "./responses.ts";
import { type Components, pascalCase } from "./schemas.ts";

interface EventDescription {
  summary: string;
  /** When the event is sent. */
  description: string;
  data: TObject;
  example: Record<string, unknown>;
}

const MessageData = Type.Object({ message: MessageView });
const ContactData = Type.Object({ contact: ContactView });
const TemplateData = Type.Object({
  template: TemplateView,
  reason: Nullable(Type.String({ description: "The network's reason for the rejection; null for an approval." })),
});

const AT = "2026-11-21T08:44:29+05:30";
const LATER = "2026-11-21T08:51:03+05:30";

const pausedExample = {
  ...broadcastExample,
  status: "paused" as const,
  status_reason: "+911244001100 cannot send: the network has restricted it",
  counts: { total: 128, sent: 40, delivered: 38, read: 12, failed: 0, skipped: 3 },
  charged: null,
  settled: false,
  completed_at: null,
};

const descriptions: Readonly<Record<EventType, EventDescription>> = {
  "message.sent": {
    summary: "A message was sent",
    description: "The network accepted a message sent through the API. The message can still fail.",
    data: MessageData,
    example: { message: messageExample },
  },
  "message.delivered": {
    summary: "A message was delivered",
    description:
      "A message sent through the API was delivered to the recipient's phone. If its `charged` is true, it is charged now.",
    data: MessageData,
    example: { message: { ...messageExample, status: "delivered", delivered_at: AT } },
  },
  "message.read": {
    summary: "A message was read",
    description: "The recipient read a message sent through the API. Recipients can turn off read receipts.",
    data: MessageData,
    example: { message: { ...messageExample, status: "read", delivered_at: AT, read_at: LATER } },
  },
  "message.failed": {
    summary: "A message failed",
    description:
      "A message sent through the API failed; `error` gives the reason. This event often arrives minutes after `message.sent`, because the network reports most failures late. In rare cases the message is delivered after all: `message.sent` or a later event then follows.",
    data: MessageData,
    example: {
      message: {
        ...messageExample,
        status: "failed",
        error: {
          message: "The network held the message back, because this person gets many marketing messages.",
          whatsapp_code: "131049",
        },
      },
    },
  },
  "message.received": {
    summary: "A message was received",
    description:
      "A person sent a message to one of the workspace's numbers. For 24 hours from `received_at`, you can send them free-form text.",
    data: Type.Object({ message: InboundView, contact: ContactView }),
    example: { message: inboundExample, contact: contactExample },
  },
  "media.stored": {
    summary: "A received file was stored",
    description: `The file of a received message was fetched from WhatsApp. \`media.url\` needs no key and works for 7 days; later, \`GET /media/{id}\` with a key gives the file.`,
    data: Type.Object({ media: MediaView, message_id: InboundView.properties.id }),
    example: { media: mediaExample, message_id: inboundExample.id },
  },
  "media.failed": {
    summary: "A received file could not be fetched",
    description:
      "`too_large`: larger than this server accepts. `not_found`: WhatsApp no longer has it. `unavailable`: WhatsApp did not give it for 7 days. `no_room`: the disk quota left no room for 7 days. `number_removed`: the number was removed first.",
    data: Type.Object({ message_id: InboundView.properties.id, reason: OneOf(failureReasons) }),
    example: { message_id: inboundExample.id, reason: "too_large" },
  },
  "contact.opted_out": {
    summary: "A contact opted out",
    description: "A person replied STOP, or was marked as opted out. No more messages are sent to them.",
    data: ContactData,
    example: {
      contact: {
        ...contactExample,
        consent: { status: "opted_out", source: "inbound_message", at: LATER },
        updated_at: LATER,
      },
    },
  },
  "contact.opted_in": {
    summary: "A contact opted back in",
    description: "A person who had opted out sent START.",
    data: ContactData,
    example: {
      contact: {
        ...contactExample,
        consent: { status: "opted_in", source: "inbound_message", at: LATER },
        updated_at: LATER,
      },
    },
  },
  "contact.may_want_to_stop": {
    summary: "A contact may want to stop",
    description:
      "A person wrote something that may mean STOP: a word with other meanings, or STOP inside more text. `text` is what they wrote; it is empty where their message could not be read. Marketing waits, and no opt-in is recorded, until a user clears it in the console or the person sends START.",
    data: Type.Object({ contact: ContactView, text: Type.String() }),
    example: {
      contact: {
        ...contactExample,
        consent: { ...contactExample.consent, may_want_to_stop_since: LATER },
        updated_at: LATER,
      },
      text: "Please stop sending me this",
    },
  },
  "contact.updated": {
    summary: "A contact changed",
    description:
      "Anything that the API shows of a contact changed, or the contact is new. Sent only to addresses that asked for it (`waxwing webhook set --types`), at once, or a minute after the previous one for the same contact, with the contact as it is then. Imports send none.",
    data: ContactData,
    example: { contact: { ...contactExample, city: "Mumbai", updated_at: LATER } },
  },
  "contact.erased": {
    summary: "A contact was erased",
    description:
      "A person's data was erased on request: erase your copy too. The body of this event is emptied once it is delivered or its attempts are exhausted.",
    data: Type.Object({
      phone: Nullable(Type.String(), "The person's phone number in E.164."),
      user_id: Nullable(Type.String(), "The network's own id of the person."),
    }),
    example: { phone: contactExample.phone, user_id: null },
  },
  "broadcast.paused": {
    summary: "A broadcast was paused",
    description: "A broadcast stopped sending. `status_reason` says why, and whether it resumes automatically.",
    data: Type.Object({ broadcast: BroadcastView }),
    example: { broadcast: pausedExample },
  },
  "broadcast.resumed": {
    summary: "A broadcast was resumed",
    description: "A paused broadcast continues, because a person resumed it or because the cause of the pause is over.",
    data: Type.Object({ broadcast: BroadcastView }),
    example: { broadcast: { ...pausedExample, status: "running", status_reason: null } },
  },
  "broadcast.blocked": {
    summary: "A scheduled broadcast cannot run as things stand",
    description:
      "The template, the number or the group of a scheduled broadcast is gone or can no longer be used; `status_reason` says which. It stays scheduled, and fails only if that still holds at `send_at`.",
    data: Type.Object({ broadcast: BroadcastView }),
    example: {
      broadcast: {
        ...pausedExample,
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
    data: Type.Object({ broadcast: BroadcastView }),
    example: { broadcast: broadcastExample },
  },
  "template.approved": {
    summary: "A template was approved",
    description: "The network approved a template. It can be sent if `sendable` is true.",
    data: TemplateData,
    example: { template: templateExample, reason: null },
  },
  "template.rejected": {
    summary: "A template was rejected",
    description: "The network rejected a template. `reason` is the network's explanation.",
    data: TemplateData,
    example: { template: { ...templateExample, status: "REJECTED", sendable: false }, reason: "INVALID_FORMAT" },
  },
  "webhook.test": {
    summary: "A test event",
    description: "A test event was requested for this webhook. `data` is empty.",
    data: Type.Object({}),
    example: {},
  },
};

const HANDLING =
  "Respond with any 2xx status within 10 seconds. Any other response, including a redirect, counts as a failure, and the same body is sent again about 1 minute, 5 minutes, 30 minutes, 2 hours, 6 hours and 24 hours after the first attempt. Events can arrive more than once and in any order.";

const signature: ParameterObject = {
  name: "Service-Signature",
  in: "header",
  required: true,
  description:
    "Proves who sent the event and when: `t=<unix time>,v1=<hex>`, where `<hex>` is the HMAC-SHA256 of `<t>.<raw body>`, keyed with the webhook secret. Compute it over the raw bytes, compare it in constant time, and reject times more than five minutes old.",
  schema: {
    type: "string",
    pattern: "^t=\\d+,v1=[0-9a-f]{64}$",
    examples: ["t=1795230866,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd"],
  },
};

/** Any event, by its type. */
export const EventView = inDocument(
  Type.Union(
    eventTypes.map((type) => envelope(type)),
    { $id: "Event", description: "An event of the workspace, as webhooks receive it. New types may be added." },
  ),
  {
    discriminator: {
      propertyName: "type",
      mapping: Object.fromEntries(eventTypes.map((type) => [type, `#/components/schemas/${pascalCase(type)}Event`])),
    },
  },
);

export function webhooksOf(components: Components): OpenApiDocument["webhooks"] {
  return Object.fromEntries(eventTypes.map((type) => [type, { post: webhook(type, components) }]));
}

function webhook(type: EventType, components: Components): OperationObject {
  const { summary, description, example } = descriptions[type];
  const body = { id: "evt_01KB2Q7M3F8Z4W6Y9T5R1C0D2E", type, created_at: LATER, data: example };
  return {
    operationId: `on${pascalCase(type)}`,
    tags: ["Events"],
    summary,
    description: `${description}\n\n${HANDLING}`,
    // The signature authenticates the sender; there is no key.
    security: [],
    parameters: [signature],
    requestBody: {
      required: true,
      content: contentOf(components.use(envelope(type)), { [type]: { value: body } }),
    },
    responses: {
      "2XX": { description: "Any status from 200 to 299 acknowledges the event. The response body is ignored." },
      default: { description: "Any other response is a failure, and the event is sent again." },
    },
  };
}

function envelope(type: EventType): TObject {
  const { description, data } = descriptions[type];
  return Type.Object(
    {
      id: Type.String({
        description: "Id of the event, the same in every attempt: ignore events that you have already processed.",
        examples: ["evt_01KB2Q7M3F8Z4W6Y9T5R1C0D2E"],
      }),
      type: Type.Literal(type),
      created_at: Instant(),
      data,
    },
    { $id: `${pascalCase(type)}Event`, description },
  );
}

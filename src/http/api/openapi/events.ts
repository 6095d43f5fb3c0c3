/**
 * The events that are posted to a workspace's webhook address, as the reference describes them. Every event type must
 * have a description here, or the code does not compile. Their data uses the same views as the API's answers.
 */
import { type TObject, Type } from "@sinclair/typebox";
import { Instant, Nullable } from "#src/core/schema.ts";
import { BroadcastView } from "#src/domain/broadcasts/view.ts";
import { ContactView } from "#src/domain/contacts/view.ts";
import { InboundView } from "#src/domain/inbound/view.ts";
import { MessageView } from "#src/domain/messages/view.ts";
import { TemplateView } from "#src/domain/templates/view.ts";
import { type EventType, eventTypes } from "#src/domain/webhooks/table.ts";
import { broadcastExample, contactExample, inboundExample, messageExample, templateExample } from "../examples.ts";
import type { OpenApiDocument, OperationObject, ParameterObject } from "./document.ts";
import { contentOf, pascalCase } from "./responses.ts";
import type { Components } from "./schemas.ts";

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
  reason: Nullable(Type.String({ description: "The network's reason for a rejection; null on approval." })),
});

const AT = "2026-11-21T08:44:29+05:30";
const LATER = "2026-11-21T08:51:03+05:30";

const descriptions: Readonly<Record<EventType, EventDescription>> = {
  "message.sent": {
    summary: "A message was sent",
    description: "The network took a message that was sent through the API. It may still fail.",
    data: MessageData,
    example: { message: messageExample },
  },
  "message.delivered": {
    summary: "A message was delivered",
    description: "A message that was sent through the API is on the person's phone. It is charged now.",
    data: MessageData,
    example: { message: { ...messageExample, status: "delivered", delivered_at: AT } },
  },
  "message.read": {
    summary: "A message was read",
    description: "The person saw a message that was sent through the API. People can switch this report off.",
    data: MessageData,
    example: { message: { ...messageExample, status: "read", delivered_at: AT, read_at: LATER } },
  },
  "message.failed": {
    summary: "A message failed",
    description:
      "A message that was sent through the API did not arrive; `error` says why. Often minutes after `message.sent`, for that is when most refusals come. In rare cases a message turns up after all, and `message.sent` or a later event follows.",
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
    summary: "Somebody wrote",
    description:
      "A person wrote to one of the workspace's numbers. For 24 hours from `received_at` they can be sent free-form text.",
    data: Type.Object({ message: InboundView, contact: ContactView }),
    example: { message: inboundExample, contact: contactExample },
  },
  "contact.opted_out": {
    summary: "Somebody opted out",
    description: "A person replied STOP, or was marked as opted out. Nothing is sent to them any more.",
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
    summary: "Somebody opted in again",
    description: "A person who had opted out wrote START.",
    data: ContactData,
    example: {
      contact: {
        ...contactExample,
        consent: { status: "opted_in", source: "inbound_message", at: LATER },
        updated_at: LATER,
      },
    },
  },
  "broadcast.finished": {
    summary: "A broadcast finished",
    description:
      "A broadcast has sent everything, or was stopped, and its figures and its cost are final. What became of each person is told by its recipients.",
    data: Type.Object({ broadcast: BroadcastView }),
    example: { broadcast: broadcastExample },
  },
  "template.approved": {
    summary: "A template was approved",
    description: "The network approved a template; it can be sent from now on, if it is `sendable`.",
    data: TemplateData,
    example: { template: templateExample, reason: null },
  },
  "template.rejected": {
    summary: "A template was rejected",
    description: "The network rejected a template; `reason` has its words.",
    data: TemplateData,
    example: { template: { ...templateExample, status: "REJECTED", sendable: false }, reason: "INVALID_FORMAT" },
  },
  "webhook.test": {
    summary: "A test",
    description: "Somebody asked for a test event. `data` is empty.",
    data: Type.Object({}),
    example: {},
  },
};

const HANDLING =
  "Answer with any 2xx status within 10 seconds. Anything else counts as a failure, redirects included, and the same body comes again about 1 minute, 5 minutes, 30 minutes, 2 hours, 6 hours and 24 hours after the first attempt. Events can come more than once and in any order.";

const signature: ParameterObject = {
  name: "Service-Signature",
  in: "header",
  required: true,
  description:
    "Proves who sent the event and when: `t=<unix time>,v1=<hex>`, where `<hex>` is the HMAC-SHA256 of `<t>.<raw body>` under the webhook secret. Check it over the raw bytes, in constant time, and refuse times more than five minutes old.",
  schema: {
    type: "string",
    pattern: "^t=\\d+,v1=[0-9a-f]{64}$",
    examples: ["t=1795230866,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd"],
  },
};

export function webhooksOf(components: Components): OpenApiDocument["webhooks"] {
  return Object.fromEntries(eventTypes.map((type) => [type, { post: webhook(type, components) }]));
}

function webhook(type: EventType, components: Components): OperationObject {
  const { summary, description, data, example } = descriptions[type];
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
      content: contentOf(components.use(envelope(type, description, data)), { [type]: { value: body } }),
    },
    responses: {
      "2XX": { description: "Any status from 200 to 299 says that you have it. The body does not matter." },
      default: { description: "Anything else is a failure, and the event comes again." },
    },
  };
}

function envelope(type: EventType, description: string, data: TObject): TObject {
  return Type.Object(
    {
      id: Type.String({ description: "The same in every attempt: ignore an event that you have seen." }),
      type: Type.Literal(type),
      created_at: Instant(),
      data,
    },
    { $id: `${pascalCase(type)}Event`, description },
  );
}

/**
 * The events that are posted to a workspace's webhook address, as the reference describes them. Their data uses the
 * same views as the API's answers.
 */
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { Component, Instant, inDocument, OneOf } from "#src/core/schema.ts";
import { BroadcastView } from "#src/domain/broadcasts/schema.ts";
import { ContactView } from "#src/domain/contacts/schema.ts";
import { ConversationView, InboundView } from "#src/domain/inbound/schema.ts";
import { failureReasons } from "#src/domain/media/media.ts";
import { MediaView } from "#src/domain/media/schema.ts";
import { MessageView } from "#src/domain/messages/schema.ts";
import { TemplateView } from "#src/domain/templates/schema.ts";
import { type EventMember, type EventType, eventRows, eventTypes, LATER } from "#src/domain/webhooks/event-types.ts";
import {
  broadcastExample,
  contactExample,
  conversationExample,
  inboundExample,
  mediaExample,
  messageExample,
  templateExample,
} from "../../endpoints/examples.ts";
import type { OpenApiDocument, OperationObject, ParameterObject } from "./document.ts";
import { contentOf } from "./responses.ts";
import { type Components, pascalCase } from "./schemas.ts";

/** The schema and the example of each member that has one in the API. */
const members: Readonly<Record<EventMember, { schema: TSchema; example: unknown }>> = {
  Message: { schema: MessageView, example: messageExample },
  Inbound: { schema: InboundView, example: inboundExample },
  InboundId: { schema: InboundView.properties.id, example: inboundExample.id },
  InboundFrom: { schema: InboundView.properties.from, example: inboundExample.from },
  InboundTo: { schema: InboundView.properties.to, example: inboundExample.to },
  Media: { schema: MediaView, example: mediaExample },
  MediaFailure: { schema: OneOf(failureReasons), example: "too_large" },
  Contact: { schema: ContactView, example: contactExample },
  Conversation: { schema: ConversationView, example: conversationExample },
  Broadcast: { schema: BroadcastView, example: broadcastExample },
  Template: { schema: TemplateView, example: templateExample },
};

const Inbounds = Type.Array(InboundView, {
  description: "Beside `texts`: all messages of that time, also those without a text, the oldest first.",
});

/** `data` of an event of this type: the schema and an example. */
function dataOf(type: EventType): { schema: TObject; example: Record<string, unknown> } {
  const { data, example, optional = {} } = eventRows[type];
  const shown = Object.entries(data).map(([name, member]) => {
    if (typeof member !== "string") return [name, { schema: Type.Unsafe(member), example: example[name] }] as const;
    const { schema, example: usual } = members[member];
    const other = example[name];
    return [name, { schema, example: other === undefined ? usual : Object.assign({}, usual, other) }] as const;
  });
  return {
    schema: Type.Object({
      ...Object.fromEntries(shown.map(([name, { schema }]) => [name, schema])),
      ...Object.fromEntries(
        Object.entries(optional).map(([name, member]) => [
          name,
          Type.Optional(member === "Inbounds" ? Inbounds : Type.Unsafe(member)),
        ]),
      ),
    }),
    example: Object.fromEntries(shown.map(([name, one]) => [name, one.example])),
  };
}

const HANDLING =
  "Respond with any 2xx status within 10 seconds. Any other response, including a redirect, counts as a failure, and the same body is sent again about 1 minute, 5 minutes, 30 minutes, 2 hours, 6 hours and 24 hours after the first attempt. Events can arrive more than once and in any order.";

const signature: ParameterObject = {
  name: "Service-Signature",
  in: "header",
  required: true,
  description:
    "Proves who sent the event and when: `t=<unix time>,v1=<hex>`, where `<hex>` is the HMAC-SHA256 of `<t>.<raw body>`, keyed with the webhook secret. While a new secret replaces an old one, there is a `v1` by each: one that fits is enough. Compute it over the raw bytes, compare it in constant time, and reject times more than five minutes old.",
  schema: {
    type: "string",
    pattern: "^t=\\d+(,v1=[0-9a-f]{64}){1,2}$",
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
  const { summary, description } = eventRows[type];
  const body = { id: "evt_01KB2Q7M3F8Z4W6Y9T5R1C0D2E", type, created_at: LATER, data: dataOf(type).example };
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
  return Component(`${pascalCase(type)}Event`, eventRows[type].description, {
    id: Type.String({
      description: "Id of the event, the same in every attempt: ignore events that you have already processed.",
      examples: ["evt_01KB2Q7M3F8Z4W6Y9T5R1C0D2E"],
    }),
    type: Type.Literal(type),
    created_at: Instant(),
    data: dataOf(type).schema,
  });
}

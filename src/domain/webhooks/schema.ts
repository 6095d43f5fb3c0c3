/** The schema of a webhook address's public JSON. Pure. */
import { Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { eventTypes } from "./event-types.ts";
import { webhookStates } from "./webhook.ts";

export const EventTypes = Type.Array(OneOf(eventTypes), {
  minItems: 1,
  maxItems: eventTypes.length,
  examples: [["message.received", "contact.updated"]],
  description: "The types of events that the address receives.",
});

export const State = OneOf(
  webhookStates,
  "A disabled address receives nothing, and what was waiting for it is exhausted: it can be replayed once the address is active again.",
);

export const GroupBursts = Nullable(
  Type.String({
    maxLength: 20,
    examples: ["8s"],
    description:
      "How long, from a person's first message on, what the person writes to a number is gathered into one `message.received` with `texts` and `messages`: 1s to 5m. Null: each message is sent alone.",
  }),
);

export const WebhookView = Type.Object(
  {
    id: Type.Integer({ description: "The workspace's first address, which `webhook set` sets, has the id 1." }),
    url: Type.String({ examples: ["https://crm.example.com/hooks/waxwing"] }),
    types: EventTypes,
    state: State,
    group_bursts: GroupBursts,
    old_secret_until: Nullable(
      Instant("Until when the previous secret signs beside the present one; null: it does not."),
    ),
    updated_at: Instant(),
  },
  { $id: "Webhook", description: "An address that receives events." },
);

export const NewWebhookView = Type.Object(
  {
    ...WebhookView.properties,
    secret: Type.String({
      examples: ["whsec_8Jx2…"],
      description: "Signs the events of this address. It is in this answer alone.",
    }),
  },
  { $id: "NewWebhook", description: "An address that was just added, with its secret." },
);

export const RotatedSecretView = Type.Object(
  {
    id: WebhookView.properties.id,
    secret: Type.String({
      examples: ["whsec_8Jx2…"],
      description: "Signs the events of this address from now on. It is in this answer alone.",
    }),
    old_secret_until: WebhookView.properties.old_secret_until,
  },
  { $id: "RotatedSecret", description: "The new secret of an address." },
);

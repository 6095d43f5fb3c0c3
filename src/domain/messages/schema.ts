/** The schema of a message's public JSON. Pure. */
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { Instant, inDocument, Nullable, OneOf } from "#src/core/schema.ts";
import { directCategories } from "./direct-send.ts";
import { KeptContacts } from "./kinds/contacts.ts";
import { KeptInteractive } from "./kinds/interactive.ts";
import { KeptLocation } from "./kinds/location.ts";
import { fileTypes, KeptMedia } from "./kinds/media.ts";
import { KeptReaction } from "./kinds/reaction.ts";
import { KeptText } from "./kinds/text.ts";
import { type MessageType, messageCategories, senderKinds, shownStatuses } from "./message.ts";
import { NamedMessage } from "./reference.ts";

export const MessageTemplate = Type.Object(
  { name: Type.String({ examples: ["order_shipped"] }), language: Type.String({ examples: ["en_US"] }) },
  { $id: "MessageTemplate", description: "A template, identified by name and language." },
);

const MessageError = Type.Object(
  {
    message: Type.String({ description: "Why the message failed, in plain text." }),
    whatsapp_code: Type.String({
      description:
        "The network's error code, for support requests. `timeout`, `unreachable` and `interrupted` are codes of this server: it received no response from the network. A scheduled message that was refused when it was due has the code of the refusal, such as `opted_out` or `window_closed`; `too_late`, `erased` and `restored` are further codes of these.",
      examples: ["131049"],
    }),
  },
  { $id: "MessageError", description: "Why a message failed." },
);

export const SentBy = Type.Object(
  {
    kind: OneOf(
      senderKinds,
      "`api`: a program, with an API key. `console`: a user of the console. `agent`: a key that is marked as an AI's. `automation`: a key that is marked as an automation's, whose messages do not count as answers, or the server itself.",
    ),
    name: Nullable(
      Type.String({ examples: ["Shop"] }),
      "The name of the key, or the user's e-mail address, when the message was accepted; null for the server itself, and for messages of versions that did not keep it.",
    ),
    ai: Type.Boolean({ description: "Whether the key is marked as an AI's." }),
  },
  { $id: "SentBy", description: "Who sent the message." },
);

const addressed = {
  id: Type.Integer({ examples: [1042] }),
  to: Type.String({
    description: "The recipient's phone number in E.164, or their user id if no phone number is known.",
    examples: ["+442079460210"],
  }),
  from: Type.String({ description: "The sending number in E.164.", examples: ["+442079460100"] }),
  reference: Nullable(
    Type.String({ examples: ["order-10042"] }),
    "Your own id of the message, as you sent it; null if you sent none.",
  ),
  sent_by: SentBy,
};

const progress = {
  text: Type.String({
    description:
      "The text that the recipient sees, with all variables filled in: of a file its caption, of a place its name, of contact cards the names, of a reaction the emoji. Empty if there are no words.",
  }),
  status: OneOf(
    shownStatuses,
    "`scheduled`: to be sent at `send_at`; `cancelled`: it will not be sent. Only messages with `send_at` are either. `sent`: accepted by the network. `delivered`: delivered to the recipient's phone. `read`: read by the recipient. `failed`: not delivered; `error` gives the reason.",
  ),
  error: Nullable(MessageError, "Why the message failed; null unless it failed."),
};

const times = {
  created_at: Instant("When this server accepted the message."),
  send_at: Nullable(
    Instant("When the message is to be sent, as you asked."),
    "When a scheduled message is to be sent, as you asked; null for one that was sent at once.",
  ),
  sent_at: Nullable(Instant("When the network accepted the message.")),
  delivered_at: Nullable(Instant("When the message was delivered to the recipient's phone.")),
  read_at: Nullable(Instant("When the recipient read the message. Recipients can turn off read receipts.")),
};

const TemplateMessage = Type.Object(
  {
    ...addressed,
    type: Type.Literal("template"),
    category: Nullable(
      OneOf(messageCategories),
      "The template's category when the message was sent; null for one that is not sent yet.",
    ),
    template: MessageTemplate,
    content: Type.Null(),
    reply_to: Type.Null(),
    ...progress,
    charged: Type.Boolean({
      description: "Whether the message is charged when it is delivered: true in a workspace that is charged.",
    }),
    ...times,
  },
  { $id: "TemplateMessage", description: "A template that was sent to one person." },
);

const free = {
  category: Type.Null({ description: "Only templates, and messages that were sent with a `category`, have one." }),
  charged: Type.Literal(false, {
    description: "Only templates, and messages that were sent with a `category`, are charged.",
  }),
};
/** Of the types that can be sent with a category. */
const direct = {
  category: Nullable(
    OneOf(directCategories),
    "`utility`: it was sent with this category, as a template is; null for a free message.",
  ),
  charged: Type.Boolean({
    description:
      "Whether the message is charged when it is delivered: with a `category`, in a workspace that is charged.",
  }),
};

/** A free message of one of these types. `kept`: what is shown of what was sent. */
function freeMessage<Word extends TSchema, Kept extends TSchema, Billed extends typeof free | typeof direct>(
  type: Word,
  kept: Kept,
  { category, charged }: Billed,
  options: { $id: string; description: string },
) {
  return Type.Object(
    {
      ...addressed,
      type,
      category,
      template: Type.Null(),
      content: Nullable(
        kept,
        "What was sent, in the form of the request and without links. Null once the person was erased.",
      ),
      reply_to: Nullable(NamedMessage, "The message that yours answers; null if you named none."),
      ...progress,
      charged,
      ...times,
    },
    options,
  );
}

const TextMessage = freeMessage(Type.Literal("text"), KeptText, direct, {
  $id: "TextMessage",
  description: "Free-form text that was sent to one person.",
});
const MediaMessage = freeMessage(OneOf(fileTypes, "What the file is."), KeptMedia, free, {
  $id: "MediaMessage",
  description: "A file that was sent to one person.",
});
const LocationMessage = freeMessage(Type.Literal("location"), KeptLocation, free, {
  $id: "LocationMessage",
  description: "A place on the map that was sent to one person.",
});

const ContactsMessage = freeMessage(Type.Literal("contacts"), KeptContacts, free, {
  $id: "ContactsMessage",
  description: "Contact cards that were sent to one person.",
});
const InteractiveMessage = freeMessage(Type.Literal("interactive"), KeptInteractive, direct, {
  $id: "InteractiveMessage",
  description: "A text with an action below it that was sent to one person.",
});

const ReactionMessage = freeMessage(Type.Literal("reaction"), KeptReaction, free, {
  $id: "ReactionMessage",
  description: "A reaction that was sent to one person. WhatsApp reports neither its delivery nor that it was read.",
});

/** The form of each type; one without a form does not compile. */
const forms = {
  template: TemplateMessage,
  text: TextMessage,
  image: MediaMessage,
  video: MediaMessage,
  audio: MediaMessage,
  document: MediaMessage,
  sticker: MediaMessage,
  location: LocationMessage,
  contacts: ContactsMessage,
  interactive: InteractiveMessage,
  reaction: ReactionMessage,
} as const satisfies Record<MessageType, TObject>;

export const MessageView = inDocument(
  Type.Union(
    [TemplateMessage, TextMessage, MediaMessage, LocationMessage, ContactsMessage, InteractiveMessage, ReactionMessage],
    {
      $id: "Message",
      description: "A message to one person.",
    },
  ),
  {
    discriminator: {
      propertyName: "type",
      mapping: Object.fromEntries(
        Object.entries(forms).map(([type, { $id }]) => [type, `#/components/schemas/${$id}`]),
      ),
    },
  },
);

export const UsageView = Type.Object(
  {
    month: Type.String({ description: "The month, by the workspace's timezone.", examples: ["2026-11"] }),
    messages: Type.Integer({ description: "Delivered messages for which Meta named a category." }),
    billable: Type.Integer({ description: "How many of them Meta bills." }),
    categories: Type.Array(
      Type.Object({
        category: Type.String({
          description: "Meta's category: `marketing`, `utility`, `authentication`, `service` and others.",
        }),
        type: Type.String({ description: "Why Meta bills it or not: `regular`, `free_customer_service` and others." }),
        billable: Type.Boolean(),
        messages: Type.Integer(),
      }),
    ),
    countries: Type.Array(
      Type.Object({
        country: Nullable(
          Type.String({ examples: ["IN"] }),
          "The country of the people's phone numbers, in ISO 3166-1; null if it is not known, or was not counted yet.",
        ),
        category: Type.String(),
        billable: Type.Boolean(),
        messages: Type.Integer(),
      }),
      { description: "The same messages by country, the most first. Meta's rates differ between countries." },
    ),
    service: Type.Array(
      Type.Object({
        number: Type.String({ description: "The sending number, in E.164." }),
        messages: Type.Integer({ description: "Delivered service messages (replies)." }),
        allowance: Nullable(Type.Integer(), "How many are free in this month; null before October 2026."),
      }),
      { description: "Service messages of each number. Beyond the allowance Meta bills them." },
    ),
  },
  {
    $id: "NetworkUsage",
    description:
      "What Meta bills to the account that owns the numbers: delivered messages by category. Meta names no amounts. The balance of the workspace is something else.",
  },
);

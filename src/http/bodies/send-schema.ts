/** The schema of the body of `POST /messages`. Pure. */
import { Type } from "@sinclair/typebox";
import { absent, FORM, inDocument, NOT_BLANK } from "#src/core/schema.ts";
import { MediaBody, VariablesBody } from "./variables-schema.ts";

const TEXT_LENGTH_MAX = 4096;
const REFERENCE_LENGTH_MAX = 191;

export const Phone = Type.String({
  description: "A phone number in any common format. Without a country code, the workspace's country is assumed.",
  examples: ["+919876543210"],
});

export const From = Type.Optional(
  Type.String({
    description: "One of the workspace's sending numbers. Required only if the workspace has more than one.",
    examples: ["+911244001100"],
  }),
);

export const Reference = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: REFERENCE_LENGTH_MAX,
    description:
      "Your own id of the message, such as an order number. The message and its events show it, and `GET /messages?reference=` finds it. It is not sent to the network and need not be unique.",
    examples: ["order-10042"],
  }),
);

const TemplateForm = Type.Object(
  {
    to: Phone,
    template: Type.String({ description: "Name of the template.", examples: ["order_shipped"] }),
    language: Type.Optional(
      Type.String({
        description: "Language of the template. Required only if the template exists in several languages.",
        examples: ["en_US"],
      }),
    ),
    variables: Type.Optional(VariablesBody),
    media: Type.Optional(MediaBody),
    from: From,
    reference: Reference,
  },
  {
    $id: "SendTemplate",
    additionalProperties: false,
    description: "Sends an approved template. Templates can be sent at any time.",
  },
);

export const SendTemplateBody = inDocument(TemplateForm, {
  ...FORM,
  properties: { text: absent("Not together with `template`.") },
});

const TextForm = Type.Object(
  {
    to: Phone,
    text: inDocument(
      Type.String({
        minLength: 1,
        maxLength: TEXT_LENGTH_MAX,
        description: "The text, which must not be blank.",
        examples: ["Your table is ready."],
      }),
      NOT_BLANK,
    ),
    from: From,
    reference: Reference,
  },
  {
    $id: "SendText",
    additionalProperties: false,
    description: "Sends free-form text. Free-form text can be sent within 24 hours of the recipient's last message.",
  },
);

const ONLY_WITH_TEMPLATE = absent("Only with `template`.");

export const SendTextBody = inDocument(TextForm, {
  ...FORM,
  properties: {
    template: absent("Not together with `text`."),
    language: ONLY_WITH_TEMPLATE,
    variables: ONLY_WITH_TEMPLATE,
    media: ONLY_WITH_TEMPLATE,
  },
});

export const SendMessageBody = Type.Union([SendTemplateBody, SendTextBody], {
  $id: "SendMessage",
  description: "Either a template or free-form text, not both.",
});

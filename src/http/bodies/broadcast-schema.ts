/** The schema of the body of `POST /broadcasts`. Pure. */
import { Type } from "@sinclair/typebox";
import { MediaBody, VALUES_MAX } from "./variables-schema.ts";

const NAME_LENGTH_MAX = 191;
const TO_ITEMS_MAX = 1000;

export const ContactFieldValue = Type.Object(
  {
    field: Type.String({
      minLength: 1,
      description:
        "`name`, `first_name`, `last_name`, `email`, `city`, `state`, `company`, or the key of a custom field.",
      examples: ["first_name"],
    }),
    fallback: Type.Optional(
      Type.String({
        description: "Used for contacts that have no value. Without a fallback, those contacts are skipped.",
        examples: ["there"],
      }),
    ),
  },
  {
    $id: "ContactFieldValue",
    additionalProperties: false,
    description: "A value that is taken from a field of each contact.",
  },
);

const BroadcastValues = Type.Array(
  Type.Union([Type.Unsafe<string | number>({ type: ["string", "number"] }), ContactFieldValue]),
  {
    maxItems: VALUES_MAX,
    description: "Values in the order of the placeholders.",
    examples: [[{ field: "first_name", fallback: "there" }, "20%"]],
  },
);

const BroadcastVariableParts = Type.Object(
  { header: Type.Optional(BroadcastValues), body: Type.Optional(BroadcastValues) },
  { additionalProperties: false, description: "Separate values for the header and the body." },
);

const BroadcastVariablesBody = Type.Union([BroadcastValues, BroadcastVariableParts], {
  $id: "BroadcastVariables",
  description:
    "Values for the template's placeholders: an array fills the body; an object has separate values for the header and the body. A value can be taken from a field of each contact.",
});

export const CreateBroadcastBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: NAME_LENGTH_MAX,
      description: "Name of the broadcast, shown in the console.",
      examples: ["November offer"],
    }),
    template: Type.String({ description: "Name of the template.", examples: ["november_offer"] }),
    language: Type.Optional(
      Type.String({
        description: "Language of the template. Required only if the template exists in several languages.",
        examples: ["en_US"],
      }),
    ),
    variables: Type.Optional(BroadcastVariablesBody),
    media: Type.Optional(MediaBody),
    to: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: TO_ITEMS_MAX,
        description: "Phone numbers in any common format. Set either `to` or `group`.",
        examples: [["+919876543210", "098765 43211"]],
      }),
    ),
    group: Type.Optional(
      Type.Integer({ description: "Id of a group, from `GET /groups`. Set either `group` or `to`.", examples: [3] }),
    ),
    from: Type.Optional(
      Type.String({
        description: "One of the workspace's sending numbers. Required only if the workspace has more than one.",
        examples: ["+911244001100"],
      }),
    ),
    send_at: Type.Optional(
      Type.String({
        format: "date-time",
        description:
          "When to start. A time without an offset is interpreted in the workspace's timezone. A time up to 5 minutes in the past counts as now.",
        examples: ["2026-11-27T10:00:00+05:30"],
      }),
    ),
  },
  { $id: "CreateBroadcast", additionalProperties: false, description: "A template to send to many people." },
);

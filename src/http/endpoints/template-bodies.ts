/** The bodies of the requests that write templates. */
import { Type } from "@sinclair/typebox";
import { FormComponent, OneOf } from "#src/core/schema.ts";
import { templateCategories } from "#src/domain/templates/template.ts";

const Name = Type.String({ examples: ["order_ready"], description: "Lower-case letters, digits and underscores." });
const Language = Type.String({ examples: ["en_US"] });
export const From = Type.String({
  examples: ["+442079460100"],
  description:
    "One of the workspace's sending numbers: the template belongs to its account. Required only if the workspace has numbers of several accounts.",
});

const Components = Type.Array(
  Type.Unsafe<Record<string, unknown>>({
    type: "object",
    required: ["type"],
    properties: { type: { type: "string", examples: ["BODY"] } },
    additionalProperties: {},
  }),
  { maxItems: 10, description: "In WhatsApp's own form, with samples of all values (`example`)." },
);

const content = {
  category: OneOf(templateCategories),
  parameter_format: Type.Optional(
    OneOf(["POSITIONAL", "NAMED"], "Whether placeholders are numbered or have names. Default: as the texts have them."),
  ),
  message_send_ttl_seconds: Type.Optional(
    Type.Integer({ description: "For how long WhatsApp tries to deliver a message with the template." }),
  ),
  from: Type.Optional(From),
  sample_media: Type.Optional(
    Type.Object(
      {
        header: Type.Optional(Type.Integer({ description: "Id of an upload: the sample of the header." })),
        cards: Type.Optional(
          Type.Array(Type.Integer(), { maxItems: 10, description: "Ids of uploads: the sample of each card." }),
        ),
      },
      { description: "Files of `POST /media` that are given to WhatsApp as samples." },
    ),
  ),
};

const Library = Type.Object(
  {
    name: Type.String({ examples: ["parcel_sent"], description: "The name in the library." }),
    buttons: Type.Optional(
      Type.Array(
        Type.Unsafe<Record<string, unknown>>({
          type: "object",
          required: ["type"],
          properties: { type: { type: "string", examples: ["URL"] } },
          additionalProperties: {},
        }),
        {
          maxItems: 10,
          description:
            "In WhatsApp's own form, one for each button of the library's template, in its order: `url` with `base_url` and `url_suffix_example`, `phone_number`, or `otp_type`.",
        },
      ),
    ),
    body: Type.Optional(
      Type.Object(
        {
          add_contact_number: Type.Optional(Type.Boolean()),
          add_learn_more_link: Type.Optional(Type.Boolean()),
          add_security_recommendation: Type.Optional(Type.Boolean()),
          add_track_package_link: Type.Optional(Type.Boolean()),
          code_expiration_minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 90 })),
        },
        { additionalProperties: false, description: "What WhatsApp adds to the body, where the template takes it." },
      ),
    ),
  },
  {
    additionalProperties: false,
    description:
      "Makes the template of one of WhatsApp's library (`GET /templates/library`), in its language and category. `components`, `parameter_format`, `message_send_ttl_seconds` and `sample_media` are omitted then: the library has the words, which are reviewed already.",
  },
);

export const SubmitTemplate = FormComponent("SubmitTemplate", "A template as WhatsApp takes it.", {
  ...{ name: Name, language: Language },
  ...content,
  components: Type.Optional({
    ...Components,
    description: `${Components.description} Required without \`library\`.`,
  }),
  library: Type.Optional(Library),
});
export const CorrectTemplate = FormComponent(
  "CorrectTemplate",
  "All parts of a template, which replace the present ones.",
  { name: Type.Optional(Name), language: Type.Optional(Language), ...content, components: Components },
);

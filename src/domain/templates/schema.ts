/** The schema of a template's public JSON. Pure. */
import { Type } from "@sinclair/typebox";
import { Nullable, OneOf } from "#src/core/schema.ts";
import type { TemplateComponent } from "./component.ts";
import { requestMembers } from "./needs.ts";
import { mediaKinds, templateCategories, templateStatuses } from "./template.ts";

const TemplateMedia = Type.Object(
  {
    type: OneOf(mediaKinds),
    default: Type.Boolean({ description: "Whether a stored sample is sent if the request has no `media`." }),
  },
  { $id: "TemplateMedia", description: "The media header of a template." },
);

const Names = Type.Array(Type.String(), { examples: [["first_name", "order"]] });

const ParameterNames = { header: Names, body: Names };

export const ParameterOrderView = Type.Object(ParameterNames, {
  $id: "ParameterOrder",
  description: "The names of a template's placeholders, in order.",
});

export const TemplateView = Type.Object(
  {
    name: Type.String({ examples: ["order_shipped"] }),
    language: Type.String({ examples: ["en_US"] }),
    category: OneOf(templateCategories),
    status: OneOf(templateStatuses, "Status of the template at the network. Only an `APPROVED` template can be sent."),
    sendable: Type.Boolean({
      description:
        "Whether the template is approved, and values by position for header and body, and a file, are all that it takes. False if it needs more (`needs`), and while a new `parameter_order` waits to be confirmed; values by name are sent then, too.",
    }),
    needs: Type.Array(OneOf(requestMembers), {
      description:
        "The members of a request that the template needs beside values for header and body, and a file. Empty if there are none, or if the template cannot be sent at all.",
      examples: [["variables.buttons"]],
    }),
    variables: Type.Object({
      header: Type.Integer({ description: "Number of values for the header." }),
      body: Type.Integer({ description: "Number of values for the body." }),
    }),
    parameter_names: Type.Object(ParameterNames, {
      description:
        "The names of named placeholders, in the order of the text, for values by name in `variables`. Both lists are empty if the placeholders are numbered.",
    }),
    parameter_order: Nullable(
      ParameterOrderView,
      "The names of named placeholders in the order of values by position: `{{n}}` in `text` is the n-th name of `body`. Names keep the order in which they were first approved here, and an added name comes last. Null if the placeholders are numbered.",
    ),
    text: Type.String({ description: "The body with its placeholders.", examples: ["Hi {{1}}, your order is here."] }),
    media: Nullable(TemplateMedia, "The media header; null if the template has none."),
    components: Type.Array(
      Type.Unsafe<TemplateComponent>({
        type: "object",
        required: ["type"],
        properties: { type: { type: "string", examples: ["BODY"] } },
        additionalProperties: {},
      }),
      { description: "The components in WhatsApp's own form, as they were approved." },
    ),
    rejection: Nullable(
      Type.Object({
        reason: Type.String({ description: "In WhatsApp's own words.", examples: ["INVALID_FORMAT"] }),
        advice: Type.String({ description: "What to change, in plain text." }),
      }),
      "Why WhatsApp rejected the template, and what to change; null unless its status is `REJECTED`.",
    ),
    warnings: Type.Array(Type.String(), {
      description:
        "What is worth mending in a `MARKETING` template, in plain text: it does not say how to stop, or a button looks like a way to stop and is none. It can be sent all the same.",
    }),
  },
  { $id: "Template", description: "A message template, which the network has to approve before it can be sent." },
);

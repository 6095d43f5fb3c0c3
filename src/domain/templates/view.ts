/** The public JSON of a template, in the API and in events. */
import { type Static, Type } from "@sinclair/typebox";
import { Nullable, OneOf } from "#src/core/schema.ts";
import type { Template } from "./table.ts";
import {
  mediaKinds,
  numberedBody,
  readShape,
  type TemplateShape,
  templateCategories,
  templateStatuses,
  valueCounts,
} from "./template.ts";

const TemplateMedia = Type.Object(
  {
    type: OneOf(mediaKinds),
    default: Type.Boolean({ description: "Whether a stored sample is sent when `media` is left out." }),
  },
  { $id: "TemplateMedia", description: "The file at the top of a template." },
);

export const TemplateView = Type.Object(
  {
    name: Type.String({ examples: ["order_shipped"] }),
    language: Type.String({ examples: ["en_US"] }),
    category: OneOf(templateCategories),
    status: OneOf(templateStatuses, "The network's decision. Only an APPROVED template can be sent."),
    sendable: Type.Boolean({
      description: "Whether it is approved and has no part that this interface cannot fill.",
    }),
    variables: Type.Object({
      header: Type.Integer({ description: "How many values the header needs." }),
      body: Type.Integer({ description: "How many values the body needs." }),
    }),
    text: Type.String({ description: "The body with its placeholders.", examples: ["Hi {{1}}, your order is here."] }),
    media: Nullable(TemplateMedia, "Null when the template has no file at the top."),
  },
  { $id: "Template", description: "A message text that the network has to approve." },
);

export function viewTemplate(template: Template): Static<typeof TemplateView> {
  const shape = shapeOf(template);
  return {
    name: template.name,
    language: template.language,
    category: template.category,
    status: template.status,
    sendable: template.status === "APPROVED" && shape.unsupported === null,
    variables: valueCounts(shape),
    text: numberedBody(shape),
    media: viewMedia(template, shape),
  };
}

export function shapeOf(template: Template): TemplateShape {
  return readShape(template.components, template.parameterFormat, template.category);
}

function viewMedia(template: Template, { header }: TemplateShape): Static<typeof TemplateView>["media"] {
  if (header === null || header.type === "text" || header.type === "location") return null;
  return { type: header.type, default: template.sampleLink !== null };
}

/** The public JSON of a template, in the API and in events. */
import type { Static } from "@sinclair/typebox";
import type { TemplateView } from "./schema.ts";
import type { Template } from "./table.ts";
import { numberedBody, readShape, type TemplateShape, valueCounts } from "./template.ts";
import { findWarnings, type OwnWords } from "./way-out.ts";

export function viewTemplate(template: Template, words: OwnWords): Static<typeof TemplateView> {
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
    warnings: findWarnings(template, words),
  };
}

export function shapeOf(template: Template): TemplateShape {
  return readShape(template);
}

function viewMedia(template: Template, { header }: TemplateShape): Static<typeof TemplateView>["media"] {
  if (header === null || header.type === "text" || header.type === "location") return null;
  return { type: header.type, default: template.sampleLink !== null };
}

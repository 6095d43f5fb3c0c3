/** The public JSON of a template, in the API and in events. */
import type { Static } from "@sinclair/typebox";
import type { ParameterOrderView, TemplateView } from "./schema.ts";
import type { Template } from "./table.ts";
import {
  numberedBody,
  orderIn,
  type ParameterOrder,
  readShape,
  type TemplateShape,
  valueCounts,
  whyUnsendable,
} from "./template.ts";
import { findWarnings, type OwnWords } from "./way-out.ts";

export function viewTemplate(template: Template, words: OwnWords): Static<typeof TemplateView> {
  const shape = shapeOf(template);
  return {
    name: template.name,
    language: template.language,
    category: template.category,
    status: template.status,
    sendable: template.status === "APPROVED" && whyUnsendable(shape) === null,
    variables: valueCounts(shape),
    parameter_names: viewNames(template),
    parameter_order: template.parameterFormat === "NAMED" ? viewOrder(orderIn(shape)) : null,
    text: numberedBody(shape),
    media: viewMedia(template, shape),
    warnings: findWarnings(template, words),
  };
}

export function shapeOf(template: Template): TemplateShape {
  return readShape(template);
}

function viewNames(template: Template): Static<typeof ParameterOrderView> {
  if (template.parameterFormat !== "NAMED") return { header: [], body: [] };
  return viewOrder(orderIn(readShape({ ...template, parameterOrder: null })));
}

export function viewOrder({ header, body }: ParameterOrder): Static<typeof ParameterOrderView> {
  return { header: [...header], body: [...body] };
}

function viewMedia(template: Template, { header }: TemplateShape): Static<typeof TemplateView>["media"] {
  if (header === null || header.type === "text" || header.type === "location") return null;
  return { type: header.type, default: template.sampleLink !== null };
}

/** The public JSON of a template, in the API and in events. */
import type { Static } from "@sinclair/typebox";
import { needsOf, whyUnsendable } from "./needs.ts";
import { adviceOn } from "./rejections.ts";
import type { ParameterOrderView, TemplateView } from "./schema.ts";
import type { Template } from "./table.ts";
import {
  mediaKinds,
  numberedBody,
  orderIn,
  type ParameterOrder,
  readShape,
  type TemplateShape,
  valueCounts,
} from "./template.ts";
import { findWarnings, type OwnWords } from "./way-out.ts";

export const NO_REASON = "The network gave no reason.";

export function viewTemplate(template: Template, words: OwnWords): Static<typeof TemplateView> {
  const shape = shapeOf(template);
  return {
    name: template.name,
    language: template.language,
    category: template.category,
    status: template.status,
    sendable: template.status === "APPROVED" && whyUnsendable(shape) === null,
    needs: shape.unsupported === null ? needsOf(shape) : [],
    variables: valueCounts(shape),
    parameter_names: viewNames(template),
    parameter_order: template.parameterFormat === "NAMED" ? viewOrder(orderIn(shape)) : null,
    text: numberedBody(shape),
    media: viewMedia(template, shape),
    components: template.components,
    rejection: template.status === "REJECTED" ? viewRejection(template) : null,
    warnings: findWarnings(template, words),
  };
}

function viewRejection({ statusReason }: Template): Static<typeof TemplateView>["rejection"] {
  return { reason: statusReason ?? NO_REASON, advice: adviceOn(statusReason) };
}

/** A broadcast reads the shape of one template for every recipient. */
const shapes = new WeakMap<Template, TemplateShape>();

/** The caller does not change it. */
export function shapeOf(template: Template): TemplateShape {
  const known = shapes.get(template);
  if (known !== undefined) return known;
  const shape = readShape(template);
  shapes.set(template, shape);
  return shape;
}

function viewNames(template: Template): Static<typeof ParameterOrderView> {
  if (template.parameterFormat !== "NAMED") return { header: [], body: [] };
  return viewOrder(orderIn(readShape({ ...template, parameterOrder: null })));
}

export function viewOrder({ header, body }: ParameterOrder): Static<typeof ParameterOrderView> {
  return { header: [...header], body: [...body] };
}

function viewMedia(template: Template, { header }: TemplateShape): Static<typeof TemplateView>["media"] {
  const type = mediaKinds.find((kind) => kind === header?.type);
  return type === undefined ? null : { type, default: template.sampleLink !== null };
}

/**
 * What Meta refuses about a message's content: the simulator evaluates the JSON of the request as it left, by `limits.ts`.
 * Of a template also the values, by `evaluate-template.ts`, and what it was approved with, by `approved-template.ts`. Pure.
 */
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import { isLonger } from "#src/core/text-limits.ts";
import type { JsonObject } from "../whatsapp/json.ts";
import { type ApprovedTemplate, refuseAgainst } from "./approved-template.ts";
import { refuseValues } from "./evaluate-template.ts";
import {
  context,
  directShapes,
  FITTING,
  type FileKind,
  PARAMETER_INVALID,
  PARAMETER_MISSING,
  PARAMETER_UNKNOWN,
  type Shape,
  shapes,
  UNFIT,
} from "./limits.ts";
import { type Refusal, tooLong } from "./refusal.ts";
import { templateShape } from "./template-limits.ts";

/**
 * The refusal in the answer to the send; null: Meta takes the content. `approved`: the template as the network has it;
 * null if it is not known.
 */
export function evaluate(request: JsonObject, approved: ApprovedTemplate | null): Refusal | null {
  const { type } = request;
  if (type === "template") {
    const refusal = refuse(request.template, templateShape, "template") ?? refuseValues(request);
    return refusal ?? (approved === null ? null : refuseAgainst(request, approved));
  }
  if (request.category !== undefined) return evaluateDirect(request);
  const shape = typeof type === "string" && Object.hasOwn(shapes, type) ? shapes[type] : undefined;
  if (typeof type !== "string" || shape === undefined)
    return { code: PARAMETER_INVALID, message: "The type is unknown." };
  const value = request[type];
  if (value === undefined) return missing(type);
  const refusal = refuse(value, shape, type);
  if (refusal !== null || request.context === undefined) return refusal;
  return type === "reaction" ? invalid("A reaction answers no message.") : refuse(request.context, context, "context");
}

/** A free message with a category. */
function evaluateDirect({ type, category, context: quoted, ...request }: JsonObject): Refusal | null {
  const shape = typeof type === "string" && Object.hasOwn(directShapes, type) ? directShapes[type] : undefined;
  if (category !== "utility" || typeof type !== "string" || shape === undefined) {
    return { code: PARAMETER_UNKNOWN, message: "The category goes with a text, buttons or a link, and is utility." };
  }
  if (quoted !== undefined) return { code: PARAMETER_UNKNOWN, message: "Unexpected key context." };
  const value = request[type];
  return value === undefined ? missing(type) : refuse(value, shape, type);
}

/** Whether the file has a type that Meta refuses, which it reports after it has accepted the message. */
export function hasUnusableFile(request: JsonObject): boolean {
  const { type } = request;
  const shape = type === "template" ? templateShape : shapes[String(type)];
  const files = typeof type === "string" ? linksIn(request[type], shape) : [];
  return files.some(({ kind, link }) => isUnusable(kind, link));
}

function linksIn(value: unknown, shape: Shape | undefined): { kind: FileKind; link: string }[] {
  if (shape === undefined || value === undefined) return [];
  if (shape.is === "link") return shape.file === null ? [] : [{ kind: shape.file, link: String(value) }];
  if (shape.is === "variant") return linksIn(value, variantOf(value, shape));
  if (shape.is === "list") return (value as unknown[]).flatMap((item) => linksIn(item, shape.of));
  if (shape.is !== "object") return [];
  return Object.entries(value as JsonObject).flatMap(([name, member]) => linksIn(member, shape.members[name]?.shape));
}

/** Only the extension in the link's path tells the type; without a known one, the file is taken to be right. */
function isUnusable(kind: FileKind, link: string): boolean {
  const extension = /\.([a-z0-9]{1,5})$/.exec(new URL(link).pathname.toLowerCase())?.[1];
  if (extension === undefined || FITTING[kind].includes(extension)) return false;
  return UNFIT.includes(extension) || Object.values(FITTING).some((fitting) => fitting.includes(extension));
}

export function refuse(value: unknown, shape: Shape, at: string): Refusal | null {
  switch (shape.is) {
    case "text":
      return refuseText(value, shape, at);
    case "list":
      return refuseList(value, shape, at);
    case "object":
      return refuseObject(value, shape, at);
    case "variant": {
      const variant = variantOf(value, shape);
      return variant === undefined ? invalid(`${at}.${shape.by} is unknown.`) : refuse(value, variant, at);
    }
    default:
      return isRight(value, shape) ? null : invalid(`${at} has a wrong value.`);
  }
}

function isRight(value: unknown, shape: Exclude<Shape, { is: "text" | "list" | "object" | "variant" }>): boolean {
  switch (shape.is) {
    case "flag":
      return typeof value === "boolean";
    case "index":
      return isNumber(value) && /^\d+$/.test(String(value)) && Number(value) <= shape.max;
    case "count":
      return Number.isSafeInteger(value) && Number(value) >= 0;
    case "word":
      return shape.words.some((word) => word === value);
    case "degrees":
      return isNumber(value) && Math.abs(Number(value)) <= shape.max;
    case "link":
      return typeof value === "string" && URL.canParse(value);
    case "any":
      return typeof value === "object" && Object.keys(value ?? {}).length > 0;
  }
}

/** Meta takes a number also as a text. */
function isNumber(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value));
}

function variantOf(value: unknown, { by, of }: Extract<Shape, { is: "variant" }>): Shape | undefined {
  const word = (value as JsonObject | null)?.[by];
  return typeof word === "string" && Object.hasOwn(of, word) ? of[word] : undefined;
}

function refuseList(value: unknown, shape: Extract<Shape, { is: "list" }>, at: string): Refusal | null {
  const { min, max, of, distinct = [], total } = shape;
  if (!Array.isArray(value)) return invalid(`${at} has to be a list.`);
  if (value.length < min || value.length > max) return invalid(`${at} has to have from ${min} to ${max} items.`);
  for (const [index, item] of value.entries()) {
    const refusal = refuse(item, of, `${at}.${index}`);
    if (refusal !== null) return refusal;
  }
  if (total !== undefined && value.flatMap((item: JsonObject) => item[total.of]).length > total.max) {
    return invalid(`${at} has to have at most ${total.max} ${total.of} in all.`);
  }
  for (const path of distinct) {
    const values = value.map((item: unknown) =>
      path.split(".").reduce((part, name) => (part as JsonObject)[name] as unknown, item),
    );
    if (new Set(values).size < values.length) return invalid(`${at} has the same ${path} twice.`);
  }
  return null;
}

function refuseText(
  value: unknown,
  { max, code, isBlank, isAlphanumeric }: Extract<Shape, { is: "text" }>,
  at: string,
): Refusal | null {
  if (typeof value !== "string") return invalid(`${at} has to be a text.`);
  if (!isBlank && SHOWS_NOTHING.test(value)) return { code, message: `The ${at} has no visible character.` };
  if (isAlphanumeric === true && !/^[A-Za-z0-9]+$/.test(value)) {
    return { code, message: `The ${at} has more than letters and digits.` };
  }
  return isLonger(value, max) ? tooLong(code, at, max) : null;
}

function refuseObject(
  value: unknown,
  { members, oneOf }: Extract<Shape, { is: "object" }>,
  at: string,
): Refusal | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return invalid(`${at} has to be an object.`);
  const given = value as JsonObject;
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(members, name)) return { code: PARAMETER_UNKNOWN, message: `Unexpected key ${name} in ${at}.` };
  }
  if (oneOf !== undefined && oneOf.filter((name) => given[name] !== undefined).length !== 1) {
    return { code: PARAMETER_UNKNOWN, message: `${at} needs exactly one of ${oneOf.join(", ")}.` };
  }
  for (const [name, { shape, isOptional }] of Object.entries(members)) {
    const path = `${at}.${name}`;
    const refusal = given[name] === undefined ? (isOptional ? null : missing(path)) : refuse(given[name], shape, path);
    if (refusal !== null) return refusal;
  }
  return null;
}

function missing(at: string): Refusal {
  return { code: PARAMETER_MISSING, message: `${at} is missing.` };
}

function invalid(message: string): Refusal {
  return { code: PARAMETER_INVALID, message };
}

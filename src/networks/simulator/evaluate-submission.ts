/**
 * What Meta refuses when a template is created or corrected: the simulator evaluates the JSON of the request as it left, by
 * `submission-limits.ts` and by what Meta says of placeholders. Pure.
 */
import type { JsonObject } from "../whatsapp/json.ts";
import { refuse } from "./evaluate.ts";
import { evaluateLibrary } from "./library.ts";
import type { Refusal } from "./refusal.ts";
import { submissionShape } from "./submission-limits.ts";

/** Meta's codes: too many values for the words, a value at the edge, no sample, a wrong time to live. */
const TOO_MANY_VALUES = "2388293";
const VALUE_AT_EDGE = "2388299";
const SAMPLE_MISSING = "2388273";
const PARAMETER_WRONG = "100";

const PLACEHOLDERS = /\{\{\w+\}\}/g;
/** Words whose case does not matter to Meta. */
const CASELESS = ["type", "format", "otp_type", "category"];

interface Part {
  type: string;
  text?: string;
  example?: Readonly<Record<string, unknown>>;
  cards?: { components: Part[] }[];
}

/** `library`: the templates that a request may be made of; the simulator's own if absent. */
export function evaluateSubmission(
  request: JsonObject,
  library?: Parameters<typeof evaluateLibrary>[1],
): Refusal | null {
  if (request.library_template_name !== undefined) return evaluateLibrary(inCapitals(request) as JsonObject, library);
  const { message_send_ttl_seconds: ttl, ...given } = inCapitals(request) as JsonObject;
  const listed = Array.isArray(given.components) ? (given.components as Part[]) : [];
  const isOffer = listed.some((part) => part?.type === "LIMITED_TIME_OFFER");
  const refusal = refuse(given, submissionShape(isOffer), "template");
  if (refusal !== null) return refusal;
  if (ttl !== undefined && ttl !== -1 && !(Number(ttl) >= 30 && Number(ttl) <= 2_592_000)) {
    return { code: PARAMETER_WRONG, message: "message_send_ttl_seconds has a wrong value." };
  }
  const parts = [...listed, ...listed.flatMap(({ cards = [] }) => cards.flatMap(({ components }) => components))];
  return parts.map(refuseValues).find((found) => found !== null) ?? null;
}

function refuseValues({ type, text = "", example }: Part): Refusal | null {
  if (type !== "BODY" && type !== "HEADER") return null;
  const values = new Set(text.match(PLACEHOLDERS) ?? []);
  if (values.size === 0) return null;
  if (example === undefined) return { code: SAMPLE_MISSING, message: `The ${type} has values and no sample of them.` };
  if (type === "HEADER") return null;
  const edges = text.trim();
  if (/^\{\{\w+\}\}/.test(edges) || edges.endsWith("}}")) {
    return { code: VALUE_AT_EDGE, message: "Variables can't be at the start or end of the template." };
  }
  const words = text.replace(PLACEHOLDERS, " ").trim().split(/\s+/).length;
  const isSpaced = /[a-z]{3}/i.test(text);
  return isSpaced && words < 2 * values.size
    ? { code: TOO_MANY_VALUES, message: "This template has too many variables for its length." }
    : null;
}

function inCapitals(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => inCapitals(item));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([member, of]) => [member, inCapitals(of, member)]));
  }
  return typeof value === "string" && CASELESS.includes(name) ? value.toUpperCase() : value;
}

/**
 * Checks a value against a schema and describes each mistake in a sentence under the path of its field. Unknown fields
 * are mistakes too, so that a typo never sends the wrong thing. Lengths count Unicode code points.
 */
import type { TSchema } from "@sinclair/typebox";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { type Fault, type FieldProblems, sentenceOf, unknownName } from "#src/core/fault.ts";
import { invalidRequest, noProblems, Problem } from "#src/core/problem.ts";
import { DOCUMENT_ONLY } from "#src/core/schema.ts";

/**
 * More than anyone reads. Keeps a body with a hundred thousand mistakes from producing an answer many times its size.
 */
const PROBLEMS_MAX = 100;

/**
 * Of a value with more parts, only the first mistake is named: the validator collects all of them before any can be
 * counted, and half a million mistakes take a hundred megabytes. The largest valid body has about 15,000 parts.
 */
const PARTS_MAX = 20_000;

/** Compiles each schema when it is first used. */
function validatorsOf(options: { allErrors: boolean }): (schema: TSchema) => ValidateFunction {
  // The schemas are ours: without `meta`, nothing compiles the schema of schemas, which takes 9 MB and delays the first request.
  const own = { meta: false, validateSchema: false };
  const ajv = new Ajv2020({ ...options, ...own, strict: false, verbose: true, validateFormats: false });
  const compiled = new WeakMap<TSchema, ValidateFunction>();
  return (schema) => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const validate = ajv.compile(withoutDocument(schema) as TSchema);
    compiled.set(schema, validate);
    return validate;
  };
}

/** The validator would read the schemas of the document too, and takes each name once. */
function withoutDocument(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDocument);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([name]) => name !== DOCUMENT_ONLY);
  return Object.fromEntries(kept.map(([name, part]) => [name, withoutDocument(part)]));
}

const untilFirst = validatorsOf({ allErrors: false });
const findingAll = validatorsOf({ allErrors: true });

/** The mistakes in `value`; empty if it is valid. `at`: the path of the value itself, "" for the whole body. */
export function findFieldProblems(schema: TSchema, value: unknown, at = ""): FieldProblems {
  const fields = noProblems();
  let validate = untilFirst(schema);
  if (validate(value)) return fields;
  if (hasFewParts(value)) {
    validate = findingAll(schema);
    validate(value);
  }
  for (const error of (validate.errors ?? []).slice(0, PROBLEMS_MAX)) {
    const fault = describe(error);
    const path = pathOf(at, error);
    const faults = fields[path] ?? [];
    if (!faults.some((known) => sentenceOf(known) === fault.sentence)) fields[path] = [...faults, fault];
  }
  return fields;
}

/** Stops counting at the limit. */
function hasFewParts(value: unknown): boolean {
  let left = PARTS_MAX;
  const count = (part: unknown): boolean => {
    left -= 1;
    if (left < 0) return false;
    return typeof part !== "object" || part === null || Object.values(part).every(count);
  };
  return count(value);
}

/**
 * Reads several parts of a request (body, headers, parameters) and returns their values. Throws one `invalid_request`
 * that names the faults of all of them.
 */
export function readTogether<Values extends unknown[]>(
  ...reads: { [Index in keyof Values]: () => Values[Index] }
): Values {
  const fields = noProblems();
  const problems: Problem[] = [];
  const values = reads.map((read) => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "invalid_request") throw error;
      problems.push(error);
      Object.assign(fields, error.details.fields);
      return undefined;
    }
  });
  const [first, ...others] = problems;
  if (first === undefined) return values as Values;
  throw others.length === 0 ? first : invalidRequest(fields);
}

function pathOf(at: string, error: ErrorObject): string {
  const parts = error.instancePath.split("/").slice(1).map(unescapePointer);
  if (error.keyword === "required") parts.push(String(error.params.missingProperty));
  if (error.keyword === "additionalProperties") parts.push(String(error.params.additionalProperty));
  return [at, ...parts].filter((part) => part !== "").join(".");
}

function unescapePointer(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function describe({ keyword, params, data, parentSchema }: ErrorObject): Fault {
  switch (keyword) {
    case "required":
      return { rule: "required", sentence: "This field is required." };
    case "additionalProperties":
      return unknownName(
        "Unknown field.",
        String(params.additionalProperty),
        Object.keys(parentSchema?.properties ?? {}),
      );
    case "type": {
      const found = params.type === "integer" && typeof data === "number" ? String(data) : nameOf(data);
      return { rule: "type", sentence: `This has to be ${typeText(params.type)}, not ${found}.` };
    }
    case "const":
      return { rule: "invalid", sentence: `This has to be ${JSON.stringify(params.allowedValue)}.` };
    case "enum":
      return { rule: "one_of", sentence: `This has to be one of ${(params.allowedValues as unknown[]).join(", ")}.` };
    case "format":
      return { rule: "format", sentence: `This is not a valid ${params.format}.` };
    case "maxLength":
    case "minLength":
    case "maxItems":
    case "maxProperties":
    case "minItems":
    case "minimum":
    case "maximum":
      return { ...describeLimit(keyword, params.limit, data), limit: params.limit };
    default:
      return { rule: "invalid", sentence: "This is not valid." };
  }
}

/** In code points, without making one text of each. */
function lengthOf(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff](?=[\udc00-\udfff])/g)?.length ?? 0);
}

type LimitKeyword = "maxLength" | "minLength" | "maxItems" | "maxProperties" | "minItems" | "minimum" | "maximum";

function describeLimit(keyword: LimitKeyword, limit: number, data: unknown): Fault {
  switch (keyword) {
    case "maxLength":
      return {
        rule: "too_long",
        sentence: `This may have at most ${limit} characters; it has ${lengthOf(String(data))}.`,
      };
    case "minLength":
      return { rule: "too_short", sentence: "This must not be empty." };
    case "maxItems":
      return {
        rule: "too_many",
        sentence: `This may have at most ${limit} items; it has ${Array.isArray(data) ? data.length : "more"}.`,
      };
    case "maxProperties":
      return {
        rule: "too_many",
        sentence: `This may have at most ${limit} fields; it has ${Object.keys(data ?? {}).length}.`,
      };
    case "minItems":
      return {
        rule: "too_few",
        sentence: limit === 1 ? "This must not be empty." : `This needs at least ${limit} items.`,
      };
    case "minimum":
      return { rule: "too_small", sentence: `This has to be at least ${limit}.` };
    case "maximum":
      return { rule: "too_large", sentence: `This may be at most ${limit}.` };
  }
}

const TYPE_NAMES: Record<string, string> = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

function typeText(type: unknown): string {
  const types = Array.isArray(type) ? type.map(String) : String(type).split(",");
  return types.map((one) => TYPE_NAMES[one] ?? one).join(" or ");
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return TYPE_NAMES[typeof value] ?? typeof value;
}

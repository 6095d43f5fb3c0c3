/**
 * Compares an answer with the schema that its route declares. The compiler does the same for what it can see; this also
 * finds members that are not declared, and values from the database that are not what their type says.
 */
import { type TSchema, Type } from "@sinclair/typebox";
import type { Answer } from "../answer.ts";
import { ANY_TYPE, type ConsoleEndpoint } from "../endpoints/endpoint.ts";
import { findFieldProblems } from "../validate.ts";

const strictOutputs = new WeakMap<TSchema, TSchema>();

/** Throws for an answer that is not what the route declares. */
export function requireDeclaredAnswer(
  { method, path, output, consoleOutput = output }: ConsoleEndpoint,
  answered: Answer | Response,
): void {
  const fileType =
    answered instanceof Response ? answered.headers.get("content-type") : answered.headers?.["content-type"];
  const problem =
    answered instanceof Response || fileType !== undefined
      ? findFileProblem(consoleOutput, fileType ?? null)
      : findJsonProblem(consoleOutput, answered);
  if (problem !== null) throw new Error(`${method} ${path} does not answer what it declares: ${problem}`);
}

/** The answer with what would be made while it is sent. */
export function wholeAnswer({ rest, body, ...answer }: Answer): Answer {
  let text = body;
  while (rest?.isDone === false) text += rest.next();
  return { ...answer, body: text };
}

function findFileProblem({ contentType }: TSchema, actual: string | null): string | null {
  return actual === contentType || contentType === ANY_TYPE
    ? null
    : `the answer is ${actual}, not ${contentType ?? "JSON"}`;
}

function findJsonProblem(output: TSchema, { status, body }: Answer): string | null {
  if (status >= 400) return null;
  if (output.contentType !== undefined) return `the answer is JSON, not ${output.contentType}`;
  const known = strictOutputs.get(output) ?? strictCopy(output);
  strictOutputs.set(output, known);
  const problems = findFieldProblems(known, JSON.parse(body));
  return Object.keys(problems).length === 0 ? null : JSON.stringify(problems);
}

/** The schema without its names, and with every object closed. */
function strictCopy(schema: TSchema): TSchema {
  return Type.Unsafe(closeObjects(schema) as TSchema);
}

/** Keywords that hold one schema or a list of them, and those that hold schemas by name. */
const SCHEMAS = ["items", "anyOf", "allOf", "additionalProperties"];
const NAMED_SCHEMAS = ["properties", "patternProperties"];

function closeObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeObjects);
  if (typeof schema !== "object" || schema === null) return schema;
  const { $id: _, ...keywords } = schema as Record<string, unknown>;
  const closed = Object.fromEntries(Object.entries(keywords).map(([name, value]) => [name, closeKeyword(name, value)]));
  const isOpen = "properties" in keywords && keywords.additionalProperties === undefined;
  return isOpen ? { ...closed, additionalProperties: false } : closed;
}

function closeKeyword(name: string, value: unknown): unknown {
  if (SCHEMAS.includes(name)) return closeObjects(value);
  if (!NAMED_SCHEMAS.includes(name)) return value;
  return Object.fromEntries(Object.entries(value as object).map(([key, member]) => [key, closeObjects(member)]));
}

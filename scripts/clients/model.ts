/**
 * What the clients are made from: the operations and the named schemas of the OpenAPI document, in the form that all four
 * languages need. Schemas stay JSON Schema; each language writes them in its own way.
 */
import {
  type OpenApiDocument,
  type OperationObject,
  ownParameters,
  type SchemaObject,
} from "#src/http/api/openapi/document.ts";
import { openApiDocument } from "#src/http/api/openapi/openapi.ts";

export interface ClientParameter {
  name: string;
  description: string;
  schema: SchemaObject;
}

export interface ClientOperation {
  /** `sendMessage` */
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  pathParameters: ClientParameter[];
  query: ClientParameter[];
  /** The name of the body's schema. */
  body: string | null;
  /** The body is a form with one file. */
  takesFile: boolean;
  takesKey: boolean;
  /** A request that failed without an answer may be repeated: the same request again changes nothing more. */
  isIdempotent: boolean;
  /** Names of the schemas of the errors that the operation may give. */
  errors: string[];
  result: { kind: "file" } | { kind: "one" | "list"; schema: SchemaObject };
}

export interface ClientModel {
  version: string;
  operations: ClientOperation[];
  /** Without those of errors, in the order of their names. */
  schemas: [name: string, schema: SchemaObject][];
  /** What is wrong with a field, then the error of each code. */
  errors: [name: string, schema: SchemaObject][];
}

export function clientModel(version: string): ClientModel {
  const document = openApiDocument();
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => operation(path, method.toUpperCase(), one, document)),
  );
  const named = Object.entries(document.components.schemas).map(([name, schema]): [string, SchemaObject] => [
    nameOf(name),
    schema,
  ]);
  const isError = ([name, { properties }]: [string, SchemaObject]): boolean =>
    properties?.retryable !== undefined || name === "FieldFault";
  return { version, operations, schemas: named.filter((one) => !isError(one)), errors: named.filter(isError) };
}

/** The codes of all errors. */
export function errorCodes({ components }: OpenApiDocument = openApiDocument()): string[] {
  const errors = Object.values(components.schemas).filter(({ properties }) => properties?.retryable !== undefined);
  return errors.map(({ properties }) => String(properties?.code?.const)).sort();
}

function operation(path: string, method: string, one: OperationObject, document: OpenApiDocument): ClientOperation {
  const parameters = ownParameters(one);
  const taken = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, description, schema }) => ({ name, description, schema }));
  const body = one.requestBody?.content["application/json"]?.schema.$ref;
  return {
    id: one.operationId,
    method,
    path,
    summary: one.summary,
    description: one.description,
    pathParameters: taken("path"),
    query: taken("query"),
    body: body === undefined ? null : nameOf(body),
    takesFile: one.requestBody?.content["multipart/form-data"] !== undefined,
    takesKey: parameters.some(({ name }) => name === "Idempotency-Key"),
    isIdempotent: method === "GET" || method === "PUT",
    errors: errorsOf(one, document),
    result: resultOf(one),
  };
}

function errorsOf({ responses }: OperationObject, { components }: OpenApiDocument): string[] {
  const references = Object.values(responses).flatMap((response) => {
    const given = "$ref" in response ? components.responses[nameOf(response.$ref)] : response;
    const error = given?.content?.["application/json"]?.schema.properties?.error;
    return error === undefined ? [] : (error.oneOf ?? [error]);
  });
  return references.map(({ $ref = "" }) => nameOf($ref)).sort();
}

function resultOf({ responses }: OperationObject): ClientOperation["result"] {
  const [success] = Object.values(responses);
  if (success === undefined || "$ref" in success) throw new Error("an operation begins with its success");
  const { data, meta } = success.content?.["application/json"]?.schema.properties ?? {};
  if (data === undefined) return { kind: "file" };
  if (meta !== undefined && data.items?.$ref === undefined)
    throw new Error("the entries of a list have a schema of their own name");
  return { kind: meta === undefined ? "one" : "list", schema: data };
}

/** Schemas whose names mean something else in a language. */
const RENAMED: Readonly<Record<string, string>> = { Number: "SendingNumber", Event: "WebhookEvent" };

export function nameOf(reference: string): string {
  const name = reference.slice(reference.lastIndexOf("/") + 1);
  return RENAMED[name] ?? name;
}

/** `sendMessage` → `SendMessage`, `opted_out_at` → `OptedOutAt`. */
export function pascal(name: string): string {
  return name.replace(/(?:^|[_-])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `sendMessage` → `send_message`. */
export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `listMessages` → `iterateMessages`, `getConversation` → `iterateConversation`, `search` → `iterateSearch`. */
export function iterateName(id: string): string {
  return `iterate${pascal(id.replace(/^(list|get)/, ""))}`;
}

/** Whether the list gives the cursor behind each entry. */
export function givesCursors({ query }: ClientOperation): boolean {
  return query.some(({ name }) => name === "cursors");
}

/** The types of a schema without null, and whether null is one of them. */
export function typesOf(schema: SchemaObject): { types: string[]; isNullable: boolean } {
  const types = [schema.type ?? []].flat();
  return { types: types.filter((type) => type !== "null"), isNullable: types.includes("null") };
}

/** Members that a value may have; not those that must be absent. */
export function membersOf(schema: SchemaObject): { name: string; schema: SchemaObject; isRequired: boolean }[] {
  return Object.entries(schema.properties ?? {})
    .filter(([, { not }]) => not === undefined)
    .map(([name, member]) => ({ name, schema: member, isRequired: schema.required?.includes(name) === true }));
}

/** The text broken into lines of at most `width` characters. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.replaceAll("\n", " ").split(/ +/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export const GENERATED = "Generated from the OpenAPI document by `bun run clients`. Do not edit.";

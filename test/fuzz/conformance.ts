/**
 * Whether an answer conforms to the OpenAPI document: its status is documented for that endpoint, its type is JSON, its
 * body is valid under the schema of that status and has no member that the document does not describe.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { OpenApiDocument, OperationObject, ResponseObject } from "#src/http/api/openapi/document.ts";
import type { WireAnswer } from "./wire.ts";

const ID = "https://waxwing.example.com/openapi.json";
/** The body of any refusal: the document only has the codes of each answer. */
const ANY_ERROR = "https://waxwing.example.com/any-error.json";

export interface Conformance {
  /** Faults of the answer to an operation such as `POST /messages`; empty if it conforms. */
  find(operation: string, answer: WireAnswer): string[];
  /** Faults of a refusal below the prefix that belongs to no endpoint. */
  findInRefusal(answer: WireAnswer): string[];
}

export function createConformance(document: OpenApiDocument): Conformance {
  const ajv = new Ajv2020({ strict: false, validateFormats: true, allErrors: true });
  ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
  ajv.addFormat("date", /^\d{4}-\d\d-\d\d$/);
  ajv.addFormat("uri", true);
  ajv.addFormat("email", true);
  ajv.addSchema({ $id: ID, ...(closed(structuredClone(document)) as OpenApiDocument) });
  const anyError = { type: "object", required: ["error"], properties: { error: { oneOf: errorsOf(document) } } };
  ajv.addSchema({ $id: ANY_ERROR, ...anyError, additionalProperties: false });
  const compiled = new Map<string, ValidateFunction>();
  const validator = (pointer: string): ValidateFunction => {
    const known = compiled.get(pointer);
    if (known !== undefined) return known;
    const made = ajv.compile({ $ref: pointer === ANY_ERROR ? ANY_ERROR : `${ID}#${pointer}` });
    compiled.set(pointer, made);
    return made;
  };

  const findInBody = (answer: WireAnswer, pointer: string): string[] => {
    const type = answer.headers.get("content-type");
    if (type !== "application/json") return [`its type is ${type}`];
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(answer.body));
    } catch (error) {
      return [`its body is no JSON: ${error}`];
    }
    const validate = validator(pointer);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [`body${instancePath} ${message}`, JSON.stringify(params)].join(" "),
    );
  };

  const findInHeaders = (answer: WireAnswer, response: ResponseObject | null): string[] => {
    const missing = ["x-request-id", "content-security-policy", "x-content-type-options", "cache-control"].filter(
      (name) => !answer.headers.has(name),
    );
    const wrong = missing.map((name) => `it has no header ${name}`);
    const hasWait = answer.headers.has("retry-after");
    if ((answer.status === 429 || answer.status === 503) && !hasWait) wrong.push("it does not say when to try again");
    if (answer.status === 401 && !answer.headers.has("www-authenticate")) wrong.push("it does not ask for a key");
    if (hasWait && response !== null && response.headers?.["Retry-After"] === undefined) {
      wrong.push("it says when to try again, which is not documented");
    }
    return wrong;
  };

  return {
    find(operation, answer) {
      const [method = "", path = ""] = operation.split(" ");
      const described: OperationObject | undefined = document.paths[path]?.[method.toLowerCase()];
      const given = described?.responses[answer.status];
      if (given === undefined) return [`the status ${answer.status} is not documented`];
      const isShared = "$ref" in given;
      const response = isShared
        ? (document.components.responses[given.$ref.replace("#/components/responses/", "")] ?? null)
        : given;
      const place = isShared
        ? given.$ref.slice(1)
        : `/paths/${escaped(path)}/${method.toLowerCase()}/responses/${answer.status}`;
      const isOfAnyType = response?.content?.["*/*"] !== undefined;
      if (response !== null && response.content === undefined) {
        const inBody = answer.body.length === 0 ? [] : ["it has a body"];
        return [...inBody, ...findInHeaders(answer, response)];
      }
      const inBody = isOfAnyType ? [] : findInBody(answer, `${place}/content/application~1json/schema`);
      return [...inBody, ...findInHeaders(answer, response)];
    },
    findInRefusal(answer) {
      if (answer.status < 400) return [`it was answered ${answer.status}, not refused`];
      return [...findInBody(answer, ANY_ERROR), ...findInHeaders(answer, null)];
    },
  };
}

/** Errors have a schema for each code, which no other schema has. */
function errorsOf(document: OpenApiDocument): { $ref: string }[] {
  const names = Object.entries(document.components.schemas).filter(([, { properties }]) => properties?.retryable);
  return names.map(([name]) => ({ $ref: `${ID}#/components/schemas/${name}` }));
}

function escaped(path: string): string {
  return path.replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D");
}

/** Objects with listed members have no others: the document leaves room to grow, but this server must not use it. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const made = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const isSchema = made.type === "object" && typeof made.properties === "object";
  return isSchema && made.additionalProperties === undefined ? { ...made, additionalProperties: false } : made;
}

/**
 * The answers of an endpoint: its success, and every refusal that it may give, grouped by status. This module decides
 * which refusals all endpoints share; each endpoint declares its own.
 */

import type { TSchema } from "@sinclair/typebox";
import type { ProblemCode } from "#src/core/problem.ts";
import { type ApiEndpoint, isList } from "../../endpoints/endpoint.ts";
import { answers } from "../../errors.ts";
import type {
  Content,
  HeaderObject,
  OperationObject,
  ReferenceObject,
  ResponseObject,
  SchemaObject,
} from "./document.ts";
import { errorSchema } from "./error-schema.ts";
import { codeDescriptions, examplesOf } from "./problems.ts";
import { type Components, pascalCase } from "./schemas.ts";

/** Codes that the pipeline may answer with, whatever the endpoint. */
const commonCodes: readonly ProblemCode[] = [
  "unauthenticated",
  "api_not_enabled",
  "rate_limited",
  "internal_error",
  "unavailable",
];

/** Statuses of refusals that are final, and therefore stored under the Idempotency-Key like a success. */
const REPLAYABLE_STATUSES: readonly number[] = [402, 404, 422, 502];

/** Described once and referenced from every answer. */
export const headers = {
  RequestId: {
    description:
      "Id of the request: the `X-Request-Id` that you sent, if it is valid, otherwise a generated one. The server's log records it.",
    schema: { type: "string", examples: ["V1StGXR8Z5jdHi6BmyTq"] },
  },
  RetryAfter: {
    description: "Seconds to wait before you retry.",
    schema: { type: "integer", minimum: 1, examples: [1] },
  },
  RateLimitLimit: {
    description: "The number of requests that the workspace may make at once after a pause.",
    schema: { type: "integer", minimum: 1, examples: [100] },
  },
  RateLimitRemaining: {
    description: "The number of requests that it may make at once now.",
    schema: { type: "integer", minimum: 0, examples: [99] },
  },
  RateLimitReset: {
    description: "Seconds until `X-RateLimit-Remaining` is `X-RateLimit-Limit` again, if there are no more requests.",
    schema: { type: "integer", minimum: 0, examples: [1] },
  },
  IdempotentReplayed: {
    description:
      "`true` if this is the stored response to an earlier request with the same Idempotency-Key; otherwise absent.",
    schema: { type: "string", const: "true" },
  },
  Authenticate: {
    description: "The authentication scheme.",
    schema: { type: "string", const: "Bearer" },
  },
} satisfies Record<string, HeaderObject>;

export function contentOf(
  schema: SchemaObject,
  examples: NonNullable<Content["application/json"]>["examples"],
): Content {
  return { "application/json": { schema, examples } };
}

/** Every code that the endpoint may answer with: `invalid_request` first, then the common codes, then its own. */
export function codesOf(endpoint: ApiEndpoint): ProblemCode[] {
  const { body, form, query, reference } = endpoint;
  // A malformed path gives `not_found`, and a malformed `Range` is ignored; every other input can be an invalid request.
  const canBeWrong = body !== undefined || form !== undefined || query !== undefined;
  return [
    ...new Set([...(canBeWrong ? (["invalid_request"] as const) : []), ...commonCodes, ...(reference.problems ?? [])]),
  ];
}

export function responsesOf(endpoint: ApiEndpoint, components: Components): OperationObject["responses"] {
  const { keys, success, status: successStatus = 200, created, scheduled } = endpoint.reference;
  const codes = codesOf(endpoint);
  const statuses = [...new Set(codes.map((code) => answers[code].status))].sort((a, b) => a - b);
  const refusals = statuses.map((status) => {
    const codesWithStatus = codes.filter((code) => answers[code].status === status);
    const isReplayable = keys !== undefined && REPLAYABLE_STATUSES.includes(status);
    const hasBody = endpoint.body !== undefined || endpoint.form !== undefined;
    const make = (): ResponseObject => refusal(codesWithStatus, { isReplayable, hasBody }, components);
    const [code, ...others] = codesWithStatus;
    const isShared = code !== undefined && others.length === 0 && !isReplayable;
    return [String(status), isShared ? components.useResponse(responseName(code, hasBody), make) : make()];
  });
  const isFile = endpoint.output.contentType !== undefined;
  const make = (description: string) =>
    isFile ? fileSuccess(description) : { ...content(endpoint, components), description };
  return {
    [successStatus]: make(success),
    ...(created === undefined ? {} : { 201: make(created) }),
    ...(scheduled === undefined ? {} : { 202: make(scheduled) }),
    ...(isFile ? fileAnswers() : {}),
    ...Object.fromEntries(refusals),
  };
}

function content(endpoint: ApiEndpoint, components: Components) {
  const { keys, example, meta } = endpoint.reference;
  const { data, meta: metaSchema }: Record<string, TSchema> = endpoint.output.properties;
  const usualMeta = { page: 1, per_page: 50, total: 1, has_more: false, next: null };
  const value = isList(endpoint.output) ? { data: example, meta: meta ?? usualMeta } : { data: example };
  const properties = Object.fromEntries(
    Object.entries({ data, meta: metaSchema }).flatMap(([name, schema]) =>
      schema === undefined ? [] : [[name, components.use(schema)]],
    ),
  );
  return {
    description: "",
    headers: headersOf([], keys !== undefined),
    content: contentOf({ type: "object", properties, required: Object.keys(properties) }, { success: { value } }),
  };
}

/** The bytes of a file, of any type. */
function fileSuccess(description: string): ResponseObject {
  const content = { "*/*": { schema: { type: "string", format: "binary" } } };
  return { description, headers: headersOf([], false), content };
}

/** What else a request for a file, or for a part of one, may get. */
const fileAnswers = (): Record<string, ResponseObject> => ({
  206: fileSuccess("The requested part of the file."),
  304: { description: "The caller's copy is current.", headers: headersOf([], false) },
  416: { description: "The file has no such part.", headers: headersOf([], false) },
});

function responseName(code: ProblemCode, hasBody: boolean): string {
  return code === "invalid_request" && !hasBody ? "InvalidParameter" : pascalCase(code);
}

function refusal(
  codes: readonly ProblemCode[],
  { isReplayable, hasBody }: { isReplayable: boolean; hasBody: boolean },
  components: Components,
): ResponseObject {
  return {
    description: codes.length === 1 ? sentence(codes[0]) : codes.map((code) => `- ${sentence(code)}`).join("\n"),
    headers: headersOf(codes, isReplayable),
    content: contentOf(
      components.use(errorSchema(codes)),
      Object.assign({}, ...codes.map((code) => examplesOf(code, { hasBody, takesKey: isReplayable }))),
    ),
  };
}

function sentence(code: ProblemCode | undefined): string {
  return code === undefined ? "" : `\`${code}\`: ${codeDescriptions[code].description}`;
}

function headersOf(codes: readonly ProblemCode[], isReplayable: boolean): Record<string, ReferenceObject> {
  const reference = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });
  // Only an authenticated request has a limit.
  const isForUnknown = codes.includes("unauthenticated");
  const hasRetryAfter = codes.includes("rate_limited") || codes.includes("unavailable");
  return {
    "X-Request-Id": reference("RequestId"),
    ...(isForUnknown
      ? {}
      : {
          "X-RateLimit-Limit": reference("RateLimitLimit"),
          "X-RateLimit-Remaining": reference("RateLimitRemaining"),
          "X-RateLimit-Reset": reference("RateLimitReset"),
        }),
    ...(hasRetryAfter ? { "Retry-After": reference("RetryAfter") } : {}),
    ...(isForUnknown ? { "WWW-Authenticate": reference("Authenticate") } : {}),
    ...(isReplayable ? { "Idempotent-Replayed": reference("IdempotentReplayed") } : {}),
  };
}

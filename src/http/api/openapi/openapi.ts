/**
 * Builds the OpenAPI document from the declarations of the endpoints and views alone. The document that the server
 * serves, the one that `waxwing openapi` prints and the one in the repository are this same text.
 */

import type { TSchema } from "@sinclair/typebox";
import { defaultScopes, type Scope, scopeRows, scopes } from "#src/domain/workspaces/scopes.ts";
import { PREFIX } from "../../answer.ts";
import { type ApiEndpoint, mayLackBody } from "../../endpoints/endpoint.ts";
import { apiEndpoints } from "../../endpoints/endpoints.ts";
import { IdempotencyHeader } from "../../idempotency.ts";
import type { OpenApiDocument, OperationObject, ParameterObject } from "./document.ts";
import { webhooksOf } from "./events.ts";
import introduction from "./introduction.md" with { type: "text" };
import { contentOf, headers, responsesOf } from "./responses.ts";
import { Components } from "./schemas.ts";

/** The version of the interface, as in its path; independent of the server's version. */
const API_VERSION = "1.0";

const tags = [
  {
    name: "Workspace",
    description: "The workspace that an API key belongs to, with its sending numbers and its balance.",
  },
  { name: "Messages", description: "Send a message to one person, and check its status." },
  {
    name: "Broadcasts",
    description:
      "Send a template to many people, now or at a scheduled time: to a list of phone numbers or to a group. The status of each recipient is tracked.",
  },
  {
    name: "Contacts",
    description:
      "The contacts of the workspace: their profiles and their consent, with lists for syncing. Only the person can undo an opt-out.",
  },
  {
    name: "Conversations",
    description:
      "The conversations of the workspace, one for each person on each of its numbers, and who may answer in them. They need a key with the scope `inbox`.",
  },
  {
    name: "Groups",
    description:
      "Static groups, to which contacts are added explicitly, and dynamic groups, which contain every contact that matches a filter.",
  },
  {
    name: "Templates",
    description: "Message templates. Once the network has approved a template, it can be sent at any time.",
  },
  {
    name: "Media",
    description:
      "The pictures, videos, voice messages, stickers and documents that people send, and the files that are uploaded to be sent.",
  },
  { name: "Events", description: "Events that are posted to the workspace's webhook URL as they happen." },
  {
    name: "Webhooks",
    description:
      "The addresses that events are posted to, up to ten, each with its own types and secret. They need a key with the scope `webhooks`.",
  },
];

/** Every operation takes it. */
const requestIdParameter: ParameterObject = {
  name: "X-Request-Id",
  in: "header",
  required: false,
  description:
    "Your own id of the request, which the response repeats and the server's log records. A value of another form is replaced.",
  schema: { type: "string", pattern: "^[A-Za-z0-9._:-]{1,128}$", examples: ["checkout-7f3a"] },
};

/** Indented, with a newline at the end. */
export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(), null, 2)}\n`;
}

export function openApiDocument(): OpenApiDocument {
  const components = new Components();
  const paths: OpenApiDocument["paths"] = {};
  for (const endpoint of apiEndpoints) {
    const operations = paths[endpoint.path] ?? {};
    operations[endpoint.method.toLowerCase()] = operation(endpoint, components);
    paths[endpoint.path] = operations;
  }
  const webhooks = webhooksOf(components);
  return {
    openapi: "3.1.0",
    info: {
      title: "Waxwing API",
      version: API_VERSION,
      summary: "Send WhatsApp messages and receive their delivery status.",
      description: introduction,
      contact: { name: "The operator of this server" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: PREFIX, description: "This server" }],
    security: [{ key: [] }],
    tags,
    paths,
    webhooks,
    components: {
      schemas: components.schemas,
      responses: components.responses,
      headers,
      parameters: { RequestId: requestIdParameter },
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description: `An API key of the workspace, as printed by \`waxwing key create\`. A key does what its scopes allow; made without \`--scopes\`, it has ${defaultScopes.map(code).join(", ")}. ${scopes.map((scope) => `${code(scope)}: ${scopeRows[scope].description}`).join(" ")}`,
        },
      },
    },
  };
}

function operation(endpoint: ApiEndpoint, components: Components): OperationObject {
  const { key, body, form, reference } = endpoint;
  const { operationId, tag, summary, description, bodies } = reference;
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${description} ${describeScopes(key)}`,
    ...(key === null ? {} : { "x-scopes": key }),
    parameters: [...parametersOf(endpoint, components), { $ref: "#/components/parameters/RequestId" }],
    ...(body === undefined
      ? {}
      : { requestBody: { required: !mayLackBody(endpoint), content: contentOf(components.use(body), { ...bodies }) } }),
    ...(form === undefined
      ? {}
      : { requestBody: { required: true, content: { "multipart/form-data": { schema: components.use(form) } } } }),
    responses: responsesOf(endpoint, components),
  };
}

function describeScopes(accepted: readonly Scope[] | null): string {
  if (accepted === null) return "Every key may do this.";
  return `Needs a key with the scope ${accepted.map(code).join(" or ")}.`;
}

function code(scope: Scope): string {
  return `\`${scope}\``;
}

function parametersOf(endpoint: ApiEndpoint, components: Components): ParameterObject[] {
  const { params = {}, query = {}, reference } = endpoint;
  const { headers = {}, keys } = reference;
  const all = (place: ParameterObject["in"], schemas: Readonly<Record<string, TSchema>>) =>
    Object.entries(schemas).map(([name, schema]) => parameter(name, place, schema, components));
  const examples = Object.entries(keys ?? {}).map(([name, value]) => [name, { value }]);
  return [
    ...all("path", params),
    ...all("query", query),
    ...all("header", headers),
    ...all("header", keys === undefined ? {} : { "Idempotency-Key": IdempotencyHeader }).map((one) => ({
      ...one,
      examples: Object.fromEntries(examples),
    })),
  ];
}

/** A list in a query is written with commas. */
function parameter(
  name: string,
  place: ParameterObject["in"],
  { description = "", noun: _, ...schema }: TSchema,
  components: Components,
): ParameterObject {
  return {
    name,
    in: place,
    required: place === "path",
    description,
    ...(schema.type === "array" ? { style: "form", explode: false } : {}),
    schema: components.use(schema as TSchema),
  };
}

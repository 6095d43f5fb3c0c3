/**
 * Builds the OpenAPI document from the declarations of the endpoints and views alone. The document that the server
 * serves, the one that `waxwing openapi` prints and the one in the repository are this same text.
 */
import { type Endpoint, type Parameter, PREFIX } from "../../endpoint.ts";
import { endpoints } from "../endpoints.ts";
import type { OpenApiDocument, OperationObject, ParameterObject } from "./document.ts";
import { webhooksOf } from "./events.ts";
import introduction from "./introduction.md" with { type: "text" };
import { contentOf, headers, responsesOf } from "./responses.ts";
import { Components } from "./schemas.ts";

/** The version of the interface, as in its path; independent of the server's version. */
const API_VERSION = "1.0";

const tags = [
  { name: "Workspace", description: "The customer account that a key belongs to: its numbers and its balance." },
  { name: "Messages", description: "Send to one person, and see what became of it." },
  {
    name: "Broadcasts",
    description: "One template to many people: a list of numbers or a group, now or later, followed person by person.",
  },
  {
    name: "Contacts",
    description:
      "People: their data, their consent, and lists of both for syncing. Nobody but the person undoes an opt-out.",
  },
  { name: "Groups", description: "Lists of contacts, and saved searches." },
  { name: "Templates", description: "Texts that the network approved: the only ones that can be sent at any time." },
  { name: "Events", description: "What is posted to the workspace's webhook address, as soon as it happens." },
];

/** Indented, with a newline at the end. */
export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(), null, 2)}\n`;
}

export function openApiDocument(): OpenApiDocument {
  const components = new Components();
  const paths: OpenApiDocument["paths"] = {};
  for (const endpoint of endpoints) {
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
      summary: "Send WhatsApp messages, and hear what became of them.",
      description: introduction,
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
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description: "An API key of the workspace, as `waxwing key create` printed it.",
        },
      },
    },
  };
}

function operation(endpoint: Endpoint, components: Components): OperationObject {
  const { operationId, tag, summary, description, parameters, body } = endpoint;
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(parameters === undefined ? {} : { parameters: parameters.map((one) => parameter(one, components)) }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: contentOf(components.use(body.schema), { ...body.examples }) } }),
    responses: responsesOf(endpoint, components),
  };
}

function parameter({ schema, ...rest }: Parameter, components: Components): ParameterObject {
  return { ...rest, schema: components.use(schema) };
}

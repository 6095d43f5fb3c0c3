/** The parts of OpenAPI 3.1 that the document uses, shared by the code that builds it and the code that renders it. */
export type SchemaObject = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  enum?: readonly unknown[];
  const?: unknown;
  properties?: Record<string, SchemaObject>;
  required?: string[];
  items?: SchemaObject;
  additionalProperties?: boolean | SchemaObject;
  oneOf?: SchemaObject[];
  /** Which form a value has, by one of its members. */
  discriminator?: { propertyName: string; mapping: Record<string, string> };
} & Record<string, unknown>;

interface MediaTypeObject {
  schema: SchemaObject;
  examples: Record<string, { summary?: string; value: unknown }>;
}

/** JSON, a form with a file, or a file of any type. */
export interface Content {
  "application/json"?: MediaTypeObject;
  "multipart/form-data"?: Pick<MediaTypeObject, "schema">;
  "*/*"?: Pick<MediaTypeObject, "schema">;
}

export interface HeaderObject {
  description: string;
  schema: SchemaObject;
}

export interface ReferenceObject {
  $ref: string;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, ReferenceObject>;
  content?: Content;
}

export interface ParameterObject {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  schema: SchemaObject;
  examples?: Record<string, { value: unknown }>;
  style?: "form";
  explode?: boolean;
}

export interface OperationObject {
  operationId: string;
  tags: [string];
  summary: string;
  description: string;
  security?: [];
  /** One of these scopes opens the operation. Not in `security`, where validators take scopes for those of OAuth. */
  "x-scopes"?: readonly string[];
  /** References are to parameters of every operation. */
  parameters?: (ParameterObject | ReferenceObject)[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, ResponseObject | ReferenceObject>;
}

/** The parameters of the operation itself, without those of every operation. */
export function ownParameters({ parameters }: OperationObject): ParameterObject[] {
  return (parameters ?? []).filter((parameter) => "name" in parameter);
}

export interface OpenApiDocument {
  openapi: "3.1.0";
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    contact: Record<string, string>;
    license: Record<string, string>;
  };
  servers: { url: string; description: string }[];
  security: Record<string, []>[];
  tags: { name: string; description: string }[];
  /** By path, then by lower-case method. */
  paths: Record<string, Record<string, OperationObject>>;
  webhooks: Record<string, { post: OperationObject }>;
  components: {
    schemas: Record<string, SchemaObject>;
    responses: Record<string, ResponseObject>;
    headers: Record<string, HeaderObject>;
    parameters: Record<string, ParameterObject>;
    securitySchemes: Record<string, Record<string, string>>;
  };
}

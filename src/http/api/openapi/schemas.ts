/**
 * Converts the schemas of views and bodies to those of the document. A schema with a name (`$id`) appears once among
 * the components and is referenced everywhere else. TypeBox's own notation becomes plain JSON Schema 2020-12.
 */
import type { TSchema } from "@sinclair/typebox";
import { DOCUMENT_ONLY } from "#src/core/schema.ts";
import type { ReferenceObject, ResponseObject, SchemaObject } from "./document.ts";

type JsonObject = Record<string, unknown>;

export class Components {
  readonly #schemas = new Map<string, SchemaObject>();
  readonly #responses = new Map<string, ResponseObject>();

  /** The schema to insert into the document: a reference if it has a name. */
  use(schema: TSchema): SchemaObject {
    return this.#convert(plain(schema));
  }

  /** A reference to an answer that several endpoints share; `make` builds it on first use. */
  useResponse(name: string, make: () => ResponseObject): ReferenceObject {
    if (!this.#responses.has(name)) this.#responses.set(name, make());
    return { $ref: `#/components/responses/${name}` };
  }

  /** All referenced schemas, by name. */
  get schemas(): Record<string, SchemaObject> {
    return sorted(this.#schemas);
  }

  get responses(): Record<string, ResponseObject> {
    return sorted(this.#responses);
  }

  #convert(schema: JsonObject): SchemaObject {
    const shown = isObject(schema[DOCUMENT_ONLY]) ? schema[DOCUMENT_ONLY].shown : undefined;
    if (isObject(shown)) return this.#convert(shown);
    const { $id: name, ...rest } = withDocumentOnly(schema);
    if (typeof name !== "string") return this.#convertUnnamed(rest);
    const converted = this.#convertUnnamed(rest);
    const known = this.#schemas.get(name);
    if (known !== undefined && !Bun.deepEquals(known, converted)) throw new Error(`two schemas are called ${name}`);
    this.#schemas.set(name, converted);
    return { $ref: `#/components/schemas/${name}` };
  }

  #convertUnnamed({ anyOf, patternProperties, type, ...schema }: JsonObject): SchemaObject {
    if (Array.isArray(anyOf)) return { ...this.#convertUnion(anyOf.filter(isObject)), ...schema };
    // `type` first, because readers look for it first.
    const converted: JsonObject = type === undefined ? {} : { type };
    for (const [keyword, value] of Object.entries(schema)) {
      converted[keyword] =
        keyword === "properties" ? this.#convertMembers(value) : this.#convertKeyword(keyword, value);
    }
    // TypeBox writes a record with arbitrary keys as a single pattern that matches every key.
    const [values] = Object.values(isObject(patternProperties) ? patternProperties : {}).filter(isObject);
    if (values !== undefined) converted.additionalProperties = this.#convert(values);
    return converted;
  }

  #convertKeyword(keyword: string, value: unknown): unknown {
    const holdsSchema = keyword === "items" || keyword === "additionalProperties";
    return holdsSchema && isObject(value) ? this.#convert(value) : value;
  }

  #convertMembers(members: unknown): JsonObject {
    const named = Object.entries(isObject(members) ? members : {});
    return Object.fromEntries(named.map(([name, member]) => [name, isObject(member) ? this.#convert(member) : member]));
  }

  /**
   * The forms of every union in the API exclude each other. A simple type or null becomes one schema with two types,
   * not two forms.
   */
  #convertUnion(forms: JsonObject[]): SchemaObject {
    const others = forms.filter(({ type }) => type !== "null").map((form) => this.#convert(form));
    const [only] = others;
    if (others.length === forms.length) return { oneOf: others };
    if (others.length !== 1 || only === undefined || typeof only.type !== "string" || only.type === "object") {
      return { oneOf: [...others, { type: "null" }] };
    }
    const { enum: values } = only;
    return { ...only, type: [only.type, "null"], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
  }
}

/** The schema with the keywords that only the document has. */
function withDocumentOnly({ [DOCUMENT_ONLY]: added, ...schema }: JsonObject): JsonObject {
  if (!isObject(added)) return schema;
  const { properties, ...keywords } = added;
  if (!isObject(properties)) return { ...schema, ...keywords };
  return {
    ...schema,
    ...keywords,
    properties: { ...(isObject(schema.properties) ? schema.properties : {}), ...properties },
  };
}

function sorted<T>(named: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A copy without TypeBox's symbols. */
function plain(schema: TSchema): JsonObject {
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}

/** `not_found` → `NotFound`, `message.sent` → `MessageSent`. */
export function pascalCase(text: string): string {
  return text.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

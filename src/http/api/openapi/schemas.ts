/**
 * From the schemas of views and bodies to those of the document. A schema with a name (`$id`) stands once among the
 * components and is referred to everywhere else; what TypeBox spells in its own way is put into plain JSON Schema 2020-12.
 */
import type { TSchema } from "@sinclair/typebox";
import type { ReferenceObject, ResponseObject, SchemaObject } from "./document.ts";

type JsonObject = Record<string, unknown>;

export class Components {
  readonly #schemas = new Map<string, SchemaObject>();
  readonly #responses = new Map<string, ResponseObject>();

  /** The schema as the document has it at this place: a reference, where it has a name. */
  use(schema: TSchema): SchemaObject {
    return this.#convert(plain(schema));
  }

  /** A reference to an answer that several endpoints give alike; made by `make` where it is not known yet. */
  useResponse(name: string, make: () => ResponseObject): ReferenceObject {
    if (!this.#responses.has(name)) this.#responses.set(name, make());
    return { $ref: `#/components/responses/${name}` };
  }

  /** All schemas that were referred to, by name. */
  get schemas(): Record<string, SchemaObject> {
    return sorted(this.#schemas);
  }

  get responses(): Record<string, ResponseObject> {
    return sorted(this.#responses);
  }

  #convert(schema: JsonObject): SchemaObject {
    const { $id: name, ...rest } = schema;
    if (typeof name !== "string") return this.#convertUnnamed(rest);
    const converted = this.#convertUnnamed(rest);
    const known = this.#schemas.get(name);
    if (known !== undefined && !Bun.deepEquals(known, converted)) throw new Error(`two schemas are called ${name}`);
    this.#schemas.set(name, converted);
    return { $ref: `#/components/schemas/${name}` };
  }

  #convertUnnamed({ anyOf, patternProperties, type, ...schema }: JsonObject): SchemaObject {
    if (Array.isArray(anyOf)) return { ...this.#convertUnion(anyOf.filter(isObject)), ...schema };
    // The type comes first, because that is what a reader looks for.
    const converted: JsonObject = type === undefined ? {} : { type };
    for (const [keyword, value] of Object.entries(schema)) {
      converted[keyword] =
        keyword === "properties" ? this.#convertMembers(value) : this.#convertKeyword(keyword, value);
    }
    // TypeBox writes a record of any keys as one pattern that matches every key.
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

  /** Every union of ours is of forms that exclude each other. Something simple or null is one type, not two forms. */
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

function sorted<T>(named: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Without TypeBox's symbols, and a copy. */
function plain(schema: TSchema): JsonObject {
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

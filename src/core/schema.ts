/** JSON schema parts shared by all views, so that a time or a nullable field looks the same in the whole document. */
import { type ObjectOptions, type TProperties, type TSchema, type TUnsafe, Type } from "@sinclair/typebox";

/** Holds the keywords of a schema that only the OpenAPI document has. */
export const DOCUMENT_ONLY = "x-document";

/**
 * Adds keywords to a schema in the OpenAPI document. The server's validator ignores them: code checks the same and finds
 * better sentences. `properties` are added to those of the schema.
 */
export function inDocument<T extends TSchema>(schema: T, keywords: Readonly<Record<string, unknown>>): T {
  return { ...schema, [DOCUMENT_ONLY]: keywords };
}

/** A schema that the OpenAPI document shows as another one, which says the same to a compiler. */
export function shownAs<T extends TSchema>(schema: T, shown: TSchema): T {
  return { ...schema, [DOCUMENT_ONLY]: { shown } };
}

/** A member that a form of a union must not have, so that a program with members of two forms does not compile. */
export function absent(description: string) {
  return { type: "null", not: {}, description };
}

/**
 * Forms of a union that differ in what is absent. Every body that is valid has two members; saying so keeps Redocly from
 * comparing the forms member by member, which does not see that `type: null` with `not` never matches.
 */
export const FORM = { minProperties: 2 };

/** At least one character that is not white space. */
export const NOT_BLANK = { pattern: "\\S" };

/** An object that comes in: additional members are refused. */
export function Form<Members extends TProperties>(members: Members, options: ObjectOptions = {}) {
  return Type.Object(members, { additionalProperties: false, ...options });
}

/** An object with a name in the OpenAPI document, where it stands once among the components. */
export function Component<Members extends TProperties>($id: string, description: string, members: Members) {
  return Type.Object(members, { $id, description });
}

/** A `Form` with a name in the OpenAPI document. */
export function FormComponent<Members extends TProperties>($id: string, description: string, members: Members) {
  return Form(members, { $id, description });
}

/** A time as printed in every answer. */
export function Instant(description?: string) {
  return Type.String({
    format: "date-time",
    ...(description === undefined ? {} : { description }),
    examples: ["2026-11-21T08:44:26+05:30"],
  });
}

/**
 * The value or null; the field itself is always present. `description` describes the field if the value's schema has a
 * description of its own.
 */
export function Nullable<T extends TSchema>(schema: T, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** One of a fixed list of words; rendered as a plain `enum`. */
export function OneOf<const Values extends readonly string[]>(
  values: Values,
  description?: string,
): TUnsafe<Values[number]> {
  return Type.Unsafe<Values[number]>({
    type: "string",
    enum: [...values],
    ...(description === undefined ? {} : { description }),
  });
}

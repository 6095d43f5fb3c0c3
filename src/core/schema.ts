/** JSON schema parts shared by all views, so that a time or a nullable field looks the same in the whole document. */
import { type TSchema, type TUnsafe, Type } from "@sinclair/typebox";

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

/** Pieces of JSON schema that every view shares, so that a time or a null looks the same in the whole document. */
import { type TSchema, type TUnsafe, Type } from "@sinclair/typebox";

/** A time as every answer prints it. */
export function Instant(description?: string) {
  return Type.String({
    format: "date-time",
    ...(description === undefined ? {} : { description }),
    examples: ["2026-11-21T08:44:26+05:30"],
  });
}

/** The value or null; the field itself is always there. `description`: of the field, where the value has its own. */
export function Nullable<T extends TSchema>(schema: T, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** One of a fixed list of words; prints as a plain `enum`. */
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

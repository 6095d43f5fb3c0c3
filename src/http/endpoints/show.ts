/**
 * Shows a row of the database as the console's schema declares it: each member has the value of the row's column of the
 * same name (`last_used_at` of `lastUsedAt`), and a time is formatted. What the row does not have is given; forgetting it
 * does not compile.
 */
import type { Static, TObject, TSchema } from "@sinclair/typebox";

type Column<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Column<Rest>>}`
  : Name;

/** A time is a number in the database and a text in an answer. */
type Formatted<Value> = Value extends number ? string : Value;

type Found<View, Row> = {
  [Name in keyof View & string]: Column<Name> extends keyof Row
    ? [Row[Column<Name>]] extends [View[Name]]
      ? Name
      : [Formatted<Row[Column<Name>]>] extends [View[Name]]
        ? Name
        : never
    : never;
}[keyof View & string];

type Given<View, Row> = Omit<View, Found<View, Row>> & Partial<View>;

/** `when`: formats a time for the reader. */
export function show<Schema extends TObject, Row extends object>(
  schema: Schema,
  row: Row,
  when: (ms: number) => string,
  given: Given<Static<Schema>, Row>,
): Static<Schema> {
  const values = row as Readonly<Record<string, unknown>>;
  const members = Object.entries<TSchema>(schema.properties).map(([name, member]) => {
    if (name in given) return [name, given[name as keyof typeof given]];
    const value = values[name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())];
    return [name, typeof value === "number" && isTime(member) ? when(value) : value];
  });
  return Object.fromEntries(members) as Static<Schema>;
}

function isTime({ format, anyOf = [] }: TSchema): boolean {
  return format === "date-time" || (anyOf as TSchema[]).some(isTime);
}

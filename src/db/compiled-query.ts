/**
 * Runs what drizzle has prepared without drizzle's own work per call: its list of parameters and its description of a
 * row are read once, so that a call fills an array and a row becomes an object in one pass. Only what this knows is
 * taken over (selected fields, placeholders, inner joins); any other prepared query stays as it is.
 */
import { Column, is, Param, Placeholder, SQL } from "drizzle-orm";
import type { Client } from "./driver.ts";

type Values = Readonly<Record<string, unknown>>;
type Row = readonly unknown[];
type Fields = readonly { path: readonly string[]; field: unknown }[];

/** What drizzle's prepared query for this driver is made of (better-sqlite3/session.js, PreparedQuery). */
interface PreparedQueryInternals {
  stmt?: ReturnType<Client["prepare"]>;
  query?: { params: readonly unknown[] };
  fields?: Fields;
  customResultMapper?: unknown;
  joinsNotNullableMap?: Readonly<Record<string, boolean>>;
}

interface Coder {
  mapToDriverValue(value: unknown): unknown;
  mapFromDriverValue(value: unknown): unknown;
}

export function compileQuery<Prepared extends object>(prepared: Prepared): Prepared {
  const { stmt, query, fields, customResultMapper, joinsNotNullableMap } = prepared as PreparedQueryInternals;
  // A left join turns the missing side into null as a whole: that is drizzle's to do.
  const hasLeftJoin = Object.values(joinsNotNullableMap ?? {}).includes(false);
  if (stmt === undefined || query === undefined || customResultMapper !== undefined || hasLeftJoin) return prepared;
  const mapRow = fields === undefined ? null : createRowMapper(fields);
  const bind = createBinder(query.params);
  const compiled = Object.create(prepared) as Prepared;
  Object.assign(compiled, { run: (values: Values = {}) => stmt.run(bind(values)) });
  if (mapRow === null) return compiled;
  // Once: a statement that was told to return rows as arrays does so for ever.
  stmt.raw();
  return Object.assign(compiled, {
    get: (values: Values = {}) => {
      const row = stmt.get(bind(values)) as Row | undefined;
      return row === undefined ? undefined : mapRow(row);
    },
    all: (values: Values = {}) => (stmt.all(bind(values)) as Row[]).map(mapRow),
  });
}

function createBinder(params: readonly unknown[]): (values: Values) => unknown[] {
  const sources = params.map((param) => {
    if (is(param, Placeholder)) return { name: param.name, encoder: null, constant: null };
    if (is(param, Param) && is(param.value, Placeholder)) {
      const encoder = param.encoder as Coder;
      const isPlain = encoder.mapToDriverValue === Column.prototype.mapToDriverValue;
      return { name: param.value.name, encoder: isPlain ? null : encoder, constant: null };
    }
    return { name: null, encoder: null, constant: param };
  });
  return (values) =>
    sources.map(({ name, encoder, constant }) => {
      if (name === null) return constant;
      const value = values[name];
      if (value === undefined) throw new Error(`no value was given for the placeholder ${name}`);
      return encoder === null ? value : encoder.mapToDriverValue(value);
    });
}

/** Null where a field is of a kind that this does not know. */
function createRowMapper(fields: Fields): ((row: Row) => unknown) | null {
  const coders: (Coder | null)[] = [];
  const members: string[] = [];
  let group: string | null = null;
  for (const [index, { path, field }] of fields.entries()) {
    const coder = findCoder(field);
    const outer = path.length > 1 ? (path[0] ?? null) : null;
    if (coder === undefined || path.length > 2) return null;
    coders.push(coder);
    if (outer !== group) {
      members.push(`${group === null ? "" : "},"}${outer === null ? "" : `${JSON.stringify(outer)}:{`}`);
      group = outer;
    }
    const value = `row[${index}]`;
    const decoded = `(${value} === null ? null : coders[${index}].mapFromDriverValue(${value}))`;
    members.push(`${JSON.stringify(path.at(-1))}:${coder === null ? value : decoded},`);
  }
  if (group !== null) members.push("}");
  // An object literal with its names written out is several times faster than one that is filled name by name. The
  // names are those of our own tables.
  return new Function("coders", `return (row) => ({${members.join("")}})`)(coders) as (row: Row) => unknown;
}

/** Null: the driver's value as it is. Undefined: unknown. */
function findCoder(field: unknown): Coder | null | undefined {
  if (is(field, Column)) {
    return field.mapFromDriverValue === Column.prototype.mapFromDriverValue ? null : (field as Coder);
  }
  return is(field, SQL) ? (field as unknown as { decoder: Coder }).decoder : undefined;
}

/**
 * Runs queries that drizzle has prepared without drizzle's per-call overhead. The parameter list and the row
 * description are read once; after that, a call fills an array and turns each row into an object in one pass. Supports
 * selected fields, placeholders and inner joins. Any other prepared query is returned unchanged.
 */
import { Column, is, Param, Placeholder, SQL } from "drizzle-orm";
import type { Client } from "./driver.ts";

type Values = Readonly<Record<string, unknown>>;
type Row = readonly unknown[];
type Fields = readonly { path: readonly string[]; field: unknown }[];

/** The internals of drizzle's prepared query for this driver (better-sqlite3/session.js, PreparedQuery). */
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
  // With a left join, drizzle turns the whole missing side into null: leave those queries to drizzle.
  const hasLeftJoin = Object.values(joinsNotNullableMap ?? {}).includes(false);
  if (stmt === undefined || query === undefined || customResultMapper !== undefined || hasLeftJoin) return prepared;
  const mapRow = fields === undefined ? null : createRowMapper(fields);
  const bind = createBinder(query.params);
  const compiled = Object.create(prepared) as Prepared;
  Object.assign(compiled, { run: (values: Values = {}) => stmt.run(bind(values)) });
  if (mapRow === null) return compiled;
  // Called once: a statement that has been switched to returning rows as arrays stays that way.
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

/** Returns null if any field has an unsupported type. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: it writes one text, whose brackets open and close in one loop.
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
  // An object literal with fixed member names is several times faster than an object filled member by member. The names
  // come from our own tables, never from input.
  return new Function("coders", `return (row) => ({${members.join("")}})`)(coders) as (row: Row) => unknown;
}

/** Null: use the driver's value unchanged. Undefined: the field's type is not supported. */
function findCoder(field: unknown): Coder | null | undefined {
  if (is(field, Column)) {
    return field.mapFromDriverValue === Column.prototype.mapFromDriverValue ? null : (field as Coder);
  }
  return is(field, SQL) ? (field as unknown as { decoder: Coder }).decoder : undefined;
}

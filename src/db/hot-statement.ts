/**
 * Hot statements: the SQL of every message, status, delivery and job, written out and run by the driver itself, without
 * the cost of a query builder at each call. They live in the `statements.ts` of their module. The compiler derives the
 * placeholders from the SQL text, so a misspelt one does not compile. A statement is compiled once per connection, at
 * its first use; its result is then compared with the declared row. Those that only find, insert or delete rows of one
 * table by their columns follow from the table: see `hot-table.ts`.
 *
 * **A compared parameter is written with a unary plus: `id = +:id`, `LIMIT +:limit`.** While SQLite plans a statement
 * that sorts, has a limit or might use a partial index, it looks at the value of a bare parameter, in case the value
 * allows a better plan. It discards such a plan when the parameter is bound again, so it would parse and plan the text
 * at every call (measured: 16 µs instead of 0.7 for a short list). The plus makes the parameter an expression, which
 * the planner does not evaluate; the comparison keeps the column's affinity and still uses an index. The plus is written
 * everywhere, so that no author has to know where SQLite looks. (SQLite has a switch for this,
 * `SQLITE_DBCONFIG_ENABLE_QPSG`, which the driver does not offer.)
 */
import type { Statement } from "better-sqlite3";
import { type Column, type GetColumnData, getTableName, is, Column as TableColumn } from "drizzle-orm";
import { oncePerConnection, type ReadTx } from "./transaction.ts";

/** A parameter or a result that is not a column of a table, such as a limit or a count. Stored as it is. */
interface Scalar<Value> {
  /** Only for the compiler; never set. */
  readonly value?: Value;
}

export const integer: Scalar<number> = {};
export const integerOrNull: Scalar<number | null> = {};
/** The driver stores a number of more than 32 bits as a real, which a column's affinity mends; a virtual table has none. */
export const wide: Scalar<bigint> = {};
export const string: Scalar<string> = {};
export const stringOrNull: Scalar<string | null> = {};

type Kind = Column | Scalar<unknown>;
type Kinds = Readonly<Record<string, Kind>>;

type ValueOf<One extends Kind> = One extends Column
  ? GetColumnData<One>
  : One extends Scalar<infer Value>
    ? Value
    : never;

/** The values of a statement's parameters, or a row of its result. */
export type Values<Row extends Kinds> = { [Name in keyof Row]: ValueOf<Row[Name]> };

type UpTo<Text extends string, End extends string> = Text extends `${infer Before}${End}${string}` ? Before : Text;

/** The identifier at the beginning of the text. */
type LeadingName<Text extends string> = UpTo<UpTo<UpTo<UpTo<UpTo<Text, "\n">, " ">, ",">, ")">, ";">;

/** The names after the colons of an SQL text. */
type PlaceholderNames<Text extends string, Found extends string = never> = Text extends `${string}:${infer Rest}`
  ? PlaceholderNames<Rest, Found | LeadingName<Rest>>
  : Found;

type Parameters<Text extends string, Known extends Kinds> = {
  [Name in PlaceholderNames<Text>]: ValueOf<Known[Name] extends Kind ? Known[Name] : never>;
};

/** A statement without placeholders takes no values. */
type Given<Text extends string, Known extends Kinds> = [PlaceholderNames<Text>] extends [never]
  ? []
  : [values: Parameters<Text, Known>];

export interface Write<Parameters extends unknown[]> {
  /** Returns the number of rows that it inserted, changed or deleted. */
  run(...parameters: Parameters): number;
  /** For an INSERT of one row into a table with an integer key: returns the key. Cheaper than RETURNING. */
  insert(...parameters: Parameters): number;
}

export interface Query<Parameters extends unknown[], Row> {
  get(...parameters: Parameters): Row | undefined;
  /** The row of a statement that always returns one, such as an INSERT. Throws if there is none. */
  only(...parameters: Parameters): Row;
  all(...parameters: Parameters): Row[];
}

/** What a test needs to know about a statement. */
export interface Declared {
  readonly text: string;
  readonly parameters: Kinds;
  readonly row: Kinds | null;
}

/** Refuses a text whose placeholders the compiler cannot see. A text may contain parts without placeholders. */
type Readable<Text extends string> = string extends Text ? never : unknown;

/**
 * Declares a statement that returns no rows. `parameters` says what each placeholder of the text stands for: usually the
 * columns of a table, whose conversions then apply, and a `Scalar` for any other. It may know more names than the text.
 */
export function hotWrite<const Text extends string, const Known extends Record<PlaceholderNames<Text>, Kind>>(
  text: Text & Readable<Text>,
  parameters: Known,
): ((tx: ReadTx) => Write<Given<Text, Known>>) & Declared {
  return declareWrite({ text, parameters, row: null });
}

/** The same of a text whose parameters the caller's type says. */
export function declareWrite<Parameters extends [] | [Bound]>(
  declared: Declared,
): ((tx: ReadTx) => Write<Parameters>) & Declared {
  const write = oncePerConnection((db) =>
    compileWrite<Parameters>(db.$client.prepare(byPosition(declared.text)), declared),
  );
  return Object.assign(write, declared);
}

/** Declares a statement that returns rows. `row` gives each column of the result, by the name that it has there. */
export function hotQuery<
  const Text extends string,
  const Known extends Record<PlaceholderNames<Text>, Kind>,
  const Row extends Kinds,
>(
  text: Text & Readable<Text>,
  parameters: Known,
  row: Row,
): ((tx: ReadTx) => Query<Given<Text, Known>, Values<Row>>) & Declared {
  return declareQuery({ text, parameters, row });
}

/** The same of a text whose parameters the caller's type says. */
export function declareQuery<Parameters extends [] | [Bound], Row>(
  declared: Declared & { row: Kinds },
): ((tx: ReadTx) => Query<Parameters, Row>) & Declared {
  const query = oncePerConnection((db) =>
    compileQuery<Parameters, Row>(db.$client.prepare(byPosition(declared.text)), declared),
  );
  return Object.assign(query, declared);
}

/**
 * The columns of a table or of a part of it for a SELECT or RETURNING, each under the name that the code has for it.
 * `from` is the table's name in a statement that reads several.
 */
export function columns(row: Readonly<Record<string, Column>>, from?: string): string {
  const prefix = from === undefined ? "" : `${from}.`;
  return Object.entries(row)
    .map(([name, column]) => `${prefix}"${columnName(column)}" AS "${name}"`)
    .join(", ");
}

/**
 * The placeholders of these columns, separated by commas. The type names one of them at a time, from which the compiler
 * reads the names of all.
 */
export function placeholders<Name extends string>(names: readonly Name[]): `:${Name}` {
  return names.map((name) => `:${name}`).join(", ") as `:${Name}`;
}

/** A column's name in the file. The tables do not repeat it: see `casing` in `store.ts`. */
export function columnName({ name, keyAsName }: Column): string {
  return keyAsName ? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : name;
}

type Bound = Record<string, unknown>;

function compileWrite<Parameters extends [] | [Bound]>(statement: Statement, declared: Declared): Write<Parameters> {
  const bind = binder(declared);
  return {
    run: (values: Bound = NO_VALUES) => statement.run(bind(values)).changes,
    insert: (values: Bound = NO_VALUES) => Number(statement.run(bind(values)).lastInsertRowid),
  };
}

function compileQuery<Parameters extends [] | [Bound], Row>(
  statement: Statement,
  declared: Declared & { row: Kinds },
): Query<Parameters, Row> {
  requireColumns(statement, declared);
  const bind = binder(declared);
  const read = rowConverter(declared.row);
  const toRow = (found: unknown): Row => {
    if (read !== null) read(found as Bound);
    return found as Row;
  };
  const get = (values: Bound = NO_VALUES): Row | undefined => {
    const found = statement.get(bind(values));
    return found === undefined ? undefined : toRow(found);
  };
  return {
    get,
    only: (values: Bound = NO_VALUES) => {
      const found = get(values);
      if (found === undefined) throw new Error(`no row was returned by ${declared.text}`);
      return found;
    },
    all: (values: Bound = NO_VALUES) => statement.all(bind(values)).map(toRow),
  };
}

const NO_VALUES: Bound = {};

/**
 * Values are bound by position, each as often as its placeholder occurs: the driver looks every name up, which costs a
 * statement with twelve of them a quarter of its time.
 */
function binder({ text, parameters }: Declared): (values: Bound) => unknown[] {
  const names: string[] = [];
  const converts: (Conversion | null)[] = [];
  for (const [, name = ""] of text.matchAll(PLACEHOLDER)) {
    const kind = parameters[name];
    if (kind === undefined) throw new Error(`the placeholder ${name} is not declared for ${text}`);
    names.push(name);
    converts.push(conversionOf(name, kind, "toFile"));
  }
  return (values) => {
    const bound: unknown[] = [];
    // A loop, because a closure for each value costs a tenth of a short statement.
    for (let place = 0; place < names.length; place++) {
      const name = names[place] ?? "";
      const value = values[name];
      const convert = converts[place];
      if (value === undefined && !Object.hasOwn(values, name)) throw new RangeError(`no value for ${name} in ${text}`);
      bound.push(convert == null || value === null || value === undefined ? value : convert(value));
    }
    return bound;
  };
}

const PLACEHOLDER = /:(\w+)/g;

function byPosition(text: string): string {
  return text.replace(PLACEHOLDER, "?");
}

/**
 * How values that SQLite does not have are stored. Every other type of column is stored as it is; a type that is in
 * neither list is refused, so that a new one is not written unconverted.
 */
const conversions = {
  boolean: { toFile: (value: unknown) => (value === true ? 1 : 0), fromFile: (value: unknown) => value === 1 },
  json: { toFile: (value: unknown) => JSON.stringify(value), fromFile: (value: unknown) => JSON.parse(String(value)) },
} as const;
const STORED_AS_THEY_ARE = ["number", "string", "custom"];

type Conversion = (value: unknown) => unknown;

/** How a value of this column is stored. Null: as it is. */
export function toFileConversion(name: string, column: Column): Conversion | null {
  return conversionOf(name, column, "toFile");
}

/** Null: values of this kind are stored as they are. */
function conversionOf(name: string, kind: Kind, direction: "toFile" | "fromFile"): Conversion | null {
  if (!isColumn(kind) || STORED_AS_THEY_ARE.includes(kind.dataType)) return null;
  if (kind.dataType !== "boolean" && kind.dataType !== "json") {
    throw new Error(`hot statements cannot convert ${name}, a ${kind.dataType}`);
  }
  return conversions[kind.dataType][direction];
}

/** Converts the values of a row that need it, in place; null stays null. Null instead of a function: none needs it. */
function rowConverter(kinds: Kinds): ((row: Bound) => void) | null {
  const steps = Object.entries(kinds).flatMap(([name, kind]) => {
    const convert = conversionOf(name, kind, "fromFile");
    return convert === null ? [] : [{ name, convert }];
  });
  if (steps.length === 0) return null;
  return (row) => {
    for (const { name, convert } of steps) {
      const value = row[name];
      if (value !== null && value !== undefined) row[name] = convert(value);
    }
  };
}

function isColumn(kind: Kind): kind is Column {
  return is(kind, TableColumn);
}

/** Throws unless the result has exactly the declared columns, each read from the declared column of its table. */
function requireColumns(statement: Statement, { text, row }: { text: string; row: Kinds }): void {
  const found = statement.columns();
  const missing = Object.keys(row).filter((name) => !found.some((column) => column.name === name));
  if (missing.length > 0) throw new Error(`no column ${missing.join(", ")} in the result of ${text}`);
  for (const { name, column, table } of found) {
    const kind = row[name];
    if (kind === undefined) throw new Error(`the column ${name} is not declared for the result of ${text}`);
    // A computed column, or one that an INSERT or UPDATE returns, comes from no table.
    if (!isColumn(kind) || column === null) continue;
    if (column !== columnName(kind) || table !== getTableName(kind.table)) {
      throw new Error(`${name} is declared as another column than ${table}.${column} in ${text}`);
    }
  }
}

/**
 * The hot statements that say nothing but which columns of one table they read, write and are found by: their SQL
 * follows from the table. Any other is written out: see `hot-statement.ts`.
 */
import { type Column, getTableColumns, getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import {
  columnName,
  columns,
  type Declared,
  declareQuery,
  declareWrite,
  placeholders,
  type Query,
  type Values,
  type Write,
} from "./hot-statement.ts";
import type { ReadTx } from "./transaction.ts";

type Columns<Table extends SQLiteTable> = Table["_"]["columns"];
type Name<Table extends SQLiteTable> = keyof Columns<Table> & string;
type Given<Table extends SQLiteTable, By extends Name<Table>> = [values: Values<Pick<Columns<Table>, By>>];

/**
 * Declares the SELECT of the rows with given values in the columns `by`, then `rest`: further conditions, which begin with AND, and
 * the order, without placeholders. `take`: the columns that are read; absent: all.
 */
export function hotFind<
  Table extends SQLiteTable,
  const By extends Name<Table>,
  const Take extends Name<Table> = Name<Table>,
>(
  table: Table,
  by: readonly By[],
  { rest = "", take }: { rest?: string; take?: readonly Take[] } = {},
): ((tx: ReadTx) => Query<Given<Table, By>, Values<Pick<Columns<Table>, Take>>>) & Declared {
  const all: Record<string, Column> = getTableColumns(table);
  const row =
    take === undefined ? all : Object.fromEntries(Object.entries(all).filter(([name]) => take.includes(name as Take)));
  const text = `SELECT ${columns(row)} FROM ${getTableName(table)} WHERE ${matching(all, by)} ${rest}`.trimEnd();
  return declareQuery({ text, parameters: all, row });
}

/** Declares the INSERT of a row that gives these columns, then `rest`: what is done where the row exists, without placeholders. */
export function hotInsert<Table extends SQLiteTable, const Given extends Name<Table>>(
  table: Table,
  names: readonly Given[],
  rest = "",
): ((tx: ReadTx) => Write<[values: Values<Pick<Columns<Table>, Given>>]>) & Declared {
  const all: Record<string, Column> = getTableColumns(table);
  const into = names.map((name) => columnNameIn(all, name)).join(", ");
  const text = `INSERT INTO ${getTableName(table)} (${into}) VALUES (${placeholders(names)}) ${rest}`.trimEnd();
  return declareWrite({ text, parameters: all, row: null });
}

/** Declares the DELETE of the rows with given values in these columns. */
export function hotDelete<Table extends SQLiteTable, const By extends Name<Table>>(
  table: Table,
  by: readonly By[],
): ((tx: ReadTx) => Write<Given<Table, By>>) & Declared {
  const all: Record<string, Column> = getTableColumns(table);
  const text = `DELETE FROM ${getTableName(table)} WHERE ${matching(all, by)}`;
  return declareWrite({ text, parameters: all, row: null });
}

function matching(all: Readonly<Record<string, Column>>, by: readonly string[]): string {
  return by.map((name) => `${columnNameIn(all, name)} = +:${name}`).join(" AND ");
}

function columnNameIn(all: Readonly<Record<string, Column>>, name: string): string {
  const column = all[name];
  if (column === undefined) throw new Error(`the table has no column ${name}`);
  return columnName(column);
}

/**
 * The plain statements about the rows of one table, which are found by the values of their columns: null finds those in
 * which the column is null. Any other condition is SQL of the query builder. What runs for every message, status or
 * delivery is a hot statement instead: see `hot-statement.ts`.
 */
import { and, eq, getTableColumns, isNull, SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteInsertValue, SQLiteTable, SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import type { ReadTx, Tx } from "./transaction.ts";

type Row<Table extends SQLiteTable> = Table["$inferSelect"];
type Name<Table extends SQLiteTable> = keyof Row<Table> & string;
type Matching<Table extends SQLiteTable> = Partial<Row<Table>> | SQL;

function conditionOf<Table extends SQLiteTable>(table: Table, matching: Matching<Table> | undefined): SQL | undefined {
  if (matching === undefined || matching instanceof SQL) return matching;
  const conditions = Object.entries(matching).map(([name, value]) => {
    const column = columnOf(table, name);
    return value === null ? isNull(column) : eq(column, value);
  });
  // Otherwise the statement would be about all rows.
  if (conditions.length === 0) throw new Error("no column says which rows are meant");
  return and(...conditions);
}

function columnOf(table: SQLiteTable, name: string): SQLiteColumn {
  const column = getTableColumns(table)[name];
  if (column === undefined) throw new Error(`the table has no column ${name}`);
  return column;
}

/** The first row in `order`. `matching` undefined: of all rows. */
export function findRow<Table extends SQLiteTable>(
  tx: ReadTx,
  table: Table,
  matching: Matching<Table> | undefined,
  ...order: (SQLiteColumn | SQL)[]
): Row<Table> | undefined {
  const found = tx.db.select().from<SQLiteTable>(table).where(conditionOf(table, matching));
  return (order.length === 0 ? found : found.orderBy(...order).limit(1)).get();
}

export function listRows<Table extends SQLiteTable>(
  tx: ReadTx,
  table: Table,
  matching: Matching<Table> | undefined,
  ...order: (SQLiteColumn | SQL)[]
): Row<Table>[] {
  const found = tx.db.select().from<SQLiteTable>(table).where(conditionOf(table, matching));
  return (order.length === 0 ? found : found.orderBy(...order)).all();
}

/** The first rows in `order`, at most `limit`. */
export function listSome<Table extends SQLiteTable>(
  tx: ReadTx,
  table: Table,
  matching: Matching<Table> | undefined,
  limit: number,
  ...order: (SQLiteColumn | SQL)[]
): Row<Table>[] {
  return tx.db
    .select()
    .from<SQLiteTable>(table)
    .where(conditionOf(table, matching))
    .orderBy(...order)
    .limit(limit)
    .all();
}

/** Returns the row with what the database has filled in. */
export function insertRow<Table extends SQLiteTable>(
  tx: Tx,
  table: Table,
  values: SQLiteInsertValue<Table>,
): Row<Table> {
  return tx.db.insert(table).values(values).returning().get() as Row<Table>;
}

/** Inserts a row, or changes the one with the same `key`: to the same values, or to those of `changes`. */
export function upsertRow<Table extends SQLiteTable>(
  tx: Tx,
  table: Table,
  key: readonly Name<Table>[],
  values: SQLiteInsertValue<Table>,
  changes = values as SQLiteUpdateSetSource<Table>,
): void {
  const target = key.map((name) => columnOf(table, name));
  tx.db.insert(table).values(values).onConflictDoUpdate({ target, set: changes }).run();
}

/** Returns how many rows there were. */
export function updateRows<Table extends SQLiteTable>(
  tx: Tx,
  table: Table,
  matching: Matching<Table>,
  changes: SQLiteUpdateSetSource<Table>,
): number {
  return tx.db.update(table).set(changes).where(conditionOf(table, matching)).run().changes;
}

/** Returns the row as it is then. Undefined: there is none. */
export function changeRow<Table extends SQLiteTable>(
  tx: Tx,
  table: Table,
  matching: Matching<Table>,
  changes: SQLiteUpdateSetSource<Table>,
): Row<Table> | undefined {
  return tx.db.update(table).set(changes).where(conditionOf(table, matching)).returning().get();
}

/** Returns how many rows there were. */
export function deleteRows<Table extends SQLiteTable>(tx: Tx, table: Table, matching: Matching<Table>): number {
  return tx.db.delete(table).where(conditionOf(table, matching)).run().changes;
}

/**
 * An INSERT of any number of rows, several per statement. Beginning a statement costs more than a row does, and for each
 * statement that inserts several rows or fires a trigger SQLite keeps a journal, with a copy of every page that the
 * statement changes. In an import, two tags of a contact take 5.0 µs one by one and 3.3 µs in statements of 64, its entry
 * in the log of consent changes 3.5 µs and 1.9 in statements of 32.
 */
import { type Column, getTableName, type Table } from "drizzle-orm";
import { columnName, toFileConversion, type Values } from "./hot-statement.ts";
import { oncePerConnection, type ReadTx } from "./transaction.ts";

/** Rows per statement, largest first. */
const ROWS_PER_STATEMENT = [64, 32, 8, 1] as const;

/**
 * Declares the INSERT of rows that give these columns of a table, converted as in a hot statement. The placeholders
 * have no names; each row is bound in the order of the columns.
 */
export function hotRows<const Row extends Readonly<Record<string, Column>>>(
  table: Table,
  row: Row,
): (tx: ReadTx, rows: readonly Values<Row>[]) => void {
  const columns = Object.entries(row).map(([name, column]) => ({ name, convert: toFileConversion(name, column) }));
  const into = `${getTableName(table)} (${Object.values(row).map(columnName).join(", ")})`;
  const one = `(${columns.map(() => "?").join(", ")})`;
  const sizes = ROWS_PER_STATEMENT.map((count) => {
    const text = `INSERT INTO ${into} VALUES ${Array.from({ length: count }, () => one).join(", ")}`;
    return { count, statement: oncePerConnection(({ $client }) => $client.prepare(text)) };
  });
  const bind = (rows: readonly Readonly<Record<string, unknown>>[], from: number, to: number): unknown[] => {
    const bound: unknown[] = [];
    for (let place = from; place < to; place++) {
      for (const { name, convert } of columns) {
        const value = rows[place]?.[name];
        bound.push(convert === null || value == null ? value : convert(value));
      }
    }
    return bound;
  };
  return (tx, rows) => {
    let done = 0;
    for (const { count, statement } of sizes) {
      for (; rows.length - done >= count; done += count) statement(tx).run(bind(rows, done, done + count));
    }
  };
}

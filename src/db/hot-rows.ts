/**
 * An INSERT of any number of rows, several per statement, for tables with triggers: for those, SQLite keeps a statement
 * journal inside an operation, which costs more than several rows do. An INSERT of one row into a table without triggers
 * needs no journal and is cheaper on its own (measured).
 */
import { type Column, getTableName, type Table } from "drizzle-orm";
import { columnName, type Values } from "./hot-statement.ts";
import { oncePerConnection, type ReadTx } from "./transaction.ts";

/** Rows per statement, largest first. */
const ROWS_PER_STATEMENT = [32, 8, 1] as const;

/**
 * Declares the INSERT of rows that give these columns of a table, all of which are stored as they are. The placeholders
 * have no names; each row is bound in the order of the columns.
 */
export function hotRows<const Row extends Readonly<Record<string, Column>>>(
  table: Table,
  row: Row,
): (tx: ReadTx, rows: readonly Values<Row>[]) => void {
  const names = Object.keys(row);
  const into = `${getTableName(table)} (${Object.values(row).map(columnName).join(", ")})`;
  const one = `(${names.map(() => "?").join(", ")})`;
  const sizes = ROWS_PER_STATEMENT.map((count) => {
    const text = `INSERT INTO ${into} VALUES ${Array.from({ length: count }, () => one).join(", ")}`;
    return { count, statement: oncePerConnection(({ $client }) => $client.prepare(text)) };
  });
  return (tx, rows) => {
    let done = 0;
    for (const { count, statement } of sizes) {
      for (; rows.length - done >= count; done += count) {
        const batch: Readonly<Record<string, unknown>>[] = rows.slice(done, done + count);
        statement(tx).run(batch.flatMap((values) => names.map((name) => values[name])));
      }
    }
  };
}

/** Deletes the rows that have expired by `table-policies.ts`. */
import { tableNames, tablePolicies } from "./table-policies.ts";
import type { Tx } from "./transaction.ts";

/** Up to `limit` rows of each table; returns the largest of the counts. */
export function deleteExpired({ db, now }: Tx, limit: number): number {
  const counts = tableNames.map((table) => {
    const { kept } = tablePolicies[table];
    if (typeof kept !== "object" || !("column" in kept)) return 0;
    const keys = db.$client.prepare(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0`).pluck().all();
    const key = keys.join(", ");
    const expired = `SELECT ${key} FROM ${table} WHERE ${kept.column} <= ? LIMIT ?`;
    const statement = db.$client.prepare(`DELETE FROM ${table} WHERE (${key}) IN (${expired})`);
    return statement.run(now - kept.afterMs, limit).changes;
  });
  return Math.max(...counts);
}

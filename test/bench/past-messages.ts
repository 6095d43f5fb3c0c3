/**
 * Messages that have been sent long ago: a few hundred go through their whole life on the server (statuses, events,
 * webhooks), and SQL multiplies them and dates them back.
 */
import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, openSync } from "node:fs";
import type { Part } from "./part.ts";
import type { SoakSenderJob, SoakSenderMeasurements } from "./parts/soak-sender.ts";

/** Sends `messages` through the sender, and waits until each has been read and every event delivered. */
export async function live(
  sender: Part<SoakSenderJob, SoakSenderMeasurements>,
  database: string,
  messages: number,
): Promise<void> {
  await sender.ask({ pace: messages / 5 });
  while (count(database, "SELECT count(*) FROM messages") < messages) await Bun.sleep(50);
  await sender.ask({ pace: 0 });
  await untilSettled(database);
}

export async function untilSettled(database: string): Promise<void> {
  const left = [
    "SELECT count(*) FROM messages WHERE status <> 'read'",
    "SELECT count(*) FROM deliveries WHERE status <> 'delivered'",
    "SELECT count(*) FROM callbacks WHERE done_at IS NULL",
  ];
  while (left.some((sql) => count(database, sql) > 0)) await Bun.sleep(50);
}

function count(database: string, sql: string): number {
  const client = new Database(database, { readonly: true });
  try {
    return Number(Object.values(client.query(sql).get() as object)[0]);
  } finally {
    client.close();
  }
}

/** Multiplies every row that retention concerns and dates the copies back; returns the number of all rows. */
export function multiply(database: string, copies: number, ageMs: number): number {
  const client = new Database(database);
  const columnsOf = (table: string): string[] =>
    (client.query(`SELECT name FROM pragma_table_info('${table}')`).all() as { name: string }[]).map(
      ({ name }) => name,
    );
  // The copies' ids continue after the originals'; unique columns get the copy's number, and references move with their
  // rows.
  const tables: { table: string; id: string; moved: Record<string, string>; unique: string[] }[] = [
    { table: "messages", id: "id", moved: {}, unique: ["send_token", "network_message_id"] },
    { table: "events", id: "seq", moved: {}, unique: ["id"] },
    { table: "deliveries", id: "id", moved: { event_seq: "events" }, unique: [] },
    { table: "delivery_attempts", id: "id", moved: { delivery_id: "deliveries" }, unique: [] },
    { table: "callbacks", id: "id", moved: {}, unique: [] },
    { table: "provider_requests", id: "id", moved: {}, unique: ["send_token"] },
  ];
  client.exec("PRAGMA synchronous = OFF; BEGIN");
  const spans = new Map<string, number>();
  for (const { table, id } of tables) {
    const { max } = client.query(`SELECT max(${id}) AS max FROM ${table}`).get() as { max: number };
    spans.set(table, max);
  }
  let rows = 0;
  for (const { table, id, moved, unique } of tables) {
    const columns = columnsOf(table);
    const value = (column: string): string => {
      if (column === id) return `${column} + copy * ${spans.get(table)}`;
      const to = moved[column];
      if (to !== undefined) return `${column} + copy * ${spans.get(to)}`;
      if (unique.includes(column)) return `${column} || '-' || copy`;
      return /_at$/.test(column) ? `${column} - ${ageMs}` : column;
    };
    const from = `WITH RECURSIVE copies (copy) AS (SELECT 1 UNION ALL SELECT copy + 1 FROM copies WHERE copy < ${copies})`;
    client.exec(
      `INSERT INTO ${table} (${columns.join(", ")}) ${from} SELECT ${columns.map(value).join(", ")} FROM copies, ${table} ORDER BY copy, ${id}`,
    );
    // The originals have the lowest ids, and must not be the youngest.
    const times = columns.filter((column) => /_at$/.test(column)).map((column) => `${column} = ${column} - ${ageMs}`);
    client.exec(`UPDATE ${table} SET ${times.join(", ")} WHERE ${id} <= ${spans.get(table)}`);
    rows += Number((client.query(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number }).rows);
  }
  client.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  client.close();
  // Otherwise the server's first sync would wait for what the system has not written yet.
  const file = openSync(database, "r+");
  fsyncSync(file);
  closeSync(file);
  return rows;
}

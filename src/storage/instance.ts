/** The database's own name, made once with it: references and callbacks tell copies of a database apart by it. */
import type { Client } from "./driver.ts";

/** Reads the instance id, and makes it from `newId` in a database that has none yet. */
export function instanceId(client: Client, now: number, newId: () => string): string {
  const read = client.prepare("SELECT instance_id FROM instance WHERE id = 1").pluck();
  const known = read.get();
  if (typeof known === "string") return known;
  client.prepare("INSERT OR IGNORE INTO instance (id, instance_id, created_at) VALUES (1, ?, ?)").run(newId(), now);
  return String(read.get());
}

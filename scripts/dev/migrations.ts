/**
 * A kept database and migrations that change. The server brings it up to date with a migration that is new; one that was
 * applied and is edited afterwards changes nothing, so the database is set aside for a new one.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const migrations = resolve(import.meta.dir, "../../migrations");
/** Not `schema.sql`, which is made of them. */
const MIGRATION = /^\d+_.*\.sql$/;
const RECORD = "dev-migrations.json";

/** Returns where the directory went; null where its database may stay. */
export function setAsideIfStale(data: string): string | null {
  const applied = readRecord(join(data, RECORD));
  const now = hashes();
  if (Object.entries(applied).every(([name, hash]) => now[name] === hash)) return null;
  const aside = `${data}.before-${new Date().toISOString().replace(/[-:.]/g, "")}`;
  renameSync(data, aside);
  return aside;
}

/** To be called when the server has applied them. */
export function recordApplied(data: string): void {
  writeFileSync(join(data, RECORD), `${JSON.stringify(hashes(), null, 2)}\n`, { mode: 0o600 });
}

function readRecord(path: string): Record<string, string> {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Record<string, string>) : {};
}

function hashes(): Record<string, string> {
  const files = readdirSync(migrations).filter((name) => MIGRATION.test(name));
  const hash = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(migrations, name)))
      .digest("hex");
  return Object.fromEntries(files.sort().map((name) => [name, hash(name)]));
}

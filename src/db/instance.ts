/**
 * The database's own name and where it came from. References and callbacks tell copies of a database apart by the name;
 * a stamp says that this is a copy which Waxwing made, the place that it is one somebody else made.
 */
import type { Client } from "./driver.ts";
import { isSamePlace, type Place } from "./file-identity.ts";

/** Why a copy was made, written into the copy. */
export interface Stamp {
  kind: "backup" | "upgrade" | "restore" | "replaced";
  /** The state that the copy shows, milliseconds. */
  at: number;
  /** What happened after `at` is not known: the file that knew was not there, or could not be read. */
  hasGap: boolean;
}

export interface Instance {
  instanceId: string;
  /** Its names before, the oldest first. */
  ancestors: Ancestor[];
  stamp: Stamp | null;
  place: Place | null;
}

/** A database that this one goes on from: everything that it held up to `at` is in here. */
export interface Ancestor {
  id: string;
  /** Milliseconds. */
  at: number;
}

/** What a start found out about the file: null when it is the one that ran before. */
export type Copied = { kind: Stamp["kind"] | "copied_by_hand"; at: number | null; hasGap: boolean };

/** Reads the instance id, and makes it from `newId` in a database that has none yet, which lies at `place`. */
export function instanceId(client: Client, now: number, newId: () => string, place: Place | null = null): string {
  const read = client.prepare("SELECT instance_id FROM instance WHERE id = 1").pluck();
  const known = read.get();
  if (typeof known === "string") return known;
  client
    .prepare("INSERT OR IGNORE INTO instance (id, instance_id, created_at, inode, born_at) VALUES (1, ?, ?, ?, ?)")
    .run(newId(), now, place?.inode ?? null, place?.bornAt ?? null);
  return String(read.get());
}

/** Null in a database that has no name yet. */
export function readInstance(client: Client): Instance | null {
  const row = client.prepare("SELECT instance_id, ancestors, stamp, inode, born_at FROM instance WHERE id = 1").get() as
    | InstanceRow
    | undefined;
  if (row === undefined) return null;
  return {
    instanceId: row.instance_id,
    ancestors: JSON.parse(row.ancestors) as Ancestor[],
    stamp: row.stamp === null ? null : (JSON.parse(row.stamp) as Stamp),
    place: row.inode === null ? null : { inode: row.inode, bornAt: row.born_at },
  };
}

interface InstanceRow {
  instance_id: string;
  ancestors: string;
  stamp: string | null;
  inode: string | null;
  born_at: number | null;
}

export function writeStamp(client: Client, stamp: Stamp): void {
  client.prepare("UPDATE instance SET stamp = ? WHERE id = 1").run(JSON.stringify(stamp));
}

/** The file was moved here on purpose, or is known now: from here on this is its place. */
export function writePlace(client: Client, { inode, bornAt }: Place): void {
  client.prepare("UPDATE instance SET inode = ?, born_at = ? WHERE id = 1").run(inode, bornAt);
}

/** Whether this file is a copy of one that ran, made by whomever. */
export function findCopied({ stamp, place }: Instance, here: Place): Copied | null {
  if (stamp !== null) return stamp;
  if (place === null || isSamePlace(place, here)) return null;
  return { kind: "copied_by_hand", at: null, hasGap: false };
}

/** How far ids move on: what the original gave out after the copy was made is never given out again here. */
export const ID_STEP = 1_000_000;

/** Every id that is counted moves on, also in tables that had no row yet. */
export function moveIdsOn(client: Client): void {
  const tables = client
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'")
    .pluck()
    .all() as string[];
  const moved = client.prepare("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = ?");
  const begun = client.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)");
  for (const table of tables) {
    if (moved.run(ID_STEP, table).changes === 0) begun.run(table, ID_STEP);
  }
}

/** A copy begins a life of its own: a new name, no stamp, and the place where it lies. */
export function beginAnew(client: Client, known: Instance, newId: string, here: Place, now: number): void {
  const ancestor: Ancestor = { id: known.instanceId, at: known.stamp?.at ?? now };
  client
    .prepare("UPDATE instance SET instance_id = ?, ancestors = ?, stamp = NULL, inode = ?, born_at = ? WHERE id = 1")
    .run(newId, JSON.stringify([...known.ancestors, ancestor]), here.inode, here.bornAt);
}

/** When the last commit that was noted was made, by the wall clock of its time; null: none was noted. */
export function readLastCommit(client: Client): number | null {
  const at = client.prepare("SELECT last_commit_at FROM instance WHERE id = 1").pluck().get();
  return typeof at === "number" ? at : null;
}

export function writeLastCommit(client: Client, at: number): void {
  client.prepare("UPDATE instance SET last_commit_at = ? WHERE id = 1").run(at);
}

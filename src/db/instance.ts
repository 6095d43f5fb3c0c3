/**
 * The database's instance id and its lineage. Send tokens and callbacks use the id to tell copies of a database apart.
 * Backup metadata marks a copy that Waxwing made; a file identity that does not match marks a copy made by hand.
 */
import type { Client } from "./driver.ts";
import { type FileIdentity, isSameFile } from "./file-identity.ts";

/** Why the copy was made. Stored in the copy. */
export interface BackupMetadata {
  kind: "backup" | "upgrade" | "restore" | "replaced" | "move";
  /** The time of the state in the copy, milliseconds. */
  at: number;
  /** The changes after `at` are unknown, because the file that had them was missing or unreadable. */
  hasGap: boolean;
}

export interface Instance {
  instanceId: string;
  /** Earlier instance ids, oldest first. */
  lineage: LineageEntry[];
  backupMetadata: BackupMetadata | null;
  fileIdentity: FileIdentity | null;
}

/** A database that this one was forked from. This one contains everything that the other held up to `at`. */
interface LineageEntry {
  id: string;
  /** Milliseconds. */
  at: number;
}

/** How the file came to be a copy. */
export type DatabaseCopy = { kind: BackupMetadata["kind"] | "copied_by_hand"; at: number | null; hasGap: boolean };

/** Returns the instance id. In a database without one, stores `newId()` together with `fileIdentity`. */
export function readOrCreateInstanceId(
  client: Client,
  now: number,
  newId: () => string,
  fileIdentity: FileIdentity | null = null,
): string {
  const read = client.prepare("SELECT instance_id FROM instance WHERE id = 1").pluck();
  const known = read.get();
  if (typeof known === "string") return known;
  client
    .prepare(
      "INSERT OR IGNORE INTO instance (id, instance_id, created_at, inode, file_created_at) VALUES (1, ?, ?, ?, ?)",
    )
    .run(newId(), now, fileIdentity?.inode ?? null, fileIdentity?.createdAt ?? null);
  return String(read.get());
}

/** Null for a database that has no instance id yet. */
export function readInstance(client: Client): Instance | null {
  const row = client
    .prepare("SELECT instance_id, lineage, backup_metadata, inode, file_created_at FROM instance WHERE id = 1")
    .get() as InstanceRow | undefined;
  if (row === undefined) return null;
  return {
    instanceId: row.instance_id,
    lineage: JSON.parse(row.lineage) as LineageEntry[],
    backupMetadata: row.backup_metadata === null ? null : (JSON.parse(row.backup_metadata) as BackupMetadata),
    fileIdentity: row.inode === null ? null : { inode: row.inode, createdAt: row.file_created_at },
  };
}

interface InstanceRow {
  instance_id: string;
  lineage: string;
  backup_metadata: string | null;
  inode: string | null;
  file_created_at: number | null;
}

export function writeBackupMetadata(client: Client, metadata: BackupMetadata): void {
  client.prepare("UPDATE instance SET backup_metadata = ? WHERE id = 1").run(JSON.stringify(metadata));
}

/** The file is the database itself again, not a copy. */
export function clearBackupMetadata(client: Client): void {
  client.prepare("UPDATE instance SET backup_metadata = NULL WHERE id = 1").run();
}

/** What a planned move has made of this database. */
export type StoredMove =
  /** It was written to `file` and is closed since: no server starts on it. */
  | { state: "out"; at: number; expiresAt: number; codeHash: string; file: string; host: string }
  /** It came out of a move file, which carries the same token since then. */
  | { state: "in"; at: number; token: string; from: string };

/** Null: it was never moved. Also of a database whose schema is older. */
export function readMove(client: Client): StoredMove | null {
  const hasColumn = client.prepare("SELECT 1 FROM pragma_table_info('instance') WHERE name = 'move'").get();
  if (hasColumn === undefined) return null;
  const text = client.prepare("SELECT move FROM instance WHERE id = 1").pluck().get();
  return typeof text === "string" ? (JSON.parse(text) as StoredMove) : null;
}

export function writeMove(client: Client, move: StoredMove | null): void {
  client.prepare("UPDATE instance SET move = ? WHERE id = 1").run(move === null ? null : JSON.stringify(move));
}

/** Stores the file's current identity, after it was moved on purpose or when it is recorded for the first time. */
export function writeFileIdentity(client: Client, { inode, createdAt }: FileIdentity): void {
  client.prepare("UPDATE instance SET inode = ?, file_created_at = ? WHERE id = 1").run(inode, createdAt);
}

/** How this file was copied from a database that ran, or null if it is not a copy. */
export function findCopy({ backupMetadata, fileIdentity }: Instance, current: FileIdentity): DatabaseCopy | null {
  if (backupMetadata !== null) return backupMetadata;
  if (fileIdentity === null || isSameFile(fileIdentity, current)) return null;
  return { kind: "copied_by_hand", at: null, hasGap: false };
}

/**
 * How far ids are advanced in a copy, so that it never reuses an id that the original issued after the copy was made.
 */
const ID_STEP = 1_000_000;

/** Advances every AUTOINCREMENT sequence by `ID_STEP`, also for tables that never had a row. */
export function advanceIds(client: Client): void {
  const tables = client
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'")
    .pluck()
    .all() as string[];
  const advance = client.prepare("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = ?");
  const insert = client.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)");
  for (const table of tables) {
    if (advance.run(ID_STEP, table).changes === 0) insert.run(table, ID_STEP);
  }
}

/**
 * Turns a copy into a database of its own: a new instance id, an extended lineage, no backup metadata, the current file
 * identity.
 */
export function fork(client: Client, known: Instance, newId: string, current: FileIdentity, now: number): void {
  const parent: LineageEntry = { id: known.instanceId, at: known.backupMetadata?.at ?? now };
  client
    .prepare(
      "UPDATE instance SET instance_id = ?, lineage = ?, backup_metadata = NULL, inode = ?, file_created_at = ? WHERE id = 1",
    )
    .run(newId, JSON.stringify([...known.lineage, parent]), current.inode, current.createdAt);
}

/** Wall time of the last recorded commit; null if none was recorded. */
export function readLastCommit(client: Client): number | null {
  const at = client.prepare("SELECT last_commit_at FROM instance WHERE id = 1").pluck().get();
  return typeof at === "number" ? at : null;
}

export function writeLastCommit(client: Client, at: number): void {
  client.prepare("UPDATE instance SET last_commit_at = ? WHERE id = 1").run(at);
}

/**
 * The database's own name and where it came from. References and callbacks tell copies of a database apart by the name;
 * a stamp says that this is a copy which Waxwing made, the place that it is one somebody else made.
 */
import type { Client } from "./driver.ts";
import { type FileIdentity, isSameFile } from "./file-identity.ts";

/** Why a copy was made, written into the copy. */
export interface BackupMetadata {
  kind: "backup" | "upgrade" | "restore" | "replaced";
  /** The state that the copy shows, milliseconds. */
  at: number;
  /** What happened after `at` is not known: the file that knew was not there, or could not be read. */
  hasGap: boolean;
}

export interface Instance {
  instanceId: string;
  /** Its names before, the oldest first. */
  lineage: LineageEntry[];
  backupMetadata: BackupMetadata | null;
  fileIdentity: FileIdentity | null;
}

/** A database that this one goes on from: everything that it held up to `at` is in here. */
export interface LineageEntry {
  id: string;
  /** Milliseconds. */
  at: number;
}

/** What a start found out about the file: null when it is the one that ran before. */
export type DatabaseCopy = { kind: BackupMetadata["kind"] | "copied_by_hand"; at: number | null; hasGap: boolean };

/** Reads the instance id, and makes it from `newId` in a database that has none yet, which lies at `place`. */
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

/** Null in a database that has no name yet. */
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

/** The file was moved here on purpose, or is known now: from here on this is its place. */
export function writeFileIdentity(client: Client, { inode, createdAt }: FileIdentity): void {
  client.prepare("UPDATE instance SET inode = ?, file_created_at = ? WHERE id = 1").run(inode, createdAt);
}

/** Whether this file is a copy of one that ran, made by whomever. */
export function findCopy({ backupMetadata, fileIdentity }: Instance, current: FileIdentity): DatabaseCopy | null {
  if (backupMetadata !== null) return backupMetadata;
  if (fileIdentity === null || isSameFile(fileIdentity, current)) return null;
  return { kind: "copied_by_hand", at: null, hasGap: false };
}

/** How far ids move on: what the original gave out after the copy was made is never given out again here. */
export const ID_STEP = 1_000_000;

/** Every id that is counted moves on, also in tables that had no row yet. */
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

/** A copy begins a life of its own: a new name, no stamp, and the place where it lies. */
export function fork(client: Client, known: Instance, newId: string, current: FileIdentity, now: number): void {
  const parent: LineageEntry = { id: known.instanceId, at: known.backupMetadata?.at ?? now };
  client
    .prepare(
      "UPDATE instance SET instance_id = ?, lineage = ?, backup_metadata = NULL, inode = ?, file_created_at = ? WHERE id = 1",
    )
    .run(newId, JSON.stringify([...known.lineage, parent]), current.inode, current.createdAt);
}

/** When the last commit that was noted was made, by the wall clock of its time; null: none was noted. */
export function readLastCommit(client: Client): number | null {
  const at = client.prepare("SELECT last_commit_at FROM instance WHERE id = 1").pluck().get();
  return typeof at === "number" ? at : null;
}

export function writeLastCommit(client: Client, at: number): void {
  client.prepare("UPDATE instance SET last_commit_at = ? WHERE id = 1").run(at);
}

/**
 * The names of archives in a store: the time of the backup, and the instance that made it. Servers may share a bucket and
 * a prefix; each deletes only archives of its own database.
 */
import { createHash } from "node:crypto";
import type { Instance } from "#src/db/instance.ts";
import { formatFileTime, readFileTime } from "../files.ts";

const BACKUP_NAME = /^waxwing-(\d{8}T\d{6}Z)(-\d+)?\.db$/;
const ARCHIVE_NAME = /^waxwing-(\d{8}T\d{6}Z)(?:-\d+)?-([0-9a-f]{8})\.tar\.age$/;

/** The prefix as a folder; empty for none. */
export function folderOf(prefix: string | null): string {
  return prefix === null ? "" : `${prefix}/`;
}

/** Stable for a backup, so that a repeated upload replaces what an earlier one left. */
export function archiveName(backup: string, takenAt: number, instanceId: string): string {
  const [, time = formatFileTime(takenAt), count = ""] = BACKUP_NAME.exec(backup) ?? [];
  return `waxwing-${time}${count}-${instanceMark(instanceId)}.tar.age`;
}

/** When a backup of this name was made, in milliseconds; null: it is not the name of one of the server's own backups. */
export function backupTime(name: string): number | null {
  const [, time] = BACKUP_NAME.exec(name) ?? [];
  return readFileTime(time ?? "");
}

interface ArchiveName {
  /** When the backup was made, in milliseconds. */
  takenAt: number;
  mark: string;
}

/** Null: the name is not an archive's. */
export function readArchiveName(name: string): ArchiveName | null {
  const [, time = "", mark = ""] = ARCHIVE_NAME.exec(name) ?? [];
  const takenAt = readFileTime(time);
  return takenAt === null ? null : { takenAt, mark };
}

/** Whether the archive holds a state of this database: its own, or one that it was restored from. */
export function isOwnArchive(name: string, { instanceId, lineage }: Pick<Instance, "instanceId" | "lineage">): boolean {
  const read = readArchiveName(name);
  if (read === null) return false;
  if (read.mark === instanceMark(instanceId)) return true;
  return lineage.some(({ id, at }) => instanceMark(id) === read.mark && read.takenAt <= at);
}

function instanceMark(instanceId: string): string {
  return createHash("sha256").update(instanceId).digest("hex").slice(0, 8);
}

/**
 * The archives beyond the newest `keep`, oldest first. `newest` stays whatever its name: the clock may have been set back.
 */
export function surplusArchives(names: readonly string[], newest: string, keep: number): string[] {
  const older = names.filter((name) => name !== newest).toSorted();
  return keep === 0 ? [] : older.slice(0, Math.max(0, older.length - (keep - 1)));
}

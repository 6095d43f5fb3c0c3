/**
 * Where a database file lies on its disk: its inode and the time of its birth. The database writes its place into
 * itself, so a copy made by hand (`cp`, `rsync`, a snapshot restored as files) is told apart from the original.
 */
import { statSync } from "node:fs";

export interface FileIdentity {
  inode: string;
  /** Milliseconds; null where the file system knows none. */
  createdAt: number | null;
}

/** Only looks at the directory entry: an open database is never opened beside SQLite. */
export function readFileIdentity(path: string): FileIdentity {
  const { ino, birthtimeMs } = statSync(path, { bigint: true });
  return { inode: String(ino), createdAt: birthtimeMs > 0n ? Number(birthtimeMs) : null };
}

/** The inode alone decides where one of them knows no time of birth. */
export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  if (one.inode !== other.inode) return false;
  return one.createdAt === null || other.createdAt === null || one.createdAt === other.createdAt;
}

/**
 * Identifies a database file by its inode and creation time. The database stores the identity of its own file, so that
 * a manual copy (`cp`, `rsync`, a snapshot restored as files) can be told apart from the original.
 */
import { statSync } from "node:fs";

export interface FileIdentity {
  inode: string;
  /** Milliseconds since the epoch; null if the file system does not record it. */
  createdAt: number | null;
}

/** Reads only the directory entry: opening and closing a database file outside SQLite would drop SQLite's locks. */
export function readFileIdentity(path: string): FileIdentity {
  const { ino, birthtimeMs } = statSync(path, { bigint: true });
  return { inode: String(ino), createdAt: birthtimeMs > 0n ? Number(birthtimeMs) : null };
}

/** Compares inodes alone if either side has no creation time. */
export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  if (one.inode !== other.inode) return false;
  return one.createdAt === null || other.createdAt === null || one.createdAt === other.createdAt;
}

/**
 * Determines the owner of the data directory. That user controls its contents, including symbolic links, so a command
 * that runs as root becomes that user before it opens anything there.
 */
import { lstatSync, readFileSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { shellWord } from "#src/core/key-file.ts";

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const ROOT = 0;
/** Of the database: SQLite's companions, and the locks. */
const ENDINGS = ["", "-wal", "-shm", ".server-lock", ".command-lock"];

/**
 * Null if root is the owner. A directory that does not exist yet will belong to the owner of its nearest existing
 * parent.
 */
export function ownerOf(data: string, database: string): Owner | null {
  // The database may be outside the data directory.
  for (const directory of [data, dirname(database)]) {
    const { uid, gid } = linkOnTheWay(resolve(directory)) ?? nearest(resolve(directory));
    if (uid !== ROOT) return { uid, gid: accountOf(uid)?.gid ?? (gid === ROOT ? uid : gid) };
  }
  return null;
}

/** Another user's link leads wherever that user wants, even to a directory of root's, so the link's owner counts. */
function linkOnTheWay(directory: string): Stats | null {
  for (let path = directory; path !== dirname(path); path = dirname(path)) {
    const found = ifThere(path, lstatSync);
    if (found?.isSymbolicLink() && found.uid !== ROOT) return found;
  }
  return null;
}

function nearest(directory: string): Stats {
  for (let path = directory; ; path = dirname(path)) {
    const found = ifThere(path, statSync);
    if (found !== null) return found;
  }
}

/** Null if it does not exist, also because a file is where one of its directories would be. */
function ifThere(path: string, stat: (path: string) => Stats): Stats | null {
  try {
    return stat(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return null;
    throw error;
  }
}

/** Its primary group is that with which its services run. Null for a user without an account, as in some containers. */
export function accountOf(uid: number): { name: string; gid: number } | null {
  try {
    for (const line of readFileSync("/etc/passwd", "utf8").split("\n")) {
      const [name = "", , id, group] = line.split(":");
      if (id === String(uid) && group !== undefined) return { name, gid: Number(group) };
    }
  } catch {
    // No list of accounts: the caller falls back to the directory's group.
  }
  return null;
}

/** Those files of the database that exist and belong to another user. */
export function findForeign(database: string, uid: number): string[] {
  return ENDINGS.map((ending) => database + ending).filter((path) => {
    const found = ifThere(path, lstatSync);
    return found !== null && found.uid !== uid;
  });
}

/** What is wrong with them, and what to do. */
export function describeForeign(files: readonly string[], { uid, gid }: Owner): [message: string, next: string] {
  const paths = files.map((path) => resolve(path));
  return [
    `${paths.join(", ")}: not of user ${uid}, who owns the data directory and cannot use ${paths.length === 1 ? "it" : "them"}`,
    `chown -h ${uid}:${gid} ${paths.map(shellWord).join(" ")}`,
  ];
}

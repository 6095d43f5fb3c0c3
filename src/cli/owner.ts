/**
 * Whose data directory it is. What lies in it is that user's to arrange, symbolic links included, so a command that runs
 * as root becomes that user before it opens anything there.
 */
import { lstatSync, readFileSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const ROOT = 0;

/** Null where it is root's own. A directory that is still to be made will belong to the owner of the one above it. */
export function ownerOf(data: string, database: string): Owner | null {
  // The database may lie elsewhere than the rest of the data.
  for (const directory of [data, dirname(database)]) {
    const { uid, gid } = linkOnTheWay(resolve(directory)) ?? nearest(resolve(directory));
    if (uid !== ROOT) return { uid, gid: primaryGroup(uid) ?? (gid === ROOT ? uid : gid) };
  }
  return null;
}

/** A link of another user's leads where that user wants, to a directory of root's too: then it is that user's. */
function linkOnTheWay(directory: string): Stats | null {
  for (let path = directory; path !== dirname(path); path = dirname(path)) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() && found.uid !== ROOT) return found;
  }
  return null;
}

function nearest(directory: string): Stats {
  for (let path = directory; ; path = dirname(path)) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined) return found;
  }
}

/** The one that a service of this user runs with; null for a user without an account, in a container say. */
function primaryGroup(uid: number): number | null {
  try {
    for (const line of readFileSync("/etc/passwd", "utf8").split("\n")) {
      const [, , id, group] = line.split(":");
      if (id === String(uid) && group !== undefined) return Number(group);
    }
  } catch {
    // No list of accounts: the directory's own group then.
  }
  return null;
}

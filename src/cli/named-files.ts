/**
 * The files named on a command line. Root opens them before it becomes the owner of the data directory, so that they
 * may be in places where that owner has no access. Root's rights are used only if the owner cannot have influenced the
 * path: a file reached through the owner's directory or link is opened by name later, with the owner's rights.
 */
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Owner } from "./owner.ts";

/** More than any file system follows. */
const LINKS_MAX = 40;

/**
 * Declares that a value names a file, and how it is used; `-` is stdin. Root opens such files before it drops its
 * rights.
 */
export interface FileUse {
  /**
   * `make`: a new file, which must not exist. `fill`: created if missing, and overwritten. `update`: read, and changed
   * where that is allowed.
   */
  readonly as: "read" | "make" | "fill" | "update";
  /** Files next to it, by suffix: `read` if they exist, `make` to replace an older one, `keep` to write on in it. */
  readonly beside?: Readonly<Record<string, "read" | "make" | "keep">>;
}

export class NamedFiles {
  readonly #opened = new Map<string, number | Error>();

  /**
   * The handle of the file that root opened; null: open the file by name. Throws the system's error if root failed to
   * open it.
   */
  handleOf(path: string): number | null {
    const opened = this.#opened.get(resolve(path));
    if (opened instanceof Error) throw opened;
    return opened ?? null;
  }

  /** Whether root found the file; null: look for it by name. */
  isThere(path: string): boolean | null {
    const opened = this.#opened.get(resolve(path));
    if (opened === undefined) return null;
    if (typeof opened === "number") return true;
    if ("code" in opened && (opened.code === "ENOENT" || opened.code === "ENOTDIR")) return false;
    throw opened;
  }

  /** For root, before it becomes `owner`, who is in `groups`. */
  open(path: string, { as, beside = {} }: FileUse, owner: Owner, groups: readonly number[]): void {
    if (isLaidBy(owner, groups, path)) return;
    this.#open(path, as);
    if (this.#opened.get(resolve(path)) instanceof Error) return;
    for (const [suffix, use] of Object.entries(beside)) {
      const name = path + suffix;
      if (use === "read" && !existsSync(name)) continue;
      const isKept = use === "keep" && isRootsOwn(name);
      if (use !== "read" && !isKept) rmSync(name, { force: true });
      this.#open(name, isKept ? "update" : use === "keep" ? "make" : use);
    }
  }

  #open(path: string, as: FileUse["as"]): void {
    try {
      this.#opened.set(resolve(path), openAs(resolve(path), as));
    } catch (error) {
      this.#opened.set(resolve(path), error instanceof Error ? error : new Error(String(error)));
    }
  }
}

function openAs(path: string, as: FileUse["as"]): number {
  if (as === "read") return openSync(path, "r");
  return as === "update" ? openForUpdate(path) : make(path, as);
}

/** Read-only where the file may not be written to. */
export function openForUpdate(path: string): number {
  try {
    return openSync(path, "r+");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code !== "EACCES" && code !== "EPERM" && code !== "EROFS") throw error;
    return openSync(path, "r");
  }
}

function make(path: string, as: "make" | "fill"): number {
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const directory = dirname(path);
  if (as === "make") mkdirSync(directory, { recursive: true, mode: 0o700 });
  const handle = openSync(path, O_RDWR | O_CREAT | (as === "make" ? O_EXCL | O_NOFOLLOW : 0), 0o600);
  const folder = openSync(directory, "r");
  try {
    // Sync the new name now: the owner may not be allowed to do it later.
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
  return handle;
}

/** Only root can have put the file there. */
function isRootsOwn(path: string): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  return entry?.isFile() === true && entry.uid === 0 && entry.nlink === 1;
}

/** Whether the owner can change any part of the path. */
function isLaidBy(owner: Owner, groups: readonly number[], path: string): boolean {
  let at = "/";
  let ahead = partsOf(resolve(path));
  let links = 0;
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    if (name === "..") {
      at = dirname(at);
      continue;
    }
    if (mayChange(owner, groups, statSync(at))) return true;
    const next = join(at, name);
    const entry = lstatSync(next, { throwIfNoEntry: false });
    const decided = decideBy(owner, entry);
    if (decided !== null) return decided;
    if (entry?.isDirectory()) {
      at = next;
      continue;
    }
    if (++links > LINKS_MAX) return true;
    // The kernel's own links, such as those to pipes, do not lead to a path.
    if (at.startsWith("/proc/")) return false;
    const target = readlinkSync(next);
    if (target.startsWith("/")) at = "/";
    ahead = [...partsOf(target), ...ahead];
  }
  return false;
}

/** Decides whether the owner can change an entry; null if it is a directory or a link that must be followed. */
function decideBy(owner: Owner, entry: Stats | undefined): boolean | null {
  // Does not exist yet: a file that root creates in root's directory belongs to root.
  if (entry === undefined) return false;
  if (entry.isDirectory()) return null;
  if (entry.uid === owner.uid) return true;
  return entry.isSymbolicLink() ? null : false;
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

/** Whether the user can replace entries of this directory. */
function mayChange(owner: Owner, groups: readonly number[], { uid, gid, mode }: Stats): boolean {
  if (uid === owner.uid) return true;
  // Sticky, as in /tmp: only an entry's own owner can replace it, and the caller checks that owner.
  if ((mode & 0o1000) !== 0) return false;
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && groups.includes(gid));
}

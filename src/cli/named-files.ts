/**
 * The files that a command line names. Root opens them before it becomes the owner of the data directory, so that they
 * may lie where that owner cannot go. But root's rights count only where that owner cannot have laid the way: what is
 * reached through a directory or a link of the owner's is opened by name afterwards, with the owner's rights.
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

/** That a value names a file, and what for; `-` is stdin. Root opens such files before it gives its rights up. */
export interface FileUse {
  /** `make`: a new file, where there is none. `fill`: made or written anew. */
  readonly as: "read" | "make" | "fill";
  /** Files beside it, by what follows its name: `read` where they are there, `make` in the place of an older one. */
  readonly beside?: Readonly<Record<string, "read" | "make">>;
}

export class NamedFiles {
  readonly #opened = new Map<string, number | Error>();

  /** The open file of that name; null: open it by its name. Throws what the system said when root tried. */
  handleOf(path: string): number | null {
    const opened = this.#opened.get(resolve(path));
    if (opened instanceof Error) throw opened;
    return opened ?? null;
  }

  /** Whether root has found it; null: look for it by its name. */
  isThere(path: string): boolean | null {
    const opened = this.#opened.get(resolve(path));
    if (opened === undefined) return null;
    if (typeof opened === "number") return true;
    if ("code" in opened && (opened.code === "ENOENT" || opened.code === "ENOTDIR")) return false;
    throw opened;
  }

  /** For root, before it becomes `owner`, whose groups are `groups`. */
  open(path: string, { as, beside = {} }: FileUse, owner: Owner, groups: readonly number[]): void {
    if (isLaidBy(owner, groups, path)) return;
    this.#open(path, as);
    if (this.#opened.get(resolve(path)) instanceof Error) return;
    for (const [suffix, use] of Object.entries(beside)) {
      const name = path + suffix;
      if (use === "read" && !existsSync(name)) continue;
      if (use === "make") rmSync(name, { force: true });
      this.#open(name, use);
    }
  }

  #open(path: string, as: FileUse["as"]): void {
    try {
      this.#opened.set(resolve(path), as === "read" ? openSync(resolve(path), "r") : make(resolve(path), as));
    } catch (error) {
      this.#opened.set(resolve(path), error instanceof Error ? error : new Error(String(error)));
    }
  }
}

function make(path: string, as: "make" | "fill"): number {
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const directory = dirname(path);
  if (as === "make") mkdirSync(directory, { recursive: true, mode: 0o700 });
  const handle = openSync(path, O_RDWR | O_CREAT | (as === "make" ? O_EXCL | O_NOFOLLOW : 0), 0o600);
  const folder = openSync(directory, "r");
  try {
    // The name is on the disk before there is anything under it: its new owner may not do this.
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
  return handle;
}

/** Whether any part of the way to `path` is the owner's to change. */
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
    // The kernel's own links, to pipes and the like, lead to no path.
    if (at.startsWith("/proc/")) return false;
    const target = readlinkSync(next);
    if (target.startsWith("/")) at = "/";
    ahead = [...partsOf(target), ...ahead];
  }
  return false;
}

/** Whether the entry alone decides whose way it is; null: the way goes on, in a directory or behind a link. */
function decideBy(owner: Owner, entry: Stats | undefined): boolean | null {
  // Nothing there yet: what root makes in root's place is root's.
  if (entry === undefined) return false;
  if (entry.isDirectory()) return null;
  if (entry.uid === owner.uid) return true;
  return entry.isSymbolicLink() ? null : false;
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

/** Whether the user may put something else under a name of this directory. */
function mayChange(owner: Owner, groups: readonly number[], { uid, gid, mode }: Stats): boolean {
  if (uid === owner.uid) return true;
  // As in /tmp: each name belongs to its own owner, who is asked for.
  if ((mode & 0o1000) !== 0) return false;
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && groups.includes(gid));
}

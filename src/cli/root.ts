/**
 * What only root's process can do: permanently become another user. The runtime applies each call to all of its
 * threads, and the system then no longer lets that user's other processes inspect this one.
 */
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import type { Owner } from "./owner.ts";

export interface Root {
  /** Joins the user's groups and returns them; root's rights are kept. */
  takeGroups(owner: Owner): readonly number[];
  /** Throws if the system refuses. `tmp`: a directory for temporary files, created if needed. */
  become(owner: Owner, tmp: string): void;
}

/** The runtime's types lack `initgroups`. */
type Process = NodeJS.Process & { initgroups?: (user: number, group: number) => void };

/** Null unless the process runs as root. */
export function rootOf({ getuid, initgroups, setgroups, getgroups, setgid, setuid }: Process): Root | null {
  if (getuid?.() !== 0 || !initgroups || !setgroups || !getgroups || !setgid || !setuid) return null;
  return {
    takeGroups({ uid, gid }) {
      try {
        initgroups(uid, gid);
      } catch {
        // A user without an account is in no other group.
        setgroups([gid]);
      }
      return getgroups();
    },
    become({ uid, gid }, tmp) {
      setgid(gid);
      setuid(uid);
      if (canReturn(setuid)) throw new Error("root privileges could not be dropped");
      useTmp(tmp);
    },
  };
}

function canReturn(setuid: (uid: number) => void): boolean {
  try {
    setuid(0);
    return true;
  } catch {
    return false;
  }
}

/**
 * The database driver's native module is unpacked into a temporary directory; root's own may be inaccessible to the
 * user.
 */
export function useTmp(tmp: string): void {
  const { BUN_TMPDIR, TMPDIR = "/tmp" } = process.env;
  // The service unpacks it there too, so code can be executed from there.
  const places = [...(existsSync(tmp) ? [tmp] : []), BUN_TMPDIR ?? TMPDIR, "/tmp"];
  let place = places.find(isUsable);
  if (place === undefined) {
    mkdirSync(tmp, { mode: 0o700 });
    place = tmp;
  }
  if (place === (BUN_TMPDIR ?? TMPDIR)) return;
  const { dlopen, ptr } = require("bun:ffi") as typeof import("bun:ffi");
  // Assigning to `process.env` affects only JavaScript; the runtime and SQLite read the C library's environment.
  const library = process.platform === "darwin" ? "libSystem.B.dylib" : "libc.so.6";
  const { symbols, close } = dlopen(library, { setenv: { args: ["ptr", "ptr", "i32"], returns: "i32" } });
  const text = (value: string): Buffer => Buffer.from(`${value}\0`);
  for (const name of ["BUN_TMPDIR", "TMPDIR"]) symbols.setenv(ptr(text(name)), ptr(text(place)), 1);
  close();
}

function isUsable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

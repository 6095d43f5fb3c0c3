/**
 * What root's process can do that others cannot: become another user, for good. The runtime applies each call to all of
 * its threads, and the system no longer lets other processes of that user look into this one.
 */
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import type { Owner } from "./owner.ts";

export interface Root {
  /** Takes the groups that the user is in, and returns them; nothing is given up yet. */
  takeGroups(owner: Owner): readonly number[];
  /** Throws where the system does not let it. `tmp`: where it may keep its own files, made where it is wanted. */
  become(owner: Owner, tmp: string): void;
}

/** The types of the runtime leave `initgroups` out. */
type Process = NodeJS.Process & { initgroups?: (user: number, group: number) => void };

/** Null where the process is not root's. */
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
      if (canReturn(setuid)) throw new Error("root's rights could not be given up");
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

/** The database driver's native part is unpacked into a temporary directory; root's own may be closed to others. */
function useTmp(tmp: string): void {
  const { BUN_TMPDIR, TMPDIR = "/tmp" } = process.env;
  // The service unpacks it there too, so it is known to run from there.
  const places = [...(existsSync(tmp) ? [tmp] : []), BUN_TMPDIR ?? TMPDIR, "/tmp"];
  let place = places.find(isUsable);
  if (place === undefined) {
    mkdirSync(tmp, { mode: 0o700 });
    place = tmp;
  }
  if (place === (BUN_TMPDIR ?? TMPDIR)) return;
  const { dlopen, ptr } = require("bun:ffi") as typeof import("bun:ffi");
  // What a program assigns to `process.env` is seen by itself alone; the runtime and SQLite ask the C library.
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

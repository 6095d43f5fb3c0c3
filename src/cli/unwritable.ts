/**
 * What to say of a path that cannot be changed: a file system that is mounted read-only names itself, and a file or
 * directory of another user names its owner.
 */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { accountOf } from "./owner.ts";

interface Advice {
  readonly message: string;
  readonly next: string;
}

/** Of an error of the operating system with a path: EROFS. */
export function describeReadOnly(path: string): Advice {
  const mount = mountOf(nearestOf(path));
  const elsewhere = existsSync(path) ? "" : ", or name another place";
  return {
    message: `${path} cannot be written: the file system at ${mount} is read-only`,
    next:
      `make it writable again${elsewhere}: sudo mount -o remount,rw ${mount} (if the disk has a fault, dmesg shows it); ` +
      "a service also needs the path in ReadWritePaths= of its unit",
  };
}

/** Of an error of the operating system with a path: EACCES or EPERM. `reason` is what the system said. */
export function describeForbidden(path: string, reason: string): Advice {
  const nearest = nearestOf(path);
  const { uid } = statSync(nearest);
  if (uid === process.geteuid?.()) return { message: reason, next: `give its owner the right: chmod u+rwX ${nearest}` };
  const { name } = accountOf(uid) ?? { name: `user ${uid}` };
  const who = uid === 0 ? "root" : `${name} or as root`;
  return { message: `${reason}; ${nearest} belongs to ${name}`, next: `run this as ${who}` };
}

/** Asks the operating system about a path that SQLite could not open or change. Null: it may be written. */
export function describeUnwritable(path: string): Advice | null {
  const nearest = nearestOf(path);
  try {
    accessSync(nearest, constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    if (error.code === "EROFS") return describeReadOnly(path);
    return describeForbidden(path, `this user may not read and write ${nearest}`);
  }
}

function nearestOf(path: string): string {
  let existing = resolve(path);
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  return existing;
}

/** The topmost directory on the same file system. */
function mountOf(path: string): string {
  const { dev } = statSync(path);
  let mount = statSync(path).isDirectory() ? path : dirname(path);
  while (dirname(mount) !== mount && statSync(dirname(mount)).dev === dev) mount = dirname(mount);
  return mount;
}

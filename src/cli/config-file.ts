/** The configuration file where a command changes it: `setup` and `move in`. */
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { writeWhole } from "#src/backup/files.ts";
import type { Context } from "./context.ts";

const SYSTEM_DIRECTORY = "/etc/waxwing";

/** Where a configuration is written if there is none yet. */
export function usualConfigFile(): string {
  const isInstalled = statSync(SYSTEM_DIRECTORY, { throwIfNoEntry: false })?.isDirectory() === true;
  return isInstalled ? join(SYSTEM_DIRECTORY, "waxwing.toml") : "waxwing.toml";
}

/** Writes the file whole. The caller has checked the text. */
export function writeConfigFile({ io, files }: Pick<Context, "io" | "files">, file: string, text: string): void {
  const handle = files.handleOf(file);
  if (handle === null) {
    replaceConfigFile(file, text, io.root !== null);
    return;
  }
  // In place: root opened the file, and the owner of the data directory may not rename anything beside it.
  const bytes = Buffer.from(text);
  writeWhole(handle, bytes, 0);
  ftruncateSync(handle, bytes.length);
  fsyncSync(handle);
}

function replaceConfigFile(file: string, text: string, isRoot: boolean): void {
  const present = statSync(file, { throwIfNoEntry: false });
  const unfinished = join(dirname(file), ".waxwing.toml.new");
  // The service reads a file of root's through its group, which is the directory's.
  const owner = present ?? { mode: isRoot ? 0o640 : 0o600, uid: 0, gid: statSync(dirname(file)).gid };
  const handle = openSync(unfinished, "w", 0o600);
  try {
    if (isRoot && process.getuid?.() === 0) fchownSync(handle, owner.uid, owner.gid);
    // Not at the opening, where the umask takes the group's permission away.
    fchmodSync(handle, owner.mode & 0o777);
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(unfinished, file);
}

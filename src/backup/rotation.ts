/** Backups of the server's own: how they are named, and which are thrown away once a newer one is proven good. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { Backup } from "./backup.ts";
import { formatFileTime } from "./files.ts";

const NAME = /^waxwing-\d{8}T\d{6}Z(-\d+)?\.db$/;

/** What a server that was stopped in the middle of its own backup has left; only one server works on a database. */
export function removeLeftovers(directory: string): void {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) {
    if (/^waxwing-\d{8}T\d{6}Z(-\d+)?\.db\.unfinished/.test(name)) rmSync(join(directory, name), { force: true });
  }
}

export function backupName(directory: string, now: number): string {
  for (let count = 1; ; count++) {
    const name = join(directory, `waxwing-${formatFileTime(now)}${count === 1 ? "" : `-${count}`}.db`);
    if (!existsSync(name)) return name;
  }
}

/**
 * Removes all but the newest `keep` and says which. Only files with our own kind of name are touched; and while the
 * newest has something wrong with it nothing is removed, for an older one may be the last that is right.
 */
export function removeOldBackups(
  directory: string,
  newest: Pick<Backup, "file" | "findings">,
  retention: number,
): string[] {
  if (newest.findings.length > 0) return [];
  const older = readdirSync(directory)
    .filter((name) => NAME.test(name) && name !== basename(newest.file))
    .toSorted();
  // A clock that was set back may have given the newest an older name: it is kept whatever it is called.
  const surplus = older.slice(0, Math.max(0, older.length - (retention - 1)));
  for (const name of surplus) rmSync(join(directory, name), { force: true });
  return surplus;
}

/** Names of the server's own backups, and the removal of old ones once a newer one is verified. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { Backup } from "./backup.ts";
import { DIGEST } from "./digest.ts";
import { formatFileTime } from "./files.ts";

const NAME = /^waxwing-\d{8}T\d{6}Z(-\d+)?\.db$/;
const UNFINISHED_NAME = /^waxwing-\d{8}T\d{6}Z(-\d+)?\.db(\.sha256)?\.unfinished/;

export function isOwnBackup(name: string): boolean {
  return NAME.test(name);
}

/**
 * Deletes unfinished backups of a server that stopped during a backup. Only one server uses a database, so none is in
 * progress.
 */
export function removeLeftovers(directory: string): void {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) {
    const isOrphan = isDigestOfOwn(name) && !existsSync(join(directory, name.slice(0, -DIGEST.length)));
    if (UNFINISHED_NAME.test(name) || isOrphan) rmSync(join(directory, name), { force: true });
  }
}

function isDigestOfOwn(name: string): boolean {
  return name.endsWith(DIGEST) && NAME.test(name.slice(0, -DIGEST.length));
}

export function backupName(directory: string, now: number): string {
  for (let count = 1; ; count++) {
    const name = join(directory, `waxwing-${formatFileTime(now)}${count === 1 ? "" : `-${count}`}.db`);
    if (!existsSync(name)) return name;
  }
}

/**
 * Deletes all but the newest `retention` backups and returns the names of the deleted ones. Touches only files named
 * like the server's own. If the newest has findings, nothing is deleted, because an older one may be the last sound
 * backup.
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
  // If the clock was set back, the newest backup may have an older name: it is kept whatever its name.
  const surplus = older.slice(0, Math.max(0, older.length - (retention - 1)));
  for (const name of surplus) {
    rmSync(join(directory, name), { force: true });
    rmSync(join(directory, `${name}${DIGEST}`), { force: true });
  }
  return surplus;
}

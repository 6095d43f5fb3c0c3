/** `waxwing backup FILE`: an online backup of the database, verified before it appears under its name. */
import { fsyncSync, rmSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { type Backup, BackupBroken, makeBackup, NameTaken } from "#src/backup/backup.ts";
import { DIGEST, digestLine } from "#src/backup/digest.ts";
import { InsufficientSpace, removeDatabase, UNFINISHED } from "#src/backup/files.ts";
import { fillOpened } from "#src/backup/opened.ts";
import { formatInstant } from "#src/core/instant.ts";
import { describeBroken } from "./check.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { fileExists, noDatabase } from "./database.ts";
import { type FailureRule, failingAs, isFileThere } from "./failure.ts";
import { file, positional } from "./option.ts";
import { lines, list, megabytes } from "./output.ts";
import { recoverySheet } from "./recovery-sheet.ts";
import { remoteCommands } from "./remote-backup.ts";

export const commands: readonly Command[] = [
  command(
    "backup",
    {
      summary: "Back up the database, also while a server runs, and verify the backup",
      details:
        "The backup is one file. It is opened again and checked as waxwing check does, and gets its name only after it is\nverified. It does not contain the key file.",
    },
    {
      file: positional(
        file("FILE", "Target file; an existing file is never replaced", { as: "make", beside: { [DIGEST]: "make" } }),
      ),
    },
    async (context, values) => {
      const { storage, secrets } = context.loadConfig();
      if (!fileExists(storage.path)) throw noDatabase(storage.path);
      const backup = await createBackup(context, storage.path, values.file);
      const keyFile = context.io.env.WAXWING_SECRETS_KEY === undefined ? resolve(secrets.keyFile) : null;
      const view = {
        file: backup.file,
        bytes: backup.bytes,
        schema: backup.schema,
        taken_at: formatInstant(backup.at, "UTC"),
        sha256: backup.digest,
        counts: backup.counts,
        verified: backup.findings.length === 0,
        broken: backup.findings.map(({ name, count, of, ids }) => ({ name, count, of, ids })),
        key_file: keyFile,
      };
      const text = lines(
        list({
          file: view.file,
          size: megabytes(backup.bytes),
          schema: view.schema,
          sha256: view.sha256,
          ...backup.counts,
        }),
        "",
        keyFile === null
          ? "The key that decrypts its secrets is in WAXWING_SECRETS_KEY, not in the backup: keep it apart from this file."
          : `The key that decrypts its secrets is ${keyFile}, not in the backup: keep a copy of it apart from this file.`,
        view.verified
          ? "Integrity, references and invariants are checked."
          : ["The database fails its check, and so does the backup:", describeBroken(storage.path, backup.findings)],
      );
      return { json: view, text, exitCode: view.verified ? 0 : 1 };
    },
  ),
  ...remoteCommands,
  recoverySheet,
];

const RULES: readonly FailureRule[] = [
  [NameTaken, "file_exists", "name another file"],
  [InsufficientSpace, "no_room", "free some space, or use another disk"],
  [BackupBroken, "broken", "the database may be damaged: waxwing check"],
];

function createBackup({ io, files }: Context, database: string, file: string): Promise<Backup> {
  const now = io.clock.now();
  return failingAs(RULES, () => {
    try {
      const handle = files.handleOf(file);
      return handle === null ? makeBackup(database, file, now) : fill(handle, database, file, now, { io, files });
    } catch (error) {
      throw isFileThere(error) ? new NameTaken(`${resolve(file)} already exists`) : error;
    }
  });
}

/**
 * Writes into a file that root created in a directory where this process may not write: the backup is made and verified
 * next to the database, then copied.
 */
function fill(
  handle: number,
  database: string,
  file: string,
  now: number,
  { io, files }: Pick<Context, "io" | "files">,
): Backup {
  const verified = `${database}${UNFINISHED}-backup-${process.pid}`;
  try {
    const backup = makeBackup(database, verified, now);
    fillOpened(handle, verified);
    const digest = files.handleOf(file + DIGEST);
    if (digest !== null) {
      writeSync(digest, digestLine(backup.digest, file));
      fsyncSync(digest);
    }
    return { ...backup, file: resolve(file) };
  } catch (error) {
    io.err(`${resolve(file)} is left empty; remove it\n`);
    throw error;
  } finally {
    removeDatabase(verified);
    rmSync(verified + DIGEST, { force: true });
  }
}

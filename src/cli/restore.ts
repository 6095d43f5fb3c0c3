/**
 * `waxwing restore FILE`: replaces the database with a verified backup and merges newer rows from the replaced file.
 */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { BackupBroken } from "#src/backup/backup.ts";
import { InsufficientSpace } from "#src/backup/files.ts";
import {
  GapNotAccepted,
  lostWithGap,
  type PreparedRestore,
  type RestoreResult,
  restoreBackup,
  runRestoreDrill,
} from "#src/backup/restore.ts";
import { newInstanceId } from "#src/core/id.ts";
import { formatInstant } from "#src/core/instant.ts";
import { createPrivateDirectory, type DatabaseFiles, databaseFiles } from "#src/db/files.ts";
import { type Lock, LockHeld, lockExclusively } from "#src/db/lock.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { fileExists, noDatabase } from "./database.ts";
import { CommandFailure } from "./failure.ts";
import { databaseFile, isGivenThere, withGivenDatabase } from "./given-database.ts";
import { list, type Report } from "./output.ts";

export const commands: readonly Command[] = [
  command({
    group: null,
    name: "restore",
    summary: "Put a backup in the place of the database; the server must be stopped",
    details:
      "The backup is checked first. From the database that it replaces, what is newer is taken over: opt-outs and consent,\nmessages sent and their outcomes, idempotency keys, what people wrote in, payments, revoked keys, rotated secrets,\nsuspensions. Profiles, groups, templates and settings are as they were backed up. The replaced file is kept. The next\nstart holds running and scheduled broadcasts.",
    positionals: {
      file: { kind: "text", value: "FILE", file: databaseFile, required: true, description: "The backup" },
    },
    options: {
      acceptGap: {
        kind: "flag",
        description: "Also where the replaced database is missing or cannot be read, and what is newer is lost",
      },
      rehearse: {
        kind: "flag",
        description: "Only try it, in a copy that is thrown away, also beside a running server",
      },
    },
    run: async (context, values) => {
      const { storage, secrets } = context.loadConfig();
      const files = databaseFiles(storage.path);
      if (!isGivenThere(context, values.file)) {
        throw new CommandFailure("unreadable_file", `there is no file ${resolve(values.file)}`, "check the path");
      }
      if (values.rehearse)
        return withGivenDatabase(context, values.file, (file) => runDrill(context, file, files.database));
      createPrivateDirectory(dirname(resolve(storage.path)));
      createPrivateDirectory(resolve(storage.data));
      const release = lockBoth(files);
      try {
        const restored = withGivenDatabase(context, values.file, (file) =>
          restore(context, file, files.database, values.acceptGap),
        );
        const isKeyThere = context.io.env.WAXWING_SECRETS_KEY !== undefined || existsSync(secrets.keyFile);
        return report(files.database, restored, isKeyThere ? null : resolve(secrets.keyFile));
      } finally {
        release();
      }
    },
  }),
];

function restore(context: Context, file: string, database: string, acceptGap: boolean): RestoreResult {
  return translateErrors(() => restoreBackup(file, database, { ...drillOptions(context), acceptGap }));
}

/** Changes nothing, so it takes no lock on the database and excludes only another restore drill. */
function runDrill(context: Context, file: string, database: string): Report {
  if (!fileExists(database)) throw noDatabase(database);
  const prepared = translateErrors(() => runRestoreDrill(file, database, drillOptions(context)));
  const { since, counts, merged, gap, flaws } = prepared;
  const view = {
    rehearsed: true,
    database: resolve(database),
    backup_taken_at: since === null ? null : formatInstant(since, "UTC"),
    counts,
    taken_over: merged,
    gap,
    flaws,
  };
  const text = [
    list({ database: view.database, "backup of": view.backup_taken_at, ...counts }),
    "",
    ...describeMerged(prepared, "Would be taken over from the database:", "Nothing newer would be taken over"),
    "",
    ...(flaws.length > 0 ? [`Something is not right already: ${flaws.join(", ")} (waxwing check).`] : []),
    "Rehearsed in a copy, which is thrown away. Nothing was changed.",
  ].join("\n");
  return { json: view, text };
}

function drillOptions({ io, options }: Context) {
  const onStep = (step: string): void => {
    if (!options.json) io.err(`${step} …\n`);
  };
  return { now: io.clock.now(), newInstanceId: () => newInstanceId(io.random), onStep };
}

function translateErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof LockHeld) {
      throw new CommandFailure("locked", "another rehearsal is under way", "wait until it is done");
    }
    if (error instanceof GapNotAccepted) throw gapFailure(error);
    if (error instanceof InsufficientSpace)
      throw new CommandFailure("no_room", error.message, "make room; nothing was changed");
    if (error instanceof BackupBroken) {
      throw new CommandFailure("broken", `${error.message}; nothing was changed`, "take another backup");
    }
    throw error;
  }
}

function gapFailure({ message, since }: GapNotAccepted): CommandFailure {
  const from = since === null ? "the backup was made" : formatInstant(since, "UTC");
  return new CommandFailure(
    "gap",
    [`${message}. Lost would be, since ${from}:`, ...lostWithGap.map((line) => `- ${line}`)].join("\n"),
    "put the database back if there is one, or run it again with --accept-gap; nothing was changed",
  );
}

function lockBoth({ serverLock, commandLock }: DatabaseFiles): () => void {
  const server = acquireLock(serverLock, "a server runs on this database", "stop it first: systemctl stop waxwing");
  try {
    const commands = acquireLock(commandLock, "a command is writing to this database", "wait until it is done");
    return () => {
      commands.release();
      server.release();
    };
  } catch (error) {
    server.release();
    throw error;
  }
}

function acquireLock(path: string, holder: string, next: string): Lock {
  try {
    return lockExclusively(path);
  } catch (error) {
    if (error instanceof LockHeld) throw new CommandFailure("locked", `${holder}, so it cannot be replaced`, next);
    throw error;
  }
}

function report(database: string, restored: RestoreResult, missingKey: string | null): Report {
  const { since, counts, merged, gap, kept, flaws } = restored;
  const view = {
    database: resolve(database),
    backup_taken_at: since === null ? null : formatInstant(since, "UTC"),
    counts,
    taken_over: merged,
    gap,
    replaced: kept === null ? null : resolve(kept),
    key_missing: missingKey,
    flaws,
  };
  const text = [
    list({ database: view.database, "backup of": view.backup_taken_at, replaced: view.replaced, ...counts }),
    "",
    ...describeMerged(restored, "Taken over from the replaced database:", "Nothing newer was taken over"),
    "",
    ...(flaws.length > 0 ? [`Something was not right already before this: ${flaws.join(", ")} (waxwing check).`] : []),
    ...(missingKey === null
      ? []
      : [`The key file ${missingKey} is not there: put it back, or no server can start on this database.`]),
    "Start the server now. Broadcasts that were running or scheduled are paused until somebody resumes them.",
  ].join("\n");
  return { json: view, text };
}

function describeMerged({ merged, gap }: PreparedRestore, mergedHeading: string, emptyHeading: string): string[] {
  if (gap !== null) return [`${emptyHeading}: ${gap}. Lost may be:`, ...lostWithGap.map((line) => `- ${line}`)];
  const counts = Object.entries(merged ?? {}).map(([name, count]) => [name.replaceAll("_", " "), count]);
  return [mergedHeading, list(Object.fromEntries(counts) as Record<string, number>)];
}

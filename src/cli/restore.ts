/** `waxwing restore FILE`: a proven backup takes the database's place, with what the replaced file knows that is newer. */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { CopyBroken } from "#src/backup/backup.ts";
import { NoRoom } from "#src/backup/files.ts";
import {
  type Built,
  GapNotAccepted,
  lostWithGap,
  type Restored,
  rehearseRestore,
  restoreBackup,
} from "#src/backup/restore.ts";
import { newInstanceId } from "#src/core/id.ts";
import { formatInstant } from "#src/core/instant.ts";
import { type DatabaseFiles, databaseFiles, makePrivateDirectory } from "#src/db/files.ts";
import { type Lock, LockHeld, lockExclusively } from "#src/db/lock.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { isThere, noDatabase } from "./database.ts";
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
    positionals: { file: { kind: "text", value: "FILE", file: databaseFile, required: true, says: "The backup" } },
    options: {
      acceptGap: {
        kind: "flag",
        says: "Also where the replaced database is missing or cannot be read, and what is newer is lost",
      },
      rehearse: {
        kind: "flag",
        says: "Only try it, in a copy that is thrown away, also beside a running server",
      },
    },
    run: async (context, given) => {
      const { storage, secrets } = context.loadConfig();
      const files = databaseFiles(storage.path);
      if (!isGivenThere(context, given.file)) {
        throw new CommandFailure("unreadable_file", `there is no file ${resolve(given.file)}`, "check the path");
      }
      if (given.rehearse)
        return withGivenDatabase(context, given.file, (file) => rehearse(context, file, files.database));
      makePrivateDirectory(dirname(resolve(storage.path)));
      makePrivateDirectory(resolve(storage.data));
      const release = lockBoth(files);
      try {
        const restored = withGivenDatabase(context, given.file, (file) =>
          restore(context, file, files.database, given.acceptGap),
        );
        const isKeyThere = context.io.env.WAXWING_SECRETS_KEY !== undefined || existsSync(secrets.keyFile);
        return report(files.database, restored, isKeyThere ? null : resolve(secrets.keyFile));
      } finally {
        release();
      }
    },
  }),
];

function restore(context: Context, file: string, database: string, acceptGap: boolean): Restored {
  return tried(() => restoreBackup(file, database, { ...surroundings(context), acceptGap }));
}

/** Nothing is changed, so nobody is kept out but another rehearsal. */
function rehearse(context: Context, file: string, database: string): Report {
  if (!isThere(database)) throw noDatabase(database);
  const built = tried(() => rehearseRestore(file, database, surroundings(context)));
  const { since, counts, takenOver, gap, flaws } = built;
  const view = {
    rehearsed: true,
    database: resolve(database),
    backup_taken_at: since === null ? null : formatInstant(since, "UTC"),
    counts,
    taken_over: takenOver,
    gap,
    flaws,
  };
  const text = [
    list({ database: view.database, "backup of": view.backup_taken_at, ...counts }),
    "",
    ...describeTaken(built, "Would be taken over from the database:", "Nothing newer would be taken over"),
    "",
    ...(flaws.length > 0 ? [`Something is not right already: ${flaws.join(", ")} (waxwing check).`] : []),
    "Rehearsed in a copy, which is thrown away. Nothing was changed.",
  ].join("\n");
  return { json: view, text };
}

function surroundings({ io, options }: Context) {
  const onStep = (step: string): void => {
    if (!options.json) io.err(`${step} …\n`);
  };
  return { now: io.clock.now(), newInstanceId: () => newInstanceId(io.random), onStep };
}

function tried<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof LockHeld) {
      throw new CommandFailure("locked", "another rehearsal is under way", "wait until it is done");
    }
    if (error instanceof GapNotAccepted) throw gapFailure(error);
    if (error instanceof NoRoom) throw new CommandFailure("no_room", error.message, "make room; nothing was changed");
    if (error instanceof CopyBroken) {
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
  const server = take(serverLock, "a server runs on this database", "stop it first: systemctl stop waxwing");
  try {
    const commands = take(commandLock, "a command is writing to this database", "wait until it is done");
    return () => {
      commands.release();
      server.release();
    };
  } catch (error) {
    server.release();
    throw error;
  }
}

function take(path: string, who: string, next: string): Lock {
  try {
    return lockExclusively(path);
  } catch (error) {
    if (error instanceof LockHeld) throw new CommandFailure("locked", `${who}, so it cannot be replaced`, next);
    throw error;
  }
}

function report(database: string, restored: Restored, missingKey: string | null): Report {
  const { since, counts, takenOver, gap, kept, flaws } = restored;
  const view = {
    database: resolve(database),
    backup_taken_at: since === null ? null : formatInstant(since, "UTC"),
    counts,
    taken_over: takenOver,
    gap,
    replaced: kept === null ? null : resolve(kept),
    key_missing: missingKey,
    flaws,
  };
  const text = [
    list({ database: view.database, "backup of": view.backup_taken_at, replaced: view.replaced, ...counts }),
    "",
    ...describeTaken(restored, "Taken over from the replaced database:", "Nothing newer was taken over"),
    "",
    ...(flaws.length > 0 ? [`Something was not right already before this: ${flaws.join(", ")} (waxwing check).`] : []),
    ...(missingKey === null
      ? []
      : [`The key file ${missingKey} is not there: put it back, or no server can start on this database.`]),
    "Start the server now. Broadcasts that were running or scheduled are paused until somebody resumes them.",
  ].join("\n");
  return { json: view, text };
}

function describeTaken({ takenOver, gap }: Built, taken: string, nothing: string): string[] {
  if (gap !== null) return [`${nothing}: ${gap}. Lost may be:`, ...lostWithGap.map((line) => `- ${line}`)];
  const counts = Object.entries(takenOver ?? {}).map(([name, count]) => [name.replaceAll("_", " "), count]);
  return [taken, list(Object.fromEntries(counts) as Record<string, number>)];
}

/** `waxwing restore FILE`: a proven backup takes the database's place, with what the replaced file knows that is newer. */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { CopyBroken } from "#src/copies/backup.ts";
import { NoRoom } from "#src/copies/files.ts";
import { GapNotAccepted, lostWithGap, type Restored, restoreBackup } from "#src/copies/restore.ts";
import { newInstanceId } from "#src/primitives/id.ts";
import { formatInstant } from "#src/primitives/instant.ts";
import { type DatabaseFiles, databaseFiles, makePrivateDirectory } from "#src/storage/files.ts";
import { type Lock, LockHeld, lockExclusively } from "#src/storage/lock.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { isThere } from "./database.ts";
import { CommandFailure } from "./failure.ts";
import { list, type Report } from "./output.ts";

export const commands: readonly Command[] = [
  command({
    group: null,
    name: "restore",
    summary: "Put a backup in the place of the database; the server must be stopped",
    details:
      "The backup is checked first. From the database that it replaces, what is newer is taken over: opt-outs and consent,\nmessages sent and their outcomes, idempotency keys, what people wrote in, payments, revoked keys, rotated secrets,\nsuspensions. Profiles, groups, templates and settings are as they were backed up. The replaced file is kept. The next\nstart holds running and scheduled broadcasts.",
    positionals: { file: { kind: "text", value: "FILE", required: true, says: "The backup" } },
    options: {
      acceptGap: {
        kind: "flag",
        says: "Also where the replaced database is missing or cannot be read, and what is newer is lost",
      },
    },
    run: async (context, given) => {
      const { storage, secrets } = context.loadConfig();
      const files = databaseFiles(storage.path);
      if (!isThere(given.file)) {
        throw new CommandFailure("unreadable_file", `there is no file ${resolve(given.file)}`, "check the path");
      }
      makePrivateDirectory(dirname(resolve(storage.path)));
      makePrivateDirectory(resolve(storage.data));
      const release = lockBoth(files);
      try {
        const restored = restore(context, given.file, files.database, given.acceptGap);
        const isKeyThere = context.io.env.WAXWING_SECRETS_KEY !== undefined || existsSync(secrets.keyFile);
        return report(files.database, restored, isKeyThere ? null : resolve(secrets.keyFile));
      } finally {
        release();
      }
    },
  }),
];

function restore({ io, options }: Context, file: string, database: string, acceptGap: boolean): Restored {
  const onStep = (step: string): void => {
    if (!options.json) io.err(`${step} …\n`);
  };
  try {
    return restoreBackup(file, database, {
      now: io.clock.now(),
      acceptGap,
      newInstanceId: () => newInstanceId(io.random),
      onStep,
    });
  } catch (error) {
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
  const taken = Object.entries(takenOver ?? {}).map(([name, count]) => [name.replaceAll("_", " "), count]);
  const text = [
    list({ database: view.database, "backup of": view.backup_taken_at, replaced: view.replaced, ...counts }),
    "",
    gap === null ? "Taken over from the replaced database:" : `Nothing newer was taken over: ${gap}. Lost may be:`,
    gap === null
      ? list(Object.fromEntries(taken) as Record<string, number>)
      : lostWithGap.map((line) => `- ${line}`).join("\n"),
    "",
    ...(flaws.length > 0 ? [`Something was not right already before this: ${flaws.join(", ")} (waxwing check).`] : []),
    ...(missingKey === null
      ? []
      : [`The key file ${missingKey} is not there: put it back, or no server can start on this database.`]),
    "Start the server now. Broadcasts that were running or scheduled are paused until somebody resumes them.",
  ].join("\n");
  return { json: view, text };
}

/**
 * `waxwing restore FILE`: replaces the database with a verified backup and merges newer rows from the replaced file.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type KeyPlacement, NO_KEYS } from "#src/backup/archive/place.ts";
import { discard, type Unpacked } from "#src/backup/archive/unpack.ts";
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
import { databaseFiles } from "#src/db/files.ts";
import { LockHeld } from "#src/db/lock.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { createDirectories, fileExists, noDatabase } from "./database.ts";
import { CommandFailure, type FailureRule, failingAs } from "./failure.ts";
import {
  fetchNamed,
  fetchOptions,
  isArchiveAddress,
  type Placed,
  placeArchivedKeys,
  placeRest,
  readArchiveAddress,
} from "./fetched-archive.ts";
import { databaseFile, isGivenThere, withGivenDatabase } from "./given-database.ts";
import { file, flag, positional, type Values } from "./option.ts";
import { type Line, lines, list, type Report, stepPrinter } from "./output.ts";
import { whileStopped } from "./stopped-server.ts";

const options = {
  ...fetchOptions,
  acceptGap: flag("Restore even if the replaced database is missing or unreadable, so that newer rows are lost"),
  rehearse: flag("Restore drill: try it in a temporary copy, also while a server runs"),
};

export const commands: readonly Command[] = [
  command(
    "restore",
    {
      summary: "Replace the database with a backup; the server must be stopped",
      details:
        "The backup is checked first. Newer rows of the replaced database are merged into it: opt-outs and consent, sent\nmessages and their outcomes, idempotency keys, received messages, payments, revoked keys, rotated secrets,\nsuspensions. Profiles, groups, templates and settings are those of the backup. The replaced file is kept. The next\nstart puts running and scheduled broadcasts on hold.",
    },
    {
      file: positional(
        file("FILE|s3://BUCKET/NAME", "The backup, or an archive in an S3-compatible store", databaseFile),
      ),
      ...options,
    },
    async (context, values) => {
      if (isArchiveAddress(values.file)) return restoreArchive(context, values.file, values);
      const { storage, secrets } = context.loadConfig();
      const files = databaseFiles(storage.path);
      if (!isGivenThere(context, values.file)) {
        throw new CommandFailure("unreadable_file", `there is no file ${resolve(values.file)}`, "check the path");
      }
      if (values.rehearse)
        return await withGivenDatabase(context, values.file, (file) => runDrill(context, file, files.database));
      return whileReplacing(context, async () => {
        const restored = await withGivenDatabase(context, values.file, (file) =>
          restore(context, file, files.database, values.acceptGap),
        );
        const isKeyThere = context.io.env.WAXWING_SECRETS_KEY !== undefined || existsSync(secrets.keyFile);
        return report(files.database, restored, isKeyThere ? null : resolve(secrets.keyFile), null);
      });
    },
  ),
];

/** Fetches the archive, and restores its database as any other backup. */
async function restoreArchive(context: Context, address: string, values: Values<typeof options>): Promise<Report> {
  readArchiveAddress(address);
  const { database } = databaseFiles(context.loadConfig().storage.path);
  const perform = async (): Promise<Report> => {
    stepPrinter(context)(`fetching ${address}`);
    const fetched = await fetchNamed(context, address, values);
    try {
      if (values.rehearse) return await runDrill(context, fetched.file, database);
      const { restored, keys } = await restoreWithKeys(context, fetched, database, values.acceptGap);
      return report(database, restored, null, { archive: address, ...keys, ...placeRest(context, fetched) });
    } finally {
      discard(fetched);
    }
  };
  return values.rehearse ? perform() : whileReplacing(context, perform);
}

async function restoreWithKeys(context: Context, fetched: Unpacked, database: string, acceptGap: boolean) {
  const placements: KeyPlacement[] = [];
  let restored: RestoreResult;
  try {
    restored = await restore(context, fetched.file, database, acceptGap, ({ merged }) => {
      placements.push(placeArchivedKeys(context, fetched, merged !== null));
    });
  } catch (error) {
    for (const { undo } of placements) undo();
    throw error;
  }
  for (const { settle } of placements) settle();
  return { restored, keys: placements[0]?.placed ?? NO_KEYS };
}

function whileReplacing(context: Context, work: () => Promise<Report>): Promise<Report> {
  const config = context.loadConfig();
  createDirectories(config);
  return whileStopped(databaseFiles(config.storage.path), "replaced", work);
}

function restore(
  context: Context,
  file: string,
  database: string,
  acceptGap: boolean,
  beforeSwap: (prepared: PreparedRestore) => void = () => undefined,
): Promise<RestoreResult> {
  return translateErrors(() => restoreBackup(file, database, { ...drillOptions(context), acceptGap, beforeSwap }));
}

/** Changes nothing, so it takes no lock on the database and excludes only another restore drill. */
async function runDrill(context: Context, file: string, database: string): Promise<Report> {
  if (!fileExists(database)) throw noDatabase(database);
  const prepared = await translateErrors(() => runRestoreDrill(file, database, drillOptions(context)));
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
  const text = lines(
    list({ database: view.database, "backup of": view.backup_taken_at, ...counts }),
    "",
    ...describeMerged(prepared, "Newer rows that would be merged from the database:", "No newer rows would be merged"),
    "",
    flaws.length > 0 && `Already failing: ${flaws.join(", ")} (waxwing check).`,
    "Restore drill passed, in a temporary copy. Nothing was changed.",
  );
  return { json: view, text };
}

function drillOptions(context: Context) {
  const { clock, random } = context.io;
  return { now: clock.now(), newInstanceId: () => newInstanceId(random), onStep: stepPrinter(context) };
}

const RULES: readonly FailureRule[] = [
  [LockHeld, "locked", "wait until it has ended", () => "another restore drill is running"],
  [InsufficientSpace, "no_room", "free some space; nothing was changed"],
  [BackupBroken, "broken", "take another backup", (message) => `${message}; nothing was changed`],
];

function translateErrors<T>(work: () => T): Promise<T> {
  return failingAs(RULES, () => {
    try {
      return work();
    } catch (error) {
      throw error instanceof GapNotAccepted ? gapFailure(error) : error;
    }
  });
}

function gapFailure({ message, since }: GapNotAccepted): CommandFailure {
  const from = since === null ? "the backup was made" : formatInstant(since, "UTC");
  return new CommandFailure(
    "gap",
    [`${message}. These would be lost, since ${from}:`, ...lostWithGap.map((line) => `- ${line}`)].join("\n"),
    "put the database back if there is one, or run this again with --accept-gap; nothing was changed",
  );
}

function report(
  database: string,
  restored: RestoreResult,
  missingKey: string | null,
  placed: (Placed & { archive: string }) | null,
): Report {
  const { since, counts, merged, gap, kept, hasDigest, flaws } = restored;
  const view = {
    database: resolve(database),
    backup_taken_at: since === null ? null : formatInstant(since, "UTC"),
    counts,
    taken_over: merged,
    gap,
    replaced: kept === null ? null : resolve(kept),
    digest: hasDigest ? true : null,
    key_missing: missingKey,
    flaws,
    ...(placed === null
      ? {}
      : {
          ...{ archive: placed.archive, key_file: placed.key, other_key_file: placed.otherKey },
          replaced_key_file: placed.replacedKey,
          ...{ configuration: placed.configuration, media: placed.media },
        }),
  };
  const text = lines(
    list({ database: view.database, "backup of": view.backup_taken_at, replaced: view.replaced, ...counts }),
    "",
    ...describeMerged(restored, "Merged from the replaced database:", "No newer rows were merged"),
    "",
    !hasDigest && "The backup has no digest: its integrity could not be verified.",
    flaws.length > 0 && `Already failing before the restore: ${flaws.join(", ")} (waxwing check).`,
    missingKey !== null && `The key file ${missingKey} is missing: without it, no server can start on this database.`,
    placed !== null && describePlaced(placed),
    "Start the server now. Broadcasts that were running or scheduled stay paused until they are resumed.",
  );
  return { json: view, text };
}

function describePlaced({ key, replacedKey, otherKey, configuration, media }: Placed): Line {
  return [
    key !== null && `The master key of the archive is now ${key}.`,
    replacedKey !== null && `The one of the replaced database is kept as ${replacedKey}.`,
    otherKey !== null &&
      `The current key differs from the archive's, saved as ${otherKey}. Add it, or stored secrets cannot be decrypted.`,
    configuration === null
      ? "The archive holds no configuration: there was no file."
      : `Its configuration is in ${configuration}: compare it with the one in place.`,
    media > 0 && `Files that people sent, put back: ${media}.`,
  ];
}

function describeMerged({ merged, gap }: PreparedRestore, mergedHeading: string, emptyHeading: string): string[] {
  if (gap !== null) return [`${emptyHeading}: ${gap}. These may be lost:`, ...lostWithGap.map((line) => `- ${line}`)];
  const counts = Object.entries(merged ?? {}).map(([name, count]) => [name.replaceAll("_", " "), count]);
  return [mergedHeading, list(Object.fromEntries(counts) as Record<string, number>)];
}

/**
 * `waxwing move …`: a planned move to another machine. The original is closed, and its successor continues where it
 * stopped: nothing is held, no id is skipped, and what was scheduled stays scheduled.
 */
import { closeSync, existsSync, fstatSync, ftruncateSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { BackupBroken, NameTaken } from "#src/backup/backup.ts";
import { writing } from "#src/backup/database-file.ts";
import { InsufficientSpace } from "#src/backup/files.ts";
import { type MovedIn, MoveRefused, moveIn } from "#src/backup/move/move-in.ts";
import { CopyNotStarted, type MovedOutFile, moveOut } from "#src/backup/move/move-out.ts";
import { reopenAsCopy, stateOf } from "#src/backup/move/original.ts";
import { type CopyReason, judgeCancel } from "#src/backup/move/states.ts";
import { type Config, isSetting } from "#src/config/config.ts";
import { newInstanceId, randomText } from "#src/core/id.ts";
import { formatInstant } from "#src/core/instant.ts";
import { SECRET_KEY_VARIABLE } from "#src/core/key-file.ts";
import { visible } from "#src/core/shown-text.ts";
import { ArchiveBroken } from "#src/core/tar.ts";
import { readFileIdentity } from "#src/db/file-identity.ts";
import { databaseFiles } from "#src/db/files.ts";
import { readMove } from "#src/db/instance.ts";
import { archivedFiles } from "#src/server/archived-files.ts";
import { type Carried, carrySettings, readSecretFiles } from "./carry-settings.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { createDirectories, fileExists, loadConfiguredKeys, noDatabase } from "./database.ts";
import { CommandFailure, type FailureRule, failingAs, isFileThere } from "./failure.ts";
import { openForUpdate } from "./named-files.ts";
import { file, positional, text } from "./option.ts";
import { lines, list, megabytes, type Report, stepPrinter } from "./output.ts";
import { whileStopped } from "./stopped-server.ts";

const CODE_LENGTH = 24;
/** In the data directory: the configuration of the machine that was left. */
const MOVED_CONFIG = "waxwing.moved.toml";

export const commands: readonly Command[] = [
  command(
    "move out",
    {
      summary: "Write this server into one file and close it; the server must be stopped",
      details:
        "FILE holds database, master key, media and configuration. The database here is closed, and the code that is printed\nopens FILE within a day, once. Until then FILE is as secret as the server: it contains the master key.\n\n  waxwing move out /root/waxwing.move\n  scp /root/waxwing.move new-machine:/root/\n  waxwing move in /root/waxwing.move --code CODE      on the new machine\n\nWaxwing cannot see a copy of FILE that is made elsewhere: use one, and delete the others.",
    },
    {
      file: positional(file("FILE", "Target file; an existing file is never replaced", { as: "make" })),
    },
    async (context, { file }) => {
      const config = context.loadConfig();
      const files = databaseFiles(config.storage.path);
      if (!fileExists(files.database)) throw noDatabase(files.database);
      return withEmptiedTarget(context, file, async () => {
        const code = randomText(context.io.random, CODE_LENGTH).replace(/(.{6})(?=.)/g, "$1-");
        const perform = () => performOut(context, config, file, code);
        return reportOut(context, await whileStopped(files, "moved", perform), code);
      });
    },
  ),
  command(
    "move in",
    {
      summary: "Continue the server that a file of move out holds; the server here must be stopped",
      details:
        "With the code, and within a day, the server continues as if it had never stopped, and FILE is marked as used. Without\nthe code, later, or with a used FILE, it becomes a copy as after a restore: broadcasts are held.\n\n  waxwing move in /root/waxwing.move --code CODE\n\nA database here must have no workspaces; it is kept under another name. The alarms and the off-site backups of the old\nmachine's configuration are carried into the one here, unless it has its own. The rest of it is written into the data\ndirectory for you to compare.",
      changesConfig: true,
    },
    {
      file: positional(file("FILE", "The file that move out wrote", { as: "update" })),
      code: text("CODE", "The code that move out printed; without it: a copy, held"),
    },
    async (context, { file, code }) => {
      const config = context.loadConfig();
      const files = databaseFiles(config.storage.path);
      const handle = openGiven(context, file);
      try {
        createDirectories(config);
        const perform = () => translateErrors(() => performIn(context, config, handle, code));
        const moved = await whileStopped(files, "replaced", perform);
        // A copy beside its original would send its backups to the same place, and delete the original's.
        const carried = moved.heldBecause === null ? carrySettings(context, config, movedConfigOf(config)) : null;
        return reportIn(context, config, moved, carried);
      } finally {
        closeSync(handle);
      }
    },
  ),
  command(
    "move cancel",
    {
      summary: "Reopen a server that move out closed, as a copy: its broadcasts are held",
      details:
        "Where the file was not used, delete it first: with its code it would still continue elsewhere.\n\n  waxwing move cancel",
    },
    {},
    async (context) => {
      const { storage } = context.loadConfig();
      const files = databaseFiles(storage.path);
      if (!fileExists(files.database)) throw noDatabase(files.database);
      return whileStopped(files, "reopened", () => cancel(files.database));
    },
  ),
];

/** A file that root made, in a directory where this process may not remove it. */
function withEmptiedTarget<T>({ io, files }: Context, file: string, work: () => Promise<T>): Promise<T> {
  return translateErrors(async () => {
    const handle = files.handleOf(file);
    try {
      return await work();
    } catch (error) {
      if (handle !== null) {
        ftruncateSync(handle, 0);
        io.err(`${resolve(file)} is left empty; remove it\n`);
      }
      throw error;
    }
  });
}

function performOut(context: Context, config: Config, file: string, code: string): Promise<MovedOutFile> {
  const { io, files } = context;
  // Throws unless there is one that this server could use.
  loadConfiguredKeys(config, io, false);
  return moveOut({
    ...{ code, file: { path: file, handle: files.handleOf(file) }, now: io.clock.now(), host: hostname() },
    database: config.storage.path,
    files: {
      ...archivedFiles(config, io.env),
      configuration: config.fileText === null ? null : { text: config.fileText },
      secrets: readSecretFiles(config),
    },
    marker: newInstanceId(io.random),
    identityOf: readFileIdentity,
    onStep: stepPrinter(context),
  });
}

function performIn(context: Context, config: Config, handle: number, code: string | undefined): Promise<MovedIn> {
  const { io } = context;
  const hasEnvironmentKey = io.env[SECRET_KEY_VARIABLE] !== undefined;
  const keysHere = hasEnvironmentKey ? loadConfiguredKeys(config, io, false).all() : null;
  return moveIn({
    ...{ handle, code, now: io.clock.now(), token: randomText(io.random, 16) },
    database: config.storage.path,
    places: {
      keyFile: hasEnvironmentKey ? null : config.secrets.keyFile,
      mediaDirectory: config.media.directory,
      config: join(config.storage.data, MOVED_CONFIG),
      random: io.random,
      now: io.clock.now(),
    },
    keysHere: keysHere?.map(({ bytes }) => bytes) ?? null,
    identityOf: readFileIdentity,
    onStep: stepPrinter(context),
  });
}

function openGiven({ files }: Context, path: string): number {
  const handle = files.handleOf(path) ?? (existsSync(path) ? openForUpdate(path) : null);
  if (handle === null)
    throw new CommandFailure("unreadable_file", `there is no file ${resolve(path)}`, "check the path");
  if (fstatSync(handle).isFile()) return handle;
  closeSync(handle);
  throw new CommandFailure("unreadable_file", `${resolve(path)} is not a file`, "name the file that move out wrote");
}

function cancel(database: string): Report {
  return writing(database, (client) => {
    const verdict = judgeCancel(stateOf(client, database));
    const move = readMove(client);
    if (verdict.kind === "refused" || move?.state !== "out")
      throw new CommandFailure("not_moved_out", `the database ${resolve(database)} was not moved out`);
    reopenAsCopy(client, move.at);
    const json = { database: resolve(database), file: move.file, moved_out_at: formatInstant(move.at, "UTC") };
    const text = [
      `${json.database} is open again, as a copy: at its next start, running and scheduled broadcasts are put on hold.`,
      `Delete ${move.file} and every copy of it. If it was used, the other server continues to send: then see there what was`,
      "sent before you resume a broadcast here.",
    ].join("\n");
    return { json, text };
  });
}

function reportOut({ io }: Context, { file, bytes, media, expiresAt, flaws }: MovedOutFile, code: string): Report {
  const variables = Object.keys(io.env).filter(isSetting);
  const json = {
    ...{ file, bytes, code },
    code_valid_until: formatInstant(expiresAt, "UTC"),
    media,
    environment: variables,
    flaws,
  };
  const text = lines(
    list({
      file,
      size: megabytes(bytes),
      media,
      code,
      "valid until": json.code_valid_until,
    }),
    "",
    `This database is closed. On the new machine: waxwing move in FILE --code ${code}`,
    "The code is not stored and is not shown again. FILE contains the master key and people's data (mode 0600): carry it over",
    "SSH, delete it when the new server runs, and use no copy of it. Waxwing cannot see a copy that is made elsewhere.",
    "Not in FILE: backups, certificate files and whatever else the configuration names by path, but for smtp_url_file and",
    "secret_key_file.",
    variables.length > 0 && `Not in FILE either, because they are in the environment: ${variables.join(", ")}.`,
    flaws.length > 0 && `Failing already before the move: ${flaws.join(", ")} (waxwing check).`,
    "Keep this service from starting again: systemctl disable --now waxwing",
  );
  return { json, text };
}

const HELD: Readonly<Record<CopyReason, string>> = {
  no_code: "no code was given",
  expired: "the code was valid for a day, which is over",
  used: "the file was used before",
};

function movedConfigOf({ storage }: Config): string {
  return resolve(join(storage.data, MOVED_CONFIG));
}

function describeCarried({ file, sections, failure }: Carried): string {
  const names = sections.map((section) => `[${section}]`).join(" and ");
  if (failure !== null) return `${names} could not be carried into ${file}: ${visible(failure)}. Copy them by hand.`;
  return `${names} of the old machine are in ${file} now. Try them: waxwing alarm test, waxwing config check.`;
}

function reportIn({ io }: Context, config: Config, moved: MovedIn, carried: Carried | null): Report {
  const { manifest, heldBecause, isDone, counts, replaced, flaws } = moved;
  const database = resolve(config.storage.path);
  const movedConfig = movedConfigOf(config);
  const json = {
    ...{ database, held: heldBecause !== null, reason: heldBecause === null ? null : HELD[heldBecause], counts, flaws },
    already_there: isDone,
    from: manifest.move?.host ?? null,
    moved_out_at: formatInstant(manifest.takenAt, "UTC"),
    replaced: replaced === null ? null : resolve(replaced),
    key_file: io.env[SECRET_KEY_VARIABLE] === undefined ? resolve(config.secrets.keyFile) : null,
    config_of_old_machine: existsSync(movedConfig) ? movedConfig : null,
    carried: carried === null || carried.failure !== null ? [] : carried.sections,
  };
  const text = lines(
    list({ database, from: json.from, "moved out": json.moved_out_at, replaced: json.replaced, ...counts }),
    "",
    isDone && "It was moved in already; nothing was changed.",
    heldBecause === null
      ? "It continues where it stopped: nothing is held, and ids continue. The file is marked as used; delete it."
      : `It is a copy, because ${HELD[heldBecause]}: at its start, running and scheduled broadcasts are put on hold.`,
    flaws.length > 0 && `Failing already before the move: ${flaws.join(", ")} (waxwing check).`,
    carried !== null && carried.sections.length > 0 && describeCarried(carried),
    json.config_of_old_machine !== null &&
      `The old machine's configuration: ${movedConfig}. Compare it with the one here; nothing reads it there.`,
    "Start the server now. If its address changed, change DNS and the callback address at Meta too.",
  );
  return { json, text };
}

const REFUSED: Readonly<Record<MoveRefused["because"], string>> = {
  wrong_code: "give the code that move out printed; without --code it becomes a copy, held",
  not_markable: "copy it to a directory that you can write to; without --code it becomes a copy, held",
  occupied: "name an empty directory with --data DIR, or move that database away; nothing was changed",
  other_keys: `leave ${SECRET_KEY_VARIABLE} out: the file has the key`,
};

const RULES: readonly FailureRule[] = [
  [
    ArchiveBroken,
    "broken",
    "copy it again from the machine where move out wrote it; nothing was changed",
    (message) => `that file cannot be used: ${message}`,
  ],
  [BackupBroken, "broken", "waxwing check; nothing was changed"],
  [InsufficientSpace, "no_room", "free some space, or use another disk; nothing was changed"],
  [NameTaken, "file_exists", "name another file"],
  [
    CopyNotStarted,
    "copy_not_started",
    "start the server on it once, so that its broadcasts are held, and then move it",
  ],
];

function translateErrors<T>(work: () => Promise<T>): Promise<T> {
  return failingAs(RULES, () =>
    work().catch((error: unknown) => {
      if (error instanceof MoveRefused) throw new CommandFailure(error.because, error.message, REFUSED[error.because]);
      throw isFileThere(error) ? new NameTaken(error.message) : error;
    }),
  );
}

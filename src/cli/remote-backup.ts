/** `waxwing backup send · list · recovery-key`: backups that are kept off-site. */
import { writeFileSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { BackupBroken } from "#src/backup/backup.ts";
import { InsufficientSpace } from "#src/backup/files.ts";
import { makeOwnBackup } from "#src/backup/own-backup.ts";
import { newRecoveryKey } from "#src/backup/remote/encryption.ts";
import { folderOf, readArchiveName } from "#src/backup/remote/names.ts";
import { ReadBackDiffers, type SentBackup, sendBackup } from "#src/backup/remote/send.ts";
import { placeOf } from "#src/backup/remote/settings.ts";
import { readRemoteState } from "#src/backup/remote/state.ts";
import { faultsOf, listBackups } from "#src/backup/verification-reports.ts";
import { formatInstant } from "#src/core/instant.ts";
import { createPrivateFile } from "#src/db/files.ts";
import { LockHeld } from "#src/db/lock.ts";
import { archivedFiles } from "#src/server/archived-files.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { fileExists, noDatabase } from "./database.ts";
import { CommandFailure, type FailureRule, failingAs } from "./failure.ts";
import { file, flag, text, type Values } from "./option.ts";
import { lines, list, listed, megabytes, type Report, stepPrinter } from "./output.ts";
import { inWords, openStore, requireRemote, storeOptions } from "./remote-store.ts";

const place = {
  bucket: text("B", "The bucket (default: [backup.remote] bucket)"),
  prefix: text("P", "Where in it (default: [backup.remote] prefix)"),
  ...storeOptions,
};

export const remoteCommands: readonly Command[] = [
  command(
    "backup send",
    {
      summary: "Make a backup now, and send it encrypted to the store of [backup.remote]",
      details:
        "The archive holds the database, the master key and the configuration. It is read back from the store before it\ncounts. The server does the same after each scheduled backup.",
    },
    {},
    async (context) => {
      const { storage } = context.loadConfig();
      requireRemote(context);
      if (!fileExists(storage.path)) throw noDatabase(storage.path);
      return reportSent(context, await makeAndSend(context));
    },
  ),
  command(
    "backup list",
    { summary: "List the backups on this machine, and with --remote those in the store", needsNoData: "unless named" },
    { remote: flag("List the archives in the store"), ...place },
    async (context, values) => (values.remote ? listRemote(context, values) : listLocal(context)),
  ),
  command(
    "backup recovery-key",
    {
      summary: "Make a new recovery key, for backups that are kept off-site",
      details:
        "Prints the recovery key once: keep it apart from this machine, best on paper, for without it no archive can be\nrestored. The recipient belongs into [backup.remote] recipient. It is a key of age (age-keygen makes them too).",
      needsNoData: true,
    },
    {
      file: file("FILE", "Write the recovery key to a new file", { as: "make" }),
    },
    async (context, values) => {
      const { recoveryKey, recipient } = await newRecoveryKey();
      if (values.file === undefined)
        return {
          json: { recipient, recovery_key: recoveryKey, file: null },
          text: [
            list({ recipient, "recovery key": recoveryKey }),
            "",
            "Keep the recovery key apart from this machine: it is not shown again, and without it no archive can be restored.",
          ].join("\n"),
        };
      writeKey(
        context,
        values.file,
        `# Recovery key of Waxwing's backups\n# recipient: ${recipient}\n${recoveryKey}\n`,
      );
      const file = resolve(values.file);
      return {
        json: { recipient, recovery_key: null, file },
        text: [
          list({ recipient, "recovery key in": file }),
          "",
          "Move the file to a place apart from this machine: without it, no archive can be restored.",
        ].join("\n"),
      };
    },
  ),
];

async function makeAndSend(context: Context): Promise<SentBackup> {
  const { io } = context;
  const config = context.loadConfig();
  const settings = requireRemote(context);
  const directory = resolve(config.backup.directory);
  return failingAs(RULES, async () => {
    const { name, verificationReport } = makeOwnBackup({
      ...{ database: config.storage.path, directory, now: io.clock.now(), retention: null },
      onStep: () => undefined,
    });
    const faults = faultsOf(verificationReport);
    if (faults.length > 0)
      throw new CommandFailure(
        "broken",
        `the database fails its check: ${faults.map((one) => one.name).join(", ")}`,
        "waxwing check",
      );
    return await inWords(() =>
      sendBackup(
        { directory, name, settings, files: archivedFiles(config, io.env) },
        { clock: io.clock, onStep: stepPrinter(context) },
      ),
    );
  });
}

const RULES: readonly FailureRule[] = [
  [LockHeld, "locked", "wait until it has ended", () => "another process is sending a backup"],
  [InsufficientSpace, "no_room", "free some space, or set [backup] directory to another disk"],
  [BackupBroken, "broken", "the database may be damaged: waxwing check"],
  [ReadBackDiffers, "store", "do not rely on this store: use another one, and ask its operator"],
];

function reportSent(context: Context, sent: SentBackup): Report {
  const remote = requireRemote(context);
  const archive = `s3://${remote.bucket}/${sent.key}`;
  const view = {
    archive,
    bytes: sent.bytes,
    sha256: sent.sha256,
    taken_at: formatInstant(sent.takenAt, "UTC"),
    backup: join(resolve(context.loadConfig().backup.directory), sent.backup),
    removed: sent.removed,
    not_removed: sent.notRemoved,
  };
  const text = lines(
    list({
      archive,
      size: megabytes(sent.bytes),
      sha256: sent.sha256,
      "backup of": view.taken_at,
      backup: view.backup,
    }),
    "",
    "The archive was read back from the store, and is what was sent.",
    sent.removed.length > 0 && `Deleted there, because enough newer ones are kept: ${sent.removed.length}.`,
    sent.notRemoved !== null && `Older archives could not be deleted: ${sent.notRemoved}.`,
    `To restore it: waxwing restore ${archive} --recovery-key-file FILE`,
  );
  return { json: view, text };
}

function listLocal(context: Context): Report {
  const { backup } = context.loadConfig();
  const directory = resolve(backup.directory);
  const backups = listBackups(directory).map(({ name, bytes, createdAt, verificationReport }) => ({
    file: join(directory, name),
    bytes,
    taken_at: formatInstant(verificationReport?.at ?? createdAt, "UTC"),
    verified: verificationReport === null ? null : faultsOf(verificationReport).length === 0,
  }));
  const columns = ({ file, bytes, taken_at, verified }: (typeof backups)[number]) => ({
    "taken at": taken_at,
    size: megabytes(bytes),
    state: verified === null ? "not verified" : verified ? "verified" : "damaged",
    file,
  });
  return listed(backups, columns, `No backups in ${directory}.`);
}

async function listRemote(context: Context, values: Values<typeof place>): Promise<Report> {
  const { backup } = context.loadConfig();
  const bucket = values.bucket ?? requireRemote(context).bucket;
  const prefix = values.prefix?.replace(/\/$/, "") ?? backup.remote?.prefix ?? null;
  const folder = folderOf(prefix === "" ? null : prefix);
  const known = backup.remote === null ? null : placeOf(backup.remote);
  const proved = new Set(
    known === null ? [] : readRemoteState(resolve(backup.directory), known).archives.map(({ key }) => key),
  );
  const objects = await inWords(async () => (await openStore(context, bucket, values)).list(folder));
  const archives = objects
    .flatMap(({ key, bytes }) => {
      const read = readArchiveName(key.slice(folder.length));
      return read === null ? [] : [{ key, bytes, takenAt: read.takenAt }];
    })
    .toSorted((a, b) => b.takenAt - a.takenAt)
    .map(({ key, bytes, takenAt }) => ({
      archive: `s3://${bucket}/${key}`,
      bytes,
      taken_at: formatInstant(takenAt, "UTC"),
      /** Read back by this installation. */
      proved: proved.has(key),
    }));
  const columns = ({ archive, bytes, taken_at, proved }: (typeof archives)[number]) => ({
    "taken at": taken_at,
    size: megabytes(bytes),
    "read back": proved,
    archive,
  });
  return listed(archives, columns, `No archives in s3://${bucket}/${folder}.`);
}

function writeKey({ files }: Context, file: string, text: string): void {
  const handle = files.handleOf(file);
  if (handle !== null) {
    writeSync(handle, text);
    return;
  }
  if (fileExists(file) || !createPrivateFile(resolve(file)))
    throw new CommandFailure("file_exists", `${resolve(file)} cannot be made, or already exists`, "name another file");
  writeFileSync(resolve(file), text);
}

/**
 * `waxwing backup recovery-sheet`: one page to print: what has to be kept apart from this machine, and how to restore. With
 * backups off-site it names the store, and has a line for the recovery key, which the server does not know.
 */
import { join, resolve } from "node:path";
import { readRecoveryKeys, recipientsOf, WrongRecoveryKey } from "#src/backup/remote/encryption.ts";
import { placeOf, type RemoteSettings } from "#src/backup/remote/settings.ts";
import { readRemoteState } from "#src/backup/remote/state.ts";
import { faultsOf, listBackups } from "#src/backup/verification-reports.ts";
import type { Config } from "#src/config/config.ts";
import { formatInstant } from "#src/core/instant.ts";
import { version } from "#src/core/version.ts";
import { readInstance } from "#src/db/instance.ts";
import { command } from "./command.ts";
import type { Context } from "./context.ts";
import { type Database, loadConfiguredKeys, withDatabase } from "./database.ts";
import { CommandFailure } from "./failure.ts";
import { readInputFile } from "./input.ts";
import { file } from "./option.ts";
import { lines } from "./output.ts";
import { requireRemote } from "./remote-store.ts";

export const recoverySheet = command(
  "backup recovery-sheet",
  {
    summary: "Print one page: what to keep apart from this machine, and how to restore",
    details:
      "The page contains no secret, unless --recovery-key-file names the recovery key, which is then checked and printed.\nPrint the page, and keep it apart from this machine.",
  },
  {
    recoveryKeyFile: file(
      "FILE",
      "Print the recovery key in this file, or - for stdin, if it is the one of [backup.remote] recipient",
    ),
  },
  async (context, { recoveryKeyFile }) => {
    const recoveryKey = recoveryKeyFile === undefined ? null : await readRecoveryKey(context, recoveryKeyFile);
    return withDatabase(context, "read", (database) => {
      const sheet = sheetOf(context, database, recoveryKey);
      return { json: sheet, text: sheet.remote === null ? localPage(sheet) : remotePage(sheet, sheet.remote) };
    });
  },
);

type Sheet = ReturnType<typeof sheetOf>;

function sheetOf({ io }: Context, { config, store }: Database, recoveryKey: string | null) {
  const keys = loadConfiguredKeys(config, io, false);
  const directory = resolve(config.backup.directory);
  const newest = listBackups(directory).find(
    ({ verificationReport }) => verificationReport !== null && faultsOf(verificationReport).length === 0,
  );
  const takenAt = newest?.verificationReport?.at ?? null;
  return {
    printed_at: formatInstant(io.clock.now(), "UTC"),
    version,
    instance_id: readInstance(store.client)?.instanceId ?? null,
    public_url: config.server.publicUrl,
    database: resolve(config.storage.path),
    data: resolve(config.storage.data),
    config_file: config.file === null ? null : resolve(config.file),
    key_file: keys.keyFile === null ? null : resolve(keys.keyFile),
    key_id: keys.current().id,
    backup_directory: directory,
    schedule: config.backup.schedule,
    keep: config.backup.retention,
    newest_backup:
      newest === undefined
        ? null
        : {
            file: join(directory, newest.name),
            taken_at: takenAt === null ? null : formatInstant(takenAt, "UTC"),
            sha256: newest.verificationReport?.digest ?? null,
          },
    files: namedFiles(config),
    remote: config.backup.remote === null ? null : viewRemote(config.backup.remote, directory),
    recovery_key: recoveryKey,
  };
}

/** Which the server reads, and no archive holds; the store's secret has a line of its own. */
function namedFiles({ server, acme, alerts }: Config): string[] {
  const named = [server.tlsCert, server.tlsKey, acme.caFile, alerts.smtpUrlFile];
  return named.flatMap((path) => (path === null ? [] : [resolve(path)]));
}

/** Throws `CommandFailure` unless archives can be decrypted with it. */
async function readRecoveryKey(context: Context, file: string): Promise<string> {
  const { recipient } = requireRemote(context);
  try {
    const keys = readRecoveryKeys(await readInputFile(context, "--recovery-key-file", file));
    const found = (await recipientsOf(keys)).indexOf(recipient);
    if (found !== -1) return keys[found] ?? "";
  } catch (error) {
    if (!(error instanceof WrongRecoveryKey)) throw error;
    throw new CommandFailure(
      "recovery_key_wrong",
      error.message,
      "give the file that waxwing backup recovery-key made",
    );
  }
  throw new CommandFailure(
    "recovery_key_wrong",
    `it is not the recovery key of ${recipient}, for which archives are encrypted`,
    "give the right one, or set [backup.remote] recipient to the recipient of this one",
  );
}

function viewRemote(remote: RemoteSettings, directory: string) {
  const newest = readRemoteState(directory, placeOf(remote)).archives.toSorted((a, b) => b.takenAt - a.takenAt)[0];
  return {
    endpoint: remote.endpoint,
    region: remote.region,
    bucket: remote.bucket,
    prefix: remote.prefix,
    access_key: remote.accessKey,
    secret_key_file: resolve(remote.secretKeyFile),
    recipient: remote.recipient,
    keep: remote.keep,
    newest:
      newest === undefined
        ? null
        : {
            archive: `s3://${remote.bucket}/${newest.key}`,
            taken_at: formatInstant(newest.takenAt, "UTC"),
            sha256: newest.sha256,
          },
  };
}

function heading(sheet: Sheet): string[] {
  return [
    "WAXWING RECOVERY SHEET",
    `printed ${sheet.printed_at}, version ${sheet.version}`,
    "",
    `Server      ${sheet.public_url ?? "(no public address)"}`,
    `Instance    ${sheet.instance_id ?? "-"}`,
    `Database    ${sheet.database}`,
    `Schedule    ${sheet.schedule ?? "off"}, ${sheet.keep} kept`,
    "",
    "KEEP APART FROM THIS MACHINE",
    "",
  ];
}

/** Every archive holds the master key and the configuration, so the sheet and two secrets are enough. */
function remotePage(sheet: Sheet, remote: NonNullable<Sheet["remote"]>): string {
  const folder = remote.prefix === null ? "" : `${remote.prefix}/`;
  const region = remote.region === null ? "" : ` --region ${remote.region}`;
  const store = `--endpoint ${remote.endpoint}${region} --access-key ${remote.access_key} --secret-key-file secret`;
  const prefix = remote.prefix === null ? "" : ` --prefix ${remote.prefix}`;
  const archive = remote.newest?.archive ?? `s3://${remote.bucket}/${folder}NAME`;
  return lines(
    ...heading(sheet),
    "[ ] 1. This sheet",
    `[ ] 2. The recovery key ${sheet.recovery_key ?? "AGE-SECRET-KEY-1 ____________________________________________________________"}`,
    `       of the recipient ${remote.recipient}`,
    "       Without it, no archive can be decrypted. The server does not know it.",
    `[ ] 3. The secret of the access key ${remote.access_key}, a copy of ${remote.secret_key_file}:`,
    "       ____________________________________________________________",
    "       With the account of the store, another one can be made.",
    sheet.files.length > 0 && `[ ] 4. Copies of ${sheet.files.join(", ")}`,
    "",
    `Archives    s3://${remote.bucket}/${folder} at ${remote.endpoint}${remote.keep === 0 ? "" : `, ${remote.keep} kept`}`,
    "            Each holds the database, the master key and the configuration.",
    remote.newest === null
      ? "            None was sent yet."
      : `Newest      ${remote.newest.archive}, of ${remote.newest.taken_at}`,
    "",
    "HOW TO RESTORE ON A NEW MACHINE",
    "",
    "1. Be sure that the old machine is off: two servers of one database send twice.",
    "2. Install the same or a newer version of Waxwing, and stop it:",
    "   systemctl stop waxwing",
    "3. Write the recovery key into the file recovery-key, and the secret of the access key into the file secret.",
    "4. See what is there:",
    `   waxwing backup list --remote --bucket ${remote.bucket}${prefix} ${store}`,
    "5. Restore the newest archive:",
    `   waxwing restore ${archive} --recovery-key-file recovery-key ${store} --accept-gap`,
    "   If the old database file still exists, put it in place first and omit --accept-gap: what happened since",
    "   the backup is then merged.",
    "6. Put the configuration in place, which that command has laid into the data directory:",
    `   cp ${sheet.data}/waxwing.toml.restored-TIME ${sheet.config_file ?? "/etc/waxwing/waxwing.toml"}`,
    `   Not in the archive: ${[remote.secret_key_file, ...sheet.files].join(", ")}`,
    "   and WAXWING_ variables. Files must be readable for the service: chown root:waxwing, chmod 640.",
    "7. Start it, and see what needs attention:",
    "   systemctl start waxwing",
    "   waxwing status",
    "8. Broadcasts are on hold. See what was sent before resuming one: waxwing broadcast list --workspace ID",
  );
}

function localPage(sheet: Sheet): string {
  const { newest_backup: newest } = sheet;
  const keyFile = sheet.key_file ?? "the environment variable WAXWING_SECRETS_KEY";
  const configFile = sheet.config_file ?? "(none: the defaults hold)";
  return [
    ...heading(sheet),
    `[ ] 1. The backups      ${sheet.backup_directory}`,
    "       Copy each backup together with its .sha256 file.",
    `[ ] 2. The master key   ${keyFile}`,
    `       Its id is ${sheet.key_id}. Without it, tokens and secrets in a backup cannot be`,
    "       decrypted. Keep it apart from the backups, and copy it again after a rotation.",
    `[ ] 3. The settings     ${configFile}`,
    "",
    newest === null
      ? "There is no verified backup yet."
      : `Newest verified backup: ${newest.file}, of ${newest.taken_at ?? "-"}, SHA-256 ${newest.sha256 ?? "-"}`,
    "",
    "HOW TO RESTORE ON A NEW MACHINE",
    "",
    "1. Be sure that the old machine is off: two servers of one database send twice.",
    "2. Install the same or a newer version of Waxwing, and stop it: systemctl stop waxwing",
    `3. Put the settings at ${sheet.config_file ?? "/etc/waxwing/waxwing.toml"}`,
    `4. Put the master key at ${sheet.key_file ?? "the same variable"}, readable by its owner only.`,
    "5. Copy the newest backup and its .sha256 file to the machine: waxwing check BACKUP",
    "6. waxwing restore BACKUP --accept-gap",
    "   If the old database file still exists, put it at the path above first and omit --accept-gap:",
    "   what happened since the backup is then merged.",
    "7. systemctl start waxwing, then: waxwing status",
    "8. Broadcasts are on hold. See what was sent before resuming one: waxwing broadcast list --workspace ID",
  ].join("\n");
}

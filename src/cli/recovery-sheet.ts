/** `waxwing backup recovery-sheet`: one page to print: what has to be kept apart from this machine, and how to restore. */
import { join, resolve } from "node:path";
import { faultsOf, listBackups } from "#src/backup/verification-reports.ts";
import { formatInstant } from "#src/core/instant.ts";
import { version } from "#src/core/version.ts";
import { readInstance } from "#src/db/instance.ts";
import { command } from "./command.ts";
import { loadConfiguredKeys, withDatabase } from "./database.ts";

export const recoverySheet = command({
  group: "backup",
  name: "recovery-sheet",
  summary: "Print one page: what to keep apart from this machine, and how to restore",
  details: "The page contains no secret. Print it, and keep it with a copy of the key file.",
  run: (context) =>
    withDatabase(context, "read", ({ config, store }) => {
      const keys = loadConfiguredKeys(config, context.io, false);
      const directory = resolve(config.backup.directory);
      const newest = listBackups(directory).find(
        ({ verificationReport }) => verificationReport !== null && faultsOf(verificationReport).length === 0,
      );
      const takenAt = newest?.verificationReport?.at ?? null;
      const view = {
        printed_at: formatInstant(context.io.clock.now(), "UTC"),
        version,
        instance_id: readInstance(store.client)?.instanceId ?? null,
        public_url: config.server.publicUrl,
        database: resolve(config.storage.path),
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
      };
      return { json: view, text: pageOf(view) };
    }),
});

interface Sheet {
  printed_at: string;
  version: string;
  instance_id: string | null;
  public_url: string | null;
  database: string;
  config_file: string | null;
  key_file: string | null;
  key_id: string;
  backup_directory: string;
  schedule: string | null;
  keep: number;
  newest_backup: { file: string; taken_at: string | null; sha256: string | null } | null;
}

function pageOf(sheet: Sheet): string {
  const { newest_backup: newest } = sheet;
  const keyFile = sheet.key_file ?? "the environment variable WAXWING_SECRETS_KEY";
  const configFile = sheet.config_file ?? "(none: the defaults hold)";
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

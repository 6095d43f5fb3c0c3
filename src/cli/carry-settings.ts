/**
 * What a planned move carries into the configuration of the new machine: who is notified of conditions, and where backups are
 * sent. Everything else there belongs to one machine: addresses, directories, certificates.
 */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Config, ConfigError, loadConfig } from "#src/config/config.ts";
import { changeKey, type KeyChange, readSection } from "#src/config/edit.ts";
import type { FileValue } from "#src/config/key.ts";
import { lacksAlarms } from "#src/health/alarm-channels.ts";
import { usualConfigFile, writeConfigFile } from "./config-file.ts";
import type { Context } from "./context.ts";

/** The settings that name a secret file, which goes along. */
const SECRET_FILES = ["alerts.smtp_url_file", "backup.remote.secret_key_file"] as const;

/** The texts of the secret files, by the setting that names each; those that cannot be read stay. */
export function readSecretFiles({ alerts, backup }: Config): Record<string, string> {
  const paths = [alerts.smtpUrlFile, backup.remote?.secretKeyFile ?? null];
  return Object.fromEntries(
    SECRET_FILES.flatMap((name, index) => {
      const text = readIfThere(paths[index] ?? null);
      return text === null ? [] : [[name, text]];
    }),
  );
}

export type Carried = ReturnType<typeof carrySettings>;

/**
 * `movedConfig`: the configuration of the machine that was left. What is set here stays. Returns the configuration file of
 * this machine (null: there was nothing to write), sections such as `backup.remote`, and why they could not be written
 * (null: they were).
 */
export function carrySettings(context: Context, config: Config, movedConfig: string) {
  const text = readIfThere(movedConfig);
  const sections = [
    ...(lacksAlarms(config.alerts) ? ["alerts"] : []),
    ...(config.backup.remote === null ? ["backup.remote"] : []),
  ];
  const changes = sections.flatMap((section) => changesOf(section, readSection(text ?? "", section), movedConfig));
  if (changes.length === 0) return { file: null, sections: [], failure: null };
  const carried = [...new Set(changes.map(({ section }) => section))];
  const file = config.file ?? context.options.config ?? usualConfigFile();
  try {
    const after = changes.reduce(changeKey, config.fileText ?? "");
    loadConfig({ found: { name: file, text: after }, data: context.options.data, env: context.io.env });
    writeConfigFile(context, file, after);
    return { file: resolve(file), sections: carried, failure: null };
  } catch (error) {
    const isExpected = error instanceof ConfigError || (error instanceof Error && "code" in error);
    if (!isExpected) throw error;
    return { file: resolve(file), sections: carried, failure: error.message };
  }
}

function changesOf(section: string, table: Readonly<Record<string, FileValue>>, movedConfig: string): KeyChange[] {
  return Object.entries(table).map(([name, value]): KeyChange => {
    const secret = `${movedConfig}.${section}.${name}`;
    return { section, name, value: existsSync(secret) ? resolve(secret) : value };
  });
}

function readIfThere(path: string | null): string | null {
  try {
    return path === null ? null : readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

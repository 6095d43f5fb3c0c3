/** Says at the start which values of the configuration cannot be used, where the server starts without them. */
import { whyUnwritable } from "#src/backup/files.ts";
import { accessOf } from "#src/backup/remote/settings.ts";
import type { Config } from "#src/config/config.ts";
import { placeOf } from "#src/config/unusable.ts";
import type { Log } from "#src/core/log.ts";
import { readSmtpUrl } from "#src/net/mail.ts";

export function warnOfUnusable(config: Config, log: Log): void {
  const { alerts, backup } = config;
  const { smtpUrlFile } = alerts;
  const { directory, remote, schedule } = backup;
  const reasons: Record<string, string | null> = {
    "backup.directory": schedule === null ? null : whyUnwritable(directory),
    "backup.remote.secret_key_file": remote === null ? null : failureOf(() => accessOf(remote)),
    "alerts.smtp_url_file": smtpUrlFile === null ? null : failureOf(() => readSmtpUrl(smtpUrlFile)),
  };
  for (const [key, reason] of Object.entries(reasons)) {
    if (reason !== null)
      log.warn("setting.unusable", "A value of the configuration cannot be used now", {
        setting: placeOf(config, key),
        reason,
      });
  }
}

function failureOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

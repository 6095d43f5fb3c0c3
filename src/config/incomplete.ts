/** Keys that make sense only together. */
import type { ConfigProblem, SourceLocation } from "./errors.ts";
import type { Settings } from "./settings.ts";

interface Incomplete {
  /** The key that is set in vain. */
  path: string;
  message: string;
  advice: string;
}

/** By what the paths of the keys begin with that are looked at. */
const RULES: Readonly<Record<string, (settings: Settings) => Incomplete | null>> = {
  "server.tls_": ({ server: { tlsCert, tlsKey } }) =>
    requireTogether(
      { "server.tls_cert": tlsCert, "server.tls_key": tlsKey },
      "set both for HTTPS, or neither for plain HTTP",
    ),
  "alerts.": ({ alerts: { none, webhook, emailTo, smtpUrlFile } }) => {
    if (none && (webhook !== null || emailTo.length > 0)) {
      const channel = webhook === null ? "alerts.email_to" : "alerts.webhook";
      const advice = "remove one of them: none = true says that no alarm is wanted";
      return { path: "alerts.none", message: `alerts.none is true, and ${channel} is set`, advice };
    }
    return requireTogether(
      { "alerts.email_to": emailTo[0] ?? null, "alerts.smtp_url_file": smtpUrlFile },
      "name a file with the address of the mail server, or send no e-mails",
      ["alerts.email_to"],
    );
  },
  "backup.remote": ({ "backup.remote": { endpoint, bucket, accessKey, secretKeyFile, recipient } }) =>
    requireTogether(
      {
        "backup.remote.endpoint": endpoint,
        "backup.remote.bucket": bucket,
        "backup.remote.access_key": accessKey,
        "backup.remote.secret_key_file": secretKeyFile,
        "backup.remote.recipient": recipient,
      },
      "set them too, or none of them to keep backups on this machine",
    ),
  /** Signing up at Meta needs an app, its secret and its configuration. The secret alone verifies callbacks. */
  "whatsapp.": ({ whatsapp: { appId, signupConfigId, appSecret } }) =>
    requireTogether(
      { "whatsapp.app_id": appId, "whatsapp.signup_config_id": signupConfigId, "whatsapp.app_secret": appSecret },
      "set them too, or remove it: then owners enter a token by hand",
      ["whatsapp.app_id", "whatsapp.signup_config_id"],
      " and ",
    ),
};

/** Null: all of them are set, or none of those that need the others (`needy`). Values that are not set are null. */
function requireTogether(
  values: Readonly<Record<string, unknown>>,
  advice: string,
  needy: readonly string[] = Object.keys(values),
  and = ", ",
): Incomplete | null {
  const path = needy.find((one) => values[one] !== null);
  const missing = Object.keys(values).filter((one) => values[one] === null);
  if (path === undefined || missing.length === 0) return null;
  return { path, message: `${path} is set without ${missing.join(and)}`, advice };
}

/** `problems`: what was found before. An invalid value would look absent, so its rule is not asked. */
export function findIncomplete(
  settings: Settings,
  locations: ReadonlyMap<string, SourceLocation>,
  problems: readonly ConfigProblem[],
): ConfigProblem[] {
  return Object.entries(RULES).flatMap(([prefix, find]) => {
    const found = problems.some(({ path }) => path?.startsWith(prefix)) ? null : find(settings);
    return found === null ? [] : [{ ...(locations.get(found.path) ?? { source: found.path, line: null }), ...found }];
  });
}

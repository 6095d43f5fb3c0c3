/** Keys that make sense only together. */
import type { ConfigProblem, SourceLocation } from "./errors.ts";
import type { Settings } from "./settings.ts";

export function findIncompleteTls(
  { server }: Settings,
  locations: ReadonlyMap<string, SourceLocation>,
): readonly ConfigProblem[] {
  if ((server.tlsCert === null) === (server.tlsKey === null)) return [];
  const [path, other] =
    server.tlsCert === null ? ["server.tls_key", "server.tls_cert"] : ["server.tls_cert", "server.tls_key"];
  const location = locations.get(path) ?? { source: path, line: null };
  return [
    {
      ...location,
      path,
      message: `${path} is set without ${other}`,
      advice: "set both for HTTPS, or neither for plain HTTP",
    },
  ];
}

export function findIncompleteAlerts(
  { alerts }: Settings,
  locations: ReadonlyMap<string, SourceLocation>,
): readonly ConfigProblem[] {
  if (alerts.none && (alerts.webhook !== null || alerts.emailTo.length > 0)) {
    const [path, channel] = ["alerts.none", alerts.webhook === null ? "alerts.email_to" : "alerts.webhook"];
    const location = locations.get(path) ?? { source: path, line: null };
    const advice = "remove one of them: none = true says that no alarm is wanted";
    return [{ ...location, path, message: `${path} is true, and ${channel} is set`, advice }];
  }
  if (alerts.emailTo.length === 0 || alerts.smtpUrlFile !== null) return [];
  const path = "alerts.email_to";
  const location = locations.get(path) ?? { source: path, line: null };
  return [
    {
      ...location,
      path,
      message: `${path} is set without alerts.smtp_url_file`,
      advice: "name a file with the address of the mail server, or send no e-mails",
    },
  ];
}

const REMOTE_REQUIRED = {
  endpoint: "endpoint",
  bucket: "bucket",
  accessKey: "access_key",
  secretKeyFile: "secret_key_file",
  recipient: "recipient",
} as const;

/** A store needs an address, a bucket, credentials and a recipient. */
export function findIncompleteRemote(
  { "backup.remote": remote }: Settings,
  locations: ReadonlyMap<string, SourceLocation>,
): readonly ConfigProblem[] {
  const names = Object.entries(REMOTE_REQUIRED) as [keyof typeof REMOTE_REQUIRED, string][];
  const [present] = names.filter(([property]) => remote[property] !== null);
  const missing = names.filter(([property]) => remote[property] === null).map(([, name]) => `backup.remote.${name}`);
  if (present === undefined || missing.length === 0) return [];
  const path = `backup.remote.${present[1]}`;
  const location = locations.get(path) ?? { source: path, line: null };
  return [
    {
      ...location,
      path,
      message: `${path} is set without ${missing.join(", ")}`,
      advice: "set them too, or none of them to keep backups on this machine",
    },
  ];
}

const SIGN_UP_REQUIRED = { appId: "app_id", signupConfigId: "signup_config_id", appSecret: "app_secret" } as const;

/** Signing up at Meta needs an app, its secret and its configuration. The secret alone verifies callbacks. */
export function findIncompleteSignUp(
  { whatsapp }: Settings,
  locations: ReadonlyMap<string, SourceLocation>,
): readonly ConfigProblem[] {
  const names = Object.entries(SIGN_UP_REQUIRED) as [keyof typeof SIGN_UP_REQUIRED, string][];
  const present = names.find(([property]) => property !== "appSecret" && whatsapp[property] !== null);
  const missing = names.filter(([property]) => whatsapp[property] === null).map(([, name]) => `whatsapp.${name}`);
  if (present === undefined || missing.length === 0) return [];
  const path = `whatsapp.${present[1]}`;
  const location = locations.get(path) ?? { source: path, line: null };
  return [
    {
      ...location,
      path,
      message: `${path} is set without ${missing.join(" and ")}`,
      advice: "set them too, or remove it: then owners enter a token by hand",
    },
  ];
}

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

export function findIncompleteMail(
  { alerts }: Settings,
  locations: ReadonlyMap<string, SourceLocation>,
): readonly ConfigProblem[] {
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

/** What e-mail to users of the console needs of the configuration. */
import type { Config } from "./config.ts";

interface UserMail {
  from: string;
  smtpUrlFile: string;
  /** The console's address without a path. */
  base: string;
}

/** Null: the server sends users no e-mail. A link needs the public address, which no request can choose. */
export function readUserMail({ alerts, server }: Pick<Config, "alerts" | "server">): UserMail | null {
  const from = alerts.emailFrom ?? alerts.emailTo[0];
  const { smtpUrlFile } = alerts;
  if (from === undefined || smtpUrlFile === null || server.publicUrl === null) return null;
  return { from, smtpUrlFile, base: server.publicUrl.replace(/\/$/, "") };
}

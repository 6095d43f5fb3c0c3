/** `waxwing config check`: reads the configuration and looks at what it names. It changes nothing. */

import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { dirname, resolve } from "node:path";
import type { Config } from "#src/config/config.ts";
import { endOf, readTls } from "#src/config/tls.ts";
import { placeOf, SettingUnusable } from "#src/config/unusable.ts";
import type { Clock } from "#src/core/clock.ts";
import { bracketed } from "#src/core/plain-address.ts";
import { readSmtpUrl } from "#src/net/mail.ts";
import { type Command, command } from "./command.ts";
import { checkDomain } from "./config-domain.ts";
import { checkRemote } from "./config-remote.ts";
import { type ConfigFinding, describeFindings, ok, problem, warning } from "./finding.ts";
import type { Report } from "./output.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const CERTIFICATE_SOON_MS = 7 * 24 * 60 * 60_000;

export const commands: readonly Command[] = [
  command(
    "config check",
    {
      summary: "Read the configuration, and look at the directories, certificates and addresses it names",
      details:
        "Opens a connection to each address, and sends nothing over it; the store of backups is asked for a list. Changes\nnothing.\nExit code 1 if there is a problem; warnings do not count.",
    },
    {},
    async (context) => {
      const config = context.loadConfig();
      const { clock, env } = context.io;
      const findings = [
        ...checkData(config),
        ...checkKey(config, env.WAXWING_SECRETS_KEY !== undefined),
        ...checkBackups(config),
        ...checkCertificate(config, clock.now()),
        ...(await checkRemote(config, clock)),
        ...(await checkDomain(config)),
        ...checkMail(config),
        ...(await Promise.all(addressesOf(config).map(({ key, url }) => checkAddress(clock, key, url)))),
      ];
      return reportOf(config, findings);
    },
  ),
];

function checkData({ storage }: Config): ConfigFinding[] {
  const data = resolve(storage.data);
  const found = [checkDirectory("storage.data", data, "the database")];
  const mode = statSync(data, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) !== 0)
    found.push(warning("storage.data", `${data} can be entered by other users of this machine.`, `chmod 700 ${data}`));
  const parent = resolve(dirname(storage.path));
  return parent === data ? found : [...found, checkDirectory("storage.path", parent, "the database")];
}

/** A directory that does not exist yet has to be one that can be made. */
function checkDirectory(key: string, path: string, what: string): ConfigFinding {
  const existing = existingOf(path);
  if (!statSync(existing).isDirectory())
    return problem(
      key,
      `${existing} is not a directory, so ${what} cannot be written to ${path}.`,
      "name another directory",
    );
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
  } catch {
    const advice = "name another directory, or make it writable for the user that runs the server";
    return problem(key, `This user may not write to ${existing}, so ${what} cannot be written to ${path}.`, advice);
  }
  return ok(key, existing === path ? `${path} is writable.` : `${path} does not exist yet, and can be made.`);
}

function checkKey({ secrets, storage }: Config, isInEnvironment: boolean): ConfigFinding[] {
  const key = "secrets.key_file";
  if (isInEnvironment) return [ok(key, "The key is in WAXWING_SECRETS_KEY.")];
  const path = resolve(secrets.keyFile);
  if (!existsSync(path)) {
    return existsSync(storage.path)
      ? [problem(key, `The key file ${path} is missing, and there is a database.`, "put the key file back")]
      : [ok(key, `${path} does not exist yet; the first start makes it.`)];
  }
  const unreadable = whyUnreadable(path);
  return [
    unreadable === null
      ? ok(key, `${path} is readable.`)
      : problem(key, unreadable, "make it readable for the user that runs the server"),
  ];
}

function checkBackups({ backup, storage }: Config): ConfigFinding[] {
  if (backup.schedule === null)
    return [warning("backup.schedule", "Scheduled backups are off.", 'set [backup] schedule, such as "30 2 * * *"')];
  const directory = resolve(backup.directory);
  const found = [checkDirectory("backup.directory", directory, "a backup")];
  if (backup.remote === null && deviceOf(directory) === deviceOf(resolve(storage.data)))
    found.push(
      warning(
        "backup.directory",
        `${directory} is on the disk of the database, so a broken disk takes both.`,
        "send them to a store with [backup.remote], set [backup] directory to another disk, or copy them elsewhere",
      ),
    );
  return found;
}

function deviceOf(path: string): number {
  return statSync(existingOf(path)).dev;
}

/** The path itself, or the closest directory above it that exists. */
function existingOf(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingOf(dirname(path));
}

function checkCertificate({ server }: Config, now: number): ConfigFinding[] {
  try {
    const tls = readTls(server);
    if (tls === null) return [];
    const end = endOf(tls.cert);
    if (end === null) return [problem("server.tls_cert", "The certificate's end cannot be read.", "replace it")];
    const date = new Date(end).toISOString().slice(0, 10);
    if (end < now + CERTIFICATE_SOON_MS)
      return [problem("server.tls_cert", `The certificate ends on ${date}.`, "renew the certificate")];
    return [ok("server.tls_cert", `The certificate fits its key, and ends on ${date}.`)];
  } catch (error) {
    if (!(error instanceof SettingUnusable)) throw error;
    return [problem(error.key, error.message, error.next)];
  }
}

function checkMail({ alerts }: Config): ConfigFinding[] {
  const { smtpUrlFile } = alerts;
  if (smtpUrlFile === null) return [];
  try {
    readSmtpUrl(smtpUrlFile);
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [problem("alerts.smtp_url_file", reason, "write the address of the mail server into it")];
  }
}

function addressesOf({ server, acme, alerts, whatsapp }: Config): { key: string; url: string }[] {
  const named: [string, string | null][] = [
    ["server.public_url", server.publicUrl],
    ["acme.directory", server.domain === null || server.tlsCert !== null ? null : acme.directory],
    ["alerts.webhook", alerts.webhook],
    ["alerts.ping_url", alerts.pingUrl],
    ["whatsapp.graph_url", whatsapp.graphUrl],
    ["alerts.smtp_url_file", smtpAddress(alerts.smtpUrlFile)],
  ];
  return named.flatMap(([key, url]) => (url === null ? [] : [{ key, url }]));
}

function smtpAddress(path: string | null): string | null {
  if (path === null) return null;
  try {
    const { host, port } = readSmtpUrl(path);
    return `smtp://${bracketed(host)}:${port}`;
  } catch {
    return null;
  }
}

/** The path of an address may be a secret, so only its host is shown. */
async function checkAddress(clock: Clock, key: string, address: string): Promise<ConfigFinding> {
  const url = new URL(address);
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const place = `${url.hostname}:${port}`;
  const failure = await tryConnect(clock, url.hostname.replace(/^\[|\]$/g, ""), port);
  if (failure === null) return ok(key, `${place} accepts connections.`);
  // The server itself may be stopped, and some networks cannot reach their own public address.
  const found = key === "server.public_url" ? warning : problem;
  return found(
    key,
    `${place} cannot be reached from this machine (${failure}).`,
    "check the address, DNS and the firewall",
  );
}

/** Null if a connection opens. */
function tryConnect(clock: Clock, host: string, port: number): Promise<string | null> {
  return new Promise((resolveWith) => {
    const socket = connect({ host, port });
    const finish = (result: string | null): void => {
      timer.cancel();
      socket.destroy();
      resolveWith(result);
    };
    const timer = clock.setTimer(CONNECT_TIMEOUT_MS, () => finish("no answer"));
    socket.on("connect", () => finish(null));
    socket.on("error", (error) => finish("code" in error ? String(error.code) : error.message));
  });
}

/** Null if the file can be read. */
function whyUnreadable(path: string): string | null {
  try {
    readFileSync(path);
    return null;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return `${resolve(path)} cannot be read (${code}).`;
  }
}

function reportOf(config: Config, findings: readonly ConfigFinding[]): Report {
  const { file, places } = config;
  const ok = findings.every(({ level }) => level !== "problem");
  const path = file === null ? null : resolve(file);
  const text = [
    path === null ? "There is no configuration file; the defaults hold." : `${path} is valid.`,
    describeFindings(findings, ({ key }) => (places.has(key) ? placeOf(config, key) : key)),
  ].join("\n");
  const shown = findings.map(({ level, key, says: message, next }) => {
    return { level, key, message, next, line: places.get(key)?.line ?? null };
  });
  return {
    json: { ok, file: path, findings: shown },
    text,
    exitCode: ok ? 0 : 1,
  };
}

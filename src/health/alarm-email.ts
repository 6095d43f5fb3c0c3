/** Alarms by e-mail, through the mail server that the operator names in a file. */
import { readFileSync } from "node:fs";
import { createTransport } from "nodemailer";
import { formatInstant } from "#src/core/instant.ts";
import type { AlarmChannel } from "./alarm-sender.ts";
import type { Notice } from "./condition-file.ts";

interface EmailSettings {
  to: readonly string[];
  from: string;
  smtpUrlFile: string;
  /** How the reader recognises this server. */
  server: string;
}

const TIMEOUT_MS = 10_000;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const STATES: Readonly<Record<Notice["state"], string>> = { began: "began", continues: "continues", over: "is over" };

export function emailChannel({ to, from, smtpUrlFile, server }: EmailSettings): AlarmChannel {
  return async (notice) => {
    // Read each time, so that a corrected file needs no restart.
    const transport = createTransport(
      {
        ...readSmtpUrl(smtpUrlFile),
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
      },
      { from, to: [...to] },
    );
    try {
      await transport.sendMail({
        subject: subjectOf(notice, server),
        text: textOf(notice, server),
        date: new Date(notice.at),
        messageId: `<${notice.key.replaceAll(":", ".")}@waxwing>`,
        headers: { "Auto-Submitted": "auto-generated" },
      });
    } finally {
      transport.close();
    }
  };
}

interface SmtpServer {
  host: string;
  port: number;
  secure: boolean;
  /** A password leaves this machine encrypted only. */
  requireTLS?: true;
  auth?: { user: string; pass: string };
}

/** Throws with a sentence that does not repeat the file's content. */
export function readSmtpUrl(path: string): SmtpServer {
  const text = readFileSync(path, "utf8").trim();
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "smtp:" && url.protocol !== "smtps:") || url.hostname === "")
    throw new Error(`${path} does not hold an address such as smtps://user:password@mail.example.com`);
  const isSecure = url.protocol === "smtps:";
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (isSecure ? 465 : 587) : Number(url.port),
    secure: isSecure,
    ...(url.username === ""
      ? {}
      : {
          ...(isSecure || LOOPBACK.test(url.hostname) ? {} : { requireTLS: true as const }),
          auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
        }),
  };
}

function subjectOf({ state, condition: { severity, subject } }: Notice, server: string): string {
  const what = `${severity === "critical" ? "CRITICAL" : "Warning"}: ${subject}`;
  return `[Waxwing ${server}] ${state === "began" ? what : `${what} ${STATES[state]}`}`;
}

function textOf({ state, condition }: Notice, server: string): string {
  const { id, severity, says, next, since } = condition;
  return [
    state === "over" ? `This is over: ${says}` : says,
    "",
    ...(state === "over" ? [] : [`Next step: ${next}`, ""]),
    `Server: ${server}`,
    `Condition: ${id} (${severity}) ${STATES[state]}`,
    `Since: ${formatInstant(since, "UTC")}`,
    "",
    "waxwing status lists all conditions.",
    "",
  ].join("\n");
}

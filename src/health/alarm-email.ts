/** Alarms by e-mail. */
import { formatInstant } from "#src/core/instant.ts";
import { createMailer } from "#src/net/mail.ts";
import type { AlarmChannel } from "./alarm-sender.ts";
import type { Notice } from "./condition-file.ts";

interface EmailSettings {
  to: readonly string[];
  from: string;
  smtpUrlFile: string;
  /** How the reader recognises this server. */
  server: string;
}

const STATES: Readonly<Record<Notice["state"], string>> = { began: "began", continues: "continues", over: "is over" };

export function emailChannel({ to, from, smtpUrlFile, server }: EmailSettings): AlarmChannel {
  const send = createMailer({ from, smtpUrlFile });
  return (notice) =>
    send({
      to,
      subject: subjectOf(notice, server),
      text: textOf(notice, server),
      at: notice.at,
      messageId: notice.key.replaceAll(":", "."),
    });
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

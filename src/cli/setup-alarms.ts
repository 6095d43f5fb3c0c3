/** The questions of `waxwing setup` about alarms, and the changes of the configuration that follow. */

import type { Config } from "#src/config/config.ts";
import type { KeyChange } from "#src/config/edit.ts";
import { choice, text } from "./option.ts";
import { changesOf, type Interview, NONE } from "./setup-interview.ts";

export const alarmOptions = {
  alarms: choice(
    ["webhook", "email", "none"],
    "How an operator is told when something fails; none: not at all, and status does not warn",
  ),
  alarmWebhook: text("URL", "Address that is sent each alarm as JSON"),
  alarmEmail: text("E", "Who is sent each alarm by e-mail; several with commas between them"),
  smtpUrlFile: text("FILE", "File with the address of the mail server, which the service can read"),
} as const;

/** Another channel is added to those that are there; `none` removes them. Null: not an answer. */
export function askAboutAlarms(
  interview: Interview<keyof typeof alarmOptions>,
  { none, webhook, emailTo, smtpUrlFile }: Config["alerts"],
): KeyChange[] | null {
  const { alarms, alarmWebhook, alarmEmail } = interview.given;
  const implied = alarmWebhook !== undefined ? "webhook" : alarmEmail !== undefined ? "email" : null;
  // The one that changes nothing; null: not answered yet.
  const usual = webhook !== null ? "webhook" : emailTo.length > 0 ? "email" : none ? NONE : null;
  const question = "How you are told when something fails: webhook, email or none";
  const need = (name: keyof typeof alarmOptions, asked: string, present: string | null): string =>
    interview.need(name, asked, "an alarm", present);
  switch ((alarms === undefined ? implied : null) ?? interview.ask("alarms", question, usual)) {
    case null:
      return [];
    case NONE:
      return changesOf("alerts", { none, webhook, email_to: emailTo }, { none: true });
    case "webhook": {
      const url = need("alarmWebhook", "Address that is sent each alarm", webhook);
      return changesOf("alerts", { none, webhook }, { webhook: url });
    }
    case "email": {
      const addresses = need("alarmEmail", "E-mail address for alarms", emailTo.join(",") || null);
      const file = need("smtpUrlFile", "File with the address of the mail server", smtpUrlFile);
      const before = { none, email_to: emailTo, smtp_url_file: smtpUrlFile };
      const list = addresses.split(",").map((one) => one.trim());
      return changesOf("alerts", before, { email_to: list, smtp_url_file: file });
    }
    default:
      return null;
  }
}

/** The questions of `waxwing setup` about alarms, and the changes of the configuration that follow. */

import type { Config } from "#src/config/config.ts";
import type { KeyChange } from "#src/config/edit.ts";
import type { FileValue } from "#src/config/key.ts";
import { choice, text } from "./option.ts";

export const alarmOptions = {
  alarms: choice(
    ["webhook", "email", "none"],
    "How an operator is told when something fails; none: not at all, and status does not warn",
  ),
  alarmWebhook: text("URL", "Address that is sent each alarm as JSON"),
  alarmEmail: text("E", "Who is sent each alarm by e-mail; several with commas between them"),
  smtpUrlFile: text("FILE", "File with the address of the mail server, which the service can read"),
} as const;

type Question = keyof typeof alarmOptions;

interface Interview {
  present: Config["alerts"];
  /** Null: no answer. */
  ask: (name: Question, question: string, usual: string | null) => string | null;
  /** Throws if there is no answer. */
  need: (name: Question, question: string) => string;
  given: (name: Question) => string | undefined;
}

/** Another channel is added to those that are there; `none` removes them. Null: not an answer. */
export function askAboutAlarms({ present, ask, need, given }: Interview): KeyChange[] | null {
  const kind = kindOf(present);
  const implied = given("alarmWebhook") !== undefined ? "webhook" : given("alarmEmail") !== undefined ? "email" : null;
  const question = "How you are told when something fails: webhook, email or none";
  const answer = (given("alarms") === undefined ? implied : null) ?? ask("alarms", question, kind);
  switch (answer) {
    case null:
      return [];
    case "none":
      return changes({ none: present.none, webhook: present.webhook, email_to: present.emailTo }, { none: true });
    case "webhook": {
      const { none, webhook } = present;
      const url = webhook === null ? need("alarmWebhook", URL) : (ask("alarmWebhook", URL, webhook) ?? webhook);
      return changes({ none, webhook }, { webhook: url });
    }
    case "email": {
      const { emailTo, smtpUrlFile } = present;
      const known = emailTo.join(",");
      const addresses = known === "" ? need("alarmEmail", WHO) : (ask("alarmEmail", WHO, known) ?? known);
      const file =
        smtpUrlFile === null ? need("smtpUrlFile", MAIL) : (ask("smtpUrlFile", MAIL, smtpUrlFile) ?? smtpUrlFile);
      const before = { none: present.none, email_to: emailTo, smtp_url_file: smtpUrlFile };
      const list = addresses.split(",").map((one) => one.trim());
      return changes(before, { email_to: list, smtp_url_file: file });
    }
    default:
      return null;
  }
}

const URL = "Address that is sent each alarm";
const WHO = "E-mail address for alarms";
const MAIL = "File with the address of the mail server";

/** The answer that changes nothing; null: not answered yet. */
function kindOf({ none, webhook, emailTo }: Config["alerts"]): "webhook" | "email" | "none" | null {
  if (webhook !== null) return "webhook";
  if (emailTo.length > 0) return "email";
  return none ? "none" : null;
}

type Values = Readonly<Record<string, FileValue | null | undefined>>;

/** A key of `before` without a value in `after` gets its default. */
function changes(before: Values, after: Values): KeyChange[] {
  return Object.entries({ ...before, ...after }).flatMap(([name]): KeyChange[] => {
    const [old, value] = [before[name] ?? null, after[name] ?? null];
    const isDefault = old === null || old === false || (Array.isArray(old) && old.length === 0);
    if (JSON.stringify(old) === JSON.stringify(value) || (value === null && isDefault)) return [];
    return [{ section: "alerts", name, value }];
  });
}

/** The keys of the `[alerts]` section: who is notified of conditions, and how. */
import { DAY, key, SECOND } from "./key.ts";
import { callAddress, duration, emailAddress, emailAddresses, optional, path, yesOrNo } from "./kinds.ts";

export const alertKeys = {
  none: key(
    "none",
    yesOrNo,
    false,
    "true: no alarm is wanted, for example because another system watches /metrics. Otherwise waxwing status warns while neither webhook nor email_to is set.",
  ),
  webhook: key(
    "webhook",
    optional(callAddress),
    "",
    "Address that is sent each alarm as JSON: when a condition of waxwing status begins, while it lasts, and when it is over.",
  ),
  emailTo: key("email_to", emailAddresses, [], "Addresses that are sent each alarm by e-mail. Requires smtp_url_file."),
  emailFrom: key(
    "email_from",
    optional(emailAddress),
    "",
    "Sender of these e-mails; empty: the first address of email_to.",
  ),
  smtpUrlFile: key(
    "smtp_url_file",
    optional(path),
    "",
    'File with the address of the mail server, such as "smtps://user:password@mail.example.com".',
  ),
  pingUrl: key(
    "ping_url",
    optional(callAddress),
    "",
    "Address that is called while nothing is critical. A monitor elsewhere that misses the call notices that this machine is silent.",
  ),
  pingEveryMs: key("ping_every", duration(SECOND, DAY), "5m", "How often the ping address is called."),
  repeatAfterMs: key(
    "repeat_after",
    duration(SECOND, 365 * DAY),
    "24h",
    "How long after an alarm it is sent again while its condition lasts.",
  ),
} as const;

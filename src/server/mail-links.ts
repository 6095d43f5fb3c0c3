/**
 * Sends one-time links to the addresses of users. The token is made for each attempt and is in no row, so a mail whose fate
 * is unknown is sent once more with another link, and the last one works.
 */
import { renewToken } from "#src/domain/users/links.ts";
import type { MailedKind } from "#src/domain/users/user.ts";
import type { Worker } from "#src/jobs/worker.ts";
import { createMailWorker, type MailOptions } from "./mail-worker.ts";

const TEXTS: Readonly<Record<MailedKind, { subject: string; lines: readonly string[] }>> = {
  forgot: {
    subject: "A link to a new password",
    lines: [
      "Somebody, probably you, asked for a new password for your account. The link works once, for an hour:",
      "If it was not you, ignore this mail: nothing has changed.",
    ],
  },
  verify: {
    subject: "Confirm your e-mail address",
    lines: [
      "This link confirms the address of your account. It works once, for a day:",
      "Did you not expect it? Ignore it.",
    ],
  },
};

export function createMailLinkWorker(options: MailOptions): Worker {
  return createMailWorker(options, {
    kind: "mail_link",
    failure: "A link could not be sent by e-mail; it is tried again",
    async compose(subject, base) {
      const link = await options.store.write((tx) => renewToken(tx, subject));
      if (link === undefined) return null;
      const { subject: title, lines } = TEXTS[link.kind];
      const [before, after] = lines;
      const text = [before, "", `${base}/console/${link.kind}#${link.token}`, "", after, ""].join("\n");
      const messageId = `link.${subject}.${link.token.slice(0, 8)}`;
      return { to: [link.email], subject: `${title} (${new URL(base).host})`, text, messageId };
    },
  });
}

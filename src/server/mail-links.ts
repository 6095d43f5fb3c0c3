/**
 * Sends one-time links to the addresses of users: one job for each. The token is made for each attempt and is in no row,
 * so a mail whose fate is unknown is sent once more with another link, and the last one works.
 */
import type { Config } from "#src/config/config.ts";
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import { renewToken } from "#src/domain/users/links.ts";
import type { MailedKind } from "#src/domain/users/user.ts";
import { finish, postpone } from "#src/jobs/outbox.ts";
import { Worker } from "#src/jobs/worker.ts";
import { createMailer, type Mailer } from "#src/net/mail.ts";

interface MailLinkOptions {
  store: Store;
  clock: Clock;
  log: Log;
  config: Pick<Config, "alerts" | "server">;
}

const CONCURRENCY = 2;
const RETRY_AFTER_MS = 60_000;

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

/** Sends mails to users; null: the server sends no e-mail. A link needs the public address, which no request can choose. */
export function createUserMailer({ alerts, server }: MailLinkOptions["config"]): { send: Mailer; base: string } | null {
  const from = alerts.emailFrom ?? alerts.emailTo[0];
  const { smtpUrlFile } = alerts;
  if (from === undefined || smtpUrlFile === null || server.publicUrl === null) return null;
  return { send: createMailer({ from, smtpUrlFile }), base: server.publicUrl.replace(/\/$/, "") };
}

export function sendsEmail(config: MailLinkOptions["config"]): boolean {
  return createUserMailer(config) !== null;
}

export function createMailLinkWorker({ store, clock, log, config }: MailLinkOptions): Worker {
  const mailer = createUserMailer(config);
  return new Worker({
    ...{ store, clock },
    kind: "mail_link",
    concurrency: () => CONCURRENCY,
    onError: (error) => log.error("mail.failed", "A link could not be sent by e-mail; it is tried again", { error }),
    async perform({ id, subject }) {
      const link = mailer === null ? undefined : await store.write((tx) => renewToken(tx, subject));
      if (link === undefined || mailer === null) return store.write((tx) => finish(tx, id));
      const { subject: title, lines } = TEXTS[link.kind];
      const [before, after] = lines;
      const text = [before, "", `${mailer.base}/console/${link.kind}#${link.token}`, "", after, ""].join("\n");
      const mail = { to: [link.email], subject: `${title} (${new URL(mailer.base).host})`, text };
      try {
        await mailer.send({ ...mail, at: clock.now(), messageId: `link.${subject}.${link.token.slice(0, 8)}` });
      } catch (error) {
        log.warn("mail.failed", "A link could not be sent by e-mail; it is tried again", { error });
        return store.write((tx) => postpone(tx, id, tx.now + RETRY_AFTER_MS));
      }
      await store.write((tx) => finish(tx, id));
    },
  });
}

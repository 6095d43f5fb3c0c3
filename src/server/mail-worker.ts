/** Sends e-mail to users: one job for each mail, again until the mail server has accepted it. */
import type { Config } from "#src/config/config.ts";
import { readUserMail } from "#src/config/user-mail.ts";
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import { finish, postpone } from "#src/jobs/outbox.ts";
import type { OutboxKind } from "#src/jobs/table.ts";
import { Worker } from "#src/jobs/worker.ts";
import { createMailer, type Mailer } from "#src/net/mail.ts";

export interface MailOptions {
  store: Store;
  clock: Clock;
  log: Log;
  config: Pick<Config, "alerts" | "server">;
}

interface MailJobs {
  kind: OutboxKind;
  /** How a mail that could not be sent is logged. */
  failure: string;
  /** The mail of a job's subject; null: there is nothing to tell any more. `base`: the console's address without a path. */
  compose: (subject: number, base: string) => Promise<UserMail | null> | UserMail | null;
}

type UserMail = Omit<Parameters<Mailer>[0], "at">;

const CONCURRENCY = 2;
const RETRY_AFTER_MS = 60_000;

export function createMailWorker(options: MailOptions, { kind, failure, compose }: MailJobs): Worker {
  const { store, clock, log, config } = options;
  const mailer = createUserMailer(config);
  return new Worker({
    ...{ store, clock, kind },
    concurrency: () => CONCURRENCY,
    onError: (error) => log.error("mail.failed", failure, { error }),
    async perform({ id, subject }) {
      const mail = mailer === null ? null : await compose(subject, mailer.base);
      if (mail === null || mailer === null) return store.write((tx) => finish(tx, id));
      try {
        await mailer.send({ ...mail, at: clock.now() });
      } catch (error) {
        log.warn("mail.failed", failure, { error });
        return store.write((tx) => postpone(tx, id, tx.now + RETRY_AFTER_MS));
      }
      await store.write((tx) => finish(tx, id));
    },
  });
}

/** Null: the server sends users no e-mail. */
function createUserMailer(config: MailOptions["config"]): { send: Mailer; base: string } | null {
  const mail = readUserMail(config);
  return mail === null ? null : { send: createMailer(mail), base: mail.base };
}

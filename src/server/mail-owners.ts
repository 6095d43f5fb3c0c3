/**
 * Tells the owners of a workspace by e-mail of a change that gives away what people write: a webhook address, its types or its
 * secret. One job for each audit entry of that kind. A program that changes addresses all day is mailed about a limited
 * number of times; the audit log has all.
 */
import type { Config } from "#src/config/config.ts";
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import { type MailedChange, readMailedChange } from "#src/domain/users/mailed-changes.ts";
import { finish, postpone } from "#src/jobs/outbox.ts";
import { Worker } from "#src/jobs/worker.ts";
import { createUserMailer } from "./mail-links.ts";

interface MailOwnersOptions {
  store: Store;
  clock: Clock;
  log: Log;
  config: Pick<Config, "alerts" | "server">;
}

const CONCURRENCY = 2;
const RETRY_AFTER_MS = 60_000;

const ACTIONS: Readonly<Record<string, string>> = {
  "webhook.set": "The first webhook address was set.",
  "webhook.clear": "The first webhook address was removed.",
  "webhook.rotate-secret": "A webhook has a new secret.",
  "webhook.add": "A webhook address was added.",
  "webhook.update": "A webhook address was changed.",
  "webhook.remove": "A webhook address was removed.",
};

export function createMailOwnersWorker({ store, clock, log, config }: MailOwnersOptions): Worker {
  const mailer = createUserMailer(config);
  return new Worker({
    ...{ store, clock },
    kind: "mail_owners",
    concurrency: () => CONCURRENCY,
    onError: (error) =>
      log.error("mail.failed", "The owners could not be told by e-mail; it is tried again", { error }),
    async perform({ id, subject }) {
      const change = mailer === null ? null : store.read((tx) => readMailedChange(tx, subject));
      if (change === null || mailer === null) return store.write((tx) => finish(tx, id));
      const mail = { to: change.to, ...wordsOf(change, mailer.base) };
      try {
        await mailer.send({ ...mail, at: clock.now(), messageId: `change.${subject}` });
      } catch (error) {
        log.warn("mail.failed", "The owners could not be told by e-mail; it is tried again", { error });
        return store.write((tx) => postpone(tx, id, tx.now + RETRY_AFTER_MS));
      }
      await store.write((tx) => finish(tx, id));
    },
  });
}

function wordsOf({ action, subject, by, at, workspace, isLast }: MailedChange, base: string) {
  const what = ACTIONS[action] ?? action;
  const lines = [
    `${what}`,
    "",
    ...(subject === "" ? [] : [`Address: ${subject}`]),
    `Workspace: ${workspace.name}`,
    `By: ${by}`,
    `At: ${at}`,
    "",
    "Events with what people write are sent to webhook addresses. If you did not expect this, look at the addresses:",
    "",
    `${base}/console/w/${workspace.id}/api`,
    ...(isLast ? ["", "Of further changes today you are not told by e-mail; the audit log has them."] : []),
    "",
  ];
  return { subject: `${what.slice(0, -1)} (${new URL(base).host})`, text: lines.join("\n") };
}

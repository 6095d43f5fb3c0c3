/**
 * Tells the owners of a workspace by e-mail of a change that gives away what people write: a webhook address, its types or its
 * secret. One job for each audit entry of that kind. A program that changes addresses all day is mailed about a limited
 * number of times; the audit log has all.
 */
import { type MailedChange, readMailedChange } from "#src/domain/users/mailed-changes.ts";
import type { Worker } from "#src/jobs/worker.ts";
import { createMailWorker, type MailOptions } from "./mail-worker.ts";

const ACTIONS: Readonly<Record<string, string>> = {
  "webhook.set": "The first webhook address was set.",
  "webhook.clear": "The first webhook address was removed.",
  "webhook.rotate-secret": "A webhook has a new secret.",
  "webhook.add": "A webhook address was added.",
  "webhook.update": "A webhook address was changed.",
  "webhook.remove": "A webhook address was removed.",
};

export function createMailOwnersWorker(options: MailOptions): Worker {
  return createMailWorker(options, {
    kind: "mail_owners",
    failure: "The owners could not be told by e-mail; it is tried again",
    compose(subject, base) {
      const change = options.store.read((tx) => readMailedChange(tx, subject));
      return change === null ? null : { to: change.to, ...wordsOf(change, base), messageId: `change.${subject}` };
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

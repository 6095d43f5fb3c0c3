/** `waxwing webhook …`: the address that a workspace's events go to, and the secret that signs them. */

import { invalidRequest } from "#src/core/problem.ts";
import {
  clearWebhook,
  rotateSecret,
  type ShownWebhook,
  setWebhook,
  showWebhook,
} from "#src/domain/webhooks/address.ts";
import { findWebhookUrlMistake } from "#src/net/address.ts";
import { reportAttempt, testAddress, waitForAttempt } from "./attempt.ts";
import { type Command, command, workspaceOption } from "./command.ts";
import { type Database, withDatabase } from "./database.ts";
import { CommandFailure } from "./failure.ts";
import { list, type Report } from "./output.ts";

const group = "webhook";

export const commands: readonly Command[] = [
  command({
    group,
    name: "set",
    summary: "Set or change the address; what waits goes to the new one",
    options: {
      workspace: workspaceOption,
      url: { kind: "text", value: "URL", required: true, says: "Such as https://example.com/webhook" },
    },
    run: (context, given) =>
      withDatabase(context, "write", async (database) => {
        requireUrl(database, given.url);
        const box = database.box();
        const webhook = await database.store.write((tx) => setWebhook(tx, box, given.workspace, given.url));
        return reportOf(webhook, `\n\nTry it: waxwing webhook test --workspace ${given.workspace}`);
      }),
  }),
  command({
    group,
    name: "show",
    summary: "The address and its secret",
    options: { workspace: workspaceOption },
    run: (context, given) =>
      withDatabase(context, "read", (database) => {
        const box = database.box();
        return reportOf(database.store.read((reading) => showWebhook(reading, box, given.workspace)));
      }),
  }),
  command({
    group,
    name: "clear",
    summary: "Take the address away; what waits is given up and can be replayed",
    options: { workspace: workspaceOption },
    run: (context, given) =>
      withDatabase(context, "write", async ({ store }) => {
        const { exhausted } = await store.write((tx) => clearWebhook(tx, given.workspace));
        const text = `Workspace ${given.workspace} has no webhook address now; ${exhausted} waiting deliveries were given up.`;
        return { json: { url: null, exhausted }, text };
      }),
  }),
  command({
    group,
    name: "rotate-secret",
    summary: "Make a new secret; the old one stops working at once",
    options: { workspace: workspaceOption },
    run: (context, given) =>
      withDatabase(context, "write", async (database) => {
        const box = database.box();
        return reportOf(await database.store.write((tx) => rotateSecret(tx, box, given.workspace)));
      }),
  }),
  command({
    group,
    name: "test",
    summary: "Send a test event and show what the receiver answered",
    options: { workspace: workspaceOption },
    run: (context, given) =>
      withDatabase(context, "write", async (database) => {
        const { io } = context;
        const delivery = await testAddress(database, io, given.workspace);
        const attempt = await waitForAttempt(database, io, delivery, 0);
        if (attempt !== null) return database.store.read((reading) => reportAttempt(reading, delivery, attempt, ""));
        throw new CommandFailure(
          "no_answer_yet",
          `delivery ${delivery} is on its way, and no answer was written down within 15 seconds`,
          `waxwing delivery show ${delivery} shows it when it is there`,
        );
      }),
  }),
];

function requireUrl({ config }: Database, url: string): void {
  const mistake = findWebhookUrlMistake(url, config.webhooks);
  if (mistake !== null) throw invalidRequest({ url: [mistake] });
}

function reportOf({ url, secret }: ShownWebhook, more = ""): Report {
  return {
    json: { url, secret },
    text: `${list({ url: url ?? "none: events are kept, and not sent", secret })}${more}`,
  };
}

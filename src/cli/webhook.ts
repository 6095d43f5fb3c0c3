/** `waxwing webhook …`: the URL that a workspace's events are sent to, and the secret that signs them. */

import { invalidRequest } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import {
  clearWebhook,
  readTypes,
  rotateSecret,
  type ShownWebhook,
  setWebhook,
  showWebhook,
} from "#src/domain/webhooks/address.ts";
import { defaultTypes } from "#src/domain/webhooks/event-types.ts";
import { adoptSecret, readOverlap } from "#src/domain/webhooks/secret-overlap.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { findWebhookUrlProblem } from "#src/net/address.ts";
import { reportAttempt, testAddress, waitForAttempt, withPoster } from "./attempt.ts";
import { type Command, command } from "./command.ts";
import { withDatabase } from "./database.ts";
import { readCommand, writeCommand } from "./database-command.ts";
import { CommandFailure } from "./failure.ts";
import { required, text, workspaceOption } from "./option.ts";
import { list, type Report, timesIn } from "./output.ts";

export const commands: readonly Command[] = [
  writeCommand(
    "webhook set",
    "Set the address; waiting deliveries go to the new one",
    {
      workspace: workspaceOption,
      url: required(text("URL", "Such as https://example.com/webhook")),
      types: text(
        "A,B",
        "Only events of these types; default: all but contact.updated (without the option: as before)",
      ),
    },
    ({ workspace, url, types }) =>
      (tx, { config, box }) => {
        const problem = findWebhookUrlProblem(url, config.webhooks);
        if (problem !== null) throw invalidRequest({ url: [problem] });
        const webhook = setWebhook(tx, box(), workspace, url, {
          types: types === undefined ? types : readTypes(types),
        });
        return reportOf(tx, webhook, workspace, `\n\nTry it: waxwing webhook test --workspace ${workspace}`);
      },
  ),
  readCommand(
    "webhook show",
    "Show the address and its secret",
    { workspace: workspaceOption },
    ({ workspace }) =>
      (tx, { box }) =>
        reportOf(tx, showWebhook(tx, box(), workspace), workspace),
  ),
  writeCommand(
    "webhook clear",
    "Remove the address; waiting deliveries become exhausted and can be replayed",
    { workspace: workspaceOption },
    ({ workspace }) =>
      (tx) => {
        const { exhausted } = clearWebhook(tx, workspace);
        const text = `Workspace ${workspace} has no webhook address now; ${exhausted} waiting deliveries are exhausted.`;
        return { json: { url: null, exhausted }, text };
      },
  ),
  command(
    "webhook rotate-secret",
    {
      summary: "Create a new secret; the old one stops working at once, or after --overlap",
      details:
        "With --overlap, the receiver is first sent a webhook.test with two signatures (v1), by the new and by the old secret.\nOnly if it answers 2xx, the secret is replaced, and both sign every event until the time is over. Otherwise nothing\nchanges and the exit status is 1.",
    },
    { workspace: workspaceOption, overlap: text("24h", "How long the old secret signs too: 1m to 30 days") },
    (context, { workspace, overlap }) => {
      const overlapMs = overlap === undefined ? null : readOverlap(overlap);
      return withDatabase(context, "write", async (database) => {
        const { store } = database;
        const box = database.box();
        if (overlapMs === null) return store.write((tx) => reportOf(tx, rotateSecret(tx, box, workspace), workspace));
        const { trySecret, describeRefusal, ACCEPT_ANY, MEANWHILE } = await import("#src/webhooks/try-secret.ts");
        const { clock } = context.io;
        const { trial, result } = await withPoster(database, context.io, (poster) =>
          trySecret({ store, clock, realClock: clock, box, poster }, workspace),
        );
        if (!result.isSuccess) throw new CommandFailure("receiver_refused", describeRefusal(result), ACCEPT_ANY);
        return store.write((tx) => {
          const rotated = adoptSecret(tx, box, trial, overlapMs);
          if (rotated === null) throw new CommandFailure("changed_meanwhile", MEANWHILE, "run the command again");
          return reportOf(tx, rotated, workspace);
        });
      });
    },
  ),
  command(
    "webhook test",
    "Send a test event and show what the receiver answered",
    { workspace: workspaceOption },
    (context, values) =>
      withDatabase(context, "write", async (database) => {
        const { io } = context;
        const delivery = await testAddress(database, io, values.workspace);
        const attempt = await waitForAttempt(database, io, delivery, 0);
        if (attempt !== null) return database.store.read((tx) => reportAttempt(tx, delivery, attempt, ""));
        throw new CommandFailure(
          "no_answer_yet",
          `delivery ${delivery} has no recorded answer after 15 seconds`,
          `waxwing delivery show ${delivery} shows its state`,
        );
      }),
  ),
];

function reportOf(tx: ReadTx, webhook: ShownWebhook, workspaceId: number, more = ""): Report {
  const { url, types, secret, previousUntil } = webhook;
  const isDefault = types === defaultTypes;
  const until = timesIn(getWorkspace(tx, workspaceId))(previousUntil);
  const shown = {
    url: url ?? "none: events are recorded, not sent",
    types: types.join(", "),
    secret,
    "old secret until": until ?? undefined,
  };
  const json = { url, ...(isDefault ? {} : { types }), secret, ...(until === null ? {} : { old_secret_until: until }) };
  return { json, text: `${list(shown)}${more}` };
}

/** `waxwing webhook …`: the URL that a workspace's events are sent to, and the secret that signs them. */

import { invalidRequest } from "#src/core/problem.ts";
import {
  clearWebhook,
  readTypes,
  rotateSecret,
  type ShownWebhook,
  setWebhook,
  showWebhook,
} from "#src/domain/webhooks/address.ts";
import { defaultTypes } from "#src/domain/webhooks/event-types.ts";
import { findWebhookUrlProblem } from "#src/net/address.ts";
import { reportAttempt, testAddress, waitForAttempt } from "./attempt.ts";
import { type Command, command } from "./command.ts";
import { withDatabase } from "./database.ts";
import { readCommand, writeCommand } from "./database-command.ts";
import { CommandFailure } from "./failure.ts";
import { required, text, workspaceOption } from "./option.ts";
import { list, type Report } from "./output.ts";

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
        return reportOf(webhook, `\n\nTry it: waxwing webhook test --workspace ${workspace}`);
      },
  ),
  readCommand(
    "webhook show",
    "Show the address and its secret",
    { workspace: workspaceOption },
    ({ workspace }) =>
      (tx, { box }) =>
        reportOf(showWebhook(tx, box(), workspace)),
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
  writeCommand(
    "webhook rotate-secret",
    "Create a new secret; the old one stops working at once",
    { workspace: workspaceOption },
    ({ workspace }) =>
      (tx, { box }) =>
        reportOf(rotateSecret(tx, box(), workspace)),
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

function reportOf({ url, types, secret }: ShownWebhook, more = ""): Report {
  const shown = { url: url ?? "none: events are recorded, not sent", types: types.join(", "), secret };
  const isDefault = types === defaultTypes;
  return { json: { url, ...(isDefault ? {} : { types }), secret }, text: `${list(shown)}${more}` };
}

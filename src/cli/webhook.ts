/**
 * `waxwing webhook …`: the URLs that a workspace's events are sent to, and the secrets that sign them. The commands mean the
 * first address, unless they take the id of one.
 */

import type { Config } from "#src/config/config.ts";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import {
  clearWebhook,
  readTypes,
  rotateSecret,
  type ShownWebhook,
  setWebhook,
  showWebhook,
} from "#src/domain/webhooks/address.ts";
import { readGroupBursts, showGroupBursts } from "#src/domain/webhooks/bursts.ts";
import { defaultTypes, type EventType, USUAL_TYPES } from "#src/domain/webhooks/event-types.ts";
import { addWebhook, removeWebhook, stateOf, updateWebhook } from "#src/domain/webhooks/further.ts";
import { listWebhooks, workspaceOfWebhook } from "#src/domain/webhooks/read.ts";
import { adoptSecret, readOverlap } from "#src/domain/webhooks/secret-overlap.ts";
import { FIRST_WEBHOOK, type Webhook } from "#src/domain/webhooks/table.ts";
import { webhookStates } from "#src/domain/webhooks/webhook.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { findWebhookUrlProblem } from "#src/net/address.ts";
import { reportAttempt, testAddress, waitForAttempt, withPoster } from "./attempt.ts";
import { type Command, command } from "./command.ts";
import { withDatabase } from "./database.ts";
import { listCommand, readCommand, writeCommand } from "./database-command.ts";
import { CommandFailure } from "./failure.ts";
import { choice, number, required, text, workspaceOption } from "./option.ts";
import { list, type Report, timesIn } from "./output.ts";
import { UsageError } from "./usage-error.ts";

const idOption = number("N", "Id of the address (see waxwing webhook list); default: 1, the first");
const burstsOption = text(
  "8s",
  "Gather what one person writes within this time (1s to 5m) into one event; off: each alone",
);
const ofFirst = number("ID", "Id of the workspace; needed for the id 1, which every workspace has");

const USUALLY = `An address for which no types were named receives\n${USUAL_TYPES}.`;

export const commands: readonly Command[] = [
  writeCommand(
    "webhook set",
    {
      summary: "Set the first address; waiting deliveries go to the new one",
      details: USUALLY,
    },
    {
      workspace: workspaceOption,
      url: required(text("URL", "Such as https://example.com/webhook")),
      types: text("A,B", "Only events of these types; without the option, as before"),
      "group-bursts": burstsOption,
    },
    ({ workspace, url, types, "group-bursts": bursts }) =>
      (tx, { config, box }) => {
        requireAllowed(url, config);
        const webhook = setWebhook(tx, box(), workspace, url, readWanted(types, bursts));
        return reportOf(tx, webhook, workspace, `\n\nTry it: waxwing webhook test --workspace ${workspace}`);
      },
  ),
  writeCommand(
    "webhook add",
    {
      summary: "Add an address with a secret and types of its own, up to ten",
      details: `It receives the events from now on. The secret is shown once. The first address of a workspace has the id 1: webhook\nset, show, clear and, without --id, test and rotate-secret mean it. ${USUALLY}`,
    },
    {
      workspace: workspaceOption,
      url: required(text("URL", "Such as https://crm.example.com/webhook")),
      types: text("A,B", "Only events of these types; default: see above"),
      "group-bursts": burstsOption,
    },
    ({ workspace: workspaceId, url, types, "group-bursts": bursts }) =>
      (tx, { config, box }) => {
        requireAllowed(url, config);
        const { webhook, secret } = addWebhook(tx, box(), workspaceId, {
          ...{ url, types: null, keyId: null },
          ...readWanted(types, bursts),
        });
        const text = [
          list({
            ...{ id: webhook.id, url, types: typesOf(webhook).join(", ") },
            "group bursts": showGroupBursts(webhook) ?? undefined,
            secret,
          }),
          "",
          "Save the secret now: it is not shown again.",
        ].join("\n");
        return { json: { ...viewWebhook(webhook), secret }, text };
      },
  ),
  listCommand(
    "webhook list",
    "List the addresses",
    {},
    {
      rows: (tx, workspaces) => workspaces.flatMap(({ id }) => listWebhooks(tx, id).map(viewWebhook)),
      columns: ({ id, workspace_id, url, state, types }) => ({
        id,
        workspace: workspace_id,
        url,
        state,
        types: types === defaultTypes ? "default" : types.join(", "),
      }),
      empty: "There are no webhook addresses: waxwing webhook set --workspace ID --url URL",
    },
  ),
  writeCommand(
    "webhook update",
    "Change an address, the types that it receives, or disable it; a disabled one receives nothing",
    {
      id: required(idOption),
      workspace: ofFirst,
      url: text("URL", "Waiting deliveries go to it"),
      types: text("A,B", "Only events of these types; default: the default types"),
      state: choice(webhookStates, "Waiting deliveries of a disabled address become exhausted"),
      "group-bursts": burstsOption,
    },
    ({ id, workspace, url, types, state, "group-bursts": bursts }) => {
      requirePlace(id, workspace);
      return (tx, { config }) => {
        if (url !== undefined) requireAllowed(url, config);
        const changes = { url, state, ...readWanted(types, bursts) };
        const webhook = updateWebhook(tx, placeOf(tx, id, workspace), id, changes);
        const shown = viewWebhook(webhook);
        return { json: shown, text: list({ ...shown, types: shown.types.join(", ") }) };
      };
    },
  ),
  writeCommand(
    "webhook remove",
    "Remove an address; waiting deliveries become exhausted",
    { id: required(idOption), workspace: ofFirst },
    ({ id, workspace }) => {
      requirePlace(id, workspace);
      return (tx) => {
        const { webhook, exhausted } = removeWebhook(tx, placeOf(tx, id, workspace), id);
        const text = `The address ${webhook.url} is removed; ${exhausted} waiting deliveries are exhausted.`;
        return { json: { id, url: webhook.url, removed: true, exhausted }, text };
      };
    },
  ),
  readCommand(
    "webhook show",
    "Show the first address and its secret",
    { workspace: workspaceOption },
    ({ workspace }) =>
      (tx, { box }) =>
        reportOf(tx, showWebhook(tx, box(), workspace), workspace),
  ),
  writeCommand(
    "webhook clear",
    "Remove the first address; waiting deliveries become exhausted and can be replayed",
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
    {
      workspace: workspaceOption,
      id: idOption,
      overlap: text("24h", "How long the old secret signs too: 1m to 30 days"),
    },
    (context, { workspace, id, overlap }) => {
      const overlapMs = overlap === undefined ? null : readOverlap(overlap);
      return withDatabase(context, "write", async (database) => {
        const { store } = database;
        const box = database.box();
        if (overlapMs === null) {
          return store.write((tx) => reportOf(tx, rotateSecret(tx, box, workspace, null, id), workspace));
        }
        const { trySecret, describeRefusal, ACCEPT_ANY, MEANWHILE } = await import("#src/webhooks/try-secret.ts");
        const { clock } = context.io;
        const { trial, result } = await withPoster(database, context.io, (poster) =>
          trySecret({ store, clock, realClock: clock, box, poster }, workspace, id ?? FIRST_WEBHOOK),
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
    { workspace: workspaceOption, id: idOption },
    (context, values) =>
      withDatabase(context, "write", async (database) => {
        const { io } = context;
        const delivery = await testAddress(database, io, values.workspace, values.id);
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

/** What an address is shown as, without its secret. */
function viewWebhook(webhook: Webhook) {
  const { id, workspaceId, url } = webhook;
  const bursts = showGroupBursts(webhook);
  return {
    ...{ id, workspace_id: workspaceId, url, types: typesOf(webhook), state: stateOf(webhook) },
    ...(bursts === null ? {} : { group_bursts: bursts }),
  };
}

function typesOf({ types }: Webhook): readonly EventType[] {
  return types ?? defaultTypes;
}

/** What was given of them. */
function readWanted(types: string | undefined, bursts: string | undefined) {
  return {
    ...(types === undefined ? {} : { types: readTypes(types) }),
    ...(bursts === undefined ? {} : { groupBurstsMs: readGroupBursts(bursts) }),
  };
}

function requireAllowed(url: string, { webhooks }: Pick<Config, "webhooks">): void {
  const problem = findWebhookUrlProblem(url, webhooks);
  if (problem !== null) throw invalidRequest({ url: [problem] });
}

/** The id 1 alone does not say of which workspace. */
function requirePlace(id: number, workspace: number | undefined): void {
  if (id !== FIRST_WEBHOOK || workspace !== undefined) return;
  throw new UsageError("every workspace has an address 1: name the workspace with --workspace ID");
}

function placeOf(tx: ReadTx, id: number, workspace: number | undefined): number {
  const found = workspace ?? workspaceOfWebhook(tx, id);
  if (found === undefined) throw notFound("webhook address");
  return found;
}

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

/** `waxwing broadcast …`: lists broadcasts, shows their progress, and pauses, resumes or cancels them. */

import { invalidRequest } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { cancelBroadcast } from "#src/domain/broadcasts/finish.ts";
import { nameUnknown } from "#src/domain/broadcasts/hold-restored.ts";
import { pauseBroadcast, resumeManually } from "#src/domain/broadcasts/pause.ts";
import { countReasons, findAnyBroadcast, getBroadcast, listBroadcastIds } from "#src/domain/broadcasts/read.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import { viewBroadcast } from "#src/domain/broadcasts/view.ts";
import { getCounters } from "#src/domain/messages/adjust-counters.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { type Command, command, type Says } from "./command.ts";
import { withDatabase } from "./database.ts";
import { limitOption, listCommand, newest, writeCommand } from "./database-command.ts";
import { CommandFailure } from "./failure.ts";
import { flag, number, type Options, positional, type Values } from "./option.ts";
import { lines, list, type Report, table, timesIn } from "./output.ts";
import { UsageError } from "./usage-error.ts";
import { progressOf, watchBroadcast } from "./watch-broadcast.ts";

const REASONS_SHOWN = 8;

const id = positional(number("ID", "The broadcast's id"));

const deciding = {
  sendUnknown: flag("After a restore: also send to recipients that may already have it, so they may get it twice"),
  failUnknown: flag("After a restore: recipients that may already have it fail, and the broadcast ends"),
};

export const commands: readonly Command[] = [
  listCommand(
    "broadcast list",
    "List broadcasts, newest first",
    { limit: limitOption },
    {
      rows: (tx, workspaces, values) =>
        newest(workspaces, values.limit, ({ id }, limit) =>
          listBroadcastIds(tx, id, { offset: 0 }, limit).map((one) => view(tx, getBroadcast(tx, one.id))),
        ),
      columns: ({ id, workspace_id: workspace, name, status, counts, created_at: created }) => {
        const { total, sent, failed, skipped } = counts;
        return { id, workspace, name, status, total, sent, failed, skipped, created };
      },
      empty: "There are no broadcasts yet.",
    },
  ),
  command(
    "broadcast show",
    {
      summary: "Show a broadcast: its progress, and why recipients failed or were skipped",
      details: "With --watch, prints the progress once a second until the broadcast ends.",
    },
    { id, watch: flag("Follow the broadcast until it is finished, paused or cancelled") },
    (context, values) =>
      withDatabase(context, "read", async ({ store }) => {
        if (values.watch && !context.options.json) {
          await watchBroadcast(context.io, () => store.read((tx) => progressOf(tx, requireBroadcast(tx, values.id))));
        }
        return store.read((tx) => report(tx, requireBroadcast(tx, values.id)));
      }),
  ),
  change("broadcast pause", "Pause a broadcast until it is resumed", {}, (tx, broadcast) => {
    const paused = pauseBroadcast(tx, broadcast, "manual", "paused by hand");
    if (paused !== null) return paused;
    const problem = `Broadcast ${broadcast.id} is ${broadcast.status}; it cannot be paused.`;
    throw invalidRequest({ broadcast: [problem] });
  }),
  change(
    "broadcast resume",
    {
      summary: "Resume a paused broadcast",
      details:
        "Resuming confirms a changed template. After a restore with a gap, it is not known who was sent to since the backup: the\ncommand then names these recipients and changes nothing, until one of the options decides about them.",
    },
    deciding,
    resumeDeciding,
  ),
  change(
    "broadcast cancel",
    {
      summary: "Cancel a broadcast",
      details: "Messages already sent are not recalled. Only delivered messages are charged.",
    },
    {},
    cancelBroadcast,
  ),
];

/** With neither option, nothing is decided about recipients whose outcome is unknown. */
function resumeDeciding(tx: Tx, broadcast: Broadcast, given: Values<typeof deciding>): Broadcast {
  if (given.sendUnknown && given.failUnknown)
    throw new UsageError("--send-unknown and --fail-unknown exclude each other");
  if (given.sendUnknown || given.failUnknown) return resumeManually(tx, broadcast, given.sendUnknown);
  const unknown = nameUnknown(tx, broadcast);
  if (unknown === null) return resumeManually(tx, broadcast);
  throw new CommandFailure(
    "undecided",
    `The restored copy of broadcast ${broadcast.id} does not know whether ${unknown} got the message since the backup. Nothing was changed.`,
    "decide with --send-unknown (also send to them; they may get it twice) or --fail-unknown (do not; they fail, and the broadcast ends)",
  );
}

/** Declares a change that is reported as the resulting broadcast. */
function change<Declared extends Options>(
  words: string,
  says: Says,
  declared: Declared,
  apply: (tx: Tx, broadcast: Broadcast, values: Values<{ id: typeof id } & Declared>) => Broadcast,
): Command {
  return writeCommand(words, says, { id, ...declared }, (values) => (tx) => {
    const broadcast = requireBroadcast(tx, (values as Values<{ id: typeof id }>).id);
    return report(tx, apply(tx, broadcast, values));
  });
}

function requireBroadcast(tx: ReadTx, id: number): Broadcast {
  const broadcast = findAnyBroadcast(tx, id);
  if (broadcast === undefined) {
    throw new CommandFailure(
      "not_found",
      `There is no broadcast ${id}.`,
      "waxwing broadcast list shows all broadcasts",
    );
  }
  return broadcast;
}

function view(tx: ReadTx, broadcast: Broadcast) {
  const workspace = getWorkspace(tx, broadcast.workspaceId);
  return { workspace_id: broadcast.workspaceId, ...viewBroadcast(tx, broadcast, workspace) };
}

function report(tx: ReadTx, broadcast: Broadcast): Report {
  const shown = view(tx, broadcast);
  const workspace = getWorkspace(tx, broadcast.workspaceId);
  const { counts } = shown;
  const reasons = countReasons(tx, broadcast.id, REASONS_SHOWN);
  const counters = getCounters(tx, broadcast.id);
  const entries = {
    id: shown.id,
    workspace: shown.workspace_id,
    name: shown.name,
    status: shown.status,
    reason: shown.status_reason ?? undefined,
    template: `${shown.template.name} (${shown.template.language})`,
    from: shown.from,
    total: counts.total,
    "to go": counters.pending,
    "on the way": counters.sending,
    sent: counts.sent,
    "held back": shown.held === 0 ? undefined : shown.held,
    delivered: counts.delivered,
    read: counts.read,
    failed: counts.failed,
    skipped: counts.skipped,
    charged: shown.charged ?? undefined,
    "send at": shown.send_at ?? undefined,
    started: shown.started_at ?? undefined,
    completed: shown.completed_at ?? undefined,
    "waits until": timesIn(workspace)(broadcast.waitsUntil) ?? undefined,
  };
  const rows = reasons.map(({ status, reason, count }) => ({ "": status, people: count, why: reason }));
  const text = lines(list(entries), rows.length > 0 && ["", table(rows, "")]);
  return { json: { ...shown, reasons }, text };
}

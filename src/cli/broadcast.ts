/** `waxwing broadcast …`: what is being sent to many, how far it is, and stopping it. */

import { invalidRequest } from "#src/core/problem.ts";
import type { Reading, Tx } from "#src/db/transaction.ts";
import { isFinished } from "#src/domain/broadcasts/broadcast.ts";
import { cancelBroadcast } from "#src/domain/broadcasts/finish.ts";
import { pauseBroadcast, resumeByHand } from "#src/domain/broadcasts/pause.ts";
import { countInDoubt, countReasons, findAnyBroadcast, listBroadcasts } from "#src/domain/broadcasts/read.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import { viewBroadcast } from "#src/domain/broadcasts/view.ts";
import { getFigures } from "#src/domain/messages/adjust-counters.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { type Command, command, workspaceFilter } from "./command.ts";
import type { Context } from "./context.ts";
import { withDatabase } from "./database.ts";
import { CommandFailure } from "./failure.ts";
import { list, type Report, table } from "./output.ts";
import { watchBroadcast } from "./watch-broadcast.ts";
import { timesIn, workspacesOf } from "./workspace-option.ts";

const group = "broadcast";
const LIMIT = 50;
const REASONS_SHOWN = 8;

const id = { kind: "number", value: "ID", required: true, says: "The broadcast's id" } as const;

export const commands: readonly Command[] = [
  command({
    group,
    name: "list",
    summary: "Broadcasts, the newest first",
    options: {
      workspace: workspaceFilter,
      limit: { kind: "number", value: "N", says: `Most that are shown (default: ${LIMIT})` },
    },
    run: (context, given) =>
      withDatabase(context, "read", ({ store }) => {
        const { limit = LIMIT } = given;
        const broadcasts = store.read((reading) =>
          workspacesOf(reading, given.workspace)
            .flatMap((workspace) =>
              listBroadcasts(reading, workspace.id, { offset: 0 }, limit).map((one) => view(reading, one)),
            )
            .toSorted((a, b) => b.id - a.id)
            .slice(0, limit),
        );
        const rows = broadcasts.map((one) => [
          one.id,
          one.workspace_id,
          one.name,
          one.status,
          one.counts.total,
          one.counts.sent,
          one.counts.failed,
          one.counts.skipped,
          one.created_at,
        ]);
        const headings = ["id", "workspace", "name", "status", "total", "sent", "failed", "skipped", "created"];
        return { json: broadcasts, text: table(headings, rows, "There is no broadcast yet.") };
      }),
  }),
  command({
    group,
    name: "show",
    summary: "One broadcast: how far it is, and why people failed or were left out",
    details: "With --watch it stays, shows the progress once a second, and ends with the broadcast.",
    positionals: { id },
    options: { watch: { kind: "flag", says: "Follow it until it is finished, paused or cancelled" } },
    run: (context, given) =>
      withDatabase(context, "read", async ({ store }) => {
        if (given.watch && !context.options.json) {
          await watchBroadcast(context.io, () => store.read((reading) => progressOf(reading, given.id)));
        }
        return store.read((reading) => report(reading, requireBroadcast(reading, given.id)));
      }),
  }),
  command({
    group,
    name: "pause",
    summary: "Send nothing more until somebody resumes it",
    positionals: { id },
    run: (context, given) =>
      change(context, given.id, (tx, broadcast) => {
        const paused = pauseBroadcast(tx, broadcast, "hand", "paused by hand");
        if (paused !== null) return paused;
        throw refused(`Broadcast ${given.id} is ${broadcast.status}; there is nothing to pause.`);
      }),
  }),
  command({
    group,
    name: "resume",
    summary: "Let a paused broadcast go on",
    details:
      "A changed template counts as confirmed. After a restore with a gap, whoever may have been sent to is left out.",
    positionals: { id },
    options: {
      sendUnknown: {
        kind: "flag",
        says: "After a restore: send also to those who may already have been sent to; they may get it twice",
      },
    },
    run: (context, given) =>
      change(context, given.id, (tx, broadcast) => resumeByHand(tx, broadcast, { sendUnknown: given.sendUnknown })),
  }),
  command({
    group,
    name: "cancel",
    summary: "Stop a broadcast for good",
    details: "What has been handed over is not recalled, and only what is delivered is charged.",
    positionals: { id },
    run: (context, given) => change(context, given.id, cancelBroadcast),
  }),
];

function change(context: Context, id: number, work: (tx: Tx, broadcast: Broadcast) => Broadcast): Promise<Report> {
  return withDatabase(context, "write", ({ store }) =>
    store.write((tx) => report(tx, work(tx, requireBroadcast(tx, id)))),
  );
}

function requireBroadcast(reading: Reading, id: number): Broadcast {
  const broadcast = findAnyBroadcast(reading, id);
  if (broadcast === undefined) {
    throw new CommandFailure(
      "not_found",
      `There is no broadcast ${id}.`,
      "waxwing broadcast list shows those there are",
    );
  }
  return broadcast;
}

function refused(sentence: string): Error {
  return invalidRequest({ broadcast: [sentence] });
}

function view(reading: Reading, broadcast: Broadcast) {
  const workspace = getWorkspace(reading, broadcast.workspaceId);
  return { workspace_id: broadcast.workspaceId, ...viewBroadcast(reading, broadcast, workspace) };
}

function report(reading: Reading, broadcast: Broadcast): Report {
  const shown = view(reading, broadcast);
  const workspace = getWorkspace(reading, broadcast.workspaceId);
  const { counts } = shown;
  const reasons = countReasons(reading, broadcast.id, REASONS_SHOWN);
  const left = getFigures(reading, broadcast.id);
  const figures = {
    id: shown.id,
    workspace: shown.workspace_id,
    name: shown.name,
    status: shown.status,
    reason: shown.status_reason ?? undefined,
    template: `${shown.template.name} (${shown.template.language})`,
    from: shown.from,
    total: counts.total,
    "to go": left.toGo,
    "on the way": left.sending,
    sent: counts.sent,
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
  const rows = reasons.map(({ status, reason, count }) => [status, count, reason]);
  const text = [list(figures), ...(rows.length === 0 ? [] : ["", table(["", "people", "why"], rows, "")])].join("\n");
  return { json: { ...shown, reasons }, text };
}

/** What the progress line needs, and whether there is anything to wait for. */
function progressOf(reading: Reading, id: number) {
  const broadcast = requireBroadcast(reading, id);
  const { toGo, sending, sent, failed, skipped } = getFigures(reading, id);
  return {
    now: reading.now,
    name: broadcast.name,
    status: broadcast.status,
    reason: broadcast.statusReason,
    isOver: isFinished(broadcast.status) || broadcast.status === "paused",
    left: toGo + sending,
    inDoubt: countInDoubt(reading, id),
    done: sent + failed + skipped,
    failed,
    throughput: findNumber(reading, broadcast.numberId)?.throughput ?? 0,
  };
}

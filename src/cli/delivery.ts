/** `waxwing delivery …`: shows deliveries to webhook addresses with every attempt, and replays them. */

import { sleep } from "#src/core/clock.ts";
import { durationBefore, readDuration } from "#src/core/duration.ts";
import { readInstant } from "#src/core/instant.ts";
import { deliveryStatuses } from "#src/domain/webhooks/delivery.ts";
import { type DeliveryOfEvent, getDelivery, listDeliveries } from "#src/domain/webhooks/read.ts";
import { REPLAY_BATCH, replayDelivery, replayFailedSince } from "#src/domain/webhooks/replay.ts";
import { FIRST_WEBHOOK } from "#src/domain/webhooks/table.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { lastAttemptId, reportAttempt, waitForAttempt } from "./attempt.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { isServed, withDatabase } from "./database.ts";
import { limitOption, listCommand, newest, readCommand } from "./database-command.ts";
import { choice, number, optionalPositional, positional, text } from "./option.ts";
import { list, type Report, table, timesIn } from "./output.ts";
import { UsageError } from "./usage-error.ts";

/** Pause between two batches, so that the server can write too. */
const GAP_MS = 20;

export const commands: readonly Command[] = [
  listCommand(
    "delivery list",
    "List deliveries, newest first",
    { status: choice(deliveryStatuses, "Only those in this status"), limit: limitOption },
    {
      rows: (tx, workspaces, { status = null, limit: max }) =>
        newest(workspaces, max, (workspace, limit) =>
          listDeliveries(tx, workspace.id, { status, before: null, limit }).map((one) => view(one, workspace)),
        ),
      columns: (one) => ({
        id: one.id,
        workspace: one.workspace_id,
        event: one.event_type,
        status: one.status,
        attempts: one.attempt_count,
        created: one.created_at,
        "next attempt": one.next_attempt_at,
      }),
      empty: "There is no such delivery.",
    },
  ),
  readCommand(
    "delivery show",
    "Show a delivery: its attempts and the body sent",
    { id: positional(number("ID", "The delivery's id")) },
    ({ id }) =>
      (tx) => {
        const delivery = getDelivery(tx, id);
        return reportOf(delivery, getWorkspace(tx, delivery.workspaceId));
      },
  ),
  command(
    "delivery replay",
    {
      summary: "Replay one event, or all failed ones",
      details: "Either ID, or --workspace with --failed-since.",
    },
    {
      id: optionalPositional(number("ID", "The delivery's id")),
      workspace: number("ID", "Replay all failed deliveries of this workspace"),
      failedSince: text("T", "Start of the period: 2026-11-21, 2026-11-21T08:00, or an age such as 24h"),
    },
    (context, values) => {
      const { id, workspace, failedSince } = values;
      if (id !== undefined && workspace === undefined && failedSince === undefined) return replayOne(context, id);
      if (id === undefined && workspace !== undefined && failedSince !== undefined) {
        return replayFailed(context, workspace, failedSince);
      }
      throw new UsageError("give either the ID of one delivery, or --workspace ID with --failed-since T");
    },
  ),
];

function replayOne(context: Context, id: number): Promise<Report> {
  return withDatabase(context, "write", async (database) => {
    const { store } = database;
    const isUnderWay = isServed(database.config.storage.path);
    const after = await store.write((tx) => {
      const last = lastAttemptId(tx, id);
      replayDelivery(tx, id);
      return last;
    });
    const attempt = isUnderWay ? await waitForAttempt(database, context.io, id, after) : null;
    const waiting = isUnderWay
      ? `The attempt is under way; its result will be in waxwing delivery show ${id}`
      : "It is sent when a server runs on this database: waxwing serve";
    return store.read((tx) => reportAttempt(tx, id, attempt, waiting));
  });
}

function replayFailed(context: Context, workspaceId: number, since: string): Promise<Report> {
  return withDatabase(context, "write", async ({ store }) => {
    const { clock } = context.io;
    const { timezone } = store.read((tx) => getWorkspace(tx, workspaceId));
    const from = readSince(since, timezone, clock.now());
    const replayed = new Set<number>();
    for (;;) {
      const before = replayed.size;
      const batch = await store.write((tx) => replayFailedSince(tx, workspaceId, from));
      for (const id of batch) replayed.add(id);
      // Otherwise a receiver that fails faster than this loop runs would keep it running forever.
      if (batch.length < REPLAY_BATCH || replayed.size === before) break;
      await sleep(clock, GAP_MS);
    }
    const text = `${replayed.size} events are queued again: waxwing delivery list --workspace ${workspaceId}`;
    return { json: { replayed: replayed.size }, text: replayed.size === 0 ? "Nothing failed since then." : text };
  });
}

function readSince(text: string, timezone: string, now: number): number {
  const duration = readDuration(text);
  const since = duration === null ? readInstant(text, timezone) : durationBefore(now, duration);
  if (since !== null) return since;
  throw new UsageError(
    `--failed-since is ${JSON.stringify(text)}, and must be a time such as 2026-11-21T08:00:00, or a duration such as 24h`,
  );
}

function view(delivery: DeliveryOfEvent, workspace: Workspace) {
  const when = timesIn(workspace);
  return {
    id: delivery.id,
    workspace_id: delivery.workspaceId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    webhook_id: delivery.webhookId ?? FIRST_WEBHOOK,
    status: delivery.status,
    attempt_count: delivery.attemptCount,
    created_at: when(delivery.createdAt),
    first_attempt_at: when(delivery.firstAttemptAt),
    next_attempt_at: when(delivery.nextAttemptAt),
    finished_at: when(delivery.finishedAt),
  };
}

function reportOf(delivery: ReturnType<typeof getDelivery>, workspace: Workspace): Report {
  const when = timesIn(workspace);
  const shown = view(delivery, workspace);
  const attempts = delivery.attempts.map((attempt) => ({
    attempted_at: when(attempt.attemptedAt),
    url: attempt.url,
    status_code: attempt.statusCode,
    error: attempt.error,
    response: attempt.response,
    duration_ms: attempt.durationMs,
  }));
  const rows = attempts.map((one) => ({
    attempted: one.attempted_at,
    answer: one.status_code,
    took: `${one.duration_ms} ms`,
    said: one.error ?? one.response,
  }));
  const text = [
    list({
      id: shown.id,
      workspace: shown.workspace_id,
      event: `${shown.event_type} ${shown.event_id}`,
      status: shown.status,
      created: shown.created_at,
      "next attempt": shown.next_attempt_at ?? undefined,
      finished: shown.finished_at ?? undefined,
      body: delivery.body,
    }),
    "",
    table(rows, "No attempt was made yet."),
  ].join("\n");
  return { json: { ...shown, body: JSON.parse(delivery.body) as unknown, attempts }, text };
}

/** Webhook deliveries: list them, show their attempts, replay them. */

import { type Static, Type } from "@sinclair/typebox";
import { sleep } from "#src/core/clock.ts";
import { readInstant } from "#src/core/instant.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { Form, Instant, OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { deliveryStatuses } from "#src/domain/webhooks/delivery.ts";
import { eventTypes } from "#src/domain/webhooks/event-types.ts";
import {
  type DeliveryDetail,
  type DeliveryOfEvent,
  deliveryIdsByType,
  getDeliveryInWorkspace,
  listDeliveries,
  listDeliveriesById,
  webhookOfDelivery,
} from "#src/domain/webhooks/read.ts";
import { countFailed, REPLAY_BATCH, replayDelivery, replayFailedSince } from "#src/domain/webhooks/replay.ts";
import type { Delivery } from "#src/domain/webhooks/table.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { idPosition, PageQuery, pageById, positionIn, readScreen, readSince } from "../page.ts";
import { timesOf } from "../times.ts";
import { Refusal, recordAct, type WorkspaceCall } from "./call.ts";
import { Data, endpoint, Id, ListOf } from "./endpoint.ts";
import { OptionalCount, OptionalText, OptionalTime } from "./fragments.ts";
import { show } from "./show.ts";

const delivery = {
  id: Type.Integer(),
  event_id: Type.String(),
  event_type: OneOf(eventTypes),
  /** The address that it goes to now; null: it is gone. */
  url: OptionalText,
  status: OneOf(deliveryStatuses),
  attempt_count: Type.Integer(),
  created_at: Instant(),
  next_attempt_at: OptionalTime,
  finished_at: OptionalTime,
};

const DeliveryView = Type.Object(delivery);

const AttemptView = Type.Object({
  id: Type.Integer(),
  attempted_at: Instant(),
  url: Type.String(),
  status_code: OptionalCount,
  error: OptionalText,
  response: OptionalText,
  duration_ms: Type.Integer(),
});

const DeliveryDetailView = Type.Object({
  ...delivery,
  body: Type.String(),
  attempts: Type.Array(AttemptView),
});

const YIELD_MS = 20;

export const deliveryEndpoints = {
  "GET /w/{workspace}/deliveries": endpoint({
    session: "logs",
    query: { ...PageQuery, status: OneOf(deliveryStatuses), type: OneOf(eventTypes) },
    output: ListOf(DeliveryView),
  }).load(async (call) => {
    const { store, reader, workspace, query } = call;
    const status = query.get("status");
    const type = query.get("type");
    const from = readScreen(query, idPosition);
    const before = positionIn(from);
    const filter = { status, before, limit: from.perPage + 1 };
    const search = type === null ? null : deliveryIdsByType(workspace.id, type, filter);
    const ids = search === null ? null : (await reader.query(search.sql, search.values)).map(({ id }) => Number(id));
    return store.read((tx) => {
      const rows = ids === null ? listDeliveries(tx, workspace.id, filter) : listDeliveriesById(tx, workspace.id, ids);
      // `total` is the number of these rows: counting millions of deliveries is too expensive, and the screen shows
      // no total.
      return pageById(from, rows, rows.length, (delivery, tx) => viewDelivery(tx, delivery, workspace));
    });
  }),
  "GET /w/{workspace}/deliveries/failed": endpoint({
    session: "logs",
    query: { since: Type.String() },
    output: Data(Type.Object({ count: Type.Integer() })),
  }).load(async (call) => {
    const since = readSince(call.query, "since", call.workspace.timezone) ?? 0;
    return { count: await countAllFailed(call, since) };
  }),
  "POST /w/{workspace}/deliveries/replay": endpoint({
    session: "manage",
    body: Form({ since: Type.String({ maxLength: 40 }), count: Type.Integer({ minimum: 0 }) }),
    output: Data(Type.Object({ replayed: Type.Integer() })),
  }).load(async (call) => {
    const { store, clock, workspace, body } = call;
    const since = readInstant(body.since, workspace.timezone);
    if (since === null) throw invalidRequest({ since: ["Enter a time, for example 2026-11-21T08:00."] });
    const count = await countAllFailed(call, since);
    // Replays exactly the number that the user has seen, or nothing.
    if (count !== body.count) {
      throw new Refusal(409, "changed", `The number of events changed from ${body.count} to ${count}. Check it again.`);
    }
    const replayed = new Set<number>();
    for (;;) {
      const before = replayed.size;
      const batch = await store.write((tx) => {
        const ids = replayFailedSince(tx, workspace.id, since);
        const audit = { action: "delivery.replay-failed", subject: body.since, details: { since, count } };
        if (before === 0) recordAct(tx, call, audit);
        return ids;
      });
      for (const id of batch) replayed.add(id);
      if (batch.length < REPLAY_BATCH || replayed.size === before) break;
      await sleep(clock, YIELD_MS);
    }
    return { replayed: replayed.size };
  }),
  "GET /w/{workspace}/deliveries/{id}": endpoint({
    session: "logs",
    params: { id: Id("delivery") },
    output: Data(DeliveryDetailView),
  }).read((tx, { workspace, path }) =>
    viewDeliveryDetail(tx, getDeliveryInWorkspace(tx, workspace.id, path.id), workspace),
  ),
  "POST /w/{workspace}/deliveries/{id}/replay": endpoint({
    session: "manage",
    params: { id: Id("delivery") },
    /** A repeated form gets the id only. */
    output: Data(Type.Union([DeliveryDetailView, Type.Object({ id: Type.Integer() })])),
  }).change((tx, call) => {
    const { workspace, path } = call;
    const { id, eventId } = getDeliveryInWorkspace(tx, workspace.id, path.id);
    replayDelivery(tx, id);
    const data = viewDeliveryDetail(tx, getDeliveryInWorkspace(tx, workspace.id, id), workspace);
    return { status: 202, data, replayData: { id }, audit: { action: "delivery.replay", subject: eventId } };
  }),
};

async function countAllFailed({ reader, store, workspace }: WorkspaceCall, since: number): Promise<number> {
  const { sql, values } = store.read((tx) => countFailed(tx, workspace.id, since));
  const [row] = await reader.query(sql, values);
  return Number(row?.total ?? 0);
}

function viewDelivery(tx: ReadTx, delivery: DeliveryOfEvent, workspace: Workspace): Static<typeof DeliveryView> {
  return show(DeliveryView, delivery, timesOf(workspace), { url: urlOf(tx, delivery) });
}

function urlOf(tx: ReadTx, delivery: Delivery): string | null {
  const webhook = webhookOfDelivery(tx, delivery);
  if (!delivery.isForwarded) return webhook?.url ?? null;
  return webhook !== undefined && "forwardUrl" in webhook ? webhook.forwardUrl : null;
}

function viewDeliveryDetail(
  tx: ReadTx,
  delivery: DeliveryDetail,
  workspace: Workspace,
): Static<typeof DeliveryDetailView> {
  const when = timesOf(workspace);
  const attempts = delivery.attempts.map((attempt) => show(AttemptView, attempt, when, {}));
  return show(DeliveryDetailView, delivery, when, { attempts, url: urlOf(tx, delivery) });
}

/** Webhook deliveries: list them, show their attempts, replay them. */
import { sleep } from "#src/core/clock.ts";
import { readInstant } from "#src/core/instant.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { recordAudit } from "#src/domain/users/audit-log.ts";
import {
  countFailedSql,
  deliveryIdsByType,
  getDeliveryInWorkspace,
  listDeliveries,
  listDeliveriesById,
} from "#src/domain/webhooks/read.ts";
import { REPLAY_BATCH, replayDelivery, replayFailedSince } from "#src/domain/webhooks/replay.ts";
import { answerData } from "../../endpoint.ts";
import { answerPage, countInReader, readPage, readSince, wrongCursor } from "../../page.ts";
import { PER_PAGE } from "../../page-view.ts";
import { deliveryContract } from "../contract/developer.ts";
import { attachHandlers, change, Refusal, type WorkspaceCall } from "../route.ts";
import { viewDelivery, viewDeliveryDetail } from "../view-developer.ts";

const YIELD_MS = 20;

export const deliveryRoutes = attachHandlers(deliveryContract, {
  "GET /w/{workspace}/deliveries": async (call) => {
    const { store, reader, workspace, query } = call;
    const status = query.get("status");
    const type = query.get("type");
    const from = readPage(query);
    const before = "after" in from ? from.after.id : null;
    if (before !== null && typeof before !== "number") throw wrongCursor();
    const filter = { status, before, limit: PER_PAGE + 1 };
    const search = type === null ? null : deliveryIdsByType(workspace.id, type, filter);
    const ids = search === null ? null : (await reader.query(search.sql, search.values)).map(({ id }) => Number(id));
    return store.read((tx) => {
      const rows = ids === null ? listDeliveries(tx, workspace.id, filter) : listDeliveriesById(tx, workspace.id, ids);
      // `total` is the number of these rows: counting millions of deliveries is too expensive, and the screen shows
      // no total.
      return answerPage(
        from,
        rows,
        rows.length,
        (delivery) => viewDelivery(delivery, workspace),
        ({ id }) => ({ id }),
      );
    });
  },
  "GET /w/{workspace}/deliveries/failed": async (call) => {
    const since = readSince(call.query, "since", call.workspace.timezone) ?? 0;
    return answerData(200, { count: await countFailed(call, since) });
  },
  "POST /w/{workspace}/deliveries/replay": async (call) => {
    const { store, clock, workspace, body, user, address } = call;
    const since = readInstant(body.since, workspace.timezone);
    if (since === null) throw invalidRequest({ since: ["Enter a time, for example 2026-11-21T08:00."] });
    const count = await countFailed(call, since);
    // Replays exactly the number that the user has seen, or nothing.
    if (count !== body.count) {
      throw new Refusal(409, "changed", `The number of events changed from ${body.count} to ${count}. Check it again.`);
    }
    const replayed = new Set<number>();
    for (;;) {
      const before = replayed.size;
      const batch = await store.write((tx) => {
        const ids = replayFailedSince(tx, workspace.id, since);
        const audit = { workspaceId: workspace.id, action: "delivery.replay-failed", details: { since, count } };
        if (before === 0) recordAudit(tx, { userId: user.id, address }, { ...audit, subject: body.since });
        return ids;
      });
      for (const id of batch) replayed.add(id);
      if (batch.length < REPLAY_BATCH || replayed.size === before) break;
      await sleep(clock, YIELD_MS);
    }
    return answerData(200, { replayed: replayed.size });
  },
  "GET /w/{workspace}/deliveries/{id}": ({ store, workspace, path }) =>
    store.read((tx) =>
      answerData(200, viewDeliveryDetail(getDeliveryInWorkspace(tx, workspace.id, path.id), workspace)),
    ),
  "POST /w/{workspace}/deliveries/{id}/replay": (call) =>
    change(call, (tx) => {
      const { workspace, path } = call;
      const { id, eventId } = getDeliveryInWorkspace(tx, workspace.id, path.id);
      replayDelivery(tx, id);
      const data = viewDeliveryDetail(getDeliveryInWorkspace(tx, workspace.id, id), workspace);
      return { status: 202, data, replayData: { id }, audit: { action: "delivery.replay", subject: eventId } };
    }),
});

function countFailed({ reader, workspace }: WorkspaceCall, since: number): Promise<number> {
  return countInReader(reader, countFailedSql, workspace.id, since);
}

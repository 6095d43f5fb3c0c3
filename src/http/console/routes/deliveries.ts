/** Webhook deliveries: list them, show their attempts, replay them. */
import { Type } from "@sinclair/typebox";
import { sleep } from "#src/core/clock.ts";
import { readInstant } from "#src/core/instant.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { recordAudit } from "#src/domain/users/audit-log.ts";
import { deliveryStatuses } from "#src/domain/webhooks/delivery.ts";
import {
  countFailedSql,
  deliveryIdsByTypeSql,
  getDeliveryInWorkspace,
  listDeliveries,
  listDeliveriesById,
} from "#src/domain/webhooks/read.ts";
import { REPLAY_BATCH, replayDelivery, replayFailedSince } from "#src/domain/webhooks/replay.ts";
import { eventTypes } from "#src/domain/webhooks/table.ts";
import { answerData, requireId } from "../../endpoint.ts";
import { answerPage, countInReader, PER_PAGE, readPage, readSince, wrongCursor, wrongParameter } from "../../page.ts";
import { type ConsoleRoute, change, Refusal, type WorkspaceCall } from "../route.ts";
import { viewDelivery, viewDeliveryDetail } from "../view-developer.ts";

const strict = { additionalProperties: false };
const YIELD_MS = 20;

export const deliveryRoutes: readonly ConsoleRoute[] = [
  {
    method: "GET",
    path: "/w/{workspace}/deliveries",
    needs: "member",
    handle: async (call) => {
      const { store, reader, workspace, query } = call;
      const status = readChoice(query, "status", deliveryStatuses);
      const type = readChoice(query, "type", eventTypes);
      const from = readPage(query);
      const before = "after" in from ? from.after.id : null;
      if (before !== null && typeof before !== "number") throw wrongCursor();
      const limit = PER_PAGE + 1;
      const ids =
        type === null
          ? null
          : (
              await reader.query(deliveryIdsByTypeSql, [
                workspace.id,
                before ?? Number.MAX_SAFE_INTEGER,
                type,
                status,
                status,
                limit,
              ])
            ).map(({ id }) => Number(id));
      return store.read((tx) => {
        const rows =
          ids === null
            ? listDeliveries(tx, workspace.id, { status, before, limit })
            : listDeliveriesById(tx, workspace.id, ids);
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
  },
  {
    method: "GET",
    path: "/w/{workspace}/deliveries/failed",
    needs: "member",
    handle: async (call) => {
      const since = readSince(call.query, "since", call.workspace.timezone) ?? 0;
      return answerData(200, { count: await countFailed(call, since) });
    },
  },
  {
    method: "POST",
    path: "/w/{workspace}/deliveries/replay",
    needs: "owner",
    body: Type.Object({ since: Type.String({ maxLength: 40 }), count: Type.Integer({ minimum: 0 }) }, strict),
    handle: async (call) => {
      const { store, clock, workspace, body, user, address } = call;
      const since = readInstant(String(body.since), workspace.timezone);
      if (since === null) throw invalidRequest({ since: ["Enter a time, for example 2026-11-21T08:00."] });
      const count = await countFailed(call, since);
      // Replays exactly the number that the user has seen, or nothing.
      if (count !== body.count) {
        throw new Refusal(
          409,
          "changed",
          `The number of events changed from ${body.count} to ${count}. Check it again.`,
        );
      }
      const replayed = new Set<number>();
      for (;;) {
        const before = replayed.size;
        const batch = await store.write((tx) => {
          const ids = replayFailedSince(tx, workspace.id, since);
          const audit = { workspaceId: workspace.id, action: "delivery.replay-failed", details: { since, count } };
          if (before === 0) recordAudit(tx, { userId: user.id, address }, { ...audit, subject: String(body.since) });
          return ids;
        });
        for (const id of batch) replayed.add(id);
        if (batch.length < REPLAY_BATCH || replayed.size === before) break;
        await sleep(clock, YIELD_MS);
      }
      return answerData(200, { replayed: replayed.size });
    },
  },
  {
    method: "GET",
    path: "/w/{workspace}/deliveries/{id}",
    needs: "member",
    handle: ({ store, workspace, path }) =>
      store.read((tx) =>
        answerData(
          200,
          viewDeliveryDetail(getDeliveryInWorkspace(tx, workspace.id, requireId(path.id, "delivery")), workspace),
        ),
      ),
  },
  {
    method: "POST",
    path: "/w/{workspace}/deliveries/{id}/replay",
    needs: "owner",
    handle: (call) =>
      change(call, (tx) => {
        const { workspace, path } = call;
        const { id, eventId } = getDeliveryInWorkspace(tx, workspace.id, requireId(path.id, "delivery"));
        replayDelivery(tx, id);
        const data = viewDeliveryDetail(getDeliveryInWorkspace(tx, workspace.id, id), workspace);
        return { status: 202, data, replayData: { id }, audit: { action: "delivery.replay", subject: eventId } };
      }),
  },
];

function countFailed({ reader, workspace }: WorkspaceCall, since: number): Promise<number> {
  return countInReader(reader, countFailedSql, workspace.id, since);
}

/** A query parameter with fixed choices; null if absent. Throws `invalid_request`. */
function readChoice<Choice extends string>(
  query: URLSearchParams,
  name: string,
  known: readonly Choice[],
): Choice | null {
  const value = query.get(name);
  if (value === null) return null;
  const choice = known.find((one) => one === value);
  if (choice === undefined) throw wrongParameter(name, `Must be one of ${known.join(", ")}.`);
  return choice;
}

/** Broadcasts: list, send, pause, resume and cancel them; the causes of failures, and live counters. */

import { Type } from "@sinclair/typebox";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { cancelBroadcast } from "#src/domain/broadcasts/finish.ts";
import { pauseBroadcast, resumeManually } from "#src/domain/broadcasts/pause.ts";
import {
  countBroadcasts,
  countCausesSql,
  countInDoubtSql,
  findBroadcast,
  listBroadcasts,
} from "#src/domain/broadcasts/read.ts";
import { countOutcomeQuery } from "#src/domain/broadcasts/recipient-filter.ts";
import { BroadcastView, CreatedBroadcastView } from "#src/domain/broadcasts/schema.ts";
import { sendBroadcast } from "#src/domain/broadcasts/send.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import { viewBroadcast, viewCreated } from "#src/domain/broadcasts/view.ts";
import { clockTime } from "#src/domain/broadcasts/wait.ts";
import { readBroadcast } from "../bodies/broadcast-body.ts";
import { CreateBroadcastBody } from "../bodies/broadcast-schema.ts";
import { countAudience } from "../broadcast-audience.ts";
import { readIdCursor } from "../cursors.ts";
import { pageOf, readPage } from "../page.ts";
import { PER_PAGE } from "../page-view.ts";
import { change, type WorkspaceCallWith } from "./call.ts";
import { Data, File, Id, ListOf, PageQuery } from "./declare.ts";
import { endpoint } from "./endpoint.ts";
import { OptionalText } from "./fragments.ts";

const id = Id("broadcast");

const BroadcastDetail = Type.Object({
  ...BroadcastView.properties,
  /** Dispatched, and the outcome is still open: neither sent nor failed. */
  in_doubt: Type.Integer(),
  /** Of the failed ones, those whose outcome is unknown. */
  unknown: Type.Integer(),
  causes: Type.Array(
    Type.Object({
      status: OneOf(["failed", "skipped"]),
      code: OptionalText,
      is_unknown: Type.Boolean(),
      reason: Type.String(),
      count: Type.Integer(),
    }),
  ),
});

export const broadcastEndpoints = {
  "GET /w/{workspace}/v1/broadcasts": endpoint({
    session: "member",
    query: PageQuery,
    output: ListOf(BroadcastView),
  }).load(({ store, workspace, query }) => {
    const from = readPage(query);
    const position = "after" in from ? { after: readIdCursor(from.after) } : from;
    return store.read((tx) =>
      pageOf(
        from,
        listBroadcasts(tx, workspace.id, position, PER_PAGE + 1),
        countBroadcasts(tx, workspace.id),
        (broadcast) => viewBroadcast(tx, broadcast, workspace),
        ({ id }) => ({ id }),
      ),
    );
  }),
  "POST /w/{workspace}/v1/broadcasts": endpoint({
    session: "member",
    body: CreateBroadcastBody,
    checkedBy: "handler",
    output: Data(CreatedBroadcastView),
  }).answer(async (call) => {
    const { workspace, user, dispatch } = call;
    const input = readBroadcast(call.body, workspace.timezone);
    const audienceSize = await countAudience(call, workspace.id, input);
    const { instanceId } = dispatch;
    const request = { workspaceId: workspace.id, input, instanceId, audienceSize, evidence: { user: user.id } };
    return change(call, (tx) => {
      const { broadcast, skipped } = sendBroadcast(tx, request);
      const audit = { action: "broadcast.create", subject: broadcast.name, details: { id: broadcast.id } };
      return { status: 202, data: viewCreated(tx, broadcast, skipped, workspace), audit };
    });
  }),
  "POST /w/{workspace}/v1/broadcasts/{id}/cancel": endpoint({
    session: "member",
    params: { id },
    output: Data(BroadcastView),
  }).change((tx, call) => {
    const cancelled = cancelBroadcast(tx, requireBroadcast(call, tx));
    const audit = { action: "broadcast.cancel", subject: cancelled.name, details: { id: cancelled.id } };
    return { status: 200, data: viewBroadcast(tx, cancelled, call.workspace), audit };
  }),
  "GET /w/{workspace}/broadcasts/{id}": endpoint({
    session: "member",
    params: { id },
    output: Data(BroadcastDetail),
  }).load(async (call) => {
    const { store, reader, workspace } = call;
    const broadcast = store.read((tx) => requireBroadcast(call, tx));
    const causes = await reader.query(countCausesSql, [broadcast.id]);
    const unknownQuery = countOutcomeQuery(broadcast, "unknown");
    const [unknown] = await reader.query(unknownQuery.sql, unknownQuery.parameters);
    const [inDoubt] = await reader.query(countInDoubtSql, [broadcast.id]);
    return store.read((tx) => {
      return {
        ...viewBroadcast(tx, requireBroadcast(call, tx), workspace),
        // Dispatched, and the outcome is still open: neither sent nor failed.
        in_doubt: Number(inDoubt?.total ?? 0),
        // Of the failed ones, those whose outcome is unknown.
        unknown: Number(unknown?.total ?? 0),
        causes: causes.map(viewCause),
      };
    });
  }),
  "GET /w/{workspace}/broadcasts/{id}/live": endpoint({
    session: "member",
    params: { id },
    /** Events called `broadcast`, each with the API's JSON of a broadcast. */
    output: File("text/event-stream; charset=utf-8"),
  }).answer((call) => {
    const { id } = call.store.read((tx) => requireBroadcast(call, tx));
    call.keepOpen();
    return call.broadcastStreams.open(call.workspace, id, AbortSignal.any([call.request.signal, call.stopping]));
  }),
  "POST /w/{workspace}/broadcasts/{id}/pause": endpoint({
    session: "member",
    params: { id },
    output: Data(BroadcastView),
  }).change((tx, call) => {
    const broadcast = requireBroadcast(call, tx);
    const reason = `paused by ${call.user.email}, ${clockTime(tx.now, call.workspace.timezone)}`;
    const paused = pauseBroadcast(tx, broadcast, "manual", reason);
    if (paused === null) {
      throw invalidRequest({ broadcast: [`This broadcast is ${broadcast.status} and can't be paused.`] });
    }
    const audit = { action: "broadcast.pause", subject: broadcast.name, details: { id: broadcast.id } };
    return { status: 200, data: viewBroadcast(tx, paused, call.workspace), audit };
  }),
  "POST /w/{workspace}/broadcasts/{id}/resume": endpoint({
    session: "member",
    params: { id },
    output: Data(BroadcastView),
  }).change((tx, call) => {
    const resumed = resumeManually(tx, requireBroadcast(call, tx));
    const audit = { action: "broadcast.resume", subject: resumed.name, details: { id: resumed.id } };
    return { status: 200, data: viewBroadcast(tx, resumed, call.workspace), audit };
  }),
};

function viewCause({ status, error_code: code, outcome_unknown: isUnknown, reason, total }: Record<string, unknown>) {
  return {
    status: status === "skipped" ? ("skipped" as const) : ("failed" as const),
    code: code === null ? null : String(code),
    is_unknown: isUnknown === 1,
    reason: String(reason ?? code ?? "unknown reason"),
    count: Number(total),
  };
}

/** Throws `not_found`. */
function requireBroadcast({ workspace, path }: WorkspaceCallWith<{ id: number }>, tx: ReadTx): Broadcast {
  const broadcast = findBroadcast(tx, workspace.id, path.id);
  if (broadcast === undefined) throw notFound("broadcast");
  return broadcast;
}

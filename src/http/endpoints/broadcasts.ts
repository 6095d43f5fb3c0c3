/** Broadcasts: send, pause, resume and cancel them, and their live counters; with the files beside, all that is done with one. */

import { Type } from "@sinclair/typebox";
import { invalidRequest, type ProblemCode } from "#src/core/problem.ts";
import { Form } from "#src/core/schema.ts";
import type { Tx } from "#src/db/transaction.ts";
import { cancelBroadcast } from "#src/domain/broadcasts/finish.ts";
import { pauseBroadcast, resumeManually } from "#src/domain/broadcasts/pause.ts";
import { BroadcastView, CreatedBroadcastView, PreviewView } from "#src/domain/broadcasts/schema.ts";
import { sendBroadcast } from "#src/domain/broadcasts/send.ts";
import { viewBroadcast, viewCreated } from "#src/domain/broadcasts/view.ts";
import { clockTime } from "#src/domain/broadcasts/wait.ts";
import { CreateBroadcastForms, readBroadcast } from "../bodies/broadcast.ts";
import { countAudience, previewBroadcast } from "../broadcast-audience.ts";
import { actOnce, readKey } from "../idempotency.ts";
import { readTogether } from "../validate.ts";
import { broadcastDetailEndpoints } from "./broadcast-detail.ts";
import { broadcastListEndpoints } from "./broadcast-list.ts";
import { change } from "./call.ts";
import { Data, endpoint, File } from "./endpoint.ts";
import { broadcastExample } from "./examples.ts";
import { broadcastPath, recipientEndpoints, requireBroadcast } from "./recipients.ts";
import { sendAgainEndpoints } from "./send-again.ts";

const bodies = {
  list: {
    summary: "A list of phone numbers, with a contact field as a value",
    value: {
      name: "November offer",
      template: "november_offer",
      variables: [{ field: "first_name", fallback: "there" }, "20%"],
      to: ["+442079460210", "+44 20 7946 0211"],
    },
  },
  by_name: {
    summary: "A template with named variables",
    value: {
      name: "Renewals",
      template: "renewal_reminder",
      variables: { body: { first_name: { field: "first_name", fallback: "there" }, plan: "Gold" } },
      to: ["+442079460210"],
    },
  },
  group: {
    summary: "A group, at a scheduled time, with an image",
    value: {
      name: "Festival greeting",
      template: "festival_greeting",
      group: 3,
      media: { link: "https://files.example.com/greeting.jpg" },
      send_at: "2026-11-27T10:00:00+05:30",
    },
  },
};

const refusals: readonly ProblemCode[] = [
  "not_found",
  "workspace_suspended",
  "number_not_ready",
  "template_not_found",
  "template_not_sendable",
  "unsupported_template",
  "missing_media",
  "missing_variable",
];

const ofBroadcast = { session: "broadcasts", params: broadcastPath, output: Data(BroadcastView) } as const;

export const broadcastEndpoints = {
  "POST /w/{workspace}/broadcasts": endpoint({
    key: ["broadcast"],
    session: "broadcasts",
    body: CreateBroadcastForms,
    checkedBy: "handler",
    output: Data(CreatedBroadcastView),
    reference: {
      operationId: "createBroadcast",
      tag: "Broadcasts",
      summary: "Create a broadcast",
      description:
        "Sends a template to a list of phone numbers or to a group. The response is returned before any message is sent; it lists the numbers in `to` that are skipped, and why. To see recipients that are skipped later, list the recipients. Everyone in `to` who has not opted out is recorded as opted in. In a group, only contacts who have opted in receive the message. A single `broadcast.finished` event follows when the counts are final.",
      bodies,
      keys: { list: "november-offer", by_name: "renewals-2026-11", group: "festival-greeting-2026" },
      success: "The broadcast was accepted.",
      status: 202,
      example: {
        ...broadcastExample,
        status: "queueing",
        counts: { total: 3, sent: 0, delivered: 0, read: 0, failed: 0, skipped: 1 },
        charged: null,
        completed_at: null,
        requested: 3,
        skipped: [{ to: "+442079460299", reason: "opted_out", since: "2026-10-04T18:20:11+05:30" }],
      },
      problems: [...refusals, "insufficient_balance", "idempotency_conflict"],
    },
  }).answer((call) => {
    const { workspace, by, limitedKey, dispatch } = call;
    const [input, use] = readTogether(
      () => readBroadcast(call.body, workspace.timezone),
      () => (call.user === null ? readKey(call) : null),
    );
    return actOnce(call, use, async () => {
      const audienceSize = await countAudience(call, workspace.id, input, (limitedKey?.dailyPeople ?? null) !== null);
      const { instanceId } = dispatch;
      const { evidence } = by;
      const request = { workspaceId: workspace.id, input, instanceId, audienceSize, limitedKey, evidence };
      const act = (tx: Tx) => {
        const { broadcast, skipped } = sendBroadcast(tx, request);
        const audit = { action: "broadcast.create", subject: broadcast.name, details: { id: broadcast.id } };
        return { status: 202, data: viewCreated(tx, broadcast, skipped, workspace), audit };
      };
      return change(call, act, use);
    });
  }),
  ...broadcastListEndpoints,
  "POST /w/{workspace}/broadcasts/preview": endpoint({
    key: ["broadcast"],
    body: CreateBroadcastForms,
    checkedBy: "handler",
    output: Data(PreviewView),
    reference: {
      operationId: "previewBroadcast",
      tag: "Broadcasts",
      summary: "Preview a broadcast",
      description:
        "Takes the same body as `POST /broadcasts` and returns what the broadcast would do: how many people would receive it, who would be skipped, what it would cost and when it would end. Nothing is sent or stored, and no consent is recorded.",
      bodies,
      success: "The preview.",
      example: {
        requested: 3,
        reached: 2,
        skipped: {
          opted_out: 1,
          may_want_to_stop: 0,
          invalid_number: 0,
          duplicate: 0,
          no_opt_in: 0,
          missing_variable: 0,
          daily_cap: 0,
        },
        skips: [{ to: "+442079460299", reason: "opted_out", since: "2026-10-04T18:20:11+05:30" }],
        cost: {
          currency: "USD",
          rate: "0.0085",
          amount: "0.017",
          available: "120.50",
          available_after: "120.483",
          covered: true,
        },
        daily_cap_left: null,
        network_limit: { limit: 2000, used: 250, today: 2 },
        warnings: [],
        starts_at: "2026-11-21T08:44:25+05:30",
        ends_at: "2026-11-21T08:44:26+05:30",
      },
      problems: refusals,
    },
  }).load((call) => {
    const { workspace, body } = call;
    return previewBroadcast(call, workspace.id, readBroadcast(body, workspace.timezone));
  }),
  ...broadcastDetailEndpoints,
  ...recipientEndpoints,
  ...sendAgainEndpoints,
  "POST /w/{workspace}/broadcasts/{id}/cancel": endpoint({
    ...ofBroadcast,
    key: ["broadcast"],
    reference: {
      operationId: "cancelBroadcast",
      tag: "Broadcasts",
      summary: "Cancel a broadcast",
      description:
        "Stops a broadcast: no more messages are sent. Messages already sent to the network are not recalled, and are charged if they are delivered. The part of the balance that was held for unsent messages is released immediately.",
      success: "The cancelled broadcast.",
      example: { ...broadcastExample, status: "cancelled" },
      problems: ["not_found", "not_cancellable"],
    },
  }).change((tx, call) => {
    const cancelled = cancelBroadcast(tx, requireBroadcast(call, tx));
    const audit = { action: "broadcast.cancel", subject: cancelled.name, details: { id: cancelled.id } };
    return { status: 200, data: viewBroadcast(tx, cancelled, call.workspace), audit };
  }),
  "GET /w/{workspace}/broadcasts/{id}/live": endpoint({
    session: "broadcasts",
    params: broadcastPath,
    /** Events called `broadcast`, each with the API's JSON of a broadcast. */
    output: File("text/event-stream; charset=utf-8"),
  }).answer((call) => {
    const { id } = call.store.read((tx) => requireBroadcast(call, tx));
    call.keepOpen();
    const { workspace, user, address } = call;
    const viewer = { workspace, broadcastId: id, userId: user.id, address };
    return call.broadcastStreams.open(viewer, AbortSignal.any([call.request.signal, call.stopping]));
  }),
  "POST /w/{workspace}/broadcasts/{id}/pause": endpoint(ofBroadcast).change((tx, call) => {
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
    ...ofBroadcast,
    /** `send_unknown`: the decision about `may_have_been_sent`; without it, resuming is refused while there are any. */
    body: Form({ send_unknown: Type.Optional(Type.Boolean()) }),
  }).change((tx, call) => {
    const sendUnknown = call.body.send_unknown ?? null;
    const resumed = resumeManually(tx, requireBroadcast(call, tx), sendUnknown);
    const decided = sendUnknown === null ? {} : { send_unknown: sendUnknown };
    const audit = { action: "broadcast.resume", subject: resumed.name, details: { id: resumed.id, ...decided } };
    return { status: 200, data: viewBroadcast(tx, resumed, call.workspace), audit };
  }),
};

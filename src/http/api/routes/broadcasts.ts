/** Broadcasts: create, preview, list, show, list recipients, cancel. */
import { Type } from "@sinclair/typebox";
import { notFound, type ProblemCode } from "#src/core/problem.ts";
import { OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { cancelBroadcast } from "#src/domain/broadcasts/finish.ts";
import { countBroadcasts, findBroadcast, listBroadcasts, listRecipients } from "#src/domain/broadcasts/read.ts";
import { type RecipientFilter, recipientFilters } from "#src/domain/broadcasts/recipient-outcome.ts";
import { BroadcastView, CreatedBroadcastView, PreviewView, RecipientView } from "#src/domain/broadcasts/schema.ts";
import { sendBroadcast } from "#src/domain/broadcasts/send.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import { countRecipients, viewBroadcast, viewCreated, viewRecipient } from "#src/domain/broadcasts/view.ts";
import { readBroadcast } from "../../bodies/broadcast-body.ts";
import { CreateBroadcastForms } from "../../bodies/broadcast-schema.ts";
import { countAudience, previewBroadcast } from "../../broadcast-audience.ts";
import { readIdCursor } from "../../cursors.ts";
import { answerData, answerJson, type Call, type Endpoint, type Parameter, requireId } from "../../endpoint.ts";
import { actOnce, changeOnce, idempotencyParameter, readKey } from "../../idempotency.ts";
import { pageOf, pageParameters, readSizedPage, wrongParameter } from "../../page.ts";
import { readTogether } from "../../validate.ts";
import { broadcastExample, recipientExample } from "../examples.ts";

const idParameter: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "Id of the broadcast.",
  schema: Type.Integer({ minimum: 1 }),
};

const examples = {
  list: {
    summary: "A list of phone numbers, with a contact field as a value",
    value: {
      name: "November offer",
      template: "november_offer",
      variables: [{ field: "first_name", fallback: "there" }, "20%"],
      to: ["+919876543210", "098765 43211"],
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

export const listBroadcastsEndpoint: Endpoint = {
  method: "GET",
  path: "/broadcasts",
  operationId: "listBroadcasts",
  tag: "Broadcasts",
  summary: "List broadcasts",
  description: "Returns all broadcasts of the workspace, newest first.",
  parameters: pageParameters,
  success: {
    status: 200,
    description: "One page of broadcasts.",
    data: BroadcastView,
    isList: true,
    example: [broadcastExample],
  },
  problems: [],
  handle: ({ store, workspace, query }) => {
    const from = readSizedPage(query);
    const position = "after" in from ? { after: readIdCursor(from.after) } : from;
    return store.read((tx) =>
      answerJson(
        200,
        pageOf(
          from,
          listBroadcasts(tx, workspace.id, position, from.perPage + 1),
          countBroadcasts(tx, workspace.id),
          (broadcast) => viewBroadcast(tx, broadcast, workspace),
          ({ id }) => ({ id }),
        ),
      ),
    );
  },
};

export const createBroadcastEndpoint: Endpoint = {
  method: "POST",
  path: "/broadcasts",
  operationId: "createBroadcast",
  tag: "Broadcasts",
  summary: "Create a broadcast",
  description:
    "Sends a template to a list of phone numbers or to a group. The response is returned before any message is sent; it lists the numbers in `to` that are skipped, and why. To see recipients that are skipped later, list the recipients. Everyone in `to` who has not opted out is recorded as opted in. In a group, only contacts who have opted in receive the message. A single `broadcast.finished` event follows when the counts are final.",
  parameters: [idempotencyParameter({ list: "november-offer", group: "festival-greeting-2026" })],
  body: { schema: CreateBroadcastForms, examples },
  success: {
    status: 202,
    description: "The broadcast was accepted.",
    data: CreatedBroadcastView,
    isList: false,
    isReplayable: true,
    example: {
      ...broadcastExample,
      status: "queueing",
      counts: { total: 3, sent: 0, delivered: 0, read: 0, failed: 0, skipped: 1 },
      charged: null,
      completed_at: null,
      requested: 3,
      skipped: [{ to: "+919876543299", reason: "opted_out", since: "2026-10-04T18:20:11+05:30" }],
    },
  },
  problems: [...refusals, "insufficient_balance", "idempotency_conflict"],
  handle: async (call) => {
    const { workspace, keyId, budgetedKey, dispatch } = call;
    const [input, use] = readTogether(
      () => readBroadcast(call.body, workspace.timezone),
      () => readKey(call),
    );
    return actOnce(call, use, async () => {
      const audienceSize = await countAudience(call, workspace.id, input, budgetedKey !== null);
      const { instanceId } = dispatch;
      const evidence = { key: keyId };
      const request = { workspaceId: workspace.id, input, instanceId, audienceSize, budgetedKey, evidence };
      return changeOnce(call, use, (tx) => {
        const { broadcast, skipped } = sendBroadcast(tx, request);
        return answerData(202, viewCreated(tx, broadcast, skipped, workspace));
      });
    });
  },
};

export const previewBroadcastEndpoint: Endpoint = {
  method: "POST",
  path: "/broadcasts/preview",
  operationId: "previewBroadcast",
  tag: "Broadcasts",
  summary: "Preview a broadcast",
  description:
    "Takes the same body as `POST /broadcasts` and returns what the broadcast would do: how many people would receive it, who would be skipped, what it would cost and when it would end. Nothing is sent or stored, and no consent is recorded.",
  body: { schema: CreateBroadcastForms, examples },
  success: {
    status: 200,
    description: "The preview.",
    data: PreviewView,
    isList: false,
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
      skips: [{ to: "+919876543299", reason: "opted_out", since: "2026-10-04T18:20:11+05:30" }],
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
  },
  problems: refusals,
  handle: async (call) => {
    const { workspace, body } = call;
    return answerData(200, await previewBroadcast(call, workspace.id, readBroadcast(body, workspace.timezone)));
  },
};

export const getBroadcastEndpoint: Endpoint = {
  method: "GET",
  path: "/broadcasts/{id}",
  operationId: "getBroadcast",
  tag: "Broadcasts",
  summary: "Retrieve a broadcast",
  description: "Returns a broadcast with its current counts.",
  parameters: [idParameter],
  success: {
    status: 200,
    description: "The broadcast.",
    data: BroadcastView,
    isList: false,
    example: broadcastExample,
  },
  problems: ["not_found"],
  handle: (call) =>
    call.store.read((tx) => answerData(200, viewBroadcast(tx, requireBroadcast(call, tx), call.workspace))),
};

export const listRecipientsEndpoint: Endpoint = {
  method: "GET",
  path: "/broadcasts/{id}/recipients",
  operationId: "listRecipients",
  tag: "Broadcasts",
  summary: "List a broadcast's recipients",
  description:
    "Returns the recipients of a broadcast in sending order, each with its status, including skipped recipients. Recipients are deleted 18 months after the broadcast has finished; the broadcast and its counts are kept.",
  parameters: [
    idParameter,
    {
      name: "status",
      in: "query",
      required: false,
      description:
        "Return only recipients with this status. `pending` returns all recipients whose message has not been sent yet.",
      schema: OneOf(recipientFilters),
    },
    ...pageParameters,
  ],
  success: {
    status: 200,
    description: "One page of recipients.",
    data: RecipientView,
    isList: true,
    example: [recipientExample],
  },
  problems: ["not_found"],
  handle: (call) => {
    const { store, query, workspace } = call;
    const filter = readFilter(query.get("status"));
    const from = readSizedPage(query);
    const position = "after" in from ? { after: readIdCursor(from.after) } : from;
    return store.read((tx) => {
      const broadcast = requireBroadcast(call, tx);
      return answerJson(
        200,
        pageOf(
          from,
          listRecipients(tx, broadcast, filter, position, from.perPage + 1),
          countRecipients(tx, broadcast, filter),
          (message) => viewRecipient(message, broadcast, workspace),
          ({ id }) => ({ id }),
        ),
      );
    });
  },
};

export const cancelBroadcastEndpoint: Endpoint = {
  method: "POST",
  path: "/broadcasts/{id}/cancel",
  operationId: "cancelBroadcast",
  tag: "Broadcasts",
  summary: "Cancel a broadcast",
  description:
    "Stops a broadcast: no more messages are sent. Messages already sent to the network are not recalled, and are charged if they are delivered. The part of the balance that was held for unsent messages is released immediately.",
  parameters: [idParameter],
  success: {
    status: 200,
    description: "The cancelled broadcast.",
    data: BroadcastView,
    isList: false,
    example: { ...broadcastExample, status: "cancelled" },
  },
  problems: ["not_found", "not_cancellable"],
  handle: (call) =>
    call.store.write((tx) =>
      answerData(200, viewBroadcast(tx, cancelBroadcast(tx, requireBroadcast(call, tx)), call.workspace)),
    ),
};

/** Throws `not_found`. */
function requireBroadcast({ workspace, path }: Call, tx: ReadTx): Broadcast {
  const broadcast = findBroadcast(tx, workspace.id, requireId(path.id, "broadcast"));
  if (broadcast === undefined) throw notFound("broadcast");
  return broadcast;
}

function readFilter(value: string | null): RecipientFilter | null {
  if (value === null) return null;
  const filter = recipientFilters.find((known) => known === value);
  if (filter === undefined)
    throw wrongParameter("status", {
      rule: "one_of",
      sentence: `The status is one of ${recipientFilters.join(", ")}.`,
    });
  return filter;
}

/**
 * The webhook addresses of a workspace: list, add, change and remove them. Each change is audited and mailed to the
 * owners, that of a program too.
 */
import { Type } from "@sinclair/typebox";
import { invalidRequest } from "#src/core/problem.ts";
import { Component, Form, Nullable } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { rotateSecret } from "#src/domain/webhooks/address.ts";
import { readGroupBursts, showGroupBursts } from "#src/domain/webhooks/bursts.ts";
import { defaultTypes, type EventType, eventTypes, USUAL_TYPES } from "#src/domain/webhooks/event-types.ts";
import { addWebhook, removeWebhook, stateOf, updateWebhook } from "#src/domain/webhooks/further.ts";
import { sendTestEvent } from "#src/domain/webhooks/publish.ts";
import { listWebhooks } from "#src/domain/webhooks/read.ts";
import {
  EventTypes,
  GroupBursts,
  NewWebhookView,
  RotatedSecretView,
  State,
  WebhookView,
} from "#src/domain/webhooks/schema.ts";
import { adoptSecret, readOverlap } from "#src/domain/webhooks/secret-overlap.ts";
import { FIRST_WEBHOOK, type Webhook } from "#src/domain/webhooks/table.ts";
import { viewWebhook } from "#src/domain/webhooks/view.ts";
import { findWebhookUrlProblem } from "#src/net/address.ts";
import { ACCEPT_ANY, describeRefusal, MEANWHILE, trySecret } from "#src/webhooks/try-secret.ts";
import { idPosition, PageQuery, pageById, readPage } from "../page.ts";
import { timesOf } from "../times.ts";
import { type AnyCallWith, change, type KeyCall, Refusal, type WorkspaceCall } from "./call.ts";
import { Data, endpoint, Id, ListOf } from "./endpoint.ts";

const Url = Type.String({
  maxLength: 2_048,
  examples: ["https://crm.example.com/hooks/waxwing"],
  description: "An https address. Private and local addresses are refused.",
});
const webhook = { id: Id("webhook address") };
const example = {
  id: 2,
  url: "https://crm.example.com/hooks/waxwing",
  types: ["message.received", "contact.updated"],
  state: "active",
  group_bursts: null,
  old_secret_until: null,
  updated_at: "2026-11-21T08:44:26+05:30",
};
const ofKeys = { key: ["webhooks"], keyOfFirstVersion: [], session: "manage" } as const;
const ofWebhook = { ...ofKeys, isSensitive: true, params: webhook } as const;

export const webhookEndpoints = {
  "GET /w/{workspace}/webhooks": endpoint({
    ...ofKeys,
    query: PageQuery,
    output: ListOf(WebhookView),
    reference: {
      operationId: "listWebhooks",
      tag: "Webhooks",
      summary: "List webhook addresses",
      description: "Returns the addresses that receive the workspace's events, at most ten, the first one first.",
      success: "One page of addresses.",
      example: [example],
    },
  }).read((tx, { workspace, query }) => {
    const from = readPage(query, idPosition);
    const all = listWebhooks(tx, workspace.id);
    const rows = "after" in from ? all.filter(({ id }) => id > from.after) : all.slice(from.offset);
    return pageById(from, rows, all.length, (webhook, { now }) => viewWebhook(webhook, workspace, now));
  }),
  "POST /w/{workspace}/webhooks": endpoint({
    ...ofKeys,
    isSensitive: true,
    body: Form(
      { url: Url, types: Type.Optional(EventTypes), group_bursts: Type.Optional(GroupBursts) },
      { $id: "AddWebhook" },
    ),
    output: Data(NewWebhookView),
    /** A repeated form does not get the secret. */
    consoleOutput: Data(Type.Object({ ...WebhookView.properties, secret: Nullable(Type.String()) })),
    reference: {
      operationId: "addWebhook",
      tag: "Webhooks",
      summary: "Add a webhook address",
      description: `Adds an address with a secret of its own, up to ten. It receives the events from now on. Without \`types\`, it receives ${USUAL_TYPES}, also those of later versions that it need not ask for. The secret is in this answer alone. Where the workspace has no first address, it becomes that, and has the id 1. The owners get an e-mail about it.`,
      bodies: { address: { summary: "An address", value: { url: example.url, types: example.types } } },
      success: "The address was added.",
      status: 201,
      example: { ...example, secret: "whsec_8Jx2…" },
    },
  }).answer((call) => {
    const url = requireUrl(call, call.body.url);
    const groupBurstsMs = readBursts(call.body.group_bursts);
    return change(call, (tx) => {
      const added = addWebhook(tx, call.dispatch.box, call.workspace.id, {
        ...{ url, groupBurstsMs },
        types: readWanted(call.body.types) ?? null,
        keyId: call.user === null ? call.keyId : null,
      });
      const shown = viewWebhook(added.webhook, call.workspace, tx.now);
      return {
        status: 201,
        data: { ...shown, secret: added.secret },
        replayData: { ...shown, secret: null },
        audit: { action: "webhook.add", subject: url, details: describe(added.webhook) },
      };
    });
  }),
  "PATCH /w/{workspace}/webhooks/{id}": endpoint({
    ...ofWebhook,
    body: Form(
      {
        url: Type.Optional(Url),
        types: Type.Optional(EventTypes),
        state: Type.Optional(State),
        group_bursts: Type.Optional(GroupBursts),
      },
      { $id: "ChangeWebhook" },
    ),
    output: Data(WebhookView),
    reference: {
      operationId: "changeWebhook",
      tag: "Webhooks",
      summary: "Change a webhook address",
      description: `Changes what is given. Waiting deliveries go to a new \`url\`. The secret stays. The owners get an e-mail about it.`,
      bodies: {
        state: { summary: "Disable it", value: { state: "disabled" } },
        types: { summary: "Other types", value: { types: ["message.received"] } },
        bursts: { summary: "Gather what a person writes", value: { group_bursts: "8s" } },
      },
      success: "The address was changed.",
      example: { ...example, state: "disabled" },
      problems: ["not_found"],
    },
  }).answer((call) => {
    const { url, types, state, group_bursts: bursts } = call.body;
    const groupBurstsMs = readBursts(bursts);
    const given = url === undefined ? undefined : requireUrl(call, url);
    return change(call, (tx) => {
      const was = findOf(tx, call);
      const changed = updateWebhook(tx, call.workspace.id, call.path.id, {
        url: given,
        types: readWanted(types),
        ...{ state, groupBurstsMs },
      });
      const details = {
        ...describe(changed),
        ...(was === undefined ? {} : { was: { url: was.url, ...describe(was) } }),
      };
      const audit = { action: "webhook.update", subject: changed.url ?? "", details };
      return { status: 200, data: viewWebhook(changed, call.workspace, tx.now), audit };
    });
  }),
  "DELETE /w/{workspace}/webhooks/{id}": endpoint({
    ...ofWebhook,
    output: Data(
      Component("RemovedWebhook", "An address that was just removed.", {
        id: Type.Integer(),
        exhausted: Type.Integer({ description: "How many deliveries were waiting. They are exhausted now." }),
      }),
    ),
    reference: {
      operationId: "removeWebhook",
      tag: "Webhooks",
      summary: "Remove a webhook address",
      description: "Nothing more is sent there. The owners get an e-mail about it.",
      success: "The address was removed.",
      example: { id: 2, exhausted: 0 },
      problems: ["not_found"],
    },
  }).answer((call) =>
    change(call, (tx) => {
      const { id } = call.path;
      const { webhook, exhausted } = removeWebhook(tx, call.workspace.id, id);
      const details = { id, exhausted };
      const audit = { action: "webhook.remove", subject: webhook.url ?? "", details };
      return { status: 200, data: { id, exhausted }, audit };
    }),
  ),
  "POST /w/{workspace}/webhooks/{id}/rotate-secret": endpoint({
    ...ofWebhook,
    body: Form(
      {
        overlap: Type.Optional(
          Type.String({
            maxLength: 40,
            examples: ["24h"],
            description:
              "How long the old secret signs too: 1m to 30 days. The receiver is first sent a `webhook.test` with two signatures; unless it answers 2xx, nothing changes. Absent: the old secret ends at once.",
          }),
        ),
      },
      { $id: "RotateSecret" },
    ),
    output: Data(RotatedSecretView),
    /** A repeated form does not get the secret. */
    consoleOutput: Data(Type.Object({ ...RotatedSecretView.properties, secret: Nullable(Type.String()) })),
    reference: {
      operationId: "rotateWebhookSecret",
      tag: "Webhooks",
      summary: "Replace the secret of a webhook address",
      description:
        "Creates a new secret. The owners get an e-mail about it. A receiver that does not accept the test event is 400, with what it answered in `fields.overlap`.",
      bodies: { at_once: { summary: "At once", value: {} } },
      success: "The secret was replaced.",
      example: { id: 2, secret: "whsec_8Jx2…", old_secret_until: null },
      problems: ["not_found"],
    },
  }).answer(async (call) => {
    const { workspace, path, body, dispatch } = call;
    const { box } = dispatch;
    const overlapMs = body.overlap === undefined ? null : readOverlap(body.overlap);
    const tried = overlapMs === null ? null : await trySecret({ ...call, box }, workspace.id, path.id);
    if (tried !== null && !tried.result.isSuccess)
      throw refusal(call, 422, "receiver_refused", `${describeRefusal(tried.result)} ${ACCEPT_ANY}`);
    return change(call, (tx) => {
      const rotated =
        tried === null || overlapMs === null
          ? rotateSecret(tx, box, workspace.id, null, path.id)
          : adoptSecret(tx, box, tried.trial, overlapMs);
      if (rotated === null) throw refusal(call, 409, "changed", MEANWHILE);
      const { url, secret, previousUntil } = rotated;
      const until = { old_secret_until: timesOf(workspace)(previousUntil) };
      const details = { ...(path.id === FIRST_WEBHOOK ? {} : { id: path.id }), ...(tried === null ? {} : until) };
      const data = { id: path.id, secret, ...until };
      const audit = { action: "webhook.rotate-secret", subject: url ?? "", details };
      return { status: 200, data, replayData: { ...data, secret: null }, audit };
    });
  }),
  "POST /w/{workspace}/webhooks/{id}/test": endpoint({
    session: "manage",
    params: webhook,
    output: Data(Type.Object({ delivery_id: Type.Integer() })),
  }).change((tx, call) => {
    const id = sendTestEvent(tx, call.workspace.id, call.path.id);
    return { status: 202, data: { delivery_id: id }, audit: { action: "webhook.test", subject: String(id) } };
  }),
};

/** The console has codes of its own; a program is told at the member that it gave. */
function refusal({ user }: Pick<KeyCall | WorkspaceCall, "user">, status: number, code: string, why: string): Error {
  return user === null ? invalidRequest({ overlap: [why] }) : new Refusal(status, code, why);
}

function requireUrl({ webhooks }: Pick<AnyCallWith, "webhooks">, text: string): string {
  const url = text.trim();
  const problem = findWebhookUrlProblem(url, webhooks);
  if (problem !== null) throw invalidRequest({ url: [problem] });
  return url;
}

/** Undefined: as before. */
export function readBursts(given: string | null | undefined): number | null | undefined {
  return typeof given === "string" ? readGroupBursts(given) : given;
}

/** The default stays the default, so that an address receives the types of later versions. */
export function readWanted(types: readonly EventType[] | undefined): EventType[] | null | undefined {
  if (types === undefined) return undefined;
  const isDefault = eventTypes.every((type) => types.includes(type) === defaultTypes.includes(type));
  return isDefault ? null : eventTypes.filter((type) => types.includes(type));
}

function findOf(tx: ReadTx, { workspace, path }: AnyCallWith<{ id: number }>): Webhook | undefined {
  return listWebhooks(tx, workspace.id).find(({ id }) => id === path.id);
}

/** For the audit log and the mail to the owners. */
function describe(webhook: Webhook): Record<string, unknown> {
  const bursts = showGroupBursts(webhook);
  const grouped = bursts === null ? {} : { group_bursts: bursts };
  return { id: webhook.id, types: webhook.types ?? "default", state: stateOf(webhook), ...grouped };
}

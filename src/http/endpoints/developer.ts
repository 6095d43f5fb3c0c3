/** API settings: keys, the webhook's address and secret, custom fields. The same operations as on the command line. */

import { type Static, Type } from "@sinclair/typebox";
import { sleep } from "#src/core/clock.ts";
import { formatMoney } from "#src/core/money.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { Form, Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { fieldKinds } from "#src/domain/contacts/custom-field.ts";
import { addField, listFields } from "#src/domain/contacts/custom-fields.ts";
import type { CustomField } from "#src/domain/contacts/table.ts";
import { removeField } from "#src/domain/filters/remove-field.ts";
import { requireUsableLimits } from "#src/domain/messages/key-limits.ts";
import { clearWebhook, requireWebhook, setWebhook, showWebhook } from "#src/domain/webhooks/address.ts";
import { showGroupBursts } from "#src/domain/webhooks/bursts.ts";
import { defaultTypes, eventTypes } from "#src/domain/webhooks/event-types.ts";
import { listWebhooksOfKey } from "#src/domain/webhooks/further.ts";
import { sendTestEvent } from "#src/domain/webhooks/publish.ts";
import { findWebhook } from "#src/domain/webhooks/read.ts";
import { GroupBursts } from "#src/domain/webhooks/schema.ts";
import { createKey, getKey, listKeys, readKeyLimits, revokeKey } from "#src/domain/workspaces/api-keys.ts";
import { scopes } from "#src/domain/workspaces/scopes.ts";
import type { ApiKey, Workspace } from "#src/domain/workspaces/table.ts";
import { findWebhookUrlProblem } from "#src/net/address.ts";
import { timesOf } from "../times.ts";
import { change, recordAct } from "./call.ts";
import { Data, Empty, endpoint, Id } from "./endpoint.ts";
import { OptionalCount, OptionalText, OptionalTime } from "./fragments.ts";
import { show } from "./show.ts";
import { readBursts, readWanted } from "./webhooks.ts";

const key = {
  id: Type.Integer(),
  name: Type.String(),
  prefix: Type.String(),
  scopes: Type.Array(OneOf(scopes)),
  /** The key opens the endpoints of 0.1, which made it. */
  is_of_first_version: Type.Boolean(),
  expires_at: OptionalTime,
  daily_people: OptionalCount,
  /** Null: no limit. */
  daily_money: OptionalText,
  /** The group whose contacts alone the key may message. */
  group_id: OptionalCount,
  is_automation: Type.Boolean(),
  is_ai: Type.Boolean(),
  created_at: Instant(),
  last_used_at: OptionalTime,
  revoked_at: OptionalTime,
};

const KeyView = Type.Object(key);

const FieldView = Type.Object({
  key: Type.String(),
  label: Type.String(),
  kind: OneOf(fieldKinds),
  choices: Nullable(Type.Array(Type.String())),
});

const EventTypes = Type.Array(OneOf(eventTypes), { maxItems: eventTypes.length });
const WebhookView = Type.Object({
  ...{ url: OptionalText, types: EventTypes, has_secret: Type.Boolean() },
  group_bursts: OptionalText,
});

/** Pause between two batches, so that other writes are not delayed. */
const YIELD_MS = 5;

export const developerEndpoints = {
  "GET /w/{workspace}/keys": endpoint({ session: "manage", output: Data(Type.Array(KeyView)) }).read(
    (tx, { workspace }) => listKeys(tx, workspace.id).map((key) => viewKey(key, workspace)),
  ),
  "POST /w/{workspace}/keys": endpoint({
    session: "manage",
    isSensitive: true,
    body: Form({
      name: Type.String({ maxLength: 1_000 }),
      /** Absent: all but those that must be named. */
      scopes: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 20 })),
      expires: Type.Optional(Type.String({ maxLength: 40 })),
      daily_people: Type.Optional(Type.Number()),
      money: Type.Optional(Type.String({ maxLength: 40 })),
      group: Type.Optional(Type.Integer()),
      is_automation: Type.Optional(Type.Boolean()),
      is_ai: Type.Optional(Type.Boolean()),
    }),
    /** The key is shown once: a repeated form does not get it. */
    output: Data(Type.Object({ ...key, key: OptionalText })),
  }).change((tx, call) => {
    const { workspace, body } = call;
    const { name, scopes, expires, daily_people: dailyPeople, money, group: groupId } = body;
    const marks = { isAutomation: body.is_automation, isAi: body.is_ai };
    const limits = readKeyLimits({ scopes, expires, dailyPeople, money, groupId, ...marks }, workspace, tx.now);
    requireUsableLimits(tx, workspace, limits);
    const created = createKey(tx, workspace.id, name, { limits });
    const shown = viewKey(created, workspace);
    return {
      status: 201,
      data: { ...shown, key: created.key },
      // The key is shown once: a repeated form does not get it.
      replayData: { ...shown, key: null },
      audit: { action: "key.create", subject: created.name, details: describeKey(created, workspace) },
    };
  }),
  "POST /w/{workspace}/keys/{id}/revoke": endpoint({
    session: "manage",
    isSensitive: true,
    params: { id: Id("key") },
    /** `webhooks`: the addresses that the key added. They still receive events. */
    output: Data(
      Type.Object({ ...key, webhooks: Type.Array(Type.Object({ id: Type.Integer(), url: Type.String() })) }),
    ),
  }).change((tx, call) => {
    const { workspace, path } = call;
    const known = getKey(tx, workspace.id, path.id);
    const key = revokeKey(tx, known.id);
    const webhooks = listWebhooksOfKey(tx, key.id);
    const details = { prefix: key.prefix, ...(webhooks.length === 0 ? {} : { webhooks }) };
    const audit = { action: "key.revoke", subject: key.name, details };
    return { status: 200, data: { ...viewKey(key, workspace), webhooks }, audit };
  }),
  "GET /w/{workspace}/webhook": endpoint({ session: "manage", output: Data(WebhookView) }).read((tx, { workspace }) => {
    const webhook = findWebhook(tx, workspace.id);
    const types = [...(webhook?.types ?? defaultTypes)];
    const bursts = webhook === undefined ? null : showGroupBursts(webhook);
    return { url: webhook?.url ?? null, types, has_secret: webhook !== undefined, group_bursts: bursts };
  }),
  "PUT /w/{workspace}/webhook": endpoint({
    session: "manage",
    isSensitive: true,
    body: Form({
      url: Type.String({ maxLength: 2_048 }),
      types: Type.Optional(EventTypes),
      group_bursts: Type.Optional(GroupBursts),
    }),
    output: Data(WebhookView),
  }).answer((call) => {
    const url = call.body.url.trim();
    const problem = findWebhookUrlProblem(url, call.webhooks);
    if (problem !== null) throw invalidRequest({ url: [problem] });
    const given = { types: readWanted(call.body.types), groupBurstsMs: readBursts(call.body.group_bursts) };
    return change(call, (tx) => {
      const was = findWebhook(tx, call.workspace.id)?.url ?? null;
      const types = [...setWebhook(tx, call.box, call.workspace.id, url, given).types];
      const bursts = showGroupBursts(requireWebhook(tx, call.workspace.id));
      const grouped = bursts === null ? {} : { group_bursts: bursts };
      const audit = { action: "webhook.set", subject: url, details: { was, became: url, types, ...grouped } };
      return { status: 200, data: { url, types, has_secret: true, group_bursts: bursts }, audit };
    });
  }),
  "DELETE /w/{workspace}/webhook": endpoint({
    session: "manage",
    isSensitive: true,
    /** `exhausted`: deliveries that were pending. */
    output: Data(Type.Object({ ...WebhookView.properties, exhausted: Type.Integer() })),
  }).change((tx, call) => {
    const known = findWebhook(tx, call.workspace.id);
    const was = known?.url ?? null;
    const { exhausted } = clearWebhook(tx, call.workspace.id);
    const audit = { action: "webhook.clear", subject: was ?? "", details: { was, exhausted } };
    return {
      status: 200,
      data: {
        ...{ url: null, types: [...(known?.types ?? defaultTypes)], has_secret: true, exhausted },
        group_bursts: known === undefined ? null : showGroupBursts(known),
      },
      audit,
    };
  }),
  // Revealing the secret is audited. It is not stored as an answer, so the form key is ignored.
  "POST /w/{workspace}/webhook/reveal": endpoint({
    session: "manage",
    isSensitive: true,
    output: Data(Type.Object({ secret: Type.String() })),
  }).load((call) =>
    call.store.write((tx) => {
      const { url, secret } = showWebhook(tx, call.box, call.workspace.id);
      recordAct(tx, call, { action: "webhook.reveal-secret", subject: url ?? "" });
      return { secret };
    }),
  ),
  "POST /w/{workspace}/webhook/test": endpoint({
    session: "manage",
    output: Data(Type.Object({ delivery_id: Type.Integer() })),
  }).change((tx, call) => {
    const id = sendTestEvent(tx, call.workspace.id);
    return { status: 202, data: { delivery_id: id }, audit: { action: "webhook.test", subject: String(id) } };
  }),
  "GET /w/{workspace}/fields": endpoint({ session: "inbox", output: Data(Type.Array(FieldView)) }).read(
    (tx, { workspace }) => listFields(tx, workspace.id).map(viewField),
  ),
  "POST /w/{workspace}/fields": endpoint({
    session: "manage",
    body: Form({
      key: Type.String({ maxLength: 100 }),
      label: Type.String({ maxLength: 191 }),
      kind: OneOf(fieldKinds),
      choices: Type.Array(Type.String({ maxLength: 191 }), { maxItems: 200 }),
    }),
    output: Data(FieldView),
  }).change((tx, call) => {
    const field = addField(tx, call.workspace.id, call.body);
    const audit = { action: "field.add", subject: field.key, details: { kind: field.kind } };
    return { status: 201, data: viewField(field), audit };
  }),
  "DELETE /w/{workspace}/fields/{key}": endpoint({
    session: "manage",
    params: { key: Type.String() },
    output: Data(Empty),
  }).answer(async (call) => {
    const { clock, workspace, path } = call;
    const { key } = path;
    let isGone = false;
    // The field is removed with its last values, and the audit entry is written in that same transaction.
    const answer = () =>
      change({ ...call, form: null }, (tx) => {
        isGone = removeField(tx, workspace.id, key);
        return { status: 200, data: {}, audit: isGone ? { action: "field.remove", subject: key } : null };
      });
    let last = await answer();
    while (!isGone) {
      await sleep(clock, YIELD_MS);
      last = await answer();
    }
    return last;
  }),
};

/** For the audit log: what the key may do. */
function describeKey(key: ApiKey, workspace: Workspace): Record<string, unknown> {
  const { prefix, scopes, expires_at, daily_people, daily_money, group_id, is_automation, is_ai } = viewKey(
    key,
    workspace,
  );
  return {
    prefix,
    scopes,
    ...(expires_at === null ? {} : { expires_at }),
    ...(daily_people === null ? {} : { daily_people }),
    ...(daily_money === null ? {} : { daily_money }),
    ...(group_id === null ? {} : { group_id }),
    ...(is_automation ? { is_automation } : {}),
    ...(is_ai ? { is_ai } : {}),
  };
}

function viewKey(key: ApiKey, workspace: Workspace): Static<typeof KeyView> {
  const dailyMoney = key.dailyMoney === null ? null : formatMoney(key.dailyMoney);
  return show(KeyView, { ...key, dailyMoney }, timesOf(workspace), {});
}

function viewField({ key, label, kind, choices }: CustomField): Static<typeof FieldView> {
  return { key, label, kind, choices };
}

/** API settings: keys, the webhook's address and secret, custom fields. The same operations as on the command line. */
import { sleep } from "#src/core/clock.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { addField, listFields } from "#src/domain/contacts/custom-fields.ts";
import { removeField } from "#src/domain/filters/remove-field.ts";
import { recordAudit } from "#src/domain/users/audit-log.ts";
import { clearWebhook, rotateSecret, setWebhook, showWebhook } from "#src/domain/webhooks/address.ts";
import { defaultTypes, type EventType, eventTypes } from "#src/domain/webhooks/event-types.ts";
import { sendTestEvent } from "#src/domain/webhooks/publish.ts";
import { findWebhook } from "#src/domain/webhooks/read.ts";
import { createKey, getKey, listKeys, revokeKey } from "#src/domain/workspaces/api-keys.ts";
import { readKeyLimits } from "#src/domain/workspaces/key-limits.ts";
import type { ApiKey, Workspace } from "#src/domain/workspaces/table.ts";
import { findWebhookUrlProblem } from "#src/net/address.ts";
import { answerData } from "../../endpoint.ts";
import { developerContract } from "../contract/developer.ts";
import { attachHandlers, change } from "../route.ts";
import { viewField, viewKey } from "../view-developer.ts";

/** Pause between two batches, so that other writes are not delayed. */
const YIELD_MS = 5;

export const developerRoutes = attachHandlers(developerContract, {
  "GET /w/{workspace}/keys": ({ store, workspace }) =>
    store.read((tx) =>
      answerData(
        200,
        listKeys(tx, workspace.id).map((key) => viewKey(key, workspace)),
      ),
    ),
  "POST /w/{workspace}/keys": (call) =>
    change(call, (tx) => {
      const { workspace, body } = call;
      const { name, scopes, expires, daily_people: dailyPeople } = body;
      const limits = readKeyLimits({ scopes, expires, dailyPeople }, workspace, tx.now);
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
  "POST /w/{workspace}/keys/{id}/revoke": (call) =>
    change(call, (tx) => {
      const { workspace, path } = call;
      const known = getKey(tx, workspace.id, path.id);
      const key = revokeKey(tx, known.id);
      const audit = { action: "key.revoke", subject: key.name, details: { prefix: key.prefix } };
      return { status: 200, data: viewKey(key, workspace), audit };
    }),
  "GET /w/{workspace}/webhook": ({ store, workspace }) =>
    store.read((tx) => {
      const webhook = findWebhook(tx, workspace.id);
      const types = [...(webhook?.types ?? defaultTypes)];
      return answerData(200, { url: webhook?.url ?? null, types, has_secret: webhook !== undefined });
    }),
  "PUT /w/{workspace}/webhook": (call) => {
    const url = call.body.url.trim();
    const problem = findWebhookUrlProblem(url, call.webhooks);
    if (problem !== null) throw invalidRequest({ url: [problem] });
    return change(call, (tx) => {
      const was = findWebhook(tx, call.workspace.id)?.url ?? null;
      const set = setWebhook(tx, call.box, call.workspace.id, url, { types: readWantedTypes(call.body.types) });
      const types = [...set.types];
      const audit = { action: "webhook.set", subject: url, details: { was, became: url, types } };
      return { status: 200, data: { url, types, has_secret: true }, audit };
    });
  },
  "DELETE /w/{workspace}/webhook": (call) =>
    change(call, (tx) => {
      const known = findWebhook(tx, call.workspace.id);
      const was = known?.url ?? null;
      const { exhausted } = clearWebhook(tx, call.workspace.id);
      const audit = { action: "webhook.clear", subject: was ?? "", details: { was, exhausted } };
      return {
        status: 200,
        data: { url: null, types: [...(known?.types ?? defaultTypes)], has_secret: true, exhausted },
        audit,
      };
    }),
  // Revealing the secret is audited. It is not stored as an answer, so the form key is ignored.
  "POST /w/{workspace}/webhook/reveal": ({ store, workspace, box, user, address }) =>
    store.write((tx) => {
      const { url, secret } = showWebhook(tx, box, workspace.id);
      const audit = { workspaceId: workspace.id, action: "webhook.reveal-secret", subject: url ?? "" };
      recordAudit(tx, { userId: user.id, address }, audit);
      return answerData(200, { secret });
    }),
  "POST /w/{workspace}/webhook/rotate-secret": (call) =>
    change(call, (tx) => {
      const { url, secret } = rotateSecret(tx, call.box, call.workspace.id);
      const audit = { action: "webhook.rotate-secret", subject: url ?? "" };
      return { status: 200, data: { secret }, replayData: { secret: null }, audit };
    }),
  "POST /w/{workspace}/webhook/test": (call) =>
    change(call, (tx) => {
      const id = sendTestEvent(tx, call.workspace.id);
      return { status: 202, data: { delivery_id: id }, audit: { action: "webhook.test", subject: String(id) } };
    }),
  "GET /w/{workspace}/fields": ({ store, workspace }) =>
    store.read((tx) => answerData(200, listFields(tx, workspace.id).map(viewField))),
  "POST /w/{workspace}/fields": (call) =>
    change(call, (tx) => {
      const field = addField(tx, call.workspace.id, call.body);
      const audit = { action: "field.add", subject: field.key, details: { kind: field.kind } };
      return { status: 201, data: viewField(field), audit };
    }),
  "DELETE /w/{workspace}/fields/{key}": async (call) => {
    const { clock, workspace, path } = call;
    const key = path.key ?? "";
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
  },
});

/** For the audit log: what the key may do, where it is limited. */
function describeKey(key: ApiKey, workspace: Workspace): Record<string, unknown> {
  const { prefix, scopes, expires_at, daily_people } = viewKey(key, workspace);
  return {
    prefix,
    ...(scopes === null ? {} : { scopes }),
    ...(expires_at === null ? {} : { expires_at }),
    ...(daily_people === null ? {} : { daily_people }),
  };
}

/** The default stays the default, so that an address receives the types of later versions. */
function readWantedTypes(types: readonly EventType[] | undefined): EventType[] | null | undefined {
  if (types === undefined) return undefined;
  const isDefault = eventTypes.every((type) => types.includes(type) === defaultTypes.includes(type));
  return isDefault ? null : eventTypes.filter((type) => types.includes(type));
}

/** API settings: keys, the webhook's address and secret, custom fields. The same operations as on the command line. */
import { Type } from "@sinclair/typebox";
import { sleep } from "#src/core/clock.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { type FieldKind, fieldKinds } from "#src/domain/contacts/custom-field.ts";
import { addField, listFields } from "#src/domain/contacts/custom-fields.ts";
import { removeField } from "#src/domain/filters/remove-field.ts";
import { recordAudit } from "#src/domain/users/audit-log.ts";
import { clearWebhook, rotateSecret, setWebhook, showWebhook } from "#src/domain/webhooks/address.ts";
import { sendTestEvent } from "#src/domain/webhooks/publish.ts";
import { findWebhook } from "#src/domain/webhooks/read.ts";
import { createKey, getKey, listKeys, revokeKey } from "#src/domain/workspaces/api-keys.ts";
import { findWebhookUrlProblem } from "#src/net/address.ts";
import { answerData, requireId } from "../../endpoint.ts";
import { type ConsoleRoute, change } from "../route.ts";
import { viewField, viewKey } from "../view-developer.ts";

const strict = { additionalProperties: false };
/** Pause between two batches, so that other writes are not delayed. */
const YIELD_MS = 5;

export const developerRoutes: readonly ConsoleRoute[] = [
  {
    method: "GET",
    path: "/w/{workspace}/keys",
    needs: "owner",
    handle: ({ store, workspace }) =>
      store.read((tx) =>
        answerData(
          200,
          listKeys(tx, workspace.id).map((key) => viewKey(key, workspace)),
        ),
      ),
  },
  {
    method: "POST",
    path: "/w/{workspace}/keys",
    needs: "owner",
    body: Type.Object({ name: Type.String({ maxLength: 1_000 }) }, strict),
    handle: (call) =>
      change(call, (tx) => {
        const { workspace, body } = call;
        const created = createKey(tx, workspace.id, String(body.name));
        const shown = viewKey(created, workspace);
        return {
          status: 201,
          data: { ...shown, key: created.key },
          // The key is shown once: a repeated form does not get it.
          replayData: { ...shown, key: null },
          audit: { action: "key.create", subject: created.name, details: { prefix: created.prefix } },
        };
      }),
  },
  {
    method: "POST",
    path: "/w/{workspace}/keys/{id}/revoke",
    needs: "owner",
    handle: (call) =>
      change(call, (tx) => {
        const { workspace, path } = call;
        const known = getKey(tx, workspace.id, requireId(path.id, "key"));
        const key = revokeKey(tx, known.id);
        const audit = { action: "key.revoke", subject: key.name, details: { prefix: key.prefix } };
        return { status: 200, data: viewKey(key, workspace), audit };
      }),
  },
  {
    method: "GET",
    path: "/w/{workspace}/webhook",
    needs: "owner",
    handle: ({ store, workspace }) =>
      store.read((tx) => {
        const webhook = findWebhook(tx, workspace.id);
        return answerData(200, { url: webhook?.url ?? null, has_secret: webhook !== undefined });
      }),
  },
  {
    method: "PUT",
    path: "/w/{workspace}/webhook",
    needs: "owner",
    body: Type.Object({ url: Type.String({ maxLength: 2_048 }) }, strict),
    handle: (call) => {
      const url = String(call.body.url).trim();
      const problem = findWebhookUrlProblem(url, call.webhooks);
      if (problem !== null) throw invalidRequest({ url: [problem] });
      return change(call, (tx) => {
        const was = findWebhook(tx, call.workspace.id)?.url ?? null;
        setWebhook(tx, call.box, call.workspace.id, url);
        const audit = { action: "webhook.set", subject: url, details: { was, became: url } };
        return { status: 200, data: { url, has_secret: true }, audit };
      });
    },
  },
  {
    method: "DELETE",
    path: "/w/{workspace}/webhook",
    needs: "owner",
    handle: (call) =>
      change(call, (tx) => {
        const was = findWebhook(tx, call.workspace.id)?.url ?? null;
        const { exhausted } = clearWebhook(tx, call.workspace.id);
        const audit = { action: "webhook.clear", subject: was ?? "", details: { was, exhausted } };
        return { status: 200, data: { url: null, has_secret: true, exhausted }, audit };
      }),
  },
  {
    method: "POST",
    path: "/w/{workspace}/webhook/reveal",
    needs: "owner",
    // Revealing the secret is audited. It is not stored as an answer, so the form key is ignored.
    handle: ({ store, workspace, box, user, address }) =>
      store.write((tx) => {
        const { url, secret } = showWebhook(tx, box, workspace.id);
        const audit = { workspaceId: workspace.id, action: "webhook.reveal-secret", subject: url ?? "" };
        recordAudit(tx, { userId: user.id, address }, audit);
        return answerData(200, { secret });
      }),
  },
  {
    method: "POST",
    path: "/w/{workspace}/webhook/rotate-secret",
    needs: "owner",
    handle: (call) =>
      change(call, (tx) => {
        const { url, secret } = rotateSecret(tx, call.box, call.workspace.id);
        const audit = { action: "webhook.rotate-secret", subject: url ?? "" };
        return { status: 200, data: { secret }, replayData: { secret: null }, audit };
      }),
  },
  {
    method: "POST",
    path: "/w/{workspace}/webhook/test",
    needs: "owner",
    handle: (call) =>
      change(call, (tx) => {
        const id = sendTestEvent(tx, call.workspace.id);
        return { status: 202, data: { delivery_id: id }, audit: { action: "webhook.test", subject: String(id) } };
      }),
  },
  {
    method: "GET",
    path: "/w/{workspace}/fields",
    needs: "member",
    handle: ({ store, workspace }) => store.read((tx) => answerData(200, listFields(tx, workspace.id).map(viewField))),
  },
  {
    method: "POST",
    path: "/w/{workspace}/fields",
    needs: "owner",
    body: Type.Object(
      {
        key: Type.String({ maxLength: 100 }),
        label: Type.String({ maxLength: 191 }),
        kind: Type.String({ enum: [...fieldKinds] }),
        choices: Type.Array(Type.String({ maxLength: 191 }), { maxItems: 200 }),
      },
      strict,
    ),
    handle: (call) =>
      change(call, (tx) => {
        const input = call.body as { key: string; label: string; kind: FieldKind; choices: string[] };
        const field = addField(tx, call.workspace.id, input);
        const audit = { action: "field.add", subject: field.key, details: { kind: field.kind } };
        return { status: 201, data: viewField(field), audit };
      }),
  },
  {
    method: "DELETE",
    path: "/w/{workspace}/fields/{key}",
    needs: "owner",
    handle: async (call) => {
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
  },
];

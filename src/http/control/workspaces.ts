/**
 * Workspaces of tests: one more, isolated from the others, for tests that run side by side; where its events go; and
 * back to the state after the start, of all or of one alone.
 */

import { Type } from "@sinclair/typebox";
import { Form } from "#src/core/schema.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { listOnNetwork } from "#src/domain/numbers/read.ts";
import { clearWebhook, setWebhook } from "#src/domain/webhooks/address.ts";
import { findForward } from "#src/domain/webhooks/forward.ts";
import { findWebhookUrlProblem } from "#src/net/address.ts";
import { answerJson } from "../answer.ts";
import { declareCall, findWorkspaceId, invalidField, readTime } from "./route.ts";
import { NewWorkspaceBody, type WorkspaceSeed, writeWorkspace } from "./seed.ts";

/** What a test gets that does not care. */
const DEFAULT_TEMPLATES = [
  {
    name: "order_shipped",
    language: "en_US",
    category: "UTILITY",
    components: [{ type: "BODY", text: "Hi {{1}}, your order {{2}} is on its way." }],
  },
  {
    name: "weekend_offer",
    language: "en_US",
    category: "MARKETING",
    components: [{ type: "BODY", text: "Hi {{1}}, everything is {{2}} percent off until Sunday." }],
  },
];
const WebhookBody = Form({ url: Type.String(), workspace: Type.Optional(Type.Integer()) });
const ResetBody = Form({
  workspace: Type.Optional(Type.Integer()),
  now: Type.Optional(Type.String()),
  freeze: Type.Optional(Type.Boolean()),
});
const FIRST_NUMBER = 911_244_010_000;

export const workspaceRoutes = [
  declareCall("POST /workspaces", { body: NewWorkspaceBody }, async ({ store, box, body, saveWorkspace }) => {
    if (body.api_keys !== undefined) throw invalidField("api_keys", "Fixed keys are for the seed of `waxwing dev`.");
    const added = await store.write((tx) => {
      const seed: WorkspaceSeed = {
        name: "Test",
        country: "IN",
        timezone: "Asia/Kolkata",
        templates: DEFAULT_TEMPLATES,
        ...body,
        numbers: body.numbers ?? [{ phone: freeNumber(tx), name: body.name ?? "Test" }],
      };
      const made = writeWorkspace(tx, seed, { box, webhookUrl: null, forwardUrl: findForward(tx), path: "" });
      const secret = made.webhookSecret ?? createSecret(tx, box, made.workspaceId);
      return {
        workspace_id: made.workspaceId,
        api_key: made.key,
        number: made.number,
        webhook_secret: secret,
      };
    });
    await saveWorkspace(added.workspace_id);
    return answerJson(201, added);
  }),
  declareCall("PUT /webhook", { body: WebhookBody }, ({ body, store, box }) => {
    const { url, workspace } = body;
    const problem = findWebhookUrlProblem(url, { allowHttp: true, allowPrivate: true });
    if (problem !== null) throw invalidField("url", problem);
    return store.write((tx) => answerJson(200, setWebhook(tx, box, findWorkspaceId(tx, workspace), url)));
  }),
  declareCall("POST /reset", { body: ResetBody }, async ({ body, reset, resetWorkspace, store }) => {
    const { workspace, now, freeze = false } = body;
    const at = now === undefined ? null : readTime("now", now);
    const ofClock = at !== null ? "now" : freeze ? "freeze" : null;
    if (ofClock !== null && workspace !== undefined) {
      throw invalidField(ofClock, `The clock is the whole server's: reset everything, or leave \`${ofClock}\` out.`);
    }
    if (workspace === undefined) await reset({ at, isFrozen: freeze });
    else await resetWorkspace(store.read((tx) => findWorkspaceId(tx, workspace)));
    return answerJson(200, {});
  }),
];

/** A secret outlives its address, so the address that the test sets later has this one. */
function createSecret(tx: Tx, box: SecretBox, workspaceId: number): string {
  const { secret } = setWebhook(tx, box, workspaceId, "http://127.0.0.1:9/");
  clearWebhook(tx, workspaceId);
  return secret;
}

function freeNumber(tx: ReadTx): string {
  const taken = new Set(listOnNetwork(tx, "simulator").map(({ phone }) => phone as string));
  let number = FIRST_NUMBER;
  while (taken.has(`+${number}`)) number += 1;
  return `+${number}`;
}

/** `/control/v1/workspaces`: one more workspace, isolated from the others, for tests that run side by side. */
import type { SecretBox } from "#src/core/secret.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { listOnNetwork } from "#src/domain/numbers/read.ts";
import { clearWebhook, setWebhook } from "#src/domain/webhooks/address.ts";
import { findForward } from "#src/domain/webhooks/forward.ts";
import { answerJson, type ControlRoute, invalidField } from "./route.ts";
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
const FIRST_NUMBER = 911_244_010_000;

export const workspaceRoutes: readonly ControlRoute[] = [
  {
    method: "POST",
    path: "/workspaces",
    body: NewWorkspaceBody,
    async handle({ store, box, body, saveWorkspace }) {
      const given = body as Partial<WorkspaceSeed>;
      if (given.api_keys !== undefined) throw invalidField("api_keys", "Fixed keys are for the seed of `waxwing dev`.");
      const added = await store.write((tx) => {
        const seed: WorkspaceSeed = {
          name: "Test",
          country: "IN",
          timezone: "Asia/Kolkata",
          templates: DEFAULT_TEMPLATES,
          ...given,
          numbers: given.numbers ?? [{ phone: freeNumber(tx), name: given.name ?? "Test" }],
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
      return answerJson(added, 201);
    },
  },
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

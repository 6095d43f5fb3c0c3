/** `/control/v1/webhooks`: what receivers were sent, and what they answered; `/control/v1/webhook`: where to. */
import { Type } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { setWebhook } from "#src/domain/webhooks/address.ts";
import { findWebhookUrlProblem } from "#src/net/address.ts";
import { readWait } from "./journal-query.ts";
import { answerJson, type ControlRoute, invalidField, type SentWebhook } from "./route.ts";
import { findWorkspaceId } from "./workspace.ts";

export const webhookRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/webhooks",
    query: ["type", "url", "count", "wait"],
    async handle({ query, webhooks, realClock }) {
      const { count, waitMs } = readWait(query);
      const type = query.get("type");
      const url = query.get("url");
      const matches = (sent: SentWebhook): boolean =>
        (type === null || eventOf(sent).type === type) && (url === null || sent.url === url);
      return answerJson((await webhooks.waitFor(matches, count, waitMs, realClock)).map(viewWebhook));
    },
  },
  {
    method: "PUT",
    path: "/webhook",
    body: Type.Object(
      { url: Type.String(), workspace: Type.Optional(Type.Integer()) },
      { additionalProperties: false },
    ),
    handle({ body, store, box }) {
      const { url, workspace } = body as { url: string; workspace?: number };
      const problem = findWebhookUrlProblem(url, { allowHttp: true, allowPrivate: true });
      if (problem !== null) throw invalidField("url", problem);
      return store.write((tx) => answerJson(setWebhook(tx, box, findWorkspaceId(tx, workspace), url)));
    },
  },
];

function viewWebhook(sent: SentWebhook) {
  const { result } = sent;
  return {
    ...eventOf(sent),
    url: sent.url,
    body: sent.body,
    signature: sent.headers["service-signature"] ?? null,
    status: result.kind === "answered" ? result.status : null,
    ...(result.kind === "answered" ? { answer: result.body } : { error: result.message }),
    at: formatInstant(sent.at, "UTC"),
  };
}

/** Bodies are our own, so they have both members. */
function eventOf({ body }: SentWebhook): { id: string | null; type: string | null } {
  const { id = null, type = null } = JSON.parse(body) as { id?: string; type?: string };
  return { id, type };
}

/** `/control/v1/sent`: what the simulated network received, oldest first. */
import { formatInstant } from "#src/core/instant.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findBySendToken } from "#src/domain/messages/read.ts";
import type { SentMessage } from "#src/networks/simulator/control.ts";
import { readE164, readFlag } from "./fields.ts";
import { readWait } from "./journal-query.ts";
import { answerJson, type ControlRoute } from "./route.ts";

export const sentRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/sent",
    query: ["to", "from", "attempts", "count", "wait"],
    async handle({ query, store, simulator, realClock }) {
      const [to, from] = ["to", "from"].map((name) => {
        const text = query.get(name);
        return text === null ? null : readE164(name, text);
      });
      const hasAttempts = readFlag("attempts", query.get("attempts") ?? "false");
      const { count, waitMs } = readWait(query);
      const matches = (sent: SentMessage): boolean =>
        (to == null || sent.to === to) && (from == null || sent.from === from) && (hasAttempts || sent.isTaken);
      const found = await simulator.sent.waitFor(matches, count, waitMs, realClock);
      return answerJson(store.read((tx) => found.map((sent) => viewSent(tx, sent))));
    },
  },
];

function viewSent(tx: ReadTx, { sendToken, from, to, content, at, outcome }: SentMessage) {
  return {
    message_id: findBySendToken(tx, sendToken)?.id ?? null,
    from,
    to,
    type: content.type,
    ...(content.type === "template" ? { template: content.name } : { text: content.body }),
    content,
    outcome,
    at: formatInstant(at, "UTC"),
  };
}

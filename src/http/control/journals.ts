/**
 * What was sent and asked while a test ran, oldest first: to the simulated network, to receivers of webhooks, and to
 * the API.
 */
import { formatInstant } from "#src/core/instant.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { textOf } from "#src/domain/messages/kinds/kinds.ts";
import { findBySendToken } from "#src/domain/messages/read.ts";
import type { SentMessage } from "#src/networks/simulator/control.ts";
import { answerJson } from "../answer.ts";
import {
  declareCall,
  invalidField,
  readE164,
  readFlag,
  readSpan,
  type SeenRequest,
  type SentWebhook,
} from "./route.ts";

const PAGE_MAX = 500;
const COUNT_MAX = 20_000;
const WAIT_MAX_MS = 300_000;

export const journalRoutes = [
  declareCall("GET /sent", { query: ["to", "from", "attempts", "count", "wait"] }, async (call) => {
    const { query, store, simulator, realClock } = call;
    const [to, from] = ["to", "from"].map((name) => {
      const text = query.get(name);
      return text === null ? null : readE164(name, text);
    });
    const hasAttempts = readFlag("attempts", query.get("attempts") ?? "false");
    const { count, waitMs } = readWait(query);
    const matches = (sent: SentMessage): boolean =>
      (to == null || sent.to === to) && (from == null || sent.from === from) && (hasAttempts || sent.isTaken);
    const found = await simulator.sent.waitFor(matches, count, waitMs, realClock);
    return answerJson(
      200,
      store.read((tx) => found.map((sent) => viewSent(tx, sent))),
    );
  }),
  declareCall("GET /webhooks", { query: ["type", "url", "count", "wait"] }, async ({ query, webhooks, realClock }) => {
    const { count, waitMs } = readWait(query);
    const type = query.get("type");
    const url = query.get("url");
    const matches = (sent: SentWebhook): boolean =>
      (type === null || eventOf(sent).type === type) && (url === null || sent.url === url);
    return answerJson(200, (await webhooks.waitFor(matches, count, waitMs, realClock)).map(viewWebhook));
  }),
  declareCall("GET /requests", { query: ["after", "count", "wait"] }, async ({ query, requests, realClock }) => {
    const { count, waitMs } = readWait(query);
    const after = readNumber(query.get("after") ?? "0");
    const found = await requests.waitFor(({ number }) => number > after, count, waitMs, realClock);
    const shown = found.slice(0, PAGE_MAX);
    const [first] = shown;
    return answerJson(200, {
      data: shown.map(viewRequest),
      // Older ones than these are no longer in the journal.
      missed: first === undefined ? 0 : first.number - after - 1,
      next: shown.at(-1)?.number ?? after,
    });
  }),
];

/** How many entries to wait for, and how long. Throws `invalid_request`. */
function readWait(query: URLSearchParams): { count: number; waitMs: number } {
  const count = query.get("count") ?? "1";
  if (!/^[1-9]\d{0,4}$/.test(count) || Number(count) > COUNT_MAX) {
    throw invalidField("count", `The count is a whole number from 1 to ${COUNT_MAX}.`);
  }
  return { count: Number(count), waitMs: readSpan("wait", query.get("wait") ?? "0s", WAIT_MAX_MS) };
}

/** `content`: what Meta's request would hold beside the address. */
function viewSent(tx: ReadTx, { sendToken, from, to, content, request, at, outcome }: SentMessage) {
  const type = String(request.type);
  return {
    message_id: findBySendToken(tx, sendToken)?.id ?? null,
    from,
    to,
    type,
    ...(content.type === "template" ? { template: content.name } : { text: textOf(content) }),
    content: {
      type,
      [type]: request[type],
      ...(request.context === undefined ? {} : { context: request.context }),
    },
    outcome,
    at: formatInstant(at, "UTC"),
  };
}

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

export type ShownRequest = ReturnType<typeof viewRequest>;

function viewRequest({ number, at, method, path, status, durationMs, requestId }: SeenRequest) {
  return { number, at: formatInstant(at, "UTC"), method, path, status, ms: durationMs, request_id: requestId };
}

function readNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw invalidField("after", "The cursor is the `next` of the answer before, or 0.");
  return Number(text);
}

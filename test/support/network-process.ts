/**
 * The outside world in a separate process, for tests that kill the server: `bun network-process.ts APP_SECRET`.
 *
 * A network that answers sends like the Cloud API, each after a random delay, and records every request that it has
 * read to its end, whether or not the sender still waits. Once it knows the address (`PUT /callbacks`), it reports
 * `sent` and `delivered` of each accepted message, repeatedly until that is answered with 200, and sometimes once more.
 * `PUT /mood` changes how it answers from then on, and for how long it throttles everything. And a customer's receiver
 * (`POST /hook`), which records every event and refuses some of them.
 *
 * It prints the port on which it listens; `GET /requests?from=N`, `GET /throttled` (the time of each throttled request),
 * `GET /redirected` (the send tokens that the endpoint for marketing called not its own) and `GET /events` return what it has seen, `GET /unreported` the number of statuses that are still to be reported.
 */
import { writeSync } from "node:fs";
import { sign, writeCallback } from "./graph.ts";
import type { NetworkMood, SeenEvent, SeenRequest } from "./installation.ts";

const REPORT_EVERY_MS = 30;
const REPORTED_AT_ONCE = 40;
/** A batch holds this share of the waiting statuses, or REPORTED_AT_ONCE if that is more. */
const REPORTED_SHARE = 0.1;
const REPEATED = 0.05;
const REFUSED = 0.05;

interface SendBody {
  to: string;
  biz_opaque_callback_data: string;
  template: { components?: { parameters: { text?: string }[] }[] };
}

interface Report {
  request: SeenRequest;
  status: "sent" | "delivered";
}

const [appSecret = ""] = process.argv.slice(2);
const seen: SeenRequest[] = [];
const events: SeenEvent[] = [];
const waiting: Report[] = [];
const throttled: number[] = [];
const redirected: string[] = [];
/** An answer takes longer than a commit, so that at any moment some requests have been read and not answered. */
let mood: Omit<NetworkMood, "throttledForMs"> = {
  answerWithinMs: 40,
  deliveredShare: 1,
  maxAnswers: null,
  redirectedShare: 0,
};
/** Resolves when the mood changes. */
let moodChanges = Promise.withResolvers<void>();
/** Messages read, by label. */
const readOf = new Map<string, number>();
let throttledUntil = 0;
let callbacks: string | null = null;
/** Statuses of the callback that waits for its answer. */
let reportedNow = 0;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const url = new URL(request.url);
    if (request.method === "PUT" && url.pathname === "/mood") {
      const { throttledForMs, ...rest } = (await request.json()) as Partial<NetworkMood>;
      mood = { ...mood, ...rest };
      moodChanges.resolve();
      moodChanges = Promise.withResolvers();
      if (throttledForMs !== undefined) throttledUntil = performance.now() + throttledForMs;
      return new Response();
    }
    if (request.method === "PUT") {
      callbacks = await request.text();
      return new Response();
    }
    if (url.pathname === "/requests") return Response.json(seen.slice(Number(url.searchParams.get("from"))));
    if (url.pathname === "/throttled") return Response.json(throttled);
    if (url.pathname === "/redirected") return Response.json(redirected);
    if (url.pathname === "/unreported") return Response.json(callbacks === null ? 0 : waiting.length + reportedNow);
    if (url.pathname === "/events") return Response.json(events);
    // Account queries are not supported.
    if (request.method === "GET") return new Response(null, { status: 503 });
    const text = await request.text().catch(() => null);
    // The sender died in the middle of it: half a request does not count.
    if (text === null || !text.endsWith("}")) return new Response(null, { status: 400 });
    return url.pathname === "/hook" ? receive(text) : take(JSON.parse(text) as SendBody, url.pathname);
  },
});

async function take({ to, biz_opaque_callback_data: reference, template }: SendBody, path: string): Promise<Response> {
  if (performance.now() < throttledUntil) {
    throttled.push(Date.now());
    await Bun.sleep(Math.random() * mood.answerWithinMs);
    return Response.json({ error: { code: 130429, message: "Rate limit hit" } }, { status: 400 });
  }
  const isMarketing = path.endsWith("/marketing_messages");
  if (isMarketing && Math.random() < mood.redirectedShare) {
    redirected.push(reference);
    await Bun.sleep(Math.random() * mood.answerWithinMs);
    return Response.json({ error: { code: 134100, message: "Not a marketing template" } }, { status: 400 });
  }
  const label = template.components?.[0]?.parameters[0]?.text ?? "";
  const isDelivered = Math.random() < mood.deliveredShare;
  const id = `wamid.${seen.length + 1}`;
  const request: SeenRequest = { to, reference, label, at: Date.now(), id, told: null, isDelivered, isMarketing };
  seen.push(request);
  const ordinal = (readOf.get(label) ?? 0) + 1;
  readOf.set(label, ordinal);
  const isEarly = Math.random() < 0.3;
  const reports: Report[] = [{ request, status: "sent" }];
  if (isDelivered) reports.push({ request, status: "delivered" });
  if (isEarly) waiting.push(...reports);
  await Bun.sleep(Math.random() * mood.answerWithinMs);
  while (mood.maxAnswers !== null && ordinal > mood.maxAnswers) await moodChanges.promise;
  if (!isEarly) waiting.push(...reports);
  const body = {
    messaging_product: "whatsapp",
    contacts: [{ input: to, wa_id: to.slice(1) }],
    messages: [{ id: request.id, message_status: "accepted" }],
  };
  // The date that the runtime adds is a second old when the clock has just been moved.
  return Response.json(body, { headers: { date: new Date().toUTCString() } });
}

function receive(body: string): Response {
  const isTaken = Math.random() >= REFUSED;
  events.push({ body, isTaken });
  return new Response(null, { status: isTaken ? 200 : 500 });
}

async function report(): Promise<void> {
  for (;;) {
    await Bun.sleep(REPORT_EVERY_MS);
    if (callbacks === null || waiting.length === 0) continue;
    const batch = waiting.splice(0, Math.max(REPORTED_AT_ONCE, waiting.length * REPORTED_SHARE));
    reportedNow = batch.length;
    if (await tell(callbacks, batch)) {
      for (const { request, status } of batch) {
        if (status === "delivered" || request.told === null) request.told = status;
      }
      waiting.push(...batch.filter(() => Math.random() < REPEATED));
    } else waiting.push(...batch);
    reportedNow = 0;
  }
}

async function tell(url: string, batch: readonly Report[]): Promise<boolean> {
  const statuses = batch.map(({ request: { id, to, reference }, status }) => ({
    id,
    status,
    timestamp: String(Math.floor(Date.now() / 1000)),
    recipient_id: to.slice(1),
    biz_opaque_callback_data: reference,
  }));
  const metadata = { display_phone_number: "911244001100", phone_number_id: "200000000000001" };
  const body = writeCallback({ field: "messages", value: { messaging_product: "whatsapp", metadata, statuses } });
  const headers = { "content-type": "application/json", "x-hub-signature-256": sign(Buffer.from(body), appSecret) };
  return fetch(url, { method: "POST", body, headers }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

writeSync(1, `${server.port}\n`);
await report();

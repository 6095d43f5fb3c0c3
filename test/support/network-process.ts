/**
 * The world outside in a process of its own, for tests that end the server's: `bun network-process.ts APP_SECRET`.
 *
 * A network that answers sends like the Cloud API, each after a moment of its own, and keeps every request that it has
 * read to its end, whoever still waits for the answer. Once it knows where to (`PUT /callbacks`), it reports `sent` and
 * `delivered` of everything it took, again and again until that was answered with 200, and now and then once more.
 * And a customer's receiver (`POST /hook`), which keeps every event that it got and refuses some of them.
 *
 * It prints the port that it listens on; `GET /requests?from=N` and `GET /events` tell what it has seen.
 */
import { writeSync } from "node:fs";
import { sign, writeCallback } from "./graph.ts";
import type { SeenEvent, SeenRequest } from "./installation.ts";

/** Longer than a commit takes, so that at any moment some have been read and not been answered. */
const ANSWER_WITHIN_MS = 40;
const REPORT_EVERY_MS = 30;
const REPORTED_AT_ONCE = 40;
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
let callbacks: string | null = null;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const url = new URL(request.url);
    if (request.method === "PUT") {
      callbacks = await request.text();
      return new Response();
    }
    if (url.pathname === "/requests") return Response.json(seen.slice(Number(url.searchParams.get("from"))));
    if (url.pathname === "/events") return Response.json(events);
    // What the account has is not told here.
    if (request.method === "GET") return new Response(null, { status: 503 });
    const text = await request.text().catch(() => null);
    // The sender died in the middle of it: nobody takes half a request.
    if (text === null || !text.endsWith("}")) return new Response(null, { status: 400 });
    return url.pathname === "/hook" ? receive(text) : take(JSON.parse(text) as SendBody);
  },
});

async function take({ to, biz_opaque_callback_data: reference, template }: SendBody): Promise<Response> {
  const label = template.components?.[0]?.parameters[0]?.text ?? "";
  const request: SeenRequest = { to, reference, label, at: Date.now(), id: `wamid.${seen.length + 1}`, told: null };
  seen.push(request);
  const isEarly = Math.random() < 0.3;
  if (isEarly) waiting.push({ request, status: "sent" }, { request, status: "delivered" });
  await Bun.sleep(Math.random() * ANSWER_WITHIN_MS);
  if (!isEarly) waiting.push({ request, status: "sent" }, { request, status: "delivered" });
  return Response.json({
    messaging_product: "whatsapp",
    contacts: [{ input: to, wa_id: to.slice(1) }],
    messages: [{ id: request.id, message_status: "accepted" }],
  });
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
    const batch = waiting.splice(0, REPORTED_AT_ONCE);
    if (await tell(callbacks, batch)) {
      for (const { request, status } of batch) {
        if (status === "delivered" || request.told === null) request.told = status;
      }
      waiting.push(...batch.filter(() => Math.random() < REPEATED));
    } else waiting.push(...batch);
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

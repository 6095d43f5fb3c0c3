/**
 * A network in a process of its own, for tests that end the server's: `bun network-process.ts`. It answers sends like the
 * Cloud API, each after a moment of its own, and keeps every request that it has read to its end, whoever still waits for
 * the answer. It prints the port that it listens on; `GET /requests?from=N` tells what has been asked.
 */
import { writeSync } from "node:fs";
import type { SeenRequest } from "./installation.ts";

/** Longer than a commit takes, so that at any moment some have been read and not been answered. */
const ANSWER_WITHIN_MS = 40;

interface SendBody {
  to: string;
  biz_opaque_callback_data: string;
  template: { components?: { parameters: { text?: string }[] }[] };
}

const seen: SeenRequest[] = [];

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const url = new URL(request.url);
    if (request.method === "GET") return Response.json(seen.slice(Number(url.searchParams.get("from"))));
    const body = (await request.json().catch(() => null)) as SendBody | null;
    // The sender died in the middle of it: no network takes half a request.
    if (body === null) return new Response(null, { status: 400 });
    const { to, biz_opaque_callback_data: reference, template } = body;
    seen.push({ to, reference, label: template.components?.[0]?.parameters[0]?.text ?? "" });
    const id = `wamid.${seen.length}`;
    await Bun.sleep(Math.random() * ANSWER_WITHIN_MS);
    return Response.json({
      messaging_product: "whatsapp",
      contacts: [{ input: to, wa_id: to.slice(1) }],
      messages: [{ id, message_status: "accepted" }],
    });
  },
});

writeSync(1, `${server.port}\n`);

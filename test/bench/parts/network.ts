/**
 * A network that accepts every message at once, in the format of the Cloud API. It does as little as possible, because
 * it shares the machine with the subject.
 */
import { answerJobs } from "../part.ts";

let count = 0;

/**
 * Built like the real ids, the recipient's number first and then nothing that sorts: this affects the cost of an index.
 */
function newMessageId(digits: string): string {
  const random = Math.random().toString(16).slice(2, 12).padEnd(10, "0").toUpperCase();
  return `wamid.HBgM${btoa(digits)}FQIAERgSN${random}${String(count++).padStart(8, "0")}AA==`;
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    // A probe, for the time or for reachability.
    if (request.method === "HEAD") return new Response(null);
    // It knows nothing of the account, so that the server's copy stays unchanged.
    if (request.method !== "POST") return new Response(null, { status: 503 });
    // The number is echoed as the real network does: a number variant would have to be stored.
    const { to } = (await request.json()) as { to: string };
    const digits = to.slice(1);
    return new Response(
      `{"messaging_product":"whatsapp","contacts":[{"input":"${to}","wa_id":"${digits}"}],"messages":[{"id":"${newMessageId(digits)}"}]}`,
      { headers: { "content-type": "application/json" } },
    );
  },
});

answerJobs(server.port ?? 0, () => Promise.resolve(count));

/**
 * A network that accepts every message at once, in the words of the Cloud API. It does as little as it can, because its
 * share of the machine is taken from what is measured.
 */
import { answerJobs } from "../part.ts";

let count = 0;

/** Built as the real ones are, the person's number first and then nothing that sorts: an index feels the difference. */
function newMessageId(digits: string): string {
  const random = Math.random().toString(16).slice(2, 12).padEnd(10, "0").toUpperCase();
  return `wamid.HBgM${btoa(digits)}FQIAERgSN${random}${String(count++).padStart(8, "0")}AA==`;
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    // Asked for the time, or whether it is there at all.
    if (request.method === "HEAD") return new Response(null);
    // The number is echoed as the real network does: another spelling would be something to remember.
    const { to } = (await request.json()) as { to: string };
    const digits = to.slice(1);
    return new Response(
      `{"messaging_product":"whatsapp","contacts":[{"input":"${to}","wa_id":"${digits}"}],"messages":[{"id":"${newMessageId(digits)}"}]}`,
      { headers: { "content-type": "application/json" } },
    );
  },
});

answerJobs(server.port ?? 0, () => Promise.resolve(count));

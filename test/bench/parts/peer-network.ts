/**
 * The network of `bench:peers`: accepts every message at once, in the format of the Cloud API, and keeps when the
 * message of each job came and how often. A job is known by the label in its text.
 */
import { answerJobs } from "../part.ts";
import { type Call, LABEL, type NetworkJob } from "../peers/protocol.ts";

let calls = new Map<string, Call>();
let count = 0;
let answerWithinMs = 0;
let isReached: () => void = () => undefined;
let wanted = Number.POSITIVE_INFINITY;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    if (request.method !== "POST") return new Response(null);
    const text = await request.text();
    const [label = ""] = LABEL.exec(text) ?? [];
    const known = calls.get(label);
    if (known === undefined) calls.set(label, { at: performance.timeOrigin + performance.now(), times: 1 });
    else known.times += 1;
    if (calls.size >= wanted) isReached();
    const digits = /"to":"\+?(\d+)"/.exec(text)?.[1] ?? "";
    count += 1;
    if (answerWithinMs > 0) await Bun.sleep(Math.random() * answerWithinMs);
    return new Response(
      `{"messaging_product":"whatsapp","contacts":[{"input":"+${digits}","wa_id":"${digits}"}],"messages":[{"id":"wamid.${label}.${count}"}]}`,
      { headers: { "content-type": "application/json" } },
    );
  },
});

answerJobs<NetworkJob>(server.port ?? 0, async (job) => {
  if (job.kind === "reset") {
    calls = new Map();
    answerWithinMs = job.answerWithinMs;
  }
  if (job.kind === "wait") {
    wanted = job.count;
    const reached = new Promise<void>((resolve) => {
      isReached = resolve;
    });
    if (calls.size < wanted) await Promise.race([reached, Bun.sleep(job.limitMs)]);
    wanted = Number.POSITIVE_INFINITY;
    return calls.size;
  }
  return job.kind === "calls" ? [...calls] : null;
});

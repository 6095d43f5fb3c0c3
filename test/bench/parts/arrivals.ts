/**
 * The fake network of the broadcast benchmarks: accepts every message in the format of the Cloud API, counts recipients
 * and repetitions, and records arrivals in steps of a tenth of a second.
 */
import { answerJobs } from "../part.ts";

export interface Arrivals {
  messages: number;
  /** Messages to a recipient who had already got one. */
  repeated: number;
  /** Messages in each tenth of a second, from the first one on. */
  tenths: number[];
}

const STEP_MS = 100;

let count = 0;
/** How long each answer takes. */
let delayMs = 0;
let firstAt = 0;
let repeated = 0;
let tenths: number[] = [];
let seen = new Set<string>();

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    if (request.method !== "POST") return new Response();
    const { to, template } = (await request.json()) as { to: string; template?: unknown };
    // Single texts run beside a broadcast and are not counted.
    if (template !== undefined) note(to);
    if (delayMs > 0) await Bun.sleep(delayMs);
    const id = `wamid.HBgM${btoa(to)}FQIAERgS${String(count++).padStart(10, "0")}AA==`;
    return new Response(
      `{"messaging_product":"whatsapp","contacts":[{"input":"${to}","wa_id":"${to.slice(1)}"}],"messages":[{"id":"${id}"}]}`,
      { headers: { "content-type": "application/json" } },
    );
  },
});

function note(to: string): void {
  const now = performance.now();
  if (seen.size === 0) firstAt = now;
  if (seen.has(to)) repeated += 1;
  seen.add(to);
  const step = Math.floor((now - firstAt) / STEP_MS);
  tenths[step] = (tenths[step] ?? 0) + 1;
}

export interface ArrivalsJob {
  /** Starts counting anew. */
  reset: boolean;
  /** From now on each answer takes this long. */
  delayMs?: number;
}

/** The answer is the count until then. */
answerJobs<ArrivalsJob>(server.port ?? 0, (job) => {
  const { reset } = job;
  delayMs = job.delayMs ?? delayMs;
  const found: Arrivals = { messages: seen.size + repeated, repeated, tenths: Array.from(tenths, (one) => one ?? 0) };
  if (reset) {
    repeated = 0;
    tenths = [];
    seen = new Set();
  }
  return Promise.resolve(found);
});

/**
 * Sends at a steady pace, however long the answers take, until the pace changes. `pace` sets messages per second (0:
 * none); `look` returns the answers since the previous `look`.
 */
import { answerJobs, partArgument } from "../part.ts";

export interface SoakSenderArgument {
  base: string;
  key: string;
  people: string[];
  /** The number to send from. Default: the workspace's only one. */
  from?: string;
}

export type SoakSenderJob = { pace: number } | "look";

export interface SoakSenderMeasurements {
  answered: number;
  refused: number;
  /** Requests in flight. */
  open: number;
  p50Ms: number;
  p99Ms: number;
}

const STEP_MS = 5;
/** Beyond this many open requests it stops sending: the server has fallen behind, and `open` shows it. */
const OPEN_MAX = 500;

const { base, key, people, from } = partArgument<SoakSenderArgument>();
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const bodies = people.map((to) => JSON.stringify({ to, from, text: "Your table is ready. See you at eight!" }));
let pace = 0;
let owed = 0;
let sent = 0;
let open = 0;
let refused = 0;
let times: number[] = [];
let lastAt = performance.now();

async function send(): Promise<void> {
  const body = bodies[sent++ % bodies.length] ?? "";
  const startedAt = performance.now();
  open += 1;
  try {
    const answer = await fetch(`${base}/messages`, { method: "POST", headers, body });
    await answer.arrayBuffer();
    if (answer.status !== 201) refused += 1;
    times.push(performance.now() - startedAt);
  } catch {
    refused += 1;
  } finally {
    open -= 1;
  }
}

setInterval(() => {
  const now = performance.now();
  owed = Math.min(owed + (pace * (now - lastAt)) / 1000, OPEN_MAX);
  lastAt = now;
  for (; owed >= 1 && open < OPEN_MAX; owed -= 1) void send();
}, STEP_MS);

answerJobs<SoakSenderJob>(0, (job) => {
  if (job !== "look") {
    pace = job.pace;
    owed = 0;
    return Promise.resolve(null);
  }
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  const found = { answered: sorted.length, refused, open, p50Ms: at(0.5), p99Ms: at(0.99) };
  times = [];
  refused = 0;
  return Promise.resolve(found satisfies SoakSenderMeasurements);
});

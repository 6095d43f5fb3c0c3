/**
 * A customer with a low but constant load: requests at a steady pace, whether or not the previous one has been
 * answered. `begin` starts it, `end` stops it and returns the slowest answer of each kind.
 */
import { answerJobs } from "../part.ts";

export interface LightRequest {
  what: string;
  method: string;
  path: string;
  key: string;
  /** Each `#` is replaced by a number that no other request has. */
  body?: string;
}

export type LightJob = { begin: { port: number; everyMs: number; requests: LightRequest[] } } | "end";

export interface LightResult {
  answers: number;
  slowestMs: Record<string, number>;
  /** Of all answers. */
  medianMs: number;
}

let timer: ReturnType<typeof setInterval> | undefined;
let open: Promise<void>[] = [];
let times: { what: string; ms: number }[] = [];
let count = 0;

answerJobs<LightJob>(0, async (job) => {
  if (job === "end") return end();
  const { port, everyMs, requests } = job.begin;
  open = [];
  times = [];
  timer = setInterval(() => {
    const request = requests[count++ % requests.length];
    if (request !== undefined) open.push(send(port, request));
  }, everyMs);
  return null;
});

async function send(port: number, { what, method, path, key, body }: LightRequest): Promise<void> {
  const startedAt = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: body.replace("#", String(count)) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
  times.push({ what, ms: performance.now() - startedAt });
}

async function end(): Promise<LightResult> {
  clearInterval(timer);
  await Promise.all(open);
  const slowestMs: Record<string, number> = {};
  for (const { what, ms } of times) slowestMs[what] = Math.max(slowestMs[what] ?? 0, ms);
  const sorted = times.map(({ ms }) => ms).sort((a, b) => a - b);
  return { answers: times.length, slowestMs, medianMs: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN };
}

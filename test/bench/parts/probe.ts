/**
 * Uses the API while the server is busy: `GET /me` and a single `POST /messages` alternately, at a fixed rate, however
 * long the answers take. Reports how long each took.
 */
import { answerJobs, partArgument } from "../part.ts";

export interface ProbeArgument {
  base: string;
  key: string;
  /** Bodies of single messages, sent in turn. */
  bodies: string[];
  everyMs: number;
}

export interface Probed {
  me: Latencies;
  send: Latencies;
}

export interface Latencies {
  count: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

const { base, key, bodies, everyMs } = partArgument<ProbeArgument>();
const authorization = `Bearer ${key}`;
let isRunning = false;
let me: number[] = [];
let send: number[] = [];
let turn = 0;

async function timed(request: () => Promise<Response>, status: number, into: number[]): Promise<void> {
  const startedAt = performance.now();
  const answer = await request();
  await answer.arrayBuffer();
  if (answer.status !== status) throw new Error(`the probe was answered ${answer.status}`);
  into.push(performance.now() - startedAt);
}

function tick(): void {
  if (!isRunning) return;
  setTimeout(tick, everyMs);
  turn += 1;
  if (turn % 2 === 0) {
    void timed(() => fetch(`${base}/me`, { headers: { authorization } }), 200, me);
    return;
  }
  const headers = { authorization, "content-type": "application/json" };
  const body = bodies[turn % bodies.length] ?? "";
  void timed(() => fetch(`${base}/messages`, { method: "POST", headers, body }), 201, send);
}

function summary(values: number[]): Latencies {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: sorted.at(-1) ?? Number.NaN };
}

/** `true` starts the probe, `false` stops it and returns the latencies. */
answerJobs<{ run: boolean }>(0, async ({ run }) => {
  isRunning = run;
  if (run) {
    me = [];
    send = [];
    tick();
    return null;
  }
  await Bun.sleep(2_000);
  return { me: summary(me), send: summary(send) } satisfies Probed;
});

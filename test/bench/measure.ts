/** The measurements, each a function of the parts that it needs. docs/performance.md explains what they mean. */
import { type Compared, compare, interleave, median, type Pair } from "./median.ts";
import type { Part } from "./part.ts";
import type { LoadJob, LoadResult } from "./parts/load.ts";
import type { PostJob } from "./parts/poster.ts";
import { memoryMegabytes, processorMs, type Subject, transactionCount } from "./subject.ts";
import { eventData, queueDeliveries, type World } from "./world.ts";

export interface Plan {
  rounds: number;
  /** Of one half of a round. */
  durationMs: number;
  /** Deliveries of one half of a round. */
  deliveries: number;
  /** Memory is sampled after each of this many steps. */
  memorySteps: number;
  memoryStepMessages: number;
}

export const CONNECTIONS = 32;

export interface Bench {
  plan: Plan;
  world: World;
  subject: Subject;
  load: Part<LoadJob, LoadResult>;
}

interface SendRound extends LoadResult {
  processorMicros: number;
  writesPerCommit: number;
}

export interface Sending {
  rate: Compared;
  p50: Compared;
  p99: Compared;
  processor: Compared;
  writesPerCommit: number;
}

/** A rate, with the processor time that the process spends on one of them. */
export interface Rated {
  rate: Compared;
  processor: Compared;
}

interface RatedRound {
  perSecond: number;
  processorMicros: number;
}

/** Writes per message: its acceptance and its outcome. */
const WRITES_PER_MESSAGE = 2;

/** `POST /messages` compared with the bare forwarder, both to the same fake network. */
export async function measureSending(bench: Bench, forwarder: Part<null, null>, connections: number): Promise<Sending> {
  const { plan, world, subject } = bench;
  const half = async (port: number, pid: number, isOurs: boolean): Promise<SendRound> => {
    const before = { used: processorMs(pid), commits: isOurs ? transactionCount(world.database) : 0 };
    const requests = sendRequests(world);
    const result = await bench.load.ask({
      port,
      requests,
      connections,
      durationMs: plan.durationMs,
      expectedStatus: 201,
    });
    const commits = isOurs ? transactionCount(world.database) - before.commits : Number.NaN;
    return {
      ...result,
      processorMicros: ((processorMs(pid) - before.used) * 1000) / result.answers,
      writesPerCommit: (result.answers * WRITES_PER_MESSAGE) / commits,
    };
  };
  const rounds = await interleave(
    plan.rounds,
    () => half(subject.port, subject.pid, true),
    () => half(forwarder.port, forwarder.pid, false),
  );
  return {
    rate: compare(rounds, ({ perSecond }) => perSecond),
    p50: compare(rounds, ({ p50Ms }) => p50Ms),
    p99: compare(rounds, ({ p99Ms }) => p99Ms),
    processor: compare(rounds, ({ processorMicros }) => processorMicros),
    writesPerCommit: median(rounds.map(({ ours }) => ours.writesPerCommit)),
  };
}

/** `GET /me` compared with one Elysia route that returns the same JSON. */
export async function measureMe({ plan, world, subject, load }: Bench, route: Part<null, null>): Promise<Rated> {
  const half = async ({ port, pid }: { port: number; pid: number }): Promise<RatedRound> => {
    const before = processorMs(pid);
    const { perSecond, answers } = await load.ask({
      port,
      requests: meRequests(world),
      connections: CONNECTIONS,
      durationMs: plan.durationMs,
      expectedStatus: 200,
    });
    return { perSecond, processorMicros: ((processorMs(pid) - before) * 1000) / answers };
  };
  return rated(
    await interleave(
      plan.rounds,
      () => half(subject),
      () => half(route),
    ),
  );
}

export interface Receiving {
  receiver: Part<{ count: number }, number>;
  poster: Part<PostJob, null>;
}

/**
 * Deliveries that are all due at once, compared with a loop of fetch: both timed by the receiver, from first to last
 * arrival.
 */
export async function measureDeliveries(
  { plan, world, subject }: Bench,
  { receiver, poster }: Receiving,
): Promise<Rated> {
  const count = plan.deliveries;
  const half = async (pid: number, deliver: () => Promise<unknown>): Promise<RatedRound> => {
    const before = processorMs(pid);
    const arrived = receiver.ask({ count });
    await deliver();
    const perSecond = ((count - 1) / (await arrived)) * 1000;
    return { perSecond, processorMicros: ((processorMs(pid) - before) * 1000) / count };
  };
  const body = JSON.stringify({
    id: "evt_01kd0000000123456789abcdef",
    type: "message.sent",
    created_at: "2026-11-21T08:44:26+05:30",
    data: eventData(1),
  });
  const url = `http://127.0.0.1:${receiver.port}/hook`;
  const ours = (): Promise<RatedRound> => half(subject.pid, () => queueDeliveries(world, count));
  const bare = (): Promise<RatedRound> =>
    half(poster.pid, () => poster.ask({ url, body, count, concurrency: CONNECTIONS }));
  return rated(await interleave(plan.rounds, ours, bare));
}

function rated(rounds: Pair<RatedRound>[]): Rated {
  return {
    rate: compare(rounds, ({ perSecond }) => perSecond),
    processor: compare(rounds, ({ processorMicros }) => processorMicros),
  };
}

/** Commits per second of the disk alone. */
export async function measureDisk({ rounds }: Plan, disk: Part<{ durationMs: number }, number>): Promise<number> {
  const found: number[] = [];
  for (let round = 0; round < rounds; round++) found.push(await disk.ask({ durationMs: 500 }));
  return median(found);
}

/** Resident memory after each step of messages, on a server that has done nothing else yet. */
export async function measureMemory({ plan, world, subject, load }: Bench): Promise<number[]> {
  const found: number[] = [];
  for (let step = 0; step < plan.memorySteps; step++) {
    await load.ask({
      port: subject.port,
      requests: sendRequests(world),
      connections: CONNECTIONS,
      count: plan.memoryStepMessages,
      expectedStatus: 201,
    });
    found.push(memoryMegabytes(subject.pid));
  }
  return found;
}

/** Whole requests, each to another person. */
export function sendRequests({ key, people }: Pick<World, "key" | "people">): string[] {
  return people.map((to) =>
    requestText(
      "POST",
      "/api/v1/messages",
      key,
      JSON.stringify({ to, text: "Your table is ready. See you at eight!" }),
    ),
  );
}

export function meRequests({ key }: World): string[] {
  return [requestText("GET", "/api/v1/me", key, null)];
}

function requestText(method: string, path: string, key: string, body: string | null): string {
  const head = [`${method} ${path} HTTP/1.1`, "host: 127.0.0.1", `authorization: Bearer ${key}`];
  if (body !== null) head.push("content-type: application/json", `content-length: ${Buffer.byteLength(body)}`);
  return `${head.join("\r\n")}\r\n\r\n${body ?? ""}`;
}

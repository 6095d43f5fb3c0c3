/** The measurements of `bench:peers`, and their tables. docs/performance.md explains what they mean. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeRecorder, type Recorder } from "../../support/power-loss.ts";
import { median } from "../median.ts";
import type { Part } from "../part.ts";
import type { Call, CallerJob, CallerResult, NetworkJob } from "./protocol.ts";
import type { Candidate, Setting, Stack } from "./stacks.ts";

export interface Plan {
  rounds: number;
  floodMs: number;
  steadyMs: number;
  kills: number;
}

interface Speed {
  acceptedPerSecond: number;
  answerP50Ms: number;
  answerP99Ms: number;
  donePerSecond: number;
  steadyAnswerP99Ms: number;
  steadyCallP50Ms: number;
  steadyCallP99Ms: number;
  memoryMegabytes: number;
}

interface Harm {
  kills: number;
  acknowledged: number;
  lost: number;
  twice: number;
  /** The caller was told that the outcome is unknown. */
  unknown: number;
  /** Of these, the network has the message. */
  unknownAndCalled: number;
  refused: number;
  repeated: number;
}

export const CONNECTIONS = 32;
export const EXPIRY_SECONDS = 5;
const STEADY_PER_SECOND = 200;
const KILL_CONNECTIONS = 64;
const KILL_EVERY_MS = 4_000;
const KILL_PER_SECOND = 200;
const KILL_ANSWER_WITHIN_MS = 100;
/** Jobs that are not done by then are not waited for. */
const DRAIN_LIMIT_MS = 120_000;

interface Parts {
  network: Part<NetworkJob, unknown>;
  caller: Part<CallerJob, CallerResult>;
  executable: string[];
  /** Holds the installed peers. */
  peers: string;
  directory: string;
}

export class PeersBench {
  readonly #parts: Parts;
  readonly #plan: Plan;
  readonly #speeds = new Map<Candidate, Speed[]>();
  readonly #harms = new Map<string, Harm>();
  readonly #versions = new Map<Candidate, string>();
  #running: Stack | null = null;
  #labels = 0;

  constructor(parts: Parts, plan: Plan) {
    this.#parts = parts;
    this.#plan = plan;
  }

  /** One round: as much as it takes for a while, then a steady load. */
  async measure(candidate: Candidate): Promise<void> {
    process.stderr.write(`measuring ${candidate.name} …\n`);
    const { floodMs, steadyMs } = this.#plan;
    const speed = await this.#with(candidate, null, async (stack) => {
      await this.#flood(stack, floodMs / 4);
      const flood = await this.#flood(stack, floodMs);
      // Between the two, for the work that libraries do later.
      await Bun.sleep(500);
      const { result, calls } = await this.#call(stack, steadyMs, CONNECTIONS, STEADY_PER_SECOND, 0);
      const times = result.acknowledged.flatMap(([label, sentAt]) => {
        const call = calls.get(label);
        return call === undefined ? [] : [call.at - sentAt];
      });
      return {
        ...flood,
        steadyAnswerP99Ms: quantile(answerTimes(result), 0.99),
        steadyCallP50Ms: quantile(times, 0.5),
        steadyCallP99Ms: quantile(times, 0.99),
        memoryMegabytes: stack.memoryMegabytes(),
      };
    });
    this.#speeds.set(candidate, [...(this.#speeds.get(candidate) ?? []), speed]);
  }

  /** Kills while callers send without pause: in turn the application, and the application with its database. */
  async kill(candidate: Candidate): Promise<void> {
    process.stderr.write(`killing ${candidate.name} …\n`);
    const { kills } = this.#plan;
    const harm = await this.#with(candidate, null, (stack) =>
      this.#harm(stack, candidate.recoveryMs, kills, (index) => (index % 2 === 0 ? stack.killApp() : stack.killAll())),
    );
    this.#harms.set(candidate.name, harm);
  }

  /** The files of Waxwing are cut back to what was synced, at each kill. */
  async cutPower(candidate: Candidate): Promise<void> {
    process.stderr.write(`cutting the power of ${candidate.name} …\n`);
    using recorder = makeRecorder();
    const harm = await this.#with(candidate, recorder, (stack) =>
      this.#harm(stack, candidate.recoveryMs, this.#plan.kills, () => stack.cutPower()),
    );
    this.#harms.set(`${candidate.name}, power cut`, harm);
  }

  async stop(): Promise<void> {
    await this.#running?.killAll();
  }

  async #with<T>(candidate: Candidate, recorder: Recorder | null, work: (stack: Stack) => Promise<T>): Promise<T> {
    const { network, executable, peers } = this.#parts;
    const directory = mkdtempSync(join(this.#parts.directory, "stack-"));
    const setting: Setting = {
      ...{ directory, peers, executable, recorder },
      networkUrl: `http://127.0.0.1:${network.port}`,
      concurrency: CONNECTIONS,
      expirySeconds: EXPIRY_SECONDS,
    };
    try {
      const stack = await candidate.make(setting);
      this.#running = stack;
      this.#versions.set(candidate, stack.version);
      await stack.start();
      return await work(stack);
    } finally {
      await this.#running?.killAll();
      this.#running = null;
      rmSync(directory, { recursive: true, force: true });
    }
  }

  async #flood(stack: Stack, durationMs: number) {
    const { result, calls, isDrained } = await this.#call(stack, durationMs, CONNECTIONS, null, 0);
    if (!isDrained) process.stderr.write(`not all jobs were done within ${DRAIN_LIMIT_MS / 1000} s\n`);
    const { acknowledged } = result;
    const beganAt = min(acknowledged.map(([, sentAt]) => sentAt));
    const answeredAt = max(acknowledged.map(([, , at]) => at));
    const doneAt = max([...calls.values()].map(({ at }) => at));
    const times = answerTimes(result);
    return {
      acceptedPerSecond: (acknowledged.length * 1000) / (answeredAt - beganAt),
      answerP50Ms: quantile(times, 0.5),
      answerP99Ms: quantile(times, 0.99),
      donePerSecond: (calls.size * 1000) / (doneAt - beganAt),
    };
  }

  /** Sends, and waits until the network has had every accepted job. */
  async #call(stack: Stack, durationMs: number, connections: number, ratePerSecond: number | null, drainMs: number) {
    const { network, caller } = this.#parts;
    await network.ask({ kind: "reset", answerWithinMs: drainMs > 0 ? KILL_ANSWER_WITHIN_MS : 0 });
    const { port, path, headers, people } = stack;
    const from = this.#labels;
    const result = await caller.ask({
      ...{ port, path, headers, people, from, connections, durationMs, ratePerSecond },
    });
    const count = result.acknowledged.length;
    this.#labels += count + result.unknown.length + result.refused.length;
    const limitMs = drainMs > 0 ? drainMs : DRAIN_LIMIT_MS;
    const reached = (await network.ask({ kind: "wait", count, limitMs })) as number;
    const calls = new Map((await network.ask({ kind: "calls" })) as [string, Call][]);
    return { result, calls, isDrained: reached >= count };
  }

  async #harm(
    stack: Stack,
    recoveryMs: number,
    kills: number,
    strike: (index: number) => Promise<void>,
  ): Promise<Harm> {
    // Long enough for all kills; whatever is left of it, the callers send on.
    const durationMs = kills * KILL_EVERY_MS;
    const calling = this.#call(stack, durationMs, KILL_CONNECTIONS, KILL_PER_SECOND, recoveryMs);
    const beganAt = performance.now();
    let done = 0;
    while (done < kills && performance.now() - beganAt < durationMs) {
      await Bun.sleep(KILL_EVERY_MS * (0.2 + 0.4 * Math.random()));
      await strike(done);
      await stack.start();
      done += 1;
    }
    const { result } = await calling;
    // Jobs that were locked by a killed worker come later, also a second time.
    await Bun.sleep(recoveryMs);
    const calls = new Map((await this.#parts.network.ask({ kind: "calls" })) as [string, Call][]);
    const lost = result.acknowledged.filter(([label]) => !calls.has(label)).map(([label]) => label);
    if (lost.length > 0) process.stderr.write(`lost: ${lost.slice(0, 20).join(", ")}\n`);
    return {
      kills: done,
      acknowledged: result.acknowledged.length,
      lost: lost.length,
      twice: [...calls.values()].filter(({ times }) => times > 1).length,
      unknown: result.unknown.length,
      unknownAndCalled: result.unknown.filter((label) => calls.has(label)).length,
      refused: result.refused.length,
      repeated: result.repeated,
    };
  }

  render(): string {
    const speeds = [...this.#speeds].map(([{ name }, rounds]) => {
      const of = (member: keyof Speed): number => median(rounds.map((round) => round[member]));
      const [low, high] = [min(rounds.map((one) => one.donePerSecond)), max(rounds.map((one) => one.donePerSecond))];
      return [
        name,
        whole(of("acceptedPerSecond")),
        `${of("answerP50Ms").toFixed(1)} (${of("answerP99Ms").toFixed(1)})`,
        `${whole(of("donePerSecond"))} (${whole(low)}–${whole(high)})`,
        of("steadyAnswerP99Ms").toFixed(1),
        `${of("steadyCallP50Ms").toFixed(1)} (${of("steadyCallP99Ms").toFixed(1)})`,
        of("memoryMegabytes").toFixed(0),
      ];
    });
    const harms = [...this.#harms].map(([name, harm]) => [
      name,
      ...[harm.kills, harm.acknowledged, harm.repeated, harm.lost, harm.twice].map(whole),
      `${whole(harm.unknown)} (${whole(harm.unknownAndCalled)})`,
      whole(harm.refused),
    ]);
    const recoveries = new Map([...this.#speeds.keys()].map((one) => [this.#versions.get(one) ?? "", one.recovery]));
    return [
      table(SPEED_HEAD, speeds),
      table(HARM_HEAD, harms),
      table(["version", "jobs of a killed worker are taken up again"], [...recoveries]),
    ].join("\n\n");
  }
}

const SPEED_HEAD = [
  "as much as 32 connections bring; then 200 jobs/s",
  "accepted, jobs/s",
  "answer, ms: median (p99)",
  "whole work, jobs/s (lowest–highest)",
  "at 200/s: answer, p99, ms",
  "at 200/s: request to call, ms: median (p99)",
  "memory, MB",
];
const HARM_HEAD = [
  "killed",
  "times",
  "acknowledged",
  "requests repeated by callers",
  "acknowledged but lost",
  "done twice",
  "told that the outcome is unknown (the network has the message)",
  "refused",
];

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

function answerTimes({ acknowledged }: CallerResult): number[] {
  return acknowledged.map(([, sentAt, answeredAt]) => answeredAt - sentAt);
}

function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

/** Not `Math.min(...values)`: there are too many for arguments. */
function min(values: number[]): number {
  return values.reduce((lowest, value) => Math.min(lowest, value), Number.POSITIVE_INFINITY);
}

function max(values: number[]): number {
  return values.reduce((highest, value) => Math.max(highest, value), Number.NEGATIVE_INFINITY);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** The peers' programs with their packages, outside the checkout. */
export function installPeers(directory: string, from: string): string {
  cpSync(join(from, "apps"), directory, { recursive: true });
  for (const file of ["package.json", "bun.lock"]) cpSync(join(from, file), join(directory, file));
  const installed = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile"], { cwd: directory });
  if (!installed.success) throw new Error(`the peers could not be installed:\n${installed.stderr.toString()}`);
  return directory;
}

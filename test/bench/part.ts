/**
 * A part of the benchmark is a separate process, so that none of them shares an event loop (or a garbage collector)
 * with the subject. This module has both ends of the protocol: the run starts a part, waits until it is ready and sends
 * it one job at a time; the part answers each job with one value.
 */
import { join } from "node:path";

export interface Part<Job, Result> {
  pid: number;
  /** The port on which the part listens, 0 for none; the part reports it when it is ready. */
  port: number;
  /** Rejects if the job fails or the part exits. */
  ask(job: Job): Promise<Result>;
  stop(): Promise<void>;
}

type Said = { ready: { port: number } } | { result: unknown } | { failure: string };

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** Starts `parts/<name>.ts` with one argument, as JSON; `directory` is the `test/bench` of another checkout. */
export async function startPart<Job, Result>(
  name: string,
  argument: unknown = null,
  directory = import.meta.dir,
): Promise<Part<Job, Result>> {
  let waiting: Waiting | null = null;
  const next = <T>(): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      waiting = { resolve: (value) => resolve(value as T), reject };
    });
  const ready = next<{ port: number }>();
  const child = Bun.spawn({
    cmd: [process.execPath, join(directory, "parts", `${name}.ts`), JSON.stringify(argument)],
    stdio: ["ignore", "inherit", "inherit"],
    ipc(said: Said) {
      const asked = waiting;
      waiting = null;
      if ("ready" in said) asked?.resolve(said.ready);
      else if ("result" in said) asked?.resolve(said.result);
      else asked?.reject(new Error(`${name}: ${said.failure}`));
    },
    onExit: () => waiting?.reject(new Error(`${name} ended before it had answered`)),
  });
  const { port } = await ready;
  return {
    pid: child.pid,
    port,
    ask(job) {
      const answer = next<Result>();
      child.send(job);
      return answer;
    },
    async stop() {
      waiting = null;
      child.kill();
      await child.exited;
    },
  };
}

/** Starts a part as one of those that the caller stops at its end. */
export async function startAmong<Job, Result>(
  parts: { stop(): Promise<void> }[],
  name: string,
  argument: unknown = null,
): Promise<Part<Job, Result>> {
  const part = await startPart<Job, Result>(name, argument);
  parts.push(part);
  return part;
}

/** The part's side: reports that it is ready, then runs each job that it receives. */
export function answerJobs<Job>(port: number, work: (job: Job) => Promise<unknown>): void {
  const say = (said: Said): void => {
    if (process.send === undefined) throw new Error("a part is started by the benchmark, not by hand");
    process.send(said);
  };
  process.on("message", (job: Job) => {
    work(job).then(
      (result) => say({ result }),
      (error: unknown) => say({ failure: error instanceof Error ? error.message : String(error) }),
    );
  });
  // Exit with the run: a killed run must not leave its parts behind.
  process.on("disconnect", () => process.exit(0));
  say({ ready: { port } });
}

/** The argument with which the part was started. */
export function partArgument<T>(): T {
  return JSON.parse(process.argv[2] ?? "null") as T;
}

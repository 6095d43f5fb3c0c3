/**
 * A part of the benchmark is a process of its own, so that none of them shares an event loop (or a garbage collector)
 * with what is measured. Both ends of the conversation are here: the run starts a part, waits until it is ready and
 * gives it jobs one at a time; the part answers each with one value.
 */
import { join } from "node:path";

export interface Part<Job, Result> {
  pid: number;
  /** What the part said when it was ready: the port that it listens on, 0 for none. */
  port: number;
  /** Rejects when the part fails at the job or ends. */
  ask(job: Job): Promise<Result>;
  stop(): Promise<void>;
}

type Said = { ready: { port: number } } | { result: unknown } | { failure: string };

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** Starts `parts/<name>.ts` with one argument, JSON. */
export async function startPart<Job, Result>(name: string, argument: unknown = null): Promise<Part<Job, Result>> {
  let waiting: Waiting | null = null;
  const next = <T>(): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      waiting = { resolve: (value) => resolve(value as T), reject };
    });
  const ready = next<{ port: number }>();
  const child = Bun.spawn({
    cmd: [process.execPath, join(import.meta.dir, "parts", `${name}.ts`), JSON.stringify(argument)],
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

/** The part's side: says that it is ready, then works on each job that it is given. */
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
  // A run that was killed must not leave its parts behind.
  process.on("disconnect", () => process.exit(0));
  say({ ready: { port } });
}

/** The argument that the part was started with. */
export function partArgument<T>(): T {
  return JSON.parse(process.argv[2] ?? "null") as T;
}

/**
 * One caller who sends a request at a fixed interval and measures each answer: the effect of another caller's flood.
 */
import type { Socket } from "bun";
import { answerJobs } from "../part.ts";

export interface SteadyJob {
  port: number;
  /** A whole request, head and body. */
  request: string;
  /** From one request to the next. */
  everyMs: number;
  count: number;
}

export interface SteadyResult {
  p50Ms: number;
  p99Ms: number;
  refused: number;
}

answerJobs<SteadyJob>(0, run);

async function run({ port, request, everyMs, count }: SteadyJob): Promise<SteadyResult> {
  const latencies: number[] = [];
  let refused = 0;
  let answered = Promise.withResolvers<string>();
  const socket: Socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (_, chunk) => answered.resolve(chunk.toString()),
      close: () => answered.reject(new Error("the server closed the connection")),
      error: (_, error) => answered.reject(error),
    },
  });
  for (let index = 0; index < count; index++) {
    answered = Promise.withResolvers<string>();
    const sentAt = performance.now();
    socket.write(request);
    const answer = await answered.promise;
    latencies.push(performance.now() - sentAt);
    if (!answer.startsWith("HTTP/1.1 200")) refused += 1;
    await Bun.sleep(everyMs);
  }
  answered.promise.catch(() => undefined);
  socket.terminate();
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor((latencies.length - 1) * share)] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99), refused };
}

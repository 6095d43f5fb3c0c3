/**
 * A webhook receiver that reads every body and answers 200. Its job returns how long the next `count` deliveries took
 * to arrive.
 */
import { answerJobs } from "../part.ts";

let expected = 0;
let arrived = 0;
let firstAt = 0;
let finish: (milliseconds: number) => void = () => undefined;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    await request.text();
    if (arrived === 0) firstAt = performance.now();
    arrived += 1;
    if (arrived === expected) finish(performance.now() - firstAt);
    return new Response();
  },
});

answerJobs<{ count: number }>(server.port ?? 0, ({ count }) => {
  expected = count;
  arrived = 0;
  return new Promise<number>((resolve) => {
    finish = resolve;
  });
});

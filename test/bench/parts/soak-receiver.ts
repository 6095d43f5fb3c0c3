/**
 * The customer's receiver of a soak: accepts every event and counts, including repetitions. `true` returns the counts.
 */
import { answerJobs } from "../part.ts";

export interface SoakReceiverMeasurements {
  received: number;
  /** Deliveries of an event whose id is among the last 100,000 ids at least, and the last 200,000 at most. */
  repeated: number;
}

const measurements: SoakReceiverMeasurements = { received: 0, repeated: 0 };
const REMEMBERED = 100_000;
let seen = new Set<string>();
let before = new Set<string>();

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { id } = (await request.json()) as { id: string };
    measurements.received += 1;
    if (seen.has(id) || before.has(id)) measurements.repeated += 1;
    seen.add(id);
    if (seen.size >= REMEMBERED) [before, seen] = [seen, new Set()];
    return new Response();
  },
});

answerJobs<true>(server.port ?? 0, () => Promise.resolve(measurements));

/**
 * `bun test/bench/flood.ts`: the effect of one workspace's flood on another's latency. The server has its default
 * limits; the other workspace requests `GET /me` every 25 ms, alone and beside a flood of 32 connections that never
 * pause. Exit code 1 if the flood more than doubles the other's median.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./median.ts";
import { startPart } from "./part.ts";
import type { LoadJob, LoadResult } from "./parts/load.ts";
import type { SteadyJob, SteadyResult } from "./parts/steady.ts";
import { buildExecutable, findPort, startSubject } from "./subject.ts";
import { makeWorld } from "./world.ts";

const ROUNDS = 5;
const MAX_RATIO = 2;

const directory = mkdtempSync(join(tmpdir(), "waxwing-flood-"));
const network = await startPart<null, number>("network", null);
const flood = await startPart<LoadJob, LoadResult>("load", null);
const steady = await startPart<SteadyJob, SteadyResult>("steady", null);
const world = await makeWorld(join(directory, "data"), "http://127.0.0.1:9/hook");
const port = findPort();
const subject = await startSubject(buildExecutable(directory), world.directory, port, {
  WAXWING_STORAGE_DATA: world.directory,
  WAXWING_SERVER_LISTEN: `127.0.0.1:${port}`,
  WAXWING_WHATSAPP_GRAPH_URL: `http://127.0.0.1:${network.port}`,
});
try {
  const request = (line: string, key: string, body: string): string =>
    `${line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
    `${body === "" ? "" : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`}\r\n${body}`;
  const ask = (): Promise<SteadyResult> =>
    steady.ask({ port, request: request("GET /api/v1/me", world.otherKey, ""), everyMs: 25, count: 100 });
  const send = request("POST /api/v1/messages", world.key, JSON.stringify({ to: world.people[0], text: "Hello!" }));
  const rounds: { quiet: SteadyResult; beside: SteadyResult; flooded: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const quiet = await ask();
    const flooding = flood.ask({ port, requests: [send], connections: 32, durationMs: 3_000, expectedStatus: null });
    const beside = await ask();
    rounds.push({ quiet, beside, flooded: (await flooding).perSecond });
  }
  const of = (pick: (round: (typeof rounds)[number]) => number): number => median(rounds.map(pick));
  const times = of(({ quiet, beside }) => beside.p50Ms / quiet.p50Ms);
  console.log(
    [
      `alone:          median ${of(({ quiet }) => quiet.p50Ms).toFixed(2)} ms, 99th percentile ${of(({ quiet }) => quiet.p99Ms).toFixed(2)} ms`,
      `beside a flood: median ${of(({ beside }) => beside.p50Ms).toFixed(2)} ms, 99th percentile ${of(({ beside }) => beside.p99Ms).toFixed(2)} ms`,
      `the flood:      ${of(({ flooded }) => flooded).toFixed(0)} requests/s answered, nearly all 429`,
      `times:          ${times.toFixed(2)} (at most ${MAX_RATIO}${times > MAX_RATIO ? ": MISSED" : ""})`,
      `refused to the other: ${rounds.reduce((sum, { quiet, beside }) => sum + quiet.refused + beside.refused, 0)}`,
    ].join("\n"),
  );
  if (times > MAX_RATIO) process.exitCode = 1;
} finally {
  await subject.stop();
  for (const part of [network, flood, steady]) await part.stop();
  rmSync(directory, { recursive: true, force: true });
}

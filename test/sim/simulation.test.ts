import { expect, spyOn, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ServiceLoop } from "#src/core/service-loop.ts";
import { inForm } from "#test/support/long-form.ts";
import { startTestServer } from "#test/support/server.ts";
import { mutants } from "./mutants.ts";
import { playRound } from "./round.ts";
import { play } from "./run.ts";
import { buildTown } from "./town.ts";

/** Other scenarios can be asked for; a failing one names its own seed. */
const FIRST = Number(process.env.SIM_SEED ?? 1);

test("in any order of events, nothing is lost, no person is sent to twice or against their will, and the money adds up", () => {
  expect(play({ first: FIRST, rounds: inForm({ short: 30, long: 60 }), isOfBroadcasts: false })).toBe(0);
}, 300_000);

test("a broadcast under any interleaving of answers, statuses, stops, pauses and crashes reaches each person once at most, and its figures and money agree", () => {
  expect(play({ first: FIRST, rounds: inForm({ short: 12, long: 24 }), isOfBroadcasts: true })).toBe(0);
}, 300_000);

test("the same seed gives the same scenario", () => {
  using one = buildTown();
  using other = buildTown();
  for (let seed = 7_000; seed < inForm({ short: 7_002, long: 7_005 }); seed++) {
    const first = playRound(one, { seed });
    // What was played before leaves nothing behind.
    playRound(other, { seed: seed + 1_000, isOfBroadcasts: true });
    const second = playRound(other, { seed });
    expect(second.scenario).toEqual(first.scenario);
    expect(second.hash).toBe(first.hash);
  }
  expect(playRound(one, { seed: 7_100 }).hash).not.toBe(playRound(one, { seed: 7_101 }).hash);
}, 300_000);

/** They talk to the machine, or to Meta alone, or write what no message depends on. */
const SERVICES_NOT_SIMULATED = [
  "alarms",
  "backups",
  "conditions",
  "erase_person",
  "fetch_media",
  "hand_out",
  "join_contacts",
  "kept_copies",
  "mail_link",
  "mail_owners",
  "other_commits",
  "refused_callbacks",
  "request_log",
  "sync_account",
  "time_series",
  "unused_media",
];
const PARTS_NOT_SIMULATED = [
  "callback-secrets",
  "refused-callbacks",
  "simulated-callbacks",
  "stored-uploads",
  "sync-worker",
];

test("every worker that the server starts is simulated", async () => {
  const started: string[] = [];
  const start = spyOn(ServiceLoop.prototype, "start").mockImplementation(function (this: ServiceLoop) {
    started.push(this.name);
  });
  try {
    using town = buildTown();
    playRound(town, { seed: 1 });
    const simulated = new Set(started.splice(0));
    await using on = await startTestServer();
    expect(on.server.services.map(({ name }) => name)).toEqual(started);
    expect(started.length).toBeGreaterThan(10);
    expect(started.filter((name) => !simulated.has(name)).sort()).toEqual(SERVICES_NOT_SIMULATED);
  } finally {
    start.mockRestore();
  }
}, 60_000);

test("every part that the server is wired of is simulated", () => {
  const root = resolve(import.meta.dir, "../..");
  const partsOf = (path: string): string[] => {
    const source = readFileSync(join(root, path), "utf8");
    return [...source.matchAll(/import \{[^}]*\} from "#src\/(?:sending|receiving|webhooks)\/([\w-]+)\.ts"/g)].map(
      ([, name = ""]) => name,
    );
  };
  const simulated = ["test/sim/process.ts", "src/server/workers.ts"].flatMap(partsOf);
  const ofServer = [...new Bun.Glob("src/server/*.ts").scanSync(root)].flatMap(partsOf);
  expect(new Set(ofServer).size).toBeGreaterThan(10);
  const missing = new Set(ofServer.filter((name) => !simulated.includes(name)));
  expect([...missing].sort()).toEqual(PARTS_NOT_SIMULATED);
});

test("every bug that is put in by hand still fits the source", () => {
  const root = resolve(import.meta.dir, "../..");
  for (const { name, file, find } of mutants) {
    const path = join(root, file);
    expect({ name, isThere: existsSync(path) }).toEqual({ name, isThere: true });
    expect({ name, times: readFileSync(path, "utf8").split(find).length - 1 }).toEqual({ name, times: 1 });
  }
});

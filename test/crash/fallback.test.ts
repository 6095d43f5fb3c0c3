/**
 * Kills the server repeatedly while marketing messages fall back: half of them are answered by the endpoint for marketing
 * with "not my own", and go to the general one in a second attempt. A broadcast and single messages run at the same time.
 * The short form is part of every test run: 6 kills, 300 people, from source. The full form kills the executable 40 times
 * in a broadcast to 1,000 people, the most that a request may list, and prints the result:
 *
 *   bun run test:crash fallback
 *
 * Processes and time are real, so no two runs are the same: a failure prints what it found, not how to repeat it.
 */
import { expect, test } from "bun:test";
import { isFull, program, roundsOf } from "#test/support/crash-form.ts";
import {
  type Installation,
  LABELLED,
  makeInstallation,
  type RunningServer,
  type SeenRequest,
} from "#test/support/installation.ts";
import { recipientsOf } from "#test/support/live-broadcast.ts";

const kills = roundsOf(40, 6);
const form = isFull
  ? { people: 1_000, throughput: 100, limitMs: 120_000 + kills * 3_000 }
  : { people: 300, throughput: 200, limitMs: 60_000 };
const WITHIN_MS = 300;
const LOOK_EVERY_MS = 25;
const SINGLES_A_LIFE = 4;

test(
  "a fallback that is interrupted reaches each person once at most, and an unknown outcome never crosses to the other endpoint",
  async () => {
    using waxwing = await program();
    const { command } = waxwing;
    await using installation = await makeInstallation({ ...form, command, inDoubtAfter: "700ms", isMarketing: true });
    await installation.setMood({ redirectedShare: 0.5 });
    const { people } = installation;
    const askers = Array.from({ length: kills * SINGLES_A_LIFE }, (_, index) => people[index % people.length] ?? "");

    let whileSending = 0;
    for (let kill = 0; kill < kills; kill++) {
      const server = installation.start();
      await server.listening;
      await begin(installation, server);
      if ((await statusOf(server)) === "running") whileSending += 1;
      const singles = askers.slice(kill * SINGLES_A_LIFE, (kill + 1) * SINGLES_A_LIFE);
      for (const [index, to] of singles.entries()) void ask(server, to, kill * SINGLES_A_LIFE + index);
      await Bun.sleep(Math.random() * WITHIN_MS);
      await server.kill();
    }
    const server = installation.start();
    await begin(installation, server);
    const repeated = await Promise.all(askers.map((to, index) => ask(server, to, index)));
    const broadcast = await finish(server);
    const recipients = await recipientsOf(server, 1);
    expect(await server.stop()).toBe(0);

    const requests = await installation.requests();
    const redirected = await installation.redirected();
    // Each token was accepted once at most, at one of the two endpoints.
    const doubled = [...Map.groupBy(requests, ({ reference }) => reference)].filter(([, all]) => all.length > 1);
    expect(doubled).toEqual([]);
    // The general endpoint gets only what the other one has called not its own, and each such answer comes once.
    const known = new Set(redirected);
    expect(known.size).toBe(redirected.length);
    const general = requests.filter(({ isMarketing }) => !isMarketing);
    expect(general.filter(({ reference }) => !known.has(reference))).toEqual([]);
    expect(requests.filter(({ isMarketing, reference }) => isMarketing && known.has(reference))).toEqual([]);

    // Each person got the broadcast once, or is reported as unknown; each single message too.
    const byLabel = Map.groupBy(requests, ({ label }) => label);
    expect(timesOf(byLabel.get("b") ?? []).filter(([, times]) => times > 1)).toEqual([]);
    expect(recipients.map(({ to }) => to).sort()).toEqual([...people].sort());
    const inDoubt = recipients.filter(
      ({ status, reason }) => status === "failed" && reason?.includes("may have arrived"),
    );
    expect(recipients.filter((one) => one.status !== "sent" && !inDoubt.includes(one))).toEqual([]);
    for (const [index, answer] of repeated.entries()) {
      const times = byLabel.get(`single ${index}`)?.length ?? 0;
      expect([answer?.status, times <= 1, times === 1 || answer?.status === 502]).toEqual([
        expect.any(Number),
        true,
        true,
      ]);
    }
    expect(broadcast.status).toBe("completed");

    // Otherwise the test shows nothing.
    expect(whileSending).toBeGreaterThan(0);
    expect(general.length).toBeGreaterThan(0);
    console.log(
      `${kills} kills, ${whileSending} while sending; ${people.length} people, ${askers.length} single messages; ` +
        `${redirected.length} fallbacks, ${general.length} of them accepted, ${doubled.length} doubles, ${inDoubt.length} in doubt`,
    );
  },
  form.limitMs,
);

function timesOf(requests: readonly SeenRequest[]): [string, number][] {
  return [...Map.groupBy(requests, ({ to }) => to)].map(([to, all]) => [to, all.length]);
}

async function statusOf(server: RunningServer): Promise<string> {
  return (await server.call("GET", "/broadcasts/1"))?.body.data?.status ?? "none";
}

/** Like a careful caller: repeats the request under the same key until it is answered. */
async function begin({ people }: Installation, server: RunningServer): Promise<void> {
  const body = { name: "Fallbacks", template: LABELLED, variables: ["b"], to: people };
  const answer = await server.call("POST", "/broadcasts", body, "fallbacks");
  if (answer !== null) expect(answer.status).toBe(202);
}

function ask(server: RunningServer, to: string, index: number) {
  const body = { to, template: LABELLED, variables: [`single ${index}`] };
  return server.call("POST", "/messages", body, `single-${index}`);
}

async function finish(server: RunningServer) {
  for (;;) {
    const broadcast = (await server.call("GET", "/broadcasts/1"))?.body.data;
    if (broadcast.status === "paused") throw new Error(`it is paused: ${broadcast.status_reason}`);
    if (broadcast.charged !== null && ["completed", "failed"].includes(broadcast.status)) return broadcast;
    await Bun.sleep(LOOK_EVERY_MS);
  }
}

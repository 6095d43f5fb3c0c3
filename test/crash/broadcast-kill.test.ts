/**
 * Kills the server repeatedly in the middle of a broadcast, restarts it each time, and counts the requests at the
 * network. The short form is part of every test run: 8 kills, 600 people, from source. The full form kills the
 * executable 50 times in a broadcast to 5,000 people, and prints the result:
 *
 *   bun run test:crash broadcast-kill
 *
 * Processes and time are real, so no two runs are the same: a failure prints what it found, not how to repeat it.
 */
import { expect, test } from "bun:test";
import { isFull, program, roundsOf } from "#test/support/crash-form.ts";
import {
  CREDITED,
  type Installation,
  LABELLED,
  makeInstallation,
  RATE,
  type RunningServer,
} from "#test/support/installation.ts";
import { moneyOf, type Recipient, recipientsOf } from "#test/support/live-broadcast.ts";

const kills = roundsOf(50, 8);
const form = isFull
  ? { kills, people: 5_000, throughput: 500, limitMs: 120_000 + kills * 3_000 }
  : { kills, people: 600, throughput: 400, limitMs: 60_000 };

/** Each kill happens within this time. */
const WITHIN_MS = 300;
const LOOK_EVERY_MS = 25;

test(
  "a broadcast whose server is killed repeatedly reaches each recipient once, or reports each one whose outcome is unknown",
  async () => {
    using waxwing = await program();
    const { command } = waxwing;
    await using installation = await makeInstallation({ ...form, command, inDoubtAfter: "700ms" });
    const { people } = installation;

    const killed = await killOften(installation);
    const server = installation.start();
    // The caller of the last round may have had no answer either: with the same key it is the same broadcast.
    await begin(installation, server);
    const { broadcast, recipients } = await finish(server);
    const requests = await installation.requests();

    const asked = new Map<string, number>();
    for (const { to } of requests) asked.set(to, (asked.get(to) ?? 0) + 1);
    const doubled = [...asked].filter(([, times]) => times > 1);
    expect(doubled).toEqual([]);
    expect(new Set(requests.map(({ reference }) => reference)).size).toBe(requests.length);

    // Every recipient is there, once.
    expect(recipients.map(({ to }) => to).sort()).toEqual([...people].sort());
    const found = check(recipients, asked);
    expect(found.wrong).toEqual([]);

    const { counts } = broadcast;
    expect(counts.total).toBe(people.length);
    expect(counts.sent + counts.failed + counts.skipped).toBe(counts.total);
    expect([counts.sent, counts.failed, counts.skipped]).toEqual([found.sent, found.doubtful, 0]);
    expect([broadcast.status, broadcast.status_reason, broadcast.charged]).toEqual(["completed", null, "0.00"]);
    // All requests created one broadcast, and no hold is left.
    expect(broadcastIds(await server.call("GET", "/broadcasts"))).toEqual([broadcast.id]);
    const preview = await server.call("POST", "/broadcasts/preview", order(installation));
    expect(preview?.body.data.cost).toMatchObject({
      available: moneyOf(CREDITED),
      amount: moneyOf(RATE * people.length),
    });
    expect(await server.stop()).toBe(0);

    // Otherwise the test shows nothing: some kills must happen while messages are in flight.
    expect(killed.whileSending).toBeGreaterThan(0);
    console.log(
      `${form.kills} kills: ${killed.whileStarting} before it listened, ${killed.whileBuilding} while building, ${killed.whileSending} while sending; ` +
        `${people.length} people, ${requests.length} requests, ${doubled.length} doubles; ${counts.sent} sent, ${counts.failed} in doubt (${found.doubtfulAtNetwork} of them at the network)`,
    );
  },
  form.limitMs,
);

interface Killed {
  whileStarting: number;
  whileBuilding: number;
  whileSending: number;
}

/** Starts and kills the server. The next server, once it listens, tells in which state the last one died. */
async function killOften(installation: Installation): Promise<Killed> {
  const killed: Killed = { whileStarting: 0, whileBuilding: 0, whileSending: 0 };
  /** How long a start takes on this machine. */
  let startMs = 0;
  for (let kill = 0; kill < form.kills; kill++) {
    const server = installation.start();
    // Some kills happen during a start, which reclaims the work of the killed process.
    const isEarly = kill % 5 === 4;
    const startedAt = performance.now();
    if (isEarly) {
      killed.whileStarting += 1;
      await Bun.sleep(Math.random() * startMs);
    } else {
      await server.listening;
      startMs = performance.now() - startedAt;
      const isRunning = (await statusOf(server)) === "running";
      const begun = begin(installation, server);
      // However slow the machine is, some kills happen while it sends.
      const isSending = isRunning || (kill % 3 === 1 && (await begun.then(() => untilRunning(server))));
      if (isSending) killed.whileSending += 1;
      else killed.whileBuilding += 1;
      await Bun.sleep(Math.random() * WITHIN_MS);
    }
    await server.kill();
  }
  return killed;
}

async function statusOf(server: RunningServer): Promise<string> {
  return (await server.call("GET", "/broadcasts/1"))?.body.data?.status ?? "none";
}

/** False: the broadcast left `queueing` for another state, or never ran. */
async function untilRunning(server: RunningServer): Promise<boolean> {
  for (let look = 0; look < 200; look++) {
    const status = await statusOf(server);
    if (status === "running") return true;
    if (status !== "queueing") return false;
    await Bun.sleep(LOOK_EVERY_MS);
  }
  return false;
}

function order({ groupId, people }: Installation) {
  const audience = isFull ? { group: groupId } : { to: people };
  return { name: "Killed often", template: LABELLED, variables: ["b"], ...audience };
}

/** Like a careful caller: repeats the request under the same key until it is answered. */
async function begin(installation: Installation, server: RunningServer): Promise<void> {
  const answer = await server.call("POST", "/broadcasts", order(installation), "killed-often");
  if (answer !== null) expect(answer.status).toBe(202);
}

/** Waits for the end, and reads every recipient. */
async function finish(server: RunningServer) {
  let broadcast = (await server.call("GET", "/broadcasts/1"))?.body.data;
  while (!["completed", "cancelled", "failed", "paused"].includes(broadcast.status) || broadcast.charged === null) {
    await Bun.sleep(LOOK_EVERY_MS);
    broadcast = (await server.call("GET", "/broadcasts/1"))?.body.data;
    if (broadcast.status === "paused") throw new Error(`it is paused: ${broadcast.status_reason}`);
  }
  return { broadcast, recipients: await recipientsOf(server, 1) };
}

/** A `sent` recipient had exactly one request; every other one has a reason that says that the outcome is unknown. */
function check(recipients: readonly Recipient[], asked: ReadonlyMap<string, number>) {
  const found = { sent: 0, doubtful: 0, doubtfulAtNetwork: 0, wrong: [] as Recipient[] };
  for (const recipient of recipients) {
    const times = asked.get(recipient.to) ?? 0;
    if (recipient.status === "sent" && times === 1) found.sent += 1;
    else if (recipient.status === "failed" && recipient.reason?.includes("may have arrived")) {
      found.doubtful += 1;
      found.doubtfulAtNetwork += times;
    } else found.wrong.push(recipient);
  }
  return found;
}

function broadcastIds(answer: Awaited<ReturnType<RunningServer["call"]>>): number[] {
  if (answer === null) throw new Error("the list was not answered");
  return (answer.body.data as { id: number }[]).map(({ id }) => id);
}

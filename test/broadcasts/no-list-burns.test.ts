/**
 * A fault never burns a whole list: a broadcast to 600 recipients over the fake Cloud API, where every message fails in
 * one way. Whether the network says so in its answer or later by status, the broadcast stops after a few messages and
 * gives the reason.
 */
import { expect, test } from "bun:test";
import { type Broadcast, broadcasts } from "#src/domain/broadcasts/table.ts";
import { networkHealth } from "#src/domain/numbers/table.ts";
import { updateNumber } from "#src/domain/numbers/update.ts";
import type { Fault } from "#test/support/graph.ts";
import { startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const PEOPLE = 600;
/** Messages a second: Meta's own pace of a new number. */
const THROUGHPUT = 80;
const STEP_MS = 100;
/** How long after its answer a message is reported on. */
const STATUS_AFTER_STEPS = 2;

const LIMIT_MS = 60_000;
/** Long enough for a network in trouble to be found down. */
const TROUBLE_MS = 6 * 60_000;

interface End {
  sends: number;
  status: string;
  cause: string | null;
  reason: string;
  failed: number;
}

/**
 * Runs the broadcast for as long as 600 messages take, and a minute (or `moreMs`) more. `codeOf`: the error that is reported for a
 * message; null: read.
 */
async function send(
  world: WhatsappWorld,
  codeOf: ((index: number) => number | null) | null,
  moreMs = 60_000,
): Promise<End & { id: number }> {
  const { app, graph, workspace, clock } = world;
  const number = world.number();
  await app.store.write((tx) => void updateNumber(tx, number, { throughput: THROUGHPUT }));
  const to = Array.from({ length: PEOPLE }, (_, index) => `+491511234${String(5_000 + index)}`);
  const body = { name: "News", template: "greeting", variables: ["Anna"], to };
  const created = await app.send("POST", "/api/v1/broadcasts", { key: workspace.key, body });
  expect(created.status).toBe(202);
  let reported = 0;
  const accepted: number[] = [];
  for (let step = 0; step < (PEOPLE / THROUGHPUT + 3) * (1_000 / STEP_MS); step++) {
    await clock.advance(STEP_MS);
    accepted.push(graph.accepted.length);
    const due = accepted.at(-1 - STATUS_AFTER_STEPS) ?? 0;
    if (codeOf === null || due === reported) continue;
    const changes = graph.accepted.slice(reported, due).map((message, index) => {
      const code = codeOf(reported + index);
      return code === null
        ? graph.status(message, "delivered")
        : graph.status(message, "failed", { errors: [{ code, title: "An error of the test" }] });
    });
    reported = due;
    expect(await world.hear(changes)).toBe(200);
  }
  await clock.advance(moreMs);
  const id: number = created.body.data.id;
  return { id, ...(await endOf(world, id)) };
}

async function endOf({ app, graph, workspace }: WhatsappWorld, id: number): Promise<End> {
  const { data } = (await app.send("GET", `/api/v1/broadcasts/${id}`, { key: workspace.key })).body;
  const row = app.store.read(({ db }) => db.select().from(broadcasts).all()).find((one) => one.id === id);
  return {
    sends: graph.requests.length,
    status: data.status,
    cause: (row as Broadcast).pauseCause,
    reason: data.status_reason ?? "",
    failed: data.counts.failed,
  };
}

/**
 * How many messages may have been sent when the broadcast stops. By status: only those sent before the statuses arrive.
 */
const BY_ANSWER_MAX = 40;
const BY_STATUS_MAX = 40;

type Case = [what: string, code: number, cause: string | null, status: string, reason: RegExp];

/** Stop at the first, because the code concerns every recipient. */
const AT_ONCE: readonly Case[] = [
  ["payment", 131042, "account", "paused", /payment.*\(error 131042\)/],
  ["account locked", 131031, "account", "paused", /locked.*\(error 131031\)/],
  ["spam", 131048, "account", "paused", /blocked or reported.*\(error 131048\)/],
  ["number not registered", 133010, "number", "paused", /not registered.*\(error 133010\)/],
  ["template paused", 132015, "template", "paused", /paused the template.*\(error 132015\)/],
  ["template unknown", 132001, "template", "paused", /does not exist.*\(error 132001\)/],
  ["template disabled", 132016, null, "failed", /disabled the template.*\(error 132016\)/],
];

for (const [what, code, cause, status, reason] of AT_ONCE) {
  test(
    `${what} (${code}) by answer stops the broadcast after a few messages`,
    async () => {
      await using world = await startWhatsapp();
      world.graph.fault({ fault: { kind: "error", code }, times: Infinity });
      const end = await send(world, null);
      expect(end.reason).toMatch(reason);
      expect(end).toMatchObject({ status, cause });
      expect(end.sends).toBeLessThan(BY_ANSWER_MAX);
    },
    LIMIT_MS,
  );

  test(
    `${what} (${code}) by status stops the broadcast after a few messages`,
    async () => {
      await using world = await startWhatsapp();
      const end = await send(world, () => code);
      expect(end.reason).toMatch(reason);
      expect(end).toMatchObject({ status, cause });
      expect(end.sends).toBeLessThan(BY_STATUS_MAX);
      // The messages already sent are still reported on, and all other recipients are still pending.
      expect(end.failed).toBe(end.sends);
      expect(world.number().ready).toBe(cause === "template" || cause === null);
    },
    LIMIT_MS,
  );
}

const error = (code: number, status?: number): Fault => ({
  ...{ kind: "error", code, details: "The network's own words." },
  ...(status === undefined ? {} : { status }),
});

/** A network in trouble: five at full pace, then one at a time until it is found down. */
const IN_TROUBLE: readonly [string, Fault, RegExp][] = [
  ["131000", error(131000), /named no reason.*The network's own words.*\(error 131000\)/],
  ["an unlisted code under a 500", error(139999, 500), /does not know.*The network's own words.*\(error 139999\)/],
  [
    "HTML under a 502",
    { kind: "answer", status: 502, body: "<html><b>Bad Gateway</b></html>" },
    /HTTP 502.*Bad Gateway/,
  ],
  ["an empty 500", { kind: "answer", status: 500, body: "" }, /HTTP 500/],
  ["an empty 200", { kind: "answer", status: 200, body: "" }, /HTTP 200/],
  ["a 200 without an id", { kind: "no_id" }, /HTTP 200/],
  ["a provider's own error", { kind: "answer", status: 400, body: '{"meta":{"success":false}}' }, /HTTP 400/],
  ["connections that end", { kind: "reset" }, /connection was lost/],
];

for (const [what, fault, reason] of IN_TROUBLE) {
  test(
    `${what} to every request slows the number down and then pauses the broadcast`,
    async () => {
      await using world = await startWhatsapp();
      world.graph.fault({ fault, times: Infinity });
      const end = await send(world, null, TROUBLE_MS);
      expect(end.reason).toStartWith("the network is in trouble: ");
      expect(end.reason).toMatch(reason);
      expect(end).toMatchObject({ status: "paused", cause: "network" });
      expect(end.sends).toBeLessThan(BY_ANSWER_MAX);
    },
    LIMIT_MS,
  );
}

const troubles = ({ app }: WhatsappWorld) => app.store.read(({ db }) => db.select().from(networkHealth).all());

const UNLISTED = /^the network refused 10 consecutive messages .* with error 139999: .*The network's own words/;

for (const how of ["by answer", "by status"] as const) {
  test(
    `an unlisted code ${how} pauses the broadcast after ten people, and stops nothing else`,
    async () => {
      await using world = await startWhatsapp();
      const { app, graph, workspace } = world;
      if (how === "by answer") graph.fault({ fault: error(139999), times: Infinity });
      const end = await send(world, how === "by answer" ? null : () => 139999);
      expect(end.status).toBe("paused");
      expect(end.reason).toMatch(how === "by answer" ? UNLISTED : /^the network refused 10 consecutive.*139999/);
      expect(end.sends).toBeLessThan(BY_ANSWER_MAX);
      expect(end.failed).toBe(end.sends);
      // The network is asked for a single message, and answers it as it did the others.
      const body = { to: "+4915112399001", template: "greeting", variables: ["Anna"] };
      const single = await app.send("POST", "/api/v1/messages", { key: workspace.key, body });
      expect([single.status, graph.requests.length]).toEqual([how === "by answer" ? 502 : 201, end.sends + 1]);
      expect(troubles(world)).toEqual([]);
    },
    LIMIT_MS,
  );
}

test("fifteen texts that are refused with an unlisted code are each refused alone: none gets a 503, and the number stays well", async () => {
  await using world = await startWhatsapp();
  const { app, graph, workspace, clock } = world;
  const hello = (from: string, now: number) => ({
    ...{ from: from.slice(1), id: `wamid.${from}`, timestamp: String(Math.floor(now / 1_000)) },
    ...{ type: "text", text: { body: "Hi" } },
  });
  const texts = (count: number) => Array.from({ length: count }, (_, index) => `+491511237${1_000 + index}`);
  for (const from of texts(15)) await world.hear(graph.inbound(hello(from, clock.now())));
  graph.fault({ fault: error(139999), times: 15 });
  const statuses: number[] = [];
  for (const to of texts(15)) {
    statuses.push(
      (await app.send("POST", "/api/v1/messages", { key: workspace.key, body: { to, text: "Hello" } })).status,
    );
  }
  expect(statuses).toEqual(Array.from({ length: 15 }, () => 502));
  const [to] = texts(1);
  const next = await app.send("POST", "/api/v1/messages", { key: workspace.key, body: { to, text: "Hello" } });
  expect(next.status).toBe(201);
  expect(troubles(world)).toEqual([]);
});

test(
  "an unreadable 401 pauses the broadcast at once, and messages in flight are in doubt",
  async () => {
    await using world = await startWhatsapp();
    world.graph.fault({ fault: { kind: "answer", status: 401, body: "<p>Sign in</p>" }, times: Infinity });
    const end = await send(world, null);
    expect(end).toMatchObject({ status: "paused", cause: "account", failed: 0 });
    expect(end.reason).toMatch(/does not let this server in.*HTTP 401.*Sign in/);
    expect(end.sends).toBeLessThan(BY_ANSWER_MAX);
  },
  LIMIT_MS,
);

test(
  "a Retry-After header is honoured whatever the body says",
  async () => {
    await using world = await startWhatsapp();
    const headers = { "retry-after": "30" };
    world.graph.fault({ fault: { kind: "error", code: 131000, headers } });
    const before = world.clock.now();
    const end = await send(world, null);
    expect(end.status).toBe("completed");
    const [first, second] = await sendTimes(world);
    expect((first ?? 0) - before).toBeLessThan(5_000);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(29_000);
  },
  LIMIT_MS,
);

/** When recipients were sent to: first of all, and first after the longest gap. */
async function sendTimes({ app }: WhatsappWorld): Promise<number[]> {
  const requests = app.store.client
    .prepare("SELECT requested_at AS at FROM provider_requests ORDER BY requested_at")
    .all() as { at: number }[];
  const times = requests.map(({ at }) => at);
  const gap = times.findIndex((at, index) => at - (times[index - 1] ?? at) > 5_000);
  return [times[0] ?? 0, times[gap] ?? 0];
}

test(
  "refusals with successful messages between them stop nothing",
  async () => {
    await using world = await startWhatsapp();
    const codes = [131026, 131049, 131000, null, 131047];
    const end = await send(world, (index) => codes[index % codes.length] ?? null);
    expect(end).toMatchObject({ sends: PEOPLE, status: "completed" });
  },
  LIMIT_MS,
);

test(
  "two unlisted codes in turn, by status, pause the broadcast as one does",
  async () => {
    await using world = await startWhatsapp();
    const end = await send(world, (index) => (index % 2 === 0 ? 139998 : 139999));
    expect(end.status).toBe("paused");
    expect(end.sends).toBeLessThan(PEOPLE / 4);
  },
  LIMIT_MS,
);

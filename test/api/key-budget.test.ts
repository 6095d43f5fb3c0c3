/**
 * Limits of an API key: a scope that is missing, an expiry by the clock, revocation by another process, and a daily budget
 * of people that single messages and broadcasts share exactly.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { addMember } from "#src/domain/groups/membership.ts";
import { BudgetUse, countPeople, purgeKeyDays, reservePeople } from "#src/domain/messages/key-budget.ts";
import { createKey, DEFAULT_LIMITS, type KeyLimits } from "#src/domain/workspaces/api-keys.ts";
import { SeededRandom } from "#test/sim/random.ts";
import {
  cancel,
  fates,
  HOUR,
  list,
  notice,
  phones,
  post,
  type Scenario,
  SECOND,
  startScenario,
} from "#test/support/broadcast-scenarios.ts";
import { TestClock } from "#test/support/clock.ts";
import { throttled, unknown } from "#test/support/fake-network.ts";
import { contactOf, messagesOf } from "#test/support/rows.ts";
import type { Answered } from "#test/support/server.ts";
import { shipped } from "#test/support/templates.ts";

let scenario: Scenario;
beforeAll(async () => {
  scenario = await startScenario({ throughput: 1_000 });
});
afterAll(() => scenario[Symbol.asyncDispose]());

/** The scenario with a new key. */
async function withKey(limits: Partial<KeyLimits>): Promise<Scenario & { keyId: number }> {
  const { app, shop } = scenario;
  const { id, key } = await app.store.write((tx) =>
    createKey(tx, shop.id, "limited", { limits: { ...DEFAULT_LIMITS, ...limits } }),
  );
  return { ...scenario, shop: { ...shop, key }, keyId: id };
}

const single = ({ app, shop }: Scenario, to: string, headers: Record<string, string> = {}): Promise<Answered> =>
  app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped(to), headers });
const me = ({ app, shop }: Scenario): Promise<Answered> => app.call("GET", "/api/v1/me", { key: shop.key });

/** What the budget counts on each day. */
function daysOf(keyId: number): unknown[] {
  const text = "SELECT day, people, reserved FROM key_days WHERE key_id = ? ORDER BY day";
  return scenario.app.store.client.prepare(text).all(keyId);
}

/** Fresh numbers each time, so that the tests do not share people. */
let used = 1_000;
function newPhones(count: number): string[] {
  used += count;
  return phones(count, used - count);
}

test("a refusal for lack of a scope names what is needed and what the key has, before anything of the request is read", async () => {
  const reader = await withKey({ scopes: ["read"] });
  const answer = await post(reader, "no object at all");
  expect([answer.status, answer.body.error.code]).toEqual([403, "api_not_enabled"]);
  expect(answer.body.error.message).toBe(
    "This API key may not do this: it needs the scope `broadcast`, and has `read`.",
  );
  expect(answer.body.error.faults).toEqual([
    { field: "Authorization", rule: "missing_scope", suggestion: "broadcast" },
  ]);
  expect((await me(reader)).status).toBe(200);
  const unknownPath = await scenario.app.call("GET", "/api/v1/nothing", { key: reader.shop.key });
  expect(unknownPath.body.error.code).toBe("not_found");
});

test("an expired key gets the answer of a revoked one, from its time by the clock on", async () => {
  const { app, shop } = scenario;
  const dated = await withKey({ expiresAt: app.clock.now() + HOUR });
  await app.clock.advance(HOUR - SECOND);
  expect((await me(dated)).status).toBe(200);
  await app.clock.advance(SECOND);
  const expired = await me(dated);
  const unknownKey = await app.call("GET", "/api/v1/me", { key: "wx_unknown" });
  expect([expired.status, expired.body]).toEqual([401, unknownKey.body]);
  expect((await app.call("GET", "/api/v1/me", { key: shop.key })).status).toBe(200);
});

test("another process revokes a key: the next request is refused", async () => {
  const limited = await withKey({ scopes: ["read"] });
  expect((await me(limited)).status).toBe(200);
  const other = openClient(join(scenario.app.directory, "waxwing.db"), {});
  other.prepare("UPDATE api_keys SET revoked_at = 1 WHERE id = ?").run(limited.keyId);
  other.close();
  expect((await me(limited)).status).toBe(401);
});

test("the budget counts different people, of single messages and broadcasts, until the workspace's day ends", async () => {
  const { app } = scenario;
  const limited = await withKey({ dailyPeople: 3 });
  const [a = "", b = "", c = "", d = ""] = newPhones(4);
  expect((await single(limited, a)).status).toBe(201);
  expect((await single(limited, a)).status).toBe(201);
  expect((await post(limited, notice([a, b, b, c]))).status).toBe(202);
  const before = messagesOf(app).length;
  const over = await single(limited, d, { "idempotency-key": `over-${d}` });
  expect([over.status, over.body.error.code, over.body.error.retryable]).toEqual([429, "rate_limited", true]);
  expect(over.body.error.message).toBe(
    "This API key may message 3 people a day. 0 are left today, and this request reaches 1 more.",
  );
  expect((await post(limited, notice([c, d]))).status).toBe(429);
  expect(messagesOf(app).length).toBe(before);
  expect(app.store.read(({ db }) => db.$client.prepare("SELECT 1 FROM contacts WHERE phone = ?").all(d))).toEqual([]);
  expect((await single(limited, b)).status).toBe(201);
  // Another key of the workspace has its own budget, and none here.
  expect((await single(scenario, d)).status).toBe(201);
  const wait = Number(over.headers.get("retry-after")) * SECOND;
  await app.clock.advance(wait - 2 * SECOND);
  expect((await single(limited, d)).status).toBe(429);
  await app.clock.advance(2 * SECOND);
  expect((await single(limited, d, { "idempotency-key": `over-${d}` })).status).toBe(201);
});

test("a message that the network does not take counts, and its person may be tried again", async () => {
  const { network } = scenario;
  const limited = await withKey({ dailyPeople: 1 });
  const [a = "", b = ""] = newPhones(2);
  network.next(unknown);
  expect((await single(limited, a)).status).toBe(502);
  network.next(throttled(60_000));
  expect((await single(limited, a)).status).toBe(429);
  expect((await single(limited, b)).status).toBe(429);
  expect((await single(limited, a)).status).toBe(201);
  expect(daysOf(limited.keyId)).toEqual([{ day: expect.any(String), people: 1, reserved: 0 }]);
});

test("a scheduled broadcast counts on its own day", async () => {
  const { app } = scenario;
  const limited = await withKey({ dailyPeople: 2 });
  const at = (days: number) => ({ send_at: new Date(app.clock.now() + days * 24 * HOUR).toISOString() });
  const [a = "", b = "", c = ""] = newPhones(3);
  expect((await post(limited, notice([a, b], at(2)))).status).toBe(202);
  expect((await post(limited, notice([b, c], at(3)))).status).toBe(202);
  const over = await post(limited, notice([c], at(2)));
  expect([over.status, over.body.error.retryable]).toEqual([429, false]);
  expect(over.body.error.message).toContain("0 are left on 2026-11-");
  expect((await single(limited, c)).status).toBe(201);
});

test("scheduled messages count on the day on which they are sent; one too many waits for the next", async () => {
  // 22:00 in Kolkata.
  await using evening = await startScenario({}, { clock: new TestClock("2026-11-21T16:30:00Z") });
  const { app, network, shop } = evening;
  const limits = { ...DEFAULT_LIMITS, dailyPeople: 1 };
  const { key } = await app.store.write((tx) => createKey(tx, shop.id, "limited", { limits }));
  const people = newPhones(2);
  const ids: number[] = [];
  for (const to of people) {
    const body = { ...shipped(to), send_at: new Date(app.clock.now() + HOUR).toISOString() };
    const answer = await app.send("POST", "/api/v1/messages", { key, body });
    expect(answer.status).toBe(202);
    ids.push(answer.body.data.id);
  }
  const states = () =>
    Promise.all(ids.map(async (id) => (await app.call("GET", `/api/v1/messages/${id}`, { key })).body.data.status));
  await app.clock.advance(HOUR);
  expect(await states()).toEqual(["sent", "scheduled"]);
  const midnight = Date.parse("2026-11-21T18:30:00Z");
  await app.clock.advance(midnight - 1 - app.clock.now());
  expect(await states()).toEqual(["sent", "scheduled"]);
  await app.clock.advance(1);
  expect(await states()).toEqual(["sent", "sent"]);
  expect(network.sent.map(({ to }) => to)).toEqual(people);
});

test("a group reserves its opted-in members until they are built; a member too many is skipped", async () => {
  const { app } = scenario;
  const limited = await withKey({ dailyPeople: 4 });
  const [known = "", ...members] = newPhones(4);
  const late = newPhones(2);
  const group = await list(scenario, members);
  for (const phone of late)
    await app.call("PUT", `/api/v1/contacts/${phone}`, { key: scenario.shop.key, body: { consent: "opted_in" } });
  expect((await single(limited, known)).status).toBe(201);
  const at = { send_at: new Date(app.clock.now() + SECOND).toISOString() };
  const { body } = await post(limited, notice([], { to: undefined, group, ...at }));
  expect(daysOf(limited.keyId)).toEqual([{ day: expect.any(String), people: 1, reserved: 3 }]);
  expect((await post(limited, notice([], { to: undefined, group }))).status).toBe(429);
  expect((await single(limited, late[0] ?? "")).status).toBe(429);
  const lateIds = late.map((phone) => contactOf(app, phone).id);
  await app.store.write((tx) => {
    for (const id of lateIds) addMember(tx, group, id);
  });
  await app.clock.advance(10 * SECOND);
  expect((await fates(scenario, body.data.id)).map(([status, reason]) => [status, reason])).toEqual([
    ["sent", null],
    ["sent", null],
    ["sent", null],
    ["skipped", "daily cap of the API key"],
    ["skipped", "daily cap of the API key"],
  ]);
  expect(daysOf(limited.keyId)).toEqual([{ day: expect.any(String), people: 4, reserved: 0 }]);
  // Everybody counts already, so the same three may get another one.
  expect((await post(limited, notice(members))).status).toBe(202);
});

test("one person with several messages of a broadcast uses up one reserved place, so the others keep theirs", async () => {
  const { app } = scenario;
  const { keyId } = await withKey({ dailyPeople: 2 });
  const [day, someone, other, stranger] = ["2026-11-21", 900_001, 900_002, 900_003] as const;
  const endsAt = app.clock.now() + HOUR;
  await app.store.write((tx) => {
    const budget = { keyId, day, dailyPeople: 2 };
    reservePeople(tx, { ...budget, endsAt, sendAt: null }, 2);
    const use = new BudgetUse(tx, budget, 2);
    expect([use.add(someone), use.add(someone), use.reserved]).toEqual([true, true, 1]);
    use.store();
    expect(() => countPeople(tx, { ...budget, endsAt, sendAt: null }, [stranger])).toThrow("0 are left");
    const rest = new BudgetUse(tx, budget, use.reserved);
    expect(rest.add(other)).toBe(true);
    rest.store();
  });
  expect(daysOf(keyId)).toEqual([{ day, people: 2, reserved: 0 }]);
});

test("a cancelled broadcast releases what it reserved; past days are deleted", async () => {
  const { app } = scenario;
  const limited = await withKey({ dailyPeople: 5 });
  const { body } = await app.call("GET", "/api/v1/groups", { key: scenario.shop.key });
  const group = body.data[0].id;
  const sendAt = new Date(app.clock.now() + HOUR).toISOString();
  const made = await post(limited, notice([], { to: undefined, group, send_at: sendAt }));
  expect(made.status).toBe(202);
  expect(daysOf(limited.keyId)).toMatchObject([{ people: 0, reserved: 5 }]);
  await cancel(scenario, made.body.data.id);
  expect(daysOf(limited.keyId)).toMatchObject([{ people: 0, reserved: 0 }]);
  const { client } = app.store;
  const countRows = client
    .prepare("SELECT (SELECT count(*) FROM key_days) + (SELECT count(*) FROM key_people)")
    .pluck();
  await app.store.write((tx) => void purgeKeyDays(tx, 10));
  expect(countRows.get()).toBeGreaterThan(10);
  await app.store.write((tx) => {
    for (const table of ["key_days", "key_people"]) {
      client.prepare(`UPDATE ${table} SET day = replace(day, '2026', '2025')`).run();
    }
    while (purgeKeyDays(tx, 10) > 0);
  });
  expect(countRows.get()).toBe(0);
});

test("eight broadcasts at once never exceed the budget, and none is refused that would have fitted", async () => {
  const { app } = scenario;
  for (let seed = 1; seed <= 12; seed += 1) {
    const random = new SeededRandom(seed);
    const pick = (below: number): number => (random.bytes(1)[0] ?? 0) % below;
    const dailyPeople = 1 + pick(16);
    const limited = await withKey({ dailyPeople });
    const pool = newPhones(20);
    const lists = Array.from({ length: 8 }, () =>
      Array.from({ length: 1 + pick(8) }, () => pool[pick(pool.length)] ?? ""),
    );
    const answers = await Promise.all(
      lists.map((to) => (to.length === 1 ? single(limited, to[0] ?? "") : post(limited, notice(to)))),
    );
    await app.clock.advance(10 * SECOND);
    const reached = new Set(answers.flatMap(({ status }, index) => (status < 300 ? (lists[index] ?? []) : [])));
    expect([seed, reached.size <= dailyPeople]).toEqual([seed, true]);
    answers.forEach(({ status }, index) => {
      if (status < 300) return;
      const wanted = new Set([...reached, ...(lists[index] ?? [])]);
      expect([seed, status, wanted.size > dailyPeople]).toEqual([seed, 429, true]);
    });
    expect(daysOf(limited.keyId)).toMatchObject(reached.size === 0 ? [] : [{ people: reached.size, reserved: 0 }]);
  }
});

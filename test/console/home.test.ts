/**
 * What Home shows: who waits and since when, why messages failed with a link to exactly those, today beside the same
 * weekday a week ago, the first steps, and when it says that all is quiet.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { waitsSql } from "#src/domain/inbound/waits.ts";
import {
  broadcastFailuresSql,
  broadcastsByThenSql,
  receivedByThenSql,
  singlesByThenSql,
} from "#src/http/console/queries/today-counters.ts";
import { type HomeView, isQuiet, listAttention, type TodayView } from "#src/web/features/home/attention.ts";
import { firstOperator, person, type Visitor } from "#test/support/console.ts";
import { fillBucket, template } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let app: TestServer;
let operator: Visitor;
let shop: TestWorkspace;
let base: string;

beforeAll(async () => {
  app = await startTestServer();
  operator = await firstOperator(app);
});
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(async () => {
  shop = await app.workspace();
  base = `/w/${shop.id}`;
});

const home = async (visitor = operator): Promise<HomeView> => (await visitor.get(`${base}/home`)).body.data;
const today = async (): Promise<TodayView> => (await operator.get(`${base}/today`)).body.data;
const pass = async (ms: number) => {
  await app.clock.advance(ms);
  await operator.signIn("op@example.com");
};
const hello = () => app.template(shop, template("hello", [{ type: "BODY", text: "Hello." }]));
const send = async (to: string, body: Record<string, unknown> = { template: "hello" }) => {
  await fillBucket(app, shop);
  return (await app.clock.until(operator.post(`${base}/messages`, { to, ...body }))).status;
};
const minutesSince = (at: string | undefined) => Math.round((app.clock.now() - Date.parse(at ?? "")) / MINUTE);

test("people wait from the first of their messages that was not answered, and the longest waiting comes first", async () => {
  expect((await home()).waiting).toEqual({ people: 0, is_more: false, longest: null });
  await app.inbound(shop, "+919876510031", "Are you open?");
  await pass(10 * MINUTE);
  await app.inbound(shop, "+919876510032", "Where is it?");
  await pass(30 * MINUTE);
  // Who asks again has waited since the first question.
  await app.inbound(shop, "+919876510031", "Hello?");
  await app.inbound(shop, "+919876510033", "STOP");
  const { waiting } = await home();
  expect(waiting).toMatchObject({ people: 2, is_more: false });
  expect(minutesSince(waiting.longest?.since)).toBe(40);
  const rows = (await operator.get(`${base}/inbox?show=waiting`)).body.data;
  expect(rows.map(({ contact_id: id }: { contact_id: number }) => id)).toContain(waiting.longest?.contact_id);

  expect(await send("+919876510031", { text: "Until eight." })).toBe(201);
  const next = (await home()).waiting;
  expect([next.people, minutesSince(next.longest?.since)]).toEqual([1, 30]);
  // A new question is counted from itself, not from the one that was answered.
  await pass(5 * MINUTE);
  await app.inbound(shop, "+919876510031", "Thanks. On Sunday too?");
  await pass(7 * MINUTE);
  expect(await send("+919876510032", { text: "On its way." })).toBe(201);
  const last = (await home()).waiting;
  expect([last.people, minutesSince(last.longest?.since)]).toEqual([1, 7]);
  // What is done does not wait.
  const [row] = (await operator.get(`${base}/inbox?show=waiting`)).body.data;
  expect(
    (await operator.ask("PATCH", `${base}/conversations/${row.id}`, { state: "done" }, { key: "done" })).status,
  ).toBeLessThan(300);
  expect((await home()).waiting.people).toBe(0);
});

test("each reason of a failure leads to exactly the messages that it counts", async () => {
  await hello();
  for (const to of ["+919876500002", "+919876510002", "+919876500001", "+919876500110"]) await send(to);
  await operator.post(`${base}/broadcasts`, {
    name: "Offer",
    template: "hello",
    to: ["+919876520120", "+919876520002", "+919876530002", "+919876500008"],
  });
  await pass(12 * MINUTE);
  const { single, failures, broadcast, broadcast_failures: broadcasts } = await today();
  expect(failures.length).toBeGreaterThan(0);
  expect(failures.reduce((sum, { count }) => sum + count, 0)).toBe(single.failed);
  for (const { code, reason, count } of failures) {
    expect(reason).toMatch(/\w+ \w+/);
    const found = (await operator.get(`${base}/messages?status=failed&day=today&code=${code}`)).body.data;
    expect(found.map(({ error }: { error: { code: string } }) => error.code)).toEqual(Array(count).fill(code));
  }
  expect((await operator.get(`${base}/messages?status=failed&day=today&code=none`)).body.data).toEqual([]);
  const [failed] = broadcasts;
  expect([broadcasts.length, failed?.name, failed?.count]).toEqual([1, "Offer", broadcast.failed]);
  expect(failed?.reasons[0]?.reason).toMatch(/\w+ \w+/);
  const people = (await operator.get(`${base}/broadcasts/${failed?.id}/recipients?status=failed`)).body.data;
  expect(people.length).toBe(broadcast.failed);
});

test("today stands beside the same weekday a week ago up to the same time of day", async () => {
  await hello();
  expect((await today()).week_ago).toBeNull();
  // A week before: some by this time of day, and some later, which do not count yet.
  await send("+919876500110");
  await send("+919876500002");
  await app.inbound(shop, "+919876540001", "Hi");
  await operator.post(`${base}/broadcasts`, {
    name: "Week",
    template: "hello",
    to: ["+919876500120", "+919876520002"],
  });
  await pass(20 * MINUTE);
  const before = await today();
  await pass(2 * HOUR);
  await send("+919876500130");
  await app.inbound(shop, "+919876540002", "Hi");
  await operator.post(`${base}/broadcasts`, { name: "Later", template: "hello", to: ["+919876500140"] });
  // As if the server had been stopped for a week: the timers of seven days take a test ten seconds.
  app.clock.setWall(7 * DAY - 2 * HOUR);
  await pass(MINUTE);
  await send("+919876500150");
  const now = await today();
  expect(now.single.sent).toBe(1);
  const { until, ...counts } = now.week_ago ?? { until: "" };
  expect(Date.parse(until)).toBe(Math.floor((app.clock.now() - 7 * DAY) / 1_000) * 1_000);
  expect(counts).toEqual({
    sent: before.single.sent + before.broadcast.sent,
    delivered: before.single.delivered + before.broadcast.delivered,
    read: before.single.read + before.broadcast.read,
    failed: before.single.failed + before.broadcast.failed,
    received: 1,
  });
  expect(counts).toMatchObject({ sent: 2, failed: 2 });
});

test("each first step is done when what it is about is true, and the two lists are independent", async () => {
  const steps = async () => {
    const view = await home();
    return (
      [
        "has_template",
        "has_people",
        "has_broadcast",
        "has_colleague",
        "has_key",
        "has_sent",
        "has_delivered_events",
      ] as const
    ).filter((name) => view[name]);
  };
  // The workspace of a test begins with a key and a number.
  expect(await steps()).toEqual(["has_key"]);
  await app.template(shop, template("new", [{ type: "BODY", text: "New." }]), "PENDING");
  expect(await steps()).toEqual(["has_key"]);
  await hello();
  expect(await steps()).toEqual(["has_template", "has_key"]);
  await operator.ask("PUT", `${base}/contacts/+919876550001`, { name: "Asha" }, { key: "asha" });
  expect(await steps()).toEqual(["has_template", "has_people", "has_key"]);
  await operator.post(`${base}/broadcasts`, { name: "First", template: "hello", to: ["+919876550001"] });
  await pass(5 * MINUTE);
  expect(await steps()).toEqual(["has_template", "has_people", "has_broadcast", "has_key"]);
  await operator.post(`${base}/people`, { email: "asha@example.com", role: "member" });
  expect(await steps()).toEqual(["has_template", "has_people", "has_broadcast", "has_colleague", "has_key"]);
  // A broadcast is no message of the shop's software.
  await fillBucket(app, shop);
  const body = { to: "+919876550110", template: "hello" };
  expect((await app.clock.until(app.call("POST", "/api/v1/messages", { key: shop.key, body }))).status).toBe(201);
  await pass(MINUTE);
  expect(await steps()).toContain("has_sent");
});

test("Home is for those who see the whole workspace, and shows only its own", async () => {
  const member = await person(app, "home-member@example.com", "member", shop.id);
  const agent = await person(app, "home-agent@example.com", "agent", shop.id);
  await app.inbound(shop, "+919876560001", "Hi");
  expect((await home(member)).waiting.people).toBe(1);
  for (const path of ["home", "today"]) expect((await agent.get(`${base}/${path}`)).status).toBe(404);
  const other = await app.workspace();
  expect((await member.get(`/w/${other.id}/home`)).status).toBe(404);
  expect((await operator.get(`/w/${other.id}/home`)).body.data.waiting.people).toBe(0);
  // A colleague is another member: not oneself.
  expect((await operator.get(`/w/${other.id}/home`)).body.data.has_colleague).toBe(false);
});

const QUIET: Parameters<typeof isQuiet>[0] = {
  workspace: { numbers: [{ phone: "+911244001100", name: "Shop", ready: true }], suspended: null } as never,
  home: {
    ...{ has_key: true, has_sent: true, has_delivered_events: true, has_template: true, has_people: true },
    ...{ has_broadcast: true, has_colleague: true, template: null, exhausted_deliveries: 0 },
    last_delivered_at: "2026-11-27T10:00:00+00:00",
    waiting: { people: 0, is_more: false, longest: null },
    conditions: [],
    broadcasts: [],
  },
  today: {
    since: "2026-11-27T00:00:00+00:00",
    single: { sent: 1, delivered: 1, read: 1, failed: 0, unknown: 0 },
    broadcast: { begun: 1, sent: 1, delivered: 1, read: 1, failed: 0, unknown: 0 },
    received: { messages: 1, people: 1 },
    week_ago: null,
    failures: [],
    broadcast_failures: [],
  },
};

const withHome = (changed: object) => ({ ...QUIET, home: { ...QUIET.home, ...changed } as HomeView });
const withToday = (changed: object) => ({ ...QUIET, today: { ...(QUIET.today as TodayView), ...changed } });
const withWorkspace = (changed: object) => ({ ...QUIET, workspace: { ...QUIET.workspace, ...changed } });
const counts = { sent: 0, delivered: 0, read: 0, failed: 0, unknown: 0 };

/** Everything that keeps Home from being quiet, each alone. */
const loud: Readonly<Record<string, typeof QUIET>> = {
  waiting: withHome({ waiting: { people: 1, is_more: false, longest: null } }),
  suspended: withWorkspace({ suspended: "" }),
  numbers: withWorkspace({ numbers: [{ ready: true }, { ready: false }] }),
  conditions: withHome({ conditions: [{ id: "balance_low:1" }] }),
  deliveries: withHome({ exhausted_deliveries: 1 }),
  broadcasts: withHome({ broadcasts: [{ status: "paused" }] }),
  failed: withToday({ single: { ...counts, failed: 1 } }),
  failedBroadcasts: withToday({ broadcast: { ...counts, begun: 1, failed: 1 } }),
  unknown: withToday({ broadcast: { ...counts, begun: 1, unknown: 1 } }),
};

test("all is quiet only if nothing of the list is true, and all of it is known", () => {
  expect([isQuiet(QUIET), listAttention(QUIET)]).toEqual([true, []]);
  for (const [name, known] of Object.entries(loud)) {
    expect([name, isQuiet(known), listAttention(known)]).toEqual([name, false, [name]]);
  }
  // The walk has every name that the page knows.
  const all = {
    workspace: { ...QUIET.workspace, numbers: [{ ready: false }], suspended: "" } as never,
    home: Object.assign({}, QUIET.home, ...["waiting", "conditions", "deliveries", "broadcasts"].map(difference)),
    today: {
      ...(QUIET.today as TodayView),
      single: { ...counts, failed: 1, unknown: 1 },
      broadcast: { ...counts, begun: 1, failed: 1 },
    },
  };
  expect(listAttention(all)).toEqual(Object.keys(loud));
  for (const status of ["queueing", "running"]) expect(isQuiet(withHome({ broadcasts: [{ status }] }))).toBe(false);
  expect(isQuiet(withToday({ single: { ...counts, unknown: 1 } }))).toBe(false);
  // Not known yet, or nothing has ever been delivered.
  expect(isQuiet({ ...QUIET, today: undefined })).toBe(false);
  expect(isQuiet(withHome({ last_delivered_at: null }))).toBe(false);
  expect(isQuiet(withWorkspace({ numbers: [] }))).toBe(false);
  // A broadcast of next week disturbs no one.
  expect(isQuiet(withHome({ broadcasts: [{ status: "scheduled" }] }))).toBe(true);
});

/** What a case of the walk changes in Home's answer. */
function difference(name: string): object {
  const view = loud[name]?.home ?? QUIET.home;
  return Object.fromEntries(Object.entries(view).filter(([key, value]) => value !== QUIET.home[key as keyof HomeView]));
}

test("the last delivery is one of the console's own messages and broadcasts too", async () => {
  await hello();
  expect((await home()).last_delivered_at).toBeNull();
  await send("+919876500110");
  await pass(MINUTE);
  const single = (await home()).last_delivered_at;
  expect(minutesSince(single ?? "")).toBeLessThanOrEqual(1);
  await pass(HOUR);
  await operator.post(`${base}/broadcasts`, { name: "Later", template: "hello", to: ["+919876500120"] });
  await pass(10 * MINUTE);
  expect(Date.parse((await home()).last_delivered_at ?? "") - Date.parse(single ?? "")).toBeGreaterThanOrEqual(HOUR);
});

test("what Home counts is found by indexes: no query reads the messages, inbounds or conversations of other times", () => {
  for (const sql of [singlesByThenSql, broadcastsByThenSql, receivedByThenSql, broadcastFailuresSql, waitsSql]) {
    const plain = sql.replaceAll("within_budget()", "1");
    const parameters = Array.from({ length: plain.split("?").length - 1 }, () => 1);
    const plan = app.store.client.prepare(`EXPLAIN QUERY PLAN ${plain}`).all(...parameters) as { detail: string }[];
    const read = plan
      .map(({ detail }) => detail)
      .filter((detail) => /\b(messages|inbounds|conversations|echoes)\b/.test(detail));
    expect([sql, read.length > 0]).toEqual([sql, true]);
    expect(read.filter((detail) => !detail.startsWith("SEARCH "))).toEqual([]);
  }
});

/** What requests cost of the rate limit: lists by their rows and bytes, changes of many contacts by their number. */
import { expect, spyOn, test } from "bun:test";
import { loadConfig } from "#src/config/config.ts";
import { Turns } from "#src/core/turns.ts";
import { AnswerStreams } from "#src/http/answer-streams.ts";
import { Pieces, Rows } from "#src/http/rows.ts";
import type { TestClock } from "#test/support/clock.ts";
import { putContactsOf } from "#test/support/contacts.ts";
import { type Answered, startTestServer, type TestServer } from "#test/support/server.ts";

const LIMITS = { requestsPerSecond: 10, burst: 20 };
/** `bun scripts/attack-fairness.ts --sync` reads 100,000. */
const SYNCED = 20_000;
const phoneOf = (index: number): string => `+9198${String(index).padStart(8, "0")}`;
const left = ({ headers }: Answered): number => Number(headers.get("x-ratelimit-remaining"));

function start(): Promise<TestServer> {
  return startTestServer({ config: { limits: LIMITS } });
}

test("a list costs a token for each 100 rows that it asks for, and those of rows that did not come are refunded", async () => {
  await using app = await start();
  const { key } = await app.workspace();
  const list = (query: string): Promise<Answered> => app.call("GET", `/api/v1/contacts?${query}`, { key });
  expect(left(await list("per_page=50"))).toBe(19);
  expect(left(await list("per_page=500"))).toBe(18);
  await app.clock.advance(10_000);
  expect(left(await app.call("GET", "/api/v1/me", { key }))).toBe(19);
});

test("a change of many contacts costs a token for each 25 of them", async () => {
  await using app = await start();
  const shop = await app.workspace();
  const contacts = Array.from({ length: 100 }, (_, index) => ({ phone: phoneOf(index) }));
  expect(left(await putContactsOf(app, shop, contacts))).toBe(15);
  const listed = await app.call("GET", "/api/v1/contacts?per_page=500", { key: shop.key });
  expect([listed.body.data.length, left(listed)]).toEqual([100, 13]);
});

test("a program that asks for one page after the other waits and is not refused; a second one at the same time is", async () => {
  await using app = await start();
  const { key } = await app.workspace();
  const me = (): Promise<Answered> => app.call("GET", "/api/v1/me", { key });
  for (let index = 0; index < LIMITS.burst; index++) expect((await me()).status).toBe(200);
  expect((await me()).status).toBe(429);
  const page = app.call("GET", "/api/v1/contacts?per_page=500", { key });
  let status = 0;
  void page.then((answer) => {
    status = answer.status;
  });
  const second = await app.call("GET", "/api/v1/contacts?per_page=500", { key });
  expect([second.status, second.headers.get("retry-after"), status]).toEqual([429, "1", 0]);
  await app.clock.advance(600);
  expect((await page).status).toBe(200);
});

test("a sync by pages of 500 at the default limits waits for its tokens and is never refused", async () => {
  const defaults = loadConfig({ env: {}, searchPaths: [], data: "/nowhere" }).limits;
  await using app = await startTestServer({ config: { limits: defaults }, mayBreak: true });
  const { id, key } = await app.workspace();
  app.store.client.exec(
    `INSERT INTO contacts (workspace_id, phone, consent, created_at, updated_at)
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${SYNCED})
      SELECT ${id}, '+9198' || printf('%08d', n), 'unknown', 1, n FROM n`,
  );
  const phones = new Set<string>();
  const startedAt = app.clock.monotonic();
  for (let after: string | null = null; ; ) {
    const path = `/api/v1/contacts?per_page=500${after === null ? "" : `&after=${after}`}`;
    const { status, body } = await app.send("GET", path, { key });
    expect(status).toBe(200);
    for (const { phone } of body.data) phones.add(phone);
    after = body.meta.next;
    if (after === null) break;
  }
  expect(phones.size).toBe(SYNCED);
  // 6 tokens a page, less what may be had at once.
  const waitedS = (app.clock.monotonic() - startedAt) / 1_000;
  expect(waitedS).toBeGreaterThan(((SYNCED / 500) * 6 - defaults.burst) / defaults.requestsPerSecond - 1);
}, 60_000);

interface World {
  streams: AnswerStreams;
  closed: number[];
  paid: number;
}

/** A stream whose entries have 100 kB each. */
function open(world: World, app: TestServer, workspaceId: number, name: number) {
  const rows = Rows.of(Array.from({ length: 40 }), () => "x".repeat(100_000));
  const pieces = new Pieces({ store: app.store, clock: app.clock }, rows, null);
  const first = pieces.next();
  const pay = async (tokens: number): Promise<void> => {
    world.paid += tokens;
  };
  const close = (): void => void world.closed.push(name);
  const stream = world.streams.open({ workspaceId, first, pieces, pay, close });
  return stream[Symbol.asyncIterator]();
}

test.each([
  { lists: 1, waits: false },
  { lists: 20, waits: true },
])("the parsing of $lists lists of 1,000 objects waits for its sender's turn: $waits", async ({ lists, waits }) => {
  await using app = await start();
  const { id, key } = await app.workspace();
  const list = Array.from({ length: 1_000 }, () => ({ member: 1 }));
  const body = JSON.stringify(Object.fromEntries(Array.from({ length: lists }, (_, index) => [`m${index}`, list])));
  const turns: number[] = [];
  const take = Turns.prototype.take;
  using _ = spyOn(Turns.prototype, "take").mockImplementation(function (this: Turns, workspaceId, slice) {
    turns.push(workspaceId);
    return take.call(this, workspaceId, slice) as never;
  });
  const refused = await app.call("POST", "/api/v1/messages", { key, body });
  expect([refused.status, Object.keys(refused.body.error.fields).length > 0]).toEqual([400, true]);
  expect(turns).toEqual(waits ? [id] : []);
});

test("a large answer is made while it is read, piece by piece, and pays for its bytes; the whole is one JSON text", async () => {
  await using app = await start();
  const world: World = { streams: newStreams(app.clock), closed: [], paid: 0 };
  const reader = open(world, app, 1, 0);
  const decoder = new TextDecoder();
  let text = "";
  let largest = 0;
  for await (const piece of reader) {
    largest = Math.max(largest, piece.length);
    text += decoder.decode(piece, { stream: true });
  }
  expect((JSON.parse(text) as { data: string[] }).data).toHaveLength(40);
  expect(largest).toBeLessThan(400_000);
  expect(world.paid).toBe(Math.floor(4_000_000 / 262_144));
});

test("where the readers of a workspace hold more than 8 MB, the one that has not read for longest is closed", async () => {
  await using app = await start();
  const world: World = { streams: newStreams(app.clock), closed: [], paid: 0 };
  const readers = [];
  for (let name = 0; name < 27; name++) {
    await app.clock.advance(1);
    const reader = open(world, app, 1, name);
    await reader.next();
    readers.push(reader);
  }
  await app.clock.advance(1);
  await readers[0]?.next();
  expect(world.closed).toEqual([]);
  await open(world, app, 2, 100).next();
  expect(world.closed).toEqual([]);
  await open(world, app, 1, 101).next();
  expect(world.closed).toEqual([1]);
});

function newStreams(clock: TestClock): AnswerStreams {
  return new AnswerStreams(new Turns(clock, new AbortController().signal), clock);
}

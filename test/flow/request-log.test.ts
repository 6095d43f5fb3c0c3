/** The log of requests with API keys: what it holds and never holds, its filters, its limits, and what it lacks. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Log } from "#src/core/log.ts";
import { openClient } from "#src/db/driver.ts";
import { createKey } from "#src/domain/workspaces/api-keys.ts";
import { LISTED_PER_DAY, lacksOfLog } from "#src/domain/workspaces/request-log.ts";
import { RequestLog } from "#src/http/request-log.ts";
import { TestClock } from "#test/support/clock.ts";
import { firstOperator, person, type Visitor } from "#test/support/console.ts";

import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { openTestStore } from "#test/support/store.ts";
import { rows } from "#test/support/whatsapp.ts";

const DAY = 24 * 60 * 60_000;

interface Shown {
  id: number;
  at: string;
  key: { id: number; name: string };
  method: string;
  path: string;
  status: number;
  duration_ms: number;
}

interface World {
  app: TestServer;
  shop: TestWorkspace;
  owner: Visitor;
  /** The log as the console shows it, newest first, once it is written. */
  shown: (query?: string) => Promise<Shown[]>;
  about: () => Promise<{ full_days: { unlisted: number }[]; unclean_ends: object[]; keys: { name: string }[] }>;
}

async function world(app: TestServer): Promise<World> {
  await firstOperator(app);
  const shop = await app.workspace();
  const owner = await person(app, "owner@example.com", "owner", shop.id);
  return {
    ...{ app, shop, owner },
    shown: async (query = "") => {
      await app.clock.advance(1_000);
      return (await owner.get(`/w/${shop.id}/requests?${query}`)).body.data;
    },
    about: async () => (await owner.get(`/w/${shop.id}/requests/about`)).body.data,
  };
}

function lines(shown: readonly Shown[]): string[] {
  return shown.map(({ method, path, status }) => `${method} ${path} ${status}`);
}

test("a hundred requests are in the log a second later, in one commit that no request waited for", async () => {
  await using app = await startTestServer();
  const { shop, shown, owner } = await world(app);
  // The key's last use, and when the owner was last seen, are written once a minute.
  await app.call("GET", "/api/v1/me", { key: shop.key });
  await owner.get(`/w/${shop.id}/requests`);
  await app.clock.advance(1_000);
  const before = app.store.counters.commits;
  for (let count = 0; count < 100; count += 1) {
    expect((await app.call("GET", "/api/v1/me?since=yesterday", { key: shop.key })).status).toBe(200);
    // Below the rate limit.
    if (count % 25 === 24) await app.clock.advance(200);
  }
  expect(app.store.counters.commits - before).toBe(0);
  expect((await owner.get(`/w/${shop.id}/requests`)).body.data).toHaveLength(1);
  const listed = await shown();
  expect(app.store.counters.commits - before).toBe(1);
  expect(listed).toHaveLength(50);
  expect(listed[0]).toMatchObject({ method: "GET", path: "/me", status: 200, key: { name: expect.any(String) } });
  expect(rows<{ count: number }>(app.store, "SELECT count(*) AS count FROM key_requests")[0]?.count).toBe(101);
});

test("the log holds no body, no query and nothing in a path that may name a person", async () => {
  await using app = await startTestServer();
  const { shop, shown } = await world(app);
  const call = (method: string, path: string, body?: unknown) =>
    app.send(method, `/api/v1${path}`, { key: shop.key, ...(body === undefined ? {} : { body }) });
  await call("PUT", "/contacts/%2B442079460200", { first_name: "Winifred" });
  await call("GET", "/contacts/442079460200");
  await call("GET", "/contacts?q=winifred");
  await call("GET", "/messages?to=%2B442079460200");
  await call("GET", "/messages/442079460200");
  await call("GET", "/winifred/442079460200/mesages/x");
  await call("POST", "/messages/winifred", { text: "Dear Winifred" });
  const sent = await call("POST", "/messages", { to: "+442079460200", text: "Dear Winifred" });
  expect(sent.status).toBe(422);
  const stored = JSON.stringify(rows(app.store, "SELECT method, path FROM key_requests")).toLowerCase();
  expect(stored).not.toMatch(/winifred|460200|dear/);
  expect(lines(await shown()).toReversed()).toEqual([
    "PUT /contacts/{phone} 201",
    "GET /contacts/{phone} 200",
    "GET /contacts 200",
    "GET /messages 200",
    "GET /messages/{id} 404",
    "GET /…/…/mesages/… 404",
    "POST /messages/… 404",
    "POST /messages 422",
  ]);
});

test("an id that is one of ours is shown, and a refusal for a missing scope is in the log; an unknown key is in none", async () => {
  await using app = await startTestServer();
  const { shop, shown, owner } = await world(app);
  const { data: group } = (await owner.post(`/w/${shop.id}/groups`, { name: "All", filter: null })).body;
  await app.call("GET", "/api/v1/messages/7", { key: shop.key });
  const { key } = (await owner.post(`/w/${shop.id}/keys`, { name: "Narrow", scopes: ["read"] })).body.data;
  expect((await app.call("POST", "/api/v1/messages", { key, body: {} })).status).toBe(403);
  expect((await app.call("GET", "/api/v1/me", { key: `${key}x` })).status).toBe(401);
  await app.call("GET", `/api/v1/webhooks/${group?.id ?? 1}`, { key: shop.key });
  expect(lines(await shown())).toEqual(["GET /webhooks/… 404", "POST /messages 403", "GET /messages/{id} 404"]);
});

test("filters by key and class, pages by cursor, and another workspace's key is not found", async () => {
  await using app = await startTestServer();
  const { shop, shown, owner, about } = await world(app);
  const { id, key } = (await owner.post(`/w/${shop.id}/keys`, { name: "Second" })).body.data;
  for (let count = 0; count < 30; count += 1) {
    await app.call("GET", "/api/v1/me", { key: shop.key });
    await app.call("GET", "/api/v1/nothing", { key });
    await app.clock.advance(100);
  }
  expect(await shown("status=4xx")).toHaveLength(30);
  expect(await shown("status=5xx")).toEqual([]);
  const ofKey = await shown(`key=${id}`);
  expect(new Set(ofKey.map(({ key }) => key.name))).toEqual(new Set(["Second"]));
  expect(ofKey).toHaveLength(30);
  expect(await shown(`key=${id}&status=2xx`)).toEqual([]);
  expect(await shown(`key=${id}&status=4xx`)).toHaveLength(30);
  const first = (await owner.get(`/w/${shop.id}/requests`)).body;
  const second = (await owner.get(`/w/${shop.id}/requests?after=${first.meta.next}`)).body;
  const ids: number[] = [...first.data, ...second.data].map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  expect([new Set(ids).size, second.meta.next]).toEqual([60, null]);
  expect((await about()).keys.map(({ name }) => name)).toContain("Second");
  const other = await app.workspace({ number: null });
  const foreign = rows<{ id: number }>(app.store, `SELECT id FROM api_keys WHERE workspace_id = ${other.id}`)[0]?.id;
  expect((await owner.get(`/w/${shop.id}/requests?key=${foreign}`)).status).toBe(404);
  expect((await owner.get(`/w/${shop.id}/requests?status=1xx`)).status).toBe(400);
});

test("after seven days the requests are deleted, in batches", async () => {
  await using app = await startTestServer();
  const { shop, shown } = await world(app);
  const insert = (count: number, at: number) =>
    app.store.write(({ db }) =>
      db.$client.exec(`WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < ${count})
        INSERT INTO key_requests (workspace_id, key_id, at, method, path, status, duration_ms)
        SELECT ${shop.id}, min(api_keys.id), ${at}, 'GET', '/me', 200, 1 FROM api_keys, n GROUP BY n`),
    );
  await insert(450, app.clock.now() - 7 * DAY);
  await insert(3, app.clock.now() - 7 * DAY + 60 * 60_000);
  expect(await shown()).toHaveLength(50);
  await app.clock.advance(10 * 60_000);
  expect(await shown()).toHaveLength(3);
  await app.clock.advance(60 * 60_000);
  expect(await shown()).toEqual([]);
});

test("a day has room for so many requests of a workspace; the others are counted, and the log says so", async () => {
  await using app = await startTestServer();
  const { shop, shown, about } = await world(app);
  const day = Math.floor(app.clock.now() / DAY) * DAY;
  const insert = (at: number, listed: number) =>
    app.store.write(({ db }) =>
      db.$client
        .prepare("INSERT INTO key_request_days (workspace_id, day, listed, unlisted) VALUES (?, ?, ?, 0)")
        .run(shop.id, at, listed),
    );
  await insert(day, LISTED_PER_DAY - 1);
  // Another day takes no room of this one.
  await insert(day - DAY, LISTED_PER_DAY);
  for (let count = 0; count < 3; count += 1) await app.call("GET", "/api/v1/me", { key: shop.key });
  expect(await shown()).toHaveLength(1);
  expect((await about()).full_days).toMatchObject([{ unlisted: 2 }]);
});

test("a clean stop loses nothing and leaves no remark; a run without one is named with its times", async () => {
  const first = await startTestServer();
  const { shop } = await world(first);
  await first.call("GET", "/api/v1/me", { key: shop.key });
  await first.stop();
  const { directory, clock } = first;
  const second = await startTestServer({ directory, clock });
  expect(rows<{ path: string }>(second.store, "SELECT path FROM key_requests")).toEqual([{ path: "/me" }]);
  expect(second.store.read((tx) => lacksOfLog(tx, shop.id))).toEqual({ days: [], ends: [] });
  await second.stop();
  // As a process leaves it that is killed: `test/crash/batches.test.ts` does so.
  const client = openClient(join(directory, "waxwing.db"), {});
  client.exec(
    "UPDATE key_request_runs SET ended_at = NULL WHERE began_at = (SELECT max(began_at) FROM key_request_runs)",
  );
  const from = Number(client.prepare("SELECT max(written_at) FROM key_request_runs").pluck().get());
  client.close();
  clock.setWall(60_000);
  const third = await startTestServer({ directory, clock });
  await clock.advance(0);
  expect(third.store.read((tx) => lacksOfLog(tx, shop.id)).ends).toEqual([{ from, until: clock.now() }]);
  await third[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
});

test("while the storage fails, a thousand requests are kept for later and the others are counted", async () => {
  const clock = new TestClock();
  using opened = await openTestStore(0);
  const { store } = opened;
  const workspaceId = opened.shop.id;
  const keyId = (await store.write((tx) => createKey(tx, workspaceId, "Till"))).id;
  let isBroken = true;
  const log = new RequestLog({
    store: {
      writeRepeatable: (act) => (isBroken ? Promise.reject(new Error("disk full")) : store.writeRepeatable(act)),
    },
    ...{ clock, notesRuns: false, log: { error: () => undefined } as unknown as Log },
  });
  log.start();
  for (let count = 0; count < 3_000; count += 1) {
    log.note({
      ...{ workspaceId, keyId, method: "GET", url: "http://x/api/v1/me", values: {} },
      ...{ endpoint: { path: "/me" }, status: 200, durationMs: 1 },
    });
  }
  const listed = () => rows<{ listed: number }>(store, "SELECT count(*) AS listed FROM key_requests")[0]?.listed;
  await clock.advance(1_000);
  expect(listed()).toBe(0);
  isBroken = false;
  await clock.advance(1_000);
  while (listed() !== 1_000) await Bun.sleep(5);
  expect(rows(store, "SELECT listed, unlisted FROM key_request_days")).toEqual([{ listed: 1_000, unlisted: 2_000 }]);
  log.stop();
});

test("under load the log is written once a second: what comes while it is written waits for the next time", async () => {
  const clock = new TestClock();
  using opened = await openTestStore(0);
  const { store } = opened;
  const workspaceId = opened.shop.id;
  const keyId = (await store.write((tx) => createKey(tx, workspaceId, "Till"))).id;
  let writes = 0;
  const note = (count: number): void => {
    const request = { workspaceId, keyId, method: "GET", url: "http://x/api/v1/me", values: {}, durationMs: 1 };
    for (let at = 0; at < count; at += 1) log.note({ ...request, endpoint: { path: "/me" }, status: 200 });
  };
  const log = new RequestLog({
    store: {
      writeRepeatable(act) {
        writes += 1;
        // As long as the server is written to at all.
        if (writes <= 8) note(300);
        return store.writeRepeatable(act);
      },
    },
    ...{ clock, notesRuns: false, log: { error: () => undefined } as unknown as Log },
  });
  const listed = () => rows<{ listed: number }>(store, "SELECT count(*) AS listed FROM key_requests")[0]?.listed;
  log.start();
  note(300);
  await clock.advance(1_000);
  while (listed() !== 400) await Bun.sleep(1);
  await Bun.sleep(20);
  expect(writes).toBe(2);
  await clock.advance(1_000);
  while (listed() !== 1_000) await Bun.sleep(1);
  await Bun.sleep(20);
  expect(writes).toBe(5);
  // A stop writes everything.
  log.stop();
  while (listed() !== 2_600) await Bun.sleep(1);
  expect(rows(store, "SELECT listed, unlisted FROM key_request_days")).toEqual([{ listed: 2_600, unlisted: 100 }]);
});

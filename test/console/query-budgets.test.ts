/**
 * Every query that a request of a member or of a key hands to another thread either ends when its time is over, or reads
 * a bounded number of rows. A new one fails this test until it calls `within_budget`, or stands here with what bounds it.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { defineBudget, openClient } from "#src/db/driver.ts";
import { apiEndpoints as endpoints, consoleEndpoints as routes } from "#src/http/endpoints/endpoints.ts";
import { firstOperator, type Visitor } from "#test/support/console.ts";
import { pathOf, recipes } from "#test/support/matrix-console.ts";
import { Objects } from "#test/support/matrix-objects.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";

const LIMIT_MS = 60_000;

/** Queries that need no budget, by a part of their text, and what bounds them. */
const BOUNDED: readonly [part: string, why: string][] = [
  ["WITH looked AS MATERIALIZED", "a page of conversations looks at a fixed number, newest first"],
  ["SELECT id, contact_id FROM messages WHERE broadcast_id = ?", "a page in the order of the index"],
  ["id IN (SELECT value FROM json_each(?))", "as many contacts as a form may name"],
  ["AS looked", "a page of messages looks at a fixed number, newest first"],
];

/** Queries of each list that a page can ask for in several ways. */
const WAYS: Readonly<Record<string, readonly string[]>> = {
  "GET /w/{workspace}/messages": ["q=order", "status=unknown", "origin=api", "day=today", "q=98111"],
  "GET /w/{workspace}/inbox": ["show=unread", "show=waiting", "show=open", "view=unassigned", "view=open&show=waiting"],
  "GET /w/{workspace}/deliveries": ["status=exhausted", "type=message.sent", "type=message.failed&status=pending"],
  "GET /w/{workspace}/requests": ["status=4xx", "key=1", "key=1&status=2xx"],
  "GET /w/{workspace}/broadcasts/{id}/recipients": ["status=failed", "status=unknown", "status=sent"],
  "GET /w/{workspace}/broadcasts/{id}/recipients/export": ["status=failed"],
  "GET /w/{workspace}/contacts": ["q=ash", "consent=opted_out", "q=98111&consent=unknown"],
  "GET /messages": ["status=sent", "created_since=2026-01-01T00:00:00Z", "to=%2B919811115555", "reference=x"],
  "GET /contacts": ["updated_since=2026-01-01T00:00:00Z"],
  "GET /opt-outs": ["since=2026-01-01T00:00:00Z"],
  "GET /broadcasts/{id}/recipients": ["status=failed"],
};
/** Requests that change nothing although they are no GET. */
const READING = [
  "POST /w/{workspace}/groups/count",
  "POST /w/{workspace}/bulk/count",
  "POST /w/{workspace}/drafts/{id}/check",
  "POST /w/{workspace}/broadcasts",
];

let app: TestServer;
let side: Objects;
let operator: Visitor;
const asked = new Map<string, unknown[]>();
const post = Worker.prototype.postMessage;

beforeAll(async () => {
  Worker.prototype.postMessage = function (this: Worker, message: { sql?: string; parameters?: unknown[] }) {
    if (message.sql !== undefined) asked.set(message.sql, message.parameters ?? []);
    post.call(this, message);
  };
  app = await startTestServer({ mayBreak: true });
  operator = await firstOperator(app);
  side = await new Objects(app, await app.workspace({ billing: { rate: 1, balance: 1_000_000 } }), operator).furnish();
  asked.clear();
  const { id, key } = side.workspace;
  for (const { method, path } of routes) {
    const name = `${method} ${path}`;
    const isRead = method === "GET" || READING.includes(name);
    if (!isRead || !path.startsWith("/w/") || /\/(live|findings|connection\/numbers)$/.test(path)) continue;
    const recipe = await recipes[name]?.(side, operator);
    for (const query of [recipe?.query, ...(WAYS[name] ?? [])]) {
      const target = pathOf(path, id, { ...recipe, ...(query === undefined ? {} : { query }) });
      const { status } = await app.clock.until(operator.ask(method, target, recipe?.body));
      expect([name, query, status]).toEqual([name, query, expect.any(Number)]);
      expect(status).toBeLessThan(300);
    }
    await recipe?.after?.();
  }
  const dynamic = await operator.post(`${side.path}/groups`, {
    name: "Dynamic",
    filter: { all: [{ field: "name", set: true }, { not: { field: "tag", is: "VIP" } }] },
  });
  for (const body of [{ group: dynamic.body.data.id }, { group: side.group() }]) {
    const preview = { key, body: { ...side.broadcasting(), to: undefined, ...body } };
    expect((await app.call("POST", "/api/v1/broadcasts/preview", preview)).status).toBe(200);
  }
  for (const { method, path } of endpoints.filter((one) => one.method === "GET")) {
    const single = path.includes("phone")
      ? side.phone
      : path.startsWith("/messages")
        ? side.message
        : side.sentBroadcast;
    const own = { id: path.includes("{other}") ? [side.phone, await side.knownPhone()] : single };
    for (const query of [undefined, ...(WAYS[`${method} ${path}`] ?? [])]) {
      const target = pathOf(path, id, { ...own, ...(query === undefined ? {} : { query }) });
      const { status } = await app.call(method, `/api/v1${target}`, { key });
      expect([path, query, status]).toEqual([path, query, 200]);
    }
  }
}, LIMIT_MS);
afterAll(async () => {
  Worker.prototype.postMessage = post;
  await app[Symbol.asyncDispose]();
});

test("every query on another thread has a budget, or reads a bounded number of rows", () => {
  const free = [...asked.keys()].filter((sql) => !sql.includes("within_budget()"));
  expect(asked.size).toBeGreaterThan(20);
  expect(free.filter((sql) => !BOUNDED.some(([part]) => sql.includes(part)))).toEqual([]);
  expect(BOUNDED.filter(([part]) => !free.some((sql) => sql.includes(part)))).toEqual([]);
  for (const sql of free) expect(sql).toMatch(/LIMIT \?|json_each/);
});

test("a budget that is over ends every one of these queries that reads a row", () => {
  const client = openClient(join(app.directory, "waxwing.db"), { readonly: true });
  let questions = 0;
  defineBudget(client, () => {
    questions += 1;
    throw new Error("over");
  });
  const ended: string[] = [];
  for (const [sql, parameters] of asked) {
    if (!sql.includes("within_budget()")) continue;
    // Every row asks, not one in 64: there are few here.
    const statement = client.prepare(sql.replaceAll(/& 63\b/g, "& 0"));
    try {
      statement.all(...(parameters as []));
    } catch (error) {
      expect(String(error)).toContain("over");
      ended.push(sql);
    }
  }
  client.close();
  expect(questions).toBe(ended.length);
  // The others found no row to read, such as messages in doubt.
  expect(ended.length).toBeGreaterThan(12);
});

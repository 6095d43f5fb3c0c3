/**
 * Searches of one workspace beside those of another: they wait only for their own workspace's, a search that takes too
 * long is ended with an answer that says so.
 */
import { expect, test } from "bun:test";
import { firstOperator, type Visitor } from "#test/support/console.ts";
import { startTestServer, type TestServer, type TestServerOptions } from "#test/support/server.ts";

const CONTACTS = 30_000;
/** As many conditions as a filter may have, none of which matches anybody. */
const HEAVY = { any: Array.from({ length: 99 }, (_, index) => ({ field: "name", contains: `nobody ${index}` })) };
const LIGHT = { field: "name", contains: "Person 1" };

interface Town extends AsyncDisposable {
  app: TestServer;
  operator: Visitor;
  count: (workspace: number, filter: unknown) => ReturnType<Visitor["post"]>;
}

/** Two workspaces: the first with many contacts, the second with a few. */
async function startTown(options: TestServerOptions = {}): Promise<Town> {
  const app = await startTestServer({ ...options, mayBreak: true });
  for (const number of ["+911244001100", "+911244001101"]) {
    const shop = await app.workspace({ number });
    const body = { name: "Person 1", consent: "opted_in" };
    expect((await app.call("PUT", "/api/v1/contacts/%2B919876500000", { key: shop.key, body })).status).toBe(201);
  }
  const { client } = app.store;
  const columns = (client.prepare("SELECT name FROM pragma_table_info('contacts')").pluck().all() as string[]).filter(
    (name) => name !== "id" && name !== "phone",
  );
  client.exec(
    `INSERT INTO contacts (phone, ${columns}) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${CONTACTS}) ` +
      `SELECT '+9198' || (10000000 + i), ${columns} FROM n, (SELECT * FROM contacts WHERE workspace_id = 1 LIMIT 1)`,
  );
  const operator = await firstOperator(app);
  return {
    app,
    operator,
    count: (workspace, filter) => operator.post(`/w/${workspace}/groups/count`, { filter }),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

test("twenty heavy searches of one workspace leave the search of another about as fast as alone", async () => {
  await using town = await startTown();
  const measure = async (): Promise<number> => {
    const startedAt = performance.now();
    expect((await town.count(2, LIGHT)).body.data.count).toBe(1);
    return performance.now() - startedAt;
  };
  // The first one starts a thread.
  await measure();
  let isAnswered = false;
  const heavy = Promise.all(Array.from({ length: 20 }, () => town.count(1, HEAVY))).then((answers) => {
    isAnswered = true;
    return answers.map(({ status }) => status);
  });
  await measure();
  const beside: number[] = [];
  for (let times = 0; times < 20; times++) beside.push(await measure());
  expect(isAnswered).toBe(false);
  expect(await heavy).toEqual(Array.from({ length: 20 }, () => 200));
  // One heavy search alone takes longer.
  expect(beside.toSorted((a, b) => a - b)[10]).toBeLessThan(100);
});

test("a search that takes too long is ended, its caller is told to narrow it, and the next one is answered", async () => {
  await using town = await startTown({ config: { limits: { requestsPerSecond: 1e6, burst: 1e6, queryTimeMs: 50 } } });
  const { status, body } = await town.count(1, HEAVY);
  expect([status, body.error]).toEqual([
    400,
    {
      code: "invalid_request",
      message: expect.stringContaining("0.05 s"),
      retryable: false,
      fields: { filter: [expect.any(String)] },
      faults: [{ field: "filter", rule: "invalid" }],
    },
  ]);
  expect((await town.count(2, LIGHT)).status).toBe(200);
});

test("a filter over its time ends also where it gathers a tag's contacts first", async () => {
  await using town = await startTown({ config: { limits: { requestsPerSecond: 1e6, burst: 1e6, queryTimeMs: 10 } } });
  const { client } = town.app.store;
  client.exec("INSERT INTO tags (id, workspace_id, name, folded) VALUES (1, 1, 'all', 'all')");
  const columns = client.prepare("SELECT name FROM pragma_table_info('contact_tags')").pluck().all();
  expect(columns).toContain("contact_id");
  client.exec("INSERT INTO contact_tags (tag_id, contact_id) SELECT 1, id FROM contacts WHERE workspace_id = 1");
  const all = Array.from({ length: 99 }, () => ({ not: { field: "tag", is: "all" } }));
  expect((await town.count(1, { all })).status).toBe(400);
});

test("a workspace has at most a hundred queries waiting; what comes on top is refused at once", async () => {
  await using town = await startTown({ config: { limits: { requestsPerSecond: 1e6, burst: 1e6, queryTimeMs: 10 } } });
  const answers = await Promise.all(Array.from({ length: 140 }, () => town.count(1, HEAVY)));
  const times = (status: number): number => answers.filter((answer) => answer.status === status).length;
  expect(times(429)).toBeGreaterThan(0);
  expect(times(400)).toBeGreaterThan(100);
  expect(times(400) + times(429)).toBe(140);
  expect((await town.count(2, LIGHT)).status).toBe(200);
});

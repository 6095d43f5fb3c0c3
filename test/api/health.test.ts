/** `/readyz` reports the truth: a server that cannot write to its disk is not ready, and is ready again once it can. */
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { startTestServer } from "#test/support/server.ts";

test("a server is not ready while its database cannot be written, ready again without a restart, and alive all along", async () => {
  await using app = await startTestServer();
  const { client } = app.store;
  const status = async (path: string): Promise<number> => (await app.call("GET", path)).status;
  expect([await status("/readyz"), await status("/healthz")]).toEqual([200, 200]);
  client.pragma("query_only = ON");
  expect([await status("/readyz"), await status("/healthz")]).toEqual([503, 200]);
  client.pragma("query_only = OFF");
  expect(await status("/readyz")).toBe(200);
});

test("the readiness check writes bytes to the database file each time", async () => {
  await using app = await startTestServer();
  const bytes = (): number => statSync(`${app.directory}/waxwing.db-wal`).size;
  for (let asked = 0; asked < 3; asked++) {
    const before = bytes();
    expect((await app.call("GET", "/readyz")).status).toBe(200);
    expect(bytes()).toBeGreaterThan(before);
  }
});

test("a hundred readiness checks at once cost a few commits, not a hundred", async () => {
  await using app = await startTestServer();
  const before = app.store.counters.commits;
  const answers = await Promise.all(Array.from({ length: 100 }, () => app.call("GET", "/readyz")));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(app.store.counters.commits - before).toBeLessThan(50);
});

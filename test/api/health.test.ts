/** `/readyz` tells the truth: a server whose disk takes nothing more is not ready, and is ready again when it does. */
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { startTestServer } from "#test/support/server.ts";

test("a database that cannot be written is not ready, and ready again without a restart; the process lives all along", async () => {
  await using app = await startTestServer();
  const { client } = app.store;
  const status = async (path: string): Promise<number> => (await app.call("GET", path)).status;
  expect([await status("/readyz"), await status("/healthz")]).toEqual([200, 200]);
  client.pragma("query_only = ON");
  expect([await status("/readyz"), await status("/healthz")]).toEqual([503, 200]);
  client.pragma("query_only = OFF");
  expect(await status("/readyz")).toBe(200);
});

test("whether it is ready is tried on the file itself: bytes are written each time", async () => {
  await using app = await startTestServer();
  const bytes = (): number => statSync(`${app.directory}/waxwing.db-wal`).size;
  for (let asked = 0; asked < 3; asked++) {
    const before = bytes();
    expect((await app.call("GET", "/readyz")).status).toBe(200);
    expect(bytes()).toBeGreaterThan(before);
  }
});

test("asking a hundred times at once costs a few commits, not a hundred", async () => {
  await using app = await startTestServer();
  const before = app.store.counters.commits;
  const answers = await Promise.all(Array.from({ length: 100 }, () => app.call("GET", "/readyz")));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(app.store.counters.commits - before).toBeLessThan(50);
});

/**
 * Opening the file while other processes use it: commands start and end beside a server, and neither may fail to open
 * it.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { openStore } from "#src/db/store.ts";
import { openTestDatabase, single } from "../support/database.ts";

// Real processes and real commits on a machine that may be busy with other tests.
setDefaultTimeout(60_000);

const OPENINGS = 150;

test("a server opens its database while commands open and close it", async () => {
  await using database = openTestDatabase({ schema: "CREATE TABLE left_rows (id INTEGER PRIMARY KEY) STRICT" });
  const other = database.spawn("come-and-go", database.path);
  // The last connection to close removes the write-ahead log, for which it needs the file alone: this process must not
  // hold it open.
  database.store.close();
  expect(await other.line()).toBe("running");
  let rows = 0;
  for (let opening = 0; opening < OPENINGS; opening++) {
    const store = openStore(database.path, { busyTimeoutMs: 0 });
    rows = Number(single(store.client, "SELECT count(*) FROM left_rows"));
    expect(store.client.pragma("busy_timeout", { simple: true })).toBe(0);
    store.close();
    await new Promise((resolve) => setImmediate(resolve));
  }
  other.tell("stop");
  expect(await other.exited).toBe(0);
  expect(rows).toBeGreaterThan(0);
});

test("processes that create the same database at the same time all open it", async () => {
  await using database = openTestDatabase();
  const others = Array.from({ length: 4 }, () => database.spawn("create", `${database.path}-new`));
  for (const other of others) expect(await other.line()).toBe("ready");
  for (const other of others) other.tell("go");
  for (const other of others) expect(await other.line()).toBe("done");
});

test("the page cache is large only while the work that asked for it runs, also if it fails", async () => {
  await using database = openTestDatabase();
  const { store } = database;
  const kibibytes = (): unknown => store.client.pragma("cache_size", { simple: true });
  const usual = kibibytes();
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const results = Promise.allSettled([
    store.withLargeCache(() => first.promise),
    store.withLargeCache(() => second.promise),
  ]);
  const large = kibibytes();
  first.reject(new Error("the file ended"));
  await first.promise.catch(() => undefined);
  expect(kibibytes()).toBe(large);
  second.resolve();
  expect((await results).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  // Negative: kibibytes.
  expect(Number(large)).toBeLessThan(Number(usual));
  expect(kibibytes()).toBe(usual);
});

test("bulk work has a still larger cache and a longer log, and both are as before at its end", async () => {
  await using database = openTestDatabase();
  const { store } = database;
  const sizes = (): number[] =>
    ["cache_size", "wal_autocheckpoint"].map((name) => Math.abs(Number(store.client.pragma(name, { simple: true }))));
  const usual = sizes();
  const large = await store.withLargeCache(async () => sizes());
  const bulk = await store.withLargeCache(async () => sizes(), "bulk");
  expect(large.map((size, place) => size > (usual[place] ?? 0))).toEqual([true, false]);
  expect(bulk.map((size, place) => size > (large[place] ?? 0))).toEqual([true, true]);
  expect(sizes()).toEqual(usual);
});

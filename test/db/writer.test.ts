/** The promises of the group commit, observed from a second connection to the same file. */
import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { type Clock, systemClock } from "#src/core/clock.ts";
import type { Tx } from "#src/db/transaction.ts";
import { column, openTestDatabase, single, standingClock } from "../support/database.ts";

const ROWS = "CREATE TABLE rows (id INTEGER PRIMARY KEY, note TEXT) STRICT";

const insert = (tx: Tx, id: number): void => {
  tx.db.run(sql`INSERT INTO rows (id) VALUES (${id})`);
};

test("every commit is flushed to the disk, and foreign keys are enforced", async () => {
  await using database = openTestDatabase();
  const { client } = database.store;
  const FULL = 2;
  expect(client.pragma("synchronous", { simple: true })).toBe(FULL);
  expect(client.pragma("journal_mode", { simple: true })).toBe("wal");
  expect(client.pragma("foreign_keys", { simple: true })).toBe(1);
});

describe("group commit", () => {
  test("writes queued in one turn share one commit, in the order in which they were queued", async () => {
    await using database = openTestDatabase({
      schema: "CREATE TABLE rows (seq INTEGER PRIMARY KEY, id INTEGER) STRICT",
    });
    const { store } = database;
    const settled: number[] = [];
    const ids = Array.from({ length: 100 }, (_, id) => id);
    await Promise.all(
      ids.map((id) =>
        store
          .write((tx) => {
            tx.db.run(sql`INSERT INTO rows (id) VALUES (${id})`);
            return id;
          })
          .then((value) => settled.push(value)),
      ),
    );
    expect(store.counters).toEqual({ commits: 1, operations: 100, failures: 0 });
    expect(column(database.connect(), "SELECT id FROM rows ORDER BY seq")).toEqual(ids);
    expect(settled).toEqual(ids);
  });

  test("no promise settles before the commit, whether the operation returns or throws", async () => {
    await using database = openTestDatabase({ schema: ROWS });
    const { store } = database;
    const outside = database.connect();
    const seen: unknown[] = [];
    const look = (): void => void seen.push(single(outside, "SELECT count(*) FROM rows"));
    const first = store.write((tx) => insert(tx, 1)).then(look);
    const refused = store
      .write((tx) => {
        // The row that causes the refusal belongs to a neighbour in the group and is not on disk yet.
        expect(tx.db.get(sql`SELECT id FROM rows WHERE id = 1`)).toBeDefined();
        expect(single(outside, "SELECT count(*) FROM rows")).toBe(0);
        throw new Error("taken");
      })
      .catch(look);
    const last = store.write((tx) => insert(tx, 2)).then(look);
    await Promise.all([first, refused, last]);
    expect(seen).toEqual([2, 2, 2]);
  });

  test("an operation alone in its group that throws is rolled back whole and rejects with its own error; the next write is a whole transaction", async () => {
    await using database = openTestDatabase({ schema: ROWS });
    const { store } = database;
    const outside = database.connect();
    const refused = store.write((tx) => {
      insert(tx, 1);
      tx.savepoint(() => insert(tx, 2));
      // A write queued meanwhile belongs to the same turn and is independent of this one's outcome.
      void store.write((other) => insert(other, 3));
      throw new Error("taken");
    });
    await expect(refused).rejects.toThrow("taken");
    await store.write((tx) => insert(tx, 4));
    expect(column(outside, "SELECT id FROM rows ORDER BY id")).toEqual([3, 4]);
    expect(store.counters).toMatchObject({ failures: 0 });
  });

  test("an operation that throws loses its own rows and effects, and no other operation's", async () => {
    const notified: string[] = [];
    await using database = openTestDatabase({ schema: ROWS });
    const { store } = database;
    store.onNotify("post", () => notified.push("post"));
    const effects: string[] = [];
    const results = await Promise.allSettled([
      store.write((tx) => {
        insert(tx, 1);
        tx.afterCommit(() => effects.push("first"));
        tx.notify("post");
      }),
      store.write((tx) => {
        insert(tx, 2);
        tx.afterCommit(() => effects.push("refused"));
        tx.notify("post");
        throw new RangeError("no");
      }),
      store.write((tx) => insert(tx, 1)),
      store.write((tx) => insert(tx, 3)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    expect(results[1]).toMatchObject({ reason: new RangeError("no") });
    expect(results[2]).toMatchObject({ reason: { cause: { code: "SQLITE_CONSTRAINT_PRIMARYKEY" } } });
    expect(column(database.connect(), "SELECT id FROM rows")).toEqual([1, 3]);
    expect(effects).toEqual(["first"]);
    expect(notified).toEqual(["post"]);
    expect(store.counters.commits).toBe(1);
  });

  test("a group of repeatable operations has no savepoints; if one throws after it has written, all run again, each on its own", async () => {
    await using database = openTestDatabase({ schema: ROWS });
    const { store } = database;
    const runs: string[] = [];
    const effects: string[] = [];
    const repeatable = (name: string, work: (tx: Tx) => void): Promise<void> =>
      store.writeRepeatable((tx) => {
        runs.push(name);
        tx.afterCommit(() => effects.push(name));
        work(tx);
      });
    const fail = (): never => {
      throw new RangeError("no");
    };
    const sound = await Promise.allSettled([
      repeatable("first", (tx) => insert(tx, 1)),
      repeatable("refused", fail),
      repeatable("last", (tx) => insert(tx, 2)),
    ]);
    expect(sound.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(runs.splice(0)).toEqual(["first", "refused", "last"]);
    expect(effects.splice(0)).toEqual(["first", "last"]);

    const again = await Promise.allSettled([
      repeatable("first", (tx) => insert(tx, 3)),
      repeatable("fails late", (tx) => {
        insert(tx, 4);
        fail();
      }),
      repeatable("last", (tx) => insert(tx, 5)),
    ]);
    expect(again.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(again[1]).toMatchObject({ reason: new RangeError("no") });
    expect(runs).toEqual(["first", "fails late", "first", "fails late", "last"]);
    expect(effects).toEqual(["first", "last"]);
    expect(column(database.connect(), "SELECT id FROM rows")).toEqual([1, 2, 3, 5]);
    expect(store.counters).toMatchObject({ commits: 2, failures: 0 });
  });

  test("repeatable operations beside others have savepoints like those, and no operation that is not repeatable runs twice", async () => {
    await using database = openTestDatabase({ schema: ROWS });
    const { store } = database;
    let runs = 0;
    const results = await Promise.allSettled([
      store.writeRepeatable((tx) => insert(tx, 1)),
      store.write((tx) => {
        runs += 1;
        insert(tx, 2);
      }),
      store.writeRepeatable((tx) => {
        insert(tx, 3);
        throw new RangeError("no");
      }),
    ]);
    // The second is queued while a group without savepoints runs, and waits for the next group.
    await Promise.all([
      store.writeRepeatable((tx) => {
        void store.write((other) => {
          runs += 1;
          insert(other, 5);
        });
        insert(tx, 4);
      }),
      store.writeRepeatable(() => undefined),
    ]);
    await store.write(() => undefined);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(column(database.connect(), "SELECT id FROM rows ORDER BY id")).toEqual([1, 2, 4, 5]);
    expect(runs).toBe(2);
  });

  test("effects run once the commit is on disk; an effect that throws is reported and does not affect the others", async () => {
    const reported: unknown[] = [];
    await using database = openTestDatabase({ schema: ROWS, onEffectError: (error) => reported.push(error) });
    const { store } = database;
    const outside = database.connect();
    const seen: unknown[] = [];
    await Promise.all([
      store.write((tx) => {
        insert(tx, 1);
        tx.afterCommit(() => {
          throw new Error("an effect");
        });
        tx.afterCommit(() => seen.push(single(outside, "SELECT count(*) FROM rows")));
      }),
      store.write((tx) => insert(tx, 2)),
    ]);
    expect(seen).toEqual([2]);
    expect(reported).toEqual([new Error("an effect")]);
  });

  test("a savepoint that throws rolls back its own rows and effects; the rest of the operation is committed", async () => {
    await using database = openTestDatabase({ schema: ROWS });
    const effects: string[] = [];
    const answer = await database.store.write((tx) => {
      insert(tx, 1);
      tx.afterCommit(() => effects.push("kept"));
      try {
        tx.savepoint(() => {
          insert(tx, 2);
          tx.afterCommit(() => effects.push("rolled back"));
          throw new Error("refused");
        });
      } catch (error) {
        insert(tx, 3);
        return error instanceof Error ? error.message : "?";
      }
      return "not refused";
    });
    expect(answer).toBe("refused");
    expect(column(database.connect(), "SELECT id FROM rows")).toEqual([1, 3]);
    expect(effects).toEqual(["kept"]);
  });

  test("a nested transaction is rolled back whatever it throws, including an error that looks like a failing disk", async () => {
    await using database = openTestDatabase({ schema: ROWS });
    await database.store.write((tx) => {
      insert(tx, 1);
      try {
        tx.savepoint(() => {
          insert(tx, 2);
          throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_READ" });
        });
      } catch {
        // The operation swallows the error: the nested transaction must be rolled back all the same.
      }
    });
    expect(column(database.connect(), "SELECT id FROM rows")).toEqual([1]);
  });

  test("an asynchronous operation or nested transaction is refused at run time and rolled back", async () => {
    await using database = openTestDatabase({ schema: ROWS });
    const { store } = database;
    const never = new Promise<void>(() => {});
    const operation = (tx: Tx): unknown => {
      insert(tx, 1);
      return never;
    };
    const part = (tx: Tx): unknown => {
      insert(tx, 2);
      // The types refuse this too; a cast can bypass them.
      tx.savepoint((): unknown => never);
      return null;
    };
    const results = await Promise.allSettled([
      store.write(operation),
      store.write(part),
      store.write((tx) => insert(tx, 3)),
    ]);
    expect(results.map((result) => (result.status === "rejected" ? String(result.reason) : "done"))).toEqual([
      "TypeError: an operation inside a transaction must not be asynchronous",
      "TypeError: an operation inside a transaction must not be asynchronous",
      "done",
    ]);
    expect(column(database.connect(), "SELECT id FROM rows")).toEqual([3]);
  });

  test("one group holds a bounded number of operations, and the event loop runs between two groups", async () => {
    await using database = openTestDatabase({ schema: ROWS });
    const { store } = database;
    const outside = database.connect();
    const seenBetween = new Set<unknown>();
    const writes = Promise.all(Array.from({ length: 1_000 }, (_, id) => store.write((tx) => insert(tx, id))));
    let isDone = false;
    void writes.then(() => {
      isDone = true;
    });
    while (!isDone) {
      seenBetween.add(single(outside, "SELECT count(*) FROM rows"));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(store.counters.commits).toBe(4);
    expect([...seenBetween]).toEqual(expect.arrayContaining([256, 512, 768]));
  });

  test("slow operations do not pile up in one group", async () => {
    let monotonic = 0;
    const clock: Clock = { ...systemClock, monotonic: () => monotonic };
    await using database = openTestDatabase({ schema: ROWS, clock });
    const slow = (id: number) => (tx: Tx) => {
      insert(tx, id);
      monotonic += 15;
    };
    await Promise.all([1, 2, 3, 4].map((id) => database.store.write(slow(id))));
    expect(database.store.counters.commits).toBe(2);
  });

  test("the time that an operation reads is fixed when it starts", async () => {
    let now = 1_000;
    await using database = openTestDatabase({ schema: ROWS, clock: { ...standingClock, now: () => now++ } });
    const { store } = database;
    const times = await Promise.all([1, 2].map(() => store.write((tx) => [tx.now, tx.now])));
    expect(times[0]?.[0]).toBe(times[0]?.[1]);
    expect(times[1]?.[0]).toBeGreaterThan(times[0]?.[0] ?? 0);
  });

  test("a write queued by an effect goes into the next group", async () => {
    await using database = openTestDatabase({ schema: ROWS });
    const { store } = database;
    const followed = new Promise<void>((resolve) => {
      void store.write((tx) => {
        insert(tx, 1);
        tx.afterCommit(() => resolve(store.write((next) => insert(next, 2))));
      });
    });
    await followed;
    expect(store.counters.commits).toBe(2);
  });

  test("a group whose commit fails rejects every promise and leaves no rows", async () => {
    await using database = openTestDatabase({
      schema: `${ROWS}; CREATE TABLE children (row_id INTEGER REFERENCES rows (id) DEFERRABLE INITIALLY DEFERRED) STRICT`,
    });
    const { store } = database;
    const effects: string[] = [];
    const group = [
      store.write((tx) => {
        insert(tx, 1);
        tx.afterCommit(() => effects.push("ran"));
      }),
      // Deferred: checked only when the transaction ends.
      store.write((tx) => void tx.db.run(sql`INSERT INTO children (row_id) VALUES (404)`)),
      store.write(() => {
        throw new Error("refused");
      }),
    ];
    const results = await Promise.allSettled(group);
    for (const result of results) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "SQLITE_CONSTRAINT_FOREIGNKEY" } });
    }
    expect(effects).toEqual([]);
    expect(single(database.connect(), "SELECT (SELECT count(*) FROM rows) + (SELECT count(*) FROM children)")).toBe(0);
    expect(store.counters).toEqual({ commits: 0, operations: 0, failures: 1 });
    await store.write((tx) => insert(tx, 2));
    expect(column(database.connect(), "SELECT id FROM rows")).toEqual([2]);
  });

  test("after a large group the next one waits for up to two turns, as long as each brings more; who writes alone never waits", async () => {
    const turns: (() => void)[] = [];
    await using database = openTestDatabase({ schema: ROWS, defer: (run) => turns.push(run) });
    const { store } = database;
    let id = 0;
    const writes: Promise<unknown>[] = [];
    const queue = (count: number): void => {
      for (let i = 0; i < count; i += 1) {
        id += 1;
        const row = id;
        writes.push(store.write((tx) => insert(tx, row)));
      }
    };
    /** Queues `brought[n]` writes in turn n, and returns the sizes of the groups that were committed. */
    const groups = (...brought: number[]): number[] => {
      const sizes: number[] = [];
      let before = store.counters.operations;
      for (let turn = 0; turn < brought.length || turns.length > 0; turn += 1) {
        queue(brought[turn] ?? 0);
        turns.shift()?.();
        if (store.counters.operations > before) sizes.push(store.counters.operations - before);
        before = store.counters.operations;
      }
      return sizes;
    };
    expect(groups(1, 1, 1)).toEqual([1, 1, 1]);
    expect(groups(3, 3)).toEqual([3, 3]);
    expect(groups(4)).toEqual([4]);
    expect(groups(1)).toEqual([1]);
    expect(groups(4)).toEqual([4]);
    expect(groups(1, 0, 5)).toEqual([1, 5]);
    expect(groups(4, 3, 2, 2)).toEqual([9, 2]);
    await Promise.all(writes);
    expect(single(database.connect(), "SELECT count(*) FROM rows")).toBe(id);
  });

  test("writes that are queued when the store is closed are rejected, not dropped", async () => {
    await using database = openTestDatabase({ schema: ROWS });
    const { store } = database;
    const write = store.write((tx) => insert(tx, 1));
    database.reopen();
    expect(await write.catch((error: unknown) => error)).toBeInstanceOf(Error);
    expect(single(database.connect(), "SELECT count(*) FROM rows")).toBe(0);
  });
});

describe("read transactions", () => {
  test("a read transaction sees one state, ends even when it throws, and does not block writing", async () => {
    await using database = openTestDatabase({ schema: ROWS });
    const { store } = database;
    const outside = database.connect();
    const counts = store.read(({ db }) => {
      const before = db.get<{ n: number }>(sql`SELECT count(*) AS n FROM rows`).n;
      outside.exec("INSERT INTO rows (id) VALUES (7)");
      return [before, db.get<{ n: number }>(sql`SELECT count(*) AS n FROM rows`).n];
    });
    expect(counts).toEqual([0, 0]);
    expect(() =>
      store.read(() => {
        throw new Error("a query");
      }),
    ).toThrow("a query");
    await store.write((tx) => insert(tx, 8));
    expect(store.read(({ db }) => db.get<{ n: number }>(sql`SELECT count(*) AS n FROM rows`).n)).toBe(2);
  });

  test("dataVersion changes with another process's commit and not with our own", async () => {
    await using database = openTestDatabase({ schema: ROWS });
    const { store } = database;
    const before = store.dataVersion();
    await store.write((tx) => insert(tx, 1));
    expect(store.dataVersion()).toBe(before);
    database.connect().exec("INSERT INTO rows (id) VALUES (2)");
    expect(store.dataVersion()).not.toBe(before);
  });
});

/** What the group commit promises when the disk is full, or when another process holds the file. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { Clock } from "#src/core/clock.ts";
import { isStorageFailure, StorageUnavailable } from "#src/db/failure.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import {
  column,
  jumpingClock,
  openTestDatabase,
  single,
  standingClock,
  type TestDatabase,
} from "../support/database.ts";

// Real processes and real commits on a machine that may be busy with other tests.
setDefaultTimeout(60_000);

const SCHEMA = `
  CREATE TABLE rows (id INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE bodies (id INTEGER PRIMARY KEY, body TEXT) STRICT;
`;

const insert = (tx: Tx, id: number): void => {
  tx.db.run(sql`INSERT INTO rows (id) VALUES (${id})`);
};

const insertBig = (tx: Tx): void => {
  tx.db.run(sql`INSERT INTO bodies (body) VALUES (${"x".repeat(200_000)})`);
};

const ignoring = (run: () => void): void => {
  try {
    run();
  } catch {
    // As an operation does that believes it knows the cause of the error.
  }
};

/** From now on the file may grow by two pages at most. */
function fill(store: Store): void {
  store.client.pragma(`max_page_count = ${Number(store.client.pragma("page_count", { simple: true })) + 2}`);
}

function empty(store: Store): void {
  store.client.pragma("max_page_count = 1000000");
}

async function expectAllUnavailable(writes: Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(writes)) {
    expect(result.status === "rejected" && result.reason).toBeInstanceOf(StorageUnavailable);
  }
}

/** Compares the rows as another connection sees them, and as they are after a restart. */
async function expectRows(database: TestDatabase, ids: number[]): Promise<void> {
  expect(column(database.connect(), "SELECT id FROM rows ORDER BY id")).toEqual(ids);
  const { client } = database.reopen();
  expect(column(client, "SELECT id FROM rows ORDER BY id")).toEqual(ids);
  expect(single(client, "PRAGMA integrity_check")).toBe("ok");
}

/** Ways in which an operation may meet a full disk and hide it. */
const encounters: Record<string, (tx: Tx) => void> = {
  "lets the error out": insertBig,
  "catches the driver's error": (tx) => ignoring(() => insertBig(tx)),
  "catches it and continues to write": (tx) => {
    ignoring(() => insertBig(tx));
    insert(tx, 101);
  },
  "catches it, and every error after it": (tx) => {
    ignoring(() => insertBig(tx));
    ignoring(() => insert(tx, 101));
    ignoring(() => void tx.db.get(sql`INSERT INTO rows (id) VALUES (102) RETURNING id`));
    ignoring(() => void tx.db.all(sql`INSERT INTO rows (id) VALUES (103) RETURNING id`));
  },
  "catches it and continues in a nested transaction": (tx) => {
    ignoring(() => insertBig(tx));
    ignoring(() => tx.savepoint(() => insert(tx, 101)));
  },
  "meets it in a nested transaction and continues after it": (tx) => {
    ignoring(() => tx.savepoint(() => insertBig(tx)));
    ignoring(() => insert(tx, 101));
  },
  "meets it in a part that knows nothing of it": (tx) => {
    ignoring(() =>
      tx.savepoint(() => {
        insert(tx, 100);
        ignoring(() => insertBig(tx));
      }),
    );
    ignoring(() => insert(tx, 101));
  },
  "meets it, then throws something else": (tx) => {
    ignoring(() => insertBig(tx));
    throw new RangeError("something else");
  },
};

describe("a full disk", () => {
  for (const [how, meet] of Object.entries(encounters)) {
    test(`no promise of the group resolves and the file is unchanged when one operation ${how}`, async () => {
      await using database = openTestDatabase({ schema: SCHEMA });
      const { store } = database;
      await store.write((tx) => insert(tx, 1));
      fill(store);
      const effects: string[] = [];
      const group = [
        store.write((tx) => {
          insert(tx, 2);
          tx.afterCommit(() => effects.push("before"));
        }),
        store.write(() => {
          throw new Error("a refusal that may rest on what is lost now");
        }),
        store.write((tx) => {
          tx.afterCommit(() => effects.push("in it"));
          meet(tx);
        }),
      ];
      // Queued in the same turn. In the lost transaction it would be committed alone; instead it gets a new group.
      const next = store.write((tx) => {
        insert(tx, 3);
        return store.counters.failures;
      });
      await expectAllUnavailable(group);
      expect(await next).toBe(1);
      expect(effects).toEqual([]);
      expect(column(database.connect(), "SELECT id FROM rows ORDER BY id")).toEqual([1, 3]);
      empty(store);
      await store.write((tx) => {
        insertBig(tx);
        insert(tx, 5);
      });
      await expectRows(database, [1, 3, 5]);
    });
  }

  test("a storage failure is recognised when Drizzle has wrapped it", () => {
    const full = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
    expect(isStorageFailure(full)).toBe(true);
    expect(isStorageFailure(new Error("Failed to run the query", { cause: full }))).toBe(true);
    expect(isStorageFailure(new StorageUnavailable("x"))).toBe(true);
    expect(isStorageFailure(Object.assign(new Error("busy"), { code: "SQLITE_BUSY" }))).toBe(false);
    expect(isStorageFailure(new Error("SQLITE_FULL"))).toBe(false);
    for (const other of [null, undefined, "SQLITE_FULL", 13]) expect(isStorageFailure(other)).toBe(false);
  });

  test("the rejection carries the disk's error, not the one that the operation threw instead", async () => {
    await using database = openTestDatabase({ schema: SCHEMA });
    fill(database.store);
    const write = database.store.write((tx) => {
      ignoring(() => insertBig(tx));
      throw new RangeError("something else");
    });
    expect(await write.catch((error: unknown) => error)).toMatchObject({ cause: { code: "SQLITE_FULL" } });
  });

  test("reads still work while the disk is full", async () => {
    await using database = openTestDatabase({ schema: SCHEMA });
    const { store } = database;
    await store.write((tx) => insert(tx, 1));
    fill(store);
    await expectAllUnavailable([store.write(insertBig)]);
    expect(store.read(({ db }) => db.all(sql`SELECT id FROM rows`))).toEqual([{ id: 1 }]);
  });
});

test("on a file that may only be read, writes are rejected as unavailable and not as a bug of the operation", async () => {
  await using database = openTestDatabase({ schema: SCHEMA });
  const { store } = database;
  store.client.pragma("query_only = ON");
  await expectAllUnavailable([store.write((tx) => insert(tx, 1)), store.write((tx) => insert(tx, 2))]);
  store.client.pragma("query_only = OFF");
  await store.write((tx) => insert(tx, 3));
  await expectRows(database, [3]);
});

describe("while another process holds the write lock", () => {
  test("a write waits without blocking the event loop, and succeeds", async () => {
    let retryCount = 0;
    const thirdRetry = Promise.withResolvers<void>();
    const clock: Clock = {
      ...standingClock,
      setTimer: (delayMs, fire) => {
        if (++retryCount === 3) thirdRetry.resolve();
        return standingClock.setTimer(delayMs, fire);
      },
    };
    await using database = openTestDatabase({ schema: SCHEMA, clock });
    const { store } = database;
    const other = database.spawn("write-lock", database.path);
    expect(await other.line()).toBe("held");
    let isWritten = false;
    const write = store
      .write((tx) => insert(tx, 1))
      .then(() => {
        isWritten = true;
      });
    const second = store.write((tx) => insert(tx, 2));
    // If the event loop were blocked, this test could not tell the other process to let go.
    await thirdRetry.promise;
    expect(isWritten).toBe(false);
    expect(store.hasQueuedWrites).toBe(true);
    expect(store.read(({ db }) => db.all(sql`SELECT id FROM rows`))).toEqual([]);
    other.tell("release");
    await Promise.all([write, second]);
    expect(await other.exited).toBe(0);
    await expectRows(database, [1, 2]);
    expect(store.counters).toEqual({ commits: 1, operations: 2, failures: 0 });
  });

  test("a write succeeds as soon as that process dies", async () => {
    await using database = openTestDatabase({ schema: SCHEMA });
    const other = database.spawn("write-lock", database.path);
    expect(await other.line()).toBe("held");
    const write = database.store.write((tx) => insert(tx, 1));
    await other.kill();
    await write;
    await expectRows(database, [1]);
  });

  test("every write that waits too long is rejected as unavailable, and the next write works", async () => {
    const clock = jumpingClock();
    await using database = openTestDatabase({ schema: SCHEMA, clock });
    const { store } = database;
    const outside = database.connect();
    outside.exec("BEGIN IMMEDIATE");
    const startedAt = clock.monotonic();
    const first = store.write((tx) => insert(tx, 1));
    const second = store.write((tx) => insert(tx, 2));
    await expectAllUnavailable([first, second]);
    const waitedMs = clock.monotonic() - startedAt;
    expect(waitedMs).toBeGreaterThan(10_000);
    expect(waitedMs).toBeLessThan(30_000);
    expect(store.hasQueuedWrites).toBe(false);
    // The next write waits the full time again.
    const timersBefore = clock.timerCount;
    const third = store.write((tx) => insert(tx, 3));
    while (clock.timerCount < timersBefore + 10) await new Promise((resolve) => setImmediate(resolve));
    outside.exec("COMMIT");
    await third;
    await expectRows(database, [3]);
  });
});

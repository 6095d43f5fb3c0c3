/** The reader: a second thread with its own read-only connection, which never blocks writes. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { FairReader } from "#src/db/fair-reader.ts";
import { withinBudget } from "#src/db/query-budget.ts";
import { type ClosableReader, closeReaders, createReader } from "#src/db/reader.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

// Real processes and real commits on a machine that may be busy with other tests.
setDefaultTimeout(60_000);

const SCHEMA = "CREATE TABLE rows (id INTEGER PRIMARY KEY, name TEXT, body BLOB) STRICT";

/** Takes a while, on the reader's thread only. */
const LONG =
  "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT count(*) AS n FROM n";
const FOR_EVER = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS n FROM n WHERE ${withinBudget("i")}`;

interface Opened extends AsyncDisposable {
  database: TestDatabase;
  reader: ClosableReader;
}

function open(): Opened {
  const database = openTestDatabase({ schema: SCHEMA });
  const reader = createReader(database.path);
  return {
    database,
    reader,
    async [Symbol.asyncDispose]() {
      reader.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

test("rows are returned as they are stored, each query's to its own caller", async () => {
  await using opened = open();
  const { database, reader } = opened;
  await database.store.write((tx) => {
    tx.db.run(sql`INSERT INTO rows VALUES (1, 'café', ${Buffer.from([0, 255])}), (2, NULL, NULL)`);
  });
  const answers = await Promise.all([
    reader.query("SELECT * FROM rows WHERE id = ?", [1]),
    reader.query("SELECT * FROM rows WHERE name IS ?", [null]),
    reader.query("SELECT * FROM rows WHERE name = ?", ["nobody"]),
  ]);
  expect(answers).toEqual([
    [{ id: 1, name: "café", body: expect.anything() }],
    [{ id: 2, name: null, body: null }],
    [],
  ]);
  expect(answers[0]?.[0]?.body).toEqual(new Uint8Array([0, 255]));
});

test("the reader sees committed rows and nothing uncommitted", async () => {
  await using opened = open();
  const { database, reader } = opened;
  const count = async (): Promise<unknown> => (await reader.query("SELECT count(*) AS n FROM rows"))[0]?.n;
  expect(await count()).toBe(0);
  const outside = database.connect();
  outside.exec("BEGIN IMMEDIATE; INSERT INTO rows (id) VALUES (1)");
  expect(await count()).toBe(0);
  outside.exec("COMMIT");
  expect(await count()).toBe(1);
  await database.store.write((tx) => void tx.db.run(sql`INSERT INTO rows (id) VALUES (2)`));
  expect(await count()).toBe(2);
});

test("writes proceed while the reader answers a long query", async () => {
  await using opened = open();
  const { database, reader } = opened;
  let isAnswered = false;
  const answer = reader.query(LONG).then((rows) => {
    isAnswered = true;
    return rows;
  });
  await database.store.write((tx) => void tx.db.run(sql`INSERT INTO rows (id) VALUES (1)`));
  expect(isAnswered).toBe(false);
  expect(await answer).toEqual([{ n: 3_000_000 }]);
});

test("a query that fails is rejected with SQLite's reason, and the next one is answered", async () => {
  await using opened = open();
  const { reader } = opened;
  const wrong = await reader.query("SELECT * FROM nowhere").catch((error: unknown) => error);
  expect(wrong).toEqual(new Error("no such table: nowhere"));
  expect(await reader.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
});

test("the reader cannot write", async () => {
  await using opened = open();
  const { database, reader } = opened;
  for (const text of ["INSERT INTO rows (id) VALUES (1) RETURNING id", "DELETE FROM rows", "DROP TABLE rows"]) {
    expect(await reader.query(text).catch((error: unknown) => error)).toBeInstanceOf(Error);
  }
  expect(database.store.read(({ db }) => db.all(sql`SELECT * FROM rows`))).toEqual([]);
});

test("closing the reader rejects open queries and all later ones", async () => {
  await using opened = open();
  const { reader } = opened;
  await reader.query("SELECT 1");
  const pending = [reader.query(FOR_EVER), reader.query("SELECT 1")].map((query) =>
    query.catch((error: unknown) => error),
  );
  reader.close();
  expect(await Promise.all(pending)).toEqual([new Error("the reader was closed"), new Error("the reader was closed")]);
  expect(await reader.query("SELECT 1").catch((error: unknown) => error)).toEqual(new Error("the reader was closed"));
  reader.close();
});

test("a closed reader has the database closed, so the writer is the last to close it and removes the log", async () => {
  const states = {
    started: (reader: ClosableReader) => void reader.query("SELECT 1").catch(() => undefined),
    idle: async (reader: ClosableReader) => void (await reader.query("SELECT 1")),
    "in the middle of a scan": async (reader: ClosableReader) => {
      await reader.query("SELECT 1");
      reader.query(FOR_EVER).catch(() => undefined);
    },
  };
  for (const [state, bring] of Object.entries(states)) {
    for (let round = 0; round < 10; round += 1) {
      await using database = openTestDatabase({ schema: SCHEMA });
      await database.store.write((tx) => void tx.db.run(sql`INSERT INTO rows (id) VALUES (1)`));
      const readers = [createReader(database.path), createReader(database.path)];
      await Promise.all(readers.map(bring));
      closeReaders(readers);
      database.store.close();
      expect([state, existsSync(`${database.path}-wal`)]).toEqual([state, false]);
    }
  }
});

test("a missing database rejects the query instead of leaving it open", async () => {
  const reader = createReader("/nowhere/waxwing.db");
  const answer = await reader.query("SELECT 1").catch((error: unknown) => error);
  expect(answer).toBeInstanceOf(Error);
  reader.close();
});

test("a process whose reader is closed in the middle of a scan ends, and so does a scan over its budget", async () => {
  await using opened = open();
  const program = `
    import { createReader } from "#src/db/reader.ts";
    const path = ${JSON.stringify(opened.database.path)};
    const patient = createReader(path);
    await patient.query("SELECT 1");
    const running = patient.query(${JSON.stringify(FOR_EVER)}).catch((error) => error.message);
    const quick = createReader(path, 20);
    console.log(await quick.query(${JSON.stringify(FOR_EVER)}).catch((error) => error.name + ": " + error.message));
    console.log(JSON.stringify(await quick.query("SELECT 1 AS one")));
    quick.close();
    patient.close();
    console.log(await running);
  `;
  const child = Bun.spawn([process.execPath, "-e", program], { cwd: join(import.meta.dir, "../.."), stdout: "pipe" });
  expect(await new Response(child.stdout).text()).toBe(
    'QueryOverBudget: the query took longer than 20 ms\n[{"one":1}]\nthe reader was closed\n',
  );
  expect(await child.exited).toBe(0);
});

describe("shared by workspaces", () => {
  /** A reader that answers when told. */
  function startFair(threads: number) {
    const running: { sql: string; finish: () => void }[] = [];
    let started = 0;
    const fair = new FairReader(() => {
      started += 1;
      return {
        query: (sql) => new Promise((resolve) => running.push({ sql, finish: () => resolve([]) })),
        hasPendingQueries: false,
        close: () => undefined,
        waitUntilClosed: () => undefined,
      };
    }, threads);
    const finish = async (sql: string): Promise<void> => {
      const index = running.findIndex((one) => one.sql === sql);
      running.splice(index, 1)[0]?.finish();
      await Bun.sleep(0);
    };
    return { fair, finish, started: () => started, running: () => running.map(({ sql }) => sql) };
  }

  test("a workspace has one query running at a time, and workspaces take turns", async () => {
    const { fair, finish, running, started } = startFair(2);
    const [one, two, three] = [fair.of(1), fair.of(2), fair.of(3)];
    for (const sql of ["1a", "1b", "1c"]) void one.query(sql);
    expect([running(), started()]).toEqual([["1a"], 1]);
    void two.query("2a");
    void two.query("2b");
    void three.query("3a");
    expect([running(), started()]).toEqual([["1a", "2a"], 2]);
    await finish("1a");
    expect(running()).toEqual(["2a", "3a"].toSorted());
    await finish("2a");
    expect(running().toSorted()).toEqual(["1b", "3a"]);
    await finish("3a");
    expect(running().toSorted()).toEqual(["1b", "2b"]);
    await finish("1b");
    expect(running().toSorted()).toEqual(["1c", "2b"]);
    await finish("1c");
    await finish("2b");
    expect([running(), started(), fair.hasPendingQueries]).toEqual([[], 2, false]);
  });

  test("closing rejects what waits", async () => {
    const { fair } = startFair(1);
    void fair.of(1).query("1a");
    const waiting = fair
      .of(2)
      .query("2a")
      .catch((error: unknown) => error);
    fair.close();
    expect(await waiting).toEqual(new Error("the reader was closed"));
  });
});

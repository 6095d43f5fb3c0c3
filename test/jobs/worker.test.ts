/** The worker's loop: who is served when, what a fault costs, and that nothing stays behind. The test moves the time. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Store } from "#src/db/store.ts";
import { reclaimJobs } from "#src/jobs/claim.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { type OutboxRow, outbox } from "#src/jobs/table.ts";
import { Worker, type WorkerOptions } from "#src/jobs/worker.ts";
import { TestClock } from "../support/clock.ts";
import { openTestDatabase } from "../support/database.ts";
import { addNew, createTakenTable, enqueueTaken, finishAny, listTaken } from "../support/taken-jobs.ts";

// Real processes and real commits on a machine that may be busy with other tests.
setDefaultTimeout(60_000);

const KIND = "deliver_webhook";

interface Stage extends AsyncDisposable {
  store: Store;
  clock: TestClock;
  worker: Worker;
  /** Subjects in the order in which they were begun. */
  begun: number[];
  errors: unknown[];
  /** Lets the work on a subject end, or fail. */
  end(subject: number): Promise<void>;
  fail(subject: number, error: Error): Promise<void>;
  ask(subject: number, given?: { key?: number; delayMs?: number }): Promise<void>;
  /** New jobs, all in one commit. */
  askNew(...subjects: number[]): Promise<void>;
  rows(): OutboxRow[];
  /** Subjects whose jobs are in memory. */
  taken(): number[];
}

/** Work that lasts until the test says so; with `instant`, work that is done at once. */
async function stage(given: Partial<WorkerOptions> & { instant?: boolean } = {}): Promise<Stage> {
  const clock = new TestClock();
  const database = openTestDatabase({ schema: true, clock });
  const { store } = database;
  createTakenTable(store);
  clock.progress = () => store.counters.operations + store.counters.failures + begun.length;
  const begun: number[] = [];
  const errors: unknown[] = [];
  const underWay = new Map<number, PromiseWithResolvers<void>>();
  const worker = new Worker({
    store,
    clock,
    runId: "boot",
    kind: KIND,
    concurrency: () => 2,
    onError: (error) => errors.push(error),
    perform: async (row) => {
      begun.push(row.subject);
      if (given.instant !== true) {
        const end = Promise.withResolvers<void>();
        underWay.set(row.subject, end);
        await end.promise;
      }
      await store.write((tx) => finishAny(tx, row));
      return null;
    },
    ...given,
  });
  store.onNotify(KIND, () => worker.notify());
  const settle = async (subject: number, error?: Error): Promise<void> => {
    const end = underWay.get(subject);
    if (end === undefined) throw new Error(`no worker has ${subject}`);
    underWay.delete(subject);
    if (error === undefined) end.resolve();
    else end.reject(error);
    await clock.rest();
  };
  worker.start();
  await clock.rest();
  return {
    store,
    clock,
    worker,
    begun,
    errors,
    end: (subject) => settle(subject),
    fail: settle,
    async ask(subject, { key: queueKey = 1, delayMs = 0 } = {}) {
      await store.write((tx) => enqueue(tx, { kind: KIND, subject, queueKey, dueAt: tx.now + delayMs }));
      await clock.rest();
    },
    async askNew(...subjects) {
      await store.write((tx) => {
        for (const subject of subjects) addNew(tx, { kind: KIND, subject, queueKey: 1 });
      });
      await clock.rest();
    },
    rows: () => store.read(({ db }) => db.select().from(outbox).all()),
    taken: () => store.read(listTaken),
    async [Symbol.asyncDispose]() {
      worker.stop();
      await database[Symbol.asyncDispose]();
    },
  };
}

test("work is begun at the commit that asks for it, without waiting for a timer", async () => {
  await using on = await stage();
  await on.ask(1);
  expect(on.begun).toEqual([1]);
  expect(on.rows()).toMatchObject([{ runId: "boot" }]);
  expect(on.worker.isActive).toBe(true);
  await on.end(1);
  expect(on.rows()).toEqual([]);
  expect(on.worker.isActive).toBe(false);
});

test("work for later is begun at its time, and earlier when it is asked for again", async () => {
  await using on = await stage({ instant: true });
  await on.ask(1, { delayMs: 60_000 });
  await on.ask(2, { delayMs: 30_000 });
  await on.clock.advance(29_999);
  expect(on.begun).toEqual([]);
  await on.clock.advance(1);
  expect(on.begun).toEqual([2]);
  await on.ask(1, { delayMs: 5_000 });
  await on.clock.advance(5_000);
  expect(on.begun).toEqual([2, 1]);
});

test("work that is months away does not keep a timer for longer than ten minutes at a time", async () => {
  await using on = await stage({ instant: true });
  await on.ask(1, { delayMs: 40 * 24 * 60 * 60 * 1_000 });
  // A row that is written without a notification is found at the next poll.
  on.store.client.exec("UPDATE outbox SET due_at = 0");
  await on.clock.advance(600_000);
  expect(on.begun).toEqual([1]);
});

describe("queue keys", () => {
  test("each has a bounded number in flight, and the next begins when one ends", async () => {
    await using on = await stage();
    for (const subject of [1, 2, 3, 4]) await on.ask(subject);
    expect(on.begun).toEqual([1, 2]);
    await on.end(2);
    expect(on.begun).toEqual([1, 2, 3]);
    await on.end(1);
    await on.end(3);
    expect(on.begun).toEqual([1, 2, 3, 4]);
  });

  test("one whose work hangs delays no other, however much is waiting in it", async () => {
    await using on = await stage();
    for (let subject = 1; subject <= 20; subject++) await on.ask(subject, { key: 1 });
    expect(on.begun).toEqual([1, 2]);
    const at = on.clock.now();
    for (const [subject, key] of [
      [101, 2],
      [102, 3],
      [103, 2],
    ] as const) {
      await on.ask(subject, { key });
      expect(on.begun.at(-1)).toBe(subject);
      await on.end(subject);
    }
    expect(on.clock.now()).toBe(at);
    expect(on.rows().every(({ queueKey }) => queueKey === 1)).toBe(true);
  });

  test("a backlog at the start is shared: every key begins in the first round", async () => {
    await using on = await stage();
    on.worker.stop();
    await on.store.write((tx) => {
      for (let subject = 1; subject <= 30; subject++) {
        enqueue(tx, { kind: KIND, subject, queueKey: subject <= 25 ? 1 : subject, dueAt: tx.now });
      }
    });
    on.worker.start();
    await on.clock.rest();
    expect(on.begun.toSorted((a, b) => a - b)).toEqual([1, 2, 26, 27, 28, 29, 30]);
  });

  test("how many may be in flight is asked for each time", async () => {
    let max = 1;
    await using on = await stage({ concurrency: () => max });
    for (const subject of [1, 2, 3]) await on.ask(subject);
    expect(on.begun).toEqual([1]);
    max = 3;
    on.worker.notify();
    await on.clock.rest();
    expect(on.begun).toEqual([1, 2, 3]);
  });
});

describe("a fault", () => {
  test("in the work is reported, gives the row back and tries it again later", async () => {
    await using on = await stage();
    await on.ask(1);
    const at = on.clock.now();
    await on.fail(1, new Error("a bug"));
    expect(on.errors).toEqual([new Error("a bug")]);
    expect(on.rows()).toMatchObject([{ subject: 1, runId: null }]);
    expect(on.rows()[0]?.dueAt).toBeGreaterThan(at);
    expect(on.begun).toEqual([1]);
    await on.clock.advance(10_000);
    expect(on.begun).toEqual([1, 1]);
    await on.end(1);
    expect(on.rows()).toEqual([]);
  });

  test("that lasts holds up neither its own key nor others for longer than its wait", async () => {
    await using on = await stage();
    await on.ask(1);
    await on.ask(2);
    await on.ask(3);
    await on.fail(1, new Error("again"));
    expect(on.begun).toEqual([1, 2, 3]);
  });

  test("of the disk while claiming is reported, and claiming resumes when it is over", async () => {
    await using on = await stage({ instant: true });
    on.worker.stop();
    await on.ask(1);
    on.store.client.pragma("query_only = ON");
    on.worker.start();
    await on.clock.rest();
    expect(on.errors.length).toBe(1);
    expect(on.begun).toEqual([]);
    on.store.client.pragma("query_only = OFF");
    await on.clock.advance(10_000);
    expect(on.begun).toEqual([1]);
    expect(on.rows()).toEqual([]);
  });

  test("of the disk while giving back is outlasted: the row is free again once it can be written", async () => {
    await using on = await stage();
    await on.ask(1);
    on.store.client.pragma("query_only = ON");
    await on.fail(1, new Error("a bug"));
    expect(on.rows()).toMatchObject([{ runId: "boot" }]);
    on.store.client.pragma("query_only = OFF");
    await on.clock.advance(5_000);
    expect(on.rows()).toMatchObject([{ runId: null }]);
    await on.clock.advance(5_000);
    expect(on.begun).toEqual([1, 1]);
  });

  test("of a wall clock that is set back between looking and claiming costs no more than a look", async () => {
    await using on = await stage({ instant: true });
    const { clock, store } = on;
    const now = clock.now.bind(clock);
    on.worker.stop();
    await on.ask(1);
    // The look sees today, the claim (which asks inside its transaction) yesterday.
    let asked = 0;
    clock.now = () => (asked++ < 2 ? now() : now() - 1_000);
    on.worker.start();
    await clock.rest();
    expect(on.begun).toEqual([]);
    clock.now = now;
    await clock.advance(600_000);
    expect(on.begun).toEqual([1]);
    expect(store.counters.failures).toBe(0);
  });
});

describe("stopping", () => {
  test("begins nothing new, lets what is in flight end, and leaves the rest for the next start", async () => {
    await using on = await stage();
    for (const subject of [1, 2, 3]) await on.ask(subject);
    on.worker.stop();
    await on.end(1);
    await on.ask(4);
    expect(on.begun).toEqual([1, 2]);
    expect(on.worker.isActive).toBe(true);
    await on.end(2);
    expect(on.worker.isActive).toBe(false);
    expect(on.rows().map(({ subject, runId }) => [subject, runId])).toEqual([
      [3, null],
      [4, null],
    ]);
    on.worker.start();
    await on.clock.rest();
    expect(on.begun).toEqual([1, 2, 3, 4]);
  });

  test("while a claim is in flight leaves no claimed job without a worker", async () => {
    await using on = await stage({ instant: true });
    on.worker.stop();
    await on.ask(1);
    on.worker.start();
    on.worker.stop();
    await on.clock.rest();
    expect(on.worker.isActive).toBe(false);
    expect(on.rows().filter(({ runId }) => runId !== null)).toEqual([]);
  });

  test("leaves no timer behind, also when its last look failed", async () => {
    await using on = await stage();
    const { clock, store, worker } = on;
    await on.ask(1, { delayMs: 60_000 });
    worker.stop();
    await clock.rest();
    let timerCount = 0;
    const setTimer = clock.setTimer.bind(clock);
    clock.setTimer = (delayMs, fire) => {
      timerCount += 1;
      return setTimer(delayMs, fire);
    };
    store.client.pragma("query_only = ON");
    store.client.exec("PRAGMA query_only = OFF; UPDATE outbox SET due_at = 0; PRAGMA query_only = ON");
    worker.start();
    worker.stop();
    await clock.rest();
    expect(on.errors.length).toBe(1);
    expect(timerCount).toBe(0);
    await clock.advance(3_600_000);
    expect(on.begun).toEqual([]);
  });

  test("in the middle of work that fails gives the row to the next boot at the latest", async () => {
    await using on = await stage();
    await on.ask(1);
    on.worker.stop();
    on.store.client.pragma("query_only = ON");
    await on.fail(1, new Error("closed"));
    expect(on.worker.isActive).toBe(false);
    on.store.client.pragma("query_only = OFF");
    expect(on.rows()).toMatchObject([{ runId: "boot" }]);
    expect(await on.store.write((tx) => reclaimJobs(tx, "next"))).toBe(1);
    expect(on.rows()).toMatchObject([{ runId: null }]);
  });
});

describe("a new job", () => {
  test("is taken by memory, and begun at the commit that stores its subject", async () => {
    await using on = await stage({ enqueueTaken });
    const before = on.store.counters.commits;
    await on.askNew(1);
    expect(on.begun).toEqual([1]);
    expect([on.taken(), on.rows()]).toEqual([[1], []]);
    expect(on.store.counters.commits).toBe(before + 1);
    await on.end(1);
    expect([on.taken(), on.rows()]).toEqual([[], []]);
    expect(on.worker.isActive).toBe(false);
  });

  test("waits in memory until its queue has room, in the order of arrival", async () => {
    await using on = await stage({ enqueueTaken });
    await on.askNew(1, 2, 3, 4);
    expect(on.begun).toEqual([1, 2]);
    expect([on.taken(), on.rows()]).toEqual([[1, 2, 3, 4], []]);
    await on.end(2);
    await on.end(1);
    expect(on.begun).toEqual([1, 2, 3, 4]);
    await on.end(4);
    expect(on.worker.isActive).toBe(true);
    await on.end(3);
    expect([on.taken(), on.rows(), on.worker.isActive]).toEqual([[], [], false]);
  });

  test("that is rolled back is never begun", async () => {
    await using on = await stage({ enqueueTaken });
    const refused = on.store.write((tx) => {
      addNew(tx, { kind: KIND, subject: 1, queueKey: 1 });
      throw new Error("refused");
    });
    await expect(refused).rejects.toThrow("refused");
    await on.clock.rest();
    expect([on.begun, on.taken(), on.rows()]).toEqual([[], [], []]);
  });

  test("is enqueued behind jobs that are due there, so that they do not starve", async () => {
    await using on = await stage({ enqueueTaken });
    await on.askNew(1, 2);
    for (const subject of [11, 12]) await on.ask(subject);
    await on.askNew(3);
    expect(on.taken()).toEqual([1, 2]);
    expect(on.rows().map(({ subject, runId }) => [subject, runId])).toEqual([
      [11, null],
      [12, null],
      [3, null],
    ]);
    for (const subject of [1, 2]) await on.end(subject);
    expect(on.begun.toSorted((a, b) => a - b)).toEqual([1, 2, 11, 12]);
    for (const subject of [11, 12, 3]) await on.end(subject);
    expect(on.rows()).toEqual([]);
    await on.askNew(4);
    expect([on.taken(), on.rows()]).toEqual([[4], []]);
  });

  test("beyond a bounded number that wait is enqueued", async () => {
    await using on = await stage({ enqueueTaken });
    await on.askNew(...Array.from({ length: 10_010 }, (_, index) => index));
    await on.askNew(20_000, 20_001);
    expect(on.rows()).toMatchObject([{ subject: 20_000 }, { subject: 20_001 }]);
    expect(on.begun).toEqual([0, 1]);
  });

  test("that waits in memory is enqueued when the worker stops, and so is one that fails", async () => {
    await using on = await stage({ enqueueTaken });
    await on.askNew(1, 2, 3, 4);
    on.worker.stop();
    expect(on.worker.isActive).toBe(true);
    await on.clock.rest();
    await on.askNew(5);
    await on.end(1);
    await on.fail(2, new Error("disk I/O error"));
    expect([on.taken(), on.worker.isActive]).toEqual([[], false]);
    expect(on.rows().map(({ subject, runId }) => [subject, runId])).toEqual([
      [3, null],
      [4, null],
      [5, null],
      [2, null],
    ]);
    on.worker.start();
    await on.clock.rest();
    expect(on.begun).toEqual([1, 2, 3, 4]);
  });

  test("of a queue that may have more in flight again: all that it may begin", async () => {
    let max = 1;
    await using on = await stage({ enqueueTaken, concurrency: () => max });
    await on.askNew(1, 2, 3, 4, 5);
    expect(on.begun).toEqual([1]);
    max = 3;
    await on.end(1);
    expect(on.begun.toSorted()).toEqual([1, 2, 3, 4]);
  });

  test("waits as long as its queue has more in flight than it may", async () => {
    let max = 3;
    await using on = await stage({ enqueueTaken, concurrency: () => max });
    await on.askNew(1, 2, 3, 4);
    max = 1;
    await on.end(1);
    await on.end(2);
    expect(on.begun).toEqual([1, 2, 3]);
    await on.end(3);
    expect(on.begun).toEqual([1, 2, 3, 4]);
  });

  test("is not lost when the look-up of another queue's limit fails", async () => {
    let isFailing = false;
    const concurrency = (_: unknown, key: number): number => {
      if (!isFailing || key !== 2) return 1;
      isFailing = false;
      throw new Error("disk I/O error");
    };
    await using on = await stage({ enqueueTaken, concurrency });
    for (const [subject, queueKey] of [
      [1, 1],
      [2, 1],
      [3, 2],
      [4, 2],
    ] as const)
      await on.store.write((tx) => addNew(tx, { kind: KIND, subject, queueKey }));
    await on.clock.rest();
    expect(on.begun).toEqual([1, 3]);
    isFailing = true;
    await on.end(1);
    expect([on.begun, on.worker.isActive]).toEqual([[1, 3], true]);
    await on.clock.advance(10_000);
    await on.end(3);
    expect(on.begun.toSorted()).toEqual([1, 2, 3, 4]);
  });

  test("that waits is due when the worker stops, also after the clock was set back", async () => {
    await using on = await stage({ enqueueTaken });
    await on.askNew(1, 2, 3);
    on.clock.setWall(-3_600_000);
    on.worker.stop();
    await on.clock.rest();
    expect(on.rows()).toMatchObject([{ subject: 3, runId: null, dueAt: on.clock.now() }]);
  });

  test("is retried while it cannot be enqueued after a failure", async () => {
    await using on = await stage({ enqueueTaken });
    await on.askNew(1);
    on.store.client.pragma("query_only = ON");
    await on.fail(1, new Error("disk I/O error"));
    expect([on.taken(), on.rows(), on.worker.isActive]).toEqual([[1], [], true]);
    on.store.client.pragma("query_only = OFF");
    await on.clock.advance(5_000);
    expect([on.taken(), on.rows().map(({ subject }) => subject)]).toEqual([[], [1]]);
    await on.clock.advance(5_000);
    expect(on.begun).toEqual([1, 1]);
  });

  test("is left alone by a worker that does not take new ones, and by a command", async () => {
    await using on = await stage();
    await on.askNew(1);
    expect(on.begun).toEqual([1]);
    on.worker.stop();
    await on.askNew(2);
    expect(on.rows()).toMatchObject([
      { subject: 1, runId: "boot" },
      { subject: 2, runId: null },
    ]);
  });
});

describe("a job that follows in the same commit", () => {
  test("gives way to new ones that wait in memory", async () => {
    const performed: number[] = [];
    const gate = Promise.withResolvers<void>();
    await using on = await stage({
      enqueueTaken,
      concurrency: () => 1,
      perform: async (row, claimNext) => {
        performed.push(row.subject);
        await gate.promise;
        return on.store.writeRepeatable((tx) => {
          finishAny(tx, row);
          return claimNext(tx);
        });
      },
    });
    await on.askNew(1, 2, 3);
    await on.ask(11);
    gate.resolve();
    await on.clock.rest();
    expect(performed).toEqual([1, 2, 3, 11]);
    expect(on.rows()).toEqual([]);
  });

  test("takes the place of the one that is recorded", async () => {
    const performed: number[] = [];
    await using on = await stage({
      concurrency: () => 1,
      perform: async (row, claimNext) => {
        performed.push(row.subject);
        return on.store.writeRepeatable((tx) => {
          finishAny(tx, row);
          return claimNext(tx);
        });
      },
    });
    on.worker.stop();
    await on.store.write((tx) => {
      for (let subject = 1; subject <= 10; subject++)
        enqueue(tx, { kind: KIND, subject, queueKey: 1, dueAt: tx.now + subject });
    });
    await on.clock.advance(20);
    const before = on.store.counters.commits;
    on.worker.start();
    await on.clock.rest();
    expect(performed).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    // One claims the first, and each of the others records one job and claims the next.
    expect(on.store.counters.commits - before).toBe(11);
    expect(on.rows()).toEqual([]);
  });
});

/** The worker's loop: who is served when, what a fault costs, and that nothing stays behind. The test moves the time. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Store } from "#src/db/store.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { finish } from "#src/jobs/outbox.ts";
import { type OutboxRow, outbox } from "#src/jobs/table.ts";
import { Worker, type WorkerOptions } from "#src/jobs/worker.ts";
import { TestClock } from "../support/clock.ts";
import { openTestDatabase } from "../support/database.ts";

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
  rows(): OutboxRow[];
}

/** Work that lasts until the test says so; with `instant`, work that is done at once. */
async function stage(given: Partial<WorkerOptions> & { instant?: boolean } = {}): Promise<Stage> {
  const clock = new TestClock();
  const database = openTestDatabase({ schema: true, clock });
  const { store } = database;
  clock.progress = () => store.counters.operations + store.counters.failures + begun.length;
  const begun: number[] = [];
  const errors: unknown[] = [];
  const underWay = new Map<number, PromiseWithResolvers<void>>();
  const worker = new Worker({
    store,
    clock,
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
      await store.write((tx) => finish(tx, row.id));
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
    rows: () => store.read(({ db }) => db.select().from(outbox).all()),
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
  // The row stays until the work is done.
  expect(on.rows()).toMatchObject([{ subject: 1 }]);
  expect([on.worker.isActive, on.worker.hasInFlight(1), on.worker.hasInFlight(2)]).toEqual([true, true, false]);
  await on.end(1);
  expect(on.rows()).toEqual([]);
  expect([on.worker.isActive, on.worker.hasInFlight(1)]).toEqual([false, false]);
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
  test("in the work is reported, and the work is tried again later", async () => {
    await using on = await stage();
    await on.ask(1);
    const at = on.clock.now();
    await on.fail(1, new Error("a bug"));
    expect(on.errors).toEqual([new Error("a bug")]);
    expect(on.rows()).toMatchObject([{ subject: 1 }]);
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

  test("of a look is reported, and looking resumes when it is over", async () => {
    let isFailing = true;
    const concurrency = (): number => {
      if (isFailing) throw new Error("disk I/O error");
      return 2;
    };
    await using on = await stage({ instant: true, concurrency });
    await on.ask(1);
    expect(on.errors).toEqual([new Error("disk I/O error")]);
    expect(on.begun).toEqual([]);
    isFailing = false;
    await on.clock.advance(10_000);
    expect(on.begun).toEqual([1]);
    expect(on.rows()).toEqual([]);
  });

  test("that cannot be recorded is outlasted: the work is tried again once it can be written", async () => {
    await using on = await stage();
    await on.ask(1);
    on.store.client.pragma("query_only = ON");
    await on.fail(1, new Error("a bug"));
    expect(on.worker.isActive).toBe(true);
    on.store.client.pragma("query_only = OFF");
    await on.clock.advance(5_000);
    expect([on.begun, on.worker.isActive]).toEqual([[1], false]);
    await on.clock.advance(5_000);
    expect(on.begun).toEqual([1, 1]);
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
    expect(on.rows().map(({ subject }) => subject)).toEqual([3, 4]);
    on.worker.start();
    await on.clock.rest();
    expect(on.begun).toEqual([1, 2, 3, 4]);
  });

  test("before the first look begins nothing", async () => {
    await using on = await stage({ instant: true });
    on.worker.stop();
    await on.ask(1);
    on.worker.start();
    on.worker.stop();
    await on.clock.rest();
    expect([on.begun, on.worker.isActive]).toEqual([[], false]);
  });

  test("leaves no timer behind", async () => {
    await using on = await stage();
    const { clock, worker } = on;
    await on.ask(1, { delayMs: 60_000 });
    worker.stop();
    await clock.rest();
    let timerCount = 0;
    const setTimer = clock.setTimer.bind(clock);
    clock.setTimer = (delayMs, fire) => {
      timerCount += 1;
      return setTimer(delayMs, fire);
    };
    worker.start();
    worker.stop();
    await clock.rest();
    expect(timerCount).toBe(0);
    await clock.advance(3_600_000);
    expect(on.begun).toEqual([]);
  });

  test("in the middle of work that fails leaves the job to the next start", async () => {
    await using on = await stage();
    await on.ask(1);
    on.worker.stop();
    on.store.client.pragma("query_only = ON");
    await on.fail(1, new Error("closed"));
    expect(on.worker.isActive).toBe(false);
    on.store.client.pragma("query_only = OFF");
    on.worker.start();
    await on.clock.rest();
    expect(on.begun).toEqual([1, 1]);
  });
});

describe("a job in flight", () => {
  test("is not begun again, also when it is asked for again or becomes due at another time", async () => {
    await using on = await stage();
    await on.ask(1);
    await on.ask(1);
    on.store.client.exec("UPDATE outbox SET due_at = due_at + 1000");
    await on.clock.advance(2_000);
    expect(on.begun).toEqual([1]);
    await on.end(1);
    expect([on.rows(), on.worker.isActive]).toEqual([[], false]);
  });

  test("whose row was replaced is left to its end, and the new one begins", async () => {
    await using on = await stage();
    await on.ask(1);
    const id = on.rows()[0]?.id ?? 0;
    await on.store.write((tx) => finish(tx, id));
    await on.ask(1);
    expect(on.begun).toEqual([1, 1]);
  });

  test("holds a place, so that a queue never has more than it may, also when that becomes less", async () => {
    let max = 3;
    await using on = await stage({ concurrency: () => max });
    for (const subject of [1, 2, 3, 4]) await on.ask(subject);
    max = 1;
    await on.end(1);
    await on.end(2);
    expect(on.begun).toEqual([1, 2, 3]);
    await on.end(3);
    expect(on.begun).toEqual([1, 2, 3, 4]);
  });
});

test("jobs that end in one commit are followed by jobs that begin together, without a commit that begins them", async () => {
  const performed: number[] = [];
  await using on = await stage({
    concurrency: () => 5,
    perform: (row) => {
      performed.push(row.subject);
      return on.store.writeRepeatable((tx) => finish(tx, row.id));
    },
  });
  on.worker.stop();
  await on.store.write((tx) => {
    for (let subject = 1; subject <= 20; subject++)
      enqueue(tx, { kind: KIND, subject, queueKey: 1, dueAt: tx.now + subject });
  });
  await on.clock.advance(20);
  const before = on.store.counters.commits;
  on.worker.start();
  await on.clock.rest();
  expect(performed).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(on.store.counters.commits - before).toBe(4);
  expect(on.rows()).toEqual([]);
});

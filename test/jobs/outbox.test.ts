/** Durable jobs: enqueued once, found when they are due, postponed, finished. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { Clock } from "#src/core/clock.ts";
import { enqueue, type Job } from "#src/jobs/enqueue.ts";
import { findJob, finish, listJobs, listQueues, postpone } from "#src/jobs/outbox.ts";
import { type OutboxRow, outbox } from "#src/jobs/table.ts";
import { openTestDatabase, standingClock, type TestDatabase } from "../support/database.ts";

// Real processes and real commits on a machine that may be busy with other tests.
setDefaultTimeout(60_000);

const KIND = "deliver_webhook";
const ALL = 1_000;

const work = (subject: number, given: Partial<Job> = {}): Job => ({
  kind: KIND,
  subject,
  queueKey: 1,
  dueAt: 0,
  ...given,
});

function open(now = 1_000): TestDatabase & { clock: { at: number } } {
  const clock = { at: now };
  const clockOfTest: Clock = { ...standingClock, now: () => clock.at };
  return Object.assign(openTestDatabase({ schema: true, clock: clockOfTest }), { clock });
}

const rows = ({ store }: TestDatabase): OutboxRow[] => store.read(({ db }) => db.select().from(outbox).all());

describe("asking for work", () => {
  test("twice for one subject is one row, due at the earlier time", async () => {
    await using database = open();
    const { store } = database;
    for (const dueAt of [500, 900, 200]) await store.write((tx) => enqueue(tx, work(7, { dueAt })));
    expect(rows(database)).toMatchObject([{ subject: 7, dueAt: 200 }]);
    await store.write((tx) => enqueue(tx, work(7, { kind: "expire_message" })));
    await store.write((tx) => enqueue(tx, work(8)));
    expect(rows(database).length).toBe(3);
  });

  test("enqueuing notifies the worker once the job is on disk; a refused operation notifies no worker", async () => {
    await using database = open();
    const { store } = database;
    const notified: number[] = [];
    store.onNotify(KIND, () => notified.push(rows(database).length));
    const writes = [
      store.write((tx) => enqueue(tx, work(1))),
      store.write((tx) => {
        enqueue(tx, work(2));
        throw new Error("refused");
      }),
    ];
    await Promise.allSettled(writes);
    expect(notified).toEqual([1]);
    expect(rows(database).map(({ subject }) => subject)).toEqual([1]);
  });
});

describe("looking for work", () => {
  test("finds the jobs of one queue key and kind, earliest first, up to the limit", async () => {
    await using database = open(1_000);
    const { store } = database;
    await store.write((tx) => {
      enqueue(tx, work(1, { dueAt: 900 }));
      enqueue(tx, work(2, { dueAt: 100 }));
      enqueue(tx, work(3, { dueAt: 1_001 }));
      enqueue(tx, work(5, { queueKey: 2 }));
      enqueue(tx, work(6, { kind: "expire_message" }));
    });
    const find = (limit: number) => store.read((tx) => listJobs(tx, KIND, 1, limit).map(({ subject }) => subject));
    expect(find(2)).toEqual([2, 1]);
    expect(find(ALL)).toEqual([2, 1, 3]);
    expect(store.read((tx) => listJobs(tx, KIND, 2, ALL))).toEqual([
      { id: expect.any(Number), kind: KIND, subject: 5, queueKey: 2, dueAt: 0 },
    ]);
  });

  test("queue keys are listed if they have jobs, each with its earliest time", async () => {
    await using database = open(1_000);
    const { store } = database;
    const listed = () => store.read((tx) => listQueues(tx, KIND));
    expect(listed()).toEqual([]);
    await store.write((tx) => {
      for (const [subject, queueKey, dueAt] of [
        [1, 9, 300],
        [2, 9, 200],
        [3, 0, 5_000],
        [4, 4, 1_000],
      ] as const) {
        enqueue(tx, work(subject, { queueKey, dueAt }));
      }
      enqueue(tx, work(5, { kind: "expire_message", queueKey: 5 }));
    });
    expect(listed()).toEqual([
      { queueKey: 0, dueAt: 5_000 },
      { queueKey: 4, dueAt: 1_000 },
      { queueKey: 9, dueAt: 200 },
    ]);
  });

  test("for a subject finds its job of that kind", async () => {
    await using database = open();
    const { store } = database;
    await store.write((tx) => enqueue(tx, work(7, { dueAt: 500 })));
    expect(store.read((tx) => findJob(tx, KIND, 7))).toMatchObject({ subject: 7, dueAt: 500 });
    expect(store.read((tx) => [findJob(tx, "expire_message", 7), findJob(tx, KIND, 8)])).toEqual([
      undefined,
      undefined,
    ]);
  });
});

type Action =
  | { do: "enqueue"; subject: number; delayMs: number }
  | { do: "finish"; pick: number }
  | { do: "postpone"; pick: number; delayMs: number };

const actions = fc.array(
  fc.oneof<fc.Arbitrary<Action>[]>(
    fc.record({
      do: fc.constant("enqueue" as const),
      subject: fc.integer({ min: 1, max: 12 }),
      delayMs: fc.nat(50),
    }),
    fc.record({ do: fc.constant("finish" as const), pick: fc.nat(20) }),
    fc.record({ do: fc.constant("postpone" as const), pick: fc.nat(20), delayMs: fc.nat(50) }),
  ),
  { maxLength: 60 },
);

test("whatever happens in whichever order, each job that is not finished has one row, with its due time", async () => {
  await using database = open();
  const { store } = database;
  await fc.assert(
    fc.asyncProperty(actions, async (sequence) => {
      await store.write((tx) => void tx.db.delete(outbox).run());
      /** When each subject is due. */
      const open = new Map<number, number>();
      for (const action of sequence) {
        const found = rows(database);
        if (action.do === "enqueue") {
          const dueAt = database.clock.at + action.delayMs;
          await store.write((tx) => enqueue(tx, work(action.subject, { dueAt })));
          open.set(action.subject, Math.min(open.get(action.subject) ?? dueAt, dueAt));
        } else if (found.length > 0) {
          const { id, subject } = found[action.pick % found.length] ?? { id: 0, subject: 0 };
          if (action.do === "finish") {
            await store.write((tx) => finish(tx, id));
            open.delete(subject);
          } else {
            const dueAt = database.clock.at + action.delayMs;
            await store.write((tx) => postpone(tx, id, dueAt));
            open.set(subject, dueAt);
          }
        }
        expect(new Map(rows(database).map(({ subject, dueAt }) => [subject, dueAt]))).toEqual(open);
        expect(rows(database).length).toBe(open.size);
      }
    }),
    { numRuns: 60 },
  );
});

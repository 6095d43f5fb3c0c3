/** Durable jobs: enqueued once, claimed by one process, released, reclaimed after a crash. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { Clock } from "#src/core/clock.ts";
import { claim, deleteUnclaimed, finish, listQueues, postpone, reclaimJobs } from "#src/jobs/claim.ts";
import { enqueue, type Job } from "#src/jobs/enqueue.ts";
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
    expect(rows(database)).toMatchObject([{ subject: 7, dueAt: 200, runId: null }]);
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

  test("again while it is being done leaves the claim alone", async () => {
    await using database = open();
    const { store } = database;
    await store.write((tx) => enqueue(tx, work(7)));
    await store.write((tx) => claim(tx, KIND, 1, ALL, "boot"));
    await store.write((tx) => enqueue(tx, work(7)));
    expect(rows(database)).toMatchObject([{ subject: 7, runId: "boot" }]);
    expect(await store.write((tx) => claim(tx, KIND, 1, ALL, "boot"))).toEqual([]);
  });
});

describe("claiming", () => {
  test("a claim takes due jobs of one queue key and kind, earliest first, up to the limit", async () => {
    await using database = open(1_000);
    const { store } = database;
    await store.write((tx) => {
      enqueue(tx, work(1, { dueAt: 900 }));
      enqueue(tx, work(2, { dueAt: 100 }));
      enqueue(tx, work(3, { dueAt: 1_000 }));
      enqueue(tx, work(4, { dueAt: 1_001 }));
      enqueue(tx, work(5, { queueKey: 2 }));
      enqueue(tx, work(6, { kind: "expire_message" }));
    });
    const take = (limit: number) =>
      store.write((tx) => claim(tx, KIND, 1, limit, "boot").map(({ subject }) => subject));
    expect(await take(2)).toEqual([2, 1]);
    expect(await take(2)).toEqual([3]);
    expect(await take(2)).toEqual([]);
    database.clock.at = 1_001;
    expect(await take(2)).toEqual([4]);
    expect(await store.write((tx) => claim(tx, KIND, 2, ALL, "boot"))).toMatchObject([{ subject: 5, runId: "boot" }]);
  });

  test("queue keys are listed if they have unclaimed jobs, each with its earliest time", async () => {
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
    await store.write((tx) => claim(tx, KIND, 9, 1, "boot"));
    await store.write((tx) => claim(tx, KIND, 4, 1, "boot"));
    expect(listed()).toEqual([
      { queueKey: 0, dueAt: 5_000 },
      { queueKey: 9, dueAt: 300 },
    ]);
  });
});

test("what is put off is free again at its new time; what is finished is gone", async () => {
  await using database = open(1_000);
  const { store } = database;
  await store.write((tx) => [enqueue(tx, work(1)), enqueue(tx, work(2))]);
  const [first, second] = await store.write((tx) => claim(tx, KIND, 1, ALL, "boot"));
  await store.write((tx) => {
    postpone(tx, first?.id ?? 0, 2_000);
    finish(tx, second?.id ?? 0);
  });
  expect(rows(database)).toMatchObject([{ subject: 1, runId: null, dueAt: 2_000 }]);
  expect(await store.write((tx) => claim(tx, KIND, 1, ALL, "boot"))).toEqual([]);
  database.clock.at = 2_000;
  expect(await store.write((tx) => claim(tx, KIND, 1, ALL, "boot"))).toMatchObject([{ subject: 1 }]);
});

test("a start takes over what other boots held, and leaves alone what is its own", async () => {
  await using database = open();
  const { store } = database;
  await store.write((tx) => [1, 2, 3].forEach((subject) => void enqueue(tx, work(subject))));
  await store.write((tx) => claim(tx, KIND, 1, 1, "old"));
  await store.write((tx) => claim(tx, KIND, 1, 1, "new"));
  expect(await store.write((tx) => reclaimJobs(tx, "new"))).toBe(1);
  expect(rows(database).map(({ runId }) => runId)).toEqual([null, "new", null]);
  expect(await store.write((tx) => reclaimJobs(tx, "new"))).toBe(0);
});

test("deleting the jobs of a queue key spares jobs in flight, other queue keys and other kinds", async () => {
  await using database = open();
  const { store } = database;
  await store.write((tx) => {
    enqueue(tx, work(1));
    enqueue(tx, work(2, { dueAt: 500 }));
    enqueue(tx, work(3, { queueKey: 2 }));
    enqueue(tx, work(4, { kind: "expire_message" }));
  });
  await store.write((tx) => claim(tx, KIND, 1, 1, "boot"));
  await store.write((tx) => deleteUnclaimed(tx, KIND, 1));
  expect(rows(database).map(({ subject }) => subject)).toEqual([1, 3, 4]);
});

type Action =
  | { do: "enqueue"; subject: number; delayMs: number }
  | { do: "claim"; queueKey: number; limit: number }
  | { do: "finish"; pick: number }
  | { do: "postpone"; pick: number; delayMs: number }
  | { do: "crash" }
  | { do: "wait"; ms: number };

const actions = fc.array(
  fc.oneof<fc.Arbitrary<Action>[]>(
    fc.record({
      do: fc.constant("enqueue" as const),
      subject: fc.integer({ min: 1, max: 12 }),
      delayMs: fc.nat(50),
    }),
    fc.record({
      do: fc.constant("claim" as const),
      queueKey: fc.integer({ min: 1, max: 3 }),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
    fc.record({ do: fc.constant("finish" as const), pick: fc.nat(20) }),
    fc.record({ do: fc.constant("postpone" as const), pick: fc.nat(20), delayMs: fc.nat(50) }),
    fc.record({ do: fc.constant("crash" as const) }),
    fc.record({ do: fc.constant("wait" as const), ms: fc.nat(60) }),
  ),
  { maxLength: 60 },
);

test("whatever happens in whichever order, no work is lost, and none is held twice within a boot", async () => {
  await using database = open();
  const { store } = database;
  await fc.assert(
    fc.asyncProperty(actions, async (sequence) => {
      await store.write((tx) => void tx.db.delete(outbox).run());
      let runId = 1;
      /** What was asked for and is not finished, with the time that it is due; and what this boot holds. */
      const open = new Map<number, { queueKey: number; dueAt: number }>();
      const held = new Map<number, number>();
      for (const action of sequence) {
        const now = database.clock.at;
        const heldIds = [...held.keys()];
        if (action.do === "enqueue") {
          // A subject always belongs to one queue key.
          const queueKey = (action.subject % 3) + 1;
          const dueAt = now + action.delayMs;
          await store.write((tx) => enqueue(tx, work(action.subject, { queueKey, dueAt })));
          const known = open.get(action.subject);
          open.set(action.subject, { queueKey, dueAt: Math.min(known?.dueAt ?? dueAt, dueAt) });
        } else if (action.do === "claim") {
          const claimed = await store.write((tx) => claim(tx, KIND, action.queueKey, action.limit, `boot-${runId}`));
          const isHeld = new Set(held.values());
          const free = [...open].filter(
            ([subject, one]) => one.queueKey === action.queueKey && one.dueAt <= now && !isHeld.has(subject),
          );
          expect(claimed.length).toBe(Math.min(action.limit, free.length));
          for (const { id, subject } of claimed) {
            expect(isHeld.has(subject)).toBe(false);
            expect(free.map(([one]) => one)).toContain(subject);
            held.set(id, subject);
          }
        } else if (action.do === "crash") {
          runId += 1;
          expect(await store.write((tx) => reclaimJobs(tx, `boot-${runId}`))).toBe(held.size);
          held.clear();
        } else if (action.do === "wait") {
          database.clock.at += action.ms;
        } else if (heldIds.length > 0) {
          const id = heldIds[action.pick % heldIds.length] ?? 0;
          const subject = held.get(id) ?? 0;
          held.delete(id);
          if (action.do === "finish") {
            await store.write((tx) => finish(tx, id));
            open.delete(subject);
          } else {
            const dueAt = now + action.delayMs;
            await store.write((tx) => postpone(tx, id, dueAt));
            open.set(subject, { queueKey: open.get(subject)?.queueKey ?? 0, dueAt });
          }
        }
        const found = rows(database);
        expect(found.map(({ subject }) => subject).sort((a, b) => a - b)).toEqual(
          [...open.keys()].sort((a, b) => a - b),
        );
        expect(
          found
            .filter((row) => row.runId !== null)
            .map(({ id }) => id)
            .sort(),
        ).toEqual([...held.keys()].sort());
      }
    }),
    { numRuns: 60 },
  );
});

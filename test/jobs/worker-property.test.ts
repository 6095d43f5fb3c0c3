/**
 * Any order of jobs, due or not, ends, failures, stops and crashes: no job is begun twice at once, no queue has more in
 * flight than it may, and in the end each job was done once and none is left.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { enqueue } from "#src/jobs/enqueue.ts";
import { finish } from "#src/jobs/outbox.ts";
import { outbox } from "#src/jobs/table.ts";
import { Worker } from "#src/jobs/worker.ts";
import { TestClock } from "../support/clock.ts";
import { openTestDatabase } from "../support/database.ts";

const LIMIT_MS = 120_000;
const RUNS = 60;
const KIND = "deliver_webhook";
const QUEUES = 3;
const IN_FLIGHT_MAX = 2;

interface InFlight {
  subject: number;
  queueKey: number;
  end: PromiseWithResolvers<void>;
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("new" as const), key: fc.nat(QUEUES - 1), count: fc.nat(5) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("later" as const), key: fc.nat(QUEUES - 1), ms: fc.nat(9_000) }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("end" as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("fail" as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("advance" as const), ms: fc.nat(7_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom("stop" as const, "crash" as const, "rolled_back" as const) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

async function play(steps: readonly Step[]): Promise<void> {
  const clock = new TestClock();
  await using database = openTestDatabase({ schema: true, clock });
  const { store } = database;
  const done: number[] = [];
  let changes = 0;
  clock.progress = () => store.counters.operations + store.counters.failures + changes;
  let inFlight: InFlight[] = [];
  let subject = 0;

  function startWorker(): Worker {
    const worker = new Worker({
      store,
      clock,
      kind: KIND,
      concurrency: () => IN_FLIGHT_MAX,
      onError: () => undefined,
      perform: async (row) => {
        const entry = { subject: row.subject, queueKey: row.queueKey, end: Promise.withResolvers<void>() };
        expect(inFlight.map((other) => other.subject)).not.toContain(row.subject);
        inFlight.push(entry);
        changes += 1;
        expect(inFlight.filter(({ queueKey }) => queueKey === row.queueKey).length).toBeLessThanOrEqual(IN_FLIGHT_MAX);
        await entry.end.promise.finally(() => {
          inFlight = inFlight.filter((other) => other !== entry);
          changes += 1;
        });
        await store.writeRepeatable((tx) => {
          finish(tx, row.id);
          tx.afterCommit(() => done.push(row.subject));
        });
      },
    });
    store.onNotify(KIND, () => worker.notify());
    worker.start();
    return worker;
  }
  let worker = startWorker();
  await clock.rest();

  const pick = (which: number): InFlight | undefined => inFlight[which % Math.max(1, inFlight.length)];
  for (const one of steps) {
    switch (one.kind) {
      case "new":
        await store.write((tx) => {
          for (let count = 0; count <= one.count; count++)
            enqueue(tx, { kind: KIND, subject: subject++, queueKey: one.key, dueAt: tx.now });
        });
        break;
      case "later":
        await store.write((tx) =>
          enqueue(tx, { kind: KIND, subject: subject++, queueKey: one.key, dueAt: tx.now + one.ms }),
        );
        break;
      case "end":
        pick(one.which)?.end.resolve();
        break;
      case "fail":
        pick(one.which)?.end.reject(new Error("failed"));
        break;
      case "advance":
        await clock.advance(one.ms);
        break;
      case "rolled_back":
        await store
          .write((tx) => {
            enqueue(tx, { kind: KIND, subject: 1_000_000, queueKey: 0, dueAt: tx.now });
            throw new Error("rolled back");
          })
          .catch(() => undefined);
        break;
      case "stop":
        worker.stop();
        await clock.rest();
        worker.start();
        break;
      case "crash": {
        // The process is gone with all that it had in memory: nothing that it began is recorded, and nothing released.
        store.client.pragma("query_only = ON");
        worker.stop();
        await clock.rest();
        store.client.pragma("query_only = OFF");
        inFlight = [];
        worker = startWorker();
      }
    }
    await clock.rest();
  }
  const isLeft = (): boolean => store.read(({ db }) => db.select().from(outbox).all()).length > 0;
  for (let rounds = 0; isLeft(); rounds++) {
    expect(rounds).toBeLessThan(1_000);
    for (const { end } of inFlight) end.resolve();
    await clock.advance(inFlight.length === 0 ? 10_000 : 0);
  }
  expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: subject }, (_, index) => index));
  expect([inFlight, worker.isActive]).toEqual([[], false]);
  worker.stop();
}

test(
  "no job is lost, none is begun twice at once, and no queue has more in flight than it may",
  () => fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), play), { numRuns: RUNS }),
  LIMIT_MS,
);

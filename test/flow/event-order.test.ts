/** The ids of events sort as the event log does, whatever the clock does and however often the server starts. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { openStore } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { recordEvent } from "#src/domain/webhooks/record-event.ts";
import { TestClock } from "#test/support/clock.ts";
import { startTestServer } from "#test/support/server.ts";
import { openTestStore } from "#test/support/store.ts";

const step = fc.oneof(
  fc.record({ kind: fc.constant("burst" as const), people: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ kind: fc.constant("clock" as const), byMs: fc.constantFrom(1, -1, -1_000, -86_400_000, 86_400_000) }),
  fc.record({ kind: fc.constant("restart" as const), byMs: fc.constantFrom(0, -3_600_000, 3_600_000) }),
);

async function idsAfter(steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]) {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-order-"));
  let app = await startTestServer({ directory });
  try {
    const { key } = await app.workspace();
    let people = 0;
    for (const one of steps) {
      if (one.kind === "clock") app.clock.setWall(one.byMs);
      else if (one.kind === "restart") {
        const now = app.clock.now() + one.byMs;
        await app.stop();
        app = await startTestServer({ directory, clock: new TestClock(now) });
      } else {
        const burst = Array.from({ length: one.people }, () => `+9198765${String(40_000 + people++).padStart(5, "0")}`);
        await Promise.all(burst.map((phone) => app.call("POST", `/api/v1/contacts/${phone}/opt-out`, { key })));
      }
    }
    const log = await app.call("GET", "/api/v1/events?per_page=500", { key });
    expect(log.body.data).toHaveLength(people);
    return log.body.data.map(({ id }: { id: string }) => id) as string[];
  } finally {
    await app.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

test("bursts, a clock that goes back and restarts: the order of the ids is the order of the log", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const ids = await idsAfter([{ kind: "burst", people: 5 }, ...steps]);
      expect(ids).toEqual(ids.toSorted());
      expect(new Set(ids).size).toBe(ids.length);
    }),
    { numRuns: 20 },
  );
}, 600_000);

test("the ids of two processes that record events in turns sort as the log does, and so does the one after a rollback", async () => {
  using at = await openTestStore(0);
  const other = openStore(at.store.client.name, { clock: at.clock, busyTimeoutMs: 1_000 });
  const record = (tx: Tx): string => recordEvent(tx, at.shop, "webhook.test", {}).id;
  try {
    const ids = [await at.store.write(record), await at.store.write(record)];
    // The clock of the other process is an hour ahead.
    ids.push(await other.write((tx) => record({ ...tx, now: tx.now + 3_600_000 })));
    ids.push(await at.store.write(record));
    const isLost = at.store.write((tx) => {
      record(tx);
      throw new Error("not kept");
    });
    await expect(isLost).rejects.toThrow("not kept");
    ids.push(await at.store.write(record), await other.write(record), await at.store.write(record));
    const logged = at.store.client.prepare("SELECT id FROM events ORDER BY seq").pluck().all();
    expect(logged).toEqual(ids);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  } finally {
    other.close();
  }
});

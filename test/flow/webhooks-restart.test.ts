/**
 * A promised delivery outlives the process: a server that is stopped and started again, or that dies between two
 * statements.
 */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sendTestEvent } from "#src/domain/webhooks/publish.ts";
import { TestClock } from "#test/support/clock.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";
import {
  ATTEMPTS_AT,
  delivery,
  emit,
  eventCount,
  HOUR,
  jobCount,
  MINUTE,
  never,
  SECOND,
  startHook,
} from "#test/support/webhooks.ts";

/**
 * The disk as a crash at this moment would leave it. Another process copies it: opening and closing the database file
 * in this process would drop the locks that SQLite holds on it.
 */
function copyOfDisk(app: TestServer): { directory: string } & Disposable {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-crash-"));
  const { exitCode } = Bun.spawnSync(["cp", "-a", `${app.directory}/.`, directory]);
  if (exitCode !== 0) throw new Error("the copy failed");
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) };
}

function clockAt(ms: number): TestClock {
  return new TestClock(ms);
}

const ok = (): Response => new Response(null, { status: 204 });
const broken = (): Response => new Response(null, { status: 500 });

describe("a server that dies", () => {
  test("between an attempt and its record delivers the event again under the same id, and loses nothing", async () => {
    await using app = await startTestServer();
    const answer = Promise.withResolvers<Response>();
    await using hook = startHook(app.clock, () => answer.promise);
    const shop = await app.workspace();
    await app.webhook(shop, hook.url);
    await app.store.write((tx) => {
      for (let i = 0; i < 12; i++) sendTestEvent(tx, shop.id);
    });
    await app.clock.rest();
    // Eight are with the receiver and nowhere on disk; four have not been sent.
    expect([hook.hits.length, hook.open]).toEqual([8, 8]);
    using disk = copyOfDisk(app);
    answer.resolve(ok());
    await app.clock.rest();
    const before = hook.hits.map(({ body }) => body);
    expect(new Set(before).size).toBe(12);

    await using reborn = await startTestServer({ directory: disk.directory, clock: clockAt(app.clock.now()) });
    await reborn.clock.rest();
    const after = hook.hits.slice(12).map(({ body }) => body);
    expect(after.toSorted()).toEqual(before.toSorted());
    for (let id = 1; id <= 12; id++) {
      expect(delivery(reborn, id)).toMatchObject({ status: "delivered", attemptCount: 1, attempts: [{}] });
    }
    expect([eventCount(reborn), jobCount(reborn)]).toEqual([12, 0]);
  });

  test("in the middle of a later attempt repeats that attempt at once, and keeps the schedule of the other deliveries", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock, (count) => (count === 3 ? never() : broken()));
    const shop = await app.workspace();
    await app.webhook(shop, hook.url);
    const startedAt = app.clock.now();
    const id = await emit(app, shop);
    await app.clock.advance(5 * MINUTE);
    expect(hook.open).toBe(1);
    using disk = copyOfDisk(app);
    await hook.down();
    hook.up();

    await using reborn = await startTestServer({ directory: disk.directory, clock: clockAt(startedAt + 7 * MINUTE) });
    await reborn.clock.advance(3 * HOUR);
    const tried = delivery(reborn, id).attempts.map(({ attemptedAt }) => (attemptedAt - startedAt) / MINUTE);
    expect(tried).toEqual([0, 1, 7, 30, 120]);
    expect(new Set(hook.hits.map(({ body }) => body)).size).toBe(1);
  });

  test("before an event's first attempt delivers the event when it is back, however late", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock, ok);
    const shop = await app.workspace();
    await app.webhook(shop, hook.url);
    let copy: ReturnType<typeof copyOfDisk> | null = null;
    const id = await app.store.write((tx) => {
      // The first moment at which the event is on disk, before the caller has its answer.
      tx.afterCommit(() => {
        copy = copyOfDisk(app);
      });
      return sendTestEvent(tx, shop.id);
    });
    await app.clock.rest();
    expect(hook.hits.length).toBe(1);
    using disk = copy ?? copyOfDisk(app);
    await using reborn = await startTestServer({
      directory: disk.directory,
      clock: clockAt(app.clock.now() + 48 * HOUR),
    });
    await reborn.clock.rest();
    expect(hook.hits.map(({ event }) => event.id)).toEqual(
      Array.from({ length: 2 }, () => delivery(reborn, id).eventId),
    );
    expect(delivery(reborn, id)).toMatchObject({ status: "delivered", attemptCount: 1 });
  });
});

describe("a server that is stopped", () => {
  test("and started again within the hours that deliveries wait delivers them at their planned time", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock, broken);
    const shop = await app.workspace();
    await app.webhook(shop, hook.url);
    const startedAt = app.clock.now();
    const id = await emit(app, shop);
    await app.clock.advance(40 * MINUTE);
    await app.stop();
    const clock = clockAt(startedAt + HOUR);
    await using again = await startTestServer({ directory: app.directory, clock });
    await clock.advance(HOUR - 1);
    expect(hook.hits.length).toBe(4);
    await clock.advance(1);
    expect(hook.hits.length).toBe(5);
    hook.answer = ok;
    await clock.advance(4 * HOUR);
    const tried = delivery(again, id).attempts.map(({ attemptedAt }) => attemptedAt - startedAt);
    expect(tried).toEqual(ATTEMPTS_AT.slice(0, 6));
    expect(delivery(again, id)).toMatchObject({ status: "delivered", attemptCount: 6 });
  });

  test("for several of a delivery's planned times makes up for them a minute apart, and never in one burst", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock, broken);
    const shop = await app.workspace();
    await app.webhook(shop, hook.url);
    const startedAt = app.clock.now();
    const id = await emit(app, shop);
    await app.stop();
    const clock = clockAt(startedAt + 3 * HOUR);
    await using again = await startTestServer({ directory: app.directory, clock });
    await clock.advance(3 * HOUR);
    const tried = delivery(again, id).attempts.map(({ attemptedAt }) => (attemptedAt - startedAt) / MINUTE);
    expect(tried).toEqual([0, 180, 181, 182, 183, 360]);
  });

  test("for longer than a delivery's whole schedule still gives the receiver its attempts", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock, broken);
    const shop = await app.workspace();
    await app.webhook(shop, hook.url);
    const id = await emit(app, shop);
    await app.stop();
    await using again = await startTestServer({
      directory: app.directory,
      clock: clockAt(app.clock.now() + 72 * HOUR),
    });
    await again.clock.advance(2 * MINUTE);
    hook.answer = ok;
    await again.clock.advance(MINUTE);
    expect(delivery(again, id)).toMatchObject({ status: "delivered", attemptCount: 5 });
  });

  test("lets an attempt in flight end first, and counts its answer", async () => {
    await using app = await startTestServer();
    const answer = Promise.withResolvers<Response>();
    await using hook = startHook(app.clock, () => answer.promise);
    const shop = await app.workspace();
    await app.webhook(shop, hook.url);
    const id = await emit(app, shop);
    const stopped = app.stop();
    answer.resolve(ok());
    await stopped;
    await using again = await startTestServer({ directory: app.directory, clock: clockAt(app.clock.now() + SECOND) });
    await again.clock.advance(HOUR);
    expect(delivery(again, id)).toMatchObject({ status: "delivered", attemptCount: 1 });
    expect(hook.hits.length).toBe(1);
  });
});

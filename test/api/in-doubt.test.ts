/** Messages whose outcome a crash or a fault left unknown, and the retries under their idempotency keys. */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import { statusCallback } from "#src/networks/simulator/callback.ts";
import { TestClock } from "#test/support/clock.ts";
import { accepted, fakeNetwork, snapshot, templates, throttled } from "#test/support/scenarios.ts";
import { type Answered, startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const MESSAGES = "/api/v1/messages";
const to = "+919876543210";
const body = { to, template: "offer" };
const BUDGET_MS = 8_000;

interface Crash extends AsyncDisposable {
  /** The server that was started on the files of the first one. */
  app: TestServer;
  shop: TestWorkspace;
  network: ReturnType<typeof fakeNetwork>;
  retry(given?: unknown): Promise<Answered>;
}

/**
 * A server dies while its only message is being sent and the request is open: another process copies its files as they
 * are at that moment (so that no lock is touched), and a second server starts on the copy.
 */
async function crashDuring(answer: () => Outcome | Promise<Outcome>): Promise<Crash> {
  const before = fakeNetwork(answer);
  const first = await startTestServer({ networks: { simulator: before } });
  const shop = await first.workspace({ billing: { rate: 8_500, balance: 1_000_000 } });
  await first.template(shop, templates.offer);
  const options = { key: shop.key, body, headers: { "idempotency-key": "k" } };
  const open = first.call("POST", MESSAGES, options);
  await first.clock.advance(100);
  expect(before.outbounds).toHaveLength(1);

  const directory = mkdtempSync(join(tmpdir(), "waxwing-crash-"));
  const copied = Bun.spawnSync(["sh", "-c", 'cp -r "$0/." "$1" && rm -f "$1"/*-shm', first.directory, directory]);
  expect(copied.exitCode).toBe(0);
  const network = fakeNetwork();
  const clock = new TestClock(first.clock.now());
  const app = await startTestServer({ directory, clock, networks: { simulator: network } });
  return {
    app,
    shop,
    network,
    retry: (given = body) => app.call("POST", MESSAGES, { ...options, body: given }),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true });
      hung.resolve({ kind: "unknown", reason: "the end" });
      hung = Promise.withResolvers<Outcome>();
      await first.clock.until(open);
      await first[Symbol.asyncDispose]();
    },
  };
}

/** A network that answers only when the test ends. */
let hung = Promise.withResolvers<Outcome>();
const silence = () => hung.promise;

/** The network reports a status of the first message. */
async function report({ app, shop }: Crash, status: "sent" | "delivered"): Promise<void> {
  const sendToken = String(app.store.client.prepare("SELECT send_token FROM messages WHERE id = 1").pluck().get());
  await app.store.write((tx) => {
    const number = getNumber(tx, shop.numberId);
    const at = app.clock.now();
    storeCallback(
      tx,
      "simulator",
      statusCallback(number, { networkMessageId: "wamid.ECHO", sendToken, status, at, to, error: null }),
    );
  });
  await app.clock.advance(0);
}

function events({ app }: Crash): string[] {
  return app.store.client.prepare("SELECT type FROM events ORDER BY seq").pluck().all().map(String);
}

function ledger({ app }: Crash): string[] {
  return app.store.client
    .prepare("SELECT kind FROM ledger_entries WHERE kind <> 'credit' ORDER BY id")
    .pluck()
    .all()
    .map(String);
}

const show = ({ app, shop }: Crash) => app.call("GET", `${MESSAGES}/1`, { key: shop.key });

describe("a message that is still sending at a start is in doubt", () => {
  test("a retry waits for a status of the in-doubt message as long as the budget, then gets 502 interrupted, which is kept", async () => {
    await using crash = await crashDuring(silence);
    const { app, network, retry } = crash;
    expect((await show(crash)).status).toBe(404);
    let isAnswered = false;
    const first = retry().finally(() => {
      isAnswered = true;
    });
    await app.clock.advance(BUDGET_MS - 1);
    expect(isAnswered).toBe(false);
    const second = retry();
    expect((await retry({ ...body, to: "+919876543211" })).status).toBe(409);
    await app.clock.advance(1);
    const [answer, again] = [await first, await second];
    expect(answer.status).toBe(502);
    expect(answer.body.error).toEqual({
      code: "whatsapp_error",
      message: expect.stringMatching(/may have arrived/),
      whatsapp_code: "interrupted",
      message_id: 1,
      outcome: "unknown",
      retryable: false,
      retry_key: "same",
    });
    for (const other of [again, await retry()]) {
      expect(other.text).toBe(answer.text);
      expect(other.headers.get("idempotent-replayed")).toBe("true");
    }
    expect(network.outbounds).toEqual([]);
    expect(events(crash)).toEqual(["message.failed"]);
    expect(ledger(crash)).toEqual(["hold", "release"]);
    expect((await show(crash)).body.data).toMatchObject({ status: "failed", error: { whatsapp_code: "interrupted" } });
  });

  test("a status after the message has expired revives it: events and money follow, and the kept answer stays", async () => {
    await using crash = await crashDuring(silence);
    const { app, retry } = crash;
    const kept = await app.clock.until(retry());
    await report(crash, "sent");
    await report(crash, "delivered");
    expect(events(crash)).toEqual(["message.failed", "message.sent", "message.delivered"]);
    expect(ledger(crash)).toEqual(["hold", "release", "charge"]);
    expect((await show(crash)).body.data).toMatchObject({ status: "delivered", error: null });
    expect(snapshot(app.store).contacts?.[0]).toContain('"consent":"opted_in"');
    expect((await retry()).text).toBe(kept.text);
  });

  test("a status within the budget answers the retry 201 with the message as it is now, and that answer is kept", async () => {
    await using crash = await crashDuring(silence);
    const { app, network, retry } = crash;
    const waiting = retry();
    await app.clock.advance(3_000);
    await report(crash, "delivered");
    const answer = await waiting;
    expect(answer).toMatchObject({ status: 201, body: { data: { id: 1, status: "delivered", error: null } } });
    expect((await retry()).text).toBe(answer.text);
    expect(network.outbounds).toEqual([]);
    expect(events(crash)).toEqual(["message.sent", "message.delivered"]);
  });

  test("a status that came before the retry answers the retry at once", async () => {
    await using crash = await crashDuring(silence);
    await report(crash, "sent");
    expect(await crash.retry()).toMatchObject({ status: 201, body: { data: { id: 1, status: "sent" } } });
  });

  test("without a retry an in-doubt message expires after ten minutes, once; a retry then gets the same 502 at once", async () => {
    await using crash = await crashDuring(silence);
    const { app, network, retry } = crash;
    await app.clock.advance(600_000 - 1);
    expect(events(crash)).toEqual([]);
    await app.clock.advance(1);
    expect(events(crash)).toEqual(["message.failed"]);
    const answer = await retry();
    expect(answer).toMatchObject({ status: 502, body: { error: { whatsapp_code: "interrupted" } } });
    expect((await retry()).text).toBe(answer.text);
    expect(events(crash)).toEqual(["message.failed"]);
    expect(network.outbounds).toEqual([]);
  });

  test("the idempotency key of an in-doubt message is kept beyond 24 hours, until its answer is final", async () => {
    await using crash = await crashDuring(silence);
    const { app, retry } = crash;
    await app.clock.advance(25 * 3_600_000);
    expect((await retry({ ...body, to: "+919876543211" })).status).toBe(409);
    expect((await app.clock.until(retry())).body.error.whatsapp_code).toBe("interrupted");
  });
});

test("a message that is still queued at a start fails without another request to the network, and its key is free", async () => {
  await using crash = await crashDuring(() => throttled(5_000));
  const { app, network, retry } = crash;
  expect((await show(crash)).body.data).toMatchObject({ status: "failed", error: { whatsapp_code: "interrupted" } });
  expect(events(crash)).toEqual(["message.failed"]);
  expect(ledger(crash)).toEqual(["hold", "release"]);
  const answer = await app.clock.until(retry());
  expect(answer).toMatchObject({ status: 201, body: { data: { id: 2, status: "sent" } } });
  expect(network.outbounds).toHaveLength(1);
});

test("a disk that fails after the dispatch frees no key: the retry is 503 until the outcome is written, then gets the first answer", async () => {
  const network = fakeNetwork();
  await using app = await startTestServer({
    networks: { simulator: network },
    expectedErrors: /event=(outcome\.(delayed|failed)|request\.unavailable) /,
  });
  const shop = await app.workspace();
  await app.template(shop, templates.offer);
  const send = (key: string) =>
    app.send("POST", MESSAGES, { key: shop.key, body, headers: { "idempotency-key": key } });
  network.answer = () => {
    app.store.client.pragma("query_only = 1");
    return accepted();
  };
  const failed = await send("k");
  expect(failed).toMatchObject({ status: 503, body: { error: { code: "unavailable" } } });
  const call = (key: string) =>
    app.call("POST", MESSAGES, { key: shop.key, body, headers: { "idempotency-key": key } });
  expect((await call("k")).status).toBe(503);
  app.store.client.pragma("query_only = 0");
  // The number dispatches nothing new while one of its outcomes exists only in memory.
  expect([(await call("k")).status, (await call("another")).status]).toEqual([503, 503]);
  expect(network.outbounds).toHaveLength(1);
  network.answer = () => accepted();
  await app.clock.advance(1_000);
  const answer = await call("k");
  expect(answer).toMatchObject({ status: 201, body: { data: { id: 1, status: "sent" } } });
  expect((await call("k")).text).toBe(answer.text);
  expect((await send("another")).status).toBe(201);
  expect(network.outbounds).toHaveLength(2);
});

test("an internal error after the dispatch is a 500 that is not kept: a retry waits for a status and never sends again", async () => {
  const network = fakeNetwork(() => {
    throw new Error("a bug in a connector");
  });
  await using app = await startTestServer({
    networks: { simulator: network },
    expectedErrors: /event=request\.failed /,
  });
  const shop = await app.workspace();
  await app.template(shop, templates.offer);
  const send = () => app.send("POST", MESSAGES, { key: shop.key, body, headers: { "idempotency-key": "k" } });
  expect(await send()).toMatchObject({ status: 500, body: { error: { code: "internal_error" } } });
  const answer = await send();
  expect(answer).toMatchObject({ status: 502, body: { error: { whatsapp_code: "interrupted" } } });
  expect((await send()).text).toBe(answer.text);
  expect(network.outbounds).toHaveLength(1);
});

/**
 * Idempotency keys: one key sends one message, final answers are kept for 24 hours, and other answers leave the key
 * free.
 */
import { describe, expect, test } from "bun:test";
import { credit } from "#src/domain/billing/account.ts";
import { resume, suspend } from "#src/domain/workspaces/update.ts";
import {
  accepted,
  changesBetween,
  fakeNetwork,
  fillBucket,
  refused,
  rowsAdded,
  snapshot,
  template,
  templates,
  throttled,
} from "#test/support/scenarios.ts";
import { type Answered, startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const MESSAGES = "/api/v1/messages";
const to = "+919876543210";
const body = { to, template: "plain" };
const DAY_MS = 24 * 3_600_000;

type Settings = Parameters<TestServer["workspace"]>[0];

/** Starts a server with a scripted network and a workspace that can send; `send` posts a message under a key. */
async function start(settings: NonNullable<Settings> = {}, options: Parameters<typeof startTestServer>[0] = {}) {
  const network = fakeNetwork();
  const app = await startTestServer({ networks: { simulator: network }, ...options });
  const shop = await app.workspace(settings);
  for (const json of Object.values(templates)) await app.template(shop, json);
  if (settings.throughput === undefined) await fillBucket(app, shop);
  const call = (key: string, given: unknown = body, from: TestWorkspace = shop): Promise<Answered> =>
    app.call("POST", MESSAGES, { key: from.key, body: given, headers: { "idempotency-key": key } });
  const send = (...given: Parameters<typeof call>) => app.clock.until(call(...given));
  return { app, network, shop, call, send, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

const isReplayed = ({ headers }: Answered): boolean => headers.get("idempotent-replayed") === "true";

/** Expects the first answer again, byte for byte and marked as replayed, with no row of any table changed. */
async function expectReplay(app: TestServer, first: Answered, repeat: () => Promise<Answered>): Promise<void> {
  const before = snapshot(app.store);
  const again = await repeat();
  expect({ status: again.status, text: again.text }).toEqual({ status: first.status, text: first.text });
  expect([isReplayed(first), isReplayed(again)]).toEqual([false, true]);
  expect(changesBetween(before, snapshot(app.store))).toEqual({});
}

describe("one idempotency key sends one message", () => {
  test("200 requests at once under one key: one message at the network, 200 equal answers, 199 of them replayed", async () => {
    await using world = await start();
    const { app, network, call } = world;
    const answers = await app.clock.until(Promise.all(Array.from({ length: 200 }, () => call("order-1"))));
    expect(network.outbounds).toHaveLength(1);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect(answers.filter(isReplayed)).toHaveLength(199);
    expect(snapshot(app.store).messages).toHaveLength(1);
    expect(snapshot(app.store).events).toHaveLength(1);
  });

  test("a request under the key of an open request waits for its answer; one with another body is refused at once", async () => {
    await using world = await start();
    const { app, network, call } = world;
    const open = Promise.withResolvers<ReturnType<typeof accepted>>();
    network.answer = () => open.promise;
    const first = call("order-1");
    await app.clock.advance(10);
    const second = call("order-1");
    expect((await call("order-1", { ...body, to: "+919876543211" })).body.error.code).toBe("idempotency_conflict");
    await app.clock.advance(5_000);
    expect(network.outbounds).toHaveLength(1);
    open.resolve(accepted());
    const answers = await app.clock.until(Promise.all([first, second]));
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers.map(isReplayed).sort()).toEqual([false, true]);
  });

  test("when the first request's answer is not final, the waiting request is carried out", async () => {
    await using world = await start();
    const { app, network, call } = world;
    network.answer = () => (network.outbounds.length === 1 ? throttled(61_000) : accepted());
    const answers = await app.clock.until(Promise.all([call("order-1"), call("order-1")]));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 429]);
    expect(answers.filter(isReplayed)).toHaveLength(0);
    expect(network.outbounds).toHaveLength(2);
  });

  test("a caller that hangs up does not stop its request, and its retry gets the answer", async () => {
    await using world = await start();
    const { app, network, shop, send } = world;
    const open = Promise.withResolvers<ReturnType<typeof accepted>>();
    network.answer = () => open.promise;
    const gone = new AbortController();
    const request = fetch(`${app.server.url}${MESSAGES}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${shop.key}`,
        "content-type": "application/json",
        "idempotency-key": "order-1",
      },
      body: JSON.stringify(body),
      signal: gone.signal,
    }).catch(() => null);
    while (network.outbounds.length === 0) await app.clock.rest();
    gone.abort();
    await request;
    open.resolve(accepted());
    await app.clock.advance(10);
    const answer = await send("order-1");
    expect(answer).toMatchObject({ status: 201, body: { data: { id: 1, status: "sent" } } });
    expect(isReplayed(answer)).toBe(true);
    expect(network.outbounds).toHaveLength(1);
  });

  test("member order and white space do not make a different request; values, types and list order do", async () => {
    await using world = await start();
    const { app, send } = world;
    const first = await send("k", { to, template: "shipped", variables: ["1", "2"], language: "en_US" });
    expect(first.status).toBe(201);
    const same = ` {\n"language" : "en_US", "variables":["1" ,"2"],\t"template":"\\u0073hipped","to":"${to}" } `;
    await expectReplay(app, first, () => send("k", same));
    for (const variables of [["2", "1"], ["1", 2], { body: ["1", "2"] }, ["1", "2 "]]) {
      const other = await send("k", { to, template: "shipped", variables, language: "en_US" });
      expect(other.body.error.code).toBe("idempotency_conflict");
    }
    expect((await send("k", { to, template: "shipped", variables: ["1", "2"] })).status).toBe(409);
  });

  test("an idempotency key belongs to its workspace", async () => {
    await using world = await start();
    const { app, network, send } = world;
    const other = await app.workspace();
    await app.template(other, template("plain", [{ type: "BODY", text: "Theirs." }]));
    const [ours, theirs] = [await send("k"), await send("k", { ...body, to: "+919876543211" }, other)];
    expect([ours.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.data.text).toBe("Theirs.");
    expect(network.outbounds).toHaveLength(2);
    await expectReplay(app, theirs, () => send("k", { ...body, to: "+919876543211" }, other));
  });
});

describe("every final answer is kept under its idempotency key", () => {
  test("a 201 is kept, whatever happens to the message and the workspace afterwards", async () => {
    await using world = await start({}, { networks: {} });
    const { app, shop, send } = world;
    const first = await send("k");
    expect(first.body.data.status).toBe("sent");
    await app.clock.advance(5_000);
    expect((await app.call("GET", `${MESSAGES}/1`, { key: shop.key })).body.data.status).toBe("read");
    await app.inbound(shop, to, "STOP");
    await app.store.write((tx) => void suspend(tx, shop.id, "late"));
    await expectReplay(app, first, () => send("k"));
  });

  test("our own 422 is kept, although the template exists by now", async () => {
    await using world = await start();
    const { app, shop, send } = world;
    const first = await send("k", { to, template: "later" });
    expect(first.body.error.code).toBe("template_not_found");
    await app.template(shop, template("later", [{ type: "BODY", text: "Here." }]));
    await expectReplay(app, first, () => send("k", { to, template: "later" }));
  });

  test("a 402 is kept, although the balance would cover the message by now", async () => {
    await using world = await start({ billing: { rate: 8_500, balance: 0 } });
    const { app, shop, send } = world;
    const first = await send("k");
    expect(first.status).toBe(402);
    await app.store.write((tx) => void credit(tx, shop.id, { amount: 1_000_000, note: null, ref: null }));
    await expectReplay(app, first, () => send("k"));
    expect((await send("another")).status).toBe(201);
  });

  for (const [what, outcome, status] of [
    ["422 of the network", refused("131026"), 422],
    ["502 of a refusal", refused("131000"), 502],
    ["502 of no answer", { kind: "unknown", reason: "silence" }, 502],
    ["502 of a network that is not reached", { kind: "unreachable", reason: "no route" }, 502],
  ] as const) {
    test(what, async () => {
      await using world = await start();
      const { app, network, send } = world;
      network.answer = () => outcome;
      const first = await send("k");
      expect(first.status).toBe(status);
      network.answer = () => accepted();
      await expectReplay(app, first, () => send("k"));
    });
  }

  test("a refusal stores its answer and nothing else", async () => {
    await using world = await start();
    const before = snapshot(world.app.store);
    await world.send("k", { to: "hello", template: "plain" });
    expect(rowsAdded(before, snapshot(world.app.store))).toEqual({ idempotency_keys: 1 });
  });

  test("a media link is not stored under any key", async () => {
    await using world = await start();
    const { app, network, shop, send } = world;
    await app.webhook(shop, "http://127.0.0.1:9/hook");
    const media = { link: "https://files.example.com/a-very-private-link.jpg" };
    for (const outcome of [accepted(), refused("131053"), { kind: "unknown", reason: "silence" } as const]) {
      network.answer = () => outcome;
      await send(outcome.kind, { to, template: "pictured", media });
    }
    await send("missing", { to: "hello", template: "pictured", media });
    expect(network.outbounds).toHaveLength(3);
    expect(JSON.stringify(snapshot(app.store))).not.toContain("very-private");
  });

  test("an answer is kept across a restart", async () => {
    await using world = await start();
    const { app, network, shop } = world;
    const sent = await world.send("k");
    network.answer = () => refused("131000");
    const failed = await world.send("failed");
    await app.stop();
    await using second = await startTestServer({ directory: app.directory, clock: app.clock });
    const send = (key: string) =>
      second.send("POST", MESSAGES, { key: shop.key, body, headers: { "idempotency-key": key } });
    await expectReplay(second, sent, () => send("k"));
    await expectReplay(second, failed, () => send("failed"));
  });

  test("an answer is kept for 24 hours; then the key is free, also for another body", async () => {
    await using world = await start();
    const { app, network, send } = world;
    const first = await send("k");
    await app.clock.pass(DAY_MS - 60_000);
    await expectReplay(app, first, () => send("k"));
    await app.clock.advance(60_000);
    const next = await send("k", { ...body, to: "+919876543211" });
    expect(next).toMatchObject({ status: 201, body: { data: { id: 2, to: "+919876543211" } } });
    expect(network.outbounds).toHaveLength(2);
  });
});

describe("an answer that is not final leaves the idempotency key free", () => {
  test("a 400 for the body and a 400 for what is stored leave the key free", async () => {
    await using world = await start();
    const { app, send } = world;
    expect((await send("k", { ...body, colour: "red" })).status).toBe(400);
    expect((await send("k", { ...body, from: "+911244009999" })).status).toBe(400);
    expect((await send("k", { ...body, variables: ["too many"] })).status).toBe(400);
    expect(snapshot(app.store).idempotency_keys).toEqual([]);
    expect((await send("k")).status).toBe(201);
  });

  test("a 401 and both kinds of 403 leave the key free", async () => {
    await using world = await start();
    const { app, shop, send } = world;
    expect((await send("k", body, { ...shop, key: "wx_unknown" })).status).toBe(401);
    app.store.client.exec("UPDATE workspaces SET api_enabled = 0");
    expect((await send("k")).body.error.code).toBe("api_not_enabled");
    app.store.client.exec("UPDATE workspaces SET api_enabled = 1");
    await app.store.write((tx) => void suspend(tx, shop.id, "late"));
    expect((await send("k")).body.error.code).toBe("workspace_suspended");
    await app.store.write((tx) => void resume(tx, shop.id));
    expect(snapshot(app.store).idempotency_keys).toEqual([]);
    expect((await send("k")).status).toBe(201);
  });

  test("a 429 of the daily cap and a 429 of a network that throttles to the end leave the key free", async () => {
    await using world = await start({ dailyCap: 1 });
    const { app, network, send } = world;
    network.answer = () => throttled(61_000);
    expect((await send("k")).status).toBe(429);
    network.answer = () => accepted();
    expect((await send("first")).status).toBe(201);
    const other = { ...body, to: "+919876543211" };
    expect((await send("k", other)).status).toBe(429);
    expect(snapshot(app.store).idempotency_keys).toHaveLength(1);
    app.store.client.exec("UPDATE recent_recipients SET last_at = 0");
    expect((await send("k", other)).status).toBe(201);
  });

  test("a 429 of the number's pace and a 429 of the request rate leave the key free", async () => {
    await using world = await start({ throughput: 1 }, { config: { limits: { requestsPerSecond: 1, burst: 10 } } });
    const { app, call, send } = world;
    const waiting = Array.from({ length: 9 }, (_, index) => call(`w${index}`));
    await app.clock.advance(0);
    expect((await call("k")).body.error).toMatchObject({
      code: "rate_limited",
      message: expect.stringMatching(/busy/),
    });
    expect((await call("k")).body.error).toMatchObject({ message: expect.stringMatching(/Too many requests/) });
    await app.clock.advance(20_000);
    expect((await Promise.all(waiting)).every(({ status }) => status === 201)).toBe(true);
    expect((await send("k")).status).toBe(201);
  });
});

/**
 * What a refused send leaves behind when the network, the number's pace, the request rate or the daily cap refuses it.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { updateWorkspace } from "#src/domain/workspaces/update.ts";
import { startReceiver } from "#test/support/receiver.ts";
import {
  accepted,
  changesBetween,
  fakeNetwork,
  type Row,
  refused,
  rowsAdded,
  snapshot,
  templates,
  throttled,
} from "#test/support/scenarios.ts";
import { type Answered, startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const MESSAGES = "/api/v1/messages";
const to = "+919876543210";
const CHARGED = { billing: { rate: 8_500, balance: 1_000_000 } };

let simulated: TestServer;
let scripted: TestServer;
const network = fakeNetwork();

beforeAll(async () => {
  simulated = await startTestServer();
  scripted = await startTestServer({ networks: { simulator: network } });
});
afterAll(async () => {
  await simulated[Symbol.asyncDispose]();
  await scripted[Symbol.asyncDispose]();
});

function expectProblem(answer: Answered, status: number, code: string, members: string[] = []): void {
  expect({ status: answer.status, code: answer.body.error?.code }).toEqual({ status, code });
  expect(Object.keys(answer.body)).toEqual(["error"]);
  // What these say is in `retry-members.test.ts`.
  const { retry_key, outcome, message_id, ...error } = answer.body.error;
  expect(Object.keys(error).sort()).toEqual(["code", "message", "retryable", ...members].sort());
}

async function shopWithOffer(app: TestServer, settings: Parameters<TestServer["workspace"]>[0] = CHARGED) {
  const shop = await app.workspace(settings);
  await app.template(shop, templates.offer);
  return shop;
}

/** Sends the marketing template; returns the answer and the changed rows. */
async function refuse(app: TestServer, shop: TestWorkspace, person: string, key: string | null = "key") {
  const before = snapshot(app.store);
  const answer = await app.send("POST", MESSAGES, {
    key: shop.key,
    body: { to: person, template: "offer" },
    headers: key === null ? {} : { "idempotency-key": key },
  });
  return { answer, changes: changesBetween(before, snapshot(app.store)) };
}

/**
 * The traces of a refusal by the network: failed message, new contact, event, hold and release, and the kept answer.
 */
function expectRefusalTraces(answer: Answered, changes: Record<string, { added: Row[]; removed: Row[] }>): void {
  // A failure on the network's side is also counted for the number, and a further attempt has its place among the person's.
  const { callbacks: _simulated, network_health: _counted, contact_messages: _dispatchedAgain, ...traces } = changes;
  expect(Object.keys(traces).sort()).toEqual([
    "contacts",
    "events",
    "idempotency_keys",
    "ledger_entries",
    "messages",
    // What the network answered, for later inspection.
    "provider_requests",
  ]);
  for (const { removed } of Object.values(traces)) expect(removed).toEqual([]);
  expect(traces.contacts?.added).toMatchObject([{ consent: "unknown", consent_source: null, consent_at: null }]);
  expect(traces.messages?.added).toMatchObject([{ status: "failed", money: "released", sent_at: null }]);
  expect(traces.ledger_entries?.added).toMatchObject([{ kind: "hold" }, { kind: "release" }]);
  expect(traces.idempotency_keys?.added).toMatchObject([{ status: answer.status, body: answer.text }]);
  expect(traces.events?.added).toMatchObject([{ type: "message.failed" }]);
}

describe("a refusal by the network charges nothing, records no consent, and keeps its answer", () => {
  test("a recipient who is not on the network is invalid_number", async () => {
    const shop = await shopWithOffer(simulated);
    const { answer, changes } = await refuse(simulated, shop, "+919876540001");
    expectProblem(answer, 422, "invalid_number", ["whatsapp_code"]);
    expect(answer.body.error.whatsapp_code).toBe("131026");
    expectRefusalTraces(answer, changes);
  });

  test("an undeliverable message is whatsapp_error with the network's code and its reason in words", async () => {
    const shop = await shopWithOffer(simulated);
    const { answer, changes } = await refuse(simulated, shop, "+919876540002");
    expectProblem(answer, 502, "whatsapp_error", ["whatsapp_code"]);
    expect(answer.body.error.whatsapp_code).toBe("131000");
    expect(answer.body.error.message).toMatch(/[a-z]+ [a-z]+/i);
    expectRefusalTraces(answer, changes);
    const id = changes.messages?.added[0]?.id;
    const shown = await simulated.call("GET", `${MESSAGES}/${id}`, { key: shop.key });
    expect(shown.body.data).toMatchObject({
      status: "failed",
      error: { whatsapp_code: "131000", message: answer.body.error.message },
      sent_at: null,
    });
  });

  test("a network that does not answer is whatsapp_error timeout, which says that the message may have arrived", async () => {
    const shop = await shopWithOffer(simulated);
    const { answer, changes } = await refuse(simulated, shop, "+919876540008");
    expectProblem(answer, 502, "whatsapp_error", ["whatsapp_code"]);
    expect(answer.body.error.whatsapp_code).toBe("timeout");
    expect(answer.body.error.message).toMatch(/may have arrived/);
    expectRefusalTraces(answer, changes);
  });

  test("an unanswered message that a status confirms revives, is charged and opts in, and the kept answer stays", async () => {
    const shop = await shopWithOffer(simulated);
    const { answer, changes } = await refuse(simulated, shop, "+919876540007");
    expectProblem(answer, 502, "whatsapp_error", ["whatsapp_code"]);
    expect(answer.body.error.whatsapp_code).toBe("timeout");
    expectRefusalTraces(answer, changes);
    const before = snapshot(simulated.store);
    await simulated.clock.advance(2_000);
    const later = changesBetween(before, snapshot(simulated.store));
    expect(later.events?.added.map(({ type }) => type)).toEqual(["message.sent", "message.delivered", "message.read"]);
    expect(later.ledger_entries?.added).toMatchObject([{ kind: "charge", amount: 8_500 }]);
    expect(later.contacts?.added).toMatchObject([{ consent: "opted_in", consent_source: "api" }]);
    const id = changes.messages?.added[0]?.id;
    const shown = await simulated.call("GET", `${MESSAGES}/${id}`, { key: shop.key });
    expect(shown.body.data).toMatchObject({ status: "read", error: null, charged: true });
    const again = await refuse(simulated, shop, "+919876540007");
    expect(again.answer.text).toBe(answer.text);
    expect(again.changes).toEqual({});
  });

  test("a text outside the window by the network's own count is window_closed", async () => {
    const shop = await shopWithOffer(scripted);
    network.answer = () => refused("131047");
    const { answer, changes } = await refuse(scripted, shop, to);
    expectProblem(answer, 422, "window_closed", ["whatsapp_code"]);
    expectRefusalTraces(answer, changes);
  });

  test("a network that is unreachable for the whole budget is whatsapp_error unreachable, which says that nothing was sent", async () => {
    const shop = await shopWithOffer(scripted);
    network.answer = () => ({ kind: "unreachable", reason: "connection refused" });
    network.outbounds.length = 0;
    const { answer, changes } = await refuse(scripted, shop, to);
    expectProblem(answer, 502, "whatsapp_error", ["whatsapp_code"]);
    expect(answer.body.error.whatsapp_code).toBe("unreachable");
    expect(answer.body.error.message).toMatch(/nothing was sent/i);
    expect(answer.body.error.message).toMatch(/new Idempotency-Key/i);
    expectRefusalTraces(answer, changes);
    expect(network.outbounds.length).toBeGreaterThan(2);
    expect(new Set(network.outbounds.map(({ sendToken }) => sendToken)).size).toBe(1);
  });

  test("a known recipient gains no second contact, and an opt-in keeps its source", async () => {
    const shop = await shopWithOffer(simulated, {});
    await simulated.inbound(shop, "+919876540002", "hi");
    const { changes } = await refuse(simulated, shop, "+919876540002", null);
    expect(Object.keys(changes).sort()).toEqual(["events", "messages", "network_health", "provider_requests"]);
  });

  test("message.failed is delivered to the workspace's webhook", async () => {
    await using receiver = startReceiver();
    const shop = await shopWithOffer(simulated);
    await simulated.webhook(shop, receiver.url);
    const { answer } = await refuse(simulated, shop, "+919876540002");
    await simulated.clock.advance(0);
    expect(receiver.types()).toEqual(["message.failed"]);
    const { code, message } = answer.body.error;
    expect(code).toBe("whatsapp_error");
    expect(receiver.received[0]?.event.data.message.error).toEqual({ message, whatsapp_code: "131000" });
  });
});

describe("rate_limited", () => {
  test("a network that throttles to the end: the message is discarded, only the contact stays, and the key is free", async () => {
    const shop = await shopWithOffer(scripted);
    network.answer = () => throttled();
    network.outbounds.length = 0;
    const startedAt = scripted.clock.monotonic();
    const { answer, changes } = await refuse(scripted, shop, to);
    expectProblem(answer, 429, "rate_limited");
    expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(scripted.clock.monotonic() - startedAt).toBeLessThanOrEqual(8_000);
    expect(network.outbounds.length).toBeGreaterThan(2);
    expect(Object.keys(changes).sort()).toEqual(["contacts", "ledger_entries", "provider_requests"]);
    expect(changes.contacts?.added).toMatchObject([{ consent: "unknown" }]);
    expect(changes.ledger_entries?.added).toMatchObject([{ kind: "hold" }, { kind: "release" }]);
    expect(changes.provider_requests?.added).toHaveLength(network.outbounds.length);
    network.answer = () => accepted();
    expect((await refuse(scripted, shop, to)).answer.status).toBe(201);
  });

  test("a Retry-After longer than the budget is not waited for, and is passed on to the caller", async () => {
    const shop = await shopWithOffer(scripted);
    network.answer = () => throttled(61_000);
    network.outbounds.length = 0;
    const { answer } = await refuse(scripted, shop, to);
    expectProblem(answer, 429, "rate_limited");
    expect(answer.headers.get("retry-after")).toBe("61");
    expect(network.outbounds).toHaveLength(1);
  });

  test("a throttle within the budget is waited out and answers 201 with one message", async () => {
    const shop = await shopWithOffer(simulated);
    const { answer, changes } = await refuse(simulated, shop, "+919876540006");
    expect(answer.status).toBe(201);
    expect(changes.messages?.added).toHaveLength(1);
    expect(changes.ledger_entries?.added.filter(({ kind }) => kind === "hold")).toHaveLength(1);
  });

  test("the network's Retry-After is waited for, and a network that is reachable again in time gets the message once", async () => {
    const shop = await shopWithOffer(scripted);
    const startedAt: number[] = [];
    network.outbounds.length = 0;
    network.answer = () => {
      startedAt.push(scripted.clock.monotonic());
      if (startedAt.length === 1) return throttled(3_000);
      return startedAt.length === 2 ? { kind: "unreachable", reason: "connection refused" } : accepted();
    };
    const { answer, changes } = await refuse(scripted, shop, to);
    expect(answer.status).toBe(201);
    const [first = 0, second = 0, third = 0] = startedAt;
    expect(second - first).toBeGreaterThanOrEqual(3_000);
    expect(third - first).toBeLessThanOrEqual(8_000);
    expect(new Set(network.outbounds.map(({ sendToken }) => sendToken)).size).toBe(1);
    expect(changes.messages?.added).toMatchObject([{ status: "sent", money: "held" }]);
    expect(changes.events?.added).toHaveLength(1);
  });

  test("an opt-out while the network throttles ends the request with nothing sent", async () => {
    const shop = await shopWithOffer(scripted);
    network.answer = () => throttled(2_000);
    network.outbounds.length = 0;
    const open = scripted.call("POST", MESSAGES, { key: shop.key, body: { to, template: "offer" } });
    await scripted.clock.advance(100);
    await scripted.inbound(shop, to, "STOP");
    expectProblem(await scripted.clock.until(open), 422, "opted_out", ["since"]);
    expect(network.outbounds).toHaveLength(1);
  });

  test("a daily cap that is set between two attempts counts the message that waits", async () => {
    const shop = await shopWithOffer(scripted);
    network.outbounds.length = 0;
    network.answer = () => (network.outbounds.length === 1 ? throttled(2_000) : accepted());
    const open = scripted.call("POST", MESSAGES, { key: shop.key, body: { to, template: "offer" } });
    await scripted.clock.advance(100);
    await scripted.store.write((tx) => updateWorkspace(tx, shop.id, { dailyCap: 1 }));
    const other = { key: shop.key, body: { to: "+919876543211", template: "offer" } };
    expectProblem(await scripted.send("POST", MESSAGES, other), 429, "rate_limited");
    expect((await scripted.clock.until(open)).status).toBe(201);
    const [sentAt] = scripted.store.client
      .prepare("SELECT dispatched_at FROM messages ORDER BY id DESC LIMIT 1")
      .pluck()
      .all();
    // The 24 hours begin with the last attempt.
    expect(
      scripted.store.client
        .prepare("SELECT last_at FROM recent_recipients WHERE workspace_id = ?")
        .pluck()
        .all(shop.id),
    ).toEqual([sentAt]);
  });

  test("a pace wait longer than the budget is refused at once, and stores nothing", async () => {
    const shop = await shopWithOffer(simulated, { throughput: 1 });
    const request = { key: shop.key, body: { to, template: "offer" } };
    // One saved token and eight seconds' worth of tokens.
    const waiting = Array.from({ length: 9 }, () => simulated.call("POST", MESSAGES, request));
    await simulated.clock.advance(0);
    const before = snapshot(simulated.store);
    const answer = await simulated.call("POST", MESSAGES, request);
    expectProblem(answer, 429, "rate_limited");
    expect(answer.headers.get("retry-after")).toBe("9");
    expect(rowsAdded(before, snapshot(simulated.store))).toEqual({});
    await simulated.clock.advance(8_000);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(9).fill(201));
  });

  test("requests of any kind over a workspace's rate are refused, and other workspaces are not", async () => {
    await using app = await startTestServer({ config: { limits: { requestsPerSecond: 0.5, burst: 2 } } });
    const [shop, other] = [await app.workspace(), await app.workspace()];
    const me = (key: string) => app.call("GET", "/api/v1/me", { key });
    expect([(await me(shop.key)).status, (await me(shop.key)).status]).toEqual([200, 200]);
    const before = snapshot(app.store);
    const answer = await app.call("POST", MESSAGES, { key: shop.key, body: { to, text: "x" } });
    expectProblem(answer, 429, "rate_limited");
    expect(answer.headers.get("retry-after")).toBe("2");
    expect(rowsAdded(before, snapshot(app.store))).toEqual({});
    expect((await me(other.key)).status).toBe(200);
    await app.clock.advance(2_000);
    expect((await me(shop.key)).status).toBe(200);
  });
});

test("a delivery reported after its hold was released is still charged, and the next send is 402", async () => {
  const shop = await shopWithOffer(simulated, { billing: { rate: 8_500, balance: 8_500 } });
  expect((await refuse(simulated, shop, "+919876540007", null)).answer.status).toBe(502);
  expect((await refuse(simulated, shop, "+919876540004", null)).answer.status).toBe(201);
  await simulated.clock.advance(5_000);
  const { answer } = await refuse(simulated, shop, to, null);
  expectProblem(answer, 402, "insufficient_balance", ["needed", "available"]);
  expect(answer.body.error).toMatchObject({ needed: "0.0085", available: "-0.0085" });
});

describe("the daily cap", () => {
  test("does not count the recipient of a refused template", async () => {
    const shop = await shopWithOffer(simulated, { dailyCap: 1 });
    await refuse(simulated, shop, "+919876540002");
    expect((await refuse(simulated, shop, to, null)).answer.status).toBe(201);
  });

  test("still counts the recipient of an earlier template after a later one is refused", async () => {
    const shop = await shopWithOffer(scripted, { dailyCap: 1 });
    network.answer = () => accepted();
    expect((await refuse(scripted, shop, to, null)).answer.status).toBe(201);
    await scripted.clock.advance(60_000);
    network.answer = () => refused("131000");
    expect((await refuse(scripted, shop, to, null)).answer.status).toBe(502);
    network.answer = () => accepted();
    expectProblem((await refuse(scripted, shop, "+919876543211", null)).answer, 429, "rate_limited");
  });

  test("counts recipients who were sent a template before the cap was set", async () => {
    const shop = await shopWithOffer(scripted, {});
    network.answer = () => accepted();
    expect((await refuse(scripted, shop, to, null)).answer.status).toBe(201);
    scripted.store.client.prepare("UPDATE workspaces SET daily_cap = 1 WHERE id = ?").run(shop.id);
    expectProblem((await refuse(scripted, shop, "+919876543211", null)).answer, 429, "rate_limited");
  });
});

/**
 * What a refusal tells a program: the message that was stored, whether anything may have been sent, whether the same
 * request may succeed later, and with which key to repeat it. One row for each way in which a send can be refused.
 */
import { describe, expect, test } from "bun:test";
import { problemCodes } from "#src/core/problem.ts";
import { markUnready } from "#src/domain/numbers/readiness.ts";
import { suspend } from "#src/domain/workspaces/update.ts";
import { fillDisk, mendDisk } from "#test/support/broken-disk.ts";
import { fakeNetwork, gate, refused, throttled, unknown, unreachable } from "#test/support/fake-network.ts";
import { inboundItem, report } from "#test/support/report.ts";
import { messagesOf } from "#test/support/rows.ts";
import { templates, unsupportedTemplates } from "#test/support/scenarios.ts";
import { type Answered, startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const MESSAGES = "/api/v1/messages";
const to = "+919876543210";
const KEY = { "idempotency-key": "order-1" };

interface World {
  app: TestServer;
  shop: TestWorkspace;
  network: ReturnType<typeof fakeNetwork>;
  /** Sends the request with the key, moving the clock as far as the answer needs. */
  post(body: unknown, path?: string): Promise<Answered>;
}

interface Expected {
  status: number;
  code: (typeof problemCodes)[number];
  outcome?: "not_sent" | "unknown";
  retryable: boolean;
  retry_key: "same" | "new";
  /** Whether the refusal names a message; that message then exists. */
  names_message?: true;
}

interface Row {
  refuse: (world: World) => Promise<Answered>;
  expected: Expected;
  balance?: number;
  apiEnabled?: false;
  dailyCap?: number;
}

const plain = { to, template: "plain" };

async function suspended({ app, shop, post }: World): Promise<Answered> {
  await app.store.write((tx) => void suspend(tx, shop.id, "unpaid"));
  return post(plain);
}

async function unready({ app, shop, post }: World): Promise<Answered> {
  await app.store.write((tx) => void markUnready(tx, shop.numberId, "the name is being reviewed"));
  return post(plain);
}

async function optedOut({ app, shop, post }: World): Promise<Answered> {
  await app.inbound(shop, to, "STOP");
  return post(plain);
}

async function template({ app, shop, post }: World, json: { name: string }, pending = false): Promise<Answered> {
  await app.template(shop, json, pending ? "PENDING" : "APPROVED");
  return post({ to, template: json.name });
}

/** The network answers with this outcome to every attempt. */
function answered(outcome: Parameters<World["network"]["always"]>[0]): Row["refuse"] {
  return async ({ network, post }) => {
    network.always(outcome);
    return post(plain);
  };
}

/** The person opts out, or the workspace is suspended, while the message waits for its second attempt. */
function lostBetweenAttempts(lose: (world: World) => Promise<unknown>): Row["refuse"] {
  return async (world) => {
    const waiting = gate();
    world.network.next(waiting.answer);
    const answer = world.app.call("POST", MESSAGES, { key: world.shop.key, headers: KEY, body: plain });
    await world.app.clock.until(waiting.reached);
    waiting.open(throttled(1_000));
    await lose(world);
    return world.app.clock.until(answer);
  };
}

/** Something of ours breaks while the network has the message. */
function brokenInFlight(breakIt: (world: World) => void, mend: (world: World) => void): Row["refuse"] {
  return async (world) => {
    const waiting = gate();
    world.network.next(waiting.answer);
    const answer = world.app.call("POST", MESSAGES, { key: world.shop.key, headers: KEY, body: plain });
    await world.app.clock.until(waiting.reached);
    breakIt(world);
    waiting.open("accepted");
    const refusal = await answer;
    mend(world);
    return refusal;
  };
}

const rows: Record<string, Row> = {
  "a wrong field": {
    refuse: ({ post }) => post({ to, text: "" }),
    expected: { status: 400, code: "invalid_request", retryable: false, retry_key: "same" },
  },
  "an unknown key of the API": {
    refuse: ({ app }) => app.call("POST", MESSAGES, { key: `wx_${"a".repeat(43)}`, headers: KEY, body: plain }),
    expected: { status: 401, code: "unauthenticated", retryable: false, retry_key: "same" },
  },
  "an API that is off": {
    apiEnabled: false,
    refuse: ({ post }) => post(plain),
    expected: { status: 403, code: "api_not_enabled", retryable: false, retry_key: "same" },
  },
  "a suspended workspace": {
    refuse: suspended,
    expected: { status: 403, code: "workspace_suspended", retryable: true, retry_key: "same" },
  },
  "a balance that is too small": {
    balance: 0,
    refuse: ({ post }) => post(plain),
    expected: { status: 402, code: "insufficient_balance", retryable: true, retry_key: "new" },
  },
  "a broadcast to an unknown group": {
    refuse: ({ post }) => post({ name: "Offer", template: "plain", group: 99 }, "/api/v1/broadcasts"),
    expected: { status: 404, code: "not_found", retryable: false, retry_key: "new" },
  },
  "a broadcast that the balance does not cover": {
    balance: 0,
    refuse: ({ post }) => post({ name: "Offer", template: "plain", to: [to] }, "/api/v1/broadcasts"),
    expected: { status: 402, code: "insufficient_balance", retryable: true, retry_key: "new" },
  },
  "a key of another request": {
    refuse: async ({ post }) => {
      expect((await post(plain)).status).toBe(201);
      return post({ ...plain, reference: "another" });
    },
    expected: { status: 409, code: "idempotency_conflict", retryable: false, retry_key: "new" },
  },
  "a person who opted out": {
    refuse: optedOut,
    expected: { status: 422, code: "opted_out", retryable: false, retry_key: "new" },
  },
  "a text that is no phone number": {
    refuse: ({ post }) => post({ to: "hello", template: "plain" }),
    expected: { status: 422, code: "invalid_number", retryable: false, retry_key: "new" },
  },
  "a closed window": {
    refuse: ({ post }) => post({ to, text: "Hi" }),
    expected: { status: 422, code: "window_closed", retryable: false, retry_key: "new" },
  },
  "a conversation of another sender": {
    refuse: async ({ app, shop, post }) => {
      await report(
        app,
        shop,
        { standby: { messages: [inboundItem({ from: to.slice(1) }, app.clock.now())] } },
        "standby",
      );
      return post({ to, text: "Hi" });
    },
    expected: { status: 422, code: "thread_owned_elsewhere", retryable: false, retry_key: "same" },
  },
  "an unknown template": {
    refuse: ({ post }) => post({ to, template: "unheard_of" }),
    expected: { status: 422, code: "template_not_found", retryable: false, retry_key: "new" },
  },
  "a template without a decision": {
    refuse: (world) => template(world, templates.offer, true),
    expected: { status: 422, code: "template_not_sendable", retryable: false, retry_key: "new" },
  },
  "a template that is not supported": {
    refuse: (world) => template(world, unsupportedTemplates.carousel),
    expected: { status: 422, code: "unsupported_template", retryable: false, retry_key: "new" },
  },
  "a missing value": {
    refuse: (world) => template(world, templates.shipped),
    expected: { status: 422, code: "missing_variable", retryable: false, retry_key: "new" },
  },
  "a missing file": {
    refuse: (world) => template(world, templates.pictured),
    expected: { status: 422, code: "missing_media", retryable: false, retry_key: "new" },
  },
  "a number that cannot send": {
    refuse: unready,
    expected: { status: 422, code: "number_not_ready", retryable: true, retry_key: "new" },
  },
  "the daily cap": {
    dailyCap: 1,
    refuse: async ({ app, shop, post }) => {
      await app.send("POST", MESSAGES, { key: shop.key, body: { ...plain, to: "+919876543299" } });
      return post(plain);
    },
    expected: { status: 429, code: "rate_limited", retryable: true, retry_key: "same" },
  },
  "a network that throttles to the end": {
    refuse: answered(throttled()),
    expected: { status: 429, code: "rate_limited", outcome: "not_sent", retryable: true, retry_key: "same" },
  },
  "an opt-out between two attempts": {
    refuse: lostBetweenAttempts(({ app, shop }) => app.inbound(shop, to, "STOP")),
    expected: { status: 422, code: "opted_out", outcome: "not_sent", retryable: false, retry_key: "new" },
  },
  "a suspension between two attempts": {
    refuse: lostBetweenAttempts(({ app, shop }) => app.store.write((tx) => void suspend(tx, shop.id, "unpaid"))),
    expected: { status: 403, code: "workspace_suspended", outcome: "not_sent", retryable: true, retry_key: "same" },
  },
  "a refusal of the network": {
    refuse: answered(refused("131049")),
    expected: {
      ...{ status: 502, code: "whatsapp_error", outcome: "not_sent", retryable: false, retry_key: "new" },
      names_message: true,
    },
  },
  "a trouble of the network's own": {
    refuse: answered({ kind: "refused", code: "131000", message: "Something went wrong.", scope: "network" }),
    expected: {
      ...{ status: 502, code: "whatsapp_error", outcome: "not_sent", retryable: true, retry_key: "new" },
      names_message: true,
    },
  },
  "a number that is not on the network": {
    refuse: answered(refused("131026")),
    expected: {
      ...{ status: 422, code: "invalid_number", outcome: "not_sent", retryable: false, retry_key: "new" },
      names_message: true,
    },
  },
  "a window that the network says is closed": {
    refuse: answered(refused("131047")),
    expected: {
      ...{ status: 422, code: "window_closed", outcome: "not_sent", retryable: false, retry_key: "new" },
      names_message: true,
    },
  },
  "a network that cannot be reached": {
    refuse: answered(unreachable),
    expected: {
      ...{ status: 502, code: "whatsapp_error", outcome: "not_sent", retryable: true, retry_key: "new" },
      names_message: true,
    },
  },
  "a network that does not answer": {
    refuse: answered(unknown),
    expected: {
      ...{ status: 502, code: "whatsapp_error", outcome: "unknown", retryable: false, retry_key: "same" },
      names_message: true,
    },
  },
  "a full disk before the dispatch": {
    refuse: async ({ app, shop, post }) => {
      await app.inbound(shop, to, "Hi");
      fillDisk(app.store);
      const refusal = await post({ to, text: "word ".repeat(800) });
      mendDisk(app.store);
      return refusal;
    },
    expected: { status: 503, code: "unavailable", outcome: "not_sent", retryable: true, retry_key: "same" },
  },
  "a full disk after the dispatch": {
    refuse: async (world) => {
      await world.app.inbound(world.shop, to, "Hi");
      const waiting = gate();
      world.network.next(waiting.answer);
      const body = { to, text: "word ".repeat(800) };
      const answer = world.app.call("POST", MESSAGES, { key: world.shop.key, headers: KEY, body });
      await world.app.clock.until(waiting.reached);
      fillDisk(world.app.store);
      waiting.open("accepted");
      const refusal = await answer;
      mendDisk(world.app.store);
      return refusal;
    },
    expected: {
      ...{ status: 503, code: "unavailable", outcome: "unknown", retryable: false, retry_key: "same" },
      names_message: true,
    },
  },
  "a fault of ours before the dispatch": {
    refuse: async ({ app, post }) => {
      app.store.client.exec("CREATE TRIGGER broken BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'broken'); END");
      const refusal = await post(plain);
      app.store.client.exec("DROP TRIGGER broken");
      return refusal;
    },
    expected: { status: 500, code: "internal_error", retryable: true, retry_key: "same" },
  },
  "a fault of ours after the dispatch": {
    refuse: brokenInFlight(
      ({ app }) =>
        app.store.client.exec(
          "CREATE TRIGGER broken BEFORE UPDATE ON messages BEGIN SELECT RAISE(ABORT, 'broken'); END",
        ),
      ({ app }) => app.store.client.exec("DROP TRIGGER broken"),
    ),
    expected: {
      ...{ status: 500, code: "internal_error", outcome: "unknown", retryable: false, retry_key: "same" },
      names_message: true,
    },
  },
};

async function begin({ balance, apiEnabled, dailyCap }: Row): Promise<World> {
  const network = fakeNetwork();
  const app = await startTestServer({
    networks: { simulator: network },
    expectedErrors: /cannot be written|could not be written|request.failed/i,
  });
  const shop = await app.workspace({
    billing: balance === undefined ? null : { rate: 8_500, balance },
    ...(apiEnabled === undefined ? {} : { apiEnabled }),
    ...(dailyCap === undefined ? {} : { dailyCap }),
  });
  await app.template(shop, templates.plain);
  const post: World["post"] = (body, path = MESSAGES) => app.send("POST", path, { key: shop.key, headers: KEY, body });
  return { app, shop, network, post };
}

for (const [what, row] of Object.entries(rows)) {
  const { status, code, names_message, ...members } = row.expected;
  test(`${what}: a program learns what was sent and how to continue`, async () => {
    const world = await begin(row);
    await using app = world.app;
    const answer = await row.refuse(world);
    const { error } = answer.body;
    expect([answer.status, error.code]).toEqual([status, code]);
    const { outcome, retryable, retry_key, message_id } = error;
    expect({ retryable, retry_key, ...(outcome === undefined ? {} : { outcome }) }).toEqual(members);
    const stored = messagesOf(app).map(({ id }) => id);
    if (names_message) expect(stored).toContain(message_id);
    else expect(message_id).toBeUndefined();
  });
}

describe("kept refusals", () => {
  for (const [what, row] of Object.entries(rows)) {
    const isKept = [402, 404, 422, 502].includes(row.expected.status);
    // The conversation may be ours again in a moment.
    if (!isKept || row.expected.code === "thread_owned_elsewhere") continue;
    test(`${what}: the refusal is kept under its key, byte for byte`, async () => {
      const world = await begin(row);
      await using app = world.app;
      const first = await row.refuse(world);
      const path =
        row.expected.code === "not_found" || what.startsWith("a broadcast") ? "/api/v1/broadcasts" : MESSAGES;
      const key = app.store.client.prepare("SELECT status, body FROM idempotency_keys").get() as { body: string };
      expect(key.body).toBe(first.text);
      const seen: Answered[] = [];
      const again: World = {
        ...world,
        post: async (body) => {
          const answer = await app.send("POST", path, { key: world.shop.key, headers: KEY, body });
          seen.push(answer);
          return answer;
        },
      };
      if (!what.includes("between two attempts") && !what.startsWith("a template") && !what.startsWith("a missing")) {
        await row.refuse(again);
        expect(seen[0]?.text).toBe(first.text);
        expect(seen[0]?.headers.get("idempotent-replayed")).toBe("true");
      }
    });
  }

  test("a kept 402 and a kept number_not_ready say that a new try needs a new key; without a key they do not", async () => {
    for (const what of ["a balance that is too small", "a number that cannot send"]) {
      const row = rows[what];
      if (row === undefined) throw new Error(`no row ${what}`);
      const world = await begin(row);
      await using app = world.app;
      expect((await row.refuse(world)).body.error.message).toContain("needs a new key");
      const unkeyed = await app.send("POST", MESSAGES, { key: world.shop.key, body: plain });
      expect(unkeyed.body.error.message).not.toContain("needs a new key");
    }
  });
});

test("every code that a send can be refused with has a row", () => {
  const covered = new Set(Object.values(rows).map(({ expected }) => expected.code));
  const elsewhere = ["not_cancellable", "conversation_assigned"];
  expect(problemCodes.filter((code) => !covered.has(code) && !elsewhere.includes(code))).toEqual([]);
});

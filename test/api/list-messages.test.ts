/** `GET /messages`: a program finds every message that it sent, whatever happened to the answer. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { countMessagesSql, type MessageFilter } from "#src/domain/messages/list.ts";
import { accepted, fakeNetwork, gate, refused } from "#test/support/fake-network.ts";
import { indexContacts } from "#test/support/indexers.ts";
import { changesBetween, snapshot, templates } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const MESSAGES = "/api/v1/messages";
const [asha, ravi] = ["+919876543210", "+919876543211"];

let app: TestServer;
let shop: TestWorkspace;
const network = fakeNetwork();

beforeAll(async () => {
  app = await startTestServer({ networks: { simulator: network } });
  shop = await app.workspace();
  await app.template(shop, templates.plain);
});
afterAll(() => app[Symbol.asyncDispose]());

const list = (query = "", { key } = shop) => app.call("GET", `${MESSAGES}${query}`, { key });
const ids = async (query = "", at = shop): Promise<number[]> =>
  (await list(query, at)).body.data.map(({ id }: { id: number }) => id);

async function send(reference: string | undefined, to = asha, key?: string, at = shop): Promise<number> {
  const { body } = await app.send("POST", MESSAGES, {
    key: at.key,
    body: { to, template: "plain", ...(reference === undefined ? {} : { reference }) },
    headers: key === undefined ? {} : { "idempotency-key": key },
  });
  return body.data?.id ?? body.error.message_id;
}

describe("a message is found", () => {
  test("by its reference, by the key of its request, by its recipient, by its status and by its time", async () => {
    const own = await app.workspace();
    await app.template(own, templates.plain);
    const first = await send("order-1", asha, "key-1", own);
    await app.clock.advance(60_000);
    const since = encodeURIComponent(new Date(app.clock.now()).toISOString());
    const second = await send("order-2", ravi, "key-2", own);
    network.next(refused("131049"));
    const failed = await send("order-1", asha, "key-3", own);
    const none = await send(undefined, ravi, undefined, own);

    expect(await ids("", own)).toEqual([none, failed, second, first]);
    expect(await ids("?reference=order-1", own)).toEqual([failed, first]);
    expect(await ids("?idempotency_key=key-2", own)).toEqual([second]);
    expect(await ids("?to=98765%2043210", own)).toEqual([failed, first]);
    expect(await ids("?to=%2B919876549999", own)).toEqual([]);
    expect(await ids("?status=failed", own)).toEqual([failed]);
    expect(await ids("?status=sent", own)).toEqual([none, second, first]);
    expect(await ids(`?since=${since}`, own)).toEqual([none, failed, second]);
    expect(await ids(`?reference=order-1&to=919876543210&status=sent`, own)).toEqual([first]);
    expect(await ids(`?reference=order-1&idempotency_key=key-2`, own)).toEqual([]);
    const { body } = await list("?reference=order-1&status=failed", own);
    expect(body.meta).toEqual({ page: 1, per_page: 50, total: 1, has_more: false, next: null, pending: 0 });
    expect(body.data[0]).toMatchObject({ reference: "order-1", status: "failed", error: { whatsapp_code: "131049" } });
  });

  test("by the key of its request even after the kept answer is gone", async () => {
    const own = await app.workspace();
    await app.template(own, templates.plain);
    const id = await send(undefined, asha, "old-key", own);
    await app.clock.advance(25 * 3_600_000);
    expect(app.store.client.prepare("SELECT count(*) FROM idempotency_keys WHERE key = 'old-key'").pluck().get()).toBe(
      0,
    );
    expect(await ids("?idempotency_key=old-key", own)).toEqual([id]);
  });

  test("only by its own workspace, and never a recipient of a broadcast", async () => {
    const [own, other] = [await app.workspace(), await app.workspace()];
    await app.template(own, templates.plain);
    await app.send("POST", "/api/v1/broadcasts", {
      key: own.key,
      body: { name: "Offer", template: "plain", to: [asha] },
    });
    await app.clock.advance(5_000);
    expect(await ids("", own)).toEqual([]);
    expect(await ids(`?to=${encodeURIComponent(asha)}`, own)).toEqual([]);
    const id = await send("secret", ravi, "secret-key", own);
    expect(await ids("?reference=secret", own)).toEqual([id]);
    for (const query of ["", "?reference=secret", "?idempotency_key=secret-key", `?to=${encodeURIComponent(ravi)}`]) {
      expect(await ids(query, other)).toEqual([]);
    }
  });
});

test("messages to a person are listed and counted, whichever of them have moved to the index by contact", async () => {
  const own = await app.workspace();
  await app.template(own, templates.plain);
  const sent: number[] = [];
  for (let n = 0; n < 12; n++) {
    if (n === 5) await indexContacts(app.store);
    if (n % 3 === 0) await app.clock.advance(1_000);
    sent.unshift(await send(undefined, asha, undefined, own));
    await send(undefined, ravi, undefined, own);
  }
  const walk = async (): Promise<number[]> => {
    const found: number[] = [];
    for (let after = ""; ; ) {
      const { data, meta } = (await list(`?to=919876543210&per_page=5${after}`, own)).body;
      expect(meta.total).toBe(12);
      found.push(...data.map(({ id }: { id: number }) => id));
      if (meta.next === null) return found;
      after = `&after=${encodeURIComponent(meta.next)}`;
    }
  };
  expect(await walk()).toEqual(sent);
  await indexContacts(app.store);
  expect(await walk()).toEqual(sent);
  expect(await ids("?to=919876543210&status=failed", own)).toEqual([]);
  expect(await ids("?to=919876543210&per_page=5&page=3", own)).toEqual(sent.slice(10));
});

test("an accepted message that the network has not answered yet is pending, and listed as soon as it has", async () => {
  const waiting = gate();
  network.next(waiting.answer);
  const answer = app.call("POST", MESSAGES, {
    key: shop.key,
    body: { to: asha, template: "plain", reference: "open" },
    headers: { "idempotency-key": "open-key" },
  });
  await app.clock.until(waiting.reached);
  for (const query of ["?reference=open", "?idempotency_key=open-key"]) {
    const { body } = await list(query);
    expect([body.data, body.meta.total, body.meta.pending]).toEqual([[], 0, 1]);
  }
  waiting.open("accepted");
  await app.clock.until(answer);
  const { body } = await list("?reference=open");
  expect([body.data.length, body.meta.total, body.meta.pending]).toEqual([1, 1, 0]);
  expect((await list()).body.meta.pending).toBeUndefined();
});

test("a message that was throttled to the end leaves nothing: total 0 and pending 0", async () => {
  network.always({ kind: "throttled", code: "130429", message: "Slow down.", retryAfterMs: null, scope: "pair" });
  const { status } = await app.send("POST", MESSAGES, {
    key: shop.key,
    body: { to: asha, template: "plain", reference: "throttled" },
  });
  network.always((outbound) => accepted(outbound));
  expect(status).toBe(429);
  expect((await list("?reference=throttled")).body.meta).toMatchObject({ total: 0, pending: 0 });
});

describe("pages", () => {
  let own: TestWorkspace;
  const sent: number[] = [];
  beforeAll(async () => {
    own = await app.workspace();
    await app.template(own, templates.plain);
    for (let index = 0; index < 23; index++) {
      sent.unshift(await send(`page-${index % 2}`, asha, undefined, own));
      if (index % 3 === 0) await app.clock.advance(1_000);
    }
  });

  for (const query of ["?per_page=5", "?per_page=5&reference=page-1", "?per_page=7&status=sent"]) {
    test(`the cursors of ${query} walk through every match once, newest first`, async () => {
      const walked: number[] = [];
      for (let next: string | null = ""; next !== null; ) {
        const { body } = await list(`${query}${next === "" ? "" : `&after=${next}`}`, own);
        walked.push(...body.data.map(({ id }: { id: number }) => id));
        expect(body.meta.has_more).toBe(body.meta.next !== null);
        next = body.meta.next;
      }
      const expected = query.includes("page-1") ? sent.filter((_, index) => index % 2 === 1) : sent;
      expect(walked).toEqual(expected);
    });
  }

  test("a page holds as many entries as asked for, at most 500", async () => {
    const page = (await list("?per_page=5&page=2", own)).body;
    expect(page.data.map(({ id }: { id: number }) => id)).toEqual(sent.slice(5, 10));
    expect(page.meta).toMatchObject({ page: 2, per_page: 5, total: 23, has_more: true });
    expect((await list("?per_page=100000", own)).body.meta.per_page).toBe(500);
  });
});

describe("a wrong filter is refused and named", () => {
  for (const [query, field] of [
    ["?reference=", "reference"],
    [`?reference=${"x".repeat(192)}`, "reference"],
    [`?idempotency_key=${"x".repeat(101)}`, "idempotency_key"],
    ["?to=hello", "to"],
    ["?status=queued", "status"],
    ["?since=yesterday", "since"],
    ["?per_page=0", "per_page"],
    ["?per_page=ten", "per_page"],
    ["?page=0", "page"],
    ["?after=garbage", "after"],
  ] as const) {
    test(query.slice(0, 30), async () => {
      const { status, body } = await list(query);
      expect([status, Object.keys(body.error.fields ?? {})]).toEqual([400, [field]]);
    });
  }
});

describe("the reference of a message", () => {
  for (const [what, reference] of [
    ["empty", ""],
    ["of 192 characters", "é".repeat(192)],
    ["not a text", 7],
    ["with half a character", "\ud800"],
  ] as const) {
    test(`is refused if it is ${what}`, async () => {
      const before = snapshot(app.store);
      const { status, body } = await app.call("POST", MESSAGES, {
        key: shop.key,
        body: { to: asha, template: "plain", reference },
      });
      expect([status, Object.keys(body.error.fields)]).toEqual([400, ["reference"]]);
      expect(changesBetween(before, snapshot(app.store))).toEqual({});
    });
  }

  test("has up to 191 characters, is shown by the message, and never goes to the network", async () => {
    const reference = "💬".repeat(191);
    const id = await send(reference);
    expect((await app.call("GET", `${MESSAGES}/${id}`, { key: shop.key })).body.data.reference).toBe(reference);
    expect(await ids(`?reference=${encodeURIComponent(reference)}`)).toEqual([id]);
    expect(JSON.stringify(network.sent.at(-1))).not.toContain("💬");
  });

  test("is part of what a key stands for: another reference under the same key is a conflict", async () => {
    await send("one", asha, "conflict");
    const { status } = await app.send("POST", MESSAGES, {
      key: shop.key,
      body: { to: asha, template: "plain", reference: "two" },
      headers: { "idempotency-key": "conflict" },
    });
    expect(status).toBe(409);
  });
});

test("the totals of a list are counted by an index, whatever the filter", () => {
  const filters: Partial<MessageFilter>[] = [
    {},
    { since: 1 },
    { status: "failed" },
    { status: "failed", since: 1 },
    { reference: "x" },
    { reference: "x", status: "failed" },
    { idempotencyKey: "x" },
    { idempotencyKey: "x", contactId: 1 },
    { contactId: 1 },
    { contactId: 1, status: "failed", since: 1 },
  ];
  for (const given of filters) {
    const filter = { reference: null, idempotencyKey: null, contactId: null, status: null, since: null, ...given };
    const { sql, parameters } = countMessagesSql(1, filter);
    const plan = app.store.client.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[];
    const expected = given.reference
      ? "messages_api_reference"
      : given.idempotencyKey
        ? "messages_api_key"
        : given.contactId
          ? "INTEGER PRIMARY KEY .*SEARCH contact_messages USING PRIMARY KEY .*COVERING INDEX messages_single"
          : "COVERING INDEX messages_api_status";
    expect(plan.map(({ detail }) => detail).join()).toMatch(new RegExp(`^SEARCH messages USING .*${expected}`));
  }
});

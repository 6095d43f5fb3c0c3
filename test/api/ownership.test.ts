/** An API key never reaches another workspace's data, even if both workspaces use the same names and numbers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fakeNetwork, fillBucket, template } from "#test/support/scenarios.ts";
import { type Answered, startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const MESSAGES = "/api/v1/messages";
const person = "+919876543210";
const shared = (words: string) => template("shared", [{ type: "BODY", text: words }]);
const own = (name: string) => template(name, [{ type: "BODY", text: `Only ${name}.` }]);

/**
 * Two workspaces that share a number, a contact's phone and a template name; each also has a number and a template of
 * its own.
 */
let app: TestServer;
let ours: TestWorkspace;
let theirs: TestWorkspace;
const ownNumber = new Map<TestWorkspace, string>();

beforeAll(async () => {
  app = await startTestServer({ networks: { simulator: fakeNetwork() } });
  ours = await app.workspace({ name: "Ours" });
  theirs = await app.workspace({ name: "Theirs" });
  for (const [shop, name, phone] of [
    [ours, "ours_alone", "+911244001101"],
    [theirs, "theirs_alone", "+911244001102"],
  ] as const) {
    await app.template(shop, shared(`From ${name}.`));
    await app.template(shop, own(name));
    await app.store.write((tx) => {
      tx.db.run(`INSERT INTO numbers (id, workspace_id, phone, name, network, throughput, throughput_given, ready, unready_reason, account_id,
      phone_number_id, access_token, app_secret, created_at, removed_at)
      SELECT NULL, workspace_id, '${phone}', name, network, throughput, throughput_given, ready,
        unready_reason, account_id, 'sim-${name}', NULL, NULL, created_at, NULL
        FROM numbers WHERE id = ${shop.numberId}`);
    });
    ownNumber.set(shop, phone);
    await fillBucket(app, shop);
  }
});
afterAll(() => app[Symbol.asyncDispose]());

const send = (
  shop: TestWorkspace,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Answered> =>
  app.send("POST", MESSAGES, { key: shop.key, headers, body: { to: person, from: "+911244001100", ...body } });

const both = (): [mine: TestWorkspace, other: TestWorkspace, otherName: string][] => [
  [ours, theirs, "theirs_alone"],
  [theirs, ours, "ours_alone"],
];

describe("an API key reaches only its own workspace's", () => {
  test("messages", async () => {
    for (const [mine, other] of both()) {
      const { id } = (await send(mine, { template: "shared" })).body.data;
      expect((await app.call("GET", `${MESSAGES}/${id}`, { key: mine.key })).body.data.id).toBe(id);
      const refused = await app.call("GET", `${MESSAGES}/${id}`, { key: other.key });
      const absent = await app.call("GET", `${MESSAGES}/999999`, { key: other.key });
      // The answer does not even reveal that the message exists.
      expect({ status: refused.status, text: refused.text }).toEqual({ status: absent.status, text: absent.text });
    }
  });

  test("templates: a shared name sends the workspace's own words, and the other workspace's name is unknown", async () => {
    for (const [mine, other, otherName] of both()) {
      expect((await send(mine, { template: otherName })).body.error.code).toBe("template_not_found");
      const [a, b] = [await send(mine, { template: "shared" }), await send(other, { template: "shared" })];
      expect(a.body.data.text).not.toBe(b.body.data.text);
      expect(a.text).not.toContain(otherName);
    }
  });

  test("lists of templates, by page, by status and by the other workspace's cursor", async () => {
    for (const [mine, other] of both()) {
      for (let index = 0; index < 50; index++) await app.template(other, own(`z${other.id}_${index}`));
      const { next } = (await app.call("GET", "/api/v1/templates", { key: other.key })).body.meta;
      expect(next).toEqual(expect.any(String));
      for (const query of ["", "?page=2", "?status=APPROVED", `?after=${next}`]) {
        const { body } = await app.call("GET", `/api/v1/templates${query}`, { key: mine.key });
        expect(body.data.filter(({ name }: { name: string }) => name.startsWith(`z${other.id}_`))).toEqual([]);
      }
      const names = (await app.call("GET", "/api/v1/templates", { key: mine.key })).body.data.map(
        ({ name }: { name: string }) => name,
      );
      expect(names).toContain("shared");
      app.store.client.prepare("DELETE FROM templates WHERE name LIKE 'z%'").run();
    }
  });

  test("sending numbers", async () => {
    for (const [mine, other] of both()) {
      const refused = await send(mine, { template: "shared", from: ownNumber.get(other) });
      expect(refused.body.error).toMatchObject({ code: "invalid_request", fields: { from: [expect.any(String)] } });
      const { body } = await app.call("GET", "/api/v1/me", { key: mine.key });
      expect(body.data.numbers.map(({ phone }: { phone: string }) => phone)).toEqual([
        "+911244001100",
        ownNumber.get(mine) ?? "",
      ]);
      const ambiguous = await send(mine, { template: "shared", from: undefined });
      expect(ambiguous.body.error.fields.from[0]).not.toContain(ownNumber.get(other));
    }
  });

  test("kept answers", async () => {
    const headers = { "idempotency-key": "same" };
    const answers = [
      await send(ours, { template: "shared" }, headers),
      await send(theirs, { template: "shared" }, headers),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[0]?.body.data.id).not.toBe(answers[1]?.body.data.id);
    expect(answers[1]?.headers.get("idempotent-replayed")).toBeNull();
  });

  test("conversations: the window and the opt-out", async () => {
    await app.inbound(ours, person, "hello");
    expect((await send(ours, { text: "hi" })).status).toBe(201);
    expect((await send(theirs, { text: "hi" })).body.error.code).toBe("window_closed");
    await app.inbound(ours, person, "STOP");
    expect((await send(ours, { template: "shared" })).body.error.code).toBe("opted_out");
    expect((await send(theirs, { template: "shared" })).status).toBe(201);
  });

  test("balance", async () => {
    const paying = await app.workspace({ billing: { rate: 600_000, balance: 1_000_000 } });
    const poor = await app.workspace({ billing: { rate: 600_000, balance: 0 } });
    for (const shop of [paying, poor]) await app.template(shop, shared("x"));
    expect((await send(poor, { template: "shared" })).status).toBe(402);
    expect((await send(paying, { template: "shared" })).status).toBe(201);
    const available = async ({ key }: TestWorkspace) =>
      (await app.call("GET", "/api/v1/me", { key })).body.data.billing.available;
    expect([await available(paying), await available(poor)]).toEqual(["0.40", "0.00"]);
    expect((await app.call("GET", "/api/v1/me", { key: ours.key })).body.data.billing).toBeNull();
  });
});

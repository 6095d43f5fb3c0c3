/**
 * Numbers and billing in the console: the operations of the command line, each with an audit entry and a check of the
 * role.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createCallbackAddress } from "#src/domain/numbers/callback-address.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import { auditEntries, firstOperator, person, type Visitor } from "#test/support/console.ts";
import { fillBucket, template } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let ours: TestWorkspace;
let theirs: TestWorkspace;
let operator: Visitor;
let owner: Visitor;
let member: Visitor;

beforeAll(async () => {
  app = await startTestServer();
  ours = await app.workspace({ name: "Ours", billing: { rate: 850_000, balance: 10_000_000 } });
  theirs = await app.workspace({ name: "Theirs" });
  operator = await firstOperator(app);
  owner = await person(app, "owner@example.com", "owner", ours.id);
  member = await person(app, "member@example.com", "member", ours.id);
});
afterAll(() => app[Symbol.asyncDispose]());

const at = (path: string): string => `/w/${ours.id}${path}`;
const numberOf = async (visitor: Visitor, workspace = ours.id) =>
  (await visitor.get(`/w/${workspace}/numbers`)).body.data[0];

describe("numbers", () => {
  test("an owner adds a simulated number, once per form; other users get a 404", async () => {
    const shop = await app.workspace({ name: "New", number: null });
    const mine = await person(app, "new@example.com", "owner", shop.id);
    const add = (visitor: Visitor, body: object, key = "0123456789abcdef0123456789abcdef") =>
      visitor.post(`/w/${shop.id}/numbers`, body, { key });
    expect((await add(mine, { phone: "12", name: "Shop" }, "another")).body.error.fields.phone).toBeDefined();
    const body = { phone: "0124 400 2200", name: "Shop" };
    const added = await add(mine, body);
    expect([added.status, added.body.data]).toEqual([
      201,
      expect.objectContaining({ phone: "+911244002200", network: "simulator", ready: true, throughput: 80 }),
    ]);
    expect((await add(mine, body)).body.data.id).toBe(added.body.data.id);
    expect(auditEntries(app)[0]).toMatchObject({
      action: "number.add",
      subject: "+911244002200",
      workspace_id: shop.id,
    });
    expect((await mine.get(`/w/${shop.id}/numbers`)).body.data).toHaveLength(1);
    expect((await add(owner, body)).status).toBe(404);
    expect((await member.post(at("/numbers"), body)).status).toBe(404);
  });

  test("unsigned callbacks are shown; an operator renews the address, which is shown once, and ends them", async () => {
    const shop = await app.workspace({ name: "Unsigned", number: "+911244007700" });
    const { client } = app.store;
    client.prepare("UPDATE numbers SET network = 'whatsapp' WHERE id = ?").run(shop.numberId);
    const boss = await person(app, "boss@example.com", "owner", shop.id);
    const path = `/w/${shop.id}/numbers/${shop.numberId}/callback-address`;
    const shown = async () => (await numberOf(boss, shop.id)).unsigned_callbacks;
    expect(await shown()).toBeNull();
    const refused = await operator.post(path);
    expect([refused.status, refused.body.error.code]).toEqual([409, "no_callback_address"]);
    expect(refused.text).toContain("--unsigned-callbacks");
    const first = await app.store.write((tx) => createCallbackAddress(tx, getNumber(tx, shop.numberId)));
    const call = (address: string, headers: Record<string, string> = {}) =>
      app.call("POST", new URL(address, "http://any").pathname, { body: { object: "other", entry: [] }, headers });
    expect((await call(`/networks/whatsapp/${first.token}`)).status).toBe(200);
    expect(await shown()).toMatchObject({ used_at: expect.any(String), needs_header: false, old_until: null });

    expect((await boss.post(path)).status).toBe(404);
    const form = { key: "renew-callback-address" };
    const renewed = await operator.post(path, {}, form);
    const { address, header, secret } = renewed.body.data;
    expect(renewed.status).toBe(201);
    const repeated = await operator.post(path, {}, form);
    expect(repeated.body.data).toEqual({ address: null, header, secret: null });
    expect(await shown()).toMatchObject({ used_at: null, old_until: expect.any(String) });
    expect(JSON.stringify(client.prepare("SELECT * FROM form_answers").all())).not.toContain(secret);
    expect((await call(`/networks/whatsapp/${first.token}`)).status).toBe(200);
    expect((await call(address, { [header]: secret })).status).toBe(200);
    expect((await call(`/networks/whatsapp/${first.token}`)).status).toBe(403);
    expect((await call(address)).status).toBe(403);
    expect(await shown()).toMatchObject({ needs_header: true, old_until: null });
    expect(auditEntries(app)[0]).toMatchObject({ action: "number.rotate-callback", subject: "+911244007700" });

    expect((await operator.ask("DELETE", path)).body.data.unsigned_callbacks).toBeNull();
    expect((await call(address, { [header]: secret })).status).toBe(403);
    expect(auditEntries(app)[0]).toMatchObject({ action: "number.require-signature" });
    client.prepare("UPDATE numbers SET network = 'simulator' WHERE id = ?").run(shop.numberId);
  });

  test("numbers are shown without secrets; an owner makes one unready with a reason, and ready again", async () => {
    const number = await numberOf(member);
    expect(number).toMatchObject({ ready: true, network: "simulator", state: null });
    const { has_app_secret: hasAppSecret, ...rest } = number;
    expect([hasAppSecret, JSON.stringify(rest)]).toEqual([false, expect.not.stringMatching(/token|secret/)]);
    const path = at(`/numbers/${number.id}`);
    expect((await owner.post(`${path}/unready`, { reason: " " })).body.error.fields.reason).toBeDefined();
    expect((await owner.post(`${path}/unready`, { reason: "stocktaking" })).body.data).toMatchObject({
      ready: false,
      unready_reason: "stocktaking",
      unready_by: "person",
    });
    expect(auditEntries(app)[0]).toMatchObject({
      action: "number.unready",
      subject: number.phone,
      workspace_id: ours.id,
    });
    const found = (await owner.get(`${path}/findings`)).body.data;
    expect(found).toContainEqual(
      expect.objectContaining({ level: "warning", check: "number", message: expect.stringContaining("stocktaking") }),
    );
    expect((await owner.post(`${path}/ready`)).body.data.ready).toBe(true);
    expect((await owner.get(`${path}/findings`)).body.data[0]).toMatchObject({ level: "ok" });
  });

  test("name and throughput of a number can be changed, and invalid values are refused at their field", async () => {
    const { id } = await numberOf(owner);
    const put = (body: object) => owner.ask("PUT", at(`/numbers/${id}`), body);
    expect((await put({ name: "Shop", throughput: 20 })).body.data).toMatchObject({ name: "Shop", throughput: 20 });
    expect(Object.keys((await put({ name: "", throughput: 0 })).body.error.fields)).toEqual(["name", "throughput"]);
  });

  test("an owner removes a number, whose secrets are deleted, but not one that a broadcast needs", async () => {
    const shop = await app.workspace({ name: "Leaving", number: "+911244008800" });
    const mine = await person(app, "leaving@example.com", "owner", shop.id);
    const colleague = await person(app, "colleague@example.com", "member", shop.id);
    const { client } = app.store;
    await app.template(shop, template("hello", [{ type: "BODY", text: "Hello." }]));
    const later = new Date(app.clock.now() + 86_400_000).toISOString();
    const body = { name: "Sale", template: "hello", to: ["+919876540010"], send_at: later };
    const made = await app.call("POST", "/api/v1/broadcasts", { key: shop.key, body });
    const path = `/w/${shop.id}/numbers/${shop.numberId}`;
    const refused = await mine.ask("DELETE", path);
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining('"Sale"')]);
    expect(refused.text).not.toContain("--force");
    await mine.post(`/w/${shop.id}/broadcasts/${made.body.data.id}/cancel`);
    client.prepare("UPDATE numbers SET access_token = 'sealed' WHERE id = ?").run(shop.numberId);
    expect((await colleague.ask("DELETE", path)).status).toBe(404);
    expect((await mine.ask("DELETE", path)).status).toBe(200);
    expect((await mine.get(`/w/${shop.id}/numbers`)).body.data).toEqual([]);
    expect(client.prepare("SELECT access_token FROM numbers WHERE id = ?").pluck().get(shop.numberId)).toBeNull();
    expect(auditEntries(app)[0]).toMatchObject({ action: "number.remove", subject: "+911244008800" });
  });

  test("the numbers of another workspace are not found through the caller's own workspace", async () => {
    const foreign = await numberOf(operator, theirs.id);
    for (const [method, path] of [
      ["PUT", ""],
      ["POST", "/ready"],
      ["POST", "/unready"],
      ["POST", "/sync"],
      ["GET", "/findings"],
      ["DELETE", ""],
    ] as const) {
      const body = method === "PUT" ? { name: "Mine", throughput: 1 } : path === "/unready" ? { reason: "mine" } : {};
      const answered = await owner.ask(method, at(`/numbers/${foreign.id}${path}`), body);
      expect([path, answered.status]).toEqual([path, 404]);
    }
    expect(await numberOf(operator, theirs.id)).toEqual(foreign);
  });
});

describe("billing", () => {
  test("an operator books a payment once per reference; an owner only sees the balance, a member sees nothing", async () => {
    const path = at("/billing/credit");
    const payment = { amount: "50.00", note: "First", ref: "inv-1" };
    expect((await owner.post(path, payment)).status).toBe(404);
    expect((await member.get(at("/billing"))).status).toBe(404);
    const before = (await owner.get(at("/billing"))).body.data;
    const first = await operator.post(path, payment, { key: "pay-1" });
    const repeated = await operator.post(path, payment, { key: "pay-1" });
    expect([first.status, repeated.text]).toEqual([201, first.text]);
    const other = await operator.post(path, payment, { key: "pay-2" });
    expect([other.status, other.body.data.is_credited]).toEqual([200, false]);
    expect(auditEntries(app).filter(({ action }) => action === "billing.credit").length).toBe(1);
    const now = (await owner.get(at("/billing"))).body.data;
    expect(Number(now.available)).toBe(Number(before.available) + 50);
    for (const amount of ["", "0", "many", "1.0000001"]) {
      expect([amount, (await operator.post(path, { ...payment, amount, ref: "" })).status]).toEqual([amount, 400]);
    }
    expect((await operator.post(path, { amount: "-1.00", note: "", ref: "" })).body.data.is_credited).toBe(true);
  });

  test("every movement is in the ledger with its message, and available, held and charged add up to the credited amount", async () => {
    await app.template(ours, template("hello", [{ type: "BODY", text: "Hello." }]));
    await fillBucket(app, ours);
    const body = { to: "+919876540010", template: "hello" };
    const sent = await app.clock.until(app.call("POST", "/api/v1/messages", { key: ours.key, body }));
    expect(sent.status).toBe(201);
    await app.clock.advance(5_000);
    const rows = (await owner.get(at("/billing/ledger"))).body.data;
    expect(rows.slice(0, 2)).toMatchObject([
      { kind: "charge", amount: "0.85", message_id: sent.body.data.id },
      { kind: "hold", amount: "0.85", message_id: sent.body.data.id },
    ]);
    const { available, held, charged, credited } = (await owner.get(at("/billing"))).body.data;
    expect(Number(available) + Number(held) + Number(charged)).toBeCloseTo(Number(credited), 6);
    expect((await operator.get(`/w/${theirs.id}/billing`)).body.data).toBeNull();
  });
});

/**
 * A broadcast through the wizard's routes: it is sent once, however often Send is pressed, and only as it was reviewed.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { credit } from "#src/domain/billing/account.ts";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import { auditEntries, firstOperator, person, type Visitor } from "#test/support/console.ts";
import { putContactOf } from "#test/support/contacts.ts";
import { erase } from "#test/support/erase.ts";
import { template } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
let other: TestWorkspace;
let owner: Visitor;
let member: Visitor;
let newcomer: Visitor;

const offer = template("offer", [{ type: "BODY", text: "Hi {{1}}, {{2}} off." }], { category: "MARKETING" });
const values = { header: [], body: [{ field: "first_name", fallback: "there" }, "20%"] };

beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace({ billing: { rate: 10_000, balance: 1_000_000 } });
  other = await app.workspace({ name: "Other", number: "+911244001200" });
  await app.template(shop, offer);
  await firstOperator(app);
  owner = await person(app, "owner@example.com", "owner", shop.id);
  member = await person(app, "member@example.com", "member", shop.id);
  newcomer = await person(app, "stranger@example.com", "owner", other.id);
  for (const [phone, first_name, consent] of [
    ["+919876500001", "Asha", "opted_in"],
    ["+919876500002", null, "opted_in"],
    ["+919876500003", "Ravi", "opted_out"],
    ["+919876500004", "Mina", undefined],
  ] as const) {
    const body = { ...(first_name === null ? {} : { first_name }), ...(consent === undefined ? {} : { consent }) };
    await putContactOf(app, shop, phone, { ...body, add_to_groups: ["Regulars"] });
  }
});
afterAll(() => app[Symbol.asyncDispose]());

const root = () => `/w/${shop.id}/drafts`;
const group = async () => (await member.get(`/w/${shop.id}/groups`)).body.data[0].id as number;

async function draft(content: Record<string, unknown> = {}): Promise<{ path: string; id: number }> {
  const whole = { name: "Offer", template: "offer", language: "en_US", variables: values, ...content };
  const { status, body } = await member.post(root(), whole);
  expect([status, body]).toMatchObject([201, { data: { broadcast_id: null } }]);
  return { id: body.data.id, path: `${root()}/${body.data.id}` };
}

async function check(path: string): Promise<{ reached: number; amount: string | null }> {
  const { status, body } = await member.post(`${path}/check`);
  expect([path, status]).toEqual([path, 200]);
  return { reached: body.data.reached, amount: body.data.cost?.amount ?? null };
}

const broadcasts = async () => (await member.get(`/w/${shop.id}/broadcasts`)).body.meta.total as number;

describe("a draft", () => {
  test("a draft can be saved incomplete, and other workspaces do not find it", async () => {
    const { path } = await draft({ variables: { header: [], body: [""] }, name: "" });
    const half = { template: "offer", to: ["+919876500001"] };
    expect((await member.ask("PUT", path, half)).status).toBe(200);
    expect((await owner.get(path)).body.data.content).toEqual(half);
    expect((await member.ask("PUT", path, { tempalte: "offer" })).status).toBe(400);
    for (const [method, more] of [
      ["GET", ""],
      ["PUT", ""],
      ["DELETE", ""],
      ["GET", "/values"],
      ["POST", "/check"],
      ["POST", "/send"],
    ] as const) {
      const body = more === "/send" ? { reached: 1, amount: null } : {};
      expect((await newcomer.ask(method, path + more, body)).status).toBe(404);
      // Nor by the same id in the caller's own workspace.
      const own = path.replace(`/w/${shop.id}/`, `/w/${other.id}/`);
      expect((await newcomer.ask(method, own + more, body)).status).toBe(404);
    }
    expect((await member.ask("DELETE", path)).status).toBe(200);
    expect((await member.get(path)).status).toBe(404);
    expect(auditEntries(app)[0]).toMatchObject({ action: "broadcast.discard-draft", subject: "offer" });
  });

  test("a draft shows its text for sample recipients, and counts who lacks a value", async () => {
    const { path } = await draft({ group: await group() });
    const { data } = (await member.get(`${path}/values`)).body;
    expect(data.missing).toEqual({ first_name: 1 });
    expect(data.examples.map(({ to, text }: { to: string; text: string }) => [to, text]).toSorted()).toEqual([
      ["+919876500001", "Hi Asha, 20% off."],
      ["+919876500002", "Hi there, 20% off."],
    ]);
    await member.ask("PUT", path, {
      template: "offer",
      language: "en_US",
      to: ["+919876500001"],
      variables: { header: [], body: ["", ""] },
    });
    expect((await member.get(`${path}/values`)).body.data.examples[0].text).toBe("Hi {{1}}, {{2}} off.");
  });
});

describe("sending a draft", () => {
  test("concurrent presses of Send by several users, and later ones, make one broadcast", async () => {
    const before = await broadcasts();
    const { path, id } = await draft({ group: await group() });
    const sheet = await check(path);
    expect(sheet).toEqual({ reached: 2, amount: "0.02" });
    const presses = [1, 2, 3, 4, 5].map((press) => (press % 2 === 0 ? owner : member).post(`${path}/send`, sheet));
    const answers = await Promise.all(presses);
    const ids = answers.map(({ status, body }) => [status, body.data.id]);
    expect(new Set(ids.map(String)).size).toBe(1);
    expect(ids[0]?.[0]).toBe(202);
    expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true").length).toBe(4);
    // The draft's own row prevents a second broadcast, rather than an idempotency key, which expires after a day.
    expect(app.store.client.prepare("SELECT count(*) AS keys FROM idempotency_keys").get()).toEqual({ keys: 0 });
    await app.clock.advance(5_000);
    const late = await member.post(`${path}/send`, { reached: 99, amount: null });
    expect([late.status, late.body.data.id]).toEqual([202, ids[0]?.[1]]);
    expect(await broadcasts()).toBe(before + 1);
    expect((await member.get(path)).body.data).toMatchObject({ broadcast_id: ids[0]?.[1], content: {} });
    expect((await member.ask("PUT", path, { template: "offer" })).status).toBe(400);
    expect((await member.get(root())).body.data.map((one: { id: number }) => one.id)).not.toContain(id);
    expect(auditEntries(app).filter(({ action }) => action === "broadcast.create").length).toBe(1);
  });

  test("a draft whose audience changed since its review is refused and sends nothing", async () => {
    const before = await broadcasts();
    const { path } = await draft({ to: ["+919876500001", "+919876500002"] });
    const sheet = await check(path);
    await putContactOf(app, shop, "+919876500002", { consent: "opted_out" });
    const refused = await member.post(`${path}/send`, sheet);
    expect([refused.status, refused.body.error.code]).toEqual([409, "changed"]);
    expect(await broadcasts()).toBe(before);
    const again = await check(path);
    expect(again.reached).toBe(1);
    expect((await member.post(`${path}/send`, again)).status).toBe(202);
    expect(await broadcasts()).toBe(before + 1);
  });

  test("a draft that is refused for lack of balance can be sent after a payment", async () => {
    const poor = await app.workspace({
      name: "Poor",
      number: "+911244001300",
      billing: { rate: 10_000, balance: 5_000 },
    });
    await app.template(poor, offer);
    const visitor = await person(app, "poor@example.com", "member", poor.id);
    const content = { template: "offer", language: "en_US", variables: values, to: ["+919876500001"] };
    const { id } = (await visitor.post(`/w/${poor.id}/drafts`, content)).body.data;
    const send = () => visitor.post(`/w/${poor.id}/drafts/${id}/send`, { reached: 1, amount: "0.01" });
    expect((await send()).status).toBe(402);
    await app.store.write((tx) => credit(tx, poor.id, { amount: 100_000, note: null, ref: null }));
    expect((await send()).status).toBe(202);
  });
});

test("erasing a contact removes its number from drafts, however the number was written", async () => {
  await putContactOf(app, shop, "+919876500077", { name: "Gone" });
  const { path } = await draft({ to: ["098765 00077", "+91 98765-00077", "+919876500001"] });
  await app.store.write((tx) => {
    const found = lookUpContact(tx, shop.id, "+919876500077", "IN")?.contact;
    if (found != null) erase(tx, found);
  });
  expect((await member.get(path)).body.data.content.to).toEqual(["+919876500001"]);
});

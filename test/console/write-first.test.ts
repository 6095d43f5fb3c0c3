/** The first message to a person who never wrote: who may begin it, and to whom nothing can be sent. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { firstOperator, PASSWORD, person, Visitor } from "#test/support/console.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { Workshop } from "../cli/spawn.ts";

const SALES = "+911244009001";
const SUPPORT = "+911244009002";
/** Wrote to support, never wrote, is erased. */
const [BOB, MEERA, EVA] = ["+919876540020", "+919876540030", "+919876540040"] as const;

let app: TestServer;
let shop: TestWorkspace;
let owner: Visitor;
let agent: Visitor;
let limited: Visitor;
let base: string;
let workshop: Workshop;

beforeAll(async () => {
  app = await startTestServer();
  workshop = new Workshop();
  shop = await app.workspace({ name: "Shop", number: SALES });
  base = `/w/${shop.id}`;
  const operator = await firstOperator(app);
  owner = await person(app, "owner@example.com", "owner", shop.id);
  agent = await person(app, "agent@example.com", "agent", shop.id);
  const support = (await owner.post(`${base}/numbers`, { phone: SUPPORT, name: "Support" })).body.data.id;
  const body = { email: "limited@example.com", role: "agent", numbers: [support] };
  const { token } = (await owner.post(`${base}/people`, body)).body.data;
  limited = new Visitor(app);
  expect((await limited.post("/links/use", { token, password: PASSWORD })).status).toBe(201);
  const path = `${base}/simulator/phones/${encodeURIComponent(BOB)}/write`;
  expect((await operator.post(path, { text: "to support", number: support })).status).toBe(202);
  await app.clock.advance(1_000);
  for (const phone of [MEERA, EVA]) {
    const put = { key: shop.key, body: { name: phone === EVA ? "Eva" : "Meera" } };
    expect((await app.call("PUT", `/api/v1/contacts/${encodeURIComponent(phone)}`, put)).status).toBe(201);
  }
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  workshop[Symbol.dispose]();
});

/** Where the visitor's inbox has a person; null: nowhere. */
const placeOf = async (visitor: Visitor, phone: string): Promise<number | null> =>
  (await visitor.get(`${base}/contacts/${encodeURIComponent(phone)}/inbox`)).body.data.contact_id;
const opened = (visitor: Visitor, id: number | null) => visitor.get(`${base}/inbox/${id}`);

test("who sees all numbers opens the conversation with a person who never wrote; nothing is in it yet", async () => {
  for (const visitor of [owner, agent]) {
    const id = await placeOf(visitor, MEERA);
    const { status, body } = await opened(visitor, id);
    expect([status, body.data]).toEqual([
      200,
      expect.objectContaining({
        ...{ contact_id: id, to: MEERA, from: SALES, conversation: null, thread: null },
        ...{ unread: 0, last_inbound_id: 0, window_ends_at: null, items: [], next: null },
      }),
    ]);
    // There is nothing to mark as seen, to keep or to ask in.
    expect((await visitor.post(`${base}/inbox/${id}/seen`, { last_inbound_id: 0 })).status).toBe(404);
  }
});

test("a user limited to numbers opens only conversations on those", async () => {
  const id = await placeOf(owner, MEERA);
  expect([await placeOf(limited, MEERA), (await opened(limited, id)).status]).toEqual([null, 404]);
  const bob = await placeOf(limited, BOB);
  expect([bob === null, (await opened(limited, bob)).status]).toEqual([false, 200]);
});

test("a contact of another workspace, or none at all, is not found", async () => {
  const other = await app.workspace({ name: "Other", number: "+911244009003" });
  const put = { key: other.key, body: { name: "Foreign" } };
  await app.call("PUT", "/api/v1/contacts/%2B919876540050", put);
  expect((await owner.get(`${base}/contacts/%2B919876540050/inbox`)).status).toBe(404);
  const foreign = (
    await (
      await person(app, "other@example.com", "owner", other.id)
    ).get(`/w/${other.id}/contacts/%2B919876540050/inbox`)
  ).body.data.contact_id;
  for (const id of [foreign, 999_999]) expect((await opened(owner, id)).status).toBe(404);
});

test("a person who opted out and was erased cannot be written to, under the old address or the number", async () => {
  const id = await placeOf(owner, EVA);
  expect((await owner.post(`${base}/contacts/${encodeURIComponent(EVA)}/opt-out`, {})).status).toBe(200);
  const erase = ["contact", "erase", EVA, "--workspace", String(shop.id), "--data", app.directory];
  expect(await workshop.json(erase)).toMatchObject({ erased: true });
  const { status, body } = await opened(owner, id);
  expect([status, body.data?.to, body.data?.contact.name]).toEqual([200, null, null]);
  expect((await owner.get(`${base}/contacts/${encodeURIComponent(EVA)}/inbox`)).status).toBe(404);
  const sent = await owner.post(`${base}/messages`, { to: EVA, from: SALES, text: "Hello" });
  expect([sent.status, sent.body.error.code]).toEqual([422, "opted_out"]);
});

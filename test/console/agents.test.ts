/** Agents who are limited to numbers: they see and answer the conversations of those, and nothing of the others. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { firstOperator, PASSWORD, person, Visitor } from "#test/support/console.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { storeMedium } from "#test/support/stored-medium.ts";

const SALES = "+911244009001";
const SUPPORT = "+911244009002";
/** Wrote to sales, to support, and to both. */
const [ASHA, BOB, CHITRA] = ["+919876540010", "+919876540020", "+919876540030"] as const;

let app: TestServer;
let shop: TestWorkspace;
let owner: Visitor;
let agent: Visitor;
let support: number;
let base: string;

beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace({ name: "Shop", number: SALES });
  base = `/w/${shop.id}`;
  const operator = await firstOperator(app);
  owner = await person(app, "owner@example.com", "owner", shop.id);
  support = (await owner.post(`${base}/numbers`, { phone: SUPPORT, name: "Support" })).body.data.id;
  const write = async (phone: string, number: number, text: string) => {
    const path = `${base}/simulator/phones/${encodeURIComponent(phone)}/write`;
    expect((await operator.post(path, { text, number })).status).toBe(202);
    await app.clock.advance(1_000);
  };
  await write(ASHA, shop.numberId, "to sales");
  await write(BOB, support, "to support");
  await write(CHITRA, support, "first to support");
  await write(CHITRA, shop.numberId, "then to sales");
  agent = await invited({ numbers: [support] });
});
afterAll(() => app[Symbol.asyncDispose]());

let count = 0;
async function invited(body: object): Promise<Visitor> {
  const email = `agent${++count}@example.com`;
  const { token } = (await owner.post(`${base}/people`, { email, role: "agent", ...body })).body.data;
  const visitor = new Visitor(app);
  expect((await visitor.post("/links/use", { token, password: PASSWORD })).status).toBe(201);
  return visitor;
}

/** Of the contact with this phone. */
async function conversation(phone: string): Promise<string> {
  const rows = (await owner.get(`${base}/inbox`)).body.data;
  return `${base}/inbox/${rows.find((row: { phone: string }) => row.phone === phone).contact_id}`;
}
const listed = async (visitor: Visitor, query = "") =>
  (await visitor.get(`${base}/inbox${query}`)).body.data.map(({ phone }: { phone: string }) => phone);

test("a limited agent's inbox lists the conversations of the agent's numbers, in every view, page by page", async () => {
  expect(await listed(owner)).toEqual([CHITRA, CHITRA, BOB, ASHA]);
  for (const query of ["", "?show=unread", "?show=waiting", "?show=open"]) {
    expect([query, await listed(agent, query)]).toEqual([query, [CHITRA, BOB]]);
  }
  expect((await agent.get(`${base}/inbox/unread`)).body.data).toEqual({ count: 2, mentions: 0 });
  expect((await owner.get(`${base}/inbox/unread`)).body.data).toEqual({ count: 4, mentions: 0 });
  const first = (await agent.get(`${base}/inbox?per_page=1`)).body;
  expect(first.data.map(({ phone, last }: { phone: string; last: unknown }) => [phone, last])).toEqual([
    [CHITRA, expect.objectContaining({ text: "first to support" })],
  ]);
  expect(await listed(agent, `?per_page=1&after=${first.meta.next}`)).toEqual([BOB]);
});

test("a limited agent reads what came to the agent's numbers; another conversation is not found, to read or to change", async () => {
  const shared = (await agent.get(await conversation(CHITRA))).body.data;
  expect(shared.items.map(({ text }: { text: string }) => text)).toEqual(["first to support"]);
  expect(shared.from).toBe(SUPPORT);
  const foreign = await conversation(ASHA);
  expect((await agent.get(foreign)).status).toBe(404);
  for (const [path, body] of [
    ["seen", { last_inbound_id: 1_000 }],
    ["keep", {}],
    ["ask-for-number", { text: "May we call you?" }],
  ] as const) {
    expect([path, (await agent.post(`${foreign}/${path}`, body)).status]).toEqual([path, 404]);
  }
});

test("what a limited agent has read stays unread for the others if something came to another number", async () => {
  const shared = await conversation(CHITRA);
  const { last_inbound_id } = (await owner.get(shared)).body.data;
  expect((await agent.post(`${shared}/seen`, { last_inbound_id })).body.data).toEqual({ is_seen: true });
  const rows = (await owner.get(`${base}/inbox?show=unread`)).body.data;
  const left = rows.filter(({ phone }: { phone: string }) => phone === CHITRA);
  expect(left.map(({ number, unread }: Record<string, unknown>) => [number, unread])).toEqual([[SALES, 1]]);
  const own = await conversation(BOB);
  const { last_inbound_id: last } = (await agent.get(own)).body.data;
  expect((await agent.post(`${own}/seen`, { last_inbound_id: last })).body.data).toEqual({ is_seen: true });
  expect(await listed(owner, "?show=unread")).toEqual([CHITRA, ASHA]);
});

test("a limited agent sends from the agent's numbers alone, and another number reads as one that does not exist", async () => {
  const send = (visitor: Visitor, body: object) =>
    app.clock.until(visitor.post(`${base}/messages`, { text: "Hello", ...body }));
  expect((await send(agent, { to: BOB })).body).toMatchObject({ data: { from: SUPPORT } });
  const refused = await send(agent, { to: ASHA, from: SALES });
  expect([refused.status, refused.body.error.fields]).toEqual([
    400,
    { from: [`"${SALES}" is not a number of this workspace; it has ${SUPPORT}.`] },
  ]);
  const own = (await send(agent, { to: BOB })).body.data.id;
  const foreign = await send(owner, { to: ASHA, from: SALES });
  expect(foreign.status).toBe(201);
  const opened = async (id: number) => (await agent.get(`${base}/messages/${id}`)).status;
  expect([await opened(own), await opened(foreign.body.data.id)]).toEqual([200, 404]);
  expect((await agent.get(`${base}/me`)).body.data).toMatchObject({
    role: "agent",
    numbers: [{ phone: SUPPORT }],
    billing: null,
  });
});

test("a file that came to another number is not found", async () => {
  const inbounds = app.store.client.prepare("SELECT id FROM inbounds WHERE number_id = ?").pluck();
  const [ours, theirs] = [Number(inbounds.get(support)), Number(inbounds.get(shop.numberId))];
  const files = [storeMedium(app, shop.id, ours, "agents-ours"), storeMedium(app, shop.id, theirs, "agents-theirs")];
  const statuses = async (visitor: Visitor) =>
    Promise.all(files.map(async (id) => (await visitor.get(`${base}/media/${id}`)).status));
  expect([await statuses(owner), await statuses(agent)]).toEqual([
    [200, 200],
    [200, 404],
  ]);
});

test("only agents are limited to numbers, of this workspace; the limit stays until it or the role changes", async () => {
  const people = `${base}/people`;
  const refused = async (body: object) =>
    (await owner.post(people, { email: "new@example.com", ...body })).body.error.fields.numbers;
  expect(await refused({ role: "member", numbers: [support] })).toEqual([
    "Only agents can be limited to numbers; the role is member.",
  ]);
  expect(await refused({ role: "agent", numbers: [999] })).toEqual([
    `"999" is not a number of this workspace; it has ${SALES} (${shop.numberId}), ${SUPPORT} (${support}).`,
  ]);
  expect(await refused({ role: "agent", numbers: [] })).toEqual(["Name at least one number, or omit the limit."]);

  const email = "later@example.com";
  const numbers = async (body: object) => {
    await owner.post(people, { email, ...body });
    return (await owner.get(people)).body.data.find((one: { email: string }) => one.email === email).numbers;
  };
  expect(await numbers({ role: "agent", numbers: [support] })).toEqual([support]);
  // A new link for the same invitation.
  expect(await numbers({ role: "agent" })).toEqual([support]);
  expect(await numbers({ role: "agent", numbers: null })).toBeNull();
  expect(await numbers({ role: "agent", numbers: [support] })).toEqual([support]);
  expect(await numbers({ role: "member" })).toBeNull();
});

test("owners are told once that members lost the exports", async () => {
  const member = await person(app, "member@example.com", "member", shop.id);
  const news = async (visitor: Visitor) => (await visitor.get(`${base}/me`)).body.data.has_news;
  expect(await news(owner)).toBe(false);
  app.store.client.exec("UPDATE memberships SET has_news = 1 WHERE role = 'owner'");
  expect([await news(owner), await news(member)]).toEqual([true, false]);
  expect((await member.get(`${base}/contacts/export`)).status).toBe(404);
  expect((await owner.post(`${base}/news/read`)).status).toBe(200);
  expect(await news(owner)).toBe(false);
});

/** A message that the search found, in the middle of a long conversation: what is around it, and on from there to both ends. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { firstOperator, PASSWORD, person, Visitor } from "#test/support/console.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const SALES = "+911244009001";
const SUPPORT = "+911244009002";
const ASHA = "+919876540010";
const COUNT = 60;
const PER_PAGE = "20";

let app: TestServer;
let shop: TestWorkspace;
let owner: Visitor;
let agent: Visitor;
let base: string;
let support: number;
/** The conversation as it is paged from its end. */
let all: string[];

interface Page {
  items: { key: string; text: string | null }[];
  next: string | null;
  newer: string | null;
}

beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace({ name: "Shop", number: SALES });
  base = `/w/${shop.id}`;
  await firstOperator(app);
  owner = await person(app, "owner@example.com", "owner", shop.id);
  support = (await owner.post(`${base}/numbers`, { phone: SUPPORT, name: "Support" })).body.data.id;
  const body = { email: "agent@example.com", role: "agent", numbers: [support] };
  const { token } = (await owner.post(`${base}/people`, body)).body.data;
  agent = new Visitor(app);
  expect((await agent.post("/links/use", { token, password: PASSWORD })).status).toBe(201);
  for (let index = 0; index < COUNT; index += 1) {
    // Some stand at the same moment.
    if (index % 3 !== 0) await app.clock.advance(1_000);
    if (index % 4 === 3) {
      const sent = { key: shop.key, body: { to: ASHA, from: SALES, text: `answer ${index}` } };
      expect((await app.send("POST", "/api/v1/messages", sent)).status).toBe(201);
    } else await app.inbound(shop, ASHA, `question ${index} ${index === 20 ? "about a marigold" : ""}`);
    if (index === 21) await note("prefers tulips");
  }
  await app.clock.advance(5_000);
  all = await toTheEnd((await read()).next, (await read()).items);
});
afterAll(() => app[Symbol.asyncDispose]());

async function note(text: string): Promise<void> {
  const [{ id }] = (await app.call("GET", "/api/v1/conversations", { key: shop.key })).body.data;
  await app.call("POST", `/api/v1/conversations/${id}/notes`, { key: shop.key, body: { text } });
}

async function read(query: Record<string, string> = {}): Promise<Page> {
  const { status, body } = await owner.get(`${base}/inbox/1?${new URLSearchParams(query)}`);
  expect([query, status]).toEqual([query, 200]);
  return body.data;
}

async function toTheEnd(next: string | null, items: Page["items"]): Promise<string[]> {
  const found = [...items];
  for (let after = next; after !== null; ) {
    const page = await read({ after });
    found.push(...page.items);
    after = page.next;
  }
  return found.map(({ key }) => key);
}

async function found(q: string, visitor = owner): Promise<{ contact_id: number; item: string | null }[]> {
  return (await visitor.get(`${base}/search?${new URLSearchParams({ q })}`)).body.data;
}

test("a result names its place, and the page around it has as much on both sides", async () => {
  expect(new Set(all).size).toBe(COUNT);
  const [hit] = await found("marigold");
  expect([hit?.contact_id, hit?.item?.[0]]).toEqual([1, "i"]);
  const page = await read({ around: hit?.item ?? "", per_page: PER_PAGE });
  const keys = page.items.map(({ key }) => key);
  const at = all.indexOf(hit?.item ?? "");
  expect(keys.indexOf(hit?.item ?? "")).toBe(10);
  expect(keys).toEqual(all.slice(at - 10, at + 10));
  expect([page.next === null, page.newer === null]).toEqual([false, false]);
});

test("from many messages, the pages on both sides are the whole conversation, each item once and in its order", async () => {
  for (const [place, key] of all.entries()) {
    if (place % 7 !== 0 && place !== all.length - 1) continue;
    const page = await read({ around: key, per_page: PER_PAGE });
    expect([key, page.items.some((item) => item.key === key)]).toEqual([key, true]);
    let items = page.items;
    for (let newer = page.newer; newer !== null; ) {
      const more = await read({ after: newer, per_page: PER_PAGE });
      expect([more.next, more.items.length > 0]).toEqual([null, true]);
      items = [...more.items, ...items];
      newer = more.newer;
    }
    expect([key, await toTheEnd(page.next, items)]).toEqual([key, all]);
  }
});

test("a note is found at its place, a person at the end of the conversation", async () => {
  const [hit] = await found("tulips");
  expect(hit?.item).toBe("n1");
  const { items } = await read({ around: "n1" });
  expect(items.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^question 20 /));
  const [who] = (await owner.get(`${base}/search?${new URLSearchParams({ q: ASHA, kinds: "contacts" })}`)).body.data;
  expect(who).toMatchObject({ kind: "contact", contact_id: 1, item: null });
});

test("what is gone, another person's, or on a number that one may not see is not found; a wrong name is refused", async () => {
  await app.inbound(shop, "+919876540020", "of a stranger");
  await app.clock.advance(5_000);
  const [foreign] = await found("stranger");
  for (const around of ["i999999", "m999999", "e999999", "n999999", foreign?.item ?? ""]) {
    const { status, body } = await owner.get(`${base}/inbox/1?around=${around}`);
    expect([around, status, body.error.message]).toEqual([around, 404, "There is no such message."]);
  }
  for (const around of ["x1", "i", "i0", "i1.5", "1"]) {
    const { status, body } = await owner.get(`${base}/inbox/1?around=${around}`);
    expect([around, status, Object.keys(body.error.fields)]).toEqual([around, 400, ["around"]]);
  }
  const path = `${base}/simulator/phones/${encodeURIComponent(ASHA)}/write`;
  expect((await owner.post(path, { text: "to support", number: support })).status).toBe(202);
  await app.clock.advance(1_000);
  const statusFor = async (around: string) => (await agent.get(`${base}/inbox/1?around=${around}`)).status;
  const [own] = (await agent.get(`${base}/inbox/1`)).body.data.items;
  expect([await statusFor(own.key), await statusFor(all[5] ?? "")]).toEqual([200, 404]);
});

/** Who is in a conversation and who types, over real sockets: who sees it, how soon, and when it ends. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { inboxTopic } from "#src/domain/workspaces/inbox-topic.ts";
import { firstOperator, person, Visitor } from "#test/support/console.ts";
import { type OpenStream, openEvents } from "#test/support/event-stream.ts";
import { measureWait } from "#test/support/processor-wait.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const SALES = "+911244000120";
const SUPPORT = "+911244000121";
/** Without the time in which other work on the machine had the processor. */
const SEEN_WITHIN_MS = 1_000;

let app: TestServer;
let shop: TestWorkspace;
let base: string;
let owner: Visitor;
let ana: Visitor;
let bob: Visitor;
/** Sees the conversations of SUPPORT alone. */
let agent: Visitor;
/** A conversation on each number. */
let onSales: number;
let onSupport: number;

beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace({ number: SALES });
  base = `/w/${shop.id}`;
  owner = await firstOperator(app);
  const support = (await owner.post(`${base}/numbers`, { phone: SUPPORT, name: "Support" })).body.data.id;
  const write = async (phone: string, number: number) => {
    const path = `${base}/simulator/phones/${encodeURIComponent(phone)}/write`;
    expect((await owner.post(path, { text: "Hello", number })).status).toBe(202);
    await app.clock.advance(1_000);
  };
  await write("+919999000001", shop.numberId);
  await write("+919999000002", support);
  const rows = (await owner.get(`${base}/inbox`)).body.data as { id: number; number: string }[];
  const on = (number: string) => rows.find((row) => row.number === number)?.id ?? 0;
  [onSales, onSupport] = [on(SALES), on(SUPPORT)];
  ana = await person(app, "ana@example.com", "member", shop.id);
  bob = await person(app, "bob@example.com", "member", shop.id);
  const { token } = (
    await owner.post(`${base}/people`, { email: "sam@example.com", role: "agent", numbers: [support] })
  ).body.data;
  agent = new Visitor(app);
  expect((await agent.post("/links/use", { token, password: "correct horse battery" })).status).toBe(201);
});

afterAll(() => app[Symbol.asyncDispose]());

const listen = async (visitor: Visitor): Promise<OpenStream & { id: number; start: OpenStream["frames"][number] }> => {
  const stream = await openEvents(`${app.server.url}/console/api${base}/inbox/live`, visitor.cookie ?? "");
  const start = await stream.frame(({ name }) => name === "start");
  return { ...stream, id: start.data.stream, start };
};

interface Saying {
  conversation: number | null;
  types?: boolean;
  tab?: string;
}

const say = async (visitor: Visitor, stream: { id: number }, { conversation, types, tab = "one" }: Saying) => {
  const typing = types === undefined ? {} : { is_typing: types };
  const body = { stream: stream.id, tab, conversation, ...typing };
  const answered = await visitor.post(`${base}/inbox/presence`, body);
  return answered.status === 200 ? answered.body.data.is_known : answered.status;
};

const here = (conversation: number, ...people: (readonly [string, boolean])[]) => ({
  conversation,
  people: people.map(([name, is_typing]) => ({ email: `${name}@example.com`, is_typing })),
});

test("a colleague sees within a second who looks at a conversation and who types, and then no more", async () => {
  const [anas, bobs] = [await listen(ana), await listen(bob)];
  expect([anas.start.data.here, bobs.start.data.here]).toEqual([[], []]);
  const seen = async (act: () => Promise<unknown>, expected: object) => {
    const from = bobs.frames.length;
    const [at, waitedMs] = [performance.now(), measureWait(process.pid)];
    expect(await act()).toBe(true);
    const frame = await bobs.frame(() => true, from);
    expect([frame.name, frame.data]).toEqual(["presence", expected]);
    expect(frame.at - at - waitedMs()).toBeLessThan(SEEN_WITHIN_MS);
  };
  await seen(() => say(ana, anas, { conversation: onSales }), here(onSales, ["ana", false]));
  await seen(() => say(ana, anas, { conversation: onSales, types: true }), here(onSales, ["ana", true]));
  // What was typed is sent: it ends at once.
  await seen(() => say(ana, anas, { conversation: onSales, types: false }), here(onSales, ["ana", false]));
  await seen(() => say(ana, anas, { conversation: onSales, types: true }), here(onSales, ["ana", true]));
  // Who still types says so again, which changes nothing.
  expect(await say(ana, anas, { conversation: onSales, types: true })).toBe(true);
  await app.clock.advance(4_000);
  // Nor does what it shows end the typing.
  expect(await say(ana, anas, { conversation: onSales })).toBe(true);
  const from = bobs.frames.length;
  await app.clock.advance(1_000);
  expect((await bobs.frame(() => true, from)).data).toEqual(here(onSales, ["ana", false]));
  // A silent tab is forgotten; one that says again what it shows is not.
  for (let round = 0; round < 4; round += 1) {
    await app.clock.advance(10_000);
    await say(ana, anas, { conversation: onSales });
  }
  expect(bobs.frames.length).toBe(from + 1);
  await app.clock.advance(25_000);
  expect((await bobs.frame(() => true, from + 1)).data).toEqual(here(onSales));
  await seen(() => say(ana, anas, { conversation: onSupport }), here(onSupport, ["ana", false]));
  // In another conversation the tab is not in the first any more.
  const moved = bobs.frames.length;
  await say(ana, anas, { conversation: onSales });
  await bobs.frame(({ data }) => data.conversation === onSales, moved);
  expect(bobs.frames.slice(moved).map(({ data }) => data)).toEqual([here(onSupport), here(onSales, ["ana", false])]);
  // A stream says nothing of its own user: the start was all.
  expect(anas.frames).toHaveLength(1);
  await Promise.all([anas.close(), bobs.close()]);
});

test("presence ends with the stream; one that opens starts with everything, with each user once", async () => {
  const [anas, second, bobs] = [await listen(ana), await listen(ana), await listen(bob)];
  await say(ana, anas, { conversation: onSales });
  await say(ana, second, { conversation: onSales, types: true });
  await say(ana, second, { conversation: onSupport, tab: "two" });
  const late = await listen(owner);
  expect(late.start.data.here).toEqual([here(onSales, ["ana", true]), here(onSupport, ["ana", false])]);
  await second.close();
  await late.frame(({ data }) => Bun.deepEquals(data, here(onSupport)));
  const from = late.frames.length;
  await anas.close();
  expect((await late.frame(() => true, from)).data).toEqual(here(onSales));
  // What names a stream that has ended, or one of another user, is not kept.
  expect(await say(ana, anas, { conversation: onSales })).toBe(false);
  expect(await say(ana, bobs, { conversation: onSales })).toBe(false);
  expect((await listen(owner)).start.data.here).toEqual([]);
  await Promise.all([late.close(), bobs.close()]);
});

test("who does not see a number is told of no one on it, and says nothing of it", async () => {
  const [anas, sams] = [await listen(ana), await listen(agent)];
  await say(ana, anas, { conversation: onSales, types: true });
  await say(ana, anas, { conversation: onSupport, tab: "two" });
  await sams.frame(({ name }) => name === "presence");
  expect(sams.frames.slice(1).map(({ data }) => data)).toEqual([here(onSupport, ["ana", false])]);
  expect((await listen(agent)).start.data.here).toEqual([here(onSupport, ["ana", false])]);
  expect(await say(agent, sams, { conversation: onSales })).toBe(404);
  expect(await say(agent, sams, { conversation: 999 })).toBe(404);
  await Promise.all([anas.close(), sams.close()]);
});

test("a stream follows the user's access: other numbers start it again, and a session that ends ends it", async () => {
  const bobs = await listen(bob);
  await say(bob, bobs, { conversation: onSales });
  const sams = await listen(agent);
  const change = { email: "sam@example.com", role: "agent", numbers: [shop.numberId] };
  expect((await owner.post(`${base}/people`, change)).status).toBe(201);
  await app.clock.advance(15_000);
  const again = await sams.frame(({ name }) => name === "start", 1);
  expect(again.data).toEqual({ stream: sams.id, here: [here(onSales, ["bob", false])] });
  await agent.post("/sign-out");
  await app.clock.advance(15_000);
  await sams.ended;
  await bobs.close();
});

test("tabs, streams and what a tab says of itself have limits", async () => {
  // Of a user who had no streams before.
  const carl = await person(app, "carl@example.com", "member", shop.id);
  const carls = await listen(carl);
  const bobs = await listen(bob);
  for (let tab = 0; tab < 21; tab += 1) {
    expect(await say(carl, carls, { conversation: tab === 0 ? onSupport : onSales, tab: `tab ${tab}` })).toBe(true);
  }
  // The oldest tab was the only one in this conversation.
  await bobs.frame(({ data }) => Bun.deepEquals(data, here(onSupport)));
  expect(await say(carl, carls, { conversation: onSales, tab: "x".repeat(33) })).toBe(400);
  expect(await say(carl, carls, { conversation: onSales, tab: "" })).toBe(400);
  const more = await Promise.all(Array.from({ length: 19 }, () => listen(carl)));
  const refused = await carl.get(`${base}/inbox/live`);
  expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"]);
  await Promise.all([carls, bobs, ...more].map((stream) => stream.close()));
});

test("a stream hears at once that the inbox of its workspace changed, at most every four seconds, and of no other's", async () => {
  const other = await app.workspace({ number: "+911244000122", name: "Other" });
  // Of a user who had no streams before.
  const dora = await person(app, "dora@example.com", "member", shop.id);
  await app.clock.advance(4_000);
  const doras = await listen(dora);
  const count = () => doras.frames.filter(({ name }) => name === "changed").length;
  const hears = async (act: () => Promise<{ status: number }>) => {
    const from = doras.frames.length;
    const [at, waitedMs] = [performance.now(), measureWait(process.pid)];
    expect((await act()).status).toBeLessThan(300);
    const frame = await doras.frame(({ name }) => name === "changed", from);
    expect(frame.data).toBeNull();
    expect(frame.at - at - waitedMs()).toBeLessThan(SEEN_WITHIN_MS);
    // What else it caused is heard at the end of the four seconds.
    for (let round = 0; round < 3; round += 1) await app.clock.advance(4_000);
  };
  const [writer, text] = ["+919999004321", "Yes"];
  const phone = `${base}/simulator/phones/${encodeURIComponent(writer)}/write`;
  await hears(() => owner.post(phone, { text: "Again", number: shop.numberId }));
  await hears(() => owner.post(`${base}/messages`, { to: writer, from: SALES, text }));
  await hears(() => owner.post(`${base}/conversations/${onSales}/notes`, { text: "Call her" }));
  await hears(() => owner.ask("PATCH", `${base}/conversations/${onSales}`, { state: "done" }));

  // A quiet minute, and a change in another workspace.
  const quiet = count();
  for (let round = 0; round < 4; round += 1) await app.clock.advance(15_000);
  const note = (workspaceId: number) => app.store.write((tx) => tx.notify(inboxTopic(workspaceId)));
  await note(other.id);
  // What is sent later comes later, so nothing of before is on its way.
  const bobs = await listen(bob);
  const from = doras.frames.length;
  await say(bob, bobs, { conversation: onSales });
  await doras.frame(({ name }) => name === "presence", from);
  expect(count()).toBe(quiet);

  // 200 commits are one event at once, and one after four seconds.
  for (let commit = 0; commit < 200; commit += 1) await note(shop.id);
  await app.clock.advance(3_000);
  await say(bob, bobs, { conversation: onSupport });
  await doras.frame(({ name, data }) => name === "presence" && data.conversation === onSupport, from);
  expect(count()).toBe(quiet + 1);
  await app.clock.advance(1_000);
  await app.clock.advance(4_000);
  await say(bob, bobs, { conversation: null });
  await doras.frame(({ data }) => Bun.deepEquals(data, here(onSupport)), from);
  expect(count()).toBe(quiet + 2);
  await Promise.all([doras.close(), bobs.close()]);
});

test("a tab that stays in its conversation costs no statement of it, and nothing is ever stored", async () => {
  const anas = await listen(ana);
  await say(ana, anas, { conversation: onSales });
  const changes = () => app.store.client.prepare("SELECT total_changes()").pluck().get();
  const before = changes();
  const bytes = anas.bytes();
  for (let count = 0; count < 20; count += 1) await say(ana, anas, { conversation: onSales, types: count % 2 === 0 });
  expect(changes()).toBe(before);
  expect(anas.bytes()).toBe(bytes);
  await anas.close();
});

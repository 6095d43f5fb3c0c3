/** The draft of a conversation on the server: whose it is, how large, which of two stays, and when it goes. */
import { describe, expect, test } from "bun:test";
import { firstOperator, PASSWORD, person, Visitor } from "#test/support/console.ts";
import { contactPath, putContactOf } from "#test/support/contacts.ts";
import { erase } from "#test/support/erase.ts";
import { contactOf } from "#test/support/rows.ts";
import { ANNA, startThreads } from "#test/support/thread-world.ts";

async function start() {
  const world = await startThreads();
  const { app, shop } = world;
  await world.writes();
  const operator = await firstOperator(app);
  const base = `/w/${shop.id}`;
  const ana = await person(app, "ana@example.com", "member", shop.id);
  const bob = await person(app, "bob@example.com", "member", shop.id);
  const { contact_id: contact } = (await ana.get(`${base}/inbox`)).body.data[0];
  const path = `${base}/inbox/${contact}/draft`;
  return {
    ...{ app, shop, base, operator, ana, bob, path, contact },
    read: async (visitor: Visitor) => (await visitor.get(path)).body.data,
    /** A change that was made `age` ms ago; the status, and the code of a refusal. */
    save: async (
      visitor: Visitor,
      text: string | null,
      { key = `key of ${text}`, replaces = null, age = 0 }: Said = {},
    ) => {
      const content = text === null ? null : { text };
      const { status, body } = await visitor.ask("PUT", path, { content, key, replaces, age_ms: age });
      return status === 200 ? 200 : [status, body.error.code];
    },
    rows: () =>
      app.store.client.prepare("SELECT count(*) FROM conversation_drafts WHERE content IS NOT NULL").pluck().get(),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

interface Said {
  key?: string;
  replaces?: string | null;
  age?: number;
}

const NEWER = [409, "newer_draft"];
const MISSING = [404, "not_found"];

describe("the draft of a conversation", () => {
  test("is its user's alone; an empty one has no content", async () => {
    await using all = await start();
    const { ana, bob, save, read, rows } = all;
    expect(await read(ana)).toBeNull();
    expect(await save(ana, "Half of it")).toBe(200);
    expect(await read(ana)).toEqual({ content: { text: "Half of it" }, key: "key of Half of it", age_ms: 0 });
    expect(await read(bob)).toBeNull();
    expect(await save(bob, "Of Bob")).toBe(200);
    expect((await read(ana)).content).toEqual({ text: "Half of it" });
    expect(rows()).toBe(2);
    expect(await save(ana, null)).toBe(200);
    expect([(await read(ana)).content, (await read(bob)).content.text, rows()]).toEqual([null, "Of Bob", 1]);
  });

  test("is the one that was changed last, whichever is stored last", async () => {
    await using all = await start();
    const { ana, save, read } = all;
    await save(ana, "new", { age: 1_000 });
    expect(await save(ana, "old", { age: 5_000 })).toEqual(NEWER);
    expect(await save(ana, null, { age: 5_000 })).toEqual(NEWER);
    expect(await read(ana)).toEqual({ content: { text: "new" }, key: "key of new", age_ms: 1_000 });
    // What was written in sight of it is newer, however long the stored one was on its way.
    expect(await save(ana, "next", { age: 5_000, replaces: "key of new" })).toBe(200);
    expect(await read(ana)).toEqual({ content: { text: "next" }, key: "key of next", age_ms: 1_000 });
    expect(await save(ana, "last", { age: 500 })).toBe(200);
    expect((await read(ana)).content.text).toBe("last");
  });

  test("has at most 32 KiB, and names what is wrong", async () => {
    await using all = await start();
    const { ana, path, save, read } = all;
    const longest = "é".repeat((32 * 1024 - '{"text":""}'.length - 1) / 2);
    expect(await save(ana, longest, { key: "longest" })).toBe(200);
    expect((await read(ana)).content.text).toBe(longest);
    const put = async (body: object) => {
      const whole = { content: { text: "x" }, key: "k", replaces: null, age_ms: 0, ...body };
      const answer = await ana.ask("PUT", path, whole);
      return [answer.status, Object.keys(answer.body.error?.fields ?? {})];
    };
    expect(await put({ content: { text: `${longest}éé` } })).toEqual([400, ["content"]]);
    expect(await put({ content: "text" })).toEqual([400, ["content"]]);
    expect(await put({ key: "" })).toEqual([400, ["key"]]);
    expect(await put({ key: "k".repeat(101) })).toEqual([400, ["key"]]);
    expect(await put({ age_ms: -1 })).toEqual([400, ["age_ms"]]);
    expect(await put({ more: 1 })).toEqual([400, ["more"]]);
    expect((await read(ana)).key).toBe("longest");
  });

  test("is gone with the message that was sent of it, and does not return; what was written since stays", async () => {
    await using all = await start();
    const { ana, base, save, read, rows } = all;
    const send = (text: string, key: string) => ana.post(`${base}/messages`, { to: ANNA, text }, { key });
    await save(ana, "Yes", { key: "one" });
    expect((await send("Yes", "one")).status).toBe(201);
    expect(rows()).toBe(0);
    expect((await read(ana)).content).toBeNull();
    // A browser that was closed with an older change, or with one of the draft that was sent, does not bring it back.
    await all.app.clock.advance(1_000);
    expect(await save(ana, "Y", { key: "before", replaces: "one", age: 1_500 })).toEqual(NEWER);
    // It was on its way.
    expect(await save(ana, "Yes", { key: "one" })).toEqual(NEWER);
    // Nor does it keep away what is typed in sight of its end, however long that was on its way.
    const { key: ended } = await read(ana);
    expect(await save(ana, "And", { key: "two and a half", replaces: ended, age: 1_500 })).toBe(200);
    await save(ana, "And more", { key: "three" });
    expect((await send("And", "two")).status).toBe(201);
    expect((await read(ana)).content.text).toBe("And more");
    const later = { to: ANNA, text: "And more", send_at: new Date(all.app.clock.now() + 3_600_000).toISOString() };
    expect((await ana.post(`${base}/messages`, later, { key: "three" })).status).toBe(202);
    expect([rows(), await save(ana, "And more", { key: "three" })]).toEqual([0, NEWER]);
  });

  test("is of persons whom the user sees", async () => {
    await using all = await start();
    const { app, operator, base, shop, ana, save } = all;
    const support = (await operator.post(`${base}/numbers`, { phone: "+911244000199", name: "Support" })).body.data.id;
    const asked = { email: "sam@example.com", role: "agent", numbers: [support] };
    const { token } = (await operator.post(`${base}/people`, asked)).body.data;
    const sam = new Visitor(app);
    await sam.post("/links/use", { token, password: PASSWORD });
    const other = await app.workspace();
    const eve = await person(app, "eve@example.com", "owner", other.id);
    for (const visitor of [sam, eve]) {
      expect(await save(visitor, "Hello")).toEqual(MISSING);
      expect((await visitor.get(all.path)).status).toBe(404);
    }
    const unknown = await ana.ask("PUT", `/w/${shop.id}/inbox/9999/draft`, {
      ...{ content: { text: "x" }, key: "k", replaces: null, age_ms: 0 },
    });
    expect(unknown.status).toBe(404);
    expect(all.rows()).toBe(0);
  });

  test("goes with the person, and with the membership of its user, and is not stored after that", async () => {
    await using all = await start();
    const { app, operator, base, ana, bob, save, rows } = all;
    await save(ana, "For Anna");
    await save(bob, "Of Bob");
    const { body } = await operator.get(`${base}/people`);
    const id = body.data.find(({ email }: { email: string }) => email === "bob@example.com").id;
    expect((await operator.ask("DELETE", `${base}/people/${id}`, {})).status).toBe(200);
    expect(rows()).toBe(1);
    const contact = contactOf(app, ANNA);
    await app.store.write((tx) => void erase(tx, contact));
    expect(app.store.client.prepare("SELECT count(*) FROM conversation_drafts").pluck().get()).toBe(0);
    expect([rows(), await save(ana, "For Anna")]).toEqual([0, MISSING]);
    expect(rows()).toBe(0);
  });

  test("follows a contact that is joined into another", async () => {
    await using all = await start();
    const { app, shop, base, ana, save, read } = all;
    const stays = "+442079460299";
    await putContactOf(app, shop, stays, { name: "Anna Larsson" });
    await save(ana, "For Anna");
    const body = { with: ANNA };
    expect((await app.call("POST", `${contactPath(stays)}/join`, { key: shop.key, body })).status).toBeLessThan(300);
    await app.clock.advance(1_000);
    const { contact_id } = (await ana.get(`${base}/inbox`)).body.data[0];
    expect(contact_id).not.toBe(all.contact);
    expect((await ana.get(`${base}/inbox/${contact_id}/draft`)).body.data.content).toEqual({ text: "For Anna" });
    expect(await read(ana)).toBeNull();
  });
});

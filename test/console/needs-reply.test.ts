/**
 * Who needs a reply, and what the inbox shows of them: a person waits until a user of the console answers, or software
 * does with a free text. Broadcasts and templates of software are not answers, and the person's words stay in the row.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createKey, DEFAULT_LIMITS } from "#src/domain/workspaces/api-keys.ts";
import { firstOperator, person, type Visitor } from "#test/support/console.ts";
import { indexContacts } from "#test/support/indexers.ts";
import { fillBucket, template } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
let member: Visitor;
/** A key that is marked as an automation's. */
let automation: string;

beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
  await firstOperator(app);
  member = await person(app, "member@example.com", "member", shop.id);
  const limits = { ...DEFAULT_LIMITS, isAutomation: true };
  automation = (await app.store.write((tx) => createKey(tx, shop.id, "Replies", { limits }))).key;
  await app.template(shop, template("hello", [{ type: "BODY", text: "Hello, here is our offer." }]));
});
afterAll(() => app[Symbol.asyncDispose]());

const ok = (status: number) => expect([200, 201, 202]).toContain(status);
const key = async (to: string, body: object, bearer = shop.key) => {
  await fillBucket(app, shop);
  ok((await app.clock.until(app.call("POST", "/api/v1/messages", { key: bearer, body: { to, ...body } }))).status);
};
const staff = async (to: string, body: object) => {
  await fillBucket(app, shop);
  ok((await app.clock.until(member.post(`/w/${shop.id}/messages`, { to, ...body }))).status);
};
const broadcast = { name: "Offer", template: "hello" };

/** Each way to send to a person who waits, and what the row says of them then. */
const ways: readonly { what: string; send: (to: string) => Promise<unknown>; answers: boolean; shows: string }[] = [
  {
    what: "a broadcast of software",
    send: async (to) => {
      ok((await app.call("POST", "/api/v1/broadcasts", { key: shop.key, body: { ...broadcast, to: [to] } })).status);
      await app.clock.advance(60_000);
    },
    answers: false,
    shows: "Where is it?",
  },
  {
    what: "a broadcast of the console",
    send: async (to) => {
      ok((await member.post(`/w/${shop.id}/broadcasts`, { ...broadcast, to: [to] })).status);
      await app.clock.advance(60_000);
    },
    answers: false,
    shows: "Where is it?",
  },
  {
    what: "a template of software",
    send: (to) => key(to, { template: "hello" }),
    answers: false,
    shows: "Where is it?",
  },
  {
    what: "a template of software after its text",
    send: async (to) => {
      await key(to, { text: "It is on its way." });
      await app.clock.advance(72 * 3_600_000);
      await key(to, { template: "hello" });
    },
    answers: true,
    shows: "It is on its way.",
  },
  { what: "a text of software", send: (to) => key(to, { text: "On its way." }), answers: true, shows: "On its way." },
  {
    what: "a text of an automation",
    send: (to) => key(to, { text: "We read this at noon." }, automation),
    answers: false,
    shows: "Where is it?",
  },
  {
    what: "a scheduled text of an automation",
    send: async (to) => {
      const sendAt = new Date(app.clock.now() + 60_000).toISOString();
      await key(to, { text: "We read this at noon.", send_at: sendAt }, automation);
      await app.clock.advance(120_000);
    },
    answers: false,
    shows: "Where is it?",
  },
  { what: "a text of the staff", send: (to) => staff(to, { text: "At noon." }), answers: true, shows: "At noon." },
  {
    what: "a template of the staff after the window",
    send: async (to) => {
      await app.clock.advance(72 * 3_600_000);
      await member.signIn("member@example.com");
      await staff(to, { template: "hello" });
    },
    answers: true,
    shows: "Hello, here is our offer.",
  },
];

describe("after the person wrote", () => {
  for (const [index, { what, send, answers, shows }] of ways.entries()) {
    test(`${what} ${answers ? "answers" : "does not answer"} them`, async () => {
      await member.signIn("member@example.com");
      const phone = `+9198765000${40 + index}`;
      await app.inbound(shop, phone, "Where is it?");
      await send(phone);
      await member.signIn("member@example.com");
      // Before and after the messages move to the index by contact.
      for (const move of [async () => undefined, () => indexContacts(app.store)]) {
        await move();
        expect(await rowOf(phone, "waiting")).toEqual(answers ? undefined : shows);
        expect(await rowOf(phone)).toBe(shows);
      }
      await app.clock.advance(1_000);
      await app.inbound(shop, phone, "And now?");
      expect([await rowOf(phone, "waiting"), await rowOf(phone)]).toEqual(["And now?", "And now?"]);
    });
  }
});

/** The words in the person's row; undefined: not in the list. */
async function rowOf(phone: string, show?: string): Promise<string | undefined> {
  const { data } = (await member.get(`/w/${shop.id}/inbox${show === undefined ? "" : `?show=${show}`}`)).body;
  return data.find((row: { phone: string }) => row.phone === phone)?.last.text;
}

/** What waited in a browser: a repeat finds the message or the note, whatever its age, and goes out for its own account alone. */
import { expect, test } from "bun:test";
import { person } from "#test/support/console.ts";
import { bodyOf } from "#test/support/matrix-api.ts";
import { startTestServer } from "#test/support/server.ts";

const PERSON = "+919876540010";

test("a message and a note of a form are there once, also when they are repeated after the answers were dropped", async () => {
  await using app = await startTestServer();
  const shop = await app.workspace({ number: "+911244001100" });
  const agent = await person(app, "agent@example.com", "agent", shop.id);
  const bob = await person(app, "bob@example.com", "agent", shop.id);
  const base = `/w/${shop.id}`;
  await app.inbound(shop, PERSON, "Are you open?");
  const { id: conversation } = (await agent.get(`${base}/inbox/1`)).body.data.conversation;
  const send = () => agent.post(`${base}/messages`, { to: PERSON, text: "Until eight" }, { key: "draft-1" });
  const add = () =>
    agent.post(`${base}/conversations/${conversation}/notes`, { text: "A regular" }, { key: "draft-2" });
  const [sent, noted] = [await send(), await add()];
  expect([sent.status, noted.status]).toEqual([201, 201]);

  // As housekeeping leaves it after a day.
  for (const table of ["idempotency_keys", "form_answers"]) app.store.client.prepare(`DELETE FROM ${table}`).run();
  const [late, lateNote] = [await send(), await add()];
  expect([late.status, late.body.data.id, late.headers.get("idempotent-replayed")]).toEqual([
    201,
    sent.body.data.id,
    "true",
  ]);
  expect([lateNote.status, lateNote.body.data.id]).toEqual([201, noted.body.data.id]);
  const count = (table: string) => app.store.client.prepare(`SELECT count(*) AS n FROM ${table}`).get();
  expect([count("messages"), count("conversation_notes")]).toEqual([{ n: 1 }, { n: 1 }]);

  // Of another account that has signed in in the same browser, nothing goes.
  const { user } = (await agent.get("/me")).body.data;
  const note = { text: "Of the agent" };
  const path = `${base}/conversations/${conversation}/notes`;
  const of = (id: number) => ({ headers: { "waxwing-account": String(id) } });
  const foreign = await bob.post(path, note, of(user.id));
  expect([foreign.status, foreign.body.error.code]).toEqual([409, "other_account"]);
  expect((await agent.post(path, note, of(user.id))).status).toBe(201);
});

test("under one key two uploads of one file are one message, and another file is another request", async () => {
  await using app = await startTestServer();
  const shop = await app.workspace({ number: "+911244001100" });
  const agent = await person(app, "agent@example.com", "agent", shop.id);
  const base = `/w/${shop.id}`;
  await app.inbound(shop, PERSON, "Have you a menu?");
  const upload = async (text: string): Promise<number> => {
    const { body, headers = {} } = bodyOf("POST", { formFile: text });
    return (await agent.post(`${base}/media`, body, { headers })).body.data.id;
  };
  const [one, other, second] = [
    await upload("%PDF-1.4 menu"),
    await upload("%PDF-1.4 menu"),
    await upload("%PDF-1.4 prices"),
  ];
  expect(new Set([one, other, second]).size).toBe(3);
  const send = (id: number, key: string, more: object = {}) =>
    agent.post(`${base}/messages`, { to: PERSON, media: { id, ...more } }, { key });
  // Of two pages at the same time.
  const both = await Promise.all([send(one, "draft-1"), send(other, "draft-1")]);
  expect(both.map(({ status }) => status)).toEqual([201, 201]);
  expect(new Set(both.map(({ body }) => body.data.id)).size).toBe(1);
  for (const [id, more] of [
    [second, {}],
    [one, { caption: "Here" }],
    [1_999_999_999, {}],
  ] as const) {
    const refused = await send(id, "draft-1", more);
    expect([id, refused.status, refused.body.error.code]).toEqual([id, 409, "idempotency_conflict"]);
  }
  const headed = (id: number) => {
    const buttons = [{ id: "yes", title: "Yes" }];
    const interactive = { body: "This one?", header: { type: "document", id }, buttons };
    return agent.post(`${base}/messages`, { to: PERSON, interactive }, { key: "draft-2" });
  };
  expect((await headed(one)).body.data.id).toBe((await headed(other)).body.data.id);
  expect((await headed(second)).status).toBe(409);
  expect(app.store.client.prepare("SELECT count(*) FROM messages").pluck().get()).toBe(2);
});

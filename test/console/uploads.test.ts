/** Files that a user of the console uploads and sends: the same door, types, sizes and quotas as with an API key. */
import { expect, test } from "bun:test";
import { auditEntries, person, type Visitor } from "#test/support/console.ts";
import { bodyOf } from "#test/support/matrix-api.ts";
import { startTestServer } from "#test/support/server.ts";

const PERSON = "+919876540010";

async function startShop() {
  const app = await startTestServer();
  const shop = await app.workspace({ number: "+911244001100" });
  const agent = await person(app, "agent@example.com", "agent", shop.id);
  const base = `/w/${shop.id}`;
  return { app, shop, agent, base, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

function upload(visitor: Visitor, base: string, formFile: string) {
  const { body, headers = {} } = bodyOf("POST", { formFile });
  return visitor.post(`${base}/media`, body, { headers });
}

test("an agent uploads a file, sends it once and sees it in the conversation; the audit log has both", async () => {
  await using world = await startShop();
  const { app, shop, agent, base } = world;
  await app.inbound(shop, PERSON, "Do you have a menu?");
  const uploaded = await upload(agent, base, "%PDF-1.4 menu");
  expect([uploaded.status, uploaded.body.data]).toMatchObject([201, { mime_type: "application/pdf", bytes: 13 }]);
  const { id } = uploaded.body.data;
  const body = { to: PERSON, media: { id, caption: "Here it is" } };
  const sent = await agent.post(`${base}/messages`, body, { key: "form-1" });
  const repeated = await agent.post(`${base}/messages`, body, { key: "form-1" });
  expect([sent.status, repeated.body.data.id]).toEqual([201, sent.body.data.id]);
  expect(sent.body.data).toMatchObject({ type: "document", text: "Here it is", content: { media: { id } } });
  expect((await agent.get(`${base}/media/${id}`)).status).toBe(200);
  expect(auditEntries(app).slice(0, 2)).toMatchObject([
    { action: "message.send", subject: PERSON },
    { action: "media.upload", subject: "application/pdf" },
  ]);
});

test("another site and another type are refused, and nothing is left", async () => {
  await using world = await startShop();
  const { app, agent, base } = world;
  const { body, headers } = bodyOf("POST", { formFile: "%PDF-1.4 menu" });
  const foreign = { headers: { ...headers, "sec-fetch-site": "cross-site" } };
  expect((await agent.post(`${base}/media`, body, foreign)).status).toBe(403);
  const picture = await upload(agent, base, "GIF89a and more");
  expect([picture.status, picture.body.error.fields.file[0]]).toMatchObject([
    400,
    expect.stringContaining("images are JPEG or PNG"),
  ]);
  const json = await agent.post(`${base}/media`, { file: "x" });
  expect([json.status, json.body.error.fields.file[0]]).toMatchObject([400, expect.stringContaining("form")]);
  expect(app.store.client.prepare("SELECT count(*) AS n FROM uploads").get()).toEqual({ n: 0 });
});

test("a user uploads 2 GB on one day of the workspace", async () => {
  await using world = await startShop();
  const { app, shop, agent, base } = world;
  const { user } = (await agent.get("/me")).body.data;
  const began = Date.parse("2026-11-21T00:00:00+05:30");
  const used = 2 * 1024 ** 3 - 20;
  app.store.client.prepare("INSERT INTO user_upload_days VALUES (?, ?, ?, ?)").run(user.id, shop.id, began, used);
  expect((await upload(agent, base, "%PDF-1.4 menu")).status).toBe(201);
  const beyond = await upload(agent, base, "%PDF-1.4 menu");
  expect([beyond.status, beyond.body.error.message]).toEqual([429, "You may upload 2 GB a day."]);
});

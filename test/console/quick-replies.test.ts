/** Quick replies: who may write them, what they may say, and how long their files are kept. */
import { expect, test } from "bun:test";
import { auditEntries, person, type Visitor } from "#test/support/console.ts";
import { bodyOf } from "#test/support/matrix-api.ts";
import { startTestServer } from "#test/support/server.ts";
import { Workshop } from "../cli/spawn.ts";

const PERSON = "+919876540010";
const DAY = 24 * 60 * 60_000;

async function startShop() {
  const app = await startTestServer();
  const shop = await app.workspace({ number: "+911244001100" });
  const member = await person(app, "member@example.com", "member", shop.id);
  const base = `/w/${shop.id}`;
  return { app, shop, member, base, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

type World = Awaited<ReturnType<typeof startShop>>;

async function upload(visitor: Visitor, base: string): Promise<number> {
  const { body, headers = {} } = bodyOf("POST", { formFile: "%PDF-1.4 menu" });
  return (await visitor.post(`${base}/media`, body, { headers })).body.data.id;
}

function uploadIds({ app }: World): unknown[] {
  return app.store.client.prepare("SELECT id FROM uploads ORDER BY id").pluck().all();
}

test("a member writes, changes and deletes quick replies; an agent uses them; the audit log has each change", async () => {
  await using world = await startShop();
  const { app, shop, member, base } = world;
  const agent = await person(app, "agent@example.com", "agent", shop.id);
  const id = await upload(member, base);
  const menu = { name: " Menu ", text: "Hi {{first_name}}, here it is.\nTable for two?", upload_id: id };
  const made = await member.post(`${base}/quick-replies`, menu);
  expect([made.status, made.body.data]).toEqual([
    201,
    {
      ...{ id: expect.any(Number), name: "Menu", text: menu.text },
      upload: { id, mime_type: "application/pdf", bytes: 13, filename: expect.any(String) },
    },
  ]);
  expect((await member.post(`${base}/quick-replies`, { name: "Address", text: "MG Road 4" })).status).toBe(201);
  const list = await agent.get(`${base}/quick-replies`);
  expect(list.body.data.map(({ name }: { name: string }) => name)).toEqual(["Address", "Menu"]);

  const path = `${base}/quick-replies/${made.body.data.id}`;
  const changed = await member.ask("PUT", path, { name: "MENU", text: "Here it is." });
  expect([changed.status, changed.body.data]).toMatchObject([200, { name: "MENU", text: "Here it is.", upload: null }]);
  for (const [method, address] of [
    ["POST", `${base}/quick-replies`],
    ["PUT", path],
    ["DELETE", path],
  ] as const) {
    const { status } = await agent.ask(method, address, { name: "Mine", text: "No" });
    expect([method, status]).toEqual([method, 404]);
  }
  expect((await member.ask("DELETE", path)).status).toBe(200);
  expect((await member.ask("DELETE", path)).status).toBe(404);
  expect(auditEntries(app).slice(0, 4)).toMatchObject([
    { action: "quick_reply.remove", subject: "MENU" },
    { action: "quick_reply.change", subject: "Menu" },
    { action: "quick_reply.create", subject: "Address" },
    { action: "quick_reply.create", subject: "Menu" },
  ]);
});

test("what is wrong with a quick reply is said at its field, and nothing is stored", async () => {
  await using world = await startShop();
  const { app, member, base } = world;
  await member.post(`${base}/quick-replies`, { name: "Öffnungszeiten", text: "9 to 5" });
  const good = { name: "Hours", text: "9 to 5" };
  const problems = [
    [{ ...good, name: " " }, "name", "A quick reply needs a name."],
    [{ ...good, name: "n".repeat(33) }, "name", "A name has at most 32 characters."],
    [{ ...good, name: "two\nlines" }, "name", "A name is one line of ordinary characters."],
    [
      { ...good, name: "öffnungsZEITEN" },
      "name",
      "There is already a quick reply Öffnungszeiten; choose another name.",
    ],
    [{ ...good, text: " \u200b" }, "text", "A quick reply needs a text."],
    [{ ...good, text: "t".repeat(1_025) }, "text", "A text has at most 1,024 characters."],
    [
      { ...good, text: "Hi {{First name}}" },
      "text",
      "A contact field is written as {{first_name}}: its name between two braces.",
    ],
    [{ ...good, text: "Hi {{frist_name}}" }, "text", expect.stringContaining("Did you mean first_name?")],
    [{ ...good, upload_id: 7 }, "upload_id", expect.stringContaining("There is no such upload")],
  ] as const;
  for (const [body, field, sentence] of problems) {
    const { status, body: answer } = await member.post(`${base}/quick-replies`, body);
    expect([status, answer.error.fields]).toEqual([400, { [field]: [sentence] }]);
  }
  // The limits themselves are right, and a field of the workspace is known.
  const insert =
    "INSERT INTO custom_fields (workspace_id, key, label, kind, created_at) VALUES (?, 'size', 'Size', 'text', 1)";
  app.store.client.prepare(insert).run(world.shop.id);
  const long = { name: "n".repeat(32), text: `{{size}}${"t".repeat(1_016)}` };
  expect((await member.post(`${base}/quick-replies`, long)).status).toBe(201);
  for (let made = 2; made < 200; made++) {
    const row = [world.shop.id, `r${made}`, `r${made}`];
    const text =
      "INSERT INTO quick_replies (workspace_id, name, folded, text, created_at, updated_at) VALUES (?, ?, ?, 'x', 1, 1)";
    app.store.client.prepare(text).run(...row);
  }
  const beyond = await member.post(`${base}/quick-replies`, good);
  expect([beyond.status, beyond.body.error.fields.name[0]]).toEqual([
    400,
    "A workspace has at most 200 quick replies. Delete one that is no longer used.",
  ]);
  expect((await member.get(`${base}/quick-replies`)).body.data).toHaveLength(200);
});

test("the file of a quick reply does not expire, and begins its life when the quick reply goes", async () => {
  await using world = await startShop();
  const { app, member, base } = world;
  const used = await upload(member, base);
  const other = await upload(member, base);
  await member.post(`${base}/quick-replies`, { name: "Menu", text: "Here", upload_id: used });
  app.clock.setWall(40 * DAY);
  await app.clock.advance(600_000);
  expect(uploadIds(world)).toEqual([used]);
  expect(other).not.toBe(used);
  app.store.client.exec("DELETE FROM quick_replies");
  await app.clock.advance(600_000);
  expect(uploadIds(world)).toEqual([used]);
  app.clock.setWall(80 * DAY);
  await app.clock.advance(600_000);
  expect(uploadIds(world)).toEqual([]);
});

test("the file of a quick reply stays when the only person who got it is erased", async () => {
  using workshop = new Workshop();
  await using world = await startShop();
  const { app, shop, member, base } = world;
  await app.inbound(shop, PERSON, "Do you have a menu?");
  const id = await upload(member, base);
  await member.post(`${base}/quick-replies`, { name: "Menu", text: "Here", upload_id: id });
  expect((await member.post(`${base}/messages`, { to: PERSON, media: { id } }, { key: "form-1" })).status).toBe(201);
  const erased = await workshop.json([
    "contact",
    "erase",
    "--workspace",
    String(shop.id),
    PERSON,
    "--data",
    app.directory,
  ]);
  expect(erased).toMatchObject({ erased: true });
  expect(uploadIds(world)).toEqual([id]);
  expect((await member.get(`${base}/quick-replies`)).body.data[0].upload.id).toBe(id);
});

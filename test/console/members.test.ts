/**
 * Members of a workspace: invited by its owner, given another role, removed; and no member gets more than their role.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { auditEntries, firstOperator, PASSWORD, person, Visitor } from "#test/support/console.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let ours: TestWorkspace;
let theirs: TestWorkspace;
let owner: Visitor;

beforeAll(async () => {
  app = await startTestServer();
  ours = await app.workspace({ name: "Ours" });
  theirs = await app.workspace({ name: "Theirs" });
  await firstOperator(app);
  owner = await person(app, "owner@example.com", "owner", ours.id);
});
afterAll(() => app[Symbol.asyncDispose]());

const people = async () => (await owner.get(`/w/${ours.id}/people`)).body.data;
const one = async (email: string) => (await people()).find((member: { email: string }) => member.email === email);

test("an owner's invitation link is shown once, and gives access to this workspace only, until the member is removed", async () => {
  const form = { key: "invite-1" };
  const body = { email: "ravi@example.com", role: "member" };
  const made = await owner.post(`/w/${ours.id}/people`, body, form);
  const repeated = await owner.post(`/w/${ours.id}/people`, body, form);
  expect([made.status, repeated.body.data.token]).toEqual([201, null]);
  expect(await one("ravi@example.com")).toMatchObject({ role: "member", has_password: false });
  const ravi = new Visitor(app);
  expect((await ravi.post("/links/use", { token: made.body.data.token, password: PASSWORD })).status).toBe(201);
  expect((await ravi.get(`/w/${ours.id}/me`)).body.data.role).toBe("member");
  expect((await ravi.get(`/w/${theirs.id}/me`)).status).toBe(404);
  expect((await ravi.get("/system/health")).status).toBe(404);
  expect((await ravi.get(`/w/${ours.id}/audit`)).status).toBe(404);
  // A new role applies from the next request.
  expect((await owner.post(`/w/${ours.id}/people`, { ...body, role: "owner" })).status).toBe(201);
  expect((await ravi.get(`/w/${ours.id}/audit`)).status).toBe(200);
  expect((await owner.post(`/w/${ours.id}/people`, { ...body, role: "operator" })).status).toBe(400);
  const { id } = await one("ravi@example.com");
  expect((await owner.ask("DELETE", `/w/${ours.id}/people/${id}`)).status).toBe(200);
  expect((await ravi.get(`/w/${ours.id}/me`)).status).toBe(404);
  expect(auditEntries(app)[0]).toMatchObject({
    action: "user.leave",
    subject: "ravi@example.com",
    workspace_id: ours.id,
  });
});

test("the only owner is neither demoted nor removed, also not by an operator; with a second owner both work", async () => {
  const shop = await app.workspace({ name: "Sole" });
  const sole = await person(app, "sole@example.com", "owner", shop.id);
  const operator = await person(app, "operator@example.com", "operator");
  const path = `/w/${shop.id}/people`;
  const idOf = async (email: string) =>
    (await operator.get(path)).body.data.find((member: { email: string }) => member.email === email).id;
  const id = await idOf("sole@example.com");
  const sentence = "This is the only owner of the workspace. Make another member an owner first.";
  for (const visitor of [sole, operator]) {
    for (const role of ["member", "agent"]) {
      const demoted = await visitor.post(path, { email: "sole@example.com", role });
      expect([demoted.status, demoted.body.error.fields]).toEqual([400, { role: [sentence] }]);
    }
    const removed = await visitor.ask("DELETE", `${path}/${id}`);
    expect([removed.status, removed.body.error.fields]).toEqual([400, { email: [sentence] }]);
  }
  // Who was only invited, or is disabled, is no owner yet, or no longer.
  await sole.post(path, { email: "invited@example.com", role: "owner" });
  await person(app, "gone@example.com", "owner", shop.id);
  await operator.post(`/users/${await idOf("gone@example.com")}/disable`);
  expect((await sole.post(path, { email: "sole@example.com", role: "member" })).status).toBe(400);
  expect((await sole.get(`/w/${shop.id}/me`)).body.data.role).toBe("owner");

  await person(app, "second@example.com", "owner", shop.id);
  expect((await sole.post(path, { email: "sole@example.com", role: "member" })).status).toBe(201);
  expect((await sole.get(`/w/${shop.id}/me`)).body.data.role).toBe("member");
});

test("an address is stored in one form of its characters, and one with characters that cannot be seen is refused", async () => {
  const path = `/w/${ours.id}/people`;
  const wide = "\uff4d\uff49\uff4e\uff41@example.com";
  const made = await owner.post(path, { email: ` ${wide} `, role: "member" });
  expect(made.body.data.email).toBe("mina@example.com");
  const again = await owner.post(path, { email: "MINA@example.com", role: "member" });
  expect(again.body.data.id).toBe(made.body.data.id);
  const mina = new Visitor(app);
  await mina.post("/links/use", { token: again.body.data.token, password: PASSWORD });
  expect((await new Visitor(app).signIn(wide)).status).toBe(200);
  for (const unseen of ["\u0000", "\u0007", "\u200b", "\u202e", "\u2028", "\ufeff", "\u00ad", "\ue000"]) {
    const { status, body } = await owner.post(path, { email: `ra${unseen}vi@example.com`, role: "member" });
    expect([unseen, status, Object.keys(body.error.fields)]).toEqual([unseen, 400, ["email"]]);
  }
  app.store.client
    .prepare("UPDATE users SET email = ?1, email_key = ?1 WHERE email = 'mina@example.com'")
    .run({ 1: wide });
  expect((await new Visitor(app).signIn(wide)).status).toBe(200);
});

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

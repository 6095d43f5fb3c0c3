/** The people of a workspace: when each was seen, whose sessions an owner ends, and to which numbers an agent is limited. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { findUserByEmail } from "#src/domain/users/read.ts";
import { firstOperator, person, Visitor } from "#test/support/console.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let ours: TestWorkspace;
let theirs: TestWorkspace;
let operator: Visitor;
let owner: Visitor;

beforeAll(async () => {
  app = await startTestServer();
  ours = await app.workspace({ name: "Ours" });
  theirs = await app.workspace({ name: "Theirs", number: "+911244001177" });
  operator = await firstOperator(app);
  owner = await person(app, "owner@example.com", "owner", ours.id);
});
afterAll(() => app[Symbol.asyncDispose]());

interface Listed {
  id: number;
  email: string;
  role: string;
  numbers: number[] | null;
  seen_at: string | null;
}
const people = async (): Promise<Listed[]> => (await owner.get(`/w/${ours.id}/people`)).body.data;
const memberOf = async (email: string) => (await people()).find((one) => one.email === email);
const userId = (email: string): number => app.store.read((tx) => findUserByEmail(tx, email)?.id ?? 0);
const endSessions = (id: number) => owner.post(`/w/${ours.id}/people/${id}/end-sessions`);
const latest = async () => (await owner.get(`/w/${ours.id}/audit`)).body.data[0];

test("a member was seen when they last used this workspace, not another; a write a minute at most", async () => {
  const email = "seen@example.com";
  const member = await person(app, email, "member", ours.id);
  expect((await memberOf(email))?.seen_at).toBeNull();
  const beside = await operator.post(`/w/${theirs.id}/people`, { email, role: "agent" });
  await member.post("/sign-in", {
    email,
    password: "correct horse battery",
    invitation: beside.body.data.token,
  });
  await member.get(`/w/${theirs.id}/conversations`);
  await member.get("/me");
  expect((await memberOf(email))?.seen_at).toBeNull();
  const at = app.clock.now();
  await member.get(`/w/${ours.id}/me`);
  const seen = Date.parse((await memberOf(email))?.seen_at ?? "");
  expect(Math.abs(seen - at)).toBeLessThan(1_000);
  await app.clock.advance(30_000);
  await member.get(`/w/${ours.id}/me`);
  expect(Date.parse((await memberOf(email))?.seen_at ?? "")).toBe(seen);
  await app.clock.advance(40_000);
  await member.get(`/w/${ours.id}/me`);
  expect(Date.parse((await memberOf(email))?.seen_at ?? "")).toBeGreaterThan(seen);
  // Operators are everywhere, and are seen nowhere.
  expect((await operator.get(`/w/${ours.id}/me`)).status).toBe(200);
});

test("an owner ends a member's sessions, and of their own all but the one in use; no other user's", async () => {
  const email = "laptop@example.com";
  const member = await person(app, email, "member", ours.id);
  const phone = await new Visitor(app).signIn(email).then(() => member);
  expect((await phone.get("/me")).status).toBe(200);
  expect((await endSessions(userId(email))).body.data).toEqual({ ended: 2 });
  expect((await member.get("/me")).status).toBe(401);
  expect(await latest()).toMatchObject({ action: "user.end-sessions", subject: email, details: { ended: 2 } });
  // The account is as it was.
  expect((await new Visitor(app).signIn(email)).status).toBe(200);

  const other = new Visitor(app);
  await other.signIn("owner@example.com");
  expect((await endSessions(userId("owner@example.com"))).body.data).toEqual({ ended: 1 });
  expect([(await other.get("/me")).status, (await owner.get("/me")).status]).toEqual([401, 200]);

  const stranger = await person(app, "stranger@example.com", "owner", theirs.id);
  const invited = await owner.post(`/w/${ours.id}/people`, { email: "invited@example.com", role: "member" });
  const bystanders = [userId("stranger@example.com"), userId("op@example.com"), invited.body.data.id, 9_999];
  for (const id of bystanders) expect([id, (await endSessions(id)).status]).toEqual([id, 404]);
  expect([(await stranger.get("/me")).status, (await operator.get("/me")).status]).toEqual([200, 200]);
  const signedIn = new Visitor(app);
  await signedIn.signIn(email);
  expect((await signedIn.post(`/w/${ours.id}/people/${userId(email)}/end-sessions`)).status).toBe(404);
});

test("an agent's numbers change at once, a role without them drops them, and a wrong number is named", async () => {
  const email = "agent@example.com";
  const agent = await person(app, email, "agent", ours.id);
  const set = (body: object) => owner.post(`/w/${ours.id}/people`, { email, role: "agent", ...body });
  const numbersOf = async () => (await agent.get(`/w/${ours.id}/me`)).body.data.numbers.length;
  expect(await numbersOf()).toBe(1);
  const wrong = await set({ numbers: [theirs.numberId] });
  expect([wrong.status, Object.keys(wrong.body.error.fields)]).toEqual([400, ["numbers"]]);
  expect((await set({ numbers: [ours.numberId] })).body.data).toMatchObject({ token: null, is_mailed: false });
  expect(await memberOf(email)).toMatchObject({ role: "agent", numbers: [ours.numberId] });
  expect(await latest()).toMatchObject({ action: "user.change-role", details: { numbers: [ours.numberId] } });
  expect((await set({ role: "member" })).status).toBe(201);
  expect(await memberOf(email)).toMatchObject({ role: "member", numbers: null });
});

test("a server without a mail server refuses to send an invitation, and makes none", async () => {
  const refused = await owner.post(`/w/${ours.id}/people`, { email: "no@example.com", role: "member", by_mail: true });
  expect([refused.status, refused.body.error.code]).toEqual([409, "no_email"]);
  expect(await memberOf("no@example.com")).toBeUndefined();
});

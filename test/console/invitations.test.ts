/**
 * An invitation is accepted only through its own one-time link. The invitee signs in to an existing account of the address.
 * No link of an owner replaces the password of an account that is in use elsewhere; an operator's link does.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { totpCode } from "#src/core/totp.ts";
import { inviteUser } from "#src/domain/users/invite.ts";
import { findUserByEmail } from "#src/domain/users/read.ts";
import { firstOperator, PASSWORD, person, Visitor } from "#test/support/console.ts";
import { type Answered, startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const NEW_PASSWORD = `${PASSWORD} 2`;

let app: TestServer;
let ours: TestWorkspace;
let theirs: TestWorkspace;
let operator: Visitor;
let owner: Visitor;
let attacker: Visitor;

beforeAll(async () => {
  app = await startTestServer();
  ours = await app.workspace({ name: "Ours" });
  theirs = await app.workspace({ name: "Theirs" });
  operator = await firstOperator(app);
  owner = await person(app, "owner@example.com", "owner", ours.id);
  attacker = await person(app, "attacker@example.com", "owner", theirs.id);
});
afterAll(() => app[Symbol.asyncDispose]());
afterEach(() => void app.store.client.exec("DELETE FROM sign_in_attempts"));

interface Invitation {
  id: number;
  token: string;
  account: { since: string; is_in_use: boolean } | null;
}

const userId = (email: string): number => app.store.read((reading) => findUserByEmail(reading, email)?.id ?? 0);
const look = (token: string) => new Visitor(app).post("/links/look", { token });
const use = (token: string, more: Record<string, unknown> = {}, visitor = new Visitor(app)) =>
  visitor.post("/links/use", { token, password: NEW_PASSWORD, ...more });
const signInWith = (invitation: string, email: string, visitor = new Visitor(app)) =>
  visitor.post("/sign-in", { email, password: PASSWORD, invitation });
const namesOf = ({ body }: Answered): string[] => body.data.workspaces.map(({ name }: { name: string }) => name);
const workspacesOf = async (visitor: Visitor) => namesOf(await visitor.get("/me"));

async function invite(inviter: Visitor, workspace: TestWorkspace, email: string, role = "member"): Promise<Invitation> {
  const answered = await inviter.post(`/w/${workspace.id}/people`, { email, role });
  expect([answered.status, answered.body.data.token]).toEqual([201, expect.any(String)]);
  return answered.body.data;
}

/** Invites the address to Theirs and uses the link in the invitee's place. */
async function hijack(email: string): Promise<Visitor> {
  const { token, account } = await invite(attacker, theirs, email);
  expect(account).toBeNull();
  const hijacker = new Visitor(app);
  expect((await hijacker.post("/links/use", { token, password: PASSWORD })).status).toBe(201);
  return hijacker;
}

test("an inviter who uses their own invitation sees nothing of a workspace that invites the address later", async () => {
  const email = "victim@example.com";
  const bait = await attacker.post(`/w/${theirs.id}/people`, { email, role: "member" });
  const hijacker = new Visitor(app);
  expect((await hijacker.post("/links/use", { token: bait.body.data.token, password: PASSWORD })).status).toBe(201);
  const invited = await owner.post(`/w/${ours.id}/people`, { email, role: "owner" });
  expect(invited.status).toBe(201);
  expect(await workspacesOf(hijacker)).toEqual(["Theirs"]);
  expect((await hijacker.get(`/w/${ours.id}/me`)).status).toBe(404);
  expect((await hijacker.post(`/w/${ours.id}/keys`, { name: "mine" })).status).toBe(404);
  // A new session does not help either.
  expect(namesOf(await new Visitor(app).signIn(email))).toEqual(["Theirs"]);
  // `user create` by an operator is an invitation like any other.
  await app.store.write((tx) => inviteUser(tx, { email, role: "owner", workspaceId: ours.id }));
  expect(await workspacesOf(hijacker)).toEqual(["Theirs"]);
});

test("the inviter sees that the address has an account before passing the link on, and the invitee before answering", async () => {
  const email = "told@example.com";
  await hijack(email);
  const invited = await owner.post(`/w/${ours.id}/people`, { email, role: "member" }, { key: "told" });
  const account = { since: expect.stringMatching(/^\d{4}-/), is_in_use: true };
  const { token } = invited.body.data;
  expect(invited.body.data).toMatchObject({ email, account });
  const repeated = await owner.post(`/w/${ours.id}/people`, { email, role: "member" }, { key: "told" });
  expect(repeated.body.data).toMatchObject({ account, token: null });
  const looked = (await look(token)).body.data;
  expect(looked).toEqual({ kind: "join", email, workspace: "Ours", role: "member", account });
  // Owners see that a member is pending, and nothing about the account's security.
  const [pending] = (await owner.get(`/w/${ours.id}/people`)).body.data.slice(-1);
  expect(pending).toMatchObject({ email, role: "member", is_pending: true, has_password: false, second_factor: false });
  expect(pending.workspaces).toBeUndefined();
});

describe("answering an invitation", () => {
  test("for an address with an account, a new password alone neither joins nor changes the account", async () => {
    const email = "asked@example.com";
    const hijacker = await hijack(email);
    const { token } = await invite(owner, ours, email);
    const answered = await use(token);
    expect([answered.status, answered.body.error.code]).toEqual([409, "account_exists"]);
    expect((await use(token, { starts_again: false })).status).toBe(409);
    expect(await workspacesOf(hijacker)).toEqual(["Theirs"]);
    expect((await look(token)).status).toBe(200);
  });

  test("signing in keeps the account and its workspaces, and gives all of its sessions access at once", async () => {
    const email = "consultant@example.com";
    const before = await person(app, email, "member", theirs.id);
    const { token } = await invite(owner, ours, email, "owner");
    expect((await before.get(`/w/${ours.id}/me`)).status).toBe(404);
    const wrong = await new Visitor(app).post("/sign-in", { email, password: "not this one", invitation: token });
    expect([wrong.status, wrong.body.error.code]).toEqual([401, "wrong_credentials"]);
    const joined = await signInWith(token, email);
    expect([joined.status, namesOf(joined)]).toEqual([200, ["Ours", "Theirs"]]);
    expect((await before.get(`/w/${ours.id}/me`)).body.data.role).toBe("owner");
    const lines = (await owner.get(`/w/${ours.id}/audit`)).body.data;
    expect(lines[0]).toMatchObject({ action: "user.join", subject: email, email, details: { role: "owner" } });
    // A second use gives neither a session nor a role.
    const again = new Visitor(app);
    expect((await signInWith(token, email, again)).status).toBe(404);
    expect(again.cookie).toBeNull();
    expect((await use(token, { starts_again: true })).status).toBe(404);
  });

  test("signing in to accept asks for the account's second factor, and the code completes it", async () => {
    const email = "careful@example.com";
    const before = await person(app, email, "member", theirs.id);
    const { secret } = (await before.post("/me/second-factor/begin", { password: PASSWORD })).body.data;
    await before.post("/me/second-factor/confirm", { code: totpCode(secret, app.clock.now()) });
    const { token } = await invite(owner, ours, email);
    expect((await signInWith(token, email)).body.error.code).toBe("code_required");
    expect(await workspacesOf(before)).toEqual(["Theirs"]);
    await app.clock.advance(60_000);
    const code = totpCode(secret, app.clock.now());
    const joined = await new Visitor(app).post("/sign-in", { email, password: PASSWORD, code, invitation: token });
    expect([joined.status, namesOf(joined)]).toEqual([200, ["Ours", "Theirs"]]);
  });

  test("an owner's link never replaces the password of an account that another workspace or a second factor uses", async () => {
    const member = "colleague@example.com";
    const theirsOnly = await person(app, member, "member", theirs.id);
    const careful = "alone@example.com";
    const alone = await person(app, careful, "member", theirs.id);
    const { secret } = (await alone.post("/me/second-factor/begin", { password: PASSWORD })).body.data;
    await alone.post("/me/second-factor/confirm", { code: totpCode(secret, app.clock.now()) });
    await attacker.ask("DELETE", `/w/${theirs.id}/people/${userId(careful)}`);
    for (const [email, visitor] of [
      [member, theirsOnly],
      [careful, alone],
    ] as const) {
      const { token, account } = await invite(owner, ours, email, "owner");
      expect(account).toMatchObject({ is_in_use: true });
      for (const more of [{}, { starts_again: true }]) {
        const refused = await use(token, more);
        expect([refused.status, refused.body.error.code]).toEqual([409, "account_exists"]);
        expect(refused.body.error.message).toContain("ask an operator");
      }
      expect((await visitor.get("/me")).status).toBe(200);
      expect(await workspacesOf(visitor)).toEqual(email === member ? ["Theirs"] : []);
    }
  });

  test("an attempt to take an account over shows nothing of its workspaces, and the audit log names the inviter", async () => {
    const email = "busy@example.com";
    const busy = await person(app, email, "owner", theirs.id);
    const invited = await owner.post(`/w/${ours.id}/people`, { email, role: "member" });
    const { token } = invited.body.data;
    const answers = [invited, await look(token)];
    for (const more of [{}, { starts_again: true }, { take_over: true }]) {
      const refused = await use(token, more);
      expect([more, refused.status]).toEqual([more, "take_over" in more ? 400 : 409]);
      answers.push(refused);
    }
    for (const path of [`/w/${ours.id}/people`, `/w/${ours.id}/audit`, "/me"]) answers.push(await owner.get(path));
    for (const { text } of answers) expect(text).not.toContain("Theirs");
    const [entry] = (await owner.get(`/w/${ours.id}/audit`)).body.data;
    expect(entry).toMatchObject({ action: "user.create", subject: email, email: "owner@example.com" });
    // The account is untouched: its session, its password and its workspaces.
    expect(await workspacesOf(busy)).toEqual(["Theirs"]);
    expect((await new Visitor(app).signIn(email)).status).toBe(200);
    expect((await new Visitor(app).signIn(email, NEW_PASSWORD)).status).toBe(401);
    const ownLines = (await busy.get(`/w/${theirs.id}/audit`)).body.data;
    expect(JSON.stringify(ownLines)).not.toContain("Ours");
  });

  test("an account that nothing uses starts again with a new password, which ends its sessions", async () => {
    const email = "left@example.com";
    const before = await person(app, email, "member", theirs.id);
    await attacker.ask("DELETE", `/w/${theirs.id}/people/${userId(email)}`);
    const { token, account } = await invite(owner, ours, email, "owner");
    expect(account).toMatchObject({ is_in_use: false });
    const short = await use(token, { starts_again: true, password: "short" });
    expect([short.status, Object.keys(short.body.error.fields)]).toEqual([400, ["password"]]);
    const answered = await use(token, { starts_again: true });
    expect([answered.status, namesOf(answered)]).toEqual([201, ["Ours"]]);
    expect((await before.get("/me")).status).toBe(401);
    expect((await new Visitor(app).signIn(email, PASSWORD)).status).toBe(401);
    const ourLines = (await owner.get(`/w/${ours.id}/audit`)).body.data;
    expect(ourLines[0]).toMatchObject({ action: "user.join", details: { role: "owner", starts_again: true } });
  });

  test("an operator's link ends sessions and second factor, and every workspace of the account sees who made it", async () => {
    const email = "taken@example.com";
    const hijacker = await hijack(email);
    const { secret } = (await hijacker.post("/me/second-factor/begin", { password: PASSWORD })).body.data;
    const code = totpCode(secret, app.clock.now());
    const { codes } = (await hijacker.post("/me/second-factor/confirm", { code })).body.data;
    const reset = (await operator.post(`/users/${userId(email)}/reset-password`)).body.data;
    const [made] = (await attacker.get(`/w/${theirs.id}/audit`)).body.data;
    expect(made).toMatchObject({
      action: "user.reset-password",
      subject: email,
      email: expect.any(String),
      address: "",
    });
    const answered = await use(reset.token);
    expect([answered.status, namesOf(answered)]).toEqual([201, ["Theirs"]]);
    expect(answered.body.data.user).toMatchObject({ email, second_factor: false });
    expect((await hijacker.get("/me")).status).toBe(401);
    for (const tried of [PASSWORD, codes[0]]) expect((await new Visitor(app).signIn(email, tried)).status).toBe(401);
    const [used] = (await attacker.get(`/w/${theirs.id}/audit`)).body.data;
    expect(used).toMatchObject({ action: "user.new-password", subject: email, address: "" });
  });

  test("an address with only open invitations has no account: each link joins its own workspace", async () => {
    const email = "fresh@example.com";
    const first = await invite(attacker, theirs, email, "owner");
    const second = await invite(owner, ours, email);
    expect([second.account, (await look(second.token)).body.data.account]).toEqual([null, null]);
    expect((await attacker.get(`/w/${theirs.id}/people`)).text).toContain(email);
    const invitee = new Visitor(app);
    await use(second.token, {}, invitee);
    expect(await workspacesOf(invitee)).toEqual(["Ours"]);
    // The other invitation stays open, and now leads to an existing account.
    expect((await look(first.token)).body.data).toMatchObject({ workspace: "Theirs", account: expect.any(Object) });
    expect((await use(first.token)).body.error.code).toBe("account_exists");
    expect((await use(first.token, { starts_again: true })).body.error.code).toBe("account_exists");
    expect((await invitee.get("/me")).status).toBe(200);
  });
});

describe("an invitation link", () => {
  /** Requires that every way to use the token gets the same answer as an unknown token. */
  const expectOver = async (token: string, email: string) => {
    const refusals = [
      await look(token),
      await use(token),
      await use(token, { starts_again: true }),
      await signInWith(token, email),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const unknown = await look("no-such-token");
    expect(new Set(refusals.map(({ text }) => text))).toEqual(new Set([unknown.text]));
  };

  test("an expired, revoked or renewed link is refused, for an existing account and for a new address", async () => {
    const known = "known@example.com";
    const visitor = await person(app, known, "member", theirs.id);
    for (const email of [known, "unknown@example.com"]) {
      const isKnown = email === known;
      const check = isKnown ? expectOver : async (token: string) => expect((await look(token)).status).toBe(404);
      const first = await invite(owner, ours, email);
      const renewed = await invite(owner, ours, email, "owner");
      await check(first.token, email);
      expect((await look(renewed.token)).body.data.role).toBe("owner");
      expect((await owner.ask("DELETE", `/w/${ours.id}/people/${renewed.id}`)).status).toBe(200);
      await check(renewed.token, email);
      expect((await owner.get(`/w/${ours.id}/people`)).text).not.toContain(email);
      const old = await invite(owner, ours, email);
      app.store.client.exec(`UPDATE user_links SET expires_at = ${app.clock.now()} WHERE user_id = ${old.id}`);
      await check(old.token, email);
      // The expired invitation stays in the list of members, so that it can be renewed.
      expect((await owner.get(`/w/${ours.id}/people`)).text).toContain(email);
    }
    expect(await workspacesOf(visitor)).toEqual(["Theirs"]);
  });

  test("a disabled account cannot be invited, and an earlier link to it is refused", async () => {
    const email = "disabled@example.com";
    await hijack(email);
    const { token } = await invite(owner, ours, email);
    await operator.post(`/users/${userId(email)}/disable`);
    expect([(await look(token)).status, (await use(token, { starts_again: true })).status]).toEqual([404, 404]);
    expect((await signInWith(token, email)).status).toBe(401);
    const again = await owner.post(`/w/${ours.id}/people`, { email, role: "member" });
    expect([again.status, again.body.error.fields]).toEqual([400, { email: ["This user is disabled."] }]);
  });

  test("a link is useless to another account, and reveals nothing about the address to a stranger", async () => {
    await hijack("secret@example.com");
    const { token } = await invite(owner, ours, "secret@example.com");
    const other = new Visitor(app);
    expect((await signInWith(token, "attacker@example.com", other)).status).toBe(404);
    expect(other.cookie).toBeNull();
    expect(await workspacesOf(attacker)).toEqual(["Theirs"]);
    const known = await new Visitor(app).post("/sign-in", {
      email: "secret@example.com",
      password: "no",
      invitation: "x",
    });
    const unknown = await new Visitor(app).post("/sign-in", {
      email: "none@example.com",
      password: "no",
      invitation: "x",
    });
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
  });

  test("a link is void once its address belongs to an operator: an owner cannot take an operator over", async () => {
    const email = "boss@example.com";
    const bait = await invite(attacker, theirs, email);
    const made = await operator.post("/users", { email });
    expect([made.status, made.body.data.token]).toEqual([201, expect.any(String)]);
    expect((await use(bait.token)).status).toBe(404);
    expect((await use(made.body.data.token)).status).toBe(201);
    expect((await use(bait.token, { starts_again: true })).status).toBe(404);
    const refused = await attacker.post(`/w/${theirs.id}/people`, { email, role: "member" });
    expect(refused.status).toBe(400);
  });

  test("a link that is used many times at once joins once", async () => {
    const email = "crowd@example.com";
    await person(app, email, "member", theirs.id);
    await attacker.ask("DELETE", `/w/${theirs.id}/people/${userId(email)}`);
    const { token } = await invite(owner, ours, email);
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, (_, index) =>
        use(token, { starts_again: true, password: `${NEW_PASSWORD} ${index}` }),
      ),
      signInWith(token, email),
    ]);
    const taken = answers.filter(({ status }) => status < 300);
    expect(taken.length).toBe(1);
    // The sign-in may also fail against the new password of a faster request.
    for (const { status } of answers.filter((one) => !taken.includes(one))) expect([401, 404, 409]).toContain(status);
    const rows = app.store.client.prepare("SELECT count(*) FROM memberships WHERE user_id = ? AND workspace_id = ?");
    expect(rows.pluck().get(userId(email), ours.id)).toBe(1);
  });

  test("of two workspaces' links used at once, one creates the account and the other has to ask again", async () => {
    const email = "twice@example.com";
    const links = [await invite(owner, ours, email), await invite(attacker, theirs, email)];
    const answers = await Promise.all(links.map(({ token }) => use(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const rows = app.store.client.prepare("SELECT count(*) FROM memberships WHERE user_id = ?");
    expect(rows.pluck().get(userId(email))).toBe(1);
  });
});

describe("members without a link", () => {
  test("changing a member's role takes effect at once and makes no link", async () => {
    const email = "role@example.com";
    const member = await person(app, email, "member", ours.id);
    const changed = await owner.post(`/w/${ours.id}/people`, { email, role: "owner" });
    expect(changed.body.data).toMatchObject({ email, token: null, expires_at: null, account: null });
    expect((await member.get(`/w/${ours.id}/audit`)).body.data[0]).toMatchObject({ action: "user.change-role" });
  });

  test("a removed member who is invited again gets access only through the new link", async () => {
    const email = "back@example.com";
    const member = await person(app, email, "member", ours.id);
    await owner.ask("DELETE", `/w/${ours.id}/people/${userId(email)}`);
    const { token } = await invite(owner, ours, email);
    expect((await member.get(`/w/${ours.id}/me`)).status).toBe(404);
    expect((await signInWith(token, email)).status).toBe(200);
    expect((await member.get(`/w/${ours.id}/me`)).status).toBe(200);
  });
});

test("an operator renews a user's only open invitation, but not one of several; the user list shows them all", async () => {
  const email = "renew@example.com";
  const { id, token } = await invite(owner, ours, email);
  const renewed = await operator.post(`/users/${id}/reset-password`);
  expect(renewed.body.data).toMatchObject({ kind: "join", email });
  expect((await look(token)).status).toBe(404);
  expect((await look(renewed.body.data.token)).body.data).toMatchObject({ workspace: "Ours", role: "member" });
  await invite(attacker, theirs, email);
  expect((await operator.post(`/users/${id}/reset-password`)).status).toBe(400);
  const listed = (await operator.get("/users")).body.data.find((one: { email: string }) => one.email === email);
  expect(listed.workspaces).toEqual([]);
  expect(listed.invitations.map((one: { id: number }) => one.id).sort()).toEqual([ours.id, theirs.id]);
});

test("changing the password voids an open reset link and open invitations of the account", async () => {
  const email = "change@example.com";
  const visitor = await person(app, email, "member", theirs.id);
  const reset = (await operator.post(`/users/${userId(email)}/reset-password`)).body.data;
  const { token } = await invite(owner, ours, email);
  const changed = await visitor.ask("PUT", "/me/password", { current: PASSWORD, password: NEW_PASSWORD });
  expect(changed.status).toBe(200);
  expect([(await look(reset.token)).status, (await look(token)).status]).toEqual([404, 404]);
});

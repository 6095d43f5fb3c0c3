/** Signing in: one-time links, throttled guesses, a second factor, and sessions that expire. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { totpCode } from "#src/core/totp.ts";
import { disableUser } from "#src/domain/users/change.ts";
import { createLink, createSetupLink } from "#src/domain/users/links.ts";
import { findUserByEmail } from "#src/domain/users/read.ts";
import { auditEntries, firstOperator, PASSWORD, person, Visitor } from "#test/support/console.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
let operator: Visitor;

beforeAll(async () => {
  app = await startTestServer();
  operator = await firstOperator(app);
  shop = await app.workspace();
});
afterAll(() => app[Symbol.asyncDispose]());
// Failed attempts of one test must not delay the sign-ins of the next.
afterEach(() => void app.store.client.exec("DELETE FROM sign_in_attempts"));

const userId = (email: string): number => app.store.read((tx) => findUserByEmail(tx, email)?.id ?? 0);
const resetLink = (email: string) => {
  const id = userId(email);
  return app.store.write((tx) => createLink(tx, "reset", id));
};

const DAY_MS = 24 * 3_600_000;
/** Ages the rows by this long. Advancing the test clock by a day would take seconds. */
const age = (table: "sessions" | "user_links" | "sign_in_attempts", ms: number): void => {
  const columns = {
    sessions: ["seen_at", "expires_at"],
    user_links: ["expires_at"],
    sign_in_attempts: ["blocked_until", "last_at"],
  }[table];
  for (const column of columns) app.store.client.exec(`UPDATE ${table} SET ${column} = ${column} - ${ms}`);
};

describe("one-time links", () => {
  test("the first start's link creates one operator, and no further link is made once an operator exists", async () => {
    expect((await operator.get("/me")).body.data.user).toMatchObject({ email: "op@example.com", is_operator: true });
    expect(await app.store.write(createSetupLink)).toBeNull();
  });

  test("a one-time link works once", async () => {
    await person(app, "once@example.com", "member", shop.id);
    const link = await resetLink("once@example.com");
    const use = () => new Visitor(app).post("/links/use", { token: link.token, password: `${PASSWORD} 2` });
    expect((await use()).status).toBe(201);
    expect((await use()).status).toBe(404);
  });

  test("an expired or replaced link is refused", async () => {
    await person(app, "late@example.com", "member", shop.id);
    const first = await resetLink("late@example.com");
    const second = await resetLink("late@example.com");
    const look = (token: string) => new Visitor(app).post("/links/look", { token });
    expect((await look(first.token)).status).toBe(404);
    expect((await look(second.token)).body.data).toMatchObject({
      kind: "reset",
      email: "late@example.com",
      account: null,
    });
    age("user_links", DAY_MS);
    expect((await look(second.token)).status).toBe(404);
  });

  test("a password reset ends every session and voids the old password", async () => {
    const visitor = await person(app, "lost@example.com", "member", shop.id);
    const link = await resetLink("lost@example.com");
    await new Visitor(app).post("/links/use", { token: link.token, password: `${PASSWORD} 2` });
    expect((await visitor.get("/me")).status).toBe(401);
    expect((await visitor.signIn("lost@example.com")).body.error.code).toBe("wrong_credentials");
    expect((await visitor.signIn("lost@example.com", `${PASSWORD} 2`)).status).toBe(200);
  });

  test("tokens, passwords and sessions are never stored in clear text", async () => {
    const link = await resetLink("late@example.com");
    app.store.checkpoint();
    const file = await Bun.file(`${app.directory}/waxwing.db`).bytes();
    const token = operator.cookie?.split("=")[1] ?? "";
    expect(token.length).toBeGreaterThan(40);
    for (const secret of [link.token, token, PASSWORD]) expect(Buffer.from(file).includes(secret)).toBe(false);
  });
});

describe("guessing", () => {
  test("unknown e-mail and wrong password get the same answer; after five failures even the right password has to wait", async () => {
    await person(app, "guess@example.com", "member", shop.id);
    const visitor = new Visitor(app);
    const wrong = await visitor.signIn("guess@example.com", "not this one");
    const nobody = await visitor.signIn("nobody@example.com", "not this one");
    expect([wrong.status, wrong.text]).toEqual([nobody.status, nobody.text]);
    expect(wrong.body.error.message).toBe("Incorrect e-mail or password.");
    for (let count = 1; count < 5; count++) await visitor.signIn("guess@example.com", "not this one");
    const held = await visitor.signIn("guess@example.com");
    expect([held.status, held.headers.get("retry-after")]).toEqual([429, "30"]);
    expect(held.body.error.message).toBe("Too many attempts. Wait 30 seconds.");
    await app.clock.advance(30_000);
    expect((await visitor.signIn("guess@example.com")).status).toBe(200);
  });

  test("concurrent guesses are each counted: after five the rest are throttled", async () => {
    const visitor = new Visitor(app);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => visitor.signIn("crowd@example.com", `guess number ${index}`)),
    );
    expect(answers.filter(({ status }) => status === 401).length).toBe(5);
    expect(answers.filter(({ status }) => status === 429).length).toBe(7);
  });

  test("an address that tries many names is throttled", async () => {
    const visitor = new Visitor(app);
    await visitor.signIn("name0@example.com", "not this one");
    // As after eighteen more names. Each real attempt costs a tenth of a second of argon2.
    app.store.client.exec("UPDATE sign_in_attempts SET count = 19");
    expect((await visitor.signIn("name1@example.com", "not this one")).status).toBe(401);
    expect((await visitor.signIn("name2@example.com", "not this one")).status).toBe(429);
  });
});

describe("a second factor", () => {
  test("signing in with a second factor asks for a code, and accepts each code and each recovery code once", async () => {
    const email = "careful@example.com";
    const visitor = await person(app, email, "owner", shop.id);
    const begun = (await visitor.post("/me/second-factor/begin", { password: PASSWORD })).body.data;
    const codeNow = () => totpCode(begun.secret, app.clock.now());
    expect((await visitor.post("/me/second-factor/confirm", { code: "000000" })).status).toBe(400);
    const { codes } = (await visitor.post("/me/second-factor/confirm", { code: codeNow() })).body.data;
    expect(codes.length).toBe(10);

    const other = new Visitor(app);
    expect((await other.signIn(email)).body.error.code).toBe("code_required");
    expect((await other.signIn(email, PASSWORD, codeNow())).body.error.code).toBe("wrong_code");
    await app.clock.advance(60_000);
    const code = codeNow();
    expect((await other.signIn(email, PASSWORD, code)).status).toBe(200);
    expect((await new Visitor(app).signIn(email, PASSWORD, code)).body.error.code).toBe("wrong_code");
    expect((await new Visitor(app).signIn(email, PASSWORD, codes[0].toUpperCase())).status).toBe(200);
    expect((await new Visitor(app).signIn(email, PASSWORD, codes[0])).body.error.code).toBe("wrong_code");

    expect((await other.post("/me/second-factor/remove", { password: PASSWORD })).status).toBe(200);
    expect((await new Visitor(app).signIn(email)).status).toBe(200);
  });

  test("the right password without a code does not reset the count of wrong codes", async () => {
    const email = "patient@example.com";
    const visitor = await person(app, email, "member", shop.id);
    const { secret } = (await visitor.post("/me/second-factor/begin", { password: PASSWORD })).body.data;
    await visitor.post("/me/second-factor/confirm", { code: totpCode(secret, app.clock.now()) });
    const guesser = new Visitor(app);
    for (let count = 0; count < 5; count++) {
      expect((await guesser.signIn(email)).body.error.code).toBe("code_required");
      expect((await guesser.signIn(email, PASSWORD, "123123")).body.error.code).toBe("wrong_code");
    }
    expect((await guesser.signIn(email)).status).toBe(429);
    age("sign_in_attempts", DAY_MS);
  });
});

describe("sessions", () => {
  test("a user ends one of their sessions or all others, and never another user's", async () => {
    const email = "many@example.com";
    const first = await person(app, email, "member", shop.id);
    const second = new Visitor(app);
    await second.signIn(email);
    const sessions = (await first.get("/me/sessions")).body.data;
    expect(sessions.length).toBe(2);
    const theirs = sessions.find((one: { is_current: boolean }) => !one.is_current).id;
    const newcomer = await person(app, "stranger@example.com", "member", shop.id);
    expect((await newcomer.ask("DELETE", `/me/sessions/${theirs}`)).status).toBe(404);
    expect((await second.get("/me")).status).toBe(200);
    expect((await first.ask("DELETE", `/me/sessions/${theirs}`)).status).toBe(200);
    expect((await second.get("/me")).status).toBe(401);
    await second.signIn(email);
    expect((await first.post("/me/sessions/end-others")).body.data.ended).toBe(1);
    expect((await second.get("/me")).status).toBe(401);
    expect((await first.get("/me")).status).toBe(200);
  });

  test("a session ends after 12 hours without use, 30 days after signing in, and on signing out", async () => {
    const email = "idle@example.com";
    const visitor = await person(app, email, "member", shop.id);
    for (let times = 0; times < 3; times++) {
      age("sessions", 11 * 3_600_000);
      expect((await visitor.get("/me")).status).toBe(200);
      // The last use is stored a moment later, at most once a minute.
      await app.clock.advance(61_000);
    }
    age("sessions", 12 * 3_600_000);
    expect((await visitor.get("/me")).status).toBe(401);
    await visitor.signIn(email);
    app.store.client.exec(`UPDATE sessions SET expires_at = ${app.clock.now()}`);
    expect((await visitor.get("/me")).status).toBe(401);
    await visitor.signIn(email);
    const { cookie } = visitor;
    await visitor.post("/sign-out");
    expect(visitor.cookie).toBeNull();
    visitor.cookie = cookie;
    expect((await visitor.get("/me")).status).toBe(401);
  });

  test("changing the password ends all other sessions and renews the current one", async () => {
    const email = "fresh@example.com";
    const visitor = await person(app, email, "member", shop.id);
    const other = new Visitor(app);
    await other.signIn(email);
    const before = visitor.cookie;
    const wrong = await visitor.ask("PUT", "/me/password", { current: "no", password: `${PASSWORD} 3` });
    expect(wrong.body.error.fields).toEqual({ current: ["The password is incorrect."] });
    const short = await visitor.ask("PUT", "/me/password", { current: PASSWORD, password: "short" });
    expect(short.body.error.fields.password).toEqual(["A password has at least 10 characters."]);
    const done = await visitor.ask("PUT", "/me/password", { current: PASSWORD, password: `${PASSWORD} 3` });
    expect(done.status).toBe(200);
    expect(visitor.cookie).not.toBe(before);
    expect([(await visitor.get("/me")).status, (await other.get("/me")).status]).toEqual([200, 401]);
  });

  test("disabling a user ends their sessions at once and refuses their sign-in", async () => {
    const email = "gone@example.com";
    const visitor = await person(app, email, "member", shop.id);
    const id = userId(email);
    await app.store.write((tx) => disableUser(tx, id));
    expect((await visitor.get("/me")).status).toBe(401);
    expect((await visitor.signIn(email)).body.error.code).toBe("wrong_credentials");
  });

  test("the session cookie is HttpOnly and SameSite", async () => {
    const { headers } = await new Visitor(app).signIn("stranger@example.com");
    const [cookie = ""] = headers.getSetCookie();
    expect(cookie).toMatch(/^waxwing=\w{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
  });

  test("the audit log records sign-ins, links and changes of users, and no password", () => {
    const actions = auditEntries(app).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(["user.setup", "user.join", "sign-in", "session.end"]));
    expect(JSON.stringify(auditEntries(app))).not.toContain(PASSWORD);
  });
});

test("under HTTPS the session cookie is Secure and bound to the host", async () => {
  await using secure = await startTestServer({ config: { server: { publicUrl: "https://wx.example.com" } } });
  await firstOperator(secure);
  const { headers } = await new Visitor(secure).signIn("op@example.com");
  expect(headers.getSetCookie()[0]).toMatch(/^__Host-waxwing=\w{43}; Path=\/; .*; HttpOnly; SameSite=Lax; Secure$/);
});

/**
 * Accounts on the executable, with a mail server: addresses are verified by a link, a lost password is replaced by one, and no
 * answer tells whether an address has an account.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { totpCode } from "#src/core/totp.ts";
import { type ConsoleProcess, startConsole } from "#test/support/console-process.ts";
import type { Answered } from "#test/support/server.ts";

const PASSWORD = "a good long password";
const NEW_PASSWORD = "another good long password";
const directory = mkdtempSync(join(tmpdir(), "waxwing-accounts-"));

interface Mail {
  to: string;
  text: string;
  link: { page: string; token: string };
}

const mails: Mail[] = [];
let arrived = Promise.withResolvers<void>();
const smtp = new SMTPServer({
  disabledCommands: ["STARTTLS", "AUTH"],
  onData(stream, session, done) {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk) => chunks.push(chunk));
    stream.on("end", () => {
      // Long lines are broken, and "=" is written as "=3D".
      const text = Buffer.concat(chunks).toString().replaceAll("=\r\n", "").replaceAll("=3D", "=");
      const [, page = "", token = ""] = /http:\/\/wa\.test:8080\/console\/(\w+)#(\w+)/.exec(text) ?? [];
      mails.push({ to: session.envelope.rcptTo.map(({ address }) => address).join(), text, link: { page, token } });
      done();
      arrived.resolve();
    });
  },
});

let app: ConsoleProcess;

beforeAll(async () => {
  const listening = Promise.withResolvers<void>();
  const listener = smtp.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const { port } = listener.address() as { port: number };
  writeFileSync(join(directory, "smtp"), `smtp://127.0.0.1:${port}\n`);
  app = await startConsole({
    WAXWING_ALERTS_SMTP_URL_FILE: join(directory, "smtp"),
    WAXWING_ALERTS_EMAIL_FROM: "waxwing@example.com",
    WAXWING_SERVER_PUBLIC_URL: "http://wa.test:8080",
    WAXWING_SERVER_TRUSTED_PROXIES: "127.0.0.1/32",
  });
}, 180_000);
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  smtp.close();
  rmSync(directory, { recursive: true });
});

interface Answer {
  status: number;
  text: string;
  body: Answered["body"];
  cookie: string;
}

/** `from`: the client's address, as the trusted proxy passes it on. */
async function ask(
  method: string,
  path: string,
  body: object | null,
  cookie = "",
  from = "192.0.2.1",
): Promise<Answer> {
  const answer = await fetch(`${app.url}/console/api${path}`, {
    method,
    headers: {
      "content-type": "application/json",
      "sec-fetch-site": "same-origin",
      "x-forwarded-for": from,
      ...(cookie === "" ? {} : { cookie }),
    },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const set = answer.headers.getSetCookie().find((one) => one.startsWith("waxwing="));
  return { status: answer.status, text, body: JSON.parse(text), cookie: set?.split(";")[0] ?? "" };
}

async function nextMail(known: number): Promise<Mail> {
  while (mails.length <= known) {
    arrived = Promise.withResolvers();
    await arrived.promise;
  }
  const mail = mails[known];
  if (mail === undefined) throw new Error("there is a mail");
  return mail;
}

const lost = (email: string, from?: string) => ask("POST", "/lost-password", { email }, "", from);
const signIn = (email: string, password: string) => ask("POST", "/sign-in", { email, password });

let operator: string;
let owner: string;

test("an address is verified by the link that is sent to it, once, and until then it is marked", async () => {
  const token = app.setupLink.split("#")[1];
  const made = await ask("POST", "/links/use", { token, email: "op@example.com", password: PASSWORD });
  operator = made.cookie;
  expect(made.body.data.user.email_verified).toBe(false);
  const mail = await nextMail(0);
  expect([mail.to, mail.link.page]).toEqual(["op@example.com", "verify"]);
  // A link of one kind does nothing where another is expected.
  for (const [path, body] of [
    ["/links/use", { token: mail.link.token, password: PASSWORD }],
    ["/lost-password/use", { token: mail.link.token, password: PASSWORD }],
  ] as const) {
    expect([path, (await ask("POST", path, body)).status]).toEqual([path, 404]);
  }
  const verified = await ask("POST", "/links/verify", { token: mail.link.token });
  expect([verified.status, verified.body.data]).toEqual([200, { email: "op@example.com" }]);
  expect((await ask("POST", "/links/verify", { token: mail.link.token })).status).toBe(404);
  const me = (await ask("GET", "/me", null, operator)).body.data;
  expect([me.user.email_verified, me.sends_email]).toEqual([true, true]);
});

test("the only owner cannot leave or step down, in the console or by a command; addresses have one form", async () => {
  await ask("POST", "/workspaces", { name: "Shop", country: "IN", timezone: "UTC" }, operator);
  const { token } = (await ask("POST", "/w/1/people", { email: "\uff4fwner@example.com", role: "owner" }, operator))
    .body.data;
  owner = (await ask("POST", "/links/use", { token, password: PASSWORD })).cookie;
  const [{ id, email, email_verified }] = (await ask("GET", "/w/1/people", null, owner)).body.data;
  expect([email, email_verified]).toEqual(["owner@example.com", false]);
  expect((await ask("DELETE", `/w/1/people/${id}`, {}, owner)).status).toBe(400);
  expect((await ask("POST", "/w/1/people", { email, role: "member" }, owner)).status).toBe(400);
  const refused = await app.command("user", "create", "--email", email, "--role", "agent", "--workspace", "1");
  expect(JSON.stringify(refused)).toContain("the only owner of the workspace");
  const unseen = await ask("POST", "/w/1/people", { email: "a\u202eb@example.com", role: "member" }, owner);
  expect([unseen.status, Object.keys(unseen.body.error.fields)]).toEqual([400, ["email"]]);
});

test("a lost password gets the same answer for every address, and a link only at a verified one", async () => {
  const asked = await nextMail(1);
  expect([asked.to, asked.link.page]).toEqual(["owner@example.com", "verify"]);
  const answers = [
    await lost("nobody@example.com"),
    // Not verified yet: the address may be mistyped and belong to a stranger.
    await lost("owner@example.com"),
    await lost("op@example.com"),
  ];
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set(['202 {"data":{}}']));
  const mail = await nextMail(2);
  expect([mail.to, mail.link.page]).toEqual(["op@example.com", "forgot"]);
  await ask("POST", "/links/verify", { token: asked.link.token });
});

test("the link sets the password once and ends every session; a second factor stays, and owners see it in the audit log", async () => {
  const { secret } = (await ask("POST", "/me/second-factor/begin", { password: PASSWORD }, owner)).body.data;
  const code = (at: number) => totpCode(secret, at);
  const on = await ask("POST", "/me/second-factor/confirm", { code: code(Date.now()) }, owner);
  expect(on.status).toBe(200);
  await lost("OWNER@example.com");
  const { link } = await nextMail(3);
  const weak = await ask("POST", "/lost-password/use", { token: link.token, password: "short" });
  expect([weak.status, Object.keys(weak.body.error.fields)]).toEqual([400, ["password"]]);
  const use = () => ask("POST", "/lost-password/use", { token: link.token, password: NEW_PASSWORD });
  const used = await use();
  expect([used.status, used.cookie, (await use()).status]).toEqual([200, "", 404]);
  expect((await ask("GET", "/me", null, on.cookie)).status).toBe(401);
  expect((await signIn("owner@example.com", PASSWORD)).body.error.code).toBe("wrong_credentials");
  expect((await signIn("owner@example.com", NEW_PASSWORD)).body.error.code).toBe("code_required");
  const audit = (await ask("GET", "/w/1/audit", null, operator)).body.data;
  expect(audit[0]).toMatchObject({ action: "user.new-password", subject: "owner@example.com", address: "" });
});

test("requests are slowed for an address and for a network, and an operator's link still works", async () => {
  const before = mails.length;
  // The third one of this address was the last without a wait.
  for (const from of ["192.0.2.10", "192.0.2.11", "192.0.2.12", "192.0.2.13"]) {
    expect((await lost("op@example.com", from)).status).toBe(202);
  }
  const statuses: number[] = [];
  for (let count = 0; count < 22; count++) statuses.push((await lost(`x${count}@example.com`, "198.51.100.7")).status);
  expect(statuses.filter((status) => status === 202).length).toBe(20);
  expect(statuses.slice(-2)).toEqual([429, 429]);
  expect((await lost("y@example.com", "198.51.100.8")).status).toBe(202);
  const { link } = await app.command("user", "reset-password", "--email", "owner@example.com");
  const token = String(link).split("#")[1];
  const renewed = await ask("POST", "/links/use", { token, password: PASSWORD });
  expect([renewed.status, renewed.body.data.user.second_factor]).toEqual([201, false]);
  expect(mails.length - before).toBeLessThanOrEqual(2);
  expect(app.log()).not.toContain("mail.failed");
});

test("an invitation is sent by e-mail, in the console and by a command: only its receiver gets the link", async () => {
  const before = mails.length;
  const invite = (email: string, more: object = {}) =>
    ask("POST", "/w/1/people", { email, role: "agent", by_mail: true, ...more }, operator);
  const { body } = await invite("new@example.com");
  expect(body.data).toMatchObject({ email: "new@example.com", token: null, is_mailed: true });
  const mail = await nextMail(before);
  expect([mail.to, mail.link.page]).toEqual(["new@example.com", "join"]);
  expect(mail.text).toContain("the workspace Shop as agent");
  const [entry] = (await ask("GET", "/w/1/audit", null, operator)).body.data;
  expect(entry).toMatchObject({ action: "user.create", subject: "new@example.com", details: { by: "e-mail" } });
  const joined = await ask("POST", "/links/use", { token: mail.link.token, password: PASSWORD });
  expect([joined.status, joined.body.data.workspaces.map(({ role }: { role: string }) => role)]).toEqual([
    201,
    ["agent"],
  ]);

  // The new account is asked to verify its address, as any other.
  expect((await nextMail(before + 1)).link.page).toBe("verify");
  const made = await app.command(
    ..."user invite --workspace 1 --email more@example.com --role member --mail".split(" "),
  );
  expect(made).toMatchObject({ link: null, text: null, mailed: true });
  const second = await nextMail(before + 2);
  expect([second.to, second.link.page]).toEqual(["more@example.com", "join"]);
  // A link that is made in the meantime replaces the one that was sent.
  const { token } = (await invite("more@example.com", { by_mail: false })).body.data;
  expect((await ask("POST", "/links/look", { token: second.link.token })).status).toBe(404);
  expect((await ask("POST", "/links/look", { token })).status).toBe(200);
  // A stranger's address is not flooded.
  const statuses: number[] = [];
  for (let count = 0; count < 5; count++) statuses.push((await invite("flood@example.com")).status);
  expect(statuses).toEqual([201, 201, 201, 429, 429]);
});

/**
 * Sensitive acts ask again for the password or the second factor 15 minutes after the last time. The first test walks
 * every route, so that a new one has to be declared sensitive or not.
 */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { totpCode } from "#src/core/totp.ts";
import { consoleEndpoints as routes } from "#src/http/endpoints/endpoints.ts";
import { auditEntries, firstOperator, PASSWORD, person, Visitor } from "#test/support/console.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const LIFETIME_MS = 15 * 60_000;

let app: TestServer;
let shop: TestWorkspace;
let operator: Visitor;

beforeAll(async () => {
  app = await startTestServer();
  operator = await firstOperator(app);
  shop = await app.workspace();
});
afterAll(() => app[Symbol.asyncDispose]());
afterEach(() => void app.store.client.exec("DELETE FROM sign_in_attempts"));

/** As after this long: advancing the clock would start everything that falls due. */
const age = (ms: number): void => void app.store.client.exec(`UPDATE sessions SET confirmed_at = confirmed_at - ${ms}`);

const sensitiveRoutes: ReadonlySet<string> = new Set(
  routes.filter(({ isSensitive }) => isSensitive === true).map(({ method, path }) => `${method} ${path}`),
);

/** Changes by owners and operators that need no second look, and why. */
const NOT_SENSITIVE: Readonly<Record<string, string>> = {
  "POST /workspaces": "gives no user access",
  "POST /system/backups/{name}/verify": "reads only",
  "POST /system/backups/{name}/drill": "reads only",
  "POST /system/check": "reads only",
  "POST /system/upgrade/check": "reads only",
  "POST /w/{workspace}/webhook/test": "goes to the address that is set",
  "POST /w/{workspace}/webhooks/{id}/test": "goes to the address that is set",
  "DELETE /w/{workspace}/connection": "discards what was entered, gives no access",
  "POST /w/{workspace}/connection/sign-up/finish": "the state proves that a confirmed session began it",
  "POST /w/{workspace}/fields": "adds an empty field",
  "DELETE /w/{workspace}/fields/{key}": "data, not access",
  "POST /w/{workspace}/deliveries/replay": "goes to the address that is set",
  "POST /w/{workspace}/deliveries/{id}/replay": "goes to the address that is set",
  "POST /w/{workspace}/numbers/{id}/ready": "no secret",
  "PUT /w/{workspace}/numbers/{id}/profile": "what customers see, no access",
  "PUT /w/{workspace}/numbers/{id}/photo": "what customers see, no access",
  "PUT /w/{workspace}/numbers/{id}/username": "what customers see, no access",
  "DELETE /w/{workspace}/numbers/{id}/username": "what customers see, no access",
  "POST /w/{workspace}/numbers/{id}/unready": "no secret",
  "POST /w/{workspace}/numbers/{id}/sync": "no secret",
  "POST /w/{workspace}/settings/preview": "reads only",
  "POST /w/{workspace}/news/read": "gives no user access",
  "PUT /w/{workspace}/templates/{id}/mark": "no secret",
  "PUT /w/{workspace}/templates/{id}/order": "no secret",
};

test("every change by owners or operators is declared sensitive or not, and every download of everything is", () => {
  const all = routes.map(({ method, path }) => `${method} ${path}`);
  expect(Object.keys(NOT_SENSITIVE).filter((name) => !all.includes(name))).toEqual([]);
  const undeclared = routes
    .filter(({ method, session }) => method !== "GET" && ["server operator", "operate", "manage"].includes(session))
    .map(({ method, path }) => `${method} ${path}`)
    .filter((name) => sensitiveRoutes.has(name) === name in NOT_SENSITIVE);
  expect(undeclared).toEqual([]);
  const downloads = all.filter((name) => /\/(export|file)$/.test(name));
  expect(downloads.filter((name) => !sensitiveRoutes.has(name))).toEqual([]);
});

test("15 minutes after signing in every sensitive route is refused with its own code, and no other route is", async () => {
  age(LIFETIME_MS);
  for (const { method, path, session } of routes) {
    if (session === "nobody" || path === "/sign-out" || path.startsWith("/me/") || path.endsWith("/live")) continue;
    const filled = path.replace("{workspace}", String(shop.id)).replace(/\{\w+\}/g, "999");
    const { status, body } = await operator.ask(method, filled);
    const isAsked = status === 403 && body?.error?.code === "confirmation_required";
    expect([method, path, isAsked]).toEqual([method, path, sensitiveRoutes.has(`${method} ${path}`)]);
  }
});

test("a role without access gets 404 and is not asked, and nothing is done before the password is entered", async () => {
  const member = await person(app, "member@example.com", "member", shop.id);
  age(LIFETIME_MS);
  expect((await member.post(`/w/${shop.id}/keys`, { name: "Mine" })).status).toBe(404);
  const form = { key: "asked-1" };
  const asked = await operator.post(`/w/${shop.id}/keys`, { name: "Shop" }, form);
  expect([asked.status, asked.body.error.code]).toEqual([403, "confirmation_required"]);
  expect(
    (await operator.get(`/w/${shop.id}/keys`)).body.data.filter(({ name }: { name: string }) => name === "Shop"),
  ).toEqual([]);
  const wrong = await operator.post("/me/confirmation", { password: "not this one" });
  expect(wrong.body.error.fields).toEqual({ password: ["The password is incorrect."] });
  expect((await operator.get("/me/confirmation")).status).toBe(403);
  expect((await operator.post("/me/confirmation", { password: PASSWORD })).status).toBe(200);
  expect((await operator.get("/me/confirmation")).status).toBe(200);
  expect((await operator.post(`/w/${shop.id}/keys`, { name: "Shop" }, form)).status).toBe(201);
  expect(auditEntries(app).map(({ action }) => action)).toEqual(
    expect.arrayContaining(["session.confirm", "session.fail"]),
  );
});

test("a confirmation counts for one session and for 15 minutes", async () => {
  const email = "two@example.com";
  const first = await person(app, email, "owner", shop.id);
  const second = new Visitor(app);
  await second.signIn(email);
  age(LIFETIME_MS - 1_000);
  expect((await first.get("/me/confirmation")).status).toBe(200);
  age(1_000);
  expect((await first.get("/me/confirmation")).status).toBe(403);
  await first.post("/me/confirmation", { password: PASSWORD });
  expect([(await first.get("/me/confirmation")).status, (await second.get("/me/confirmation")).status]).toEqual([
    200, 403,
  ]);
  // The clock was set back since.
  age(-2 * LIFETIME_MS);
  expect((await first.get("/me/confirmation")).status).toBe(403);
});

test("a code of the second factor confirms as the password does, once, and wrong ones are slowed", async () => {
  const owner = await person(app, "codes@example.com", "owner", shop.id);
  const { secret } = (await owner.post("/me/second-factor/begin", { password: PASSWORD })).body.data;
  await owner.post("/me/second-factor/confirm", { code: totpCode(secret, app.clock.now()) });
  await app.clock.advance(60_000);
  age(LIFETIME_MS);
  const code = totpCode(secret, app.clock.now());
  expect((await owner.post("/me/confirmation", { code })).status).toBe(200);
  age(LIFETIME_MS);
  expect((await owner.post("/me/confirmation", { code })).body.error.fields).toEqual({
    code: ["The code is incorrect or has already been used."],
  });
  for (let count = 1; count < 5; count++) await owner.post("/me/confirmation", { code: "000000" });
  expect((await owner.post("/me/confirmation", { password: PASSWORD })).status).toBe(429);
  expect((await operator.post("/me/confirmation", {})).status).toBe(400);
});

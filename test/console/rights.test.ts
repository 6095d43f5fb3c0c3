/** Whose console it is: every route of another workspace is not there, every change comes from the console's own page. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { routes } from "#src/http/console/routes.ts";
import { auditEntries, firstOperator, person, Visitor } from "#test/support/console.ts";
import { fillBucket, template } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let ours: TestWorkspace;
let theirs: TestWorkspace;
let operator: Visitor;
let owner: Visitor;
let member: Visitor;

beforeAll(async () => {
  app = await startTestServer();
  ours = await app.workspace({ name: "Ours" });
  theirs = await app.workspace({ name: "Theirs" });
  operator = await firstOperator(app);
  owner = await person(app, "owner@example.com", "owner", ours.id);
  member = await person(app, "member@example.com", "member", ours.id);
});
afterAll(() => app[Symbol.asyncDispose]());

/** Every route with something in each of its places. */
const filled = (workspace: number | string) =>
  routes.map(({ method, path, needs }) => ({
    method,
    needs,
    path: path.replace("{workspace}", String(workspace)).replace(/\{\w+\}/g, "1"),
  }));
const ofWorkspace = (workspace: number | string) =>
  filled(workspace).filter(({ path }) => path.startsWith(`/w/${workspace}`));

test("there are routes to walk, and the API's own are among them", () => {
  expect(ofWorkspace(1).length).toBeGreaterThan(35);
  expect(ofWorkspace(1).map(({ path }) => path)).toEqual(expect.arrayContaining(["/w/1/v1/messages", "/w/1/keys"]));
  const ofServer = routes.filter(({ path }) => /^\/(system|users|workspaces|audit)/.test(path));
  expect(ofServer.length).toBeGreaterThan(15);
  expect(ofServer.filter(({ needs }) => needs !== "server operator")).toEqual([]);
});

test("every route of another workspace is a 404, like that of one that does not exist", async () => {
  for (const { method, path } of ofWorkspace(theirs.id)) {
    const nowhere = path.replace(`/w/${theirs.id}`, "/w/999");
    for (const visitor of [owner, member]) {
      const [foreign, absent] = [await visitor.ask(method, path), await visitor.ask(method, nowhere)];
      expect([method, path, foreign.status, foreign.text]).toEqual([method, path, 404, absent.text]);
    }
  }
});

test("without a session every route but signing in is a 401", async () => {
  const nobody = new Visitor(app);
  for (const { method, path, needs } of filled(ours.id)) {
    if (needs === "nobody") continue;
    expect([method, path, (await nobody.ask(method, path)).status]).toEqual([method, path, 401]);
  }
});

test("what an owner may is not there for a member, and what an operator may for neither", async () => {
  for (const { method, path, needs } of filled(ours.id)) {
    if (needs === "owner") expect([path, (await member.ask(method, path)).status]).toEqual([path, 404]);
    if (needs === "server operator") {
      expect([path, (await owner.ask(method, path)).status]).toEqual([path, 404]);
      expect([path, (await member.ask(method, path)).status]).toEqual([path, 404]);
    }
  }
  expect((await owner.get(`/w/${ours.id}/keys`)).status).toBe(200);
  expect((await operator.get(`/w/${theirs.id}/keys`)).status).toBe(200);
});

test("a change that another site asked for is refused, whichever route", async () => {
  for (const { method, path } of filled(ours.id).filter((route) => route.method !== "GET")) {
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
    ]) {
      const { status, body } = await operator.ask(method, path, {}, { headers });
      expect([method, path, status, body?.error?.code]).toEqual([method, path, 403, "cross_site"]);
    }
  }
});

test("an old browser is believed by its Origin, and by nothing less", async () => {
  const ask = (headers: Record<string, string>) =>
    app.call("PUT", "/console/api/me/theme", {
      body: { theme: "dark" },
      headers: { cookie: operator.cookie ?? "", ...headers },
    });
  const own = new URL(app.server.url).origin;
  expect((await ask({ origin: own })).status).toBe(200);
  expect((await ask({})).status).toBe(403);
  expect((await ask({ origin: "https://evil.example" })).status).toBe(403);
  expect((await ask({ origin: "null" })).status).toBe(403);
});

test("a form that is no JSON is refused: no plain form of another page can be one", async () => {
  const { status } = await operator.post("/workspaces", {}, { headers: { "content-type": "text/plain" } });
  expect(status).toBe(400);
});

test("an address that leads nowhere is a 404 in JSON; any other of the console is its page", async () => {
  for (const path of ["/console/api", "/console/api/", "/console/api/none", "/console/api/w/1"]) {
    const { status, headers } = await app.call("GET", path);
    if (path === "/console/api") continue;
    expect([path, status, headers.get("content-type")]).toEqual([
      path,
      path === "/console/api/w/1" ? 401 : 404,
      "application/json",
    ]);
  }
  expect((await app.call("POST", "/console/w/1")).status).toBe(404);
});

describe("a form", () => {
  test("sent twice acts once, and the second answer holds no secret", async () => {
    const form = { key: "form-1" };
    const first = await owner.post(`/w/${ours.id}/keys`, { name: "Web shop" }, form);
    const second = await owner.post(`/w/${ours.id}/keys`, { name: "Web shop" }, form);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.body.data.key).toStartWith("wx_");
    expect(second.body.data).toEqual({ ...first.body.data, key: null });
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    const keys = (await owner.get(`/w/${ours.id}/keys`)).body.data.filter(
      ({ name }: { name: string }) => name === "Web shop",
    );
    expect(keys.length).toBe(1);
    expect((await owner.post(`/w/${ours.id}/keys`, { name: "Other" }, form)).status).toBe(409);
    // Somebody else's form of the same key is another form.
    expect((await operator.post(`/w/${ours.id}/keys`, { name: "Mine" }, form)).body.data.key).toStartWith("wx_");
  });

  test("that was refused leaves its key free and no line in the log", async () => {
    const before = auditEntries(app).length;
    const form = { key: "form-2" };
    expect((await owner.post(`/w/${ours.id}/keys`, { name: " " }, form)).status).toBe(400);
    expect(auditEntries(app).length).toBe(before);
    expect((await owner.post(`/w/${ours.id}/keys`, { name: "Now" }, form)).status).toBe(201);
  });
});

describe("the API's endpoints with a session", () => {
  test("do what they do with a key, and are written down with who asked", async () => {
    await app.template(ours, template("hello", [{ type: "BODY", text: "Hello." }]));
    await fillBucket(app, ours);
    const body = { to: "+919876543210", template: "hello" };
    const path = `/w/${ours.id}/v1/messages`;
    const sent = await app.clock.until(member.post(path, body, { key: "send-1" }));
    const again = await app.clock.until(member.post(path, body, { key: "send-1" }));
    expect([sent.status, again.text]).toEqual([201, sent.text]);
    expect(auditEntries(app).filter(({ action }) => action === "message.send")).toEqual([
      expect.objectContaining({ subject: "+919876543210", workspace_id: ours.id }),
    ]);
    const changed = await member.ask("PUT", `/w/${ours.id}/v1/contacts/919876543210`, {
      name: "Asha",
      consent: "opted_out",
    });
    expect(changed.body.data).toMatchObject({ name: "Asha", consent: { status: "opted_out", source: "manual" } });
    expect(auditEntries(app)[0]).toMatchObject({ action: "contact.change", subject: "919876543210" });
    const history = (await member.get(`/w/${ours.id}/contacts/919876543210/consent`)).body.data;
    expect(history[0]).toMatchObject({ became: "opted_out", source: "manual", evidence: { user: expect.any(Number) } });
  });

  test("work for a workspace whose API is off, for that is about keys", async () => {
    const off = await app.workspace({ name: "Off", apiEnabled: false });
    expect((await operator.get(`/w/${off.id}/v1/me`)).body.data.name).toBe("Off");
  });

  test("are not described in the API's document", async () => {
    expect((await app.call("GET", "/docs/openapi.json")).text).not.toContain("/console");
  });
});

test("people are invited by an owner to their own workspace, and leave it", async () => {
  const path = `/w/${ours.id}/people`;
  const invited = (await owner.post(path, { email: "new@example.com", role: "member" })).body.data;
  const joined = new Visitor(app);
  await joined.post("/links/use", { token: invited.token, password: "another long one" });
  expect((await joined.get(`/w/${ours.id}`)).body.data.role).toBe("member");
  expect((await owner.post(path, { email: "boss@example.com", role: "operator" })).status).toBe(400);
  expect((await owner.ask("DELETE", `${path}/${invited.id}`)).status).toBe(200);
  expect((await joined.get(`/w/${ours.id}`)).status).toBe(404);
});

/**
 * Access to the console: routes of other workspaces are not found, and changes are accepted only from the console's own
 * page.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hasRight, workspaceRoles } from "#src/domain/users/roles.ts";
import { consoleEndpoints as routes } from "#src/http/endpoints/endpoints.ts";
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

/** Every route, with its placeholders filled in. */
const filled = (workspace: number | string) =>
  routes.map(({ method, path, session }) => ({
    method,
    session,
    path: path.replace("{workspace}", String(workspace)).replace(/\{\w+\}/g, "1"),
  }));
const ofWorkspace = (workspace: number | string) =>
  filled(workspace).filter(({ path }) => path.startsWith(`/w/${workspace}`));

test("the walked routes include sending, and all routes of the server need an operator", () => {
  expect(ofWorkspace(1).length).toBeGreaterThan(35);
  expect(ofWorkspace(1).map(({ path }) => path)).toEqual(expect.arrayContaining(["/w/1/messages", "/w/1/keys"]));
  const ofServer = routes.filter(({ path }) => /^\/(system|users|workspaces|audit)/.test(path));
  expect(ofServer.length).toBeGreaterThan(15);
  expect(ofServer.filter(({ session }) => session !== "server operator")).toEqual([]);
});

test("every route of another workspace answers the same 404 as one that does not exist", async () => {
  for (const { method, path } of ofWorkspace(theirs.id)) {
    const nowhere = path.replace(`/w/${theirs.id}`, "/w/999");
    for (const visitor of [owner, member]) {
      const [foreign, absent] = [await visitor.ask(method, path), await visitor.ask(method, nowhere)];
      expect([method, path, foreign.status, foreign.text]).toEqual([method, path, 404, absent.text]);
    }
  }
});

test("without a session every route except signing in answers 401", async () => {
  const nobody = new Visitor(app);
  for (const { method, path, session } of filled(ours.id)) {
    if (session === "nobody") continue;
    expect([method, path, (await nobody.ask(method, path)).status]).toEqual([method, path, 401]);
  }
});

test("owners' routes are not found for members, and operators' routes for neither owners nor members", async () => {
  for (const { method, path, session } of filled(ours.id)) {
    if (session === "manage" || session === "operate")
      expect([path, (await member.ask(method, path)).status]).toEqual([path, 404]);
    if (session === "server operator") {
      expect([path, (await owner.ask(method, path)).status]).toEqual([path, 404]);
      expect([path, (await member.ask(method, path)).status]).toEqual([path, 404]);
    }
  }
  expect((await owner.get(`/w/${ours.id}/keys`)).status).toBe(200);
  expect((await operator.get(`/w/${theirs.id}/keys`)).status).toBe(200);
});

test("a role enters the workspace, and finds no endpoint whose right it lacks", async () => {
  for (const role of workspaceRoles) {
    const visitor = await person(app, `${role}-of-the-table@example.com`, role, ours.id);
    expect([role, (await visitor.get(`/w/${ours.id}/me`)).status]).toEqual([role, 200]);
    for (const { method, path, session } of ofWorkspace(ours.id)) {
      if (session === "nobody" || session === "user" || session === "server operator") continue;
      if (hasRight(role, session)) continue;
      expect([role, path, (await visitor.ask(method, path)).status]).toEqual([role, path, 404]);
    }
  }
});

test("a cross-site change is refused on every route", async () => {
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

test("from a browser without Sec-Fetch-Site, a change needs a matching Origin", async () => {
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

test("a form that is not JSON is refused, so no HTML form of another page can submit one", async () => {
  const { status } = await operator.post("/workspaces", {}, { headers: { "content-type": "text/plain" } });
  expect(status).toBe(400);
});

test("an unknown API path answers 404 in JSON, a known one without a session 401, and no page answers POST", async () => {
  for (const path of ["/console/api", "/console/api/", "/console/api/none", "/console/api/w/1/me"]) {
    const { status, headers } = await app.call("GET", path);
    if (path === "/console/api") continue;
    expect([path, status, headers.get("content-type")]).toEqual([
      path,
      path === "/console/api/w/1/me" ? 401 : 404,
      "application/json",
    ]);
  }
  expect((await app.call("POST", "/console/w/1")).status).toBe(404);
});

describe("a form", () => {
  test("a form that is sent twice acts once, and the second answer holds no secret", async () => {
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
    // Another user's form with the same key is a different form.
    expect((await operator.post(`/w/${ours.id}/keys`, { name: "Mine" }, form)).body.data.key).toStartWith("wx_");
  });

  test("a refused form leaves its key unused and no audit entry", async () => {
    const before = auditEntries(app).length;
    const form = { key: "form-2" };
    expect((await owner.post(`/w/${ours.id}/keys`, { name: " " }, form)).status).toBe(400);
    expect(auditEntries(app).length).toBe(before);
    expect((await owner.post(`/w/${ours.id}/keys`, { name: "Now" }, form)).status).toBe(201);
  });
});

describe("an operation that the API has too", () => {
  const audited = (name: string) => auditEntries(app).filter(({ action }) => action === name);

  test("an operation does the same with a session as with a key, and records who asked", async () => {
    await app.template(ours, template("hello", [{ type: "BODY", text: "Hello." }]));
    await fillBucket(app, ours);
    const body = { to: "+919876543210", template: "hello" };
    const path = `/w/${ours.id}/messages`;
    const sent = await app.clock.until(member.post(path, body, { key: "send-1" }));
    const again = await app.clock.until(member.post(path, body, { key: "send-1" }));
    expect([sent.status, again.text]).toEqual([201, sent.text]);
    expect(audited("message.send")).toEqual([
      expect.objectContaining({ subject: "+919876543210", workspace_id: ours.id }),
    ]);
    const changed = await member.ask("PUT", `/w/${ours.id}/contacts/919876543210`, {
      name: "Asha",
      consent: "opted_out",
    });
    expect(changed.body.data).toMatchObject({ name: "Asha", consent: { status: "opted_out", source: "manual" } });
    expect(auditEntries(app)[0]).toMatchObject({ action: "contact.change", subject: "919876543210" });
    const history = (await member.get(`/w/${ours.id}/contacts/919876543210/consent`)).body.data;
    expect(history[0]).toMatchObject({ became: "opted_out", source: "manual", evidence: { user: expect.any(Number) } });
  });

  test("a message that is refused leaves no audit entry, although its answer is kept under the form's key", async () => {
    await app.template(ours, template("greeting", [{ type: "BODY", text: "Hello." }]));
    await member.post(`/w/${ours.id}/contacts/919876543299/opt-out`);
    const before = audited("message.send").length;
    const send = () =>
      member.post(`/w/${ours.id}/messages`, { to: "+919876543299", template: "greeting" }, { key: "refused-1" });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.text, second.headers.get("idempotent-replayed")]).toEqual([422, first.text, "true"]);
    expect(audited("message.send").length).toBe(before);
  });

  test("a contact's form that is sent twice acts once and leaves one audit entry", async () => {
    const path = `/w/${ours.id}/contacts/919876543288`;
    for (const [method, to, name, body] of [
      ["PUT", path, "contact.change", { name: "Ravi" }],
      ["POST", `${path}/opt-out`, "contact.opt-out", {}],
    ] as const) {
      const before = audited(name).length;
      const send = () => member.ask(method, to, body, { key: `${name}-twice` });
      const [first, second] = [await send(), await send()];
      expect([second.text, second.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
      expect([name, audited(name).length]).toEqual([name, before + 1]);
    }
  });

  test("the console can send for a workspace whose API is off: that setting concerns keys only", async () => {
    const off = await app.workspace({ name: "Off", apiEnabled: false });
    await app.template(off, template("hello", [{ type: "BODY", text: "Hello." }]));
    const body = { to: "+919876543210", template: "hello" };
    expect((await app.clock.until(operator.post(`/w/${off.id}/messages`, body))).status).toBe(201);
  });

  test("the console's routes are not part of the API document", async () => {
    expect((await app.call("GET", "/docs/openapi.json")).text).not.toContain("/console");
  });
});

test("an owner invites people to their own workspace and removes them", async () => {
  const path = `/w/${ours.id}/people`;
  const invited = (await owner.post(path, { email: "new@example.com", role: "member" })).body.data;
  const joined = new Visitor(app);
  await joined.post("/links/use", { token: invited.token, password: "another long one" });
  expect((await joined.get(`/w/${ours.id}/me`)).body.data.role).toBe("member");
  expect((await owner.post(path, { email: "boss@example.com", role: "operator" })).status).toBe(400);
  expect((await owner.ask("DELETE", `${path}/${invited.id}`)).status).toBe(200);
  expect((await joined.get(`/w/${ours.id}/me`)).status).toBe(404);
});

/** Endpoints at run time: their paths, the console's router, and the comparison of answers with their schemas. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { requireDeclaredAnswer } from "#src/http/console/answer-check.ts";
import { apiEndpoints, consoleEndpoints as routes } from "#src/http/endpoints/endpoints.ts";
import { firstOperator, type Visitor } from "#test/support/console.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
let operator: Visitor;

beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
  operator = await firstOperator(app);
});
afterAll(() => app[Symbol.asyncDispose]());

test("the schemas of every endpoint name the placeholders of its path", () => {
  for (const { path, params } of [...routes, ...apiEndpoints]) {
    const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const declared = Object.keys(params ?? {});
    expect([path, ...declared.sort()]).toEqual([path, ...placeholders.filter((name) => name !== "workspace").sort()]);
    // The browser's client puts the values of the path beside these two.
    expect([path, declared.filter((name) => name === "query" || name === "body")]).toEqual([path, []]);
  }
});

describe("the router", () => {
  const contacts = () => `/w/${shop.id}/contacts`;

  test("a value of the path is decoded once, and one that is not valid percent-encoding has no route", async () => {
    expect((await operator.ask("PUT", `${contacts()}/%2B91%2098765%2043210`, { name: "Asha" })).status).toBe(201);
    expect((await operator.get(`${contacts()}/919876543210`)).body.data.phone).toBe("+919876543210");
    expect((await operator.get(`${contacts()}/%252B919876543210`)).status).toBe(404);
    for (const broken of ["%", "%zz", "%C3%28"]) {
      const { status, text } = await operator.get(`${contacts()}/${broken}`);
      expect([broken, status, text]).toEqual([
        broken,
        404,
        '{"error":{"code":"not_found","message":"Not found.","retryable":false}}',
      ]);
    }
  });

  test("an encoded slash belongs to its value and separates nothing", async () => {
    const { status, body } = await operator.get(`/w/${shop.id}/contacts%2Fexport`);
    expect([status, body.error.message]).toEqual([404, "Not found."]);
  });

  test("a literal part of a path wins over a placeholder, and both are found behind a common beginning", async () => {
    const base = `/w/${shop.id}`;
    expect((await operator.get(`${base}/inbox/unread`)).body.data).toEqual({ count: 0, mentions: 0 });
    expect((await operator.get(`${base}/inbox/999`)).body.error.message).toBe("There is no such conversation.");
    expect((await operator.get(`${base}/templates/sync`)).body.data).toEqual([]);
    expect((await operator.get(`${base}/templates/syn`)).body.error.message).toBe("There is no such template.");
    expect((await operator.get(`${base}/contacts/export/consent`)).status).toBe(404);
  });

  test("a path with an empty or an additional part, and a method that no route has, answer 404 in JSON", async () => {
    for (const [method, path] of [
      ["GET", `/w//groups`],
      ["GET", `/w/${shop.id}/groups/`],
      ["GET", `/w/${shop.id}/keys/1/2`],
      ["PUT", `/w/${shop.id}/keys`],
      ["PATCH", "/me"],
      ["OPTIONS", "/me"],
    ] as const) {
      const { status, text } = await operator.ask(method, path);
      expect([method, path, status, text]).toEqual([
        method,
        path,
        404,
        '{"error":{"code":"not_found","message":"Not found.","retryable":false}}',
      ]);
    }
    expect((await app.call("HEAD", "/console/api/me")).status).toBe(404);
  });
});

test("an id that no row can have is not found, and a wrong choice in the query names the choices", async () => {
  for (const id of ["0", "-1", "1.5", "abc", "99999999999999999"]) {
    const { status, body } = await operator.get(`/w/${shop.id}/groups/${id}`);
    expect([id, status, body.error.message]).toEqual([id, 404, "There is no such group."]);
  }
  const { status, body } = await operator.get(`/w/${shop.id}/deliveries?status=lost`);
  expect([status, body.error.fields]).toEqual([400, { status: ["Must be one of pending, delivered, exhausted."] }]);
  expect((await operator.get(`/w/${shop.id}/deliveries?colour=red`)).status).toBe(200);
});

describe("the comparison of answers with their schemas", () => {
  const check = (name: string, body: unknown, status = 200) => {
    const route = routes.find(({ method, path }) => `${method} ${path}` === name);
    if (route === undefined) throw new Error(`there is no route ${name}`);
    return () => requireDeclaredAnswer(route, { status, body: JSON.stringify(body) });
  };
  const GROUPS = "GET /w/{workspace}/groups";
  const meta = { page: 1, per_page: 50, total: 1, has_more: false, next: null };
  const group = { id: 1, name: "Regulars", type: "static", count: 2 };

  test("an answer as declared passes, and so does a refusal", () => {
    expect(check(GROUPS, { data: [group], meta })).not.toThrow();
    expect(check(GROUPS, { error: { code: "not_found", message: "Not found." } }, 404)).not.toThrow();
  });

  test("a member that is missing, additional or of another type is named", () => {
    const { name: _, ...nameless } = group;
    expect(check(GROUPS, { data: [nameless], meta })).toThrow(/data\.0\.name/);
    expect(check(GROUPS, { data: [{ ...group, secret: 1 }], meta })).toThrow(/data\.0\.secret/);
    expect(check(GROUPS, { data: [{ ...group, type: "magic" }], meta })).toThrow(/data\.0\.type/);
    expect(check(GROUPS, { data: [group], meta: { ...meta, colour: "red" } })).toThrow(/meta\.colour/);
    expect(check(GROUPS, { data: [group], meta, extra: 1 })).toThrow(/extra/);
  });

  test("an additional member is found in every nested object and in each form of a union", () => {
    const health = { at: "", error: null, checks: 1, findings: [{ colour: 1 }] };
    expect(check("GET /system/check", { data: { current: null, failed: [], check: health } })).toThrow(/colour/);
    const item = { kind: "inbound", key: "i1", id: 1, type: "text", text: null, at: "", colour: 1 };
    const row = { contact_id: 1, phone: null, name: null, consent: "unknown", unread: 0, wrote_at: "" };
    const conversations = { data: [{ ...row, window_ends_at: null, last: item }], meta };
    expect(check("GET /w/{workspace}/inbox", conversations)).toThrow(/colour/);
  });

  test("a file must have its declared type, and must not be answered as data", () => {
    const route = routes.find(({ path }) => path.endsWith("/contacts/export"));
    if (route === undefined) throw new Error("there is no export");
    const answer = (type: string) => () =>
      requireDeclaredAnswer(route, new Response("", { headers: { "content-type": type } }));
    expect(answer("text/csv; charset=utf-8")).not.toThrow();
    expect(answer("text/html")).toThrow(/text\/html/);
    expect(check("GET /w/{workspace}/contacts/export", { data: 1 })).toThrow(/JSON/);
  });
});

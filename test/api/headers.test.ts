/** The headers that every answer carries, whatever the request. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
});
afterAll(() => app[Symbol.asyncDispose]());

const ADDRESSES = [
  "/healthz",
  "/readyz",
  "/docs",
  "/docs/openapi.json",
  "/docs/page.css",
  "/metrics",
  "/",
  "/nothing",
  "/api/v1/me",
  "/api/v1/nothing",
  "/api/v1/messages/1",
  "/networks/whatsapp",
  "/networks/whatsapp/nothing",
  "/media/1",
];

test("every answer has its own request id and the headers that keep browsers from guessing content types", async () => {
  const seen = new Set<string>();
  for (const path of ADDRESSES) {
    const { headers, status } = await app.call("GET", path, { key: shop.key });
    expect([
      path,
      headers.get("x-content-type-options"),
      headers.get("x-frame-options"),
      headers.get("referrer-policy"),
    ]).toEqual([path, "nosniff", "DENY", "no-referrer"]);
    const id = headers.get("x-request-id") ?? "";
    expect([path, id, seen.has(id)]).toEqual([path, expect.stringMatching(/^[\w-]{3,}$/), false]);
    seen.add(id);
    expect([path, status < 500]).toEqual([path, true]);
  }
});

test("a well-formed request id of the caller is returned, and a malformed one is replaced", async () => {
  for (const path of ["/api/v1/me", "/healthz", "/nothing"]) {
    const kept = await app.call("GET", path, { key: shop.key, headers: { "x-request-id": "order-7.a:b" } });
    expect(kept.headers.get("x-request-id")).toBe("order-7.a:b");
    const other = await app.call("GET", path, { key: shop.key, headers: { "x-request-id": "<script>" } });
    expect(other.headers.get("x-request-id")).not.toContain("script");
  }
});

test("so has the answer to a callback, whatever is wrong with it", async () => {
  for (const [path, headers] of [
    ["/networks/whatsapp", {}],
    ["/networks/whatsapp", { "x-hub-signature-256": "sha256=00" }],
    ["/networks/whatsapp/nothing", {}],
  ] as const) {
    const answer = await app.call("POST", path, { body: {}, headers: { ...headers, "x-request-id": "callback-7" } });
    expect([path, answer.status, answer.headers.get("x-request-id")]).toEqual([path, 403, "callback-7"]);
  }
});

test("no cache between server and caller may store an answer of the API", async () => {
  const { headers } = await app.call("GET", "/api/v1/me", { key: shop.key });
  expect(headers.get("cache-control")).toBe("no-store");
});

/**
 * Endpoints that a key and a session open: both get the same data, and what only the console has stays with it. The key
 * stands for the workspace.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { auditEntries, firstOperator, type Visitor } from "#test/support/console.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { orderShipped } from "#test/support/templates.ts";

const PHONE = "919876543210";

let app: TestServer;
let shop: TestWorkspace;
let operator: Visitor;
beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
  operator = await firstOperator(app);
  await app.template(shop, orderShipped);
  await operator.post(`/w/${shop.id}/groups`, { name: "Regulars", filter: null });
  await byKey("PUT", `/contacts/${PHONE}`, { name: "Asha" });
});
afterAll(() => app[Symbol.asyncDispose]());

const byKey = async (method: string, path: string, body?: unknown) =>
  (await app.call(method, `/api/v1${path}`, { key: shop.key, body })).body;
const bySession = async (path: string) => (await operator.get(`/w/${shop.id}${path}`)).body;

for (const path of [
  "/groups",
  "/broadcasts",
  "/contacts",
  `/contacts/${PHONE}`,
  "/usage",
  "/groups?per_page=1&page=2",
]) {
  test(`a key and a session get the same from ${path}`, async () => {
    expect(await bySession(path)).toEqual(await byKey("GET", path));
  });
}

test("a template's members that only the console has are not shown to a key, and its search is no parameter for one", async () => {
  const [shown] = (await bySession("/templates")).data;
  const [open] = (await byKey("GET", "/templates?q=nothing")).data;
  expect(Object.keys(open)).not.toContain("id");
  expect(shown).toEqual(expect.objectContaining({ ...open, id: expect.any(Number), quality: null }));
  expect((await bySession("/templates?q=nothing")).data).toEqual([]);
});

test("a change with a key has the key as its evidence and no audit entry; with a session, the user and an entry", async () => {
  const entries = () => auditEntries(app).filter(({ action }) => action === "contact.opt-out").length;
  const evidence = async (phone: string) => (await bySession(`/contacts/${phone}/consent`)).data[0];
  await byKey("POST", "/contacts/919876543211/opt-out");
  expect([entries(), await evidence("919876543211")]).toEqual([
    0,
    expect.objectContaining({ source: "api", evidence: { key: expect.any(Number) } }),
  ]);
  await operator.post(`/w/${shop.id}/contacts/919876543212/opt-out`);
  expect([entries(), await evidence("919876543212")]).toEqual([
    1,
    expect.objectContaining({ source: "manual", evidence: { user: expect.any(Number) } }),
  ]);
});

test("an endpoint of one door does not answer at the other", async () => {
  expect((await operator.get(`/w/${shop.id}/events`)).status).toBe(404);
  expect((await app.call("GET", "/api/v1/keys", { key: shop.key })).status).toBe(404);
  expect((await app.call("GET", "/api/v1/w/1/groups", { key: shop.key })).status).toBe(404);
});

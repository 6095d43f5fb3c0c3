/** Opting contacts out by the API, and the list of opted-out contacts. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { suspend } from "#src/domain/workspaces/update.ts";
import { getContactOf, optOutOf, putContactOf } from "#test/support/contacts.ts";
import { consentLogOf, eventsOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";

const [asha, bela, chand] = ["+919876543210", "+919876543211", "+919876543212"] as const;
let app: TestServer;

beforeAll(async () => {
  app = await startTestServer();
});
afterAll(() => app[Symbol.asyncDispose]());

test("opting out an unknown number creates an opted-out contact and one event; a second opt-out changes nothing", async () => {
  const shop = await app.workspace();
  const first = await optOutOf(app, shop, "98765 43210");
  expect(first.status).toBe(200);
  expect(first.body.data).toMatchObject({ phone: asha, name: null, consent: { status: "opted_out", source: "api" } });
  await app.clock.advance(60_000);
  const second = await optOutOf(app, shop, asha);
  expect(second.body).toEqual(first.body);
  expect(eventsOf(app, shop)).toEqual([{ type: "contact.opted_out", data: { contact: first.body.data } }]);
  const logged = consentLogOf(app).filter(({ workspaceId }) => workspaceId === shop.id);
  expect(logged.map(({ was, became, source }) => [was, became, source])).toEqual([["unknown", "opted_out", "api"]]);
  expect(Object.keys(logged[0]?.evidence ?? {})).toEqual(["key"]);
});

test("a suspended workspace can opt contacts out and maintain its contacts", async () => {
  const shop = await app.workspace();
  await app.store.write((tx) => void suspend(tx, shop.id, "Unpaid."));
  expect((await optOutOf(app, shop, asha)).status).toBe(200);
  expect((await putContactOf(app, shop, bela, { consent: "opted_out" })).status).toBe(201);
  expect((await getContactOf(app, shop, asha)).body.data.consent.status).toBe("opted_out");
});

test("the body of an opt-out is ignored", async () => {
  const shop = await app.workspace();
  const answer = await app.call("POST", `/api/v1/contacts/919876543210/opt-out`, { key: shop.key, body: "{nonsense" });
  expect([answer.status, answer.body.data.consent.status]).toEqual([200, "opted_out"]);
});

test("the opt-out list has every contact who is opted out now, in the order of recording, with three fields each", async () => {
  const shop = await app.workspace();
  await optOutOf(app, shop, chand);
  await app.clock.advance(2_000);
  // The person wrote STOP an hour ago; the list goes by the time at which the server received it.
  await app.inbound(shop, asha, "STOP", app.clock.now() - 3_600_000);
  await app.clock.advance(2_000);
  await putContactOf(app, shop, bela, { consent: "opted_out" });
  const list = async () => (await app.call("GET", "/api/v1/opt-outs", { key: shop.key })).body;
  const { data, meta } = await list();
  const at = async (phone: string) => (await getContactOf(app, shop, phone)).body.data.consent.at;
  expect(data).toEqual([
    { phone: chand, opted_out_at: await at(chand), source: "api" },
    { phone: asha, opted_out_at: await at(asha), source: "inbound_message" },
    { phone: bela, opted_out_at: await at(bela), source: "api" },
  ]);
  expect(meta).toEqual({ page: 1, per_page: 50, total: 3, has_more: false, next: null });
  await app.clock.advance(2_000);
  await app.inbound(shop, asha, "START");
  expect((await list()).data.map(({ phone }: { phone: string }) => phone)).toEqual([chand, bela]);
  expect((await list()).meta.total).toBe(2);
});

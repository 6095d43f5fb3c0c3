/** `contact.updated`: only to addresses that asked for it, at once, then at most once a minute with the final state. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTypes, setWebhook } from "#src/domain/webhooks/address.ts";
import { importContacts } from "#src/transfer/import-contacts.ts";
import { jumpingClock } from "#test/support/database.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";
import { boxOf, type Hook, MINUTE, SECOND, startHook } from "#test/support/webhooks.ts";

let app: TestServer;
beforeAll(async () => {
  app = await startTestServer();
});
afterAll(() => app[Symbol.asyncDispose]());

async function open(types: string | undefined): Promise<{ shop: TestWorkspace; hook: Hook }> {
  const shop = await app.workspace({});
  await app.template(shop, orderShipped);
  const hook = startHook(app.clock);
  const asked = types === undefined ? {} : { types: readTypes(types) };
  await app.store.write((tx) => setWebhook(tx, boxOf(app), shop.id, hook.url, asked));
  return { shop, hook };
}

const put = (shop: TestWorkspace, body: object) =>
  app.send("PUT", "/api/v1/contacts/919876543210", { key: shop.key, body });

const citiesIn = (hook: Hook) => hook.hits.map(({ event }) => event.data.contact.city);

test("the first change is told at once, those of the next minute together, with the state at its end", async () => {
  const { shop, hook } = await open("contact.updated");
  await using _ = hook;
  await put(shop, { name: "Asha", city: "Pune" });
  await app.clock.advance(SECOND);
  expect(citiesIn(hook)).toEqual(["Pune"]);
  await put(shop, { city: "Delhi" });
  await put(shop, { city: "Mumbai" });
  await app.clock.advance(30 * SECOND);
  expect(citiesIn(hook)).toEqual(["Pune"]);
  await app.inbound(shop, "+919876543210", "Hello");
  await app.clock.advance(40 * SECOND);
  expect(citiesIn(hook)).toEqual(["Pune", "Mumbai"]);
  const [, second] = hook.hits;
  expect(second?.event.type).toBe("contact.updated");
  expect(second?.event.data.contact.last_message_from_them_at).not.toBeNull();
  // A put that changes nothing is no change; nor is silence.
  await app.clock.advance(MINUTE);
  await put(shop, { city: "Mumbai" });
  await app.clock.advance(5 * MINUTE);
  expect(citiesIn(hook)).toEqual(["Pune", "Mumbai"]);
});

test("an import tells nothing, and a change before it is told with what the import made of the contact", async () => {
  const { shop, hook } = await open("contact.updated");
  await using _ = hook;
  await put(shop, { city: "Pune" });
  await app.clock.advance(SECOND);
  await put(shop, { company: "Rao & Sons" });
  const directory = mkdtempSync(join(tmpdir(), "waxwing-updated-"));
  const path = join(directory, "people.csv");
  writeFileSync(path, "phone,city\n+919876543210,Delhi\n+919876543211,Goa\n");
  await importContacts({
    ...{ store: app.store, clock: jumpingClock(), workspaceId: shop.id, path, map: new Map() },
    ...{ optIn: true, isDryRun: false, isServerRunning: () => false },
    ...{ onProgress: () => undefined, onFound: () => undefined, onFailure: () => undefined },
  });
  rmSync(directory, { recursive: true, force: true });
  await app.clock.advance(2 * MINUTE);
  expect(hook.hits.map(({ event }) => [event.data.contact.city, event.data.contact.company])).toEqual([
    ["Pune", null],
    ["Delhi", "Rao & Sons"],
  ]);
});

test("without being asked for it, an address gets every type but contact.updated; with a list, these alone", async () => {
  const { shop, hook } = await open(undefined);
  const { shop: asking, hook: asked } = await open("contact.updated,message.read");
  await using _ = hook;
  await using __ = asked;
  for (const one of [shop, asking]) {
    await put(one, { city: "Pune" });
    await app.send("POST", "/api/v1/messages", { key: one.key, body: shipped() });
    await app.clock.advance(10 * SECOND);
  }
  const typesIn = ({ hits }: Hook) => hits.map(({ event }) => event.type).sort();
  expect(typesIn(hook)).toEqual(["message.delivered", "message.read", "message.sent"]);
  expect(typesIn(asked)).toEqual(["contact.updated", "message.read"]);
  const log = await app.send("GET", "/api/v1/events?types=contact.updated", { key: shop.key });
  expect(log.body.data).toEqual([]);
  expect(() => readTypes("message.sent,contact.change")).toThrow("there is no such type");
});

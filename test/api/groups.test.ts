/** Static and dynamic groups as the API shows them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { putContactOf, walk } from "#test/support/contacts.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";

let app: TestServer;

beforeAll(async () => {
  app = await startTestServer();
});
afterAll(() => app[Symbol.asyncDispose]());

test("groups are listed by name regardless of case, with their type and number of members", async () => {
  const shop = await app.workspace();
  await app.store.write(
    (tx) => void saveGroup(tx, shop.id, { name: "in Pune", filter: { field: "city", is: "Pune" } }),
  );
  await putContactOf(app, shop, "9876543210", { city: "Pune", add_to_groups: ["Zoo", "Álamo"] });
  await putContactOf(app, shop, "9876543211", { city: "Pune", add_to_groups: ["zoo"] });
  await putContactOf(app, shop, "9876543212", { city: "Goa", add_to_groups: ["Art"] });
  await putContactOf(app, shop, "9876543212", { remove_from_groups: ["ART"] });
  const { body } = await app.call("GET", "/api/v1/groups", { key: shop.key });
  expect(body.data.map(({ id: _, ...rest }: { id: number }) => rest)).toEqual([
    { name: "Art", type: "static", count: 0 },
    { name: "in Pune", type: "dynamic", count: 2 },
    { name: "Zoo", type: "static", count: 2 },
    { name: "Álamo", type: "static", count: 1 },
  ]);
  expect(body.data.every(({ id }: { id: unknown }) => Number.isInteger(id))).toBe(true);
});

test("the member count of a dynamic group is refreshed after a minute", async () => {
  const shop = await app.workspace();
  await app.store.write((tx) => void saveGroup(tx, shop.id, { name: "Pune", filter: { field: "city", is: "Pune" } }));
  const count = async () => (await app.call("GET", "/api/v1/groups", { key: shop.key })).body.data[0].count;
  expect(await count()).toBe(0);
  await putContactOf(app, shop, "9876543210", { city: "Pune" });
  await app.clock.advance(61_000);
  expect(await count()).toBe(1);
});

test("the cursor walks more than one page of groups and returns each group once", async () => {
  const shop = await app.workspace();
  const names = Array.from({ length: 120 }, (_, index) => `Group ${String(index).padStart(3, "0")}`);
  for (const part of [names.slice(60), names.slice(0, 60)]) {
    await putContactOf(app, shop, "9876543210", { add_to_groups: part.toReversed() });
  }
  const { rows, pages } = await walk<{ name: string }>(app, shop, "/api/v1/groups");
  expect([rows.map(({ name }) => name), pages]).toEqual([names, 3]);
});

/**
 * How many items a list in a request may have: a body is small, but each of its items may cost a look-up, or a row that
 * is created. A list without a limit fails the first test.
 */
import { expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { apiEndpoints as endpoints, consoleEndpoints as routes } from "#src/http/endpoints/endpoints.ts";
import { contactPath } from "#test/support/contacts.ts";
import { changesBetween, snapshot } from "#test/support/scenarios.ts";
import { startTestServer } from "#test/support/server.ts";

/** The places of a schema where a list or an object with free names has no limit. */
function unlimited(schema: TSchema, place: string): string[] {
  const inside = [
    ...Object.entries((schema.properties ?? {}) as Record<string, TSchema>).map(([name, one]) => [name, one] as const),
    ...((schema.anyOf ?? []) as TSchema[]).map((one, index) => [`${index}`, one] as const),
    ...(schema.items === undefined ? [] : [["items", schema.items as TSchema] as const]),
  ].flatMap(([name, one]) => unlimited(one, `${place}.${name}`));
  const isOpen =
    (schema.type === "array" && schema.maxItems === undefined) ||
    (schema.patternProperties !== undefined && schema.maxProperties === undefined);
  return isOpen ? [place, ...inside] : inside;
}

test("every list and every object with free names in a request has a limit", () => {
  const bodies = [
    ...endpoints.map(({ method, path, body }) => [`${method} ${path}`, body] as const),
    ...routes.map(({ method, path, body }) => [`${method} ${path}`, body] as const),
  ];
  const found = bodies.flatMap(([name, schema]) => (schema === undefined ? [] : unlimited(schema, name)));
  expect(bodies.filter(([, schema]) => schema !== undefined).length).toBeGreaterThan(30);
  expect(found).toEqual([]);
});

test("a contact gets at most a hundred tags, groups and fields at once; one more is refused and creates nothing", async () => {
  await using app = await startTestServer();
  const { key } = await app.workspace();
  const path = contactPath("+919876543210");
  const list = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`);
  const put = (body: unknown) => app.call("PUT", path, { key, body });
  expect((await put({ name: "Asha" })).status).toBe(201);
  const before = snapshot(app.store);
  for (const field of ["add_tags", "remove_tags", "add_to_groups", "remove_from_groups"]) {
    const { status, body } = await put({ [field]: list(101) });
    expect([status, body.error.fields]).toEqual([400, { [field]: ["This may have at most 100 items; it has 101."] }]);
  }
  const fields = Object.fromEntries(list(201).map((name) => [name, "x"]));
  expect((await put({ fields })).body.error.fields).toEqual({
    fields: ["This may have at most 200 fields; it has 201."],
  });
  expect(changesBetween(before, snapshot(app.store))).toEqual({});
  expect((await put({ add_tags: list(100), add_to_groups: list(100) })).status).toBe(200);
});

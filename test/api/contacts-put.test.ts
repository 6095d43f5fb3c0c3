/** What a PUT changes, what it leaves alone, and when it counts as a change at all. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { addField } from "#src/domain/contacts/custom-fields.ts";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { getContactOf, optOutOf, putContactOf } from "#test/support/contacts.ts";
import { eventTypesOf } from "#test/support/rows.ts";
import { changesBetween, snapshot } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const asha = "+919876543210";
const people = [
  { name: "Dr Meera Rao", first_name: "Meera", birthday: "--02-29", ref: "m" },
  { name: "Old Kumar", first_name: "Kumar", birthday: "1950-01-01", ref: null },
];
const full = {
  name: "Asha Rao",
  first_name: "Asha",
  last_name: "Rao",
  email: "asha@mail.example",
  city: "Pune",
  state: "MH",
  postal_code: "411001",
  company: "Rao & Co",
  birthday: "1990-02-28",
  anniversary: "--12-01",
  fields: { nick: "Ash", points: 0, member: false },
  people,
};

let app: TestServer;
let shop: TestWorkspace;

beforeAll(async () => {
  app = await startTestServer();
});
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(async () => {
  shop = await freshShop();
});

async function freshShop(): Promise<TestWorkspace> {
  const made = await app.workspace();
  await app.store.write((tx) => {
    for (const [key, kind] of Object.entries({ nick: "text", points: "number", member: "boolean" } as const)) {
      addField(tx, made.id, { key, label: key, kind, choices: [] });
    }
  });
  return made;
}

const put = (body: unknown, phone = asha) => putContactOf(app, shop, phone, body);

/** Changes the contact one second later. Returns the contact and whether `updated_at` moved. */
async function change(body: unknown): Promise<{ data: Record<string, unknown>; moved: boolean }> {
  const before = (await getContactOf(app, shop, asha)).body.data.updated_at;
  await app.clock.advance(1_000);
  const answer = await put(body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return { data: answer.body.data, moved: answer.body.data.updated_at !== before };
}

test("the first PUT of a contact creates it with 201; every later one answers 200, under any number variant", async () => {
  expect((await put({ name: "Asha" })).status).toBe(201);
  for (const phone of ["98765 43210", "919876543210", "0091 98765-43210", asha]) {
    const { status, body } = await put({ name: "Asha" }, phone);
    expect([status, body.data.phone]).toEqual([200, asha]);
  }
});

test("a contact that is sent back as GET returned it changes nothing, not even updated_at", async () => {
  await put({ ...full, add_tags: ["vip", "a,b"], add_to_groups: ["Regulars"], consent: "opted_in" });
  const { data } = (await getContactOf(app, shop, asha)).body;
  expect(data).toMatchObject(full);
  await app.clock.advance(60_000);
  const before = snapshot(app.store);
  const { tags, groups, consent, phone, created_at, updated_at, user_id, username, ...rest } = data;
  const { last_message_from_them_at, window_ends_at, threads, ...own } = rest;
  const again = await put({
    ...own,
    add_tags: tags,
    add_to_groups: groups.flatMap(({ id, name }: { id: number; name: string }) => [id, name]),
    consent: consent.status,
  });
  expect(again.body.data).toEqual(data);
  expect(changesBetween(before, snapshot(app.store))).toEqual({});
});

test("an empty PUT, and a PUT that removes what a contact lacks, change nothing", async () => {
  await put(full);
  for (const body of [
    {},
    { remove_tags: ["x"] },
    { remove_from_groups: ["x"] },
    { fields: {} },
    { fields: { nick: "Ash" } },
  ]) {
    expect(await change(body)).toMatchObject({ data: full, moved: false });
  }
});

test("a PUT changes only the fields that it contains, and every change moves updated_at", async () => {
  await put(full);
  let expected: Record<string, unknown> = full;
  const steps: [body: Record<string, unknown>, shows?: Record<string, unknown>][] = [
    ...Object.keys(full)
      .slice(0, 8)
      .map((name): [Record<string, unknown>] => [{ [name]: name === "email" ? "b@c.example" : "Other" }]),
    [{ birthday: "--03-04" }],
    [{ anniversary: null }],
    [{ company: null }],
    [{ email: null }],
    [{ fields: { points: 7 } }, { fields: { nick: "Ash", points: 7, member: false } }],
    [{ fields: { nick: null } }, { fields: { points: 7, member: false } }],
    [{ people: people.slice(1) }],
    [{ people: [] }],
    [{ add_tags: ["a", "b"] }, { tags: ["a", "b"] }],
    [{ add_tags: ["a, b", "a,b"], remove_tags: ["A", "B", "a, b"] }, { tags: ["a,b"] }],
    [{ add_to_groups: ["Regulars"] }, {}],
    [{ remove_from_groups: ["REGULARS"] }, { groups: [] }],
  ];
  for (const [body, shows = body] of steps) {
    expected = { ...expected, ...shows };
    expect(await change(body)).toMatchObject({ data: expected, moved: true });
  }
});

test("replacing the tags a and b by the one tag 'a,b' is a change", async () => {
  await put({ add_tags: ["a", "b"] });
  expect(await change({ add_tags: ["a,b"], remove_tags: ["a", "b"] })).toMatchObject({
    data: { tags: ["a,b"] },
    moved: true,
  });
});

test.each(["\u3164", "\u200b", "\u2800", "\u200e\u200e", "\ufe0f", "\u00ad"])(
  "names without a visible character (%j) are stored as none, and a person on a number cannot have one",
  async (blank) => {
    const names = { name: blank, first_name: blank, last_name: blank, city: blank };
    const none = { name: null, first_name: null, last_name: null, city: null };
    expect((await put(names)).body.data).toMatchObject(none);
    expect((await put({ people: [{ name: blank }] })).body).toMatchObject({
      error: { fields: { "people.0.name": ["A person needs a name."] } },
    });
  },
);

describe("the people on a number", () => {
  const idsByName = () =>
    new Map((snapshot(app.store).contact_people ?? []).map((row) => [JSON.parse(row).name, JSON.parse(row).id]));

  test("keep their identity by ref, whatever their position in the list and whatever their new name", async () => {
    const named = (name: string, ref: string | null) => ({ name, ref });
    await put({ people: [named("A1", "a"), named("B1", "b"), named("C1", "c"), named("X", null)] });
    const before = idsByName();
    const { data } = await change({ people: [named("C2", "c"), named("New", "n"), named("A2", "a")] });
    const after = idsByName();
    expect([after.get("C2"), after.get("A2")]).toEqual([before.get("C1"), before.get("A1")]);
    expect([...before.values()]).not.toContain(after.get("New"));
    for (const gone of ["B1", "X", "A1", "C1"]) expect(after.has(gone)).toBe(false);
    expect((data.people as { name: string }[]).map(({ name }) => name)).toEqual(["C2", "New", "A2"]);
  });

  test("count as changed when only their order changes", async () => {
    await put({ people });
    expect(await change({ people: [...people].reverse() })).toMatchObject({
      data: { people: [...people].reverse() },
      moved: true,
    });
  });
});

describe("tags and groups of a contact", () => {
  test("are found by name regardless of case, and keep the name that they were created with", async () => {
    await put({ add_tags: ["VIP", "Ärger"], add_to_groups: ["Stammgäste"] });
    const { data, moved } = await change({ add_tags: ["vip", "A\u0308RGER"], add_to_groups: ["STAMMGA\u0308STE"] });
    expect([data.tags, moved]).toEqual([["VIP", "Ärger"], false]);
    expect(data.groups).toMatchObject([{ name: "Stammgäste" }]);
  });

  test("are an id when written as an integer, and a name when written as digits in a string", async () => {
    const id = await app.store.write((tx) => saveGroup(tx, shop.id, { name: "Regulars", filter: null }).id);
    const { body } = await put({ add_to_groups: [id, String(id)] });
    expect(body.data.groups.map(({ name }: { name: string }) => name).sort()).toEqual([String(id), "Regulars"]);
  });
});

describe("a contact who opted out", () => {
  test("cannot be opted in by PUT: the answer says since when, and nothing else in that PUT is applied", async () => {
    await put({ ...full, consent: "opted_out" });
    const since = (await getContactOf(app, shop, asha)).body.data.consent.at;
    await app.clock.advance(60_000);
    const before = snapshot(app.store);
    for (const phone of [asha, "9876543210", "00919876543210"]) {
      const body = {
        consent: "opted_in",
        name: "X",
        people: [],
        add_tags: ["new"],
        add_to_groups: ["New"],
        fields: { points: 9 },
      };
      const answer = await put(body, phone);
      expect([answer.status, answer.body.error.code, answer.body.error.since]).toEqual([422, "opted_out", since]);
    }
    expect(changesBetween(before, snapshot(app.store))).toEqual({});
  });

  test("can still be changed, and a second opt-out keeps the date of the first", async () => {
    await optOutOf(app, shop, asha);
    const first = (await getContactOf(app, shop, asha)).body.data.consent;
    expect(await change({ consent: "opted_out" })).toMatchObject({ data: { consent: first }, moved: false });
    expect(await change({ city: "Goa" })).toMatchObject({ data: { city: "Goa", consent: first }, moved: true });
    expect(eventTypesOf(app, shop)).toEqual(["contact.opted_out"]);
  });
});

test("an invalid phone number is 422 for PUT and opt-out and 404 for GET, and creates no contact", async () => {
  const before = snapshot(app.store);
  for (const bad of ["nobody", "12", "+", "+91 98", "+999999999999999999"]) {
    expect([(await put({ name: "A" }, bad)).status, (await optOutOf(app, shop, bad)).status]).toEqual([422, 422]);
    expect((await put({}, bad)).body.error.code).toBe("invalid_number");
    expect((await getContactOf(app, shop, bad)).status).toBe(404);
  }
  expect((await getContactOf(app, shop, asha)).body.error.code).toBe("not_found");
  expect(changesBetween(before, snapshot(app.store))).toEqual({});
});

test("another workspace's contact, tags and groups are neither visible nor changed", async () => {
  await put({ ...full, add_tags: ["vip"], add_to_groups: ["Regulars"] });
  const theirs = (await getContactOf(app, shop, asha)).body;
  const other = await freshShop();
  expect((await getContactOf(app, other, asha)).status).toBe(404);
  const foreign = { add_to_groups: [theirs.data.groups[0].id] };
  expect((await putContactOf(app, other, asha, foreign)).status).toBe(400);
  const mine = await putContactOf(app, other, asha, {
    add_tags: ["VIP"],
    add_to_groups: ["regulars"],
    remove_tags: ["x"],
  });
  expect([mine.status, mine.body.data.tags, mine.body.data.name]).toEqual([201, ["VIP"], null]);
  expect(mine.body.data.groups[0].id).not.toBe(theirs.data.groups[0].id);
  await optOutOf(app, other, asha);
  expect((await getContactOf(app, shop, asha)).body).toEqual(theirs);
  for (const list of ["contacts", "groups", "opt-outs"]) {
    expect((await app.call("GET", `/api/v1/${list}`, { key: other.key })).body.meta.total).toBe(1);
  }
  expect((await app.call("GET", "/api/v1/opt-outs", { key: shop.key })).body.data).toEqual([]);
});

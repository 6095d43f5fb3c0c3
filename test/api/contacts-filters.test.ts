/** `GET /contacts` with filters: whom each finds, together with every other parameter, page by page and while people change. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { putContactOf } from "#test/support/contacts.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
const city = (index: number) => (index % 2 === 0 ? "Pune" : "Delhi");
const PEOPLE = Array.from({ length: 24 }, (_, index) => ({
  phone:
    [`+9198123400${index + 10}`, `+4917123456${index + 10}`, `+1212555${index + 1010}`, `+1416555${index + 1010}`][
      index % 4
    ] ?? "",
  name: `${index % 3 === 0 ? "Asha" : "Ravi"} Number${index}`,
  city: city(index),
  add_tags: index % 5 === 0 ? ["VIP", "all"] : ["all"],
  add_to_groups: index % 6 === 0 ? ["Regulars"] : [],
  ...(index % 4 === 1 ? { consent: "opted_out" } : index % 4 === 2 ? { consent: "opted_in" } : {}),
}));

beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
  for (const { phone, ...body } of PEOPLE) {
    expect((await putContactOf(app, shop, phone, body)).status).toBe(201);
    await app.clock.advance(1_000);
  }
  await app.store.write((tx) => {
    const filter = { field: "city", is: "Pune" };
    saveGroup(tx, shop.id, { name: "In Pune", filter });
  });
});
afterAll(() => app[Symbol.asyncDispose]());

async function list(query: Record<string, string | number>) {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return app.call("GET", `/api/v1/contacts?${text}`, { key: shop.key });
}

type Person = (typeof PEOPLE)[number];
const cases: [query: Record<string, string>, isFound: (person: Person, index: number) => boolean][] = [
  [{ tag: "vip" }, (_, index) => index % 5 === 0],
  [{ tag: "all" }, () => true],
  [{ tag: "nowhere" }, () => false],
  [{ group: "regulars" }, (_, index) => index % 6 === 0],
  [{ group: "In Pune" }, (_, index) => index % 2 === 0],
  [{ consent: "opted_in" }, (_, index) => index % 4 === 2],
  [{ consent: "unknown" }, (_, index) => index % 4 === 0 || index % 4 === 3],
  [{ country: "IN" }, ({ phone }) => phone.startsWith("+91")],
  [{ country: "de" }, ({ phone }) => phone.startsWith("+49")],
  [{ country: "US" }, ({ phone }) => phone.startsWith("+1212")],
  [{ country: "CA" }, ({ phone }) => phone.startsWith("+1416")],
  [{ country: "FR" }, () => false],
  [{ q: "asha" }, (_, index) => index % 3 === 0],
  [{ q: "number1" }, ({ name }) => name.includes("Number1")],
  [{ q: "asha number1" }, ({ name }) => name.startsWith("Asha Number1")],
  [{ q: "ravi 416555" }, ({ name, phone }) => name.startsWith("Ravi") && phone.includes("416555")],
  [{ q: "+49 171 2345" }, ({ phone }) => phone.startsWith("+49")],
  [
    { tag: "vip", country: "IN", consent: "unknown", q: "a" },
    ({ phone }, index) => index % 5 === 0 && phone.startsWith("+91"),
  ],
  [{ group: "Regulars", q: "asha" }, (_, index) => index % 6 === 0],
  [{ filter: '{"field":"city","is":"Pune"}' }, (_, index) => index % 2 === 0],
  [
    { filter: '{"all":[{"field":"country","in":["IN","ca"]},{"field":"tag","is_not":"vip"}]}', q: "number1" },
    ({ phone, name }, index) => /^\+(91|1416)/.test(phone) && index % 5 !== 0 && name.includes("Number1"),
  ],
];

test.each(cases)("%j finds exactly those people, newest first, on one page or on many", async (query, isFound) => {
  const expected = PEOPLE.filter(isFound)
    .map(({ phone }) => phone)
    .reverse();
  const whole = await list(query);
  expect(whole.status).toBe(200);
  expect(whole.body.data.map(({ phone }: { phone: string }) => phone)).toEqual(expected);
  expect(whole.body.meta).toMatchObject({ total: expected.length, has_more: false, next: null });
  const byCursor: string[] = [];
  let after: string | null = "";
  while (after !== null) {
    const { body }: Awaited<ReturnType<typeof list>> = await list({
      ...query,
      per_page: 3,
      ...(after === "" ? {} : { after }),
    });
    expect(body.meta.total).toBe(expected.length);
    byCursor.push(...body.data.map(({ phone }: { phone: string }) => phone));
    after = body.meta.next;
  }
  expect(byCursor).toEqual(expected);
  const second = await list({ ...query, per_page: 3, page: 2 });
  expect(second.body.data.map(({ phone }: { phone: string }) => phone)).toEqual(expected.slice(3, 6));
});

test("a list in another order is read by cursor, every person once, and combines with every filter", async () => {
  const sorted = [...PEOPLE].sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const [sort, expected] of [
    ["name", sorted],
    ["-name", [...sorted].reverse()],
    ["created_at", PEOPLE],
    ["updated_at", PEOPLE],
    ["-updated_at", [...PEOPLE].reverse()],
    ["phone", [...PEOPLE].sort((one, other) => (one.phone < other.phone ? -1 : 1))],
  ] as const) {
    for (const filter of [{}, { country: "DE" }, { q: "ravi" }]) {
      const found: string[] = [];
      let after: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof list>> = await list({
          ...{ sort, per_page: 5, ...filter },
          ...(after === null ? {} : { after }),
        });
        expect([page.status, page.body.meta.per_page]).toEqual([200, 5]);
        found.push(...page.body.data.map(({ phone }: { phone: string }) => phone));
        after = page.body.meta.next;
      } while (after !== null);
      const matches = expected.filter(
        ({ phone, name }) =>
          (!("country" in filter) || phone.startsWith("+49")) && (!("q" in filter) || name.startsWith("Ravi")),
      );
      expect(found).toEqual(matches.map(({ phone }) => phone));
    }
  }
});

test("with updated_since, only those who changed since then are found and counted", async () => {
  const { body } = await list({ tag: "all", per_page: 500 });
  const since = body.data[4].updated_at;
  const later = await list({ tag: "all", updated_since: since });
  expect([later.body.data.length, later.body.meta.total]).toEqual([5, 5]);
  const page = await list({ tag: "all", updated_since: since, per_page: 2 });
  expect([page.body.data.length, page.body.meta.total]).toEqual([2, 5]);
});

test("a group is named by its id, too, and a person who joins it while a program pages is not missed", async () => {
  const groups = (await app.call("GET", "/api/v1/groups", { key: shop.key })).body.data as {
    id: number;
    name: string;
  }[];
  const id = groups.find(({ name }) => name === "Regulars")?.id ?? 0;
  const first = await list({ group: id, per_page: 2 });
  expect(first.body.data).toHaveLength(2);
  await app.clock.advance(1_000);
  const late = PEOPLE[1]?.phone ?? "";
  await putContactOf(app, shop, late, { add_to_groups: ["Regulars"] });
  const rest: string[] = [];
  let after = first.body.meta.next;
  while (after !== null) {
    const { body }: Awaited<ReturnType<typeof list>> = await list({ group: id, per_page: 2, after });
    rest.push(...body.data.map(({ phone }: { phone: string }) => phone));
    after = body.meta.next;
    await app.clock.advance(100);
  }
  expect(rest).toContain(late);
  expect(new Set([...first.body.data.map(({ phone }: { phone: string }) => phone), ...rest]).size).toBe(5);
});

test.each([
  [{ consent: "maybe" }, "consent"],
  [{ country: "Germany" }, "country"],
  [{ country: "ZZ" }, "country"],
  [{ group: "999999" }, "group"],
  [{ group: "Nobody's" }, "group"],
  [{ q: "a b c d e f g h i" }, "q"],
])("%j is refused and names %s", async (query, name) => {
  const { status, body } = await list(query);
  expect([status, Object.keys(body.error.fields)]).toEqual([400, [name]]);
});

test("what is wrong with a filter or an order is named at its parameter", async () => {
  const faults: [Record<string, string | number>, string, string][] = [
    [{ filter: "{" }, "filter", "The filter is written as JSON"],
    [{ filter: '{"all":[{"field":"shoe","is":"x"}]}' }, "filter.all.0.field", "A contact has no field shoe"],
    [{ filter: '{"field":"country","is":"XX"}' }, "filter.is", "A country is a code of two letters"],
    [{ sort: "shoe" }, "sort", "The list cannot be sorted by shoe"],
    [{ sort: "fields.shoe" }, "sort", "The list cannot be sorted by fields.shoe"],
    [{ sort: "" }, "sort", "The list cannot be sorted by"],
    [{ sort: "name", page: 2 }, "page", "A sorted list is read with after"],
  ];
  for (const [query, field, sentence] of faults) {
    const { status, body } = await list(query);
    expect([query, status, Object.keys(body.error.fields)]).toEqual([query, 400, [field]]);
    expect(JSON.stringify(body.error.fields[field])).toContain(sentence);
  }
  const { next } = (await list({ sort: "name", per_page: 2 })).body.meta;
  for (const query of [{ sort: "-name", after: next }, { sort: "city", after: next }, { after: next }]) {
    expect((await list(query)).body.error.fields).toHaveProperty("after");
  }
});

test("more people than can be sorted are refused for a column without an index, and are sorted once they are filtered", async () => {
  const own = await app.workspace({ name: "Crowd", number: "+911244001299" });
  app.store.client
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)
       INSERT INTO contacts (workspace_id, phone, company, city, consent, created_at, updated_at)
       SELECT ?, '+9198' || (10000000 + i), 'Firm ' || (i * 7919 % 20001), iif(i % 100 = 0, 'Pune', 'Delhi'), 'unknown', i, i FROM n`,
    )
    .run(own.id);
  const ask = (query: string) => app.call("GET", `/api/v1/contacts?${query}`, { key: own.key });
  const refused = await ask("sort=company");
  expect([refused.status, refused.body.error.fields.sort]).toEqual([
    400,
    ["At most 20,000 contacts can be sorted by company, and 20,001 match. Filter the list first."],
  ]);
  const { status, body } = await ask(`sort=company&filter=${encodeURIComponent('{"field":"city","is":"Pune"}')}`);
  expect([status, body.meta.total]).toEqual([200, 200]);
  const firms = body.data.map(({ company }: { company: string }) => company);
  expect(firms).toEqual([...firms].sort());
  expect((await ask("sort=-city")).body.data[0].city).toBe("Pune");
});

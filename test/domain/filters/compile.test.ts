/** A filter's SQL finds what a second, naive evaluation of the filter finds, and finds it by indexes. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compileCount, compileIds } from "#src/domain/filters/compile.ts";
import { readFilter } from "#src/domain/filters/filter.ts";
import { meets, type OracleContact } from "#test/support/filter-oracle.ts";
import { inForm } from "#test/support/long-form.ts";
import { FIELDS, LISTS, openPeople, TAGS } from "#test/support/people.ts";

const NOW = Date.parse("2026-11-21T08:00:00Z");
const DAY = 86_400_000;
const nobody: OracleContact = {
  phone: null,
  texts: {},
  birthday: null,
  anniversary: null,
  consent: "unknown",
  created_at: NOW,
  updated_at: NOW,
  last_message_at: null,
  tags: [],
  groups: [],
  fields: {},
  people: [],
};

function find(json: unknown, people: OracleContact[], context = { timezone: "UTC", now: NOW }): number[] {
  const { client, ids } = openPeople(people);
  const filter = readFilter(json, FIELDS, "IN");
  const inWorkspace = { workspaceId: 1, ...context };
  const found: number[] = [];
  for (let after = 0; ; ) {
    const { sql, parameters } = compileIds(filter, inWorkspace, after, 2);
    const rows = client.prepare(sql).all(...parameters) as { id: number }[];
    found.push(...rows.map(({ id }) => id));
    after = rows.at(-1)?.id ?? 0;
    if (rows.length < 2) break;
  }
  const count = compileCount(filter, inWorkspace);
  expect(client.prepare(count.sql).get(...count.parameters)).toEqual({ total: found.length });
  client.close();
  return found.map((id) => ids.indexOf(id));
}

describe("a random filter finds exactly the contacts who match it", () => {
  const texts = ["Pune", "pune", "PUNE", "Pu%", "50_a\\b", "Übersee", "ÜBERSEE", "übersee", "São Paulo", "a"];
  const years = ["1990-02-28", "1988-02-29", "--02-29", "--12-31", "--01-01", "2001-11-21", "--11-22", "1975-03-01"];
  const days = ["2026-11-20", "2026-11-21", "2026-11-28", "2027-01-03", "1999-12-31"];
  const phones = Array.from({ length: 60 }, (_, index) => `+9198765432${String(index).padStart(2, "0")}`);
  const text = fc.constantFrom(...texts);
  const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
  const moment = fc
    .integer({ min: -40, max: 0 })
    .chain((day) => fc.integer({ min: -DAY, max: 0 }).map((ms) => NOW + day * DAY + ms));
  const columns = ["name", "first_name", "last_name", "email", "city", "state", "postal_code", "company"];

  const contact = fc.record({
    texts: fc.dictionary(fc.constantFrom(...columns), text, { noNullPrototype: true }),
    birthday: maybe(fc.constantFrom(...years)),
    anniversary: maybe(fc.constantFrom(...years)),
    consent: fc.constantFrom("unknown", "opted_in", "opted_out"),
    created_at: moment,
    updated_at: moment,
    last_message_at: maybe(moment),
    tags: fc.subarray(TAGS),
    groups: fc.subarray(LISTS),
    fields: fc.record(
      {
        plan: text,
        points: fc.integer({ min: -3, max: 3 }),
        renews: fc.constantFrom(...days),
        member: fc.boolean(),
        tier: fc.constantFrom("gold", "Gold", "silver"),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    people: fc.array(maybe(fc.constantFrom(...years)), { maxLength: 2 }),
    hasPhone: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
  });
  const people = fc
    .array(contact, { minLength: 1, maxLength: 40 })
    .map((all) =>
      all.map(({ hasPhone, ...rest }, index) => ({ ...rest, phone: hasPhone ? (phones[index] ?? null) : null })),
    );

  const equality = <Value>(field: string, value: fc.Arbitrary<Value>, plain = ["is", "is_not"]) => [
    ...plain.map((operator) => value.map((one) => ({ field, [operator]: one }))),
    fc.array(value, { minLength: 1, maxLength: 3 }).map((list) => ({ field, in: list })),
  ];
  const set = (field: string) => fc.boolean().map((is) => ({ field, set: is }));
  const part = (field: string, value: fc.Arbitrary<string>) =>
    ["contains", "starts_with"].map((operator) => value.map((one) => ({ field, [operator]: one })));
  const span = (field: string, date: fc.Arbitrary<string>) =>
    ["before", "after"].map((operator) => date.map((one) => ({ field, [operator]: one })));
  const within = (field: string) =>
    fc
      .oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom(100, 363, 364, 365, 366))
      .map((count) => ({ field, within_days: count }));

  const condition = fc.oneof(
    ...[...columns, "fields.plan"].flatMap((field) => [...equality(field, text), ...part(field, text), set(field)]),
    ...equality("phone", fc.constantFrom(...phones.slice(0, 12))),
    ...part("phone", fc.constantFrom("+91", "+9198765432", "+919876543210")),
    ...["birthday", "anniversary"].flatMap((field) => [
      ...equality(field, fc.constantFrom(...years)),
      ...span(field, fc.constantFrom("1990-02-28", "1980-01-01", "2001-11-21")),
      within(field),
      set(field),
    ]),
    ...equality("consent", fc.constantFrom("unknown", "opted_in", "opted_out")),
    ...equality("tag", fc.constantFrom("VIP", "new", "ÄRGER", "nowhere")),
    set("tag"),
    ...equality("group", fc.constantFrom<string | number>(1, 2, "REGULARS", "été")),
    set("group"),
    ...["created_at", "updated_at", "last_message_at"].flatMap((field) => [
      ...span(field, fc.constantFrom("2026-11-01", "2026-11-21", "2026-11-10T05:30:00+05:30")),
      within(field),
    ]),
    set("last_message_at"),
    ...equality("fields.points", fc.integer({ min: -3, max: 3 })),
    ...["over", "under"].map((operator) =>
      fc.integer({ min: -3, max: 3 }).map((one) => ({ field: "fields.points", [operator]: one })),
    ),
    ...equality("fields.renews", fc.constantFrom(...days)),
    ...span("fields.renews", fc.constantFrom(...days)),
    within("fields.renews"),
    ...equality("fields.tier", fc.constantFrom("gold", "Gold", "silver")),
    fc.boolean().map((is) => ({ field: "fields.member", is })),
    fc.boolean().map((is) => ({ field: "fields.member", is_not: is })),
    ...["fields.points", "fields.renews", "fields.tier", "fields.member"].map(set),
  );
  const { filter } = fc.letrec<{ filter: unknown }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      condition,
      fc.array(tie("filter"), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
      fc.array(tie("filter"), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
      tie("filter").map((not) => ({ not })),
    ),
  }));
  const now = fc.constantFrom(
    NOW,
    ...["2027-02-28T10:00:00Z", "2028-02-28T10:00:00Z", "2028-02-29T22:00:00Z", "2026-12-31T20:00:00Z"].map(Date.parse),
  );
  const timezone = fc.constantFrom("UTC", "Asia/Kolkata", "America/Sao_Paulo", "Pacific/Auckland");
  const kinds = Object.fromEntries(FIELDS.map(({ key, kind }) => [key, kind === "text" ? "text" : kind]));

  test("by count and batch by batch, and never in another workspace", () => {
    fc.assert(
      fc.property(
        people,
        fc.array(filter, { minLength: 1, maxLength: 12 }),
        now,
        timezone,
        (given, filters, at, zone) => {
          const { client, ids } = openPeople(given);
          const context = { workspaceId: 1, timezone: zone, now: at };
          for (const json of filters) {
            const wanted = ids.filter((_, index) => {
              const one = given[index];
              return one?.phone != null && meets(json, one, { timezone: zone, now: at, kinds });
            });
            const read = readFilter(json, FIELDS, "IN");
            const all = compileIds(read, context, 0, 1_000);
            const rows = client.prepare(all.sql).all(...all.parameters) as { id: number }[];
            expect(rows.map(({ id }) => id)).toEqual(wanted);
            const middle = wanted[Math.floor(wanted.length / 2)] ?? 0;
            const rest = compileIds(read, context, middle, 3);
            const next = client.prepare(rest.sql).all(...rest.parameters) as { id: number }[];
            expect(next.map(({ id }) => id)).toEqual(wanted.filter((id) => id > middle).slice(0, 3));
            const count = compileCount(read, context);
            expect(client.prepare(count.sql).get(...count.parameters)).toEqual({ total: wanted.length });
          }
          client.close();
        },
      ),
      { numRuns: inForm({ short: 60, long: 1_000 }) },
    );
  }, 600_000);
});

describe("the contacts that a filter finds", () => {
  let bornCount = 0;
  const born = (birthday: string | null, people: (string | null)[] = []): OracleContact => ({
    ...nobody,
    phone: `+91987654${1000 + bornCount++}`,
    birthday,
    people,
  });
  const on = (day: string) => ({ timezone: "Asia/Kolkata", now: Date.parse(`${day}T12:00:00+05:30`) });
  const today = { field: "birthday", within_days: 0 };

  test("a birthday is today by month and day, with or without a year, for every contact of an identity", () => {
    const people = [
      born("1990-11-21"),
      born("--11-21"),
      born("1990-11-22"),
      born(null),
      born(null, [null, "2015-11-21"]),
    ];
    expect(find(today, people, on("2026-11-21"))).toEqual([0, 1, 4]);
  });

  test("29 February is celebrated on 28 February of a year without one, and on its own day in the others", () => {
    const people = [born("1988-02-29"), born("--02-28"), born(null, ["--02-29"])];
    expect(find(today, people, on("2027-02-28"))).toEqual([0, 1, 2]);
    expect(find(today, people, on("2028-02-28"))).toEqual([1]);
    expect(find(today, people, on("2028-02-29"))).toEqual([0, 2]);
    expect(find(today, people, on("2027-03-01"))).toEqual([]);
  });

  test("a range of days to come crosses the end of the year", () => {
    const people = [born("1990-12-30"), born("1990-01-03"), born("1990-01-04"), born("1990-12-29")];
    expect(find({ field: "birthday", within_days: 4 }, people, on("2026-12-30"))).toEqual([0, 1]);
  });

  test("today is the current day in the workspace's time zone", () => {
    const now = Date.parse("2026-11-21T20:00:00Z");
    expect(find(today, [born("--11-21"), born("--11-22")], { timezone: "Asia/Kolkata", now })).toEqual([1]);
    expect(find(today, [born("--11-21"), born("--11-22")], { timezone: "UTC", now })).toEqual([0]);
  });

  test("wildcards and quotes in a text are ordinary characters", () => {
    const named = (name: string, index: number): OracleContact => ({
      ...nobody,
      phone: `+9198765432${10 + index}`,
      texts: { name },
    });
    const people = ["100%", "100 pieces", "a_b", "acb", "back\\slash", "'; DROP TABLE contacts; --"].map(named);
    expect(find({ field: "name", contains: "0%" }, people)).toEqual([0]);
    expect(find({ field: "name", contains: "_" }, people)).toEqual([2]);
    expect(find({ field: "name", contains: "\\" }, people)).toEqual([4]);
    expect(find({ field: "name", is: "'; drop table contacts; --" }, people)).toEqual([5]);
    expect(find({ field: "name", starts_with: "1__" }, people)).toEqual([]);
  });

  test("case is ignored, beyond English letters too", () => {
    const from = (city: string, index: number): OracleContact => ({
      ...nobody,
      phone: `+9198765432${10 + index}`,
      texts: { city },
    });
    const people = ["München", "MÜNCHEN", "münchen", "Munchen"].map(from);
    for (const city of ["München", "münchen", "MÜNCHEN"])
      expect(find({ field: "city", is: city }, people)).toEqual([0, 1, 2]);
    expect(find({ field: "city", starts_with: "MÜN" }, people)).toEqual([0, 1, 2]);
  });

  test("a phone number is found in any common form, and as the network's number variant", () => {
    const people = ["+919876543210", "+5511987654321"].map((phone) => ({ ...nobody, phone }));
    expect(find({ field: "phone", is: "098765 43210" }, people)).toEqual([0]);
    expect(find({ field: "phone", is: "+55 11 8765-4321" }, people)).toEqual([1]);
    expect(find({ field: "phone", starts_with: "+91" }, people)).toEqual([0]);
  });

  test("a tag that no contact has matches no contact, and its negation matches all", () => {
    const people = [{ ...nobody, phone: "+919876543210" }];
    expect(find({ field: "tag", is: "unheard of" }, people)).toEqual([]);
    expect(find({ field: "tag", is_not: "unheard of" }, people)).toEqual([0]);
  });
});

describe("the compiled statement", () => {
  const { client } = openPeople([]);
  const context = { workspaceId: 1, timezone: "Asia/Kolkata", now: NOW };
  const planOf = (json: unknown): string[] => {
    const { sql, parameters } = compileCount(readFilter(json, FIELDS, "IN"), context);
    const rows = client.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[];
    return rows.map(({ detail }) => detail);
  };

  test("for a tag and a city uses the city's index and looks each tag up by its key", () => {
    const plan = planOf({
      all: [
        { field: "tag", is: "vip" },
        { field: "city", is: "Pune" },
      ],
    });
    expect(plan[0]).toBe("SEARCH contacts USING INDEX contacts_city (workspace_id=? AND city=?)");
    expect(plan[1]).toContain("SEARCH contact_tags EXISTS USING PRIMARY KEY (contact_id=? AND tag_id=?)");
  });

  const indexes: [string, unknown, string][] = [
    ["a tag", { field: "tag", is: "vip" }, "contact_tags_tag"],
    ["a list", { field: "group", is: 1 }, "group_members USING PRIMARY KEY"],
    [
      "birthdays",
      { field: "birthday", within_days: 7 },
      "contacts_birthday (workspace_id=? AND <expr>>? AND <expr><?)",
    ],
    ["others' birthdays", { field: "birthday", within_days: 7 }, "contact_people_birthday (<expr>>? AND <expr><?)"],
    ["birthdays around new year", { field: "birthday", within_days: 90 }, "contacts_birthday"],
    ["anniversaries", { field: "anniversary", within_days: 7 }, "contacts_anniversary (workspace_id=? AND <expr>>?"],
    [
      "last messages",
      { field: "last_message_at", within_days: 7 },
      "contacts_last_message (workspace_id=? AND last_message_at>?)",
    ],
    ["changes", { field: "updated_at", after: "2026-11-01" }, "contacts_listed (workspace_id=? AND updated_at>?)"],
    ["a phone number", { field: "phone", is: "+919876543210" }, "contacts_phone (workspace_id=? AND phone=?)"],
    [
      "the start of a city",
      { field: "city", starts_with: "pu" },
      "contacts_city (workspace_id=? AND city>? AND city<?)",
    ],
    ["a custom text", { field: "fields.plan", is: "a" }, "contact_fields_text (field_id=? AND text_value=?)"],
    ["a custom choice", { field: "fields.tier", is: "gold" }, "contact_fields_text (field_id=? AND text_value=?)"],
    ["a custom number", { field: "fields.points", is: 3 }, "contact_fields_number (field_id=? AND number_value=?)"],
    [
      "a range of numbers",
      { field: "fields.points", over: 3 },
      "EXISTS USING PRIMARY KEY (contact_id=? AND field_id=?)",
    ],
    ["consent", { field: "consent", is: "opted_in" }, "contacts_addressable (workspace_id=?)"],
  ];
  for (const [what, json, index] of indexes) {
    test(`for ${what} uses its index`, () => expect(planOf(json).join("\n")).toContain(index));
  }

  test("for two tags finds contacts by one of them only: joining both would try every pair", () => {
    const plan = planOf({
      all: [
        { field: "tag", is: "vip" },
        { field: "tag", is: "new" },
      ],
    });
    expect(plan[0]).toBe("SEARCH contacts USING INDEX contacts_addressable (workspace_id=? AND rowid=?)");
    expect(plan.join("\n")).toContain("contact_tags EXISTS USING PRIMARY KEY");
  });

  test("contains no text that the caller wrote", () => {
    const secret = "x'); --";
    const { sql } = compileCount(
      readFilter(
        {
          any: [
            { field: "tag", is: secret },
            { field: "city", contains: secret },
          ],
        },
        FIELDS,
        "IN",
      ),
      context,
    );
    expect(sql).not.toContain("x'");
  });

  test("stays within SQLite's limits, however large a filter is", () => {
    const many = Array.from({ length: 20 }, (_, index) => `Ü${index}`);
    const wide = { any: Array.from({ length: 100 }, () => ({ field: "city", in: many })) };
    const deep = Array.from({ length: 8 }).reduce((part: unknown) => ({ not: part }), wide);
    expect(planOf(deep)[0]).toContain("contacts_addressable");
  });
});

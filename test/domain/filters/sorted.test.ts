/** The orders of the list of contacts: every contact is on exactly one page, in the order of the values, by an index. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { displayName } from "#src/domain/contacts/profile-fields.ts";
import { compileCount } from "#src/domain/filters/compile.ts";
import { readFilter } from "#src/domain/filters/filter.ts";
import { readSort, sortNames } from "#src/domain/filters/sort.ts";
import { compileSorted, readSortedPage, type SortedRow } from "#src/domain/filters/sorted.ts";
import { meets, type OracleContact } from "#test/support/filter-oracle.ts";
import { inForm } from "#test/support/long-form.ts";
import { FIELDS, openPeople } from "#test/support/people.ts";

const NOW = Date.parse("2026-11-21T08:00:00Z");
const context = { workspaceId: 1, timezone: "UTC", now: NOW };
const EVERYBODY = { sql: "true", parameters: [] };
const MANY = 1e6;
const names = [...sortNames, ...FIELDS.map(({ key }) => `fields.${key}`)];
const directions = ["", "-"];

type World = ReturnType<typeof openWorld>;

function openWorld(people: readonly OracleContact[]) {
  const { client, ids } = openPeople(people);
  // Some are known by a user id alone, and some cannot be reached at all.
  client.exec("UPDATE contacts SET network_user_id = 'IN.' || id WHERE phone IS NULL AND id % 3 < 2");
  const named = client
    .prepare("SELECT id FROM contacts WHERE workspace_id = 1 AND (phone IS NOT NULL OR network_user_id IS NOT NULL)")
    .pluck()
    .all() as number[];
  return { client, ids, named: named.map((id) => ids.indexOf(id)) };
}

/** All pages of an order, each as the positions of its contacts. `total`: undefined for as many as match. */
function readPages({ client, ids, named }: World, sortText: string, json: unknown, perPage: number, total?: number) {
  const filter = json === null ? null : readFilter(json, FIELDS, "IN");
  const sort = readSort(sortText, FIELDS);
  const count = filter === null ? null : compileCount(filter, context);
  const counted =
    count === null
      ? named.length
      : (client
          .prepare(count.sql)
          .pluck()
          .get(...count.parameters) as number);
  const pages: number[][] = [];
  for (let after = null as Parameters<typeof readSortedPage>[1]; ; ) {
    const reading = readSortedPage(sort, after, perPage);
    let step = reading.next();
    while (step.done !== true) {
      const { sql, parameters } = compileSorted(filter, context, sort, step.value, EVERYBODY, total ?? counted);
      step = reading.next(client.prepare(sql).all(...parameters) as SortedRow[]);
    }
    const { rows, hasMore, next } = step.value;
    pages.push(rows.map(({ id }) => ids.indexOf(id)));
    expect(next === null).toBe(!hasMore);
    if (next === null) return pages;
    // As a caller gets it, in JSON.
    after = JSON.parse(JSON.stringify(next));
  }
}

/** What an order compares, read from the plain object; null: it has no value and comes last. */
function sortedValue(name: string, contact: OracleContact): string | number | null {
  const { texts } = contact;
  const fold = (text: string | null | undefined) => text?.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) ?? null;
  if (name.startsWith("fields.")) {
    const value = contact.fields[name.slice(7)] ?? null;
    return typeof value === "string" ? fold(value) : value === null ? null : Number(value);
  }
  switch (name) {
    case "name":
      return fold(displayName(texts.name ?? null, texts.first_name ?? null, texts.last_name ?? null));
    case "phone":
      return contact.phone;
    case "consent":
      return ["opted_in", "unknown", "opted_out"].indexOf(contact.consent);
    case "last_message_at":
    case "updated_at":
      return contact[name];
    case "birthday":
    case "anniversary":
      return contact[name]?.slice(-5) ?? null;
    case "created_at":
    case "username":
      return null;
    default:
      return fold(texts[name]);
  }
}

const ascending = (one: number, other: number) => one - other;

function compare(one: string | number, other: string | number): number {
  if (typeof one === "number" || typeof other === "number") return Number(one) - Number(other);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function expectOrder(name: string, isDescending: boolean, people: OracleContact[], found: number[]): void {
  for (const [index, position] of found.entries()) {
    const next = found[index + 1];
    if (next === undefined) continue;
    const here = sortedValue(name, people[position] as OracleContact);
    const there = sortedValue(name, people[next] as OracleContact);
    if (here === null) expect(there).toBeNull();
    if (here === null || there === null) continue;
    const order = compare(here, there) * (isDescending ? -1 : 1);
    expect(order).toBeLessThanOrEqual(0);
    // Of the same value, the ids are in the same direction; positions have the order of the ids.
    if (order === 0) expect(isDescending ? next < position : next > position).toBe(true);
  }
}

describe("every order, in both directions", () => {
  const text = fc.constantFrom("Asha", "asha", "ASHA", "Pune", "Übersee", "a", "b", "Zoë");
  const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
  const moment = fc.integer({ min: -5, max: 0 }).map((hour) => NOW + hour * 3_600_000);
  const columns = ["name", "first_name", "last_name", "email", "city", "state", "postal_code", "company"];
  const someone = fc.record({
    hasPhone: fc.integer({ min: 0, max: 3 }).map((chance) => chance > 0),
    texts: fc.dictionary(fc.constantFrom(...columns), text, { noNullPrototype: true }),
    birthday: maybe(fc.constantFrom("1990-02-28", "--02-28", "--12-31", "2001-11-21")),
    anniversary: maybe(fc.constantFrom("1990-02-28", "--02-28")),
    consent: fc.constantFrom("unknown", "opted_in", "opted_out"),
    created_at: moment,
    updated_at: moment,
    last_message_at: maybe(moment),
    fields: fc.record(
      {
        plan: text,
        points: fc.constantFrom(-1.5, 0, 2, 10),
        renews: fc.constantFrom("2026-11-20", "2026-12-01"),
        member: fc.boolean(),
        tier: fc.constantFrom("gold", "Gold", "silver"),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  });
  const people = fc.array(someone, { maxLength: 25 }).map((all) =>
    all.map(
      ({ hasPhone, ...contact }, index): OracleContact => ({
        ...contact,
        // Not in the order of the ids.
        phone: hasPhone ? `+91987654${String((index * 37) % 100).padStart(2, "0")}10` : null,
        tags: index % 3 === 0 ? ["vip"] : [],
        groups: [],
        people: [],
      }),
    ),
  );

  const asked = fc.record({
    perPage: fc.constantFrom(1, 2, 7, 50),
    total: fc.constantFrom(undefined, MANY),
    filter: fc.constantFrom(null, { field: "tag", is: "vip" }, { not: { field: "city", is: "Pune" } }),
  });

  test("each contact is on one page, in order, whether an index is walked or the matches are sorted", () => {
    fc.assert(
      fc.property(people, asked, (all, { perPage, total, filter }) => {
        const world = openWorld(all);
        const isMatch = (position: number) =>
          filter === null || meets(filter, all[position] as OracleContact, { timezone: "UTC", now: NOW, kinds: {} });
        const expected = world.named.filter(isMatch).sort(ascending);
        for (const name of names) {
          for (const direction of directions) {
            const pages = readPages(world, direction + name, filter, perPage, total);
            const found = pages.flat();
            expect([...found].sort(ascending)).toEqual(expected);
            expectOrder(name, direction === "-", all, found);
            for (const page of pages.slice(0, -1)) expect(page.length).toBe(perPage);
          }
        }
        world.client.close();
      }),
      { numRuns: inForm({ short: 15, long: 1_000 }) },
    );
  });
});

describe("the plans", () => {
  const { client } = openPeople([]);
  const planOf = (sortText: string, run: number, behind: "same" | "later" | null, filter: unknown, total: number) => {
    const sort = readSort(sortText, FIELDS);
    const key = sort.runs[run]?.key === null ? null : "x";
    const range = { run, behind: behind === null ? null : { place: { run, key, id: 5 }, values: behind }, limit: 51 };
    const read = filter === null ? null : readFilter(filter, FIELDS, "IN");
    const { sql, parameters } = compileSorted(read, context, sort, range, EVERYBODY, total);
    const rows = client.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[];
    return rows.map(({ detail }) => detail).join(" | ");
  };

  for (const direction of directions) {
    for (const name of sortNames.filter((one) => readSort(one, FIELDS).isIndexed)) {
      test(`${direction}${name} is read in the order of its index, from the place of the page on`, () => {
        const { runs } = readSort(direction + name, FIELDS);
        for (const run of runs.keys()) {
          for (const filter of [null, { field: "city", contains: "u" }]) {
            for (const behind of [null, "same", "later"] as const) {
              const plan = planOf(direction + name, run, behind, filter, MANY);
              expect(plan).not.toContain("TEMP B-TREE");
              expect(plan).not.toContain("SCAN contacts");
              // Only a range that begins at the place costs the same on every page.
              if (behind !== null) expect(plan).toMatch(/\(workspace_id=\? AND .*[<>]\?\)/);
            }
          }
        }
      });
    }
  }

  test("a name is read from the first person who has one", () => {
    expect(planOf("name", 0, null, null, MANY)).toBe(
      "SEARCH contacts USING INDEX contacts_shown_name (workspace_id=? AND <expr>>?)",
    );
  });

  test("few matches are found by one walk and sorted; those of a tag by the tag", () => {
    const few = planOf("name", 0, null, { field: "city", contains: "u" }, 10);
    expect(few).toBe(
      "SEARCH contacts USING INDEX contacts_addressable (workspace_id=?) | USE TEMP B-TREE FOR ORDER BY",
    );
    expect(planOf("name", 0, null, { field: "tag", is: "vip" }, MANY)).toContain("contact_tags_tag");
  });
});

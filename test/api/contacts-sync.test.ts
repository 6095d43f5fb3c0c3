/** A caller that follows the cursor misses no change made before it began, whatever changes meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { openClient } from "#src/db/driver.ts";
import { optOutOf, putContactOf, walk } from "#test/support/contacts.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const PEOPLE = 300;

let app: TestServer;
let shop: TestWorkspace;
const phoneOf = (index: number): string => `+9198765${String(index).padStart(5, "0")}`;
const indexOf = ({ phone }: { phone: string }): number => Number(phone.slice(-5));

beforeAll(async () => {
  app = await startTestServer();
  shop = await freshShop(PEOPLE);
});
afterAll(() => app[Symbol.asyncDispose]());

/** Makes contacts that changed at different times, a third of them at the same time as another, in no useful order. */
async function freshShop(count: number): Promise<TestWorkspace> {
  const made = await app.workspace();
  for (let step = 0; step < count; step++) {
    await putContactOf(app, made, phoneOf((step * 137) % count), { name: `Person ${step}` });
    if (step % 3 > 0) await app.clock.advance(7);
  }
  await app.clock.advance(1_000);
  return made;
}

interface Listed {
  phone: string;
  city: string | null;
  updated_at: string;
}
interface OptOut {
  phone: string;
  opted_out_at: string;
}

const iso = (ms: number): string => new Date(ms).toISOString();

test("a sync waits for a transaction that another process had open when the sync began", async () => {
  await using own = await startTestServer({ mayBreak: true });
  const made = await own.workspace();
  await putContactOf(own, made, phoneOf(7), { name: "Asha" });
  const now = own.clock.now();
  const since = encodeURIComponent(iso(now));
  for (const [path, write] of [
    [`/contacts?updated_since=${since}`, `UPDATE contacts SET city = 'Late', updated_at = ${now}`],
    ["/contacts", `UPDATE contacts SET city = 'Later', updated_at = ${now + 1}`],
    [`/opt-outs?since=${since}`, `UPDATE contacts SET consent = 'opted_out', consent_at = ${now}`],
  ]) {
    // The transaction has taken its write time but is not committed.
    const other = openClient(join(own.directory, "waxwing.db"), {});
    other.exec("BEGIN IMMEDIATE");
    other.exec(String(write));
    const listed = own.call("GET", `/api/v1${path}`, { key: made.key });
    await Bun.sleep(50);
    other.exec("COMMIT");
    other.close();
    const { data } = (await listed).body;
    expect([path, data.length, data[0]?.city ?? data[0]?.phone]).toEqual([
      path,
      1,
      path?.startsWith("/contacts?") ? "Late" : path === "/contacts" ? "Later" : phoneOf(7),
    ]);
  }
});

describe("while no contact changes", () => {
  test("the cursor returns every contact exactly once, the most recently changed first", async () => {
    const { rows, pages } = await walk<Listed>(app, shop, "/api/v1/contacts");
    expect(pages).toBe(PEOPLE / 50);
    expect(new Set(rows.map(indexOf)).size).toBe(PEOPLE);
    expect(rows).toHaveLength(PEOPLE);
    const times = rows.map(({ updated_at }) => updated_at);
    expect(times).toEqual([...times].sort().reverse());
    expect(indexOf(rows[0] ?? { phone: "" })).toBe(((PEOPLE - 1) * 137) % PEOPLE);
  });

  test("the pages by number are the same list as the pages by cursor", async () => {
    const byCursor = await walk<Listed>(app, shop, "/api/v1/contacts");
    const byNumber: Listed[] = [];
    for (let page = 1; page <= 7; page++) {
      const { body } = await app.call("GET", `/api/v1/contacts?page=${page}`, { key: shop.key });
      byNumber.push(...body.data);
      expect(body.meta).toMatchObject({ page, per_page: 50, total: PEOPLE, has_more: page < 6 });
    }
    expect(byNumber).toEqual(byCursor.rows);
  });
});

/** What happens between two pages: these contacts change (some by an opt-out or a START), and time passes. */
const meanwhile = fc.array(
  fc.record({
    changed: fc.array(fc.integer({ min: 0, max: PEOPLE - 1 }), { maxLength: 40 }),
    after: fc.constantFrom(0, 1, 3, 60_000),
  }),
  { maxLength: 12 },
);

let changeCount = 0;

test("walking /contacts while others change them misses no contact that had changed before, and ends with the last state of each", async () => {
  await fc.assert(
    fc.asyncProperty(meanwhile, fc.integer({ min: 0, max: PEOPLE }), async (steps, back) => {
      await app.clock.advance(1_000);
      const before = (await walk<Listed>(app, shop, "/api/v1/contacts")).rows;
      const since = before[Math.min(back, PEOPLE - 1)]?.updated_at ?? "";
      const due = before.filter(({ updated_at }) => updated_at >= since).map(indexOf);
      const path = `/api/v1/contacts?updated_since=${encodeURIComponent(since)}`;
      const changed = new Map<number, string>();
      const { rows } = await walk<Listed>(app, shop, path, async (page) => {
        const step = steps[page - 1];
        if (step === undefined) return;
        await app.clock.advance(step.after);
        for (const index of step.changed) {
          const city = `City ${++changeCount}`;
          await putContactOf(app, shop, phoneOf(index), { city });
          changed.set(index, city);
        }
      });
      const seen = new Set(rows.map(indexOf));
      expect(due.filter((index) => !seen.has(index))).toEqual([]);
      // The walk returns only contacts that were due or changed meanwhile. A contact that changed before the last page
      // is returned with that change.
      expect([...seen].filter((index) => !due.includes(index) && !changed.has(index))).toEqual([]);
      for (const [index, city] of changed) {
        expect(rows.findLast((row) => indexOf(row) === index)?.city).toBe(city);
      }
    }),
    { numRuns: 25 },
  );
}, 60_000);

test("a contact that changes in the very millisecond in which a walk, or one of its passes, begins is returned with its last state", async () => {
  const fresh = await freshShop(120);
  const path = "/api/v1/contacts?updated_since=2026-01-01";
  for (const index of Array(120).keys()) await putContactOf(app, fresh, phoneOf(index), { city: "Here" });
  // Every contact changed in this one millisecond. Contacts that the first page returned change once more afterwards.
  const { rows } = await walk<Listed>(app, fresh, path, async (page) => {
    if (page > 2) return;
    await app.clock.advance(60);
    for (const index of [3, 77, 119]) await putContactOf(app, fresh, phoneOf(index), { city: `Moved ${page}` });
  });
  expect(new Set(rows.map(indexOf)).size).toBe(120);
  for (const index of [3, 77, 119]) expect(rows.findLast((row) => indexOf(row) === index)?.city).toBe("Moved 2");

  // The same with a clock that stands still between the first page and the change.
  await app.clock.advance(1_000);
  await putContactOf(app, fresh, phoneOf(5), { city: "At the front" });
  const first = await app.call("GET", path, { key: fresh.key });
  await putContactOf(app, fresh, phoneOf(5), { city: "In the same millisecond" });
  await app.clock.advance(60);
  const seen: Listed[] = [...first.body.data];
  for (let { next } = first.body.meta; next !== null; ) {
    const { body } = await app.call("GET", `${path}&after=${next}`, { key: fresh.key });
    seen.push(...body.data);
    next = body.meta.next;
  }
  expect(seen.findLast((row) => indexOf(row) === 5)?.city).toBe("In the same millisecond");
});

for (const filter of ["", "&tag=vip"]) {
  test(`while the clock stands, a walk over /contacts?${filter} ends, returns each contact once and misses none`, async () => {
    await using own = await startTestServer();
    const fresh = await own.workspace();
    const put = (index: number, city: string) => putContactOf(own, fresh, phoneOf(index), { city, add_tags: ["vip"] });
    /** Reads pages of 7 without moving the clock. */
    const standing = async (between: (page: number) => Promise<void> = async () => {}) => {
      const rows: Listed[] = [];
      for (let after = "", page = 1; page < 40; page++) {
        const { body } = await own.call("GET", `/api/v1/contacts?per_page=7${filter}${after}`, { key: fresh.key });
        rows.push(...body.data);
        if (body.meta.next === null) return rows;
        after = `&after=${body.meta.next}`;
        await between(page);
      }
      throw new Error("The walk does not end.");
    };
    for (const index of Array(10).keys()) await put(index, "Long ago");
    await own.clock.advance(1_000);
    for (const index of Array(20).keys()) await put(index + 10, "Just now");
    const all = Array.from(Array(30).keys());
    expect((await standing()).map(indexOf).sort((a, b) => a - b)).toEqual(all);

    // Contacts that the walk has not reached move to its front, where it has been.
    const rows = await standing(async (page) => {
      if (page === 2) for (const index of [0, 4]) await put(index, "Moved");
    });
    expect(new Set(rows.map(indexOf)).size).toBe(30);
    for (const index of [0, 4]) expect(rows.findLast((row) => indexOf(row) === index)?.city).toBe("Moved");
  });
}

test("walking /opt-outs while contacts opt out and write START misses no contact who is still opted out", async () => {
  await fc.assert(
    fc.asyncProperty(meanwhile, fc.integer({ min: 0, max: 120 }), async (steps, back) => {
      const fresh = await app.workspace();
      for (let index = 0; index < 120; index++) {
        await optOutOf(app, fresh, phoneOf(index));
        if (index % 4 === 0) await app.clock.advance(500);
      }
      await app.clock.advance(1_000);
      const all = (await walk<OptOut>(app, fresh, "/api/v1/opt-outs")).rows;
      expect(new Set(all.map(indexOf)).size).toBe(120);
      expect(all).toHaveLength(120);
      const since = all[Math.min(back, 119)]?.opted_out_at ?? "";
      const due = all.filter(({ opted_out_at }) => opted_out_at >= since).map(indexOf);
      const lifted = new Set<number>();
      const path = `/api/v1/opt-outs?since=${encodeURIComponent(since)}`;
      const { rows } = await walk<OptOut>(app, fresh, path, async (page) => {
        const step = steps[page - 1];
        if (step === undefined) return;
        await app.clock.advance(step.after);
        for (const [turn, index] of step.changed.slice(0, 12).entries()) {
          if (turn % 3 === 2) await optOutOf(app, fresh, phoneOf(index));
          else {
            await app.inbound(fresh, phoneOf(index % 120), "START");
            lifted.add(index % 120);
          }
        }
      });
      const seen = rows.map(indexOf);
      expect(due.filter((index) => !seen.includes(index) && !lifted.has(index))).toEqual([]);
      const times = rows.map(({ opted_out_at }) => opted_out_at);
      expect(times).toEqual([...times].sort());
    }),
    { numRuns: 8 },
  );
}, 60_000);

test("updated_since and since are inclusive, in every accepted form of a time", async () => {
  const fresh = await app.workspace();
  await putContactOf(app, fresh, phoneOf(1), { consent: "opted_out" });
  const at = Math.floor(app.clock.now() / 1_000) * 1_000;
  const count = async (list: string, since: string) =>
    (await app.call("GET", `/api/v1/${list}=${encodeURIComponent(since)}`, { key: fresh.key })).body.meta.total;
  const local = iso(at + 19_800_000).slice(0, 19);
  for (const list of ["contacts?updated_since", "opt-outs?since"]) {
    for (const form of [iso(at), `${local}+05:30`, `${local}+0530`, local, local.slice(0, 10), "2026-11-21"]) {
      expect([list, form, await count(list, form)]).toEqual([list, form, 1]);
    }
    for (const later of [iso(at + 1_000), "2126-01-01", "2126-01-01T00:00Z"]) {
      expect([list, later, await count(list, later)]).toEqual([list, later, 0]);
    }
  }
});

for (const bad of ["", "yesterday", "2026-02-30", "1763700000", "2026-11-21T08:00:00 05:30", "2026-11-21T25:00:00Z"]) {
  test(`a time such as "${bad}" is refused with the name of its parameter`, async () => {
    for (const [list, name] of [
      ["contacts", "updated_since"],
      ["opt-outs", "since"],
    ] as const) {
      const answer = await app.call("GET", `/api/v1/${list}?${name}=${encodeURIComponent(bad)}`, { key: shop.key });
      expect([answer.status, answer.body.error.code, Object.keys(answer.body.error.fields)]).toEqual([
        400,
        "invalid_request",
        [name],
      ]);
    }
  });
}

for (const bad of ["nonsense", "e30", Buffer.from('{"at":1}').toString("base64url"), ""]) {
  test(`a cursor such as "${bad}" is refused by /contacts and /opt-outs`, async () => {
    for (const list of ["contacts", "opt-outs", "groups"]) {
      const answer = await app.call("GET", `/api/v1/${list}?after=${bad}`, { key: shop.key });
      expect([list, answer.status, answer.body.error.fields.after?.length]).toEqual([list, 400, 1]);
    }
  });
}

test("a page past the end of a list is empty, and an invalid page number is refused", async () => {
  for (const list of ["contacts", "opt-outs", "groups"]) {
    const past = await app.call("GET", `/api/v1/${list}?page=9999`, { key: shop.key });
    expect([past.status, past.body.data, past.body.meta.has_more]).toEqual([200, [], false]);
    for (const bad of ["0", "-1", "1.5", "x", ""]) {
      const answer = await app.call("GET", `/api/v1/${list}?page=${bad}`, { key: shop.key });
      expect([answer.status, Object.keys(answer.body.error.fields)]).toEqual([400, ["page"]]);
    }
  }
});

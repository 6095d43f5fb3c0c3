/** The list of a bulk change of very many people: stored and removed in slices, invisible until it is complete, and removed after a crash. */
import { expect, test } from "bun:test";
import { beginListed, getBulkChange, listBulkChanges, PARTS_AT_ONCE } from "#src/transfer/bulk-changes.ts";
import { BulkJobs } from "#src/transfer/bulk-jobs.ts";
import { IDS_IN_PART, readTarget } from "#src/transfer/bulk-target.ts";
import { single } from "#test/support/database.ts";
import { openTestStore, type TestStore } from "#test/support/store.ts";

const PEOPLE = 25_500;

/** A store with so many contacts, and the rows that each transaction changes. */
async function settle(at: TestStore): Promise<number[]> {
  const { store, shop } = at;
  store.client.pragma("foreign_keys = OFF");
  store.client.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${PEOPLE})
    INSERT INTO contacts (workspace_id, phone, name, consent, created_at, updated_at)
    SELECT ${shop.id}, '+9198' || (10000000 + i), 'Asha', 'unknown', 0, i FROM n`);
  const each: number[] = [];
  const write = store.write.bind(store);
  const changes = (): number => single(store.client, "SELECT total_changes()") as number;
  store.write = (operation) =>
    write((tx) => {
      const before = changes();
      const result = operation(tx);
      each.push(changes() - before);
      return result;
    });
  return each;
}

function jobsOf({ store, clock }: TestStore): BulkJobs {
  const readers = {} as never;
  return new BulkJobs({
    store,
    clock,
    readers,
    log: { error: () => undefined },
    stopping: new AbortController().signal,
  });
}

function readAll({ store, shop }: TestStore) {
  const reader = {
    query: (sql: string, parameters: readonly unknown[] = []) =>
      Promise.resolve(store.client.prepare(sql).all(...parameters) as Record<string, unknown>[]),
  };
  return readTarget({ store, reader: reader as never }, shop, { filter: { field: "name", is: "Asha" } }, 0);
}

const parts = ({ store }: TestStore): unknown => single(store.client, "SELECT count(*) FROM bulk_people");

async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000 && !holds(); turn++) await Bun.sleep(1);
  expect(holds()).toBe(true);
}

test("a list of very many people is stored and removed in slices, with everybody once and in order", async () => {
  using at = await openTestStore(0);
  const { store, shop } = at;
  const changes = await settle(at);
  const target = await readAll(at);
  expect([target.count, target.parts.length]).toEqual([PEOPLE, Math.ceil(PEOPLE / IDS_IN_PART)]);
  const jobs = jobsOf(at);
  let isListed = false;
  const listing = jobs.list(shop.id, 1, target).then((id) => {
    isListed = true;
    return id;
  });
  // Others write between two slices.
  let others = 0;
  while (!isListed) {
    await store.write(() => undefined);
    if (!isListed) others += 1;
  }
  const id = await listing;
  expect(others).toBeGreaterThanOrEqual(Math.floor(PEOPLE / IDS_IN_PART / PARTS_AT_ONCE));
  // It has not begun: no user sees it.
  expect(store.read((tx) => listBulkChanges(tx, shop.id))).toEqual([]);
  expect(() => store.read((tx) => getBulkChange(tx, shop.id, id))).toThrow();
  await store.write((tx) => beginListed(tx, id, { addTag: "x" }));
  expect(store.read((tx) => getBulkChange(tx, shop.id, id))).toMatchObject({ total: PEOPLE, state: "running" });
  const stored = store.client
    .prepare("SELECT value FROM bulk_people CROSS JOIN json_each(ids) ORDER BY first, key")
    .pluck()
    .all();
  expect(stored).toEqual(target.parts.flat());
  // What has begun is not discarded.
  await jobs.discard(id);
  expect(parts(at)).toBe(target.parts.length);

  store.client.exec("UPDATE bulk_changes SET state = 'stopped'");
  void jobs.clear(id);
  await until(() => parts(at) === 0);
  expect(changes.length).toBeGreaterThan(6);
  expect(changes.filter((count) => count > PARTS_AT_ONCE)).toEqual([]);
});

test("what a crash leaves of a list is removed by the next start, and the change never was", async () => {
  using at = await openTestStore(0);
  const { store, shop } = at;
  await settle(at);
  const target = await readAll(at);
  // Killed after the first slices: nothing runs the rest.
  const cut = { ...target, parts: target.parts.slice(0, 2 * PARTS_AT_ONCE) };
  const id = await jobsOf(at).list(shop.id, 1, cut);
  expect(parts(at)).toBe(2 * PARTS_AT_ONCE);
  jobsOf(at);
  await until(() => parts(at) === 0);
  expect(store.read((tx) => listBulkChanges(tx, shop.id))).toEqual([]);
  expect(() => store.read((tx) => getBulkChange(tx, shop.id, id))).toThrow();
  // The form that asked for it had no answer: sent again, it begins a change of its own.
  const again = await jobsOf(at).list(shop.id, 1, target);
  expect((await store.write((tx) => beginListed(tx, again, { addTag: "x" }))).total).toBe(PEOPLE);
  expect(parts(at)).toBe(target.parts.length);
});

test("a broadcast that has a contact twice counts the person once", async () => {
  using at = await openTestStore(0);
  const { store, shop } = at;
  await settle(at);
  const ids = [5, 70_000, 5, 131_072, 70_000, 6];
  const reader = {
    query: () => Promise.resolve([{ rows: ids.length, last: 6, ids: JSON.stringify(ids) }]),
  };
  store.client.exec(`INSERT INTO broadcasts (id, workspace_id, number_id, name, status, template_name, template_language, template_category, template_format,
    template_components, from_phone, requested, is_built, variables, created_at, due_since, built_after_id, is_failing_unsent, is_unsent_skipped) VALUES (1, ${shop.id}, 1, 'B', 'completed', 't', 'en', 'UTILITY', 'positional', '[]', '+911244001100', 1, 1, '{"isList":true}', 0, 0, 0, 0, 0)`);
  const target = await readTarget({ store, reader: reader as never }, shop, { broadcast: 1, outcomes: [] }, 0);
  expect([target.count, target.parts]).toEqual([4, [[5, 70_000, 131_072, 6]]]);
});

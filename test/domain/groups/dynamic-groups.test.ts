/** Static and dynamic groups: creating, counting and removing them. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { sentencesOf } from "#src/core/fault.ts";
import type { E164 } from "#src/core/phone.ts";
import { Problem } from "#src/core/problem.ts";
import { createContact } from "#src/domain/contacts/create.ts";
import { addField } from "#src/domain/contacts/custom-fields.ts";
import { getContact } from "#src/domain/contacts/find.ts";
import { COUNT_MAX_AGE_MS, countsToRefresh, LARGE_GROUP, recordCount } from "#src/domain/filters/count.ts";
import { removeField } from "#src/domain/filters/remove-field.ts";
import { removeGroup } from "#src/domain/filters/remove-group.ts";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { addMember } from "#src/domain/groups/membership.ts";
import { findGroup, listGroups } from "#src/domain/groups/read.ts";
import type { Group } from "#src/domain/groups/table.ts";
import { createWorkspace } from "#src/domain/workspaces/update.ts";
import { openTestStore, type TestStore } from "#test/support/store.ts";

const inPune = { field: "city", is: "Pune" };
let shop: TestStore;
beforeEach(async () => {
  shop = await openTestStore(0);
});
afterEach(() => shop[Symbol.dispose]());

function make(name: string, filter: unknown = null, workspaceId = shop.shop.id): Promise<Group> {
  return shop.store.write((tx) => saveGroup(tx, workspaceId, { name, filter }));
}

async function problemsOf(work: Promise<unknown>): Promise<Record<string, string[]>> {
  const before = groups();
  const error = await work.catch((reason: unknown) => reason);
  if (!(error instanceof Problem)) throw new Error(`this was not refused: ${error}`);
  expect(groups()).toEqual(before);
  return sentencesOf(error.details.fields ?? {});
}

const groups = (): Group[] => shop.store.read((tx) => listGroups(tx, shop.shop.id, { offset: 0 }, 100));

describe("creating a group", () => {
  test("stores a static group without a filter and a dynamic group with its filter as written", async () => {
    expect(await make(" Regulars ")).toMatchObject({ name: "Regulars", filter: null, memberCount: 0, countedAt: null });
    expect(await make("In Pune", inPune)).toMatchObject({ name: "In Pune", filter: inPune, countedAt: null });
    const columns = shop.store.client.prepare("SELECT name, filter IS NULL AS isList FROM groups ORDER BY id").all();
    expect(columns).toEqual([
      { name: "Regulars", isList: 1 },
      { name: "In Pune", isList: 0 },
    ]);
  });

  test("requires a name that is unique whatever its case", async () => {
    await make("Regulars");
    expect(await problemsOf(make("REGULARS", inPune))).toEqual({
      name: ["There is already a group Regulars; choose another name."],
    });
    for (const name of ["", "  ", "x".repeat(192), "two\nlines"]) {
      expect(Object.keys(await problemsOf(make(name)))).toEqual(["name"]);
    }
  });

  test("allows a name that another workspace uses", async () => {
    await make("Regulars");
    const other = await shop.store.write((tx) =>
      createWorkspace(
        tx,
        { name: "Other", country: "IN", timezone: "UTC", dailyCap: null, stopWords: [], startWords: [] },
        true,
      ),
    );
    expect((await make("Regulars", null, other.id)).workspaceId).toBe(other.id);
  });

  test("reports every mistake at once, those of the name and those of the filter", async () => {
    expect(Object.keys(await problemsOf(make("", { field: "town", is: "Pune" })))).toEqual(["name", "filter.field"]);
  });

  test("accepts a filter on existing static groups, never on dynamic groups or another workspace's groups", async () => {
    const list = await make("Regulars");
    const search = await make("In Pune", inPune);
    await make("Both", {
      any: [
        { field: "group", is: list.id },
        { field: "group", is: "regulars" },
      ],
    });
    expect(await problemsOf(make("Nobody", { field: "group", in: ["Regulars", "Regulras"] }))).toEqual({
      "filter.in": ["There is no group Regulras."],
    });
    expect(await problemsOf(make("Twice", { not: { field: "group", is: search.id } }))).toEqual({
      "filter.not.is": [
        "In Pune is a dynamic group; only static groups can be used in a filter. Write its conditions here.",
      ],
    });
    const other = await shop.store.write((tx) =>
      createWorkspace(
        tx,
        { name: "Other", country: "IN", timezone: "UTC", dailyCap: null, stopWords: [], startWords: [] },
        true,
      ),
    );
    expect(await problemsOf(make("Theirs", { field: "group", is: list.id }, other.id))).toEqual({
      "filter.is": [`There is no group ${list.id}.`],
    });
  });
});

describe("a dynamic group is counted", () => {
  const due = () =>
    shop.store.read((tx) => countsToRefresh(tx, shop.shop, listGroups(tx, shop.shop.id, { offset: 0 }, 100)));
  const run = () =>
    due().map(({ groupId, sql, parameters }) => [groupId, shop.store.client.prepare(sql).get(...parameters)]);
  const meet = (phone: string, city: string) =>
    shop.store.write((tx) => {
      const { id } = createContact(tx, shop.shop.id, { phone: phone as E164 });
      shop.store.client.prepare("UPDATE contacts SET city = ? WHERE id = ?").run(city, id);
      return id;
    });

  test("always if it is small, else when its last count is a minute old, and a static group never", async () => {
    await make("Regulars");
    const search = await make("In Pune", inPune);
    await meet("+919876543210", "pune");
    await meet("+919876543211", "Mumbai");
    expect(run()).toEqual([[search.id, { total: 1 }]]);
    await shop.store.write((tx) => recordCount(tx, search.id, 1));
    expect(groups().find(({ id }) => id === search.id)).toMatchObject({ memberCount: 1, countedAt: shop.clock.now() });
    expect(due()).toHaveLength(1);
    await shop.store.write((tx) => recordCount(tx, search.id, LARGE_GROUP));
    expect(due()).toEqual([]);
    shop.clock.advance(COUNT_MAX_AGE_MS - 1);
    expect(due()).toEqual([]);
    shop.clock.advance(1);
    expect(due()).toHaveLength(1);
  });

  test("again after the clock was set back", async () => {
    const search = await make("In Pune", inPune);
    await shop.store.write((tx) => recordCount(tx, search.id, 1));
    shop.clock.advance(-3_600_000);
    expect(due()).toHaveLength(1);
  });

  test("as empty when it names a removed custom field: its negation must not match every contact", async () => {
    await shop.store.write((tx) =>
      addField(tx, shop.shop.id, { key: "plan", label: "Plan", kind: "text", choices: [] }),
    );
    const search = await make("Others", { field: "fields.plan", is_not: "gold" });
    await meet("+919876543210", "Pune");
    expect(run()).toEqual([[search.id, { total: 1 }]]);
    // The command refuses this, but a database of an earlier version may contain it.
    shop.store.client.exec("DELETE FROM custom_fields");
    expect(run()).toEqual([[search.id, { total: 0 }]]);
  });

  test("without storing a count on a static group, whose own count is always exact", async () => {
    const list = await make("Regulars");
    await shop.store.write((tx) => recordCount(tx, list.id, 7));
    expect(groups()[0]).toMatchObject({ memberCount: 0, countedAt: null });
  });
});

describe("removing a custom field", () => {
  const remove = (key: string) => shop.store.write((tx) => removeField(tx, shop.shop.id, key));

  test("is refused while a dynamic group uses it, however deeply nested; the refusal names the group", async () => {
    for (const key of ["plan", "tier"]) {
      await shop.store.write((tx) => addField(tx, shop.shop.id, { key, label: key, kind: "text", choices: [] }));
    }
    const asks = { field: "fields.plan", set: false };
    const search = await make("Others", { any: [inPune, { not: { all: [asks] } }] });
    expect(await problemsOf(remove("plan"))).toEqual({
      key: ["The dynamic group Others uses the field plan; remove that group first."],
    });
    expect(await remove("tier")).toBe(true);
    await shop.store.write((tx) => removeGroup(tx, shop.shop.id, search.id));
    expect(await remove("plan")).toBe(true);
  });
});

describe("removing a group", () => {
  const remove = (id: number, workspaceId = shop.shop.id) => shop.store.write((tx) => removeGroup(tx, workspaceId, id));

  test("removes its members a hundred at a time, and each of them counts as changed", async () => {
    const list = await make("Regulars");
    const people = await shop.store.write((tx) =>
      Array.from({ length: 101 }, (_, index) => {
        const { id } = createContact(tx, shop.shop.id, { phone: `+91987654${String(index).padStart(4, "0")}` as E164 });
        addMember(tx, list.id, id);
        return id;
      }),
    );
    shop.clock.advance(1_000);
    expect(await remove(list.id)).toBe(false);
    expect(groups()).toMatchObject([{ memberCount: 1 }]);
    expect(await remove(list.id)).toBe(true);
    expect(groups()).toEqual([]);
    for (const id of people) {
      const contact = shop.store.read((tx) => getContact(tx, shop.shop.id, id));
      expect(contact.updatedAt).toBe(shop.clock.now());
    }
  });

  test("is refused while a dynamic group uses it, by name or by id", async () => {
    const list = await make("Regulars");
    const search = await make("Others", { not: { field: "group", is: "REGULARS" } });
    expect(await problemsOf(remove(list.id))).toEqual({
      id: ["The dynamic group Others uses Regulars; remove that group first."],
    });
    expect(await remove(search.id)).toBe(true);
    expect(await remove(list.id)).toBe(true);
  });

  test("never removes another workspace's group", async () => {
    const list = await make("Regulars");
    const error = await remove(list.id, shop.shop.id + 1).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "not_found" });
    expect(shop.store.read((tx) => findGroup(tx, shop.shop.id, list.id))).toBeDefined();
  });
});

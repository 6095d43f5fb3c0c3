/** What a hot statement checks: its placeholders at compile time, its result when it is compiled, and conversions. */
import { describe, expect, test } from "bun:test";
import { getTableColumns } from "drizzle-orm";
import { integer as integerColumn, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, flag } from "#src/db/columns.ts";
import { hotRows } from "#src/db/hot-rows.ts";
import { columns, hotQuery, hotWrite, integer, string } from "#src/db/hot-statement.ts";
import type { Tx } from "#src/db/transaction.ts";
import { openTestDatabase } from "../support/database.ts";

const SCHEMA = `
  CREATE TABLE things (
    id INTEGER PRIMARY KEY, is_open INTEGER NOT NULL, label_text TEXT, extra TEXT, hash BLOB, state TEXT NOT NULL
  ) STRICT;
  CREATE TABLE others (id INTEGER PRIMARY KEY, label_text TEXT) STRICT`;

const things = sqliteTable("things", {
  id: integerColumn().primaryKey(),
  isOpen: flag().notNull(),
  labelText: text(),
  extra: text({ mode: "json" }).$type<{ list: number[] }>(),
  hash: bytes(),
  state: text().$type<"new" | "old">().notNull(),
});
const thing = getTableColumns(things);
const other = getTableColumns(sqliteTable("others", { id: integerColumn().primaryKey(), labelText: text() }));

const insertThing = hotWrite(
  `INSERT INTO things (id, is_open, label_text, extra, hash, state)
  VALUES (:id, :isOpen, :labelText, :extra, :hash, :state)`,
  thing,
);
const thingById = hotQuery(`SELECT ${columns(thing)} FROM things WHERE id = +:id`, thing, thing);
const example = {
  id: 1,
  isOpen: true,
  labelText: "one",
  extra: { list: [1, 2] },
  hash: Buffer.from([1, 2]),
  state: "new" as const,
};

async function inTransaction<T>(run: (tx: Tx) => T): Promise<T> {
  await using database = openTestDatabase({ schema: SCHEMA });
  return (await database.store.write((tx) => run(tx) as never)) as T;
}

describe("values", () => {
  test("a flag, JSON, bytes and text come back as they were given, and the caller's values stay as they were", async () => {
    const given = structuredClone(example);
    given.hash = example.hash;
    const found = await inTransaction((tx) => {
      insertThing(tx).run(given);
      return [thingById(tx).get({ id: 1 }), thingById(tx).all({ id: 1 }), thingById(tx).only({ id: 1 })];
    });
    expect(found).toEqual([example, [example], example]);
    expect(given).toEqual(example);
  });

  test("null is stored as null in every type, JSON included", async () => {
    const empty = { ...example, isOpen: false, labelText: null, extra: null, hash: null };
    const raw = hotQuery("SELECT extra IS NULL AS isMissing FROM things", {}, { isMissing: integer });
    const found = await inTransaction((tx) => {
      insertThing(tx).run(empty);
      return [thingById(tx).get({ id: 1 }), raw(tx).get()];
    });
    expect(found).toEqual([empty, { isMissing: 1 }]);
  });

  test("a placeholder that occurs twice has one value, whatever the order of the values, and none may be missing", async () => {
    const both = hotQuery(
      "SELECT +:labelText || +:state || +:labelText AS joined, +:isOpen AS isOpen WHERE +:state = 'new'",
      thing,
      { joined: string, isOpen: integer },
    );
    const found = await inTransaction((tx) => [
      both(tx).all({ isOpen: true, state: "new", labelText: "one" }),
      both(tx).get({ labelText: "two", isOpen: false, state: "old" }),
    ]);
    expect(found).toEqual([[{ joined: "onenewone", isOpen: 1 }], undefined]);
    const incomplete = { isOpen: true, state: "new" } as unknown as Parameters<ReturnType<typeof both>["get"]>[0];
    await expect(inTransaction((tx) => both(tx).get(incomplete))).rejects.toThrow("no value for labelText in SELECT");
  });

  test("rows that an INSERT or UPDATE returns are converted too", async () => {
    const close = hotQuery(
      `UPDATE things SET is_open = :isOpen WHERE id = +:id RETURNING ${columns(thing)}`,
      thing,
      thing,
    );
    const found = await inTransaction((tx) => {
      insertThing(tx).run(example);
      return close(tx).get({ id: 1, isOpen: false });
    });
    expect(found).toEqual({ ...example, isOpen: false });
  });

  test("a write returns the number of its rows, a query without a row undefined, and `only` throws with the text", async () => {
    const rename = hotWrite("UPDATE things SET label_text = :labelText", thing);
    const found = await inTransaction((tx) => {
      insertThing(tx).run(example);
      insertThing(tx).run({ ...example, id: 2 });
      expect(() => thingById(tx).only({ id: 3 })).toThrow(/no row was returned by SELECT "id" AS "id"/);
      return [rename(tx).run({ labelText: "all" }), thingById(tx).get({ id: 3 }), thingById(tx).all({ id: 3 })];
    });
    expect(found).toEqual([2, undefined, []]);
  });

  test("a type of column that has no rule for storing it is refused, and not stored unconverted", async () => {
    const dated = sqliteTable("things", { id: integerColumn({ mode: "timestamp" }).primaryKey() });
    const byDate = hotQuery("SELECT id FROM things WHERE id = +:id", getTableColumns(dated), getTableColumns(dated));
    await expect(inTransaction((tx) => byDate(tx).get({ id: new Date() }))).rejects.toThrow(
      /cannot convert id, a date/,
    );
  });

  test("a placeholder in an interpolated part of the text, which the compiler does not see, is refused", async () => {
    const part: string = "WHERE id = +:hidden";
    const remove = hotWrite(`DELETE FROM things ${part}`, thing);
    await expect(inTransaction((tx) => remove(tx).run())).rejects.toThrow(/the placeholder hidden is not declared/);
  });

  test("many rows are inserted in their order, in batches of any size", async () => {
    const insertOthers = hotRows(sqliteTable("others", { id: integerColumn(), labelText: text() }), other);
    const all = hotQuery(`SELECT ${columns(other)} FROM others ORDER BY id`, {}, other);
    const rows = Array.from({ length: 2 * 64 + 32 + 8 + 3 }, (_, index) => ({
      id: index + 1,
      labelText: `row ${index + 1}`,
    }));
    const found = await inTransaction((tx) => {
      insertOthers(tx, []);
      insertOthers(tx, rows);
      return all(tx).all();
    });
    expect(found).toEqual(rows);
  });

  test("rows of a batch are converted like those of a hot statement", async () => {
    const insertThings = hotRows(things, thing);
    const all = hotQuery(`SELECT ${columns(thing)} FROM things ORDER BY id`, {}, thing);
    const rows = [example, { ...example, id: 2, isOpen: false, labelText: null, extra: null, hash: null }];
    const found = await inTransaction((tx) => {
      insertThings(tx, rows);
      return all(tx).all();
    });
    expect(found).toEqual(rows);
  });
});

describe("a result that is not what was declared is refused before it is read", () => {
  const { id, labelText } = thing;
  const wrong = {
    "a declared column is missing": hotQuery("SELECT id FROM things", {}, { id, labelText }),
    "a column has another name": hotQuery("SELECT id, label_text FROM things", {}, { id, labelText }),
    "a column is not declared": hotQuery("SELECT id, label_text AS labelText FROM things", {}, { id }),
    "a column is that of another column": hotQuery("SELECT id, state AS labelText FROM things", {}, { id, labelText }),
    "a column is that of another table": hotQuery(
      "SELECT id, label_text AS labelText FROM others",
      {},
      { id: other.id, labelText },
    ),
  };

  test.each(Object.entries(wrong))("%s", async (_, query) => {
    await expect(inTransaction((tx) => query(tx).get())).rejects.toThrow(
      /(no column|not declared|another column).* (SELECT)/,
    );
  });
});

/** `bun run types` proves these: a line that compiles although it should not is an error there. */
export const misuses = (tx: Tx): void => {
  // @ts-expect-error A placeholder that is neither a column nor declared.
  hotWrite("DELETE FROM things WHERE id = +:idd", thing);
  // @ts-expect-error The same behind an interpolated list of columns.
  hotQuery(`SELECT ${columns(thing)} FROM things WHERE id = +:id LIMIT +:limti`, { ...thing, limit: integer }, thing);
  // @ts-expect-error A text whose placeholders are not known at compile time.
  hotWrite(String("DELETE FROM things WHERE id = +:id"), thing);
  // @ts-expect-error A misspelt value.
  thingById(tx).get({ idd: 1 });
  // @ts-expect-error A missing value.
  thingById(tx).get({});
  // @ts-expect-error A value of another type.
  thingById(tx).get({ id: "1" });
  // @ts-expect-error A state that the column does not have.
  insertThing(tx).run({ ...example, state: "middle" });
  // @ts-expect-error Null for a column that is never null.
  insertThing(tx).run({ ...example, state: null });
  // @ts-expect-error A statement without placeholders takes no values.
  hotWrite("DELETE FROM things", {})(tx).run({ id: 1 });
  // @ts-expect-error A statement without a row returns none.
  insertThing(tx).get(example);
  // @ts-expect-error A column that the result does not have.
  thingById(tx).get({ id: 1 })?.label;
};

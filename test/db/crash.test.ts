/**
 * Kills the writer at random moments: every acknowledged write is in the file, whole, and no write is there in part.
 * The machine stays up, so this does not test the disk's own cache; `writer.test.ts` checks that every commit syncs it.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { column, openTestDatabase, single } from "../support/database.ts";

// Real processes and real commits on a machine that may be busy with other tests.
setDefaultTimeout(60_000);

const SCHEMA = `
  CREATE TABLE left_rows (id INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE right_rows (id INTEGER PRIMARY KEY) STRICT;
`;
const ROUNDS = 20;

test("every write acknowledged before a kill -9 is in the file afterwards", async () => {
  await using database = openTestDatabase({ schema: SCHEMA });
  const acknowledged = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const writer = database.spawn("acknowledge", database.path);
    const killAfter = Math.floor(Math.random() * 200);
    for (let seen = 0; seen <= killAfter; seen++) acknowledged.add(Number(await writer.line()));
    const killed = writer.kill();
    // Count acknowledgements that the process printed and this test has not read yet.
    for (const line of await writer.rest()) acknowledged.add(Number(line));
    await killed;

    const { client } = database.reopen();
    const found = column(client, "SELECT id FROM left_rows ORDER BY id");
    const there = new Set(found);
    expect([...acknowledged].filter((id) => !there.has(id))).toEqual([]);
    expect(column(client, "SELECT id FROM right_rows ORDER BY id")).toEqual(found);
    expect(single(client, "PRAGMA integrity_check")).toBe("ok");
  }
  expect(acknowledged.size).toBeGreaterThan(ROUNDS);
});

/** What a large callback costs the disk: its body is written when it arrives, and not again when it is done. */
import { expect, test } from "bun:test";
import { finishCallback, storeCallback } from "#src/domain/inbound/callbacks.ts";
import { openTestDatabase } from "#test/support/database.ts";

const BODY = JSON.stringify({ object: "another product", filler: "x".repeat(300_000) });
/** The row's first and last page, its indexes, and the inner pages above them. */
const PAGES_MAX = 8;

test("a large callback that is done keeps its pages, apart from the first and the last", async () => {
  await using database = openTestDatabase({ schema: true });
  const { store } = database;
  await store.write((tx) => storeCallback(tx, "whatsapp", BODY));
  expect(pagesInLog()).toBeGreaterThan(BODY.length / 4_096);
  store.client.pragma("wal_checkpoint(TRUNCATE)");
  await store.write((tx) => finishCallback(tx, 1, null));
  expect(pagesInLog()).toBeGreaterThan(0);
  expect(pagesInLog()).toBeLessThan(PAGES_MAX);

  function pagesInLog(): number {
    const [state] = store.client.pragma("wal_checkpoint(PASSIVE)") as [{ log: number }];
    return state.log;
  }
});

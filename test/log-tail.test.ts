/** The entries of the log that stay in memory: newest first, and bounded. */
import { expect, test } from "bun:test";
import { createLog } from "#src/core/log.ts";
import { LogTail } from "#src/core/log-tail.ts";

function keeping() {
  const tail = new LogTail();
  const log = createLog({ level: "info", format: "json", now: () => 0, write: () => {}, keep: tail.keep });
  return { tail, log, shown: (words = "") => tail.newest({ level: "debug", words, limit: 2_000 }) };
}

test("at most a thousand entries are kept, the newest, each with a number that only rises", () => {
  const { log, shown } = keeping();
  for (let count = 1; count <= 1_500; count++) log.info("server.started", `entry ${count}`);
  const kept = shown();
  expect([kept.length, kept[0]?.message, kept.at(-1)?.message]).toEqual([1_000, "entry 1500", "entry 501"]);
  expect([kept[0]?.id, kept.at(-1)?.id]).toEqual([1_500, 501]);
});

test("long entries push older ones out, and a single one of any length stays", () => {
  const { log, shown } = keeping();
  const long = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field${index}`, "x".repeat(8_000)]));
  for (let count = 1; count <= 10; count++) log.warn("server.started", `long ${count}`, long);
  expect(shown().map(({ message }) => message)).toEqual(["long 10", "long 9"]);
  expect(shown().every(({ text }) => text.length > 200_000)).toBe(true);
});

test("entries are found by their level and by words in any case; what is below the log's own level is not kept", () => {
  const { log, tail, shown } = keeping();
  log.debug("server.started", "quiet");
  log.info("server.started", "Hello there", { number: 7 });
  log.error("server.started", "Broken");
  expect(shown("hello THERE").map(({ level }) => level)).toEqual(["info"]);
  expect(shown('"number":7')).toHaveLength(1);
  expect(tail.newest({ level: "warn", words: "", limit: 10 }).map(({ message }) => message)).toEqual(["Broken"]);
  expect(tail.newest({ level: "debug", words: "", limit: 1 }).map(({ message }) => message)).toEqual(["Broken"]);
});

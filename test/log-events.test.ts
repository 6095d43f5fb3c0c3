/** The keys of log entries: documented, used, and of one form. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { logEvents } from "#src/core/log-events.ts";
import { broadcastStatuses } from "#src/domain/broadcasts/broadcast.ts";
import { readSources } from "./support/source.ts";

const keys = Object.keys(logEvents);

test("docs/operations.md lists every log event with its sentence", () => {
  const page = readFileSync("docs/operations.md", "utf8");
  const rows = [...page.matchAll(/^\| `([a-z_]+\.[a-z_]+)` +\| (.*?) +\|$/gm)].map(([, key, sentence]) => [
    key,
    sentence,
  ]);
  expect(rows).toEqual(Object.entries(logEvents));
});

test("log events are in alphabetical order and of the form subject.what_happened", () => {
  expect(keys).toEqual(keys.toSorted());
  expect(keys.filter((key) => !/^[a-z_]+\.[a-z_]+$/.test(key))).toEqual([]);
});

test("every log event is written somewhere in src", () => {
  const texts = readSources()
    .filter(({ path }) => path !== "src/core/log-events.ts")
    .map(({ text }) => text)
    .join("\n");
  const statuses = broadcastStatuses.map((status) => `broadcast.${status}`);
  expect(keys.filter((key) => !statuses.includes(key as never) && !texts.includes(`"${key}"`))).toEqual([]);
});

/** Tests with fixed dates: two servers see the same. `bun run test:fifty` runs all fifty, twenty times and on another day. */
import { expect, test } from "bun:test";
import { program } from "#test/support/program.ts";
import { runFifty, tests } from "./fifty.ts";

test("tests with a reset before each pass, and see the same on another server", async () => {
  expect(new Set(tests.map(({ name }) => name)).size).toBe(50);
  // One of each kind.
  const all = tests.filter((_, place) => [0, 8, 16, 24, 28, 32, 38, 42].includes(place));
  const run = () => runFifty(program, { workspaces: 2, all });
  const [one, other] = await Promise.all([run(), run()]);
  expect([...one.failures, ...other.failures]).toEqual([]);
  expect(other.seen).toEqual(one.seen);
  expect(other.digest).toBe(one.digest);
}, 60_000);

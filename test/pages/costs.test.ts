/**
 * The map of costs: every way into the server is on it, and none costs far more than its bound. `bun run costs` measures
 * exactly; see docs/costs.md for what is measured and how.
 */
import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exceptions } from "#test/support/cost-bounds.ts";
import { commandNames, unmeasured } from "#test/support/cost-commands.ts";
import { checkout } from "#test/support/source.ts";

/** Two minutes alone. Beside other tests of a slow machine a way is measured again and again, until they have ended. */
const LIMIT_MS = 1_800_000;
/** So often is a way measured before its least cost counts: other work comes and goes, and what a way costs stays. */
const REPEATS = "20";

/** What was measured, by the names of the ways: `kept`, or what exceeds its bound. */
const verdicts = new Map<string, string>();
let commands: string[] = [];

beforeAll(async () => {
  commands = (await commandNames()).map((name) => `command: ${name}`);
  // A process of its own: what other tests leave in memory is collected in the slices that are measured.
  const child = Bun.spawn([process.execPath, "scripts/costs.ts", "--check", "--repeats", REPEATS], {
    cwd: checkout,
    stdio: ["ignore", "pipe", "inherit"],
  });
  for (const line of (await new Response(child.stdout).text()).split("\n")) {
    const [, name, verdict] = /^`([^`]+)` \| (.*)$/.exec(line) ?? [];
    if (name !== undefined && verdict !== undefined) verdicts.set(name, verdict);
  }
}, LIMIT_MS);

test("every endpoint, route and command is on the map, and nothing else", () => {
  const page = readFileSync(join(checkout, "docs/costs.md"), "utf8");
  const listed = [...page.matchAll(/^\| `((?:API|console|server|command): [^`]+)` +\|/gm)].map(([, name]) => name);
  const measured = [...verdicts.keys()].filter((name) => !name.startsWith("command: "));
  expect(measured.length).toBeGreaterThan(100);
  expect(listed.toSorted()).toEqual([...measured, ...commands].toSorted());
});

test("each exception is one of a way that there is", () => {
  const names = [...verdicts.keys(), ...commands];
  expect(exceptions.filter(({ ways }) => !names.some((name) => ways.test(name)))).toEqual([]);
  expect(Object.keys(unmeasured).filter((name) => !commands.includes(`command: ${name}`))).toEqual([]);
});

test("every command is measured, but for those that the map says are not", () => {
  const left = commands.filter((name) => !verdicts.has(name)).map((name) => name.replace("command: ", ""));
  expect(left.toSorted()).toEqual(Object.keys(unmeasured).toSorted());
});

test("no way costs far more than its bound, and no command holds up a server that runs beside it", () => {
  expect([...verdicts].filter(([, verdict]) => !verdict.endsWith(" | kept"))).toEqual([]);
});

/**
 * The map of costs: every way into the server is on it, and none costs far more than its bound. `bun run costs` measures
 * exactly; see docs/costs.md for what is measured and how.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exceptions } from "#test/support/cost-bounds.ts";
import { commandNames, measureCommands, unmeasured } from "#test/support/cost-commands.ts";
import { boundsOf, type Cost, CostServer, excess, minOf } from "#test/support/cost-map.ts";

const LIMIT_MS = 400_000;
/** Other work on the machine makes the processor slower; a way that holds it has tens of times its bound. */
const FACTOR = 6;
/** So often is a way measured before its least cost counts: other work comes and goes, and what a way costs stays. */
const MEASURED_MAX = 20;

let server: CostServer;
beforeAll(async () => {
  server = await CostServer.start();
}, LIMIT_MS);
afterAll(() => server[Symbol.asyncDispose]());

test("every endpoint, route and command is on the map, and nothing else", async () => {
  const page = readFileSync(join(import.meta.dir, "../../docs/costs.md"), "utf8");
  const listed = [...page.matchAll(/^\| `((?:API|console|server|command): [^`]+)` +\|/gm)].map(([, name]) => name);
  const commands = (await commandNames()).map((name) => `command: ${name}`);
  expect(listed.toSorted()).toEqual([...server.ways.map(({ name }) => name), ...commands].toSorted());
});

test("each exception is one of a way that there is", async () => {
  const names = [...server.ways.map(({ name }) => name), ...(await commandNames()).map((name) => `command: ${name}`)];
  expect(exceptions.filter(({ ways }) => !names.some((name) => ways.test(name)))).toEqual([]);
  expect(Object.keys(unmeasured).filter((name) => !names.includes(`command: ${name}`))).toEqual([]);
});

test(
  "no way costs far more than its bound",
  async () => {
    const wrong: unknown[] = [];
    for (const way of server.ways) {
      for (const input of way.inputs.filter(({ isShort }) => isShort)) {
        const costs: Cost[] = [];
        let exceeds: string[] = [];
        do {
          costs.push(await server.measure(input));
          exceeds = excess(minOf(costs), boundsOf(way), FACTOR);
        } while (exceeds.length > 0 && costs.length < MEASURED_MAX);
        if (exceeds.length > 0) wrong.push([way.name, input.name, exceeds]);
      }
    }
    expect(wrong).toEqual([]);
  },
  LIMIT_MS,
);

test(
  "no command holds up a server that runs beside it",
  async () => {
    const wrong: unknown[] = [];
    for (const [command, cost] of await measureCommands(server.side)) {
      const name = `command: ${command}`;
      const exceeds = excess(cost, boundsOf({ name, kind: "command" }), FACTOR);
      if (exceeds.length > 0) wrong.push([name, exceeds]);
    }
    expect(wrong).toEqual([]);
  },
  LIMIT_MS,
);

/** For which commands the engine is told its memory, and how much. What that saves: `bun run test:small`, decision 0102. */
import { expect, test } from "bun:test";
import { engineBytes, engineOptions, runsLong } from "#src/cli/fit-engine.ts";

test("the engine is told by serve and by contact import, whatever global options come before or after them", () => {
  for (const [line, isLong] of [
    ["serve", true],
    ["serve --listen :80", true],
    ["--config /etc/waxwing.toml serve", true],
    ["--config=/etc/waxwing.toml --data /srv serve --listen :80", true],
    ["contact import people.csv --workspace 1", true],
    ["--data /srv contact import people.csv --workspace 1", true],
    ["contact list --workspace 1", false],
    ["contact", false],
    ["import contact", false],
    ["--data serve status", false],
    ["status --data serve", false],
    ["workspace list", false],
    ["--config", false],
    ["", false],
  ] as const) {
    expect([line, runsLong(line.split(" ").filter((word) => word !== ""))]).toEqual([line, isLong]);
  }
});

test("the engine is told a quarter of little memory, up to 2 GB on a large machine, and otherwise nothing", () => {
  const [mega, giga] = [1024 ** 2, 1024 ** 3];
  for (const [limit, machine, told] of [
    [256 * mega, 256 * mega, 64 * mega],
    [256 * mega, 64 * giga, 64 * mega],
    [giga - 4, 2 * giga, giga / 4 - 1],
    [giga, giga, null],
    [giga, 4 * giga, null],
    [4 * giga, 4 * giga, null],
    [giga, 64 * giga, giga],
    [3 * giga, 64 * giga, 2 * giga],
    [64 * giga, 64 * giga, 2 * giga],
  ] as const) {
    expect([limit, machine, engineBytes(limit, machine)]).toEqual([limit, machine, told]);
  }
});

test("on a large machine the engine also collects sooner; with little memory its RAM size alone decides", () => {
  const [mega, giga] = [1024 ** 2, 1024 ** 3];
  expect(engineOptions(64 * giga, 64 * giga)).toEqual({
    BUN_JSC_forceRAMSize: String(2 * giga),
    BUN_JSC_smallHeapGrowthFactor: "1.7",
  });
  expect(engineOptions(256 * mega, 64 * giga)).toEqual({ BUN_JSC_forceRAMSize: String(64 * mega) });
  expect(engineOptions(giga, 4 * giga)).toBeNull();
});

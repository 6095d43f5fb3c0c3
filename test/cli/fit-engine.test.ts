/** Which command lines start a server, and what the engine is told. What that saves: `bun run test:small`, decision 0102. */
import { expect, test } from "bun:test";
import { engineBytes, startsServer } from "#src/cli/fit-engine.ts";

test("the command serve starts a server, whatever global options come before or after it", () => {
  for (const [line, isServer] of [
    ["serve", true],
    ["serve --listen :80", true],
    ["--config /etc/waxwing.toml serve", true],
    ["--config=/etc/waxwing.toml --data /srv serve --listen :80", true],
    ["--data serve status", false],
    ["status --data serve", false],
    ["workspace list", false],
    ["--config", false],
    ["", false],
  ] as const) {
    expect([line, startsServer(line.split(" ").filter((word) => word !== ""))]).toEqual([line, isServer]);
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

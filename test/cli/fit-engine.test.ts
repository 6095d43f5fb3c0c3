/** Which command lines start a server. That it then takes less memory is tried with the executable: `bun run test:small`. */
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

test("the engine is told of a quarter of little memory, of 2 GB where there is much, and of nothing between", () => {
  const [mega, giga] = [1024 ** 2, 1024 ** 3];
  for (const [limit, told] of [
    [256 * mega, 64 * mega],
    [giga - 4, giga / 4 - 1],
    [giga, null],
    [4 * giga, null],
    [4 * giga + 1, 2 * giga],
    [64 * giga, 2 * giga],
  ] as const) {
    expect([limit, engineBytes(limit)]).toEqual([limit, told]);
  }
});

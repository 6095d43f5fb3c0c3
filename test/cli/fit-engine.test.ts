/** Which command lines start a server. That it then takes less memory is tried with the executable: `bun run test:small`. */
import { expect, test } from "bun:test";
import { startsServer } from "#src/cli/fit-engine.ts";

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

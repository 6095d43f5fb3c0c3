/** The executable starts itself once more with an engine that knows how much memory to count on, and is otherwise the same. */
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineBytes } from "#src/cli/fit-engine.ts";
import { memoryLimit } from "#src/core/memory-limit.ts";
import { limit } from "./small-machine/limits.ts";
import { linesOf } from "./support/database.ts";
import { placeExecutable } from "./support/executable.ts";

const LIMIT_MS = 60_000;
const limits = limit(`waxwing-test-${process.pid}`, 256, 1);
const because = limits === null ? " (skipped: no control groups can be made here)" : "";

test.skipIf(limits === null)(
  `within 256 MB the engine gets its share, and arguments, process and signals stay${because}`,
  async () => {
    const place = mkdtempSync(join(tmpdir(), "waxwing-small-"));
    try {
      const executable = join(place, "waxwing");
      await placeExecutable(executable);
      const start = (wrap: (command: readonly string[]) => readonly string[], data: string) =>
        Bun.spawn([...wrap([executable, "serve", "--data", data, "--listen", "127.0.0.1:0"])], {
          ...{ cwd: place, env: { PATH: process.env.PATH ?? "" }, stdin: "ignore", stdout: "pipe", stderr: "ignore" },
        });
      const small = start((command) => limits?.wrap(command) ?? command, "the data");
      const address = (await linesOf(small.stdout).next()).value?.replace("listening on ", "");
      expect((await fetch(`${address}/readyz`)).status).toBe(200);
      // Of the process that was started: it is the same one.
      const read = (name: string) => readFileSync(`/proc/${small.pid}/${name}`, "utf8").split("\0");
      expect(read("environ")).toContain(`BUN_JSC_forceRAMSize=${64 * 1024 * 1024}`);
      expect(read("cmdline").slice(1, 4)).toEqual(["serve", "--data", "the data"]);
      const opened = readdirSync(`/proc/${small.pid}/fd`).length;
      small.kill("SIGTERM");
      expect(await small.exited).toBe(0);

      const large = start((command) => command, "other");
      const other = (await linesOf(large.stdout).next()).value?.replace("listening on ", "");
      expect((await fetch(`${other}/readyz`)).status).toBe(200);
      const told = engineBytes(memoryLimit());
      const environment = readFileSync(`/proc/${large.pid}/environ`, "utf8").split("\0");
      const expected = told === null ? [] : [`BUN_JSC_forceRAMSize=${told}`];
      expect(environment.filter((one) => one.startsWith("BUN_JSC_"))).toEqual(expected);
      // What was open before the second start is closed.
      expect(opened).toBeLessThanOrEqual(readdirSync(`/proc/${large.pid}/fd`).length);
      large.kill("SIGTERM");
      expect(await large.exited).toBe(0);
    } finally {
      rmSync(place, { recursive: true });
      limits?.[Symbol.dispose]();
    }
  },
  LIMIT_MS,
);

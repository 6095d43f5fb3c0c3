/** The executable starts itself once more with an engine that knows how much memory to count on, and is otherwise the same. */
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { engineOptions } from "#src/cli/fit-engine.ts";
import { memoryLimit } from "#src/core/memory-limit.ts";
import { limit } from "#test/small-machine/limits.ts";
import { linesOf } from "#test/support/database.ts";
import { placeExecutable } from "#test/support/executable.ts";

const LIMIT_MS = 180_000;
const PREFIX = "BUN_JSC_";
const OPTION = `${PREFIX}forceRAMSize`;
const GROWTH = `${PREFIX}smallHeapGrowthFactor`;
const limits = limit(`waxwing-test-${process.pid}`, 256, 1);
const because = limits === null ? " (skipped: no control groups can be made here)" : "";

interface Started {
  /** What the engine was told; null: nothing. */
  told: Record<string, string> | null;
  arguments: string[];
  name: string;
  openFiles: number;
}

/** Starts a server, reads what the system knows of the process that was started, and stops it. */
async function startAndLook(
  place: string,
  variables: Record<string, string>,
  wrap = (command: readonly string[]): readonly string[] => command,
): Promise<Started> {
  const executable = join(place, "waxwing");
  const command = wrap([executable, "serve", "--data", `data of ${Math.random()}`, "--listen", "127.0.0.1:0"]);
  const server = Bun.spawn([...command], {
    ...{ cwd: place, env: { PATH: process.env.PATH ?? "", ...variables }, stdin: "ignore", stdout: "pipe" },
    stderr: "ignore",
  });
  const address = (await linesOf(server.stdout).next()).value?.replace("listening on ", "");
  expect((await fetch(`${address}/readyz`)).status).toBe(200);
  const read = (name: string) => readFileSync(`/proc/${server.pid}/${name}`, "utf8").split("\0");
  const told = read("environ").filter((one) => one.startsWith(PREFIX));
  const started = {
    told: told.length === 0 ? null : Object.fromEntries(told.map((one) => one.split("=", 2))),
    arguments: read("cmdline").slice(1, -1),
    name: read("comm").join("").trim(),
    openFiles: readdirSync(`/proc/${server.pid}/fd`).length,
  };
  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
  return started;
}

/** A server that was told by its user, and so started once. */
const GIVEN = { [OPTION]: String(1536 * 1024 * 1024) };

async function expectSameAsGiven(place: string, started: Started): Promise<void> {
  const given = await startAndLook(place, GIVEN);
  expect(given.told).toEqual(GIVEN);
  expect(started.arguments).toEqual([
    expect.anything(),
    "--data",
    expect.stringMatching(/^data of /),
    "--listen",
    "127.0.0.1:0",
  ]);
  expect(started.arguments[0]).toBe("serve");
  expect([started.name, given.name]).toEqual(["waxwing", "waxwing"]);
  // What was open before the second start is closed.
  expect(started.openFiles).toBeLessThanOrEqual(given.openFiles);
}

async function withExecutable(look: (place: string) => Promise<void>): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), "waxwing-small-"));
  try {
    await placeExecutable(join(place, "waxwing"));
    await look(place);
  } finally {
    rmSync(place, { recursive: true });
  }
}

test.skipIf(limits === null)(
  `within 256 MB the engine gets its share, and arguments, process and signals stay${because}`,
  async () => {
    await withExecutable(async (place) => {
      const started = await startAndLook(place, {}, (command) => limits?.wrap(command) ?? command);
      expect(started.told).toEqual({ [OPTION]: String(64 * 1024 * 1024) });
      await expectSameAsGiven(place, started);
    });
    limits?.[Symbol.dispose]();
  },
  LIMIT_MS,
);

test(
  "on this machine too, the engine is told what fits, and what its user says stands",
  async () => {
    await withExecutable(async (place) => {
      const started = await startAndLook(place, {});
      const fitting = engineOptions(memoryLimit(), totalmem());
      expect(started.told).toEqual(fitting);
      await expectSameAsGiven(place, started);
      // One option of the user leaves the others to the program.
      const own = { [GROWTH]: "1.6" };
      expect((await startAndLook(place, own)).told).toEqual(fitting === null ? own : { ...fitting, ...own });
    });
  },
  LIMIT_MS,
);

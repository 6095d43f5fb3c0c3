/**
 * The crash suite in its full form, on an executable that is built first:
 *
 *   bun run test:crash [--rounds N] [NAME…]
 *
 * `--rounds N` replaces each test's own number of rounds; NAMEs (`mixed`, `power-loss`, …) choose among the files of
 * this directory. Tests that need a C compiler or root are skipped without them, with the reason in the test's name.
 * Each test prints its measurements in one line. The same by environment, on an existing executable:
 *
 *   WAXWING_CRASH=1 WAXWING_CRASH_EXECUTABLE=dist/waxwing WAXWING_CRASH_ROUNDS=20 bun test test/crash
 *
 * Processes, time and chance are real, so no two runs are the same: a failure prints what it found, not how to repeat
 * it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildExecutable } from "#test/support/installation.ts";
import { readOptions } from "#test/support/options.ts";

const { values, positionals } = readOptions(
  {
    call: "bun run test:crash",
    about: "Runs the crash suite in its full form on an executable that is built first.",
    names: { called: "NAME", about: "the files to run, such as mixed or power-loss; without: all" },
  },
  {
    rounds: { type: "string", about: "replaces each test's own number of rounds" },
  },
);
if (values.rounds !== undefined && !/^[1-9]\d*$/.test(values.rounds)) {
  console.error("--rounds is a number of rounds, at least 1");
  process.exit(2);
}

const workshop = mkdtempSync(join(tmpdir(), "waxwing-build-"));
let code = 1;
try {
  const [executable = ""] = await buildExecutable(join(workshop, "waxwing"));
  const files = positionals.length === 0 ? [""] : positionals;
  const suite = Bun.spawn(
    [process.execPath, "test", "--timeout", "120000", ...files.map((name) => `test/crash/${name}`)],
    {
      env: {
        ...process.env,
        WAXWING_CRASH: "1",
        WAXWING_CRASH_EXECUTABLE: executable,
        ...(values.rounds === undefined ? {} : { WAXWING_CRASH_ROUNDS: values.rounds }),
      },
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  code = await suite.exited;
} finally {
  rmSync(workshop, { recursive: true, force: true });
}
process.exit(code);

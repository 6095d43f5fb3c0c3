/**
 * The long form of the clients' tests: every client runs the whole script against the executable, and the examples of
 * every language run. `bun run test:clients [NAME]…`; `TEST_EXECUTABLE` names an executable that is built already,
 * `PYTHON` another Python.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeExecutable } from "#test/support/executable.ts";
import { readOptions } from "#test/support/options.ts";
import { clients, runScript, seed, startDev } from "./conformance.ts";
import { languages, runExamples } from "./examples.ts";

const { positionals: wanted } = readOptions(
  {
    call: "bun run test:clients",
    about: "Runs every client and its examples against the executable.",
    names: { called: "NAME", about: "the languages; without: all" },
  },
  {},
);
const folder = mkdtempSync(join(tmpdir(), "waxwing-clients-"));
let failed = 0;

function report(name: string, failures: readonly string[], text: string): void {
  failed += failures.length;
  console.log(`${failures.length === 0 ? "ok  " : "FAIL"}  ${name}: ${text}`);
  for (const failure of failures) console.log(`    ${failure}`);
}

/** Runs `check` for everything that was asked for and is installed. */
async function forEach<Item extends { name: string; missing: string | null }>(
  items: readonly Item[],
  check: (item: Item) => Promise<void>,
): Promise<void> {
  for (const item of items) {
    if (wanted.length > 0 && !wanted.includes(item.name)) continue;
    if (item.missing === null) await check(item);
    else console.log(`skip  ${item.name}: ${item.missing}`);
  }
}

try {
  const executable = Bun.env.TEST_EXECUTABLE ?? join(folder, "waxwing");
  if (Bun.env.TEST_EXECUTABLE === undefined) await placeExecutable(executable);
  const server = await startDev(executable, ["--seed", seed]);
  try {
    await forEach(clients(folder), async (client) => {
      const { failures, steps, ms } = await runScript(server, client);
      report(client.name, failures, `${steps} calls, ${Math.round(ms)} ms`);
    });
    await forEach(languages, async (language) => {
      const failures = await runExamples(server, language, join(folder, "examples", language.name));
      report(`examples/${language.name}`, failures, "send, receive, sync");
    });
  } finally {
    await server.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);

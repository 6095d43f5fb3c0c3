/**
 * The long form of the clients' tests: every client runs the whole script against the executable, and every example runs.
 * `bun run test:clients [NAME]…`; `TEST_EXECUTABLE` names an executable that is built already.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clients, runScript, startDev } from "./conformance.ts";

const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "waxwing-clients-"));
const server = await startDev(Bun.env.TEST_EXECUTABLE, ["--seed", join(import.meta.dir, "seed.json")]);
let failed = 0;
try {
  for (const client of clients(folder)) {
    if (wanted.length > 0 && !wanted.includes(client.name)) continue;
    if (client.missing !== null) {
      console.log(`skip  ${client.name}: ${client.missing}`);
      continue;
    }
    const { failures, steps, ms } = await runScript(server, client);
    failed += failures.length;
    console.log(`${failures.length === 0 ? "ok  " : "FAIL"}  ${client.name}: ${steps} calls, ${Math.round(ms)} ms`);
    for (const failure of failures) console.log(`    ${failure}`);
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);

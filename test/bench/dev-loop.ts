/**
 * `bun run bench:dev-loop`: seconds from saving a file to seeing the change in Chromium, under `bun run dev` on a copy of
 * the sources: a screen, a route (its sentence in /docs), and the migration (a new database, signed in anew). Each is
 * measured a few times; the screen is one that is open.
 */

import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBrowser } from "#test/support/browser.ts";
import { linesOf } from "#test/support/database.ts";
import { readOptions } from "#test/support/options.ts";
import { checkout } from "#test/support/source.ts";

readOptions(
  { call: "bun run bench:dev-loop", about: "Measures how soon a saved file is seen in the browser; needs Chromium." },
  {},
);

const TIMES = 5;
const SCREEN = "src/web/app/not-found.tsx";
const ROUTE = "src/http/endpoints/workspaces.ts";
const MIGRATION = "migrations/0001_initial.sql";

const copy = mkdtempSync(join(tmpdir(), "waxwing-dev-loop-"));
for (const name of ["src", "scripts", "migrations", "docs", "examples", "package.json", "tsconfig.json"]) {
  cpSync(join(checkout, name), join(copy, name), { recursive: true });
}
symlinkSync(join(checkout, "node_modules"), join(copy, "node_modules"));
const dev = Bun.spawn([process.execPath, "scripts/dev.ts", "--listen", "127.0.0.1:0", "--data", "kept"], {
  cwd: copy,
  stdin: "ignore",
  stdout: "pipe",
  stderr: "inherit",
});
const { page, ...browser } = await openBrowser();
try {
  let link = "";
  for await (const line of linesOf(dev.stdout)) {
    link = /sign in +(\S+)/.exec(line)?.[1] ?? link;
    if (link !== "") break;
  }
  const { origin } = new URL(link);
  await page.goto(link);
  await page.goto(`${origin}/console/no-such-screen`);
  await page.getByRole("link").first().waitFor();
  await measure("a screen, open in the browser", SCREEN, "{strings.notFoundText}", "Seen number ?.", (text) =>
    page.getByText(text).waitFor(),
  );
  await measure("a route, by reloading /docs", ROUTE, "The workspace.", "The workspace number ?.", async (text) => {
    do await page.goto(`${origin}/docs`).catch(() => undefined);
    while (!(await page.content().catch(() => "")).includes(text));
  });
  const table = "CREATE TABLE instance (";
  const added = `CREATE TABLE added_? (id INTEGER PRIMARY KEY) STRICT;\n${table}`;
  await measure("the migration: a new database, signed in anew", MIGRATION, table, added, async () => {
    // The session of the database before is unknown to the new one.
    const isSignedIn = async () =>
      (await page.request.get(`${origin}/console/api/me`).catch(() => null))?.status() === 200;
    while (await isSignedIn());
    do await page.goto(link).catch(() => undefined);
    while (!(await isSignedIn()));
  });
} finally {
  await browser[Symbol.asyncDispose]();
  dev.kill("SIGINT");
  await dev.exited;
  rmSync(copy, { recursive: true, force: true });
}

/** Replaces `from` by `to`, whose `?` is the number of the change, and waits until `seen`. */
async function measure(
  what: string,
  path: string,
  from: string,
  to: string,
  seen: (text: string) => Promise<unknown>,
): Promise<void> {
  const file = join(copy, path);
  const original = readFileSync(file, "utf8");
  const seconds: string[] = [];
  for (let number = 1; number <= TIMES; number++) {
    const text = to.replace("?", String(number));
    const start = performance.now();
    writeFileSync(file, original.replace(from, text));
    await seen(text);
    seconds.push(((performance.now() - start) / 1_000).toFixed(2));
  }
  console.log(`${what}: ${seconds.join(", ")} s`);
}

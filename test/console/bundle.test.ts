/** The bundle of the console: small enough for a slow connection, reproducible, and served with the right headers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { startTestServer, type TestServer } from "#test/support/server.ts";
import { checkout } from "#test/support/source.ts";
import { buildConsole, bundleConsole, scriptsFor } from "../../scripts/console-bundle.ts";

const { files, scripts, imports } = await buildConsole();
const FIRST_LOAD_MAX_BYTES = 250_000;
/** As in the executable; the server of a test compresses faster and less. */
const transferred = new Map(files.map(({ name, bytes }) => [name, brotliCompressSync(bytes).length]));
const transferredBytes = (names: readonly string[]) =>
  names.reduce((sum, name) => sum + (transferred.get(name) ?? Number.NaN), 0);

let app: TestServer;

beforeAll(async () => {
  app = await startTestServer();
});
afterAll(() => app[Symbol.asyncDispose]());

const MAIN = "src/web/app/main.tsx";
/** What the router opens. A screen may open parts of its own later. */
const routed = readFileSync(join(checkout, "src/web/app/router.tsx"), "utf8");
const screens = scripts.flatMap(({ entry }) =>
  entry?.startsWith("src/web/features/") && routed.includes(`import("../${entry.slice("src/web/".length)}")`)
    ? [entry]
    : [],
);

/** The console's own source files that a browser has loaded for these entries. */
function loadedFor(...entries: string[]): string[] {
  const names = scriptsFor(scripts, entries);
  return scripts.flatMap(({ name, sources }) =>
    names.includes(name) ? sources.filter((path) => path.startsWith("src/")) : [],
  );
}

/** Source files and all that they import, directly or through others. */
function importedBy(...paths: string[]): Set<string> {
  const found = new Set(paths);
  for (const one of found) for (const imported of imports.get(one) ?? []) found.add(imported);
  return found;
}

test("no screen's code is in the main script or in another screen's", () => {
  expect(screens.length).toBeGreaterThan(30);
  // What the shell itself shows over a screen: the form to sign in again.
  expect(
    loadedFor(MAIN)
      .filter((path) => path.startsWith("src/web/features/"))
      .toSorted(),
  ).toEqual(["src/web/features/sign-in/sign-in-form.tsx", "src/web/features/sign-in/strings.ts"]);
  const all = new Set(screens);
  for (const screen of screens) {
    const loaded = loadedFor(MAIN, screen);
    expect(loaded).toContain(screen);
    // Nothing that its own files do not import: the bundler has put no other code into its scripts.
    const reached = importedBy(MAIN, screen);
    expect([screen, loaded.filter((path) => !reached.has(path))]).toEqual([screen, []]);
    // Screens share parts, but never each other.
    expect([screen, loaded.filter((path) => path !== screen && all.has(path))]).toEqual([screen, []]);
  }
});

test("the first load of every screen is under 250 kB as it is transferred", () => {
  const style = files.find(({ name }) => name.endsWith(".css"))?.name ?? "";
  const sizes = screens.map((screen) => {
    return [screen, transferredBytes([style, ...scriptsFor(scripts, [MAIN, screen])])] as const;
  });
  for (const [screen, bytes] of sizes) {
    expect([screen, bytes > 100_000 && bytes < FIRST_LOAD_MAX_BYTES]).toEqual([screen, true]);
  }
});

test("the pages of signing in and of Home ask at once for all that they need, under 250 kB as it is transferred", async () => {
  const documented = readFileSync(join(checkout, "docs/performance.md"), "utf8");
  const pages = [
    { path: "/console/sign-in", entry: "sign-in/sign-in.tsx", name: "the sign-in page" },
    { path: "/console/w/1", entry: "home/home.tsx", name: "Home" },
  ];
  for (const { path, entry, name } of pages) {
    const headers = { "accept-encoding": "br", cookie: "waxwing=any" };
    const page = await app.call("GET", path, { headers });
    const names = [...page.text.matchAll(/\/console\/assets\/([\w.-]+)/g)].map(([, file = ""]) => file);
    const needed = scriptsFor(scripts, [MAIN, `src/web/features/${entry}`]);
    expect(names.filter((file) => file.endsWith(".js")).toSorted()).toEqual(needed);
    for (const file of names) {
      const { status, headers: given } = await app.call("GET", `/console/assets/${file}`, { headers });
      expect([file, status, given.get("content-encoding")]).toEqual([file, 200, "br"]);
    }
    const bytes = new TextEncoder().encode(page.text).length + transferredBytes(names);
    expect([path, bytes > 100_000 && bytes < FIRST_LOAD_MAX_BYTES]).toEqual([path, true]);
    const [, stated] = new RegExp(`${name} (\\d+) kB`).exec(documented) ?? [];
    expect([path, Math.abs(bytes / 1_000 - Number(stated)) < 15]).toEqual([path, true]);
  }
  const outlined = async (path: string, cookie: string) =>
    /class="(outline-[a-z-]+)"/.exec((await app.call("GET", path, { headers: { cookie } })).text)?.[1];
  expect(await outlined("/console/w/1/inbox", "waxwing=any")).toBe("outline-frame");
  expect(await outlined("/console/w/1/inbox", "")).toBe("outline-signed-out");
  expect(await outlined("/console/join", "waxwing=any")).toBe("outline-signed-out");
});

test("bundling the same source twice gives the same bytes under the same names", async () => {
  const again = await bundleConsole();
  expect(again.map(({ name }) => name)).toEqual(files.map(({ name }) => name));
  expect(again.every(({ bytes }, index) => Buffer.compare(bytes, files[index]?.bytes ?? new Uint8Array()) === 0)).toBe(
    true,
  );
});

test("the page's content security policy allows only its own files, and the page follows the chosen theme", async () => {
  const page = await app.call("GET", "/console/w/1/anything");
  expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-cache"]);
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  for (const part of ["default-src 'self'", "trusted-types 'none'", "frame-ancestors 'none'"])
    expect(policy).toContain(part);
  // A voice note is recorded with the microphone, and heard before it is sent.
  expect(page.headers.get("permissions-policy")).toBe("camera=(), microphone=(self), geolocation=()");
  expect(page.text).toContain('<html lang="en">');
  expect(page.text).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
  const dark = await app.call("GET", "/console", { headers: { cookie: "waxwing-theme=dark" } });
  expect(dark.text).toContain('<html lang="en" data-theme="dark">');
  const made = await app.call("GET", "/console", { headers: { cookie: 'waxwing-theme="><script>' } });
  expect(made.text).toContain('<html lang="en">');
});

test("an asset is served by its exact name only, is cached forever, and is compressed if the client accepts it", async () => {
  const { text } = await app.call("GET", "/console");
  const [, path = ""] = /src="(\/console\/assets\/main-\w+\.js)"/.exec(text) ?? [];
  const file = await app.call("GET", path, { headers: { "accept-encoding": "br" } });
  expect([file.status, file.headers.get("content-encoding"), file.headers.get("vary")]).toEqual([
    200,
    "br",
    "Accept-Encoding",
  ]);
  expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  const plain = await app.call("GET", path, { headers: { "accept-encoding": "identity" } });
  expect([plain.headers.get("content-encoding"), plain.text]).toEqual([null, file.text]);
  const etag = file.headers.get("etag") ?? "";
  expect((await app.call("GET", path, { headers: { "if-none-match": etag } })).status).toBe(304);
  for (const other of ["/console/assets/main.js", "/console/assets/..%2f..%2fpackage.json", "/console/assets/"]) {
    expect([other, (await app.call("GET", other)).headers.get("content-type")]).not.toEqual([
      other,
      "text/javascript; charset=utf-8",
    ]);
  }
  expect((await app.call("GET", "/console/assets/main.js")).status).toBe(404);
});

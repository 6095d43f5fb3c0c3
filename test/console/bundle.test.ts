/** The bundle of the console: small enough for a slow connection, reproducible, and served with the right headers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { startTestServer, type TestServer } from "#test/support/server.ts";
import { bundleConsole } from "../../scripts/console-bundle.ts";

const files = await bundleConsole();
let app: TestServer;

beforeAll(async () => {
  app = await startTestServer();
});
afterAll(() => app[Symbol.asyncDispose]());

test("the main script is under 250 kB compressed, and every later chunk under 30 kB", () => {
  const sizes = files.map(({ name, bytes }) => ({ name, kilobytes: gzipSync(bytes).length / 1_000 }));
  for (const { name, kilobytes } of sizes)
    expect([name, kilobytes < (name.startsWith("main-") ? 250 : 30)]).toEqual([name, true]);
  expect(sizes.filter(({ name }) => /^main-.*\.js$/.test(name)).length).toBe(1);
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

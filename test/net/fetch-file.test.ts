/**
 * Fetching a file from an address that a customer chose: never from an address that the customer may not reach, not
 * even through a redirect or by a host name.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { systemClock } from "#src/core/clock.ts";
import { type FileFetcher, fetchFile } from "#src/net/fetch-file.ts";

let server: ReturnType<typeof Bun.serve>;
let asked: string[] = [];

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      asked.push(pathname);
      if (pathname === "/to")
        return new Response(null, { status: 302, headers: { location: searchParams.get("url") ?? "" } });
      if (pathname === "/circle") return new Response(null, { status: 301, headers: { location: "/circle" } });
      if (pathname === "/gone") return new Response("no", { status: 410 });
      if (pathname === "/slow") await Bun.sleep(5_000);
      return new Response("0123456789", { headers: { "content-type": "Image/PNG; charset=x" } });
    },
  });
});
afterAll(() => server.stop(true));

const trusting: FileFetcher = { clock: systemClock, allowPrivate: true };
const get = (fetcher: FileFetcher, link: string, maxBytes = 10) => {
  asked = [];
  return fetchFile(fetcher, { link, maxBytes, timeoutMs: 500 });
};
const at = (path: string, host = "127.0.0.1"): string => `http://${host}:${server.port}${path}`;

test("a file is returned with its type, also from the address that a redirect leads to", async () => {
  const file = { bytes: new Uint8Array(Buffer.from("0123456789")), contentType: "image/png" };
  expect(await get(trusting, at("/file"))).toEqual(file);
  expect(await get(trusting, at("/to?url=/file"))).toEqual(file);
  expect(asked).toEqual(["/to", "/file"]);
});

test("an answer that is not a file is refused with a description", async () => {
  expect(await get(trusting, at("/gone"))).toBe("answered HTTP 410");
  expect(await get(trusting, at("/file"), 9)).toBe("has more than 9 bytes");
  expect(await get(trusting, at("/circle"))).toBe("redirects in a circle");
  expect(asked).toHaveLength(6);
  expect(await get(trusting, at("/slow"))).toBe("could not be read (too slow)");
  expect(await get(trusting, at("/to?url=http://"))).toBe("redirects to no address");
  expect(await get(trusting, "http://127.0.0.1:1/x")).toBe("could not be read (ECONNREFUSED)");
});

test("this machine and private networks are never contacted, by address or by name", async () => {
  const strict: FileFetcher = { ...trusting, allowPrivate: false, lookup: async () => ["127.0.0.1"] };
  expect(await get(strict, at("/file"))).toBe("leads to a loopback address (127.0.0.1)");
  expect(await get(strict, at("/file", "files.example"))).toContain(
    "The name files.example leads to a loopback address",
  );
  expect(await get(strict, "file:///etc/passwd")).toBe("must start with https:// or http://");
  expect(asked).toEqual([]);
});

test("a redirect is checked like the address itself", async () => {
  // The first name leads to the server; every other one does not.
  const half: FileFetcher = {
    ...trusting,
    lookup: async (name) => (name === "files.example" ? ["127.0.0.1"] : ["::1"]),
  };
  expect(await get(half, at("/to?url=ftp://127.0.0.1/x", "files.example"))).toBe("must start with https:// or http://");
  expect(await get(half, at("/to?url=http://user:word@127.0.0.1/", "files.example"))).toBe(
    "must not contain a user name or password",
  );
  expect(asked).toEqual(["/to"]);
});

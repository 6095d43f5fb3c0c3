/**
 * The address of a request comes from its request line alone. A `Host` header that a stranger made up neither moves a
 * request to another route nor breaks the server, and a path means the same to this server as to a proxy in front of it.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { createApp } from "#src/http/api/app.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
});
afterAll(() => app[Symbol.asyncDispose]());

/** One path of each family of routes, and the status that it has for a caller with a valid key. */
const FAMILIES: readonly (readonly [path: string, status: number])[] = [
  ["/api/v1/me", 200],
  ["/api/v1/nothing", 404],
  ["/api/v1", 404],
  ["/healthz", 200],
  ["/readyz", 200],
  ["/metrics", 404],
  ["/docs", 200],
  ["/llms.txt", 200],
  ["/docs/openapi.json", 200],
  ["/networks/whatsapp?hub.mode=subscribe", 403],
  ["/console", 200],
  ["/console/api/me", 401],
  ["/console/assets/nothing.js", 404],
  ["/", 302],
  ["/nothing", 404],
];

const INVALID_HOSTS = [
  ...["", "[[", "[", "[]", "]", "[::1", "[::1]x", "[zz]", "a/zz", "/api/v1/me", "a?b", "a#b", "a@b", "user:pw@h"],
  ...["a b", "a\tb", "a,b", "ü", "%2f", "a%2fb", "a\\b", "x:abc", "x:1234567", "x:-1", "x:99999", ":80", "<x>", "a'b"],
  ...["256.1", "0x100000000", "1.2.3.4.5", "xn--a", "[1:2]", "[::g]"],
];
const VALID_HOSTS = [
  ...["x", "x:80", "abc", "A.EXAMPLE", "my_app", "a_b.c:8080", "127.0.0.1", "127.1", "[::1]", "[::1]:8080", "x:"],
  ...["waxwing.example", "xn--bcher-kva.example", "..", "a-b"],
];

interface RawAnswer {
  status: number;
  text: string;
}

/** Sends a head as it is; a client library would correct it. */
function sendHead(target: string, hosts: readonly string[], version = "1.1"): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const socket = connect(Number(new URL(app.server.url).port), "127.0.0.1");
  let got = "";
  socket.on("data", (chunk) => {
    got += chunk.toString("latin1");
  });
  socket.on("close", () =>
    resolve({ status: Number(/^HTTP\/1\.\d (\d+)/.exec(got)?.[1] ?? 0), text: got.slice(got.indexOf("\r\n\r\n") + 4) }),
  );
  socket.on("error", reject);
  const lines = [
    `GET ${target} HTTP/${version}`,
    ...hosts.map((host) => `Host: ${host}`),
    `Authorization: Bearer ${shop.key}`,
    "Connection: close",
  ];
  socket.write(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"));
  return promise;
}

async function statuses(targets: readonly string[], hosts: readonly string[], version?: string): Promise<number[]> {
  return Promise.all(targets.map(async (target) => (await sendHead(target, hosts, version)).status));
}

const paths = FAMILIES.map(([path]) => path);
const expected = FAMILIES.map(([, status]) => status);

describe("the Host header", () => {
  test.each(VALID_HOSTS)("every route answers under the host name %p as under any other", async (host) => {
    expect(await statuses(paths, [host])).toEqual(expected);
  });

  test.each(INVALID_HOSTS)("no route answers under %p, which is no host: the request is refused", async (host) => {
    expect(await statuses(paths, [host])).toEqual(paths.map(() => 400));
  });

  test("two Host headers are refused, the same one twice as well", async () => {
    expect(await statuses(paths, ["a", "b"])).toEqual(paths.map(() => 400));
    expect(await statuses(paths, ["a", "a"])).toEqual(paths.map(() => 400));
  });

  test("a health check with HTTP/1.0 needs no Host", async () => {
    expect(await statuses(["/healthz", "/readyz", "/api/v1/me"], [], "1.0")).toEqual([200, 200, 200]);
    expect(await statuses(["/healthz"], [])).toEqual([400]);
  });

  test("the refusal names the header and what would be right", async () => {
    const { text } = await sendHead("/api/v1/me", ["[["]);
    expect(JSON.parse(text).error).toMatchObject({ code: "invalid_request", fields: { Host: [expect.any(String)] } });
  });
});

describe("a path that a proxy in front reads differently", () => {
  test.each([...["x", "ab", "abc", "localhost", "waxwing.example"]])(
    "a path with something before a route's path is another path, under the host %p",
    async (host) => {
      const moved = paths.map((path) => `/zz${path}`);
      expect(await statuses(moved, [host])).toEqual(moved.map(() => 404));
    },
  );

  test("dots, encoded dots and backslashes do not lead from one family of routes to another", async () => {
    const targets = paths
      .filter((path) => path !== "/" && path !== "/nothing")
      .flatMap((path) => [
        `/zz/..${path}`,
        `/zz/%2e%2e${path}`,
        `/zz/.%2E${path}`,
        `/zz\\..${path}`,
        `/.${path}`,
        `/docs/../../${path.slice(1)}`.replace("/docs/../../docs", "/console/../docs"),
        `/console/%2e%2e${path}`.replace("/console/%2e%2e/console", "/api/%2e%2e/console"),
        `/networks\\..${path}`,
      ]);
    const answers = await statuses(targets, ["localhost"]);
    expect(targets.filter((_, index) => answers[index] !== 404)).toEqual([]);
  });
});

test("this file knows every family of routes", () => {
  const families = new Set(paths.map((path) => path.split(/[/?]/)[1]));
  const { routes } = createApp({
    random: { bytes: () => new Uint8Array(16) },
    docs: { publicUrl: null, hasExplorer: false, explorerKey: null },
  } as never);
  for (const { path } of routes) {
    const family = path.split("/")[1] ?? "";
    expect(families.has(family === "*" ? "nothing" : family)).toBe(true);
  }
});

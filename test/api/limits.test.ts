/**
 * What strangers and faulty clients can send: each request is answered or cut off, and the other callers do not wait.
 * All tests use real sockets.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
});
afterAll(() => app[Symbol.asyncDispose]());

const port = (): number => Number(new URL(app.server.url).port);

/** The status of the first answer to these bytes; 0 if the connection ends without one. */
function statusOf(bytes: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const socket = connect(port(), "127.0.0.1");
  let got = "";
  socket.on("data", (chunk) => {
    got += chunk.toString("latin1");
    const status = /^HTTP\/1\.1 (\d+)/.exec(got)?.[1];
    if (status === undefined) return;
    resolve(Number(status));
    socket.destroy();
  });
  socket.on("close", () => resolve(0));
  socket.on("error", (error) => ("code" in error && error.code === "ECONNRESET" ? resolve(0) : reject(error)));
  socket.write(bytes);
  return promise;
}

const head = (more = "", line = "GET /api/v1/me"): string =>
  `${line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${shop.key}\r\n${more}\r\n`;
const post = (body: string, more = ""): string =>
  `${head(`content-type: application/json\r\ncontent-length: ${body.length}\r\n${more}`, "POST /api/v1/messages")}${body}`;

test("a request head over 16 KiB is refused, whether one header, many headers or the address makes it so long", async () => {
  expect(await statusOf(head(`x-a: ${"a".repeat(15_000)}\r\n`))).toBe(200);
  expect(await statusOf(head(`x-a: ${"a".repeat(20_000)}\r\n`))).toBe(431);
  expect(await statusOf(head(Array.from({ length: 1_000 }, (_, index) => `x-${index}: 1\r\n`).join("")))).toBe(431);
  expect(await statusOf(head("", `GET /api/v1/me?${"a".repeat(20_000)}`))).toBe(431);
});

test("a request with an ambiguous length is refused, so that no second request can be smuggled past a proxy", async () => {
  const line = "POST /api/v1/messages";
  const json = "content-type: application/json\r\n";
  expect(await statusOf(`${head(`${json}content-length: 2\r\ncontent-length: 3\r\n`, line)}{}`)).toBe(400);
  expect(
    await statusOf(`${head(`${json}content-length: 2\r\ntransfer-encoding: chunked\r\n`, line)}2\r\n{}\r\n0\r\n\r\n`),
  ).toBe(400);
  expect(await statusOf(`${head(`${json}transfer-encoding: xchunked\r\n`, line)}2\r\n{}\r\n0\r\n\r\n`)).toBe(400);
});

test("JSON nested as deep as a body is long is refused like any other invalid body", async () => {
  for (const depth of [1_000, 100_000, 500_000]) {
    expect([depth, await statusOf(post(`{"to":${"[".repeat(depth)}${"]".repeat(depth)}}`))]).toEqual([depth, 400]);
  }
  const depth = 150_000;
  const objects = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  expect(await statusOf(post(objects, "idempotency-key: deep\r\n"))).toBe(400);
  expect(await statusOf(head())).toBe(200);
});

test("JSON nested more than 100 levels deep is refused as a whole on every endpoint, also inside an unknown member", async () => {
  const deep = (depth: number): string => `{"unknown":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
  for (const line of [
    "POST /api/v1/messages",
    "POST /api/v1/broadcasts/preview",
    "PUT /api/v1/contacts/%2B919876543210",
  ]) {
    for (const depth of [100, 101, 5_000, 50_000]) {
      const [method = "", path = ""] = line.split(" ");
      const { status, body } = await app.call(method, path, { key: shop.key, body: deep(depth) });
      expect({ line, depth, status }).toEqual({ line, depth, status: 400 });
      expect(Object.keys(body.error.fields).length > 0).toBe(depth === 100);
    }
  }
});

test("an object or a list of more than 5,000 entries, or a body of more than 100,000, is refused as a whole", async () => {
  const list = (entries: number): string => `[${Array(entries).fill("1").join(",")}]`;
  const object = (entries: number): string => `{${Array.from({ length: entries }, (_, n) => `"k${n}":1`).join(",")}}`;
  const comma = `"${',{[\\"'.repeat(50_000)}"`;
  const cases: [body: string, isWhole: boolean][] = [
    [`{"a":${list(5_000)}}`, false],
    [`{"a":${list(5_001)}}`, true],
    [object(5_000), false],
    [object(5_001), true],
    [`{"a":[${Array(19).fill(list(5_000)).join(",")}]}`, false],
    [`{"a":[${Array(21).fill(list(4_900)).join(",")}]}`, true],
    [`{"a":${comma}}`, false],
  ];
  for (const line of ["POST /api/v1/messages", "POST /api/v1/broadcasts/preview", "PUT /api/v1/contacts"]) {
    const [method = "", path = ""] = line.split(" ");
    for (const [index, [body, isWhole]] of cases.entries()) {
      const answer = await app.call(method, path, { key: shop.key, body });
      expect([line, index, answer.status]).toEqual([line, index, 400]);
      expect([line, index, Object.keys(answer.body.error.fields).length === 0]).toEqual([line, index, isWhole]);
      if (isWhole) expect(answer.body.error.message).toContain(" entries.");
    }
  }
});

test("of a body with more parts than are worth a list of faults, the first fault is named", async () => {
  const named = async (lists: number) => {
    const to = Array(lists).fill(Array(4_000).fill(1));
    const body = JSON.stringify({ name: 1, template: "x", to });
    const { error } = (await app.call("POST", "/api/v1/broadcasts", { key: shop.key, body })).body;
    return Object.keys(error.fields).length;
  };
  expect([await named(4), await named(6)]).toEqual([5, 1]);
});

test("a body with thousands of faults gets an answer that names a hundred", async () => {
  const body = `{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":1`).join(",")}}`;
  const { status, body: answer, text } = await app.call("POST", "/api/v1/messages", { key: shop.key, body });
  expect(status).toBe(400);
  expect(Object.keys(answer.error.fields).length).toBeLessThanOrEqual(110);
  expect(text.length).toBeLessThan(20_000);
});

test("a body that trickles in is abandoned after 30 seconds, and a large body is refused unread", async () => {
  const trickle = statusOf(
    `${head("content-type: application/json\r\ncontent-length: 1000\r\n", "POST /api/v1/messages")}{`,
  );
  await waitForRequest();
  await app.clock.advance(29_000);
  await app.clock.advance(2_000);
  expect(await trickle).toBe(400);
  const huge = head("content-type: application/json\r\ncontent-length: 2000000000\r\n", "POST /api/v1/messages");
  expect(await statusOf(huge)).toBe(400);
});

test("hundreds of silent connections do not keep other callers from being answered", async () => {
  const sockets = await Promise.all(
    Array.from({ length: 500 }, () => {
      const { promise, resolve, reject } = Promise.withResolvers<Socket>();
      const socket = connect(port(), "127.0.0.1", () => resolve(socket));
      socket.on("error", reject);
      return promise;
    }),
  );
  try {
    expect(await statusOf(head())).toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

/** Waits until the server waits for the body of a request. */
async function waitForRequest(): Promise<void> {
  while (!app.server.isActive()) await new Promise((resolve) => setImmediate(resolve));
}

test("a caller that keeps asking at full speed while it is refused is answered late; other callers, and one that backs off, are not", async () => {
  await using limited = await startTestServer({ config: { limits: { requestsPerSecond: 1, burst: 1 } } });
  const [flooding, calm] = [await limited.workspace(), await limited.workspace({ number: null })];
  const me = async (key: string): Promise<number> => (await limited.call("GET", "/api/v1/me", { key })).status;
  expect(await me(flooding.key)).toBe(200);
  for (let index = 0; index < 100; index++) expect(await me(flooding.key)).toBe(429);
  let isAnswered = false;
  const late = me(flooding.key).then((status) => {
    isAnswered = true;
    return status;
  });
  expect(await me(calm.key)).toBe(200);
  expect(isAnswered).toBe(false);
  await limited.clock.advance(250);
  expect(await late).toBe(429);
  await limited.clock.advance(60_000);
  expect(await me(flooding.key)).toBe(200);
  expect(await me(flooding.key)).toBe(429);
});

test("a body that breaks off is the caller's fault: it changes nothing and logs no error", async () => {
  const before = app.store.counters.operations;
  const begun = head("content-type: application/json\r\ntransfer-encoding: chunked\r\n", "POST /api/v1/messages");
  for (const rest of ["zz\r\n{}\r\n0\r\n\r\n", "5\r\n{}\r\n0\r\n\r\n", "ffffffffffffffffff\r\n{}\r\n"]) {
    expect(await statusOf(begun + rest)).toBe(400);
  }
  await app.clock.rest();
  expect(app.store.counters.operations).toBe(before);
  expect(app.logged.filter((line) => line.includes(" ERROR "))).toEqual([]);
});

/** Exchanges over real sockets on loopback with hosts of raw bytes. What a failure proves is checked at the host. */
import { afterEach, describe, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { type Clock, systemClock } from "#src/core/clock.ts";
import { targetOf } from "#src/net/target.ts";
import { createTransport, type ExchangeRequest } from "#src/net/transport.ts";

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const TIMEOUT_MS = 20_000;
const LIMIT = 256 * 1024;

interface RawHost {
  url: string;
  /** Requests in order of arrival, each from its first line to the end of its body. */
  requests: string[];
  sockets: Socket[];
  /** Resolves once this many requests have been read. */
  arrival(count: number): Promise<void>;
  close(): void;
}

const open: RawHost[] = [];

afterEach(() => {
  for (const host of open.splice(0)) host.close();
});

/** Calls `answer` for each complete request, with its number from 1. */
async function startHost(answer: (socket: Socket, count: number) => void): Promise<RawHost> {
  const waiting: { count: number; resolve: () => void }[] = [];
  const server: Server = createServer((socket) => {
    host.sockets.push(socket);
    let text = "";
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      const head = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (head === -1 || text.length < head + 4 + length) return;
      host.requests.push(text);
      text = "";
      answer(socket, host.requests.length);
      for (const { count, resolve } of waiting) if (host.requests.length >= count) resolve();
    });
  });
  const host: RawHost = {
    url: "",
    requests: [],
    sockets: [],
    arrival: (count) =>
      new Promise((resolve) => (host.requests.length >= count ? resolve() : void waiting.push({ count, resolve }))),
    close() {
      for (const socket of host.sockets) socket.destroy();
      server.close();
    },
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const address = server.address();
  host.url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/v25.0/2/messages`;
  open.push(host);
  return host;
}

function post(url: string, more: Partial<ExchangeRequest> = {}): ExchangeRequest {
  return {
    target: targetOf(url),
    method: "POST",
    body: '{"to":"+4915112345678"}',
    timeoutMs: TIMEOUT_MS,
    pool: "2",
    ...more,
  };
}

/** The system's clock, whose timers fire when the test says so. */
function manualClock() {
  const timers = new Set<() => void>();
  const clock: Clock = {
    ...systemClock,
    setTimer(_delayMs, fire) {
      timers.add(fire);
      return { cancel: () => void timers.delete(fire) };
    },
  };
  return {
    clock,
    count: () => timers.size,
    fireAll: () => {
      for (const fire of timers) fire();
    },
  };
}

function closed(socket: Socket | undefined): Promise<void> {
  return new Promise((resolve) => (socket === undefined || socket.destroyed ? resolve() : socket.on("close", resolve)));
}

describe("a kept connection", () => {
  test("that the host has closed is not used: the next request opens another", async () => {
    const host = await startHost((socket, count) => (count === 1 ? socket.end(OK) : socket.write(OK)));
    const transport = createTransport(systemClock);
    expect(await transport.exchange(post(host.url))).toMatchObject({ kind: "answered" });
    await closed(host.sockets[0]);
    expect(await transport.exchange(post(host.url))).toMatchObject({ kind: "answered" });
    expect(host.requests).toHaveLength(2);
    expect(host.sockets).toHaveLength(2);
  });

  test("that dies under a request leaves it lost, and the request is not repeated", async () => {
    const host = await startHost((socket, count) => (count === 1 ? socket.write(OK) : socket.resetAndDestroy()));
    const transport = createTransport(systemClock);
    expect(await transport.exchange(post(host.url))).toMatchObject({ kind: "answered" });
    expect(await transport.exchange(post(host.url))).toMatchObject({ kind: "lost" });
    expect(host.requests).toHaveLength(2);
    expect(host.sockets).toHaveLength(1);
  });

  test("is closed after four idle seconds, before the host does it", async () => {
    const host = await startHost((socket) => socket.write(OK));
    await createTransport(systemClock).exchange(post(host.url));
    const startedAt = performance.now();
    await closed(host.sockets[0]);
    expect(performance.now() - startedAt).toBeGreaterThan(3_000);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  test("belongs to one pool", async () => {
    const host = await startHost((socket) => socket.write(OK));
    const transport = createTransport(systemClock);
    for (const pool of ["a", "b", "a", "b"]) await transport.exchange(post(host.url, { pool }));
    expect(host.sockets).toHaveLength(2);
  });

  test("with a second answer that no request asked for is not used again", async () => {
    const host = await startHost((socket, count) => socket.write(count === 1 ? OK + OK.replace("ok", "no") : OK));
    const transport = createTransport(systemClock);
    for (let i = 0; i < 2; i += 1) expect(await transport.exchange(post(host.url))).toMatchObject({ body: "ok" });
    expect(host.sockets).toHaveLength(2);
  });
});

const losses: { name: string; answer: (socket: Socket) => void }[] = [
  { name: "is reset before the answer", answer: (socket) => socket.resetAndDestroy() },
  { name: "ends before the answer", answer: (socket) => socket.end() },
  {
    name: "is reset in the middle of the body",
    answer: (socket) => socket.write(OK.slice(0, -1), () => socket.resetAndDestroy()),
  },
  { name: "ends in the middle of the body", answer: (socket) => socket.end(OK.slice(0, -1)) },
  {
    name: "ends in the middle of a chunk",
    answer: (socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab"),
  },
  { name: "switches to another protocol", answer: (socket) => socket.end("HTTP/1.1 101 Other\r\nupgrade: x\r\n\r\n") },
  {
    name: "switches to another protocol with all its headers",
    answer: (socket) => socket.end("HTTP/1.1 101 Other\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nmore"),
  },
  {
    name: "gives two lengths",
    answer: (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok"),
  },
  {
    name: "answers with more bytes than are read",
    answer: (socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${LIMIT + 1}\r\n\r\n${"x".repeat(LIMIT + 1)}`),
  },
  {
    name: "answers without an end",
    answer: (socket) => flood(socket, "HTTP/1.1 200 OK\r\n\r\n", "x".repeat(4_096)),
  },
  {
    name: "sends headers without an end",
    answer: (socket) => flood(socket, "HTTP/1.1 200 OK\r\n", `x-more: ${"y".repeat(1_000)}\r\n`),
  },
  {
    name: "sends one header without an end",
    answer: (socket) => flood(socket, "HTTP/1.1 200 OK\r\nx-more: ", "y".repeat(4_096)),
  },
];

/** Writes as long as the other side reads. */
function flood(socket: Socket, start: string, piece: string): void {
  socket.write(start);
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
    if (!socket.destroyed) socket.once("drain", more);
  };
  more();
}

test.each(losses)("a request whose host $name is lost, sent once, and its connection is closed", async ({ answer }) => {
  const host = await startHost(answer);
  const manual = manualClock();
  expect(await createTransport(manual.clock).exchange(post(host.url))).toMatchObject({ kind: "lost" });
  expect(host.requests).toHaveLength(1);
  expect(manual.count()).toBe(0);
  await closed(host.sockets[0]);
});

describe("the time limit", () => {
  const slow: { name: string; answer: (socket: Socket) => void }[] = [
    { name: "answers nothing", answer: () => {} },
    { name: "stops in the middle of the body", answer: (socket) => socket.write(OK.slice(0, -1)) },
    {
      name: "says again and again that the answer follows",
      answer: (socket) => flood(socket, "", "HTTP/1.1 102 Processing\r\n\r\n"),
    },
  ];
  test.each(slow)(
    "ends an exchange whose host $name: the request is lost and its connection closed",
    async ({ answer }) => {
      const host = await startHost(answer);
      const manual = manualClock();
      const exchange = createTransport(manual.clock).exchange(post(host.url));
      await host.arrival(1);
      manual.fireAll();
      expect(await exchange).toEqual({ kind: "lost", reason: "no answer within the time limit" });
      expect(manual.count()).toBe(0);
      await closed(host.sockets[0]);
    },
  );
});

test("a request that could not be connected is unreachable", async () => {
  const host = await startHost(() => {});
  host.close();
  expect(await createTransport(systemClock).exchange(post(host.url))).toEqual({
    kind: "unreachable",
    reason: "the connection was refused (ECONNREFUSED)",
  });
});

test("nothing is added to a request or an answer: no cookie, no compression, no proxy of the environment", async () => {
  const before = { http: process.env.HTTP_PROXY, all: process.env.ALL_PROXY };
  process.env.HTTP_PROXY = process.env.ALL_PROXY = "http://127.0.0.1:9";
  try {
    const zipped = Bun.gzipSync(Buffer.from("ok"));
    const host = await startHost((socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\nset-cookie: a=b\r\ncontent-encoding: gzip\r\ncontent-length: ${zipped.length}\r\n\r\n`,
      );
      socket.write(zipped);
    });
    const transport = createTransport(systemClock);
    for (let i = 0; i < 2; i += 1) {
      const answer = await transport.exchange(post(host.url));
      expect(answer).toMatchObject({ kind: "answered", status: 200, body: new TextDecoder().decode(zipped) });
    }
    const names = host.requests[1]?.split("\r\n\r\n")[0]?.split("\r\n").slice(1);
    expect(names?.map((line) => line.split(":")[0]?.toLowerCase()).sort()).toEqual([
      "accept",
      "connection",
      "content-length",
      "host",
    ]);
  } finally {
    for (const [name, value] of [
      ["HTTP_PROXY", before.http],
      ["ALL_PROXY", before.all],
    ] as const) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});

test("600 requests of one pool are in flight at once", async () => {
  const held: Socket[] = [];
  const host = await startHost((socket) => void held.push(socket));
  const transport = createTransport(systemClock);
  const sending = Array.from({ length: 600 }, () => transport.exchange(post(host.url, { isBulk: true })));
  await host.arrival(600);
  for (const socket of held) socket.write(OK);
  expect(new Set((await Promise.all(sending)).map(({ kind }) => kind))).toEqual(new Set(["answered"]));
});

/**
 * Posts over real sockets on loopback. Receivers are plain TCP servers, so that they can misbehave to the byte; the
 * clock stands still unless a test moves it.
 */
import { afterEach, describe, expect, mock, test } from "bun:test";
import * as net from "node:net";
import * as tls from "node:tls";
import Stripe from "stripe";
import type { Clock } from "#src/core/clock.ts";
import { serviceSignature } from "#src/core/service-signature.ts";
import {
  createWebhookPoster,
  isSuccess,
  type PostResult,
  type WebhookPoster,
  type WebhookPosterSettings,
} from "#src/net/post.ts";

/** A clock that stands still; `pass` moves it and fires the timers that come due. */
class StoppedClock implements Clock {
  #nowMs = 1_700_000_000_000;
  readonly timers = new Set<{ dueMs: number; fire: () => void }>();

  now(): number {
    return this.#nowMs;
  }
  monotonic(): number {
    return this.#nowMs;
  }
  setTimer(delayMs: number, fire: () => void): { cancel(): void } {
    const timer = { dueMs: this.#nowMs + delayMs, fire };
    this.timers.add(timer);
    return { cancel: () => this.timers.delete(timer) };
  }
  pass(ms: number): void {
    this.#nowMs += ms;
    for (const timer of [...this.timers]) {
      if (timer.dueMs > this.#nowMs) continue;
      this.timers.delete(timer);
      timer.fire();
    }
  }
}

/** A TCP server that counts; `onRequest` is called once a whole request has been read. */
class Receiver {
  connections = 0;
  readonly requests: string[] = [];
  readonly #sockets = new Set<net.Socket>();
  readonly #server: net.Server;
  #awaited: { met: () => boolean; resolve: () => void }[] = [];

  constructor(onRequest: (socket: net.Socket, requestNumber: number) => void, secure?: tls.TlsOptions) {
    const serve = (socket: net.Socket): void => {
      this.connections++;
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        this.#notice();
      });
      let chunks: Buffer[] = [];
      socket.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        const bytes = Buffer.concat(chunks);
        const end = bytes.indexOf("\r\n\r\n");
        const length = /content-length: (\d+)/i.exec(bytes.toString("latin1", 0, end))?.[1];
        if (end === -1 || bytes.length - end - 4 < Number(length)) return;
        this.requests.push(bytes.toString("utf8"));
        chunks = [];
        onRequest(socket, this.requests.length);
        this.#notice();
      });
    };
    this.#server = secure ? tls.createServer(secure, serve) : net.createServer(serve);
    this.#server.on("tlsClientError", () => {});
  }

  static async start(...args: ConstructorParameters<typeof Receiver>): Promise<Receiver> {
    const receiver = new Receiver(...args);
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    cleanups.push(() => receiver.stop());
    return receiver;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }
  get open(): number {
    return this.#sockets.size;
  }
  /** Resolves once `met` holds after a request or a closed connection. */
  until(met: (receiver: Receiver) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited.push({ met: () => met(this), resolve });
      this.#notice();
    });
  }
  #notice(): void {
    for (const { met, resolve } of this.#awaited) if (met()) resolve();
    this.#awaited = this.#awaited.filter(({ met }) => !met());
  }
  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const TIMEOUT_MS = 10_000;
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

function posterWith(settings: Partial<WebhookPosterSettings> = {}): { poster: WebhookPoster; clock: StoppedClock } {
  const clock = new StoppedClock();
  const poster = createWebhookPoster({
    clock,
    allowHttp: true,
    allowPrivate: true,
    timeoutMs: TIMEOUT_MS,
    lookup: async () => ["127.0.0.1"],
    ...settings,
  });
  cleanups.push(() => poster.close());
  return { poster, clock };
}

function hook(url: string, body = '{"id":"evt_1"}'): Parameters<WebhookPoster["post"]>[0] {
  return { url, headers: { "Content-Type": "application/json", "User-Agent": "Waxwing/test" }, body };
}

/** Long enough for bytes written on this thread to be read on it. */
async function turnsOfTheLoop(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

function failure(result: PostResult): string {
  return result.kind === "failed" ? result.reason : `answered ${result.status}`;
}

describe("a post", () => {
  test("arrives as it was given and returns the answer", async () => {
    const receiver = await Receiver.start((socket) => socket.write(OK));
    const { poster, clock } = posterWith();
    const body = '{"text":"Grüße 👋"}';
    const result = await poster.post(hook(`http://hook.test:${receiver.port}/a%20b?c=d`, body));
    expect(result).toEqual({ kind: "answered", status: 200, body: "ok", durationMs: 0 });
    expect(isSuccess(result)).toBe(true);
    const [head = "", sent] = (receiver.requests[0] ?? "").split("\r\n\r\n");
    expect(sent).toBe(body);
    const [line, ...headers] = head.split("\r\n");
    expect(line).toBe("POST /a%20b?c=d HTTP/1.1");
    expect(headers.map((header) => header.toLowerCase()).sort()).toEqual([
      "connection: keep-alive",
      `content-length: ${Buffer.byteLength(body)}`,
      "content-type: application/json",
      `host: hook.test:${receiver.port}`,
      "user-agent: waxwing/test",
    ]);
    expect(clock.timers.size).toBe(0);
  });

  test("counts as delivered for a 2xx only", async () => {
    for (const status of [200, 201, 204, 299, 300, 304, 400, 404, 410, 429, 500, 503]) {
      const receiver = await Receiver.start((socket) =>
        socket.write(
          `HTTP/1.1 ${status} Whatever\r\n${status === 204 || status === 304 ? "" : "Content-Length: 0\r\n"}\r\n`,
        ),
      );
      const result = await posterWith().poster.post(hook(`http://127.0.0.1:${receiver.port}/`));
      expect(result).toEqual({ kind: "answered", status, body: "", durationMs: 0 });
      expect([status, isSuccess(result)]).toEqual([status, status < 300]);
    }
  });

  test("reuses its connection, and resolves a name once per connection", async () => {
    const receiver = await Receiver.start((socket) => socket.write(OK));
    const lookup = mock(async () => ["127.0.0.1"]);
    const { poster } = posterWith({ lookup });
    for (let i = 0; i < 5; i++) {
      const result = await poster.post(hook(`http://hook.test:${receiver.port}/`));
      expect(isSuccess(result)).toBe(true);
      await new Promise(setImmediate);
    }
    expect([receiver.connections, lookup.mock.calls.length]).toEqual([1, 1]);
  });

  test("is repeated once on a new connection when a reused one turns out to be closed", async () => {
    const receiver = await Receiver.start((socket, n) => (n === 2 ? socket.resetAndDestroy() : socket.write(OK)));
    const { poster } = posterWith();
    const url = `http://hook.test:${receiver.port}/`;
    expect(isSuccess(await poster.post(hook(url)))).toBe(true);
    await new Promise(setImmediate);
    expect(isSuccess(await poster.post(hook(url)))).toBe(true);
    expect([receiver.requests.length, receiver.connections]).toEqual([3, 2]);
  });

  test("is repeated only once, and not after the beginning of an answer", async () => {
    for (const [cut, requests] of [
      [(socket: net.Socket) => socket.resetAndDestroy(), 3],
      [(socket: net.Socket) => socket.end(), 3],
      [(socket: net.Socket) => socket.end("HTTP/1.1 200 O"), 2],
    ] as const) {
      const receiver = await Receiver.start((socket, n) => (n === 1 ? socket.write(OK) : cut(socket)));
      const { poster } = posterWith();
      const url = `http://hook.test:${receiver.port}/`;
      expect(isSuccess(await poster.post(hook(url)))).toBe(true);
      expect(failure(await poster.post(hook(url)))).toBe("connection");
      expect(receiver.requests.length).toBe(requests);
    }
  });

  test("does not use a connection that the receiver closed while it was idle", async () => {
    const receiver = await Receiver.start((socket) => socket.end(OK));
    const { poster } = posterWith();
    for (let i = 0; i < 3; i++) {
      expect(isSuccess(await poster.post(hook(`http://hook.test:${receiver.port}/`)))).toBe(true);
      await receiver.until(({ open }) => open === 0);
      await turnsOfTheLoop();
    }
    expect([receiver.requests.length, receiver.connections]).toEqual([3, 3]);
  });

  test("uses no connection of another name, even at the same address, and each new one is checked", async () => {
    const receiver = await Receiver.start((socket) => socket.write(OK));
    const lookup = mock(async (_: string) => ["127.0.0.1"]);
    const { poster } = posterWith({ lookup });
    for (const name of ["a", "b", "a", "b"]) {
      expect(isSuccess(await poster.post(hook(`http://${name}.test:${receiver.port}/`)))).toBe(true);
    }
    expect(lookup.mock.calls.map(([name]) => name)).toEqual(["a.test", "b.test"]);
    expect(receiver.connections).toBe(2);
    expect(receiver.requests.map((text) => /host: ([a-z.]+)/.exec(text)?.[1])).toEqual([
      "a.test",
      "b.test",
      "a.test",
      "b.test",
    ]);
  });

  test("waits for one of 256 connections to a host, and other hosts do not wait", async () => {
    const held: net.Socket[] = [];
    const busy = await Receiver.start((socket) => void held.push(socket));
    const other = await Receiver.start((socket) => socket.write(OK));
    const { poster, clock } = posterWith();
    const posts = Array.from({ length: 258 }, () => poster.post(hook(`http://hook.test:${busy.port}/`)));
    await busy.until(({ requests }) => requests.length === 256);
    expect(isSuccess(await poster.post(hook(`http://hook.test:${other.port}/`)))).toBe(true);
    expect(busy.connections).toBe(256);
    held.shift()?.write(OK);
    await busy.until(({ requests }) => requests.length === 257);
    expect(busy.connections).toBe(256);
    clock.pass(TIMEOUT_MS);
    const results = await Promise.all(posts);
    expect(results.filter(isSuccess)).toHaveLength(1);
    expect(results.at(-1)).toMatchObject({ message: expect.stringContaining("no connection") });
    await busy.until(({ open }) => open === 0);
  });

  test("is not repeated when a new connection is cut", async () => {
    const receiver = await Receiver.start((socket) => socket.resetAndDestroy());
    expect(failure(await posterWith().poster.post(hook(`http://hook.test:${receiver.port}/`)))).toBe("connection");
    expect(receiver.requests.length).toBe(1);
  });

  test("keeps 16 KiB of an endless answer and closes the connection", async () => {
    const receiver = await Receiver.start((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const more = (): void => {
        while (!socket.destroyed && socket.write("é".repeat(10_000)));
      };
      socket.on("drain", more);
      more();
    });
    const result = await posterWith().poster.post(hook(`http://hook.test:${receiver.port}/`));
    expect(result).toEqual({ kind: "answered", status: 200, body: "é".repeat(8192), durationMs: 0 });
    await receiver.until(({ open }) => open === 0);
  });

  test("reads an answer that is not UTF-8, and does not cut a character in two", async () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x00]), Buffer.from(`${"a".repeat(16_380)}€€`)]);
    const receiver = await Receiver.start((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`);
      socket.write(bytes);
    });
    const result = await posterWith().poster.post(hook(`http://hook.test:${receiver.port}/`));
    expect(result).toMatchObject({ body: `\ufffd\ufffd\0${"a".repeat(16_380)}` });
  });

  test("carries a body of several megabytes", async () => {
    const receiver = await Receiver.start((socket) => socket.write(OK));
    const body = JSON.stringify({ text: "ü".repeat(2_000_000) });
    expect(isSuccess(await posterWith().poster.post(hook(`http://hook.test:${receiver.port}/`, body)))).toBe(true);
    expect(receiver.requests[0]?.endsWith(body)).toBe(true);
  });
});

describe("refused addresses", () => {
  const cases: [name: string, addresses: string[]][] = [
    ["loopback", ["127.0.0.1"]],
    ["private", ["10.1.2.3"]],
    ["shared", ["100.64.0.1"]],
    ["metadata", ["169.254.169.254"]],
    ["unspecified", ["0.0.0.0"]],
    ["IPv6 loopback", ["::1"]],
    ["mapped private", ["::ffff:10.0.0.1"]],
    ["mapped loopback", ["::ffff:127.0.0.1"]],
    ["no address at all", ["somewhere"]],
    ["public, then loopback", ["192.175.48.1", "127.0.0.1"]],
    ["loopback, then public", ["127.0.0.1", "192.175.48.1"]],
  ];

  test.each(cases)("a name that resolves to %s is refused and nothing connects", async (_, addresses) => {
    const receiver = await Receiver.start((socket) => socket.write(OK));
    const url = `http://hook.test:${receiver.port}/`;
    const strict = posterWith({ allowPrivate: false, lookup: async () => addresses });
    const result = await strict.poster.post(hook(url));
    expect(failure(result)).toBe("refused_address");
    expect(result).toMatchObject({ message: expect.stringMatching(/^The name hook\.test leads to an? .* address/) });
    // The same receiver is reached when its address is allowed: the check alone kept the connection from being made.
    expect(isSuccess(await posterWith().poster.post(hook(url)))).toBe(true);
    expect(receiver.connections).toBe(1);
  });

  test("an IP literal is refused without a lookup, at each post", async () => {
    const receiver = await Receiver.start((socket) => socket.write(OK));
    const lookup = mock(async () => ["192.175.48.1"]);
    const { poster } = posterWith({ allowPrivate: false, lookup });
    for (const host of [
      "127.0.0.1",
      "127.1",
      "0x7f.1",
      "2130706433",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "0",
      "localhost",
    ]) {
      const result = await poster.post(hook(`http://${host}:${receiver.port}/`));
      expect([host, failure(result)]).toEqual([host, "refused_address"]);
    }
    expect([receiver.connections, lookup.mock.calls.length]).toEqual([0, 0]);
  });

  test("the connection goes to the address that was checked, even if the name resolves differently later", async () => {
    const receiver = await Receiver.start((socket) => socket.write(OK));
    // The second answer leads nowhere: a connection that resolved again could not be made.
    const answers = [["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1"]];
    const lookup = async (): Promise<string[]> => answers.shift() ?? [];
    const url = `http://rebind.test:${receiver.port}/`;
    expect(isSuccess(await posterWith({ lookup }).poster.post(hook(url)))).toBe(true);
    expect(answers).toHaveLength(2);
    // The check uses that very answer: one lookup, refused, and the next answer is never requested.
    expect(failure(await posterWith({ allowPrivate: false, lookup }).poster.post(hook(url)))).toBe("refused_address");
    expect(answers).toHaveLength(1);
    expect(receiver.connections).toBe(1);
  });

  test("a redirect is an answer like any other and is not followed", async () => {
    const inside = await Receiver.start((socket) => socket.write(OK));
    for (const status of [301, 302, 303, 307, 308]) {
      const outside = await Receiver.start((socket) =>
        socket.write(
          `HTTP/1.1 ${status} Moved\r\nLocation: http://127.0.0.1:${inside.port}/\r\nContent-Length: 0\r\n\r\n`,
        ),
      );
      const result = await posterWith().poster.post(hook(`http://hook.test:${outside.port}/`));
      expect(result).toMatchObject({ kind: "answered", status });
      expect(isSuccess(result)).toBe(false);
    }
    expect(inside.connections).toBe(0);
  });

  test("plain http is refused where it is not allowed", async () => {
    const receiver = await Receiver.start((socket) => socket.write(OK));
    const { poster } = posterWith({ allowHttp: false });
    expect(failure(await poster.post(hook(`http://hook.test:${receiver.port}/`)))).toBe("refused_address");
    expect(receiver.connections).toBe(0);
  });
});

describe("the time limit of a post", () => {
  /** Posts to a receiver that never finishes, lets almost all of the time pass, then the rest. */
  async function expectCut(onRequest: (socket: net.Socket) => void, words: string): Promise<void> {
    const receiver = await Receiver.start(onRequest);
    const { poster, clock } = posterWith();
    const posted = poster.post(hook(`http://hook.test:${receiver.port}/`));
    await receiver.until(({ requests }) => requests.length === 1);
    // The first part of the answer must be read before time passes; that takes a few turns of the event loop.
    await turnsOfTheLoop();
    clock.pass(TIMEOUT_MS - 1);
    expect(Bun.peek.status(posted)).toBe("pending");
    clock.pass(1);
    expect(await posted).toEqual({
      kind: "failed",
      reason: "timeout",
      message: expect.stringContaining(words),
      durationMs: TIMEOUT_MS,
    });
    await receiver.until(({ open }) => open === 0);
    expect(clock.timers.size).toBe(0);
  }

  test("cuts off a receiver that does not answer", () => expectCut(() => {}, "did not answer within 10 seconds"));

  test("cuts off a receiver that stops in the headers", () =>
    expectCut((socket) => socket.write("HTTP/1.1 200 OK\r\nX-Slow: "), "did not answer"));

  test("cuts off a receiver that stops in the body", () =>
    expectCut((socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"), "(status 200) did not end"));

  test("cuts off a receiver that trickles forever: arriving bytes do not extend the limit", async () => {
    let trickle = (): void => {};
    const receiver = await Receiver.start((socket) => {
      trickle = () => void socket.write("1\r\nx\r\n");
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    });
    const { poster, clock } = posterWith();
    const posted = poster.post(hook(`http://hook.test:${receiver.port}/`));
    await receiver.until(({ requests }) => requests.length === 1);
    for (let second = 1; second <= 10; second++) {
      expect(Bun.peek.status(posted)).toBe("pending");
      trickle();
      await turnsOfTheLoop();
      clock.pass(1000);
    }
    expect(await posted).toMatchObject({ reason: "timeout", durationMs: TIMEOUT_MS });
    await receiver.until(({ open }) => open === 0);
  });

  test("covers a name server that does not answer, and its late answer connects nothing", async () => {
    const receiver = await Receiver.start((socket) => socket.write(OK));
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<string[]>();
    const { poster, clock } = posterWith({
      lookup: () => {
        asked.resolve();
        return answer.promise;
      },
    });
    const posted = poster.post(hook(`http://hook.test:${receiver.port}/`));
    await asked.promise;
    // Wait until the request has its socket: one that is aborted earlier leaves an idle connection in the pool.
    await turnsOfTheLoop();
    clock.pass(TIMEOUT_MS);
    expect(await posted).toMatchObject({ reason: "timeout", message: expect.stringContaining("no connection") });
    answer.resolve(["127.0.0.1"]);
    await turnsOfTheLoop();
    expect(receiver.connections).toBe(0);
  });

  test("covers a receiver that does not read", async () => {
    const server = net.createServer((socket) => socket.pause().on("error", () => {}));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const connected = new Promise((resolve) => server.once("connection", resolve));
    cleanups.push(() => server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { poster, clock } = posterWith();
    const posted = poster.post(hook(`http://hook.test:${port}/`, "x".repeat(30_000_000)));
    await connected;
    clock.pass(TIMEOUT_MS);
    expect(failure(await posted)).toBe("timeout");
  });

  test("does not affect other posts, even to the same host", async () => {
    const receiver = await Receiver.start((socket, n) => n > 1 && socket.write(OK));
    const { poster, clock } = posterWith();
    const url = `http://hook.test:${receiver.port}/`;
    const hanging = poster.post(hook(url));
    await receiver.until(({ requests }) => requests.length === 1);
    const others = await Promise.all(Array.from({ length: 20 }, () => poster.post(hook(url))));
    expect(others.every(isSuccess)).toBe(true);
    clock.pass(TIMEOUT_MS);
    expect(failure(await hanging)).toBe("timeout");
    expect(isSuccess(await poster.post(hook(url)))).toBe(true);
  });
});

describe("a failed post", () => {
  test.each<[string, string, (socket: net.Socket) => void]>([
    ["a hang-up before the answer", "connection", (socket) => socket.end()],
    ["a reset before the answer", "connection", (socket) => socket.resetAndDestroy()],
    [
      "a hang-up in the middle of the body",
      "connection",
      (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"),
    ],
    ["something that is no HTTP", "protocol", (socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n\r\n")],
    [
      "a broken chunk",
      "protocol",
      (socket) => socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
    ],
    ["endless headers", "protocol", (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${"a".repeat(300_000)}\r\n\r\n`)],
    [
      "a switch of protocols",
      "protocol",
      (socket) => socket.write("HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    ],
  ])("%s is reported as %s, and the connection is closed", async (_, reason, onRequest) => {
    const receiver = await Receiver.start(onRequest);
    const { poster, clock } = posterWith();
    const result = await poster.post(hook(`http://hook.test:${receiver.port}/`));
    expect(failure(result)).toBe(reason);
    expect(result).toMatchObject({ message: expect.stringMatching(/^[A-Z].*\.$/) });
    await receiver.until(({ open }) => open === 0);
    expect(clock.timers.size).toBe(0);
  });

  test("to a closed port is reported as connection", async () => {
    const receiver = await Receiver.start(() => {});
    const { port } = receiver;
    receiver.stop();
    for (const addresses of [["127.0.0.1"], ["::1", "127.0.0.1"]]) {
      const { poster } = posterWith({ lookup: async () => addresses });
      expect(failure(await poster.post(hook(`http://hook.test:${port}/`)))).toBe("connection");
    }
  });

  test("to a name without addresses, or one that cannot be resolved, is reported as unresolved", async () => {
    const nothing = posterWith({ lookup: async () => [] });
    expect(failure(await nothing.poster.post(hook("http://hook.test/")))).toBe("unresolved");
    const broken = posterWith({
      lookup: () => {
        throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
      },
    });
    const result = await broken.poster.post(hook("https://hook.test/"));
    expect(result).toMatchObject({
      reason: "unresolved",
      message: "The name hook.test could not be resolved (ENOTFOUND).",
    });
  });

  test("with a header that cannot be sent returns a failure and does not throw", async () => {
    const { poster, clock } = posterWith();
    const result = await poster.post({ url: "http://hook.test/", headers: { "x-a": "b\r\nc: d" }, body: "" });
    expect(failure(result)).toBe("protocol");
    expect(clock.timers.size).toBe(0);
  });

  test("to a host with an untrusted certificate is reported as tls, and no request is sent", async () => {
    const receiver = await Receiver.start((socket) => socket.write(OK), { key: KEY, cert: SELF_SIGNED });
    const result = await posterWith().poster.post(hook(`https://hook.test:${receiver.port}/`));
    expect(result).toMatchObject({
      reason: "tls",
      message: expect.stringContaining("certificate was not accepted: self signed certificate."),
    });
    expect(receiver.requests).toEqual([]);
  });

  test("over https names the URL's host in the handshake, whatever address it was given", async () => {
    const names: string[] = [];
    const receiver = await Receiver.start((socket) => socket.write(OK), {
      key: KEY,
      cert: SELF_SIGNED,
      SNICallback: (name, done) => {
        names.push(name);
        done(null);
      },
    });
    expect(failure(await posterWith().poster.post(hook(`https://hook.test:${receiver.port}/`)))).toBe("tls");
    expect(names).toEqual(["hook.test"]);
  });

  test("over https to a server that speaks http is reported as tls", async () => {
    const server = net.createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanups.push(() => server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    expect(failure(await posterWith().poster.post(hook(`https://hook.test:${port}/`)))).toBe("tls");
  });
});

describe("closing the poster", () => {
  test("leaves no connection open and ends posts in flight", async () => {
    const receiver = await Receiver.start((socket, n) => n <= 10 && socket.write(OK));
    const { poster, clock } = posterWith();
    const url = `http://hook.test:${receiver.port}/`;
    await Promise.all(Array.from({ length: 10 }, () => poster.post(hook(url))));
    expect(receiver.open).toBeGreaterThan(0);
    const hanging = poster.post(hook(url));
    await receiver.until(({ requests }) => requests.length === 11);
    poster.close();
    expect(failure(await hanging)).toBe("connection");
    await receiver.until(({ open }) => open === 0);
    expect(clock.timers.size).toBe(0);
    expect(await poster.post(hook(url))).toMatchObject({ reason: "connection", message: "The server is stopping." });
  });
});

describe("the webhook signature", () => {
  const body = '{"id":"evt_1","type":"message.sent","data":{"text":"Grüße 👋"}}';
  const secret = "whsec_Ünïcode+/=";

  // Under Bun the package verifies with WebCrypto, which has no synchronous form: hence `constructEventAsync`.
  test("is what the stripe package accepts, within its 300 seconds", async () => {
    const { webhooks } = new Stripe("sk_test_unused");
    const signedAtMs = Date.UTC(2026, 0, 1);
    const header = serviceSignature(body, secret, signedAtMs + 999);
    const verify = (afterSeconds: number, text = body, key = secret): Promise<unknown> =>
      webhooks.constructEventAsync(text, header, key, undefined, undefined, signedAtMs + afterSeconds * 1000);
    expect(await verify(0)).toEqual(JSON.parse(body));
    expect(await verify(300)).toEqual(JSON.parse(body));
    await expect(verify(301)).rejects.toThrow("tolerance");
    await expect(verify(0, `${body} `)).rejects.toThrow("signature");
    await expect(verify(0, body, "whsec_other")).rejects.toThrow("signature");
  });

  test("is the documented string", () => {
    // printf '1700000000.{}' | openssl dgst -sha256 -hmac whsec_test
    expect(serviceSignature("{}", "whsec_test", 1_700_000_000_999)).toBe(
      "t=1700000000,v1=35495024f4ef3f94e5a93e22221544c4b75e9a42300cd965ab81cb85cd994e91",
    );
  });
});

/** Self-signed for hook.test, 2020 to 2120, made for these tests. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPqNPI7OwRTWJVM+q
Z6Zk1Tvq7pWCUs0/+YIPbz85pYOhRANCAARN6bx564P8qEKjvfb8FKYp1eTmyXYr
Tlqn/h6Bud39Zku8++GS5g+bolzDt66EF3IfBR3mOxCZFqGweczOxRXz
-----END PRIVATE KEY-----`;
const SELF_SIGNED = `-----BEGIN CERTIFICATE-----
MIIBYjCCAQegAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlob29rLnRl
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWhvb2sudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABE3pvHnrg/yoQqO9
9vwUpinV5ObJditOWqf+HoG53f1mS7z74ZLmD5uiXMO3roQXch8FHeY7EJkWobB5
zM7FFfOjSDBGMBQGA1UdEQQNMAuCCWhvb2sudGVzdDAPBgNVHRMBAf8EBTADAQH/
MB0GA1UdDgQWBBRDJxaXHnXEUJvQb8Jp1FTqJdFeGjAKBggqhkjOPQQDAgNJADBG
AiEA98TI9xYeII6ZVJr9DYdglUkbo2fg4Lh20j5eBiv4yB0CIQDH6HtiClCY+/mq
OiQy702ZSf5A87LImWuGCACcPvvMQA==
-----END CERTIFICATE-----`;

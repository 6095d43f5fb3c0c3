import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createServer, connect as openSocket, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { type Clock, systemClock } from "#src/core/clock.ts";
import type { OutboundMessage } from "#src/networks/network.ts";
import { createWhatsapp } from "#src/networks/whatsapp/whatsapp.ts";
import { TLS_CERTIFICATE, TLS_KEY } from "#test/support/certificate.ts";

const TIMEOUT_MS = 10_000;
const BODY = JSON.stringify({ messages: [{ id: "wamid.TLS=" }] });
const HEAD = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n`;
const GARBAGE = "this is no TLS record at all";

const OUTBOUND: OutboundMessage = {
  sender: { phone: "+4930000000", phoneNumberId: "2", accountId: "1", accessToken: "token-of-the-test" },
  to: "+4915112345678",
  recipientNetworkUserId: null,
  sendToken: "wx1.k3Qz.4oN0xYB3T2mJr8sVhLw5aA",
  content: { type: "text", body: "Hello" },
};

const open = new Set<{ close(): void }>();

afterEach(() => {
  for (const server of open) server.close();
  open.clear();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  open.add(server);
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function networkAt(port: number, clock: Clock = systemClock) {
  return createWhatsapp(
    {
      graphUrl: `https://127.0.0.1:${port}`,
      apiVersion: "v23.0",
      authHeader: "Authorization",
      authPrefix: "Bearer ",
      pathStyle: "graph",
    },
    clock,
  );
}

describe("a failed TLS handshake proves that nothing was sent", () => {
  const refusals: { name: string; meet: (socket: Socket) => void }[] = [
    { name: "a host that speaks no TLS", meet: (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n") },
    { name: "an alert", meet: (socket) => void socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, 40])) },
    { name: "a reset, as firewalls send it", meet: (socket) => void socket.resetAndDestroy() },
    { name: "a closed connection", meet: (socket) => void socket.end() },
  ];

  test.each(refusals)("the outcome is unreachable: $name", async ({ meet }) => {
    const port = await listen(
      createServer((socket) => {
        socket.on("error", () => {});
        socket.on("data", () => meet(socket));
      }),
    );
    const network = networkAt(port);
    for (let i = 0; i < 3; i += 1)
      expect(await network.send(OUTBOUND, TIMEOUT_MS)).toMatchObject({ kind: "unreachable" });
  });

  test("the outcome is unreachable: an untrusted certificate", async () => {
    const requests: string[] = [];
    const port = await listen(
      createTlsServer({ key: TLS_KEY, cert: TLS_CERTIFICATE }, (socket) => {
        socket.on("error", () => {});
        socket.on("data", (bytes) => requests.push(bytes.toString()));
      }),
    );
    expect(await networkAt(port).send(OUTBOUND, TIMEOUT_MS)).toMatchObject({ kind: "unreachable" });
    expect(requests).toEqual([]);
  });
});

test("a handshake that never ends is cut off by the time limit, proves that nothing was sent, and leaves no timer behind", async () => {
  const greeted = Promise.withResolvers<void>();
  const port = await listen(
    createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", () => greeted.resolve());
    }),
  );
  const timers = new Map<object, () => void>();
  const clock: Clock = {
    ...systemClock,
    setTimer(_delayMs, fire) {
      const timer = { cancel: () => void timers.delete(timer) };
      timers.set(timer, fire);
      return timer;
    },
  };
  const sending = networkAt(port, clock).send(OUTBOUND, TIMEOUT_MS);
  await greeted.promise;
  for (const fire of timers.values()) fire();
  expect(await sending).toEqual({ kind: "unreachable", reason: "no connection within the time limit" });
  expect(timers.size).toBe(0);
});

describe("with a trusted certificate", () => {
  let before: string | undefined;

  beforeEach(() => {
    before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  });
  afterEach(() => {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  });

  /** A TLS server behind a relay of raw bytes, which can break the stream once the server has read a message. */
  async function startRelay(isBroken: (messageCount: number) => boolean, breakIt: (socket: Socket) => void) {
    const methods: string[] = [];
    let messageCount = 0;
    let connectionCount = 0;
    let breakStream = (): void => {};
    const innerPort = await listen(
      createTlsServer({ key: TLS_KEY, cert: TLS_CERTIFICATE }, (socket) => {
        let text = "";
        socket.on("error", () => {});
        socket.on("data", (bytes) => {
          text += bytes.toString();
          if (!text.includes(OUTBOUND.sendToken)) return;
          const method = text.split(" ")[0] ?? "";
          text = "";
          methods.push(method);
          messageCount += 1;
          return isBroken(messageCount) ? breakStream() : socket.write(HEAD + BODY);
        });
      }),
    );
    const port = await listen(
      createServer((socket) => {
        connectionCount += 1;
        const inner = openSocket(innerPort, "127.0.0.1");
        socket.on("error", () => {});
        inner.on("error", () => {});
        socket.on("data", (bytes) => inner.write(bytes));
        inner.on("data", (bytes) => socket.write(bytes));
        socket.on("close", () => inner.destroy());
        breakStream = () => breakIt(socket);
      }),
    );
    return { network: networkAt(port), methods, connectionCount: () => connectionCount };
  }

  test("nothing but the messages is sent, over one connection", async () => {
    const relay = await startRelay(
      () => false,
      () => {},
    );
    for (let i = 0; i < 3; i += 1) {
      expect(await relay.network.send(OUTBOUND, TIMEOUT_MS)).toMatchObject({ kind: "accepted" });
    }
    expect(relay.methods).toEqual(["POST", "POST", "POST"]);
    expect(relay.connectionCount()).toBe(1);
  });

  const breaks: { name: string; breakIt: (socket: Socket) => void }[] = [
    { name: "by garbage, which looks like a failed handshake", breakIt: (socket) => void socket.end(GARBAGE) },
    { name: "by an alert", breakIt: (socket) => void socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, 40])) },
    { name: "by a reset", breakIt: (socket) => void socket.resetAndDestroy() },
    { name: "by its end", breakIt: (socket) => void socket.end() },
  ];

  test.each(breaks)(
    "a stream broken after the message was read, $name, leaves its outcome unknown",
    async ({ breakIt }) => {
      const relay = await startRelay((count) => count === 2, breakIt);
      expect(await relay.network.send(OUTBOUND, TIMEOUT_MS)).toMatchObject({ kind: "accepted" });
      expect(await relay.network.send(OUTBOUND, TIMEOUT_MS)).toMatchObject({ kind: "unknown" });
      expect(await relay.network.send(OUTBOUND, TIMEOUT_MS)).toMatchObject({ kind: "accepted" });
      // Each message was sent once.
      expect(relay.methods).toEqual(["POST", "POST", "POST"]);
    },
  );
});

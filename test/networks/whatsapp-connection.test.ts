import { expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { systemClock } from "#src/core/clock.ts";
import type { OutboundMessage } from "#src/networks/network.ts";
import { createWhatsapp } from "#src/networks/whatsapp/whatsapp.ts";

const TIMEOUT_MS = 10_000;
const ACCEPTED = JSON.stringify({ messages: [{ id: "wamid.RAW=" }] });
const OK = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${ACCEPTED.length}\r\n\r\n${ACCEPTED}`;

function outbound(sendToken: string): OutboundMessage {
  return {
    sender: { phone: "+4930000000", phoneNumberId: "2", accountId: "1", accessToken: "token-of-the-test" },
    to: "+4915112345678",
    recipientNetworkUserId: null,
    sendToken,
    content: { type: "text", body: "Hello" },
  };
}

/**
 * A server of raw bytes that records the send token of each message; `answer` gets the socket and the count, from 1.
 */
async function startRaw(answer: (socket: Socket, count: number) => void) {
  const references: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = "";
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      text += bytes.toString();
      const reference = /"biz_opaque_callback_data":"([^"]+)".*\}$/.exec(text)?.[1];
      if (reference === undefined) return;
      text = "";
      references.push(reference);
      answer(socket, references.length);
    });
  });
  const graphUrl = `http://127.0.0.1:${await listen(server)}`;
  const settings = {
    apiVersion: "v23.0",
    authHeader: "Authorization",
    authPrefix: "Bearer ",
    pathStyle: "graph",
  } as const;
  const network = createWhatsapp({ graphUrl, ...settings }, systemClock);
  return {
    references,
    connectionCount: () => sockets.size,
    send: (reference: string) => network.send(outbound(reference), TIMEOUT_MS),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

test("consecutive messages share a connection", async () => {
  await using raw = await startRaw((socket) => socket.write(OK));
  for (const reference of ["a", "b", "c", "d"]) expect(await raw.send(reference)).toMatchObject({ kind: "accepted" });
  expect(raw.connectionCount()).toBe(1);
});

const endings: { name: string; end: (socket: Socket) => void }[] = [
  { name: "is reset", end: (socket) => void socket.resetAndDestroy() },
  { name: "is closed", end: (socket) => void socket.end() },
  { name: "is closed in the middle of the head", end: (socket) => void socket.end("HTTP/1.1 200") },
  { name: "is closed after a 100", end: (socket) => void socket.end("HTTP/1.1 100 Continue\r\n\r\n") },
  { name: "is closed in the middle of the body", end: (socket) => void socket.end(OK.slice(0, -5)) },
  { name: "speaks nonsense", end: (socket) => void socket.end("nonsense\r\n\r\n") },
];

test.each(endings)(
  "after a reused connection that $name under a message, the message is not repeated",
  async ({ end }) => {
    await using raw = await startRaw((socket, count) => (count === 1 ? void socket.write(OK) : end(socket)));
    expect(await raw.send("a")).toMatchObject({ kind: "accepted" });
    expect(await raw.send("b")).toMatchObject({ kind: "unknown" });
    expect(raw.references).toEqual(["a", "b"]);
  },
);

test("a redirect is not followed, because the message would be sent twice", async () => {
  const redirect = "HTTP/1.1 307 Temporary Redirect\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n";
  await using raw = await startRaw((socket) => socket.write(redirect));
  expect(await raw.send("a")).toMatchObject({ kind: "unknown" });
  expect(raw.references).toEqual(["a"]);
});

test("no message arrives twice, however connections end under many of them", async () => {
  await using raw = await startRaw((socket, count) => {
    if (count % 7 === 0) socket.resetAndDestroy();
    else if (count % 5 === 0) socket.end();
    else if (count % 3 === 0) socket.end(OK);
    else socket.write(OK);
  });
  const outcomes = new Set<string>();
  let next = 0;
  const hand = async (): Promise<void> => {
    while (next < 2000) {
      next += 1;
      outcomes.add((await raw.send(`reference-${next}`)).kind);
    }
  };
  await Promise.all(Array.from({ length: 16 }, hand));
  expect(new Set(raw.references).size).toBe(raw.references.length);
  expect([...outcomes].sort()).toEqual(["accepted", "unknown"]);
});

/**
 * Bodies of senders who have not proven their identity yet, byte by byte over real sockets: which the server waits for,
 * which it abandons, and what it answers. `test/executable/strangers.test.ts` measures their cost in a real process.
 */
import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { firstOperator } from "#test/support/console.ts";
import { GRAPH_APP_SECRET, sign } from "#test/support/graph.ts";
import { startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const MEBIBYTE = 1024 * 1024;
const FORM = "POST /console/api/sign-in";
const CALLBACK = "POST /networks/whatsapp";

interface Sender {
  socket: Socket;
  /** The whole answer, as soon as it has begun. */
  answer: Promise<string>;
  isAnswered(): boolean;
}

function send(
  { app }: WhatsappWorld,
  line: string,
  headers: string,
  beginning: string | Uint8Array,
  from = "127.0.0.1",
): Sender {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  const socket = connect({ port: Number(new URL(app.server.url).port), host: "127.0.0.1", localAddress: from });
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    resolve(text);
  });
  socket.on("close", () => resolve(text));
  socket.on("error", reject);
  socket.write(
    `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\nsec-fetch-site: same-origin\r\n` +
      `x-hub-signature-256: sha256=${"0".repeat(64)}\r\n${headers}\r\n`,
  );
  socket.write(beginning);
  return { socket, answer: promise, isAnswered: () => text !== "" };
}

const announced = (bytes: number): string => `content-length: ${bytes}\r\n`;

/** Waits until the server is answering this many requests at the same time. */
async function untilPending({ app }: WhatsappWorld, count: number): Promise<void> {
  while (app.server.pendingRequests() < count) await new Promise((resolve) => setImmediate(resolve));
}

function hangUp(senders: readonly Sender[]): void {
  for (const { socket } of senders) socket.destroy();
}

test("a large callback that trickles in is abandoned after three seconds, a small one after ten", async () => {
  await using world = await startWhatsapp();
  const large = send(world, CALLBACK, announced(4 * MEBIBYTE), "{");
  const small = send(world, CALLBACK, announced(1_000), "{");
  const form = send(world, FORM, announced(1_000), "{");
  await untilPending(world, 3);
  await world.clock.advance(2_900);
  expect(large.isAnswered()).toBe(false);
  await world.clock.advance(200);
  expect(await large.answer).toStartWith("HTTP/1.1 408 ");
  await world.clock.advance(6_800);
  expect([small.isAnswered(), form.isAnswered()]).toEqual([false, false]);
  await world.clock.advance(200);
  expect(await small.answer).toStartWith("HTTP/1.1 408 ");
  expect(await form.answer).toMatch(/^HTTP\/1\.1 400 .*"code":"invalid_request".*too slowly/s);
  hangUp([large, small, form]);
});

/** A signed callback: afterwards, wrong ones from this network do not count against it. */
async function vouch({ callbackUrl }: WhatsappWorld): Promise<void> {
  expect(await signedCallback(callbackUrl, 100)).toBe(200);
}

async function signedCallback(url: string, bytes: number): Promise<number> {
  const body = Buffer.from(JSON.stringify({ object: "whatsapp_business_account", entry: [], more: "x".repeat(bytes) }));
  const headers = { "x-hub-signature-256": sign(body, GRAPH_APP_SECRET) };
  return (await fetch(url, { method: "POST", body, headers })).status;
}

test("after a large callback with a wrong signature, its network's large ones are refused unread for 30 seconds", async () => {
  await using world = await startWhatsapp();
  const wrong = "x".repeat(MEBIBYTE);
  expect(await send(world, CALLBACK, announced(MEBIBYTE), wrong).answer).toStartWith("HTTP/1.1 403 ");
  // Announced or in chunks; the sender is told to try again, and the connection closes.
  for (const headers of [announced(MEBIBYTE), "transfer-encoding: chunked\r\n"]) {
    const beginning = headers.startsWith("t") ? `${(100_000).toString(16)}\r\n${"x".repeat(100_000)}\r\n` : "x";
    const answer = await send(world, CALLBACK, headers, beginning).answer;
    expect(answer).toMatch(/^HTTP\/1\.1 503 .*retry-after: 5\r\n/is);
    expect(answer).toMatch(/connection: close\r\n/i);
  }
  // Small ones are read as ever.
  expect(await send(world, CALLBACK, announced(1_000), "x".repeat(1_000)).answer).toStartWith("HTTP/1.1 403 ");
  const elsewhere = send(world, CALLBACK, announced(MEBIBYTE), wrong, "127.0.0.2");
  expect(await elsewhere.answer).toStartWith("HTTP/1.1 403 ");
  await world.clock.advance(30_000);
  expect(await signedCallback(world.callbackUrl, MEBIBYTE)).toBe(200);
});

test("a network that sent a signed callback has its large ones read, whatever wrong ones come from it as well", async () => {
  await using world = await startWhatsapp();
  await vouch(world);
  for (let count = 0; count < 3; count++) {
    const wrong = send(world, CALLBACK, announced(MEBIBYTE), "x".repeat(MEBIBYTE));
    expect(await wrong.answer).toStartWith("HTTP/1.1 403 ");
    expect(await signedCallback(world.callbackUrl, MEBIBYTE)).toBe(200);
  }
});

test("large callbacks over the budget wait for their turn, further ones get 503 at once; small ones never wait", async () => {
  await using world = await startWhatsapp();
  await vouch(world);
  const senders = Array.from({ length: 4 }, () => send(world, CALLBACK, announced(4 * MEBIBYTE), "{"));
  await untilPending(world, 4);
  await world.clock.advance(2_000);
  for (let count = 0; count < 8; count++) senders.push(send(world, CALLBACK, announced(4 * MEBIBYTE), "{"));
  await untilPending(world, 12);
  const thirteenth = send(world, CALLBACK, announced(4 * MEBIBYTE), "{");
  senders.push(thirteenth);
  expect(await thirteenth.answer).toMatch(/^HTTP\/1\.1 503 .*retry-after: 5\r\n/is);
  const body = Buffer.from('{"object":"whatsapp_business_account","entry":[]}');
  const signed = await fetch(world.callbackUrl, {
    method: "POST",
    body,
    headers: { "x-hub-signature-256": sign(body, GRAPH_APP_SECRET) },
  });
  expect(signed.status).toBe(200);
  // The first four have been abandoned; four that waited have taken their places, and the others still wait.
  await world.clock.advance(1_100);
  expect(senders.map((sender) => sender.isAnswered())).toEqual(Array.from({ length: 13 }, (_, i) => i < 4 || i > 11));
  // Two more rounds of three seconds.
  await world.clock.advance(6_000);
  for (const { answer } of senders.slice(4, 12)) expect(await answer).toStartWith("HTTP/1.1 408 ");
  hangUp(senders);
});

test("small bodies over the budget evict those that began first, whose senders get 503 and may retry", async () => {
  await using world = await startWhatsapp();
  const senders = Array.from({ length: 64 }, () => send(world, FORM, announced(64 * 1024), "{"));
  await untilPending(world, 64);
  const operator = await firstOperator(world.app);
  expect((await operator.get("/me")).status).toBe(200);
  const pushedOut = senders.filter((sender) => sender.isAnswered());
  expect(pushedOut.length).toBeGreaterThan(0);
  expect(pushedOut.length).toBeLessThan(5);
  for (const { answer } of pushedOut) {
    expect(await answer).toMatch(/^HTTP\/1\.1 503 .*retry-after: 5\r\n.*"code":"unavailable"/is);
  }
  hangUp(senders);
});

test("connections that break off within their bodies leave the whole budget free", async () => {
  await using world = await startWhatsapp();
  await vouch(world);
  for (let round = 0; round < 3; round++) {
    const senders = Array.from({ length: 12 }, () => send(world, CALLBACK, announced(4 * MEBIBYTE), "{"));
    await untilPending(world, 12);
    hangUp(senders);
    await world.clock.advance(0);
  }
  const padding = "x".repeat(4 * MEBIBYTE - 100);
  const body = Buffer.from(JSON.stringify({ object: "whatsapp_business_account", entry: [], padding }));
  const headers = { "x-hub-signature-256": sign(body, GRAPH_APP_SECRET) };
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => fetch(world.callbackUrl, { method: "POST", body, headers })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
});

test("a chunked body is read like one with an announced length, and refused once it is too long", async () => {
  await using world = await startWhatsapp();
  await vouch(world);
  const chunked = (size: number): string => `${size.toString(16)}\r\n${" ".repeat(size)}\r\n`;
  const headers = "transfer-encoding: chunked\r\n";
  for (const [parts, status] of [
    [[100], 403],
    [[60_000, 60_000], 403],
    [[60_000, MEBIBYTE, MEBIBYTE, MEBIBYTE], 403],
    [[60_000, MEBIBYTE, MEBIBYTE, MEBIBYTE, MEBIBYTE], 413],
  ] as const) {
    const sender = send(world, CALLBACK, headers, `${parts.map(chunked).join("")}0\r\n\r\n`);
    expect([parts, (await sender.answer).slice(0, 13)]).toEqual([parts, `HTTP/1.1 ${status} `]);
    hangUp([sender]);
  }
  const form = send(world, FORM, headers, `${chunked(60_000)}${chunked(60_000)}0\r\n\r\n`);
  expect(await form.answer).toMatch(/^HTTP\/1\.1 400 .*larger than 65536 bytes/s);
  hangUp([form]);
});

test("a sign-in form may have 64 KiB at most, and a longer one is not read", async () => {
  await using world = await startWhatsapp();
  const form = send(world, FORM, announced(64 * 1024 + 1), "{");
  expect(await form.answer).toMatch(/^HTTP\/1\.1 400 .*larger than 65536 bytes/s);
  hangUp([form]);
});

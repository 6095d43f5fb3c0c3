/** No event ever leads the server into its own network, however the address is written. */
import { describe, expect, test } from "bun:test";
import * as net from "node:net";
import { replayDelivery } from "#src/domain/webhooks/replay.ts";
import type { ResolveName } from "#src/net/checked-lookup.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";
import { delivery, emit, MINUTE, startHook } from "#test/support/webhooks.ts";

/** Public by registry. It only ever appears beside an address that is refused, so nothing is sent to it. */
const PUBLIC = "192.175.48.1";
const strict = { webhooks: { allowHttp: true, allowPrivate: false, jitter: 0 } };

/** Listens where no request may arrive, and counts connections. */
interface Trap extends AsyncDisposable {
  port: number;
  connections: number;
}

async function setTrap(host = "127.0.0.1"): Promise<Trap> {
  const server = net.createServer((socket) => {
    trap.connections += 1;
    socket.on("error", () => {});
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const trap: Trap = {
    port: typeof address === "object" && address !== null ? address.port : 0,
    connections: 0,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return trap;
}

/** A name server that gives each question the next of its answers, and repeats the last. */
function answers(...given: string[][]): { lookup: ResolveName; asked: string[] } {
  const asked: string[] = [];
  const lookup: ResolveName = async (name) => {
    asked.push(name);
    return given[Math.min(asked.length, given.length) - 1] ?? [];
  };
  return { lookup, asked };
}

async function emitTo(app: TestServer, url: string): Promise<number> {
  const shop = await app.workspace();
  await app.webhook(shop, url);
  return emit(app, shop);
}

describe("a name that resolves to a private address is refused, nothing is connected, and the attempt says why", () => {
  test.each([
    ["loopback", ["127.0.0.1"], "a loopback address (127.0.0.1)"],
    ["a private network", ["10.1.2.3"], "a private address (10.1.2.3)"],
    ["a cloud's metadata", ["169.254.169.254"], "(169.254.169.254)"],
    ["IPv6 loopback", ["::1"], "a loopback address (::1)"],
    ["loopback mapped into IPv6", ["::ffff:127.0.0.1"], "(::ffff:127.0.0.1)"],
    ["a public address and loopback", [PUBLIC, "127.0.0.1"], "a loopback address (127.0.0.1)"],
  ])("%s", async (_, addresses, reason) => {
    const names = answers(addresses);
    await using app = await startTestServer({ config: strict, lookup: names.lookup });
    await using trap = await setTrap(addresses.includes("::1") ? "::1" : "127.0.0.1");
    const url = `http://hook.test:${trap.port}/`;
    const id = await emitTo(app, url);
    await app.clock.advance(MINUTE);

    expect(trap.connections).toBe(0);
    expect(names.asked).toEqual(["hook.test", "hook.test"]);
    const refused = {
      url,
      statusCode: null,
      response: null,
      durationMs: 0,
      error: expect.stringContaining(`The name hook.test leads to `),
    };
    expect(delivery(app, id)).toMatchObject({ status: "pending", attemptCount: 2, attempts: [refused, refused] });
    expect(delivery(app, id).attempts[0]?.error).toContain(reason);
  });
});

test.each(["127.0.0.1", "127.1", "0x7f000001", "2130706433", "[::1]", "[::ffff:7f00:1]", "localhost", "x.localhost."])(
  "%s as the webhook address itself is refused without a name look-up",
  async (host) => {
    const names = answers([PUBLIC]);
    await using app = await startTestServer({ config: strict, lookup: names.lookup });
    await using trap = await setTrap();
    const id = await emitTo(app, `http://${host}:${trap.port}/`);
    expect(delivery(app, id)).toMatchObject({
      attemptCount: 1,
      attempts: [{ statusCode: null, error: expect.stringMatching(/^The webhook address /) }],
    });
    expect([trap.connections, names.asked]).toEqual([0, []]);
  },
);

test("a name whose answer changes between two attempts is checked against the address that is connected to", async () => {
  const names = answers(["127.0.0.1", PUBLIC], ["127.0.0.1"]);
  await using app = await startTestServer({ config: strict, lookup: names.lookup });
  await using trap = await setTrap();
  const id = await emitTo(app, `http://rebind.test:${trap.port}/`);
  // One question serves the check and the connection: there is no second answer that could differ.
  expect(names.asked).toEqual(["rebind.test"]);
  await app.store.write((tx) => replayDelivery(tx, id));
  await app.clock.rest();
  expect(names.asked).toEqual(["rebind.test", "rebind.test"]);
  for (const { error } of delivery(app, id).attempts)
    expect(error).toContain("leads to a loopback address (127.0.0.1)");
  expect(trap.connections).toBe(0);
});

test.each([301, 302, 303, 307, 308])(
  "a %d that redirects to a private address is recorded and never followed",
  async (status) => {
    const names = answers(["127.0.0.1"]);
    await using app = await startTestServer({ lookup: names.lookup });
    await using trap = await setTrap();
    await using hook = startHook(app.clock);
    const places = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]", "inside.test"];
    hook.answer = (count) =>
      new Response(null, { status, headers: { location: `http://${places[count - 1]}:${trap.port}/latest` } });
    const shop = await app.workspace();
    await app.webhook(shop, `http://hook.test:${hook.port}/`);
    for (const _ of places) {
      expect(delivery(app, await emit(app, shop))).toMatchObject({
        status: "pending",
        attempts: [{ statusCode: status, error: null, durationMs: 0 }],
      });
    }
    expect([hook.hits.length, trap.connections]).toEqual([places.length, 0]);
    expect(new Set(names.asked)).toEqual(new Set(["hook.test"]));
  },
);

test("an address that was once allowed is refused when the server starts with stricter settings", async () => {
  await using app = await startTestServer();
  await using hook = startHook(app.clock, () => new Response(null, { status: 500 }));
  const id = await emitTo(app, hook.url);
  await app.stop();
  await using again = await startTestServer({ directory: app.directory, clock: app.clock, config: strict });
  await again.clock.advance(MINUTE);
  expect(hook.hits.length).toBe(1);
  expect(delivery(again, id).attempts[1]?.error).toMatch(/^The webhook address .*loopback/);
});

test("a plain http address is refused if only https is allowed", async () => {
  const names = answers([PUBLIC]);
  const config = { webhooks: { allowHttp: false, allowPrivate: true, jitter: 0 } };
  await using app = await startTestServer({ config, lookup: names.lookup });
  await using trap = await setTrap();
  const id = await emitTo(app, `http://hook.test:${trap.port}/`);
  expect(delivery(app, id).attempts).toMatchObject([{ statusCode: null, error: expect.stringContaining("https") }]);
  expect([trap.connections, names.asked]).toEqual([0, []]);
});

/**
 * How callbacks arrive: which sender may speak for which number, what is stored, and that nothing else changes
 * anything.
 */
import { describe, expect, test } from "bun:test";
import { request as httpRequest } from "node:http";
import { gzipSync } from "node:zlib";
import { createCallbackAddress, listCallbackAddresses } from "#src/domain/numbers/callback-address.ts";
import { removeNumber } from "#src/domain/numbers/readiness.ts";
import { GRAPH_APP_SECRET, sign, writeCallback } from "#test/support/graph.ts";
import { DAY } from "#test/support/webhooks.ts";
import { rows, startWhatsapp, textFrom, VERIFY_TOKEN, type WhatsappWorld } from "#test/support/whatsapp.ts";

const ANNA = "+4915112345678";

function inboundCount({ app }: WhatsappWorld): number {
  return rows(app.store, "SELECT id FROM inbounds").length;
}

function storedCount({ app }: WhatsappWorld): number {
  return rows(app.store, "SELECT id FROM callbacks").length;
}

describe("the verification of the callback address", () => {
  const query = (more: Record<string, string> = {}) =>
    new URLSearchParams({
      "hub.mode": "subscribe",
      "hub.verify_token": VERIFY_TOKEN,
      "hub.challenge": "1158201444",
      ...more,
    });

  test("with the configured token answers the bare challenge", async () => {
    await using world = await startWhatsapp();
    const response = await fetch(`${world.callbackUrl}?${query()}`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("1158201444");
    expect(response.headers.get("content-type")).toStartWith("text/plain");
  });

  test("with another token, another mode, no token, or no configured token is refused", async () => {
    await using world = await startWhatsapp();
    for (const more of [{ "hub.verify_token": "other" }, { "hub.mode": "unsubscribe" }, { "hub.verify_token": "" }]) {
      expect((await fetch(`${world.callbackUrl}?${query(more)}`)).status).toBe(403);
    }
    expect((await fetch(world.callbackUrl)).status).toBe(403);
    await using silent = await startWhatsapp({ config: { whatsapp: { verifyToken: null } } });
    expect((await fetch(`${silent.callbackUrl}?${query({ "hub.verify_token": "" })}`)).status).toBe(403);
  });
});

describe("a callback", () => {
  test("that is signed is stored as it came, answered, and applied", async () => {
    await using world = await startWhatsapp();
    expect(await world.hear(textFrom(world.graph, ANNA, "Grüße / 👍"))).toBe(200);
    expect(inboundCount(world)).toBe(1);
    expect(world.webhooks.received.find(({ event }) => event.type === "message.received")?.event.data).toMatchObject({
      message: { text: "Grüße / 👍" },
    });
    const [stored] = rows<{ body: string }>(world.app.store, "SELECT body FROM callbacks");
    expect(stored?.body).toContain("Gr\\u00fc\\u00dfe \\/ ");
  });

  test("that is forged, unsigned, truncated after signing, or changed by one byte is refused and not even stored", async () => {
    await using world = await startWhatsapp();
    const body = writeCallback(textFrom(world.graph, ANNA, "Hi"));
    const right = sign(Buffer.from(body), GRAPH_APP_SECRET);
    const { graph } = world;
    expect(await graph.callback(body, { appSecret: "another-secret" })).toBe(403);
    expect(await graph.callback(body, { signature: null })).toBe(403);
    expect(await graph.callback(body, { signature: "" })).toBe(403);
    expect(await graph.callback(body, { signature: right.replace("sha256=", "sha1=") })).toBe(403);
    expect(await graph.callback(body.slice(0, -1), { signature: right })).toBe(403);
    expect(await graph.callback(body.replace("Hi", "Ho"), { signature: right })).toBe(403);
    expect(await graph.callback(`${body} `, { signature: right })).toBe(403);
    expect(storedCount(world)).toBe(0);
    expect(await graph.callback(body, { signature: right })).toBe(200);
    expect(storedCount(world)).toBe(1);
  });

  test("to a server without any secret is refused", async () => {
    await using world = await startWhatsapp({ appSecret: null });
    expect(await world.graph.callback(textFrom(world.graph, ANNA, "Hi"))).toBe(403);
    expect(await world.graph.callback(textFrom(world.graph, ANNA, "Hi"), { appSecret: "" })).toBe(403);
    expect(storedCount(world)).toBe(0);
  });

  test("that is delivered again, in whole or in part, changes nothing", async () => {
    await using world = await startWhatsapp();
    const change = textFrom(world.graph, ANNA, "STOP");
    await world.hear(change);
    const events = world.events();
    await world.hear(change);
    await Promise.all([world.graph.callback(change), world.graph.callback([change, change])]);
    await world.clock.advance(1_000);
    expect(inboundCount(world)).toBe(1);
    expect(world.events()).toEqual(events);
  });

  test("that is invalid JSON, truncated, compressed or too large is refused with the reason", async () => {
    await using world = await startWhatsapp();
    const { graph } = world;
    expect(await graph.callback("not json")).toBe(400);
    expect(await graph.callback('{"object":"whatsapp_business_account","entry":[')).toBe(400);
    expect(await graph.callback("")).toBe(400);
    const zipped = gzipSync(Buffer.from(writeCallback(textFrom(graph, ANNA, "Hi"))));
    const post = (body: Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
      fetch(world.callbackUrl, { method: "POST", body, headers });
    const signature = { "x-hub-signature-256": sign(zipped, GRAPH_APP_SECRET) };
    expect((await post(new Uint8Array(zipped), { ...signature, "content-encoding": "gzip" })).status).toBe(415);
    const large = new Uint8Array(4 * 1024 * 1024 + 1).fill(0x20);
    expect((await post(large, { "x-hub-signature-256": sign(large, GRAPH_APP_SECRET) })).status).toBe(413);
    expect(storedCount(world)).toBe(0);
  });

  test("whose sender hangs up in the middle is not stored, and the server continues", async () => {
    await using world = await startWhatsapp();
    const body = Buffer.from(writeCallback(textFrom(world.graph, ANNA, "Hi")));
    await new Promise<void>((resolve) => {
      const half = httpRequest(world.callbackUrl, {
        method: "POST",
        headers: { "content-length": body.length, "x-hub-signature-256": sign(body, GRAPH_APP_SECRET) },
      });
      half.on("error", () => resolve());
      half.on("close", () => resolve());
      half.write(body.subarray(0, body.length / 2), () => half.destroy());
    });
    await world.clock.advance(100);
    expect(storedCount(world)).toBe(0);
    expect(await world.hear(textFrom(world.graph, ANNA, "Hi"))).toBe(200);
    expect(inboundCount(world)).toBe(1);
  });

  test("in chunks without a length is read to its end", async () => {
    await using world = await startWhatsapp();
    const body = Buffer.from(writeCallback(textFrom(world.graph, ANNA, "Hi")));
    const status = await new Promise<number>((resolve, reject) => {
      const chunked = httpRequest(
        world.callbackUrl,
        {
          method: "POST",
          headers: { "transfer-encoding": "chunked", "x-hub-signature-256": sign(body, GRAPH_APP_SECRET) },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      chunked.on("error", reject);
      chunked.write(body.subarray(0, 10));
      chunked.end(body.subarray(10));
    });
    expect(status).toBe(200);
    await world.clock.advance(0);
    expect(inboundCount(world)).toBe(1);
  });
});

describe("the owner of a secret speaks only for the numbers under that secret", () => {
  const OTHER = { phone: "+4930000001", phoneNumberId: "200000000000002", accountId: "100000000000002" };

  async function twoOwners() {
    const world = await startWhatsapp();
    const second = await world.app.workspace({ country: "DE", number: null, name: "Other" });
    await world.addNumber(second.id, { ...OTHER, appSecret: "the-other-secret" });
    return { world, second };
  }

  const inboundOf = (phoneNumberId: string, id: string) => ({
    field: "messages",
    value: {
      messaging_product: "whatsapp",
      metadata: { display_phone_number: "493000000", phone_number_id: phoneNumberId },
      messages: [{ from: ANNA.slice(1), id, timestamp: "1795248000", type: "text", text: { body: "STOP" } }],
    },
  });

  test("a number with its own secret is not reachable with the configuration's secret, nor the other way round", async () => {
    const { world } = await twoOwners();
    await using _ = world;
    expect(await world.hear(inboundOf(OTHER.phoneNumberId, "wamid.a"))).toBe(200);
    expect(await world.hear(inboundOf("200000000000001", "wamid.b"), { appSecret: "the-other-secret" })).toBe(200);
    expect(inboundCount(world)).toBe(0);
    const notes = rows<{ note: string }>(world.app.store, "SELECT note FROM callbacks").map(({ note }) => note);
    expect(notes).toEqual([
      "foreign: a received message for a number whose secret did not sign it",
      "foreign: a received message for a number whose secret did not sign it",
    ]);
    await world.hear(inboundOf(OTHER.phoneNumberId, "wamid.c"), { appSecret: "the-other-secret" });
    expect(inboundCount(world)).toBe(1);
  });

  test("of a body with items of several owners, only those under the signing secret are applied", async () => {
    const { world } = await twoOwners();
    await using _ = world;
    const changes = [
      inboundOf(OTHER.phoneNumberId, "wamid.1"),
      inboundOf("200000000000001", "wamid.2"),
      inboundOf("200000000000009", "wamid.3"),
    ];
    await world.hear(changes, { appSecret: "the-other-secret" });
    expect(rows<{ network_message_id: string }>(world.app.store, "SELECT network_message_id FROM inbounds")).toEqual([
      { network_message_id: "wamid.1" },
    ]);
  });

  test("a callback cannot decide about another owner's templates or account", async () => {
    const { world } = await twoOwners();
    await using _ = world;
    const rejected = {
      field: "message_template_status_update",
      value: {
        event: "REJECTED",
        message_template_id: 1,
        message_template_name: "greeting",
        message_template_language: "en_US",
        reason: "SCAM",
      },
    };
    const banned = {
      field: "account_update",
      value: { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "DISABLE" } },
    };
    await world.hear([rejected, banned], { appSecret: "the-other-secret" });
    expect(rows(world.app.store, "SELECT status FROM templates WHERE status <> 'APPROVED'")).toEqual([]);
    expect(world.number().ready).toBe(true);
    await world.hear([rejected, banned]);
    expect(rows(world.app.store, "SELECT status FROM templates WHERE status = 'REJECTED'")).toHaveLength(1);
    expect(world.number().ready).toBe(false);
  });

  test("a callback cannot reach a simulated number", async () => {
    await using world = await startWhatsapp();
    const simulated = await world.app.workspace({ number: "+911244001100" });
    const [row] = rows<{ id: string }>(
      world.app.store,
      `SELECT phone_number_id AS id FROM numbers WHERE id = ${simulated.numberId}`,
    );
    await world.hear(inboundOf(row?.id ?? "", "wamid.x"));
    expect(inboundCount(world)).toBe(0);
  });

  test("the right one of many secrets is found by the ids in the body", async () => {
    await using world = await startWhatsapp();
    const many = await world.app.workspace({ country: "DE", number: null, name: "Many" });
    for (let index = 0; index < 8; index++) {
      await world.addNumber(many.id, {
        phone: `+493000001${index}`,
        phoneNumberId: `20000000000001${index}`,
        accountId: `10000000000001${index}`,
        appSecret: `secret-${index}`,
      });
    }
    await world.hear(inboundOf("200000000000017", "wamid.7"), { appSecret: "secret-7" });
    expect(inboundCount(world)).toBe(1);
    // Its signature is valid, but nothing in the body belongs to that secret's owner.
    expect(await world.graph.callback(inboundOf("200000000000016", "wamid.6"), { appSecret: "secret-7" })).toBe(403);
  });
});

describe("a provider that does not sign its callbacks", () => {
  const allow = (world: WhatsappWorld, number = world.number()) =>
    world.app.store.write((tx) => createCallbackAddress(tx, number));
  const post = (world: WhatsappWorld, { token }: { token: string }, secret?: string): Promise<number> =>
    fetch(`${world.callbackUrl}/${token}`, {
      method: "POST",
      body: "{}",
      ...(secret === undefined ? {} : { headers: { "X-Callback-Secret": secret } }),
    }).then(({ status }) => status);

  test("reaches its number by the number's own address, and no other number", async () => {
    await using world = await startWhatsapp({ appSecret: null });
    const other = await world.app.workspace({ country: "DE", number: null, name: "Other" });
    const number = await world.addNumber(other.id, { phone: "+4930000002", phoneNumberId: "200000000000002" });
    const url = `${world.callbackUrl}/${(await allow(world, number)).token}`;
    const change = textFrom(world.graph, ANNA, "Hi");
    expect(await world.hear(change, { url, signature: null })).toBe(200);
    expect(inboundCount(world)).toBe(0);
    const own = { ...change, value: { ...change.value, metadata: { phone_number_id: "200000000000002" } } };
    expect(await world.hear(own, { url, signature: null })).toBe(200);
    expect(inboundCount(world)).toBe(1);
  });

  test("is refused at a wrong address and at the address of a removed number", async () => {
    await using world = await startWhatsapp();
    const address = await allow(world);
    expect(await post(world, { token: "x".repeat(26) })).toBe(403);
    expect(await post(world, address)).toBe(200);
    const { id } = world.number();
    await world.app.store.write((tx) => void removeNumber(tx, id));
    expect(await post(world, address)).toBe(403);
  });

  test("has no address unless the operator allowed it", async () => {
    await using world = await startWhatsapp();
    expect(world.app.store.read((tx) => listCallbackAddresses(tx, world.number().id))).toEqual([]);
  });

  test("must send the secret header from the first time that it sent it, and never a wrong one", async () => {
    await using world = await startWhatsapp();
    const address = await allow(world);
    expect(await post(world, address)).toBe(200);
    expect(await post(world, address, "wrong")).toBe(403);
    expect(await post(world, address, address.secret)).toBe(200);
    expect(await post(world, address)).toBe(403);
    expect(await post(world, address, `${address.secret}x`)).toBe(403);
    expect(await post(world, address, address.secret)).toBe(200);
  });

  test("can use a renewed address's predecessor until the new one is called, at most for a day", async () => {
    await using world = await startWhatsapp();
    const first = await allow(world);
    expect(await post(world, first)).toBe(200);
    const second = await allow(world);
    expect([await post(world, first), await post(world, second), await post(world, first)]).toEqual([200, 200, 403]);
    const third = await allow(world);
    await world.app.clock.pass(DAY - 1_000);
    expect(await post(world, second)).toBe(200);
    await world.app.clock.advance(2_000);
    expect(await post(world, second)).toBe(403);
    expect(await post(world, third)).toBe(200);
  });

  test("leaves neither address nor secret in the database or its backup", async () => {
    await using world = await startWhatsapp();
    const { token, secret } = await allow(world);
    await post(world, { token }, secret);
    const bytes = world.app.store.client.serialize().toString("latin1");
    expect(bytes).toContain(world.number().phoneNumberId);
    expect([bytes.includes(token), bytes.includes(secret)]).toEqual([false, false]);
  });
});

test("a thousand updates of three megabytes with a malformed one are stored at once, and the others are applied", async () => {
  await using world = await startWhatsapp();
  const messages = Array.from({ length: 1_000 }, (_, index) =>
    index === 500
      ? { from: "nobody", id: null, type: 7 }
      : {
          from: `49151${String(10_000_000 + index)}`,
          id: `wamid.batch-${index}`,
          timestamp: "1795248000",
          type: "text",
          text: { body: "x".repeat(2_900) },
        },
  );
  const base = textFrom(world.graph, ANNA, "Hi");
  const change = { ...base, value: { ...base.value, messages } };
  expect(writeCallback(change).length).toBeGreaterThan(3_000_000);
  expect(await world.hear(change)).toBe(200);
  await world.clock.advance(1_000);
  expect(inboundCount(world)).toBe(999);
  const [stored] = rows<{ note: string }>(world.app.store, "SELECT note FROM callbacks");
  expect(stored?.note).toStartWith("unreadable: ");
});

test("a callback is answered while another callback's thousand updates are still being applied", async () => {
  await using world = await startWhatsapp();
  const many = (part: number) =>
    Array.from({ length: 1_000 }, (_, index) => ({
      from: `49151${String(10_000_000 + index)}`,
      id: `wamid.${part}-${index}`,
      timestamp: "1795248000",
      type: "text",
      text: { body: "Hello" },
    }));
  const base = textFrom(world.graph, ANNA, "Hi");
  const bodies = Array.from({ length: 4 }, (_, part) => ({ ...base, value: { ...base.value, messages: many(part) } }));
  const appliedMeanwhile: number[] = [];
  for (const body of bodies) {
    const before = inboundCount(world);
    expect(await world.graph.callback(body)).toBe(200);
    appliedMeanwhile.push(inboundCount(world) - before);
  }
  // All four are answered and at least one is not yet applied, so the answers did not wait for the work.
  const open = rows(world.app.store, "SELECT id FROM callbacks WHERE done_at IS NULL").length;
  expect(open).toBeGreaterThan(0);
  await world.clock.advance(10_000);
  expect(inboundCount(world)).toBe(4_000);
  // Counted in updates, because milliseconds would show how busy the machine is. An answer that waits for a whole body
  // waits for a thousand updates.
  expect(appliedMeanwhile.toSorted((a, b) => a - b)[2]).toBeLessThan(500);
}, 60_000);

/** The proof of an event's sender, checked with the code that customers' own software uses. */
import { expect, test } from "bun:test";
import { version } from "#src/core/version.ts";
import { rotateSecret, showWebhook } from "#src/domain/webhooks/address.ts";
import { startTestServer } from "#test/support/server.ts";
import { boxOf, emit, type Hit, isGenuine, MINUTE, SECOND, startHook, verify } from "#test/support/webhooks.ts";

const CHECKED_FOR_MS = 5 * MINUTE;

test("every event of a message passes the receiver's check with the secret as the server shows it", async () => {
  await using app = await startTestServer();
  await using hook = startHook(app.clock);
  const shop = await app.workspace();
  await app.webhook(shop, hook.url);
  const { secret } = app.store.read((tx) => showWebhook(tx, boxOf(app), shop.id));
  await app.inbound(shop, "+919876543210", "Ist das Päckchen schon da? 📦 \u2028 </script>");
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: { to: "+919876543210", text: "Ja – öffnen! 📦" } });
  await app.clock.advance(5 * SECOND);

  expect(hook.hits.map(({ event }) => event.type).sort()).toEqual([
    "message.delivered",
    "message.read",
    "message.received",
    "message.sent",
  ]);
  for (const hit of hook.hits) {
    const verified: unknown = await verify(hit, secret, hit.at);
    expect(verified).toEqual(hit.event);
    expect(hit.headers.get("service-signature")).toMatch(/^t=[0-9]{10},v1=[0-9a-f]{64}$/);
    expect(hit.headers.get("content-type")).toBe("application/json");
    expect(hit.headers.get("user-agent")).toBe(`Waxwing/${version}`);
  }
});

test("one changed byte of the body, the time or the secret fails the receiver's check", async () => {
  await using app = await startTestServer();
  await using hook = startHook(app.clock);
  const shop = await app.workspace();
  const secret = await app.webhook(shop, hook.url);
  await emit(app, shop);
  const [hit] = hook.hits;
  if (hit === undefined) throw new Error("no event came");

  expect(await isGenuine(hit, secret, hit.at)).toBe(true);
  for (let at = 0; at < hit.body.length; at++) {
    const changed = String.fromCharCode(hit.body.charCodeAt(at) ^ 1);
    const body = `${hit.body.slice(0, at)}${changed}${hit.body.slice(at + 1)}`;
    expect(await isGenuine({ ...hit, body }, secret, hit.at)).toBe(false);
  }
  expect(await isGenuine({ ...hit, body: `${hit.body}\n` }, secret, hit.at)).toBe(false);
  const header = hit.headers.get("service-signature") ?? "";
  const later = header.replace(/^t=\d+/, `t=${Math.floor(hit.at / 1000) + 1}`);
  expect(await isGenuine(withSignature(hit, later), secret, hit.at)).toBe(false);
  expect(await isGenuine(hit, secret.toUpperCase(), hit.at)).toBe(false);
  expect(await isGenuine(hit, secret.replace(/^whsec_/, ""), hit.at)).toBe(false);
});

test("an event that is replayed more than five minutes later fails the receiver's check", async () => {
  await using app = await startTestServer();
  await using hook = startHook(app.clock);
  const shop = await app.workspace();
  const secret = await app.webhook(shop, hook.url);
  await emit(app, shop);
  const [hit] = hook.hits;
  if (hit === undefined) throw new Error("no event came");
  expect(await isGenuine(hit, secret, hit.at + CHECKED_FOR_MS)).toBe(true);
  expect(await isGenuine(hit, secret, hit.at + CHECKED_FOR_MS + SECOND)).toBe(false);
});

test("a secret that is replaced between two attempts signs the second, which the old secret no longer verifies", async () => {
  await using app = await startTestServer();
  await using hook = startHook(app.clock, (count) => new Response(null, { status: count === 1 ? 500 : 200 }));
  const shop = await app.workspace();
  const old = await app.webhook(shop, hook.url);
  await emit(app, shop);
  const rotated = await app.store.write((tx) => rotateSecret(tx, boxOf(app), shop.id));
  await app.clock.advance(MINUTE);

  const [first, second] = hook.hits;
  if (first === undefined || second === undefined) throw new Error("there were not two attempts");
  expect(rotated).toMatchObject({ url: hook.url });
  expect(rotated.secret).toMatch(/^whsec_/);
  expect(rotated.secret).not.toBe(old);
  expect(second.body).toBe(first.body);
  expect(await isGenuine(first, old, first.at)).toBe(true);
  expect(await isGenuine(first, rotated.secret, first.at)).toBe(false);
  expect(await isGenuine(second, rotated.secret, second.at)).toBe(true);
  expect(await isGenuine(second, old, second.at)).toBe(false);
});

test("a changed address keeps the secret, and one workspace's secret never verifies another's events", async () => {
  await using app = await startTestServer();
  await using hook = startHook(app.clock);
  await using other = startHook(app.clock);
  const [shop, rival] = [await app.workspace(), await app.workspace({ number: "+911244001199" })];
  const secret = await app.webhook(shop, hook.url);
  expect(await app.webhook(shop, other.url)).toBe(secret);
  const rivalSecret = await app.webhook(rival, hook.url);
  await emit(app, shop);
  await emit(app, rival);
  const [[ours], [theirs]] = [other.hits, hook.hits];
  if (ours === undefined || theirs === undefined) throw new Error("an event is missing");
  expect(await isGenuine(ours, secret, ours.at)).toBe(true);
  expect(await isGenuine(theirs, rivalSecret, theirs.at)).toBe(true);
  expect(await isGenuine(theirs, secret, theirs.at)).toBe(false);
});

function withSignature(hit: Hit, signature: string): Hit {
  return { ...hit, headers: new Headers({ "service-signature": signature }) };
}

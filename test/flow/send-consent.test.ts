/**
 * Consent and identity while a message is being sent: opt-outs in between, opt-ins by sending, the network's name for
 * the recipient.
 */
import { expect, test } from "bun:test";
import type { Tx } from "#src/db/transaction.ts";
import { changeConsent } from "#src/domain/contacts/change-consent.ts";
import { getContact } from "#src/domain/contacts/find.ts";
import { messages } from "#src/domain/messages/table.ts";
import { markUnready, removeNumber } from "#src/domain/numbers/readiness.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { suspend } from "#src/domain/workspaces/update.ts";
import { erase } from "#test/support/erase.ts";
import { accepted, fakeNetwork, gate, pairThrottled, refused, unknown } from "#test/support/fake-network.ts";
import { reportInbound, reportStatus } from "#test/support/report.ts";
import {
  accountOf,
  aliasesOf,
  consentLogOf,
  contactOf,
  contactsOf,
  eventTypesOf,
  keysOf,
  messageOf,
  messagesOf,
} from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { orderShipped, sale, shipped, summerSale } from "#test/support/templates.ts";

const asha = "+919876543210";

async function start() {
  const network = fakeNetwork();
  const app = await startTestServer({ networks: { simulator: network } });
  const shop = await app.workspace({ billing: { rate: 8_500, balance: 1_000_000 } });
  await app.template(shop, orderShipped);
  await app.template(shop, summerSale);
  return { app, network, shop };
}

/** Sends, and runs `meanwhile` while the throttled message waits for its second attempt. */
async function sendAcross(app: TestServer, shop: TestWorkspace, meanwhile: () => Promise<void>) {
  const answer = app.call("POST", "/api/v1/messages", {
    key: shop.key,
    body: sale(),
    headers: { "idempotency-key": "order-1" },
  });
  await app.clock.advance(1_000);
  await meanwhile();
  return app.clock.until(answer);
}

/** Sends; the network has the message, and answers when `open` is called. */
async function sendAndWait(app: TestServer, network: ReturnType<typeof fakeNetwork>, shop: TestWorkspace) {
  const waiting = gate();
  network.next(waiting.answer);
  const answer = app.call("POST", "/api/v1/messages", { key: shop.key, body: sale() });
  await app.clock.advance(50);
  await waiting.reached;
  return { answer, open: waiting.open };
}

test("a STOP between two attempts: 422 opted_out, nothing more is sent, no message and no hold stay, the answer is kept", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  network.next(pairThrottled(5_000));
  const answer = await sendAcross(app, shop, () => app.inbound(shop, asha, "STOP"));
  expect([answer.status, answer.body.error.code]).toEqual([422, "opted_out"]);
  expect(answer.body.error.since).toStartWith("2026-11-21T13:30:0");
  expect(network.sent).toHaveLength(1);
  expect(messagesOf(app)).toEqual([]);
  expect(accountOf(app, shop)).toMatchObject({ held: 0, charged: 0 });
  expect(contactOf(app, asha).consent).toBe("opted_out");
  expect(eventTypesOf(app, shop)).toEqual(["contact.opted_out", "message.received"]);
  const again = await app.send("POST", "/api/v1/messages", {
    key: shop.key,
    body: sale(),
    headers: { "idempotency-key": "order-1" },
  });
  expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([answer.text, "true"]);
});

const stops: {
  name: string;
  code: string;
  status: number;
  isKept: boolean;
  stop: (tx: Tx, shop: TestWorkspace) => unknown;
}[] = [
  {
    name: "a suspension",
    code: "workspace_suspended",
    status: 403,
    isKept: false,
    stop: (tx, { id }) => suspend(tx, id, "unpaid"),
  },
  {
    name: "a number made unready",
    code: "number_not_ready",
    status: 422,
    isKept: true,
    stop: (tx, { numberId }) => markUnready(tx, numberId, "flagged"),
  },
  {
    name: "a number taken away",
    code: "number_not_ready",
    status: 422,
    isKept: true,
    stop: (tx, { numberId }) => removeNumber(tx, numberId),
  },
  {
    name: "an erasure",
    code: "opted_out",
    status: 422,
    isKept: true,
    stop: (tx, { id }) => eraseRecipient(tx, id),
  },
];

/** Erases the recipient of the only message. */
function eraseRecipient(tx: Tx, workspaceId: number): void {
  const [message] = tx.db.select().from(messages).all();
  if (message?.contactId == null) throw new Error("there is no message");
  const contact = getContact(tx, workspaceId, message.contactId);
  erase(tx, contact, { texts: true });
}

for (const { name, code, status, isKept, stop } of stops) {
  test(`${name} between two attempts: ${status} ${code}, nothing more is sent, no message and no hold stay`, async () => {
    const { app, network, shop } = await start();
    await using _ = app;
    network.next(pairThrottled(5_000));
    const answer = await sendAcross(app, shop, () => app.store.write((tx) => void stop(tx, shop)));
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(network.sent).toHaveLength(1);
    expect(messagesOf(app)).toEqual([]);
    expect(accountOf(app, shop)).toMatchObject({ held: 0, charged: 0 });
    expect(keysOf(app)).toHaveLength(isKept ? 1 : 0);
  });
}

test("a marketing template records consent with source api exactly when the network has accepted it", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  const { answer, open } = await sendAndWait(app, network, shop);
  expect(contactOf(app, asha).consent).toBe("unknown");
  open("accepted");
  await app.clock.until(answer);
  expect(contactOf(app, asha)).toMatchObject({ consent: "opted_in", consentSource: "api" });
  expect(consentLogOf(app)).toMatchObject([
    { was: "unknown", became: "opted_in", source: "api", evidence: { message: messageOf(app).id } },
  ]);
  expect(eventTypesOf(app, shop)).toEqual(["message.sent"]);
});

test("a utility template records no consent", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped() });
  expect([contactOf(app, asha).consent, consentLogOf(app)]).toEqual(["unknown", []]);
});

test("a refused marketing template records no consent, and one with an unknown outcome only once a status confirms it", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  network.next(refused("131026"), unknown);
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: sale() });
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: sale() });
  expect([contactOf(app, asha).consent, consentLogOf(app)]).toEqual(["unknown", []]);
  const { sendToken } = messageOf(app, 1);
  await reportStatus(app, shop, { id: "wamid.1", status: "delivered", sendToken });
  expect(contactOf(app, asha)).toMatchObject({ consent: "opted_in", consentSource: "api" });
});

test("a recipient who opts out while the message is being sent stays opted out, although the network accepted it", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  const { answer, open } = await sendAndWait(app, network, shop);
  await app.inbound(shop, asha, "STOP");
  open("accepted");
  expect((await app.clock.until(answer)).status).toBe(201);
  expect(contactOf(app, asha)).toMatchObject({ consent: "opted_out", consentSource: "inbound_message" });
  expect(consentLogOf(app)).toHaveLength(1);
});

test("a recipient erased while the message is being sent is not named by the network's answer or statuses", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  const { answer, open } = await sendAndWait(app, network, shop);
  await app.store.write((tx) => eraseRecipient(tx, shop.id));
  open({ kind: "refused", code: "131000", message: `${asha} is not one of ours.`, scope: "recipient" });
  expect((await app.clock.until(answer)).status).toBe(502);
  await app.clock.advance(1_000);
  const [message] = messagesOf(app);
  expect(message).toMatchObject({ status: "failed", errorCode: "131000", errorMessage: "[erased]" });
  const named = ["messages", "provider_requests", "events", "idempotency_keys"].filter((table) =>
    JSON.stringify(app.store.client.prepare(`SELECT * FROM ${table}`).all()).includes(asha.slice(1)),
  );
  expect(named).toEqual([]);
});

test("an earlier opt-in is the better evidence and stays as it is", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await app.inbound(shop, asha, "Hi");
  const { id } = contactOf(app, asha);
  await app.store.write((tx) => {
    const workspace = getWorkspace(tx, shop.id);
    const contact = getContact(tx, shop.id, id);
    changeConsent(tx, workspace, contact, { kind: "opt_in" }, { source: "import", evidence: { import: 7 } });
  });
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: sale() });
  expect(contactOf(app, asha)).toMatchObject({ consent: "opted_in", consentSource: "import" });
  expect(consentLogOf(app)).toHaveLength(1);
});

test("the network's other number variant of the recipient is stored, and both lead to one contact", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  network.next((outbound) => accepted(outbound, { recipientId: "5511987654321" }));
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped(asha) });
  expect(aliasesOf(app)).toEqual([{ networkId: "5511987654321", contactId: contactOf(app, asha).id }]);
  await reportInbound(app, shop, { from: "5511987654321", text: "Hi" });
  expect(contactsOf(app)).toHaveLength(1);
  expect(contactOf(app, asha).lastMessageAt).not.toBeNull();
  const sent = await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped("+5511987654321") });
  expect([sent.status, sent.body.data?.to]).toEqual([201, asha]);
});

test("an answer that names another contact's number links the two, and an opt-out of that contact holds for both", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  const other = "+919876500000";
  await app.inbound(shop, other, "STOP");
  network.next((outbound) => accepted(outbound, { recipientId: other.slice(1) }));
  const first = await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped(asha) });
  expect(first.status).toBe(201);
  expect(contactsOf(app)).toHaveLength(2);
  expect(contactOf(app, asha).identityId).toBe(contactOf(app, other).identityId);
  expect(contactOf(app, asha)).toMatchObject({ consent: "opted_out", consentSource: "inbound_message" });
  const second = await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped(asha) });
  expect([second.status, second.body.error.code]).toEqual([422, "opted_out"]);
  expect(eventTypesOf(app, shop).filter((type) => type === "contact.opted_out")).toHaveLength(2);
});

test("the recipient's user id is stored from the network's answer, and a contact known only by that id is linked", async () => {
  const { app, network, shop } = await start();
  await using _ = app;
  await reportInbound(app, shop, { from: null, userId: "IN.abc123", text: "STOP" });
  network.next((outbound) => accepted(outbound, { recipientNetworkUserId: "IN.abc123" }));
  network.next((outbound) => accepted(outbound, { recipientNetworkUserId: "IN.def456" }));
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped(asha) });
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped("+919876500000") });
  expect(contactOf(app, asha).consent).toBe("opted_out");
  expect(contactOf(app, "+919876500000").networkUserId).toBe("IN.def456");
});

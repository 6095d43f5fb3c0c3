/**
 * Messages with `send_at`: accepted, shown, cancelled, sent once at their time, and what becomes of them when something
 * happened in between.
 */
import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { E164 } from "#src/core/phone.ts";
import { readFileIdentity } from "#src/db/file-identity.ts";
import { contacts } from "#src/domain/contacts/table.ts";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { scheduledMessages } from "#src/domain/messages/table.ts";
import { addNumber } from "#src/domain/numbers/add.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import { markUnready, removeNumber } from "#src/domain/numbers/readiness.ts";
import { decideByName } from "#src/domain/templates/decide.ts";
import { suspend, updateWorkspace } from "#src/domain/workspaces/update.ts";
import { outbox } from "#src/jobs/table.ts";
import { contentCallback } from "#src/networks/simulator/callback.ts";
import { TestClock } from "#test/support/clock.ts";
import { firstOperator, person } from "#test/support/console.ts";
import { imageOf } from "#test/support/crash.ts";
import { erase } from "#test/support/erase.ts";
import {
  accepted,
  fakeNetwork,
  gate,
  pairThrottled,
  refused,
  throttled,
  unknown,
  unreachable,
} from "#test/support/fake-network.ts";
import { reportStatus } from "#test/support/report.ts";
import { accountOf, contactOf, eventsOf, eventTypesOf, ledgerOf, messageOf, messagesOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestServerOptions, type TestWorkspace } from "#test/support/server.ts";
import { orderShipped, sale, shipped, summerSale } from "#test/support/templates.ts";

const PERSON = "+919876543210";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface World extends AsyncDisposable {
  app: TestServer;
  network: ReturnType<typeof fakeNetwork>;
  shop: TestWorkspace;
}

const charged = { billing: { rate: 8_500, balance: 1_000_000 } };

async function startWorld(
  settings: Parameters<TestServer["workspace"]>[0] = {},
  options: TestServerOptions = {},
): Promise<World> {
  const network = fakeNetwork();
  const app = await startTestServer({ networks: { simulator: network }, ...options });
  const shop = await app.workspace(settings);
  await app.template(shop, orderShipped);
  await app.template(shop, summerSale);
  return { app, network, shop, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

const at = ({ app }: World, inMs: number): string => new Date(app.clock.now() + inMs).toISOString();

const post = ({ app, shop }: World, body: object, key?: string) =>
  app.send("POST", "/api/v1/messages", {
    key: shop.key,
    body,
    ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
  });

async function schedule(world: World, body: object, inMs: number): Promise<number> {
  const answer = await post(world, { ...body, send_at: at(world, inMs) });
  if (answer.status !== 202) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body.data.id;
}

const show = async ({ app, shop }: World, id: number) =>
  (await app.call("GET", `/api/v1/messages/${id}`, { key: shop.key })).body.data;

const cancel = ({ app, shop }: World, id: number) =>
  app.call("POST", `/api/v1/messages/${id}/cancel`, { key: shop.key });

const list = async ({ app, shop }: World, query: string) =>
  (await app.call("GET", `/api/v1/messages?${query}`, { key: shop.key })).body;

/** The person reacts to a message. */
async function react({ app, shop }: World, emoji: string): Promise<void> {
  await app.store.write((tx) => {
    const content = { type: "reaction", reaction: { message_id: "wamid.unknown", emoji } };
    const item = { networkMessageId: "wamid.reaction", from: PERSON as E164, at: tx.now, name: null, content };
    storeCallback(tx, "simulator", contentCallback(getNumber(tx, shop.numberId), item));
  });
  await app.clock.advance(0);
}

const leftovers = ({ app }: World) =>
  app.store.read(({ db }) => ({
    scheduled: db.select().from(scheduledMessages).all().length,
    jobs: db.select().from(outbox).where(eq(outbox.kind, "send_message")).all().length,
  }));
const NOTHING_LEFT = { scheduled: 0, jobs: 0 };

describe("accepting", () => {
  test("a message with send_at is answered 202, shown from then on, and sent at that moment, once", async () => {
    await using world = await startWorld(charged);
    const { app, network, shop } = world;
    const sendAt = at(world, 2 * HOUR);
    const answer = await post(world, { ...shipped(), reference: "order-7", send_at: sendAt }, "key-1");
    expect(answer.status).toBe(202);
    const { data } = answer.body;
    expect(data).toMatchObject({ status: "scheduled", to: PERSON, sent_at: null, error: null, charged: true });
    expect([Date.parse(data.send_at), data.text]).toEqual([Date.parse(sendAt), "Your order is on its way."]);
    // Nothing is held, counted or recorded as consent.
    expect(accountOf(app, shop)).toMatchObject({ held: 0, charged: 0 });
    expect(contactOf(app, PERSON).consent).toBe("unknown");
    expect(eventTypesOf(app, shop)).toEqual(["message.scheduled"]);
    expect((await show(world, data.id)).status).toBe("scheduled");
    expect((await list(world, "status=scheduled")).data).toMatchObject([{ id: data.id }]);

    await app.clock.advance(2 * HOUR - 1);
    expect(network.sent).toEqual([]);
    expect((await show(world, data.id)).status).toBe("scheduled");
    await app.clock.advance(1);
    expect(network.sent).toHaveLength(1);
    expect(await show(world, data.id)).toMatchObject({ id: data.id, status: "sent", send_at: data.send_at });
    expect(accountOf(app, shop)).toMatchObject({ held: 8_500 });
    expect(eventTypesOf(app, shop)).toEqual(["message.scheduled", "message.sent"]);
    expect(leftovers(world)).toEqual(NOTHING_LEFT);

    await app.clock.advance(HOUR);
    expect(network.sent).toHaveLength(1);
  });

  test("the same key answers the same 202, also after the message was sent; another body is a conflict", async () => {
    await using world = await startWorld();
    const { app, network } = world;
    const body = { ...shipped(), send_at: at(world, HOUR) };
    const first = await post(world, body, "key-1");
    const again = await post(world, body, "key-1");
    expect([again.status, again.text]).toEqual([202, first.text]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    await app.clock.advance(HOUR);
    const later = await post(world, body, "key-1");
    expect([later.status, later.text]).toEqual([202, first.text]);
    expect((await post(world, { ...body, cancel_on_reply: true }, "key-1")).status).toBe(409);
    expect([network.sent.length, messagesOf(app).length]).toEqual([1, 1]);
  });

  test("it is checked by everything but window, balance, cap and readiness", async () => {
    await using world = await startWorld({ ...charged, billing: { rate: 8_500, balance: 0 }, dailyCap: 1 });
    const { app, shop } = world;
    await app.store.write((tx) => markUnready(tx, shop.numberId, "not set up"));
    // No window, no money, no number that is ready.
    expect((await post(world, { to: PERSON, text: "Hello", send_at: at(world, HOUR) })).status).toBe(202);
    expect((await post(world, { ...shipped(), send_at: at(world, HOUR) })).status).toBe(202);
    await app.call("POST", "/api/v1/contacts/+919876500001/opt-out", { key: shop.key });
    const refusals: [object, number, string][] = [
      [{ ...shipped("+919876500001") }, 422, "opted_out"],
      [{ ...shipped("12") }, 422, "invalid_number"],
      [{ to: PERSON, template: "unknown" }, 422, "template_not_found"],
      [{ to: PERSON, template: "order_shipped", variables: ["one"] }, 400, "invalid_request"],
      [{ to: PERSON, text: "Hello", reply_to: { inbound: 77 } }, 400, "invalid_request"],
      [{ to: PERSON, media: { id: 77 } }, 400, "invalid_request"],
      [{ ...shipped(), from: "+911244009999" }, 400, "invalid_request"],
    ];
    for (const [body, status, code] of refusals) {
      const answer = await post(world, { ...body, send_at: at(world, HOUR) });
      expect([body, answer.status, answer.body.error.code]).toEqual([body, status, code]);
    }
    await app.store.write((tx) => suspend(tx, shop.id, "unpaid"));
    expect((await post(world, { ...shipped(), send_at: at(world, HOUR) })).body.error.code).toBe("workspace_suspended");
    expect(messagesOf(app)).toHaveLength(2);
  });

  const times: [string, unknown, string | null][] = [
    ["5 minutes ago", -5 * MINUTE, null],
    ["more than 5 minutes ago", -5 * MINUTE - 1_000, "has passed"],
    ["90 days ahead", 90 * DAY, null],
    ["more than 90 days ahead", 90 * DAY + 1_000, "over 90 days ahead"],
    ["no time", "tomorrow", "ISO 8601"],
    ["null", null, "ISO 8601"],
  ];
  test.each(times)("a time %s", async (_, time, problem) => {
    await using world = await startWorld();
    const answer = await post(world, { ...shipped(), send_at: typeof time === "number" ? at(world, time) : time });
    if (problem === null) expect(answer.status).toBe(202);
    else {
      expect([answer.status, Object.keys(answer.body.error.fields)]).toEqual([400, ["send_at"]]);
      expect(answer.body.error.fields.send_at[0]).toContain(problem);
      expect(messagesOf(world.app)).toEqual([]);
    }
  });

  test("a time that has just passed is now: the message is scheduled and sent at once", async () => {
    await using world = await startWorld();
    const id = await schedule(world, shipped(), -MINUTE);
    await world.app.clock.advance(0);
    expect((await show(world, id)).status).toBe("sent");
  });

  test("a time without an offset is the workspace's, and a date is its first instant", async () => {
    await using world = await startWorld();
    const { app } = world;
    const one = await post(world, { ...shipped(), send_at: "2026-11-22T10:00" });
    expect(one.body.data.send_at).toBe("2026-11-22T10:00:00+05:30");
    const other = await post(world, { ...shipped(), send_at: "2026-11-23" });
    expect(other.body.data.send_at).toBe("2026-11-23T00:00:00+05:30");
    expect(messagesOf(app)).toHaveLength(2);
  });

  test("cancel_on_reply without send_at, and faults of both, are named together", async () => {
    await using world = await startWorld();
    const alone = await post(world, { ...shipped(), cancel_on_reply: true });
    expect([alone.status, Object.keys(alone.body.error.fields)]).toEqual([400, ["cancel_on_reply"]]);
    const both = await post(world, { template: "order_shipped", send_at: "soon", cancel_on_reply: "yes" });
    expect(Object.keys(both.body.error.fields).sort()).toEqual(["cancel_on_reply", "send_at", "to"]);
    const misspelt = await post(world, { ...shipped(), sent_at: at(world, HOUR) });
    expect(misspelt.body.error.fields.sent_at[0]).toContain("send_at");
  });
});

describe("cancelling", () => {
  test("a cancelled message is never sent, and cancelling again gives the same answer", async () => {
    await using world = await startWorld(charged);
    const { app, network, shop } = world;
    const id = await schedule(world, shipped(), HOUR);
    const first = await cancel(world, id);
    expect([first.status, first.body.data.status, first.body.data.error]).toEqual([200, "cancelled", null]);
    const again = await cancel(world, id);
    expect([again.status, again.text]).toEqual([200, first.text]);
    await app.clock.advance(2 * HOUR);
    expect(network.sent).toEqual([]);
    expect((await show(world, id)).status).toBe("cancelled");
    expect((await list(world, "status=cancelled")).data).toMatchObject([{ id }]);
    expect((await list(world, "status=scheduled")).data).toEqual([]);
    expect(eventTypesOf(app, shop)).toEqual(["message.scheduled", "message.cancelled"]);
    expect(leftovers(world)).toEqual(NOTHING_LEFT);
  });

  test("a message that is sent, being sent, failed or unknown cannot be cancelled", async () => {
    await using world = await startWorld();
    const { app, network } = world;
    const sent = (await post(world, shipped())).body.data.id;
    const answer = await cancel(world, sent);
    expect([answer.status, answer.body.error.code]).toEqual([422, "not_cancellable"]);
    expect((await cancel(world, 777)).status).toBe(404);
    const going = gate();
    network.next(going.answer);
    const id = await schedule(world, shipped(), MINUTE);
    const advanced = app.clock.advance(MINUTE);
    await going.reached;
    expect((await show(world, id)).status).toBe("scheduled");
    const meanwhile = await cancel(world, id);
    expect([meanwhile.status, meanwhile.body.error.code]).toEqual([422, "not_cancellable"]);
    going.open("accepted");
    await advanced;
    expect((await show(world, id)).status).toBe("sent");
    network.next(refused("131026"));
    const failing = await schedule(world, shipped(), MINUTE);
    await app.clock.advance(MINUTE);
    expect((await cancel(world, failing)).status).toBe(422);
  });

  test("cancel_on_reply: what the person writes cancels, a reaction does not; others stay", async () => {
    await using world = await startWorld();
    const { app, network, shop } = world;
    await app.inbound(shop, PERSON, "Hello");
    const kept = await schedule(world, shipped(), HOUR);
    const others = await schedule(world, { ...shipped("+919876543211"), cancel_on_reply: true }, HOUR);
    const id = await schedule(world, { ...shipped(), cancel_on_reply: true }, HOUR);
    await react(world, "👍");
    expect((await show(world, id)).status).toBe("scheduled");
    await app.inbound(shop, PERSON, "I have a question");
    expect((await show(world, id)).status).toBe("cancelled");
    expect(eventTypesOf(app, shop)).toContain("message.cancelled");
    await app.clock.advance(HOUR);
    expect([(await show(world, kept)).status, (await show(world, others)).status]).toEqual(["sent", "sent"]);
    expect(network.sent).toHaveLength(2);
  });

  test("a reply cancels however many there are, and none of them is sent", async () => {
    await using world = await startWorld();
    const { app, network, shop } = world;
    for (let index = 0; index < 120; index += 1) await schedule(world, { ...shipped(), cancel_on_reply: true }, HOUR);
    await app.inbound(shop, PERSON, "Please wait");
    expect(new Set(messagesOf(app).map(({ status }) => status))).toEqual(new Set(["skipped"]));
    await app.clock.advance(HOUR);
    expect(network.sent).toEqual([]);
    expect(leftovers(world)).toEqual(NOTHING_LEFT);
  });
});

/** What happens between acceptance and the due time, and the code of the failure. */
const changes: [string, (world: World) => Promise<unknown>, string, object?][] = [
  ["the person opts out", ({ app, shop }) => app.inbound(shop, PERSON, "STOP"), "opted_out"],
  ["the template is rejected", decide("REJECTED"), "template_not_sendable"],
  [
    "the template is removed",
    ({ app }) => app.store.write(({ db }) => void db.run("DELETE FROM templates")),
    "template_not_found",
  ],
  [
    "the number is removed",
    ({ app, shop }) => app.store.write((tx) => void removeNumber(tx, shop.numberId)),
    "number_not_ready",
  ],
  [
    "the number is not ready",
    ({ app, shop }) => app.store.write((tx) => void markUnready(tx, shop.numberId, "off")),
    "number_not_ready",
  ],
  [
    "the workspace is suspended",
    ({ app, shop }) => app.store.write((tx) => void suspend(tx, shop.id, "unpaid")),
    "workspace_suspended",
  ],
  ["the window has closed", async () => undefined, "window_closed", { to: PERSON, text: "Hello" }],
];

function decide(status: "REJECTED" | "APPROVED") {
  return ({ app, shop }: World) =>
    app.store.write((tx) => void decideByName(tx, shop.id, "order_shipped", "en_US", status, null));
}

describe("evaluated anew when due", () => {
  test.each(changes)("%s: it fails with the code of the refusal", async (_, change, code, body = shipped()) => {
    await using world = await startWorld();
    const { app, network, shop } = world;
    const id = await schedule(world, body, HOUR);
    await change(world);
    expect((await show(world, id)).status).toBe("scheduled");
    await app.clock.advance(HOUR);
    expect(network.sent).toEqual([]);
    expect(await show(world, id)).toMatchObject({ status: "failed", error: { whatsapp_code: code } });
    expect(eventTypesOf(app, shop).filter((type) => type.startsWith("message.f"))).toEqual(["message.failed"]);
    expect(leftovers(world)).toEqual(NOTHING_LEFT);
  });

  test("a window that opened meanwhile lets a text through, and a changed template is sent as it is now", async () => {
    await using world = await startWorld();
    const { app, network, shop } = world;
    const id = await schedule(world, { to: PERSON, text: "Hello" }, 2 * HOUR);
    await app.inbound(shop, PERSON, "Hi");
    await app.clock.advance(2 * HOUR);
    expect((await show(world, id)).status).toBe("sent");
    expect(network.sent[0]?.content).toMatchObject({ type: "text", body: "Hello" });
  });

  test("the balance is evaluated when it is due", async () => {
    await using world = await startWorld({ billing: { rate: 8_500, balance: 8_500 } });
    const { app, shop } = world;
    const ids = [await schedule(world, shipped(), HOUR), await schedule(world, shipped("+919876543211"), 2 * HOUR)];
    await app.clock.advance(2 * HOUR);
    const shown = await Promise.all(ids.map((id) => show(world, id)));
    expect(shown.map(({ status, error }) => [status, error?.whatsapp_code])).toEqual([
      ["sent", undefined],
      ["failed", "insufficient_balance"],
    ]);
    expect(ledgerOf(app, shop).filter(([kind]) => kind === "hold")).toHaveLength(1);
  });

  test("over the daily cap it waits, and goes when there is room", async () => {
    await using world = await startWorld({ dailyCap: 1 });
    const { app } = world;
    expect((await post(world, shipped("+919876543211"))).status).toBe(201);
    await setWall(world, 23 * HOUR);
    const id = await schedule(world, shipped(), MINUTE);
    await app.clock.advance(HOUR - MINUTE);
    expect((await show(world, id)).status).toBe("scheduled");
    await app.clock.advance(2 * MINUTE);
    expect((await show(world, id)).status).toBe("sent");
  });

  test("a person who was erased: it fails at once, without text, and nothing of it stays", async () => {
    await using world = await startWorld();
    const { app, network, shop } = world;
    const link = "https://files.example.com/secret.pdf";
    await app.inbound(shop, PERSON, "Hello");
    const id = await schedule(world, { to: PERSON, media: { link, caption: "Only for you" } }, 2 * HOUR);
    const cancelled = await schedule(world, { to: PERSON, text: "Never sent" }, 2 * HOUR);
    await cancel(world, cancelled);
    const contact = contactOf(app, PERSON);
    await app.store.write((tx) => {
      erase(tx, contact, { texts: true });
    });
    expect(await show(world, id)).toMatchObject({
      ...{ status: "failed", to: "[erased]", text: "[erased]", content: null },
      error: { whatsapp_code: "erased" },
    });
    expect(eventsOf(app, shop).find(({ type }) => type === "message.failed")?.data.message).toMatchObject({
      ...{ id, text: "[erased]", to: "[erased]" },
    });
    expect(await show(world, cancelled)).toMatchObject({ status: "cancelled", text: "[erased]" });
    expect(leftovers(world)).toEqual(NOTHING_LEFT);
    await app.clock.advance(3 * HOUR);
    expect(network.sent).toEqual([]);
  });

  test("a person who changed their number: another may have the old one", async () => {
    await using world = await startWorld();
    const { app, network } = world;
    const id = await schedule(world, shipped(), HOUR);
    await app.store.write(({ db }) => void db.update(contacts).set({ phone: "+919876599999" }).run());
    await app.clock.advance(HOUR);
    expect([(await show(world, id)).error.whatsapp_code, network.sent]).toEqual(["invalid_number", []]);
  });
});

describe("a network in trouble at the due minute", () => {
  const troubles: [string, (world: World) => void, (world: World) => void][] = [
    [
      "unreachable for five minutes",
      ({ network }) => network.always(unreachable),
      ({ network }) => network.always((outbound) => accepted(outbound)),
    ],
    [
      "throttling for five minutes",
      ({ network }) => network.always(throttled(2_000)),
      ({ network }) => network.always((outbound) => accepted(outbound)),
    ],
    [
      "throttling this person",
      ({ network }) => network.always(pairThrottled()),
      ({ network }) => network.always((outbound) => accepted(outbound)),
    ],
  ];
  test.each(troubles)("%s: scheduled again, and sent once after it", async (_, begin, end) => {
    await using world = await startWorld(charged);
    const { app, network, shop } = world;
    const id = await schedule(world, shipped(), HOUR);
    begin(world);
    await app.clock.advance(HOUR + 4 * MINUTE);
    expect((await show(world, id)).status).toBe("scheduled");
    expect((await list(world, "status=scheduled")).data).toMatchObject([{ id }]);
    const tries = network.sent.length;
    expect(tries).toBeGreaterThan(1);
    // Not a try each moment.
    expect(tries).toBeLessThan(60);
    end(world);
    await app.clock.advance(6 * MINUTE);
    expect(await show(world, id)).toMatchObject({ status: "sent" });
    expect(eventTypesOf(app, shop)).toEqual(["message.scheduled", "message.sent"]);
    expect(ledgerOf(app, shop).filter(([kind]) => kind === "hold")).toHaveLength(1);
    const sentBefore = network.sent.length;
    await app.clock.advance(HOUR);
    expect(network.sent).toHaveLength(sentBefore);
  });

  test.each(troubles.slice(0, 2))("%s: each of a hundred that were due is sent once after it", async (_, begin) => {
    await using world = await startWorld();
    const { app, network } = world;
    const people = Array.from({ length: 100 }, (_, index) => `+9198765300${String(index).padStart(2, "0")}`);
    for (const [index, to] of people.entries()) await schedule(world, shipped(to), HOUR + index * 500);
    begin(world);
    await app.clock.advance(HOUR + 5 * MINUTE);
    expect((await list(world, "status=scheduled")).meta.total).toBe(100);
    const sent: unknown[] = [];
    network.always((outbound) => {
      sent.push(outbound.to);
      return accepted(outbound);
    });
    await app.clock.advance(6 * MINUTE);
    expect(sent.toSorted()).toEqual(people);
    expect((await list(world, "status=scheduled")).meta.total).toBe(0);
    await app.clock.advance(HOUR);
    expect(sent).toHaveLength(100);
  });

  test("a network that is down is not asked; the message goes when it is back", async () => {
    await using world = await startWorld();
    const { app, network } = world;
    network.reachable(false);
    network.always({ kind: "refused", code: "131000", message: "Something went wrong.", scope: "network" });
    for (let index = 0; index < 16; index += 1) {
      await post(world, shipped(`+9198765100${index + 10}`));
      await app.clock.advance(MINUTE / 2);
    }
    const asked = network.sent.length;
    const id = await schedule(world, shipped(), MINUTE);
    await app.clock.advance(10 * MINUTE);
    expect([network.sent.length, (await show(world, id)).status]).toEqual([asked, "scheduled"]);
    network.always((outbound) => accepted(outbound));
    network.reachable(true);
    await app.clock.advance(10 * MINUTE);
    expect([network.sent.length, (await show(world, id)).status]).toEqual([asked + 1, "sent"]);
  });

  test("never reachable again: it fails at late_after, and no earlier", async () => {
    await using world = await startWorld(charged, { config: { broadcasts: { lateAfterMs: HOUR } } });
    const { app, network, shop } = world;
    network.always(unreachable);
    const id = await schedule(world, shipped(), MINUTE);
    await app.clock.advance(MINUTE + HOUR - 1_000);
    expect((await show(world, id)).status).toBe("scheduled");
    await app.clock.advance(MINUTE);
    expect(await show(world, id)).toMatchObject({ status: "failed", error: { whatsapp_code: "too_late" } });
    expect(accountOf(app, shop)).toMatchObject({ held: 0, charged: 0 });
    expect(leftovers(world)).toEqual(NOTHING_LEFT);
  });

  test("a message that was put back can be cancelled, and its hold is released", async () => {
    await using world = await startWorld(charged);
    const { app, network, shop } = world;
    network.always(unreachable);
    const id = await schedule(world, shipped(), HOUR);
    await app.clock.advance(HOUR + MINUTE);
    expect(accountOf(app, shop).held).toBe(8_500);
    expect((await cancel(world, id)).body.data.status).toBe("cancelled");
    expect(accountOf(app, shop).held).toBe(0);
    network.always((outbound) => accepted(outbound));
    const before = network.sent.length;
    await app.clock.advance(HOUR);
    expect(network.sent).toHaveLength(before);
  });

  test("no answer: unknown, never repeated, and a status that comes later revives it", async () => {
    await using world = await startWorld();
    const { app, network, shop } = world;
    network.next(unknown);
    const id = await schedule(world, shipped(), HOUR);
    await app.clock.advance(2 * HOUR);
    expect(await show(world, id)).toMatchObject({ status: "failed", error: { whatsapp_code: "timeout" } });
    expect(network.sent).toHaveLength(1);
    await reportStatus(app, shop, { id: "wamid.late", status: "delivered", sendToken: messageOf(app).sendToken });
    expect((await show(world, id)).status).toBe("delivered");
  });

  test("other numbers of the workspace do not wait for one in trouble", async () => {
    await using world = await startWorld();
    const { app, network, shop } = world;
    const second = "+911244001122";
    await app.store.write((tx) => {
      const route = { network: "simulator" } as const;
      addNumber(tx, shop.id, { phone: second, name: "Second", throughput: 1_000, route });
    });
    await app.clock.advance(1_000);
    network.always((outbound) => (outbound.sender.phone === second ? accepted(outbound) : unreachable));
    const ids: number[] = [];
    for (let index = 0; index < 80; index += 1)
      ids.push(await schedule(world, { ...shipped(`+9198765200${index + 10}`), from: shop.number }, HOUR));
    const other = await schedule(world, { ...shipped(), from: second }, HOUR);
    await app.clock.advance(HOUR + 1_000);
    expect([(await show(world, other)).status, (await show(world, ids[0] ?? 0)).status]).toEqual(["sent", "scheduled"]);
  });
});

/** The server sees that its clock was set at the next commit, or a moment later. */
async function setWall({ app }: World, byMs: number): Promise<void> {
  app.clock.setWall(byMs);
  await app.store.write(() => undefined);
}

describe("clocks and hours", () => {
  test("a wall clock that jumps ahead makes it due, one that is set back makes it wait; it is sent once", async () => {
    await using world = await startWorld();
    const { app, network } = world;
    const first = await schedule(world, shipped(), 2 * HOUR);
    await setWall(world, 3 * HOUR);
    await app.clock.advance(MINUTE);
    expect((await show(world, first)).status).toBe("sent");
    const second = await schedule(world, shipped(), 2 * HOUR);
    await setWall(world, -HOUR);
    await app.clock.advance(2 * HOUR);
    // The clock is an hour behind the last commit, so it is not trusted.
    expect([network.sent.length, (await show(world, second)).status]).toEqual([1, "scheduled"]);
    await app.clock.advance(2 * HOUR);
    expect([network.sent.length, (await show(world, second)).status]).toEqual([2, "sent"]);
  });

  test("marketing waits for the end of quiet hours, which is no lateness; everything else does not", async () => {
    // 13:30 in the workspace's timezone.
    const quiet = { fromMinute: 14 * 60, toMinute: 16 * 60 };
    const config = { broadcasts: { lateAfterMs: HOUR, quiet } };
    await using world = await startWorld({ timezone: "Asia/Kolkata" }, { config });
    const { app, network } = world;
    const marketing = await schedule(world, sale(), HOUR);
    const utility = await schedule(world, shipped(), HOUR);
    await app.clock.advance(HOUR);
    expect([(await show(world, marketing)).status, (await show(world, utility)).status]).toEqual(["scheduled", "sent"]);
    await app.clock.advance(1.5 * HOUR - MINUTE);
    expect((await show(world, marketing)).status).toBe("scheduled");
    await app.clock.advance(MINUTE);
    expect((await show(world, marketing)).status).toBe("sent");
    expect(network.sent).toHaveLength(2);
  });

  test("a workspace's own quiet hours hold, and its message says what it waits for", async () => {
    await using world = await startWorld({ timezone: "Asia/Kolkata" });
    const { app, network, shop } = world;
    await app.store.write((tx) => updateWorkspace(tx, shop.id, { quiet: "14:00-16:00" }));
    await firstOperator(app);
    const owner = await person(app, "owner@example.com", "owner", shop.id);
    const marketing = await schedule(world, sale(), HOUR);
    await app.clock.advance(HOUR);
    const shown = async () => (await owner.get(`/w/${shop.id}/messages/${marketing}`)).body.data;
    expect(JSON.stringify(await shown())).toContain("waits until then: quiet hours");
    // A later end holds when the first one comes.
    await app.store.write((tx) => updateWorkspace(tx, shop.id, { quiet: "14:00-17:00" }));
    await app.clock.advance(2 * HOUR);
    expect(network.sent).toEqual([]);
    await app.clock.advance(HOUR);
    expect(network.sent).toHaveLength(1);
    expect(JSON.stringify(await shown())).not.toContain("quiet hours");
    await app.store.write((tx) => updateWorkspace(tx, shop.id, { quiet: "off" }));
    await schedule(world, sale(), 3 * HOUR);
    await app.clock.advance(4 * HOUR);
    expect(network.sent).toHaveLength(2);
  });

  test("a server that was down when it was due sends it at its start, unless it is too late", async () => {
    const network = fakeNetwork();
    const app = await startTestServer({ networks: { simulator: network } });
    const shop = await app.workspace();
    await app.template(shop, orderShipped);
    const world = { app, network, shop, [Symbol.asyncDispose]: async () => undefined };
    const [soon, late] = [await schedule(world, shipped(), 13 * HOUR), await schedule(world, shipped(), HOUR)];
    using image = imageOf(app.directory);
    const now = app.clock.now();
    await app[Symbol.asyncDispose]();
    const clock = new TestClock(new Date(now + 14 * HOUR).toISOString());
    await using again = await startTestServer({ directory: image.directory, clock, networks: { simulator: network } });
    await again.clock.advance(MINUTE);
    const next = { ...world, app: again };
    expect([(await show(next, soon)).status, (await show(next, late)).error?.whatsapp_code]).toEqual([
      "sent",
      "too_late",
    ]);
    expect(network.sent).toHaveLength(1);
  });

  test("a server that died while it was being sent: in doubt, never repeated", async () => {
    await using world = await startWorld();
    const { app, network } = world;
    const going = gate();
    network.next(going.answer);
    const id = await schedule(world, shipped(), MINUTE);
    const advanced = app.clock.advance(MINUTE);
    await going.reached;
    using image = imageOf(app.directory);
    const clock = new TestClock(new Date(app.clock.now()).toISOString());
    going.open("accepted");
    await advanced;
    const silent = fakeNetwork();
    await using again = await startTestServer({ directory: image.directory, clock, networks: { simulator: silent } });
    const next = { ...world, app: again };
    expect((await show(next, id)).status).toBe("scheduled");
    await again.clock.advance(11 * MINUTE);
    expect(await show(next, id)).toMatchObject({ status: "failed", error: { whatsapp_code: "interrupted" } });
    expect(silent.sent).toEqual([]);
    expect(leftovers(next)).toEqual(NOTHING_LEFT);
  });

  test("a copy of the database fails what it has scheduled, and says why", async () => {
    const network = fakeNetwork();
    const app = await startTestServer({ networks: { simulator: network }, readFileIdentity });
    await using _ = app;
    const shop = await app.workspace();
    await app.template(shop, orderShipped);
    const world = { app, network, shop, [Symbol.asyncDispose]: async () => undefined };
    const [ahead, cancelled] = [await schedule(world, shipped(), HOUR), await schedule(world, shipped(), HOUR)];
    await cancel(world, cancelled);
    using copy = imageOf(app.directory);
    const clock = new TestClock(new Date(app.clock.now()).toISOString());
    const silent = fakeNetwork();
    const options = { directory: copy.directory, clock, readFileIdentity, networks: { simulator: silent } };
    await using again = await startTestServer(options);
    await again.clock.advance(1_000);
    const next = { ...world, app: again };
    expect((await show(next, ahead)).error).toEqual({
      message: "Not sent from here: the copy was restored; it may have been sent.",
      whatsapp_code: "restored",
    });
    expect((await show(next, cancelled)).status).toBe("cancelled");
    await again.clock.advance(2 * HOUR);
    expect(silent.sent).toEqual([]);
    await app.clock.advance(2 * HOUR);
    expect(network.sent).toHaveLength(1);
    // The network reports to the copy what the other one sent. When the test ends, its database is checked.
    const [sent] = again.store.client.prepare("SELECT send_token AS sendToken FROM messages WHERE id = ?").all(ahead);
    const { sendToken } = sent as { sendToken: string };
    await reportStatus(again, shop, { id: "wamid.other", status: "delivered", sendToken });
    expect((await show(next, ahead)).status).toBe("delivered");
  });
});

describe("lists", () => {
  test("by reference, person, key and status; a page misses none that is dispatched meanwhile", async () => {
    await using world = await startWorld();
    const { app } = world;
    const ids: number[] = [];
    for (let index = 0; index < 6; index += 1) {
      const body = { ...shipped(), reference: `r${index}`, send_at: at(world, (index + 1) * HOUR) };
      ids.push((await post(world, body, `key-${index}`)).body.data.id);
      await app.clock.advance(1_000);
    }
    const to = encodeURIComponent(PERSON);
    const first = await list(world, `to=${to}&per_page=3`);
    expect(first.data.map(({ id }: { id: number }) => id)).toEqual(ids.slice(3).toReversed());
    await app.clock.advance(2 * HOUR);
    const second = await list(world, `to=${to}&per_page=3&after=${encodeURIComponent(first.meta.next)}`);
    expect(second.data.map(({ id }: { id: number }) => id)).toEqual(ids.slice(0, 3).toReversed());
    await cancel(world, ids[5] ?? 0);
    const found = async (query: string) => (await list(world, query)).data.map(({ id }: { id: number }) => id);
    expect(await found("reference=r1")).toEqual([ids[1]]);
    expect(await found("idempotency_key=key-4&status=scheduled")).toEqual([ids[4]]);
    expect(await found("status=scheduled")).toEqual([ids[4], ids[3], ids[2]]);
    expect(await found(`status=scheduled&to=${to}`)).toEqual([ids[4], ids[3], ids[2]]);
    expect(await found(`status=cancelled&to=${to}`)).toEqual([ids[5]]);
    expect(await found("status=cancelled")).toEqual([ids[5]]);
    expect(await found("status=sent")).toEqual([ids[1], ids[0]]);
    expect(await found("")).toEqual(ids.toReversed());
    for (const query of ["", `to=${to}`]) expect((await list(world, query)).meta.total).toBe(6);
    expect((await list(world, "status=scheduled")).meta.total).toBe(3);
    expect((await list(world, "reference=r4")).meta).toMatchObject({ total: 1, pending: 0 });
  });
});

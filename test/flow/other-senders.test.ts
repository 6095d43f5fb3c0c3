/**
 * What people and other senders write beside the field `messages`: on the phone, to Meta's Business Agent, and before
 * the number was connected.
 */
import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { listConversationsWith } from "#src/domain/inbound/conversations.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import { firstOperator, person } from "#test/support/console.ts";
import { fakeNetwork, networkIdOf } from "#test/support/fake-network.ts";
import { makeHistory } from "#test/support/history.ts";
import { inboundItem, report, reportInbound, reportStatus, type Written } from "#test/support/report.ts";
import { contactOf, contactsOf, eventsOf, eventTypesOf, messageOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";

const ANNA = "+919876543210";
const BERT = "+919876543211";
const DAY_MS = 24 * 60 * 60 * 1000;

/** A server with a shop, and a member who reads its conversations. */
async function start(options: Parameters<typeof startTestServer>[0] = {}) {
  const app = await startTestServer(options);
  const shop = await app.workspace({});
  const signIn = async () => {
    await firstOperator(app);
    return person(app, "member@example.com", "member", shop.id);
  };
  let member: ReturnType<typeof signIn> | undefined;
  /** Signs in only where a test reads: a password takes a quarter of a second. */
  const read = async (path: string) => {
    member ??= signIn();
    return (await (await member).get(`/w/${shop.id}${path}`)).body.data;
  };
  const conversation = async (phone = ANNA) => read(`/inbox/${contactOf(app, phone).id}`);
  return {
    app,
    shop,
    read,
    conversation,
    conversations: (show = "") => read(`/inbox${show}`),
    items: async (phone = ANNA) => (await conversation(phone)).items.toReversed(),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

const digitsOf = ({ number }: TestWorkspace): string => number?.slice(1) ?? "";

const getPhoneNumberId = (app: TestServer, { numberId }: TestWorkspace): string =>
  app.store.read((tx) => getNumber(tx, numberId)).phoneNumberId;

const seconds = (ms: number): string => String(Math.floor(ms / 1000));

/** A message of the phone's history, in Meta's form. */
function told(
  app: TestServer,
  at: number,
  written: Written & { isOwn?: boolean; status?: string },
  shop: TestWorkspace,
) {
  const { isOwn = false, status } = written;
  return {
    ...inboundItem({ ...written, at: app.clock.now() - at }, 0),
    ...(isOwn ? { from: digitsOf(shop), to: written.from ?? ANNA.slice(1) } : {}),
    ...(status === undefined ? {} : { history_context: { status } }),
  };
}

async function hearHistory(
  app: TestServer,
  shop: TestWorkspace,
  threads: Record<string, object[]>,
  metadata: object = { phase: 1, chunk_order: 1, progress: 55 },
): Promise<void> {
  const list = Object.entries(threads).map(([phone, messages]) => ({ id: phone.slice(1), messages }));
  await report(app, shop, { history: [{ metadata, threads: list }] }, "history");
}

describe("the history of a phone", () => {
  test("shows both directions by the time of each message, and nothing in it is new", async () => {
    await using world = await start();
    const { app, shop } = world;
    await hearHistory(app, shop, {
      [ANNA]: [
        told(app, 40 * DAY_MS, { text: "See you tomorrow", isOwn: true, status: "READ" }, shop),
        told(app, 41 * DAY_MS, { text: "Is the table free?" }, shop),
        told(app, 1_000, { text: "Thanks for yesterday" }, shop),
      ],
      [BERT]: [told(app, DAY_MS, { from: BERT.slice(1), text: "Your order is here", isOwn: true }, shop)],
    });
    const shown = (await world.items()).map((item: Record<string, unknown>) => [
      item.kind,
      item.text,
      item.origin,
      item.status,
    ]);
    expect(shown).toEqual([
      ["inbound", "Is the table free?", "history", undefined],
      ["echo", "See you tomorrow", "history", "read"],
      ["inbound", "Thanks for yesterday", "history", undefined],
    ]);
    expect((await world.items(BERT)).map(({ kind, text }: Record<string, unknown>) => [kind, text])).toEqual([
      ["echo", "Your order is here"],
    ]);
    const api = await app.call("GET", `/api/v1/contacts/${ANNA}/conversation?per_page=2`, { key: shop.key });
    expect(api.body.data).toMatchObject([
      { direction: "in", origin: "history", text: "Thanks for yesterday", status: null },
      { direction: "out", id: null, origin: "history", text: "See you tomorrow", status: "read" },
    ]);
    const older = `/api/v1/contacts/${ANNA}/conversation?after=${api.body.meta.next}`;
    const { data, meta } = (await app.call("GET", older, { key: shop.key })).body;
    expect([data.map(({ text }: { text: string }) => text), meta]).toEqual([
      ["Is the table free?"],
      { per_page: 50, has_more: false, next: null },
    ]);
    for (const wrong of ["after=x", "per_page=0", `after=${btoa("{}")}`]) {
      const path = `/api/v1/contacts/${ANNA}/conversation?${wrong}`;
      expect((await app.call("GET", path, { key: shop.key })).status).toBe(400);
    }
    const stranger = await app.call("GET", "/api/v1/contacts/+919876599999/conversation", { key: shop.key });
    expect(stranger.status).toBe(404);
    expect(eventTypesOf(app, shop)).toEqual([]);
    const { unread, window_ends_at: windowEndsAt } = await world.conversation();
    expect({ unread, windowEndsAt }).toEqual({ unread: 0, windowEndsAt: null });
    for (const show of ["unread", "waiting", "open"]) expect(await world.conversations(`?show=${show}`)).toEqual([]);
    expect((await world.conversations()).length).toBe(2);
    expect(contactsOf(app).map(({ consent, lastMessageAt }) => [consent, lastMessageAt])).toEqual([
      ["unknown", null],
      ["unknown", null],
    ]);
    const text = { to: ANNA, text: "Hello" };
    const { status, body } = await app.call("POST", "/api/v1/messages", { key: shop.key, body: text });
    expect([status, body.error.code]).toEqual([422, "window_closed"]);
  });

  test("an opt-out by the person counts, with its event; START and the business's own words change nothing", async () => {
    await using world = await start();
    const { app, shop } = world;
    await hearHistory(app, shop, {
      [BERT]: [
        told(app, 9 * DAY_MS, { from: BERT.slice(1), text: "STOP", isOwn: true }, shop),
        told(app, 8 * DAY_MS, { from: BERT.slice(1), text: "START" }, shop),
      ],
      [ANNA]: [told(app, 3 * DAY_MS, { text: "START" }, shop), told(app, 4 * DAY_MS, { text: "stop" }, shop)],
    });
    expect(eventTypesOf(app, shop)).toEqual(["contact.opted_out"]);
    const { consent, consentSource, stopSaidAt, startSaidAt } = contactOf(app, ANNA);
    expect({ consent, consentSource, startSaidAt }).toEqual({
      consent: "opted_out",
      consentSource: "inbound_message",
      startSaidAt: null,
    });
    expect(seconds(stopSaidAt ?? 0)).toBe(seconds(app.clock.now() - 4 * DAY_MS));
    expect([contactOf(app, BERT).consent, contactOf(app, BERT).startSaidAt]).toEqual(["unknown", null]);
  });

  test("our own number in another form is not a person", async () => {
    await using world = await start();
    const { app, shop } = world;
    const own = { ...told(app, DAY_MS, { text: "STOP", isOwn: true }, shop), from: "5215512345678" };
    const theirs = { ...told(app, DAY_MS, { text: "Hello" }, shop), to: digitsOf(shop) };
    await hearHistory(app, shop, { [ANNA]: [own, theirs] });
    expect((await world.items()).map(({ kind, text }: Record<string, string>) => [kind, text])).toEqual([
      ["inbound", "Hello"],
      ["echo", "STOP"],
    ]);
    expect(contactsOf(app)).toHaveLength(1);
  });

  test("an old STOP loses against a newer START that was written to us", async () => {
    await using world = await start();
    const { app, shop } = world;
    await reportInbound(app, shop, { text: "START" });
    await hearHistory(app, shop, { [ANNA]: [told(app, 4 * DAY_MS, { text: "STOP" }, shop)] });
    expect(contactOf(app, ANNA).consent).not.toBe("opted_out");
  });

  test("a doubtful word makes marketing wait, without an event, unless the person has opted in since", async () => {
    await using world = await start();
    const { app, shop } = world;
    await app.call("PUT", `/api/v1/contacts/${BERT}`, { key: shop.key, body: { consent: "opted_in" } });
    const words = "please stop calling me";
    await hearHistory(app, shop, {
      [ANNA]: [told(app, 4 * DAY_MS, { text: words }, shop)],
      [BERT]: [told(app, 4 * DAY_MS, { from: BERT.slice(1), text: words }, shop)],
    });
    expect(eventTypesOf(app, shop)).toEqual([]);
    expect(contactOf(app, ANNA).mayWantToStopSince).not.toBeNull();
    expect(contactOf(app, BERT).mayWantToStopSince).toBeNull();
  });

  test("an ambiguous word that answers a text from the phone is doubtful", async () => {
    await using world = await start();
    const { app, shop } = world;
    await hearHistory(app, shop, {
      [ANNA]: [
        told(app, DAY_MS, { text: "cancel" }, shop),
        told(app, DAY_MS + 60_000, { text: "Shall I keep your booking?", isOwn: true }, shop),
      ],
    });
    expect([contactOf(app, ANNA).consent, contactOf(app, ANNA).mayWantToStopSince !== null]).toEqual(["unknown", true]);
  });

  test("delivered twice changes nothing; delivered by `messages` too, it is one inbound, received once", async () => {
    await using world = await start();
    const { app, shop } = world;
    const at = app.clock.now() - 60_000;
    const thread = { [ANNA]: [told(app, 60_000, { id: "wamid.both", text: "Hello" }, shop)] };
    await hearHistory(app, shop, thread);
    await hearHistory(app, shop, thread);
    expect((await world.items()).length).toBe(1);
    for (const _ of [1, 2]) await reportInbound(app, shop, { id: "wamid.both", text: "Hello", at });
    await hearHistory(app, shop, thread);
    expect(eventTypesOf(app, shop)).toEqual(["message.received"]);
    const { items, unread } = await world.conversation();
    expect([items.length, unread, items[0].origin]).toEqual([1, 1, "messages"]);
    expect((await world.conversations("?show=waiting")).length).toBe(1);
  });

  test("what arrived by `messages` first stays as it is", async () => {
    await using world = await start();
    const { app, shop } = world;
    await reportInbound(app, shop, { id: "wamid.both", text: "Hello" });
    await hearHistory(app, shop, { [ANNA]: [told(app, 0, { id: "wamid.both", text: "Hello" }, shop)] });
    const { items, unread } = await world.conversation();
    expect([items.length, unread, items[0].origin]).toEqual([1, 1, "messages"]);
  });

  test("a file behind a placeholder takes its place", async () => {
    await using world = await start();
    const { app, shop } = world;
    const placeholder = (id: string, isOwn: boolean) =>
      told(app, DAY_MS, { id, isOwn, content: { type: "media_placeholder" } }, shop);
    await hearHistory(app, shop, { [ANNA]: [placeholder("wamid.in", false), placeholder("wamid.out", true)] });
    expect((await world.items()).map(({ type }: { type: string }) => type)).toEqual(Array(2).fill("media_placeholder"));
    const image = { type: "image", image: { id: "1", mime_type: "image/jpeg", caption: "The cake" } };
    const file = (id: string, isOwn: boolean) => told(app, DAY_MS, { id, isOwn, content: image }, shop);
    await report(app, shop, { messages: [file("wamid.in", false), file("wamid.out", true)] }, "history");
    expect((await world.items()).map(({ type, text }: Record<string, string>) => [type, text])).toEqual(
      Array(2).fill(["image", "The cake"]),
    );
    expect(eventTypesOf(app, shop)).toEqual([]);
  });

  test("its progress, and that the owner declined to share it, stand at the number", async () => {
    await using world = await start();
    const { app, shop } = world;
    const history = async () => (await world.read("/numbers"))[0].history;
    expect(await history()).toBeNull();
    const error = { code: 2593109, title: "Declined", message: "History sharing is turned off by the business" };
    await report(app, shop, { history: [{ errors: [error] }] }, "history");
    expect(await history()).toMatchObject({
      progress: null,
      declined: { code: "2593109", reason: "History sharing is turned off by the business" },
    });
    await hearHistory(app, shop, {}, { phase: 2, chunk_order: 2, progress: 100 });
    await hearHistory(app, shop, {}, { phase: 0, chunk_order: 1, progress: 20 });
    expect(await history()).toMatchObject({ progress: 100, declined: null });
  });

  test("pages of a long conversation show every item once, in order", async () => {
    await using world = await start();
    const { app, shop } = world;
    await reportInbound(app, shop, { text: "now" });
    const messages = Array.from({ length: 120 }, (_, index) =>
      told(app, (index + 1) * 60_000, { text: `before ${index}`, isOwn: index % 3 === 0 }, shop),
    );
    await hearHistory(app, shop, { [ANNA]: messages });
    const texts: string[] = [];
    const path = `/inbox/${contactOf(app, ANNA).id}`;
    let after: string | null = "";
    while (after !== null) {
      const page: { items: { text: string }[]; next: string | null } = await world.read(
        `${path}${after === "" ? "" : `?after=${after}`}`,
      );
      texts.push(...page.items.map(({ text }) => text));
      after = page.next;
    }
    expect(texts).toEqual(["now", ...messages.map((_, index) => `before ${index}`)]);
  });
});

describe("an answer given on the phone", () => {
  const echo = (text: string, more: object = {}) => ({
    from: "919000000000",
    to: ANNA.slice(1),
    id: "wamid.phone",
    type: "text",
    text: { body: text },
    ...more,
  });

  test("is shown once with its status, opts no one out or in, publishes nothing, and is an answer", async () => {
    await using world = await start();
    const { app, shop } = world;
    await reportInbound(app, shop, { text: "Are you open?" });
    expect((await world.conversations("?show=waiting")).length).toBe(1);
    await app.clock.advance(5_000);
    const echoes = [echo("STOP", { timestamp: seconds(app.clock.now()) })];
    await reportStatus(app, shop, { id: "wamid.phone", status: "delivered" });
    for (const _ of [1, 2]) await report(app, shop, { message_echoes: echoes }, "smb_message_echoes");
    const [, shown] = await world.items();
    expect(shown).toMatchObject({ kind: "echo", text: "STOP", origin: "phone", status: "delivered" });
    await reportStatus(app, shop, { id: "wamid.phone", status: "read" });
    await reportStatus(app, shop, { id: "wamid.phone", status: "delivered" });
    expect((await world.items()).map(({ status }: { status?: string }) => status)).toEqual([undefined, "read"]);
    expect(await world.conversations("?show=waiting")).toEqual([]);
    expect(contactOf(app, ANNA).consent).toBe("unknown");
    expect(eventTypesOf(app, shop)).toEqual(["message.received"]);
  });

  test("to a stranger makes a conversation without consent or window", async () => {
    await using world = await start();
    const { app, shop } = world;
    await report(
      app,
      shop,
      { message_echoes: [echo("Hi", { timestamp: seconds(app.clock.now()) })] },
      "smb_message_echoes",
    );
    expect(await world.conversation()).toMatchObject({ unread: 0, window_ends_at: null, last_inbound_id: 0 });
    expect(contactOf(app, ANNA).consent).toBe("unknown");
  });

  test("an edit and a deletion are shown, and a message that this server sent is shown once", async () => {
    const network = fakeNetwork();
    await using world = await start({ networks: { simulator: network } });
    const { app, shop } = world;
    await app.template(shop, orderShipped);
    await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped() });
    const [outbound] = network.sent;
    const ours = outbound === undefined ? "" : networkIdOf(outbound);
    const timestamp = seconds(app.clock.now());
    const message = { type: "text", text: { body: "At six" } };
    await report(
      app,
      shop,
      {
        message_echoes: [
          echo("Your order", { id: ours, timestamp }),
          echo("At five", { id: "wamid.1", timestamp }),
          {
            ...echo("", { id: "wamid.2", timestamp }),
            type: "edit",
            edit: { original_message_id: "wamid.1", message },
          },
          { ...echo("", { id: "wamid.3", timestamp }), type: "revoke", revoke: { original_message_id: "wamid.1" } },
        ],
      },
      "smb_message_echoes",
    );
    const shown = (await world.items()).map(({ kind, type, text }: Record<string, string>) => [kind, type, text]);
    expect(shown).toHaveLength(4);
    expect(shown.filter(([kind]: string[]) => kind === "message")).toHaveLength(1);
    expect(shown).toContainEqual(["echo", "edit", "At six"]);
    expect(shown).toContainEqual(["echo", "revoke", null]);
    expect(messageOf(app).networkMessageId).toBe(ours);
  });
});

describe("a conversation that another sender holds", () => {
  const standby = (app: TestServer, shop: TestWorkspace, lists: object) =>
    report(app, shop, { standby: lists }, "standby");

  test("brings what the person writes as new messages, and what the agent answers", async () => {
    await using world = await start();
    const { app, shop } = world;
    const written = inboundItem({ id: "wamid.asked", text: "What do you sell?" }, app.clock.now());
    await standby(app, shop, { contacts: [{ wa_id: ANNA.slice(1), profile: { name: "Anna" } }], messages: [written] });
    await app.clock.advance(2_000);
    const answer = { to: ANNA.slice(1), recipient_type: "individual", type: "text", text: { body: "Flowers. STOP" } };
    const timestamp = seconds(app.clock.now());
    await standby(app, shop, { message_echoes: [{ id: "wamid.agent", timestamp, message: answer }] });
    await standby(app, shop, {
      statuses: [{ id: "wamid.agent", status: "read", timestamp, recipient_id: ANNA.slice(1) }],
    });
    // The same message on both fields is one message.
    await reportInbound(app, shop, { id: "wamid.asked", text: "What do you sell?" });
    expect(
      (await world.items()).map(({ kind, text, origin, status }: Record<string, string>) => [
        kind,
        text,
        origin,
        status,
      ]),
    ).toEqual([
      ["inbound", "What do you sell?", "standby", undefined],
      ["echo", "Flowers. STOP", "standby", "read"],
    ]);
    const [received, ...more] = eventsOf(app, shop);
    expect([received?.type, received?.data.message.origin, more]).toEqual(["message.received", "standby", []]);
    expect((await world.conversation()).window_ends_at).not.toBeNull();
    expect([contactOf(app, ANNA).name, contactOf(app, ANNA).consent]).toEqual(["Anna", "unknown"]);
  });

  test("an opt-out written to the agent is an opt-out, also in the form without nesting", async () => {
    await using world = await start();
    const { app, shop } = world;
    await report(app, shop, { messages: [inboundItem({ text: "STOP" }, app.clock.now())] }, "standby");
    expect(eventTypesOf(app, shop)).toEqual(["contact.opted_out", "message.received"]);
  });

  const passControl = (app: TestServer, shop: TestWorkspace, context: object | null, at = app.clock.now()) =>
    report(
      app,
      shop,
      {
        recipient: { display_phone_number: digitsOf(shop), phone_number_id: getPhoneNumberId(app, shop) },
        sender: { phone_number: ANNA.slice(1) },
        timestamp: seconds(at),
        type: "control_passed",
        control_passed: {
          previous_owner_role: "ai_agent",
          new_owner_role: "escalation",
          ...(context === null ? {} : { conversation_context: context }),
        },
      },
      "messaging_handovers",
    );

  const said = (...texts: string[]) => ({
    type: "history",
    history: { items: texts.map((body) => ({ from: ANNA.slice(1), type: "text", text: { body } })) },
  });

  test("a change of control is shown once, with who holds the conversation and the agent's summary", async () => {
    await using world = await start();
    const { app, shop } = world;
    for (const _ of [1, 2])
      await passControl(app, shop, { type: "summary", summary: { text: "Wants a refund" } }, 1_700_000_000_000);
    expect(await world.items()).toMatchObject([
      {
        kind: "echo",
        origin: "control_pass",
        text: "Wants a refund",
        control_pass: { from: "ai_agent", to: "escalation" },
      },
    ]);
    expect(eventTypesOf(app, shop)).toEqual([]);
  });

  test("a STOP in the words that come with a change of control counts, unless a START follows it", async () => {
    for (const [texts, consent, isDoubtful] of [
      [["Hello", "STOP"], "opted_out", false],
      [["STOP", "START"], "unknown", false],
      [["START"], "unknown", false],
      [["please stop this"], "unknown", true],
    ] as const) {
      await using world = await start();
      const { app, shop } = world;
      await passControl(app, shop, said(...texts));
      expect([contactOf(app, ANNA).consent, contactOf(app, ANNA).mayWantToStopSince !== null]).toEqual([
        consent,
        isDoubtful,
      ]);
    }
  });

  test("the agent's own words are never an opt-out", async () => {
    await using world = await start();
    const { app, shop } = world;
    const items = [{ from: digitsOf(shop), role: "assistant", text: { body: "STOP" } }];
    await passControl(app, shop, { type: "history", history: { items } });
    expect(contactOf(app, ANNA).consent).toBe("unknown");
  });
});

describe("the phone's address book", () => {
  const sync = (
    app: TestServer,
    shop: TestWorkspace,
    ...changes: [action: string, name: string | null, at: number][]
  ) =>
    report(
      app,
      shop,
      {
        state_sync: changes.map(([action, name, at]) => ({
          type: "contact",
          contact: {
            phone_number: ANNA.slice(1),
            ...(name === null ? {} : { full_name: name, first_name: name.split(" ")[0] }),
          },
          action,
          metadata: { timestamp: seconds(at) },
        })),
      },
      "smb_app_state_sync",
    );

  test("names people without consent; a later name replaces its own, never one from elsewhere", async () => {
    await using world = await start();
    const { app, shop } = world;
    const now = app.clock.now();
    await sync(app, shop, ["add", "Anna Berg", now - 5_000]);
    expect([contactOf(app, ANNA).name, contactOf(app, ANNA).firstName, contactOf(app, ANNA).consent]).toEqual([
      "Anna Berg",
      "Anna",
      "unknown",
    ]);
    await sync(app, shop, ["add", "Anna Tal", now - 3_000]);
    await sync(app, shop, ["add", "Too old", now - 4_000]);
    expect(contactOf(app, ANNA).name).toBe("Anna Tal");
    await sync(app, shop, ["remove", null, now - 2_000]);
    expect(contactOf(app, ANNA).name).toBe("Anna Tal");
    await app.call("PUT", `/api/v1/contacts/${ANNA}`, { key: shop.key, body: { name: "Dr Tal" } });
    await sync(app, shop, ["add", "Anna again", now - 1_000]);
    expect(contactOf(app, ANNA).name).toBe("Dr Tal");
    expect(eventTypesOf(app, shop)).toEqual([]);
  });

  test("a contact that was never known is not made by its removal", async () => {
    await using world = await start();
    const { app, shop } = world;
    await sync(app, shop, ["remove", null, app.clock.now()]);
    expect(contactsOf(app)).toEqual([]);
  });
});

/** The long form is `bun run bench:history`. */
test("five thousand messages of a history are applied without an event but opt-outs, an unread mark or a window", async () => {
  await using world = await start();
  const { app, shop } = world;
  const phoneNumberId = getPhoneNumberId(app, shop);
  const recipe = { own: digitsOf(shop), phoneNumberId, messages: 5_000, people: 200, now: app.clock.now() };
  const history = makeHistory(recipe);
  for (const value of history.values) await report(app, shop, { ...value }, "history");
  const counted = app.store.read(({ db }) =>
    db.all("SELECT (SELECT count(*) FROM inbounds) AS inbounds, (SELECT count(*) FROM echoes) AS echoes"),
  );
  expect(counted).toEqual([{ inbounds: history.inbounds, echoes: history.echoes }]);
  expect(eventTypesOf(app, shop)).toEqual(history.stopped.map(() => "contact.opted_out"));
  const optedOut = contactsOf(app).filter(({ consent }) => consent === "opted_out");
  expect(optedOut.map(({ phone }) => phone?.slice(1)).toSorted()).toEqual(history.stopped.toSorted());
  for (const show of ["unread", "waiting", "open"]) expect(await world.conversations(`?show=${show}`)).toEqual([]);
});

test("in whatever order and on whatever fields a message arrives, it is one inbound, received once if it ever was new", async () => {
  await using world = await start();
  const { app, shop } = world;
  const fields = ["messages", "standby", "history"] as const;
  const deliveries = fc.array(fc.record({ id: fc.nat({ max: 3 }), field: fc.constantFrom(...fields) }), {
    maxLength: 12,
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(deliveries, async (all) => {
      run += 1;
      const person = `+9198000${String(run).padStart(5, "0")}`;
      const before = eventsOf(app, shop).length;
      for (const { id, field } of all) {
        const item = inboundItem(
          { id: `wamid.${run}.${id}`, from: person.slice(1), text: `Hello ${id}` },
          app.clock.now(),
        );
        const value =
          field === "history"
            ? { history: [{ threads: [{ id: person.slice(1), messages: [item] }] }] }
            : { [field]: field === "standby" ? { messages: [item] } : [item] };
        await report(app, shop, value, field);
      }
      const news = new Set(all.filter(({ field }) => field !== "history").map(({ id }) => id));
      const events = eventsOf(app, shop).slice(before);
      expect(events.map(({ type, data }) => [type, data.message.text]).toSorted()).toEqual(
        [...news].map((id) => ["message.received", `Hello ${id}`]).toSorted(),
      );
      const contact = contactsOf(app).find(({ phone }) => phone === person);
      expect(contact !== undefined).toBe(all.length > 0);
      if (contact === undefined) return;
      const stored = app.store.read((tx) => ({
        texts: tx.db
          .all<{ text: string }>(sql`SELECT text FROM inbounds WHERE contact_id = ${contact.id} ORDER BY text`)
          .map(({ text }) => text),
        unread: listConversationsWith(tx, shop.id, contact.id, null)[0]?.unread,
      }));
      const ids = [...new Set(all.map(({ id }) => id))].toSorted();
      expect(stored).toEqual({ texts: ids.map((id) => `Hello ${id}`), unread: news.size });
      expect(contact.lastMessageAt !== null).toBe(news.size > 0);
    }),
    { numRuns: 40 },
  );
});

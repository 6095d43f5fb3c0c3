/**
 * The away message: whom it answers, when, once a person and day, and that it answers nothing. Black box: people write, and the
 * network shows what was sent; settings are changed as the console changes them.
 */
import { describe, expect, test } from "bun:test";
import { readFileIdentity } from "#src/db/file-identity.ts";
import { linkContacts } from "#src/domain/contacts/identity.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { suspend, updateWorkspace } from "#src/domain/workspaces/update.ts";
import type { WorkspaceSettings } from "#src/domain/workspaces/workspace.ts";
import { TestClock } from "#test/support/clock.ts";
import { firstOperator, person } from "#test/support/console.ts";
import { imageOf } from "#test/support/crash.ts";
import { erase } from "#test/support/erase.ts";
import { accepted, type FakeNetwork, fakeNetwork, gate, unreachable } from "#test/support/fake-network.ts";
import { report, reportInbound } from "#test/support/report.ts";
import { contactOf, eventTypesOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestServerOptions, type TestWorkspace } from "#test/support/server.ts";

const PERSON = "+919876543210";
const OTHER = "+919876543211";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const AWAY = "We are back on Monday at 10.";
/** A Saturday noon in Kolkata. */
const SATURDAY = Date.parse("2026-11-28T12:00:00+05:30");

interface World extends AsyncDisposable {
  app: TestServer;
  network: FakeNetwork;
  shop: TestWorkspace;
  set(changes: Partial<WorkspaceSettings>): Promise<void>;
  write(text: string, at?: number, from?: string): Promise<void>;
  /** The texts that left, in order. */
  sent(): string[];
}

async function startWorld(at = SATURDAY, options: TestServerOptions = {}): Promise<World> {
  const network = fakeNetwork();
  const app = await startTestServer({ networks: { simulator: network }, clock: new TestClock(at), ...options });
  const shop = await app.workspace();
  const world: World = {
    ...{ app, network, shop },
    async set(changes) {
      await app.store.write((tx) => updateWorkspace(tx, shop.id, changes));
    },
    write: (text, time, from = PERSON) => app.inbound(shop, from, text, time),
    sent: () => network.sent.map(({ content }) => (content.type === "text" ? content.body : content.type)),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
  await world.set({ openingHours: "mon-fri 10:00-19:00", awayMessage: AWAY });
  return world;
}

/** As the API shows the conversation of the shop, the newest first. */
async function conversation({ app, shop }: World) {
  const { body } = await app.call("GET", `/api/v1/contacts/${PERSON}/conversation`, { key: shop.key });
  return body.data.map(({ direction, origin, text, status }: Record<string, string>) => ({
    direction,
    origin,
    text,
    status,
  }));
}

describe("who is answered", () => {
  test("a person who writes outside the hours, once a day, and again on the next; not within the hours", async () => {
    await using world = await startWorld();
    await world.write("Are you open?");
    expect(world.sent()).toEqual([AWAY]);
    await world.write("Hello?");
    await world.write("Anybody?", undefined, OTHER);
    expect(world.network.sent.map(({ to }) => to)).toEqual([PERSON, OTHER]);
    // Just after midnight of the workspace's timezone it is another day.
    await world.app.clock.advance(Date.parse("2026-11-29T00:00:01+05:30") - world.app.clock.now());
    await world.write("Good night");
    expect(world.sent()).toEqual([AWAY, AWAY, AWAY]);
    await world.app.clock.advance(Date.parse("2026-11-30T10:00:00+05:30") - world.app.clock.now());
    await world.write("Good morning");
    expect(world.sent()).toHaveLength(3);
    await world.app.clock.advance(9 * HOUR);
    await world.write("Good evening");
    expect(world.sent()).toHaveLength(4);
    expect(
      eventTypesOf(world.app, world.shop).filter((type) => type.startsWith("message.") && type !== "message.received"),
    ).toEqual([]);
  });

  test("only what is under 10 minutes old by the network's time, and was written outside the hours", async () => {
    await using world = await startWorld();
    const { clock } = world.app;
    await world.write("old", clock.now() - 10 * MINUTE);
    expect(world.sent()).toEqual([]);
    await world.write("fresh", clock.now() - 10 * MINUTE + 1_000);
    expect(world.sent()).toEqual([AWAY]);
    // Written at 9:59 and applied at 10:01: the shop is open.
    await clock.advance(Date.parse("2026-11-30T10:01:00+05:30") - clock.now());
    await world.write("early", clock.now() - 2 * MINUTE, OTHER);
    // Written at 18:59 and applied at 19:01: they wrote while it was open.
    await clock.advance(9 * HOUR);
    await world.write("late", clock.now() - 2 * MINUTE, OTHER);
    expect(world.sent()).toEqual([AWAY]);
    // A time ahead of ours counts as now.
    await world.write("ahead", clock.now() + HOUR, OTHER);
    expect(world.sent()).toEqual([AWAY, AWAY]);
  });

  test("not a person who wants to stop, may want to, or has opted out; and no reaction, edit or deletion", async () => {
    await using world = await startWorld();
    const { app, shop } = world;
    await world.write("STOP", undefined, "+919876543301");
    await world.write("please stop sending me this", undefined, "+919876543302");
    await world.write("Hello again", undefined, "+919876543302");
    await app.call("PUT", "/api/v1/contacts/+919876543303", { key: shop.key, body: { consent: "opted_out" } });
    await world.write("Hello", undefined, "+919876543303");
    const contents = [
      { type: "reaction", reaction: { message_id: "wamid.unknown", emoji: "👍" } },
      { type: "edit", edit: { original_message_id: "wamid.x", message: { type: "text", text: { body: "Hello" } } } },
      { type: "revoke", revoke: { original_message_id: "wamid.x" } },
    ];
    for (const content of contents) await reportInbound(app, shop, { from: "919876543304", content });
    expect(world.sent()).toEqual([]);
    expect(contactOf(app, "+919876543304")).toBeDefined();
    // What they write afterwards is answered: nothing was counted.
    await world.write("Hello", undefined, "+919876543304");
    expect(world.sent()).toEqual([AWAY]);
  });
});

describe("threads of others", () => {
  test("what a person wrote to another sender is not answered, nor an echo, nor the history, nor a thread that is taken", async () => {
    await using world = await startWorld();
    const { app, shop } = world;
    const at = Math.floor(app.clock.now() / 1_000);
    const item = (id: string, from: string, to?: string) => ({
      ...{ id, from, timestamp: String(at), type: "text", text: { body: "Hello" } },
      ...(to === undefined ? {} : { to }),
    });
    await report(app, shop, { standby: { messages: [item("wamid.a", "919876543210")] } }, "standby");
    await report(
      app,
      shop,
      { message_echoes: [item("wamid.b", "911244001100", "919876543210")] },
      "smb_message_echoes",
    );
    const thread = { id: "919876543211", messages: [item("wamid.c", "919876543211")] };
    await report(
      app,
      shop,
      { history: [{ metadata: { phase: 0, chunk_order: 1, progress: 100 }, threads: [thread] }] },
      "history",
    );
    expect(world.sent()).toEqual([]);
    // They write to us again: by the network's rule the thread is ours.
    await app.clock.advance(2_000);
    await world.write("Hello");
    expect(world.sent()).toEqual([AWAY]);
  });
});

describe("it answers nothing", () => {
  test("the conversation says who sent it, needs a reply all the same, and shows the person's words last", async () => {
    await using world = await startWorld();
    const { app, shop } = world;
    await firstOperator(app);
    const owner = await person(app, "owner@example.com", "owner", shop.id);
    await world.write("Are you open?");
    expect(await conversation(world)).toEqual([
      { direction: "out", origin: "automation", text: AWAY, status: "sent" },
      { direction: "in", origin: "messages", text: "Are you open?", status: null },
    ] as never);
    const waiting = async () => (await owner.get(`/w/${shop.id}/inbox?show=waiting`)).body.data;
    expect(await waiting()).toMatchObject([{ phone: PERSON, last: { kind: "inbound", text: "Are you open?" } }]);
    const body = { to: PERSON, text: "On Monday!" };
    expect((await app.send("POST", "/api/v1/messages", { key: shop.key, body })).status).toBe(201);
    expect(await waiting()).toEqual([]);
  });
});

describe("crashes and copies", () => {
  test("stopped dead between the inbound and the send: once, by the next server; never a second time", async () => {
    await using world = await startWorld();
    const { app, network } = world;
    network.always(unreachable);
    await world.write("Are you open?");
    using image = imageOf(app.directory);
    const clock = new TestClock(app.clock.now());
    const next = fakeNetwork();
    await using again = await startTestServer({ directory: image.directory, clock, networks: { simulator: next } });
    await again.clock.advance(MINUTE);
    expect(next.sent.map(({ content }) => content)).toEqual([{ type: "text", body: AWAY }]);
    await again.inbound(world.shop, PERSON, "Hello?");
    await again.clock.advance(HOUR);
    expect(next.sent).toHaveLength(1);
  });

  test("stopped dead while it was being sent: in doubt, never repeated, not on that day", async () => {
    await using world = await startWorld();
    const { app, network } = world;
    const going = gate();
    network.next(going.answer);
    const written = world.write("Are you open?");
    await going.reached;
    using image = imageOf(app.directory);
    const clock = new TestClock(app.clock.now());
    going.open("accepted");
    await written;
    const silent = fakeNetwork();
    await using again = await startTestServer({ directory: image.directory, clock, networks: { simulator: silent } });
    await again.clock.advance(11 * MINUTE);
    await again.inbound(world.shop, PERSON, "Hello?");
    expect(silent.sent).toEqual([]);
  });

  test("stopped dead before the inbound was applied: it is applied and answered once", async () => {
    await using world = await startWorld();
    const { app, shop, network } = world;
    const inbound = {
      messages: [
        {
          id: "wamid.twice",
          from: "919876543210",
          timestamp: String(SATURDAY / 1_000),
          type: "text",
          text: { body: "Hi" },
        },
      ],
    };
    await report(app, shop, inbound);
    await report(app, shop, inbound);
    expect(network.sent).toHaveLength(1);
  });

  test("a copy of the database sends none of it, and knows whom it was meant for", async () => {
    await using world = await startWorld(SATURDAY, { readFileIdentity });
    const { app, network } = world;
    network.next(unreachable);
    const written = world.write("Are you open?");
    await written;
    using copy = imageOf(app.directory);
    const silent = fakeNetwork();
    const clock = new TestClock(app.clock.now());
    const options = { directory: copy.directory, clock, readFileIdentity, networks: { simulator: silent } };
    await using again = await startTestServer(options);
    await again.clock.advance(MINUTE);
    await again.inbound(world.shop, PERSON, "Hello?");
    expect(silent.sent).toEqual([]);
  });
});

describe("what changes meanwhile", () => {
  test("it is not sent any more once the shop is open, or the message is switched off, and says so", async () => {
    await using world = await startWorld(Date.parse("2026-11-30T09:59:00+05:30"));
    const { app, network } = world;
    network.always(unreachable);
    await world.write("Are you open?");
    await app.clock.advance(2 * MINUTE);
    network.always(accepted);
    const before = network.sent.length;
    await app.clock.advance(HOUR);
    expect(network.sent).toHaveLength(before);
    expect(await conversation(world)).toMatchObject([
      { origin: "automation", status: "cancelled" },
      { direction: "in" },
    ]);
  });

  test("settings hold from the next message on, without a restart; another timezone has another day", async () => {
    await using world = await startWorld(Date.parse("2026-11-28T23:30:00+05:30"));
    await world.write("one");
    expect(world.sent()).toHaveLength(1);
    // In Auckland it is Sunday: another day, and closed too.
    await world.set({ timezone: "Pacific/Auckland" });
    await world.write("two");
    expect(world.sent()).toHaveLength(2);
    // Back in Kolkata it is the Saturday on which they were answered.
    await world.set({ timezone: "Asia/Kolkata" });
    await world.write("three");
    expect(world.sent()).toHaveLength(2);
    await world.set({ awayMessage: "Closed for the holidays." });
    await world.write("four", undefined, OTHER);
    expect(world.sent().at(-1)).toBe("Closed for the holidays.");
    await world.set({ openingHours: "mon-sun 00:00-24:00" });
    await world.write("five", undefined, "+919876543212");
    await world.set({ closedDays: ["11-28"] });
    await world.write("six", undefined, "+919876543212");
    await world.set({ openingHours: "" });
    await world.write("seven", undefined, "+919876543213");
    expect(world.sent()).toHaveLength(4);
  });

  test("a clock that is set back a day and ahead again brings no second answer", async () => {
    await using world = await startWorld();
    const { app } = world;
    await world.set({ openingHours: "mon-sun closed" });
    await world.write("one");
    app.clock.setWall(-24 * HOUR);
    await world.write("two");
    await world.write("three");
    app.clock.setWall(24 * HOUR);
    await world.write("four");
    // The day before was one of its own: its message waited for the right clock, and was too late by then.
    await app.clock.advance(HOUR);
    expect(world.sent()).toEqual([AWAY]);
  });

  test("people who turn out to be one person are answered once", async () => {
    await using world = await startWorld();
    const { app, shop } = world;
    await world.write("one");
    await app.call("PUT", `/api/v1/contacts/${OTHER}`, { key: shop.key, body: { name: "Anna" } });
    const [one, other] = [contactOf(app, PERSON), contactOf(app, OTHER)];
    await app.store.write((tx) => linkContacts(tx, getWorkspace(tx, shop.id), one, other));
    await world.write("two", undefined, OTHER);
    expect(world.sent()).toEqual([AWAY]);
  });

  test("an erased person leaves no day behind", async () => {
    await using world = await startWorld();
    const { app } = world;
    await world.write("one");
    const days = () => app.store.client.prepare("SELECT count(*) AS count FROM away_days").get();
    expect(days()).toEqual({ count: 1 });
    const contact = contactOf(app, PERSON);
    await app.store.write((tx) => {
      erase(tx, contact, { texts: true });
    });
    expect(days()).toEqual({ count: 0 });
  });

  test("a suspended workspace receives, and sends no answer", async () => {
    await using world = await startWorld();
    const { app, shop } = world;
    await app.store.write((tx) => suspend(tx, shop.id, "unpaid"));
    await world.write("one");
    expect(world.sent()).toEqual([]);
    expect(eventTypesOf(app, shop)).toContain("message.received");
  });
});

test("a workspace without an away message runs no statement for it", async () => {
  await using world = await startWorld(SATURDAY, { mayBreak: true });
  await world.set({ awayMessage: "" });
  world.app.store.client.exec("DROP TABLE away_days");
  await world.write("one");
  await world.set({ awayMessage: AWAY, openingHours: "" });
  await world.write("two");
  expect((await conversation(world)).map(({ text }: { text: string }) => text)).toEqual(["two", "one"]);
});

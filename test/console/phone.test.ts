/**
 * The simulator's phone, the message timeline and the inbox. What is typed on the phone takes the path of the network's
 * callbacks.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { auditEntries, firstOperator, person, type Visitor } from "#test/support/console.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { fillBucket, template } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let ours: TestWorkspace;
let theirs: TestWorkspace;
let operator: Visitor;
let member: Visitor;
let other: Visitor;
const receiver = startReceiver();
const ASHA = "+919876540010";

beforeAll(async () => {
  app = await startTestServer();
  ours = await app.workspace({ name: "Ours" });
  theirs = await app.workspace({ name: "Theirs" });
  operator = await firstOperator(app);
  member = await person(app, "member@example.com", "member", ours.id);
  other = await person(app, "other@example.com", "owner", theirs.id);
  await app.webhook(ours, receiver.url);
  const buttons = [{ type: "QUICK_REPLY", text: "Stop promotions" }];
  await app.template(
    ours,
    template("offer", [
      { type: "BODY", text: "Hi {{1}}." },
      { type: "BUTTONS", buttons },
    ]),
  );
  await fillBucket(app, ours);
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const at = (path: string): string => `/w/${ours.id}${path}`;
const read = async (path: string, who = member) => (await who.get(at(path))).body.data;
const numberId = async (): Promise<number> => (await read("/simulator")).numbers[0].id;
const write = async (phone: string, text: string, more = {}) => {
  const path = at(`/simulator/phones/${encodeURIComponent(phone)}/write`);
  const answered = await member.post(path, { text, number: await numberId(), ...more });
  await app.clock.advance(1_000);
  return answered;
};
const sendOffer = (to: string) =>
  app.clock.until(
    app.call("POST", "/api/v1/messages", {
      key: ours.key,
      body: { to, template: "offer", variables: ["Asha"] },
    }),
  );

describe("the simulator's phone", () => {
  test("the simulated phone shows sent messages with their buttons, and each step, event and webhook attempt beside them", async () => {
    const sent = await sendOffer(ASHA);
    await app.clock.advance(5_000);
    const { phones } = await read("/simulator");
    expect(phones).toMatchObject([{ phone: ASHA, last: { kind: "message", text: "Hi Asha.", status: "read" } }]);
    const phone = await read(`/simulator/phones/${ASHA}`);
    expect(phone.items).toMatchObject([
      { id: sent.body.data.id, text: "Hi Asha.", buttons: [{ text: "Stop promotions", is_reply: true }] },
    ]);
    const whats = phone.steps.map(({ what }: { what: string }) => what);
    for (const what of ["request", "dispatch", "sent", "delivered", "read", "event", "webhook"]) {
      expect(whats).toContain(what);
    }
    expect(receiver.received.length).toBeGreaterThan(0);
  });

  test("the phone shows what a template has next to its text: a file, an offer, cards", async () => {
    const person = "+919876540017";
    const card = {
      components: [
        { type: "HEADER", format: "IMAGE" },
        { type: "BODY", text: "{{1}} for you." },
      ],
    };
    await app.template(
      ours,
      template("plants", [
        { type: "BODY", text: "New in our shop." },
        { type: "CAROUSEL", cards: [card, card] },
      ]),
    );
    await app.template(
      ours,
      template("sale", [
        { type: "HEADER", format: "VIDEO" },
        { type: "LIMITED_TIME_OFFER", limited_time_offer: { text: "Last days", has_expiration: true } },
        { type: "BODY", text: "Only now." },
      ]),
    );
    const media = { link: "https://files.example.com/a.jpg" };
    const offer_expires_at = new Date(app.clock.now() + 86_400_000).toISOString();
    const bodies = [
      {
        template: "plants",
        cards: [
          { media, body: ["Aloe"] },
          { media, body: ["Agave"] },
        ],
      },
      { template: "sale", media: { link: "https://files.example.com/a.mp4" }, offer_expires_at },
    ];
    for (const body of bodies) {
      const sent = app.call("POST", "/api/v1/messages", { key: ours.key, body: { to: person, ...body } });
      expect((await app.clock.until(sent)).status).toBe(201);
      await app.clock.advance(10_000);
    }
    const { templates } = await read(`/simulator/phones/${encodeURIComponent(person)}`);
    expect(templates).toMatchObject([
      { name: "sale", header: { type: "video" }, offer: { text: "Last days" }, cards: null },
      { name: "plants", header: null, cards: [{ header: "image", text: "{{1}} for you." }, { header: "image" }] },
    ]);
  });

  test("pressing a STOP button opts the person out in contact, event and webhook, and START opts them in again", async () => {
    expect((await write(ASHA, "Stop promotions", { is_button: true })).status).toBe(202);
    const stopped = await read(`/simulator/phones/${ASHA}`);
    expect(stopped.contact.consent).toMatchObject({ status: "opted_out", source: "inbound_message" });
    expect(stopped.items[0]).toMatchObject({ kind: "inbound", type: "button", text: "Stop promotions" });
    const types = stopped.steps.flatMap(
      ({ details }: { details: { event_type?: string } }) => details.event_type ?? [],
    );
    expect(types).toContain("contact.opted_out");
    expect(receiver.received.some(({ body }) => body.includes("contact.opted_out"))).toBe(true);
    expect(auditEntries(app)[0]).toMatchObject({ action: "simulator.write", subject: ASHA, workspace_id: ours.id });
    await write(ASHA, "START");
    expect((await read(`/simulator/phones/${ASHA}`)).contact.consent.status).toBe("opted_in");
  });

  test("an unknown person can write first; a blank text, an invalid phone and an unknown number are refused", async () => {
    await write("+919876540020", "Are you open?");
    expect(await read("/simulator/phones/+919876540020")).toMatchObject({ items: [{ text: "Are you open?" }] });
    expect((await write("+919876540020", "  ")).status).toBe(400);
    expect((await write("nobody", "Hi")).status).toBe(400);
    expect((await write(ASHA, "Hi", { number: 999 })).status).toBe(404);
  });

  test("a message that stays sent can be set to delivered, read or failed by hand", async () => {
    const sent = await sendOffer("+919876540004");
    await app.clock.advance(5_000);
    const { id } = sent.body.data;
    const report = async (body: object) => {
      expect((await member.post(at(`/simulator/messages/${id}/status`), body)).status).toBe(202);
      await app.clock.advance(1_000);
      return (await read(`/messages/${id}`)) as { status: string; error: { code: string } | null };
    };
    expect((await read(`/messages/${id}`)).status).toBe("sent");
    expect((await report({ status: "delivered" })).status).toBe("delivered");
    expect((await report({ status: "read" })).status).toBe("read");
    const second = await sendOffer("+919876640004");
    await app.clock.advance(5_000);
    const path = at(`/simulator/messages/${second.body.data.id}/status`);
    await member.post(path, { status: "failed", code: "131049" });
    await app.clock.advance(1_000);
    expect(await read(`/messages/${second.body.data.id}`)).toMatchObject({
      status: "failed",
      error: { code: "131049" },
    });
    expect((await member.post(path, { status: "lost" })).status).toBe(400);
  });

  test("an owner can make a number unready and ready, a member cannot", async () => {
    const path = at(`/numbers/${await numberId()}`);
    expect((await member.post(`${path}/unready`, { reason: "closed" })).status).toBe(404);
    expect((await operator.post(`${path}/unready`, { reason: "closed" })).status).toBe(200);
    expect((await sendOffer(ASHA)).body.error.code).toBe("number_not_ready");
    expect((await operator.post(`${path}/ready`)).status).toBe(200);
    expect((await sendOffer(ASHA)).status).toBe(201);
  });

  test("messages, conversations and numbers of another workspace are not found", async () => {
    const foreign = `/w/${theirs.id}`;
    for (const path of [`${foreign}/messages/1`, `${foreign}/inbox/1`]) {
      expect([path, (await other.get(path)).status]).toEqual([path, 404]);
    }
    const body = { status: "read" };
    expect((await other.post(`${foreign}/simulator/messages/1/status`, body)).status).toBe(404);
    expect((await other.post(`${foreign}/numbers/1/ready`)).status).toBe(404);
    const write = { text: "Hi", number: await numberId() };
    expect((await other.post(`${foreign}/simulator/phones/${ASHA}/write`, write)).status).toBe(404);
    expect((await other.get(`${foreign}/simulator/phones/${ASHA}`)).body.data.items).toEqual([]);
    expect((await other.get(`${foreign}/messages?q=${encodeURIComponent(ASHA)}`)).body.data).toEqual([]);
  });
});

describe("messages", () => {
  test("messages are found by phone in any form, id, words and status; unknown outcomes are separate from failed ones", async () => {
    const lost = await sendOffer("+919876540008");
    expect(lost.status).toBe(502);
    const find = (query: Record<string, string>) => read(`/messages?${new URLSearchParams(query)}`);
    const unknown = await find({ status: "unknown" });
    expect(unknown).toMatchObject([{ to: "+919876540008", status: "failed", is_unknown: true }]);
    expect((await find({ status: "failed" })).every(({ is_unknown }: { is_unknown: boolean }) => !is_unknown)).toBe(
      true,
    );
    const [{ id }] = unknown;
    for (const q of [`#${id}`, "098765 40008", "+91 98765 40008"]) {
      expect([q, (await find({ q })).map((row: { id: number }) => row.id)]).toEqual([q, [id]]);
    }
    expect((await find({ q: "hi asha" })).length).toBeGreaterThan(3);
    expect(await find({ q: "never said" })).toEqual([]);
    expect((await member.get(at("/messages?status=lost"))).status).toBe(400);
    const all = await find({});
    expect(all.map((row: { id: number }) => row.id)).toEqual(
      all.map((row: { id: number }) => row.id).toSorted((a: number, b: number) => b - a),
    );
  });

  test("a message's timeline is complete and in order of time", async () => {
    const [{ id }] = await read(`/messages?q=${encodeURIComponent(ASHA)}`);
    const { steps, is_whole } = await read(`/messages/${id}`);
    expect(is_whole).toBe(true);
    expect(steps[0]).toMatchObject({ what: "request" });
    const times = steps.map((step: { at: string }) => step.at);
    expect(times).toEqual(times.toSorted());
  });
});

describe("the inbox", () => {
  test("the inbox counts unread conversations, and a message that arrives after the conversation was opened stays unread", async () => {
    const [row] = await read("/inbox?show=unread");
    expect(row).toMatchObject({ phone: "+919876540020", unread: 1, last: { text: "Are you open?" } });
    const before = (await read("/inbox/unread")).count;
    const opened = await read(`/inbox/${row.contact_id}`);
    const seen = (id: number) => member.post(at(`/inbox/${row.contact_id}/seen`), { last_inbound_id: id });
    await write("+919876540020", "Hello?");
    expect((await seen(opened.last_inbound_id)).body.data).toEqual({ is_seen: false });
    const again = await read(`/inbox/${row.contact_id}`);
    expect((await seen(again.last_inbound_id)).body.data).toEqual({ is_seen: true });
    expect((await read("/inbox/unread")).count).toBe(before - 1);
  });

  test("a reply within the 24-hour window is sent once per key, and refused after the window", async () => {
    const [row] = await read("/inbox");
    const reply = () =>
      app.clock.until(member.post(at("/messages"), { to: row.phone, text: "We are." }, { key: "reply-1" }));
    const [first, second] = [await reply(), await reply()];
    expect([first.status, second.text]).toEqual([201, first.text]);
    const { items, window_ends_at: end } = await read(`/inbox/${row.contact_id}`);
    expect(items.filter(({ text }: { text: string }) => text === "We are.").length).toBe(1);
    expect(items[0]).toMatchObject({ kind: "message", origin: "console", text: "We are." });
    expect(Date.parse(end)).toBeGreaterThan(app.clock.now());
    expect((await read("/inbox?show=open")).length).toBeGreaterThan(0);
    const day = 24 * 60 * 60_000;
    app.store.client
      .prepare("UPDATE contacts SET last_message_at = last_message_at - ? WHERE id = ?")
      .run(day, row.contact_id);
    const late = await member.post(at("/messages"), { to: row.phone, text: "Still there?" }, { key: "reply-2" });
    expect([late.status, late.body.error.code]).toEqual([422, "window_closed"]);
    expect(Date.parse((await read(`/inbox/${row.contact_id}`)).window_ends_at)).toBeLessThan(app.clock.now());
  });
});

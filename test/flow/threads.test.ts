/** Who owns the thread with a person on a number that others answer too, who is told, and what may be sent into it. */
import { describe, expect, test } from "bun:test";
import { readTypes, setWebhook } from "#src/domain/webhooks/address.ts";
import { firstOperator, person } from "#test/support/console.ts";
import { networkIdOf, throttled } from "#test/support/fake-network.ts";
import { inboundItem, report, reportInbound } from "#test/support/report.ts";
import { eventsOf, eventTypesOf } from "#test/support/rows.ts";
import { shipped } from "#test/support/templates.ts";
import { ANNA, startThreads } from "#test/support/thread-world.ts";
import { boxOf } from "#test/support/webhooks.ts";

const HOUR_MS = 60 * 60 * 1000;

test("on a number of ours alone there is no question of owners: no thread, no event, and every conversation is ours", async () => {
  await using world = await startThreads();
  await world.writes();
  expect((await world.contact()).threads).toEqual([]);
  const [conversation] = (await world.call("GET", "/conversations")).body.data;
  expect(conversation).toMatchObject({
    owner: "us",
    unread: 1,
    number: world.shop.number,
    last_message: { text: "Hello" },
  });
  expect(conversation.contact.phone).toBe(ANNA);
  expect((await world.call("GET", `/conversations/${conversation.id}`)).body.data).toEqual(conversation);
  expect((await world.call("GET", `/conversations/${conversation.id + 1}`)).status).toBe(404);
  expect(eventTypesOf(world.app, world.shop)).toEqual(["message.received"]);
  expect(await world.send({ take: false })).toBe("sent");
});

describe("the owner", () => {
  test("standby gives the thread to another sender, a message or a handover to us, and silence ends it", async () => {
    await using world = await startThreads();
    await world.standby();
    expect(await world.owner()).toBe("other");
    await world.app.clock.advance(1_000);
    await world.writes();
    expect(await world.owner()).toBe("us");
    await world.app.clock.advance(1_000);
    await world.echo();
    expect(await world.owner()).toBe("other");
    await world.app.clock.advance(1_000);
    await world.handover("control_passed");
    expect(await world.owner()).toBe("us");
    await world.app.clock.advance(1_000);
    await world.handover("control_taken");
    expect(await world.owner()).toBe("other");
    await world.app.clock.advance(24 * HOUR_MS);
    expect(await world.owner()).toBe("nobody");
    await world.writes();
    expect(await world.owner()).toBe("us");
  });

  test("the later by the network's time decides, whatever arrives last, and a repeat changes nothing", async () => {
    await using world = await startThreads();
    await world.writes({ agoMs: 10_000 });
    await world.standby({ agoMs: 60_000 });
    expect(await world.owner()).toBe("us");
    await world.handover("control_taken", { agoMs: 30_000 });
    await world.echo({ agoMs: 20_000 });
    expect(await world.owner()).toBe("us");
    await world.handover("control_taken", { agoMs: 10_000 });
    expect(await world.owner()).toBe("other");
    const before = await world.contact();
    await world.app.clock.advance(60_000);
    await world.handover("control_taken", { agoMs: 70_000 });
    await world.writes({ agoMs: 70_000, id: "wamid.late" });
    await world.writes({ agoMs: 70_000, id: "wamid.late" });
    expect((await world.contact()).threads).toEqual(before.threads);
  });

  test("each change is an event with the conversation, a repeat is none", async () => {
    await using world = await startThreads();
    const { app, shop } = world;
    await world.writes();
    await world.standby();
    expect(eventTypesOf(app, shop)).not.toContain("conversation.updated");
    const types = readTypes("conversation.updated");
    await app.store.write((tx) => setWebhook(tx, boxOf(app), shop.id, "https://hooks.example/waxwing", { types }));
    await app.clock.advance(1_000);
    await world.writes();
    await world.app.clock.advance(1_000);
    for (const id of ["wamid.a", "wamid.a", "wamid.b"]) await world.standby({ id });
    await world.app.clock.advance(1_000);
    await world.handover("control_passed");
    await world.handover("control_passed");
    const told = eventsOf(world.app, world.shop).filter(({ type }) => type === "conversation.updated");
    expect(told.map(({ data }) => (data as { conversation: { owner: string } }).conversation.owner)).toEqual([
      "other",
      "us",
    ]);
    const [shown] = (await world.call("GET", "/conversations")).body.data;
    expect(told.at(-1)?.data).toMatchObject({ conversation: { id: shown.id, owner: "us", contact: { phone: ANNA } } });
  });

  test("the history of a phone says nothing of the owner, and an echo of our own message neither", async () => {
    await using world = await startThreads();
    const { app, shop, network } = world;
    await world.writes({ agoMs: 5_000 });
    const old = inboundItem({ text: "Long ago", at: app.clock.now() - 1_000, id: "wamid.old" }, 0);
    await report(
      app,
      shop,
      { history: [{ metadata: { phase: 0 }, threads: [{ id: ANNA.slice(1), messages: [old] }] }] },
      "history",
    );
    expect((await world.contact()).threads).toEqual([]);
    await world.standby({ agoMs: 4_000 });
    await world.writes({ agoMs: 3_000 });
    expect(await world.send()).toBe("sent");
    await world.echo({ id: networkIdOf(network.sent[0] ?? { sendToken: "" }) }, "standby");
    expect(await world.owner()).toBe("us");
  });

  test("a STOP is heard in a thread of another sender", async () => {
    await using world = await startThreads();
    await world.standby({ text: "STOP" });
    expect((await world.contact()).consent.status).toBe("opted_out");
    expect(await world.send({ take: true })).toBe("opted_out");
  });
});

describe("a free message into a thread of another sender", () => {
  test("is refused, and leaves the key unused; a template goes", async () => {
    await using world = await startThreads();
    const { app, shop, network } = world;
    await world.standby();
    const body = { to: ANNA, text: "Hello" };
    const headers = { "idempotency-key": "same" };
    const refused = await app.call("POST", "/api/v1/messages", { key: shop.key, body, headers });
    expect([refused.status, refused.body.error]).toMatchObject([
      422,
      { code: "thread_owned_elsewhere", retry_key: "same", retryable: false },
    ]);
    expect(network.sent).toEqual([]);
    expect(await world.send({ take: false })).toBe("thread_owned_elsewhere");
    expect((await world.call("POST", "/messages", shipped(ANNA))).status).toBe(201);
    await app.clock.advance(1_000);
    await world.writes();
    const sent = await app.call("POST", "/api/v1/messages", { key: shop.key, body, headers });
    expect(sent.status).toBe(201);
  });

  test("is refused before the number's readiness is looked at, and after an opt-out", async () => {
    await using world = await startThreads();
    await world.standby();
    world.app.store.client.exec("UPDATE numbers SET ready = 0, unready_reason = 'late', unready_by = 'person'");
    expect(await world.send()).toBe("thread_owned_elsewhere");
    expect(await world.send({ take: true })).toBe("number_not_ready");
    await world.call("POST", `/contacts/${ANNA}/opt-out`);
    expect(await world.send()).toBe("opted_out");
  });

  test("goes with `take: true`, and the thread is ours", async () => {
    await using world = await startThreads();
    await world.standby();
    await world.app.clock.advance(1_000);
    expect(await world.send({ take: true })).toBe("sent");
    expect(await world.owner()).toBe("us");
    expect(await world.send()).toBe("sent");
  });

  test("takes the thread from Meta's Business Agent, unless `take` is false; the console asks", async () => {
    await using world = await startThreads();
    const { app, shop } = world;
    await world.writes();
    await app.clock.advance(1_000);
    await world.handover("control_taken");
    expect(await world.send({ take: false })).toBe("thread_owned_elsewhere");
    await firstOperator(app);
    const member = await person(app, "member@example.com", "member", shop.id);
    const { contact_id: id } = (await member.get(`/w/${shop.id}/inbox`)).body.data[0];
    expect((await member.get(`/w/${shop.id}/inbox/${id}`)).body.data.thread).toMatchObject({
      owner: "other",
      role: "ai_agent",
    });
    const reply = (more: object = {}) => member.post(`/w/${shop.id}/messages`, { to: ANNA, text: "Hello", ...more });
    expect((await reply()).body.error.code).toBe("thread_owned_elsewhere");
    await app.clock.advance(1_000);
    expect((await reply({ take: true })).status).toBe(201);
    expect(await world.owner()).toBe("us");
    await app.clock.advance(1_000);
    await world.handover("control_taken");
    await app.clock.advance(1_000);
    expect([await world.send(), await world.owner()]).toEqual(["sent", "us"]);
  });

  test("is not sent again after a throttle if another sender took the thread meanwhile", async () => {
    await using world = await startThreads();
    const { app, shop, network } = world;
    await world.standby({ agoMs: 5_000 });
    await world.writes({ agoMs: 4_000 });
    network.next(async () => {
      await world.standby({ agoMs: 0 });
      return throttled();
    });
    const { body } = await app.send("POST", "/api/v1/messages", { key: shop.key, body: { to: ANNA, text: "Hello" } });
    expect([body.error.code, network.sent.length]).toEqual(["thread_owned_elsewhere", 1]);
  });

  test("that was scheduled follows the owner at its hour, and what the request said of `take`", async () => {
    await using world = await startThreads();
    const { app } = world;
    await world.writes();
    const later = async (more: object = {}) => {
      const sendAt = new Date(app.clock.now() + 600_000).toISOString();
      const answer = await world.call("POST", "/messages", { to: ANNA, text: "Hello", send_at: sendAt, ...more });
      expect(answer.status).toBe(202);
      return answer.body.data.id;
    };
    const [plain, taking] = [await later(), await later({ take: true })];
    await app.clock.advance(1_000);
    await world.standby();
    await app.clock.advance(HOUR_MS / 2);
    const shown = async (id: number) => (await world.call("GET", `/messages/${id}`)).body.data;
    expect([(await shown(plain)).status, (await shown(plain)).error.whatsapp_code]).toEqual([
      ...["failed", "thread_owned_elsewhere"],
    ]);
    expect((await shown(taking)).status).toBe("sent");
    expect(await world.owner()).toBe("us");
  });

  test("is about the number that sends: the thread on another number is its own", async () => {
    await using world = await startThreads();
    const { app, shop } = world;
    await firstOperator(app);
    const owner = await person(app, "owner@example.com", "owner", shop.id);
    const second = (await owner.post(`/w/${shop.id}/numbers`, { phone: "+919876599990", name: "Second" })).body.data;
    await world.standby();
    await reportInbound(app, { ...shop, numberId: second.id }, { text: "And here?" });
    expect(await world.send({ from: shop.number })).toBe("thread_owned_elsewhere");
    expect(await world.send({ from: second.phone })).toBe("sent");
    const conversations = (await world.call("GET", "/conversations")).body.data;
    expect(conversations.map(({ number, owner: has }: Record<string, string>) => [number, has]).toSorted()).toEqual(
      [
        [second.phone, "us"],
        [shop.number, "other"],
      ].toSorted(),
    );
    const only = (await world.call("GET", `/conversations?number=${encodeURIComponent(second.phone)}`)).body;
    expect(only.data.map(({ last_message: last }: { last_message: { text: string } }) => last.text)).toEqual(["Hello"]);
    const pages = (await world.call("GET", "/conversations?per_page=1")).body;
    const rest = (await world.call("GET", `/conversations?per_page=1&after=${pages.meta.next}`)).body;
    expect([...pages.data, ...rest.data].map(({ id }: { id: number }) => id).toSorted()).toEqual(
      conversations.map(({ id }: { id: number }) => id).toSorted(),
    );
    expect((await world.call("GET", "/conversations?number=12")).status).toBe(400);
    expect((await owner.get(`/w/${shop.id}/inbox`)).body.data).toHaveLength(2);
  });

  test("`take` goes with no template, and is true or false", async () => {
    await using world = await startThreads();
    for (const body of [
      { ...shipped(ANNA), take: true },
      { to: ANNA, text: "Hello", take: "yes" },
    ]) {
      const answer = await world.call("POST", "/messages", body);
      expect([answer.status, Object.keys(answer.body.error.fields)]).toEqual([400, ["take"]]);
    }
  });
});

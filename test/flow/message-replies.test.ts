/** A message that answers or reacts to another one names it by its id here, and the network by its own. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { kindCases } from "#test/support/message-kinds.ts";
import { eventsOf } from "#test/support/rows.ts";
import { changesBetween, snapshot } from "#test/support/scenarios.ts";
import type { Answered } from "#test/support/server.ts";
import { rows, startWhatsapp, textFrom, type WhatsappWorld } from "#test/support/whatsapp.ts";

const to = "+4915112345678";
const other = "+4915112345679";
const secondNumber = { phone: "+4930000001", phoneNumberId: "200000000000002" };

let world: WhatsappWorld;
let theirs: number;
let ours: number;
beforeAll(async () => {
  world = await startWhatsapp({
    config: { limits: { requestsPerSecond: 10_000, burst: 10_000 } },
    graph: { phoneNumberIds: ["200000000000001", secondNumber.phoneNumberId] },
  });
  await world.addNumber(world.workspace.id, secondNumber);
  theirs = await hear(to, "wamid.theirs");
  ours = (await send({ text: "Hello" })).body.data.id;
});
afterAll(() => world[Symbol.asyncDispose]());

let keys = 0;
function send(body: object): Promise<Answered> {
  keys += 1;
  return world.app.send("POST", "/api/v1/messages", {
    key: world.workspace.key,
    body: { to, from: world.workspace.number, ...body },
    headers: { "Idempotency-Key": `k${keys}` },
  });
}

/** Returns the id of what the person wrote. */
async function hear(from: string, id: string, more: object = {}): Promise<number> {
  const timestamp = String(Math.floor(world.clock.now() / 1_000));
  await world.hear(textFrom(world.graph, from, "Hello", { id, timestamp, ...more }));
  return (
    rows<{ id: number }>(world.app.store, `SELECT id FROM inbounds WHERE network_message_id = '${id}'`)[0]?.id ?? 0
  );
}

const lastRequest = () => world.graph.requests.at(-1)?.body as Record<string, unknown>;
const networkIdOf = (id: number) =>
  rows<{ networkId: string }>(world.app.store, `SELECT network_message_id networkId FROM messages WHERE id = ${id}`)[0]
    ?.networkId;

const answering = Object.entries(kindCases).filter(([, { type }]) => type !== "reaction");

test.each(answering)("an answer quotes the message, whatever its kind: %s", async (_, { body, part }) => {
  await world.clock.advance(10_000);
  for (const [reference, networkId] of [
    [{ inbound: theirs }, "wamid.theirs"],
    [{ message: ours }, networkIdOf(ours)],
  ] as const) {
    const answer = await send({ ...body, reply_to: reference });
    expect([answer.status, answer.body.error]).toEqual([201, undefined]);
    expect(lastRequest()).toMatchObject({ ...part, context: { message_id: networkId } });
    expect(answer.body.data.reply_to).toEqual(reference);
    const event = eventsOf(world.app, world.workspace).findLast(({ type }) => type === "message.sent");
    expect(event?.data.message.reply_to).toEqual(reference);
  }
});

test("a message without an answer has none", async () => {
  const { body } = await send({ text: "x" });
  expect(body.data.reply_to).toBeNull();
  expect(lastRequest()).not.toHaveProperty("context");
});

test("a reaction replaces the previous one, and an empty one takes it away", async () => {
  for (const reference of [{ inbound: theirs }, { message: ours }]) {
    for (const emoji of ["👍", "❤️", "🇩🇪", "1️⃣", "👨‍👩‍👧‍👦", ""]) {
      const { status, body } = await send({ reaction: { emoji, to: reference } });
      expect([status, body.error]).toEqual([201, undefined]);
      const message_id = "inbound" in reference ? "wamid.theirs" : networkIdOf(ours);
      expect(lastRequest()).toMatchObject({ type: "reaction", reaction: { message_id, emoji } });
      expect(lastRequest()).not.toHaveProperty("context");
      expect(body.data).toMatchObject({
        type: "reaction",
        text: emoji,
        content: { reaction: { emoji, to: reference } },
      });
    }
  }
});

describe("is refused, and changes nothing:", () => {
  async function expectFault(body: object, field: string, words: string): Promise<void> {
    await world.clock.advance(10_000);
    const before = snapshot(world.app.store);
    const count = world.graph.requests.length;
    const answer = await send(body);
    expect([body, answer.status, answer.body.error?.code]).toEqual([body, 400, "invalid_request"]);
    expect(answer.body.error.fields).toEqual({ [field]: [expect.stringContaining(words)] });
    expect(world.graph.requests).toHaveLength(count);
    expect(changesBetween(before, snapshot(world.app.store))).toEqual({});
  }
  const both = (reference: object) => [
    [{ text: "x", reply_to: reference }, "reply_to"] as const,
    [{ reaction: { emoji: "👍", to: reference } }, "reaction.to"] as const,
  ];

  test("a message that there is not", async () => {
    for (const name of ["inbound", "message"]) {
      for (const [body, path] of both({ [name]: 99_999 })) await expectFault(body, `${path}.${name}`, "There is no");
    }
  });

  test("a message of another workspace", async () => {
    const shop = await world.app.workspace();
    await world.app.inbound(shop, to, "Hello");
    const [{ id = 0 } = {}] = rows<{ id: number }>(world.app.store, "SELECT max(id) id FROM inbounds");
    for (const [body, path] of both({ inbound: id })) await expectFault(body, `${path}.inbound`, "There is no");
  });

  test("a message of another person", async () => {
    const inbound = await hear(other, "wamid.other");
    for (const [body, path] of both({ inbound }))
      await expectFault(body, `${path}.inbound`, "not one of this person's");
    for (const [body, path] of both({ message: ours })) {
      await expectFault({ ...body, to: other }, `${path}.message`, "not one of this person's");
    }
    for (const [body, path] of both({ message: ours })) {
      await expectFault({ ...body, to: "+4915112340000" }, `${path}.message`, "not one of this person's");
    }
  });

  test("a message that the network did not take", async () => {
    world.graph.fault({ fault: { kind: "error", code: 131009 } });
    await send({ text: "refused" });
    const [{ id = 0 } = {}] = rows<{ id: number }>(world.app.store, "SELECT max(id) id FROM messages");
    for (const [body, path] of both({ message: id })) await expectFault(body, `${path}.message`, "did not take");
  });

  test("a message of another number", async () => {
    for (const [body, path] of both({ inbound: theirs })) {
      await expectFault({ ...body, from: secondNumber.phone }, `${path}.inbound`, world.workspace.number ?? "");
    }
  });

  test("a reaction to a reaction, and to a message of more than 30 days ago", async () => {
    const { body } = await send({ reaction: { emoji: "👍", to: { inbound: theirs } } });
    await expectFault({ reaction: { emoji: "👍", to: { message: body.data.id } } }, "reaction.to.message", "itself");
    const inbound = await hear(to, "wamid.reaction", { type: "reaction", reaction: { message_id: "x", emoji: "👍" } });
    await expectFault({ reaction: { emoji: "👍", to: { inbound } } }, "reaction.to.inbound", "itself");
    const old = await hear(to, "wamid.old");
    const age = (ms: number) =>
      world.app.store.client
        .prepare("UPDATE inbounds SET received_at = ? WHERE id = ?")
        .run(world.clock.now() - ms, old);
    const month = 30 * 86_400_000;
    age(month + 60_000);
    await expectFault({ reaction: { emoji: "👍", to: { inbound: old } } }, "reaction.to.inbound", "30 days");
    expect((await send({ text: "x", reply_to: { inbound: old } })).status).toBe(201);
    age(month - 60_000);
    expect((await send({ reaction: { emoji: "👍", to: { inbound: old } } })).status).toBe(201);
  });
});

test("events name messages as requests do", async () => {
  await hear(to, "wamid.answer", { context: { id: networkIdOf(ours) } });
  const received = () =>
    eventsOf(world.app, world.workspace).findLast(({ type }) => type === "message.received")?.data.message;
  expect(received().details.reply_to).toEqual({ message_id: ours, direction: "out", message: ours });
  await hear(to, "wamid.answer2", { context: { id: "wamid.theirs" } });
  expect(received().details.reply_to).toEqual({ message_id: theirs, inbound: theirs });
  await hear(to, "wamid.thumb", { type: "reaction", reaction: { message_id: networkIdOf(ours), emoji: "👍" } });
  expect(received().details.reaction).toEqual({
    emoji: "👍",
    message_id: ours,
    direction: "out",
    to: { message: ours },
  });
  await hear(to, "wamid.thumb2", { type: "reaction", reaction: { message_id: "wamid.unknown", emoji: "👍" } });
  expect(received().details.reaction).toMatchObject({ message_id: null, to: null });
});

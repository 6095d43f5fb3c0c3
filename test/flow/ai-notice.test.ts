/**
 * The AI notice: the first message of an AI's key in a window begins with the workspace's notice, and no order of failures,
 * retries and parallel requests leaves a person without it.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createKey, DEFAULT_LIMITS } from "#src/domain/workspaces/api-keys.ts";
import { updateWorkspace } from "#src/domain/workspaces/update.ts";
import { SeededRandom } from "#test/sim/random.ts";
import { erase } from "#test/support/erase.ts";
import { accepted, fakeNetwork, gate, refused, throttled, unknown } from "#test/support/fake-network.ts";
import { reportStatus } from "#test/support/report.ts";
import { contactOf, messagesOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";

const NOTICE = "An AI wrote this. Write PERSON to reach one of us.";
const HOUR = 60 * 60_000;

type Noted = (this: { source: string }, ...given: unknown[]) => unknown;

let app: TestServer;
let shop: TestWorkspace;
let network: ReturnType<typeof fakeNetwork>;
let ai: string;
let phone = 919876500000;
let person = "";

beforeAll(async () => {
  network = fakeNetwork();
  app = await startTestServer({ networks: { simulator: network } });
  shop = await app.workspace();
  await app.template(shop, orderShipped);
  const limits = { ...DEFAULT_LIMITS, isAi: true };
  ai = (await app.store.write((tx) => createKey(tx, shop.id, "Helper", { limits }))).key;
  await app.store.write((tx) => updateWorkspace(tx, shop.id, { aiNotice: `\n${NOTICE}  ` }));
});
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(() => {
  phone += 1;
  person = `+${phone}`;
});

const writes = (text = "Hello") => app.inbound(shop, person, text);
const post = (body: object, { key = ai, id }: { key?: string; id?: string } = {}) =>
  app.send("POST", "/api/v1/messages", {
    ...{ key, body: { to: person, ...body } },
    ...(id === undefined ? {} : { headers: { "Idempotency-Key": id } }),
  });
const say = async (text: string, key = ai) => (await post({ text }, { key })).body.data?.text;
const messageWith = (id: number) => {
  const message = messagesOf(app).find((one) => one.id === id);
  if (message === undefined) throw new Error(`there is no message ${id}`);
  return message;
};
const noticed = (text: string): string => `${NOTICE}\n\n${text}`;

describe("which message carries it", () => {
  test("the first of a window, as it is stored and sent; the next window begins with it again", async () => {
    await writes();
    const first = await post({ text: "Your table is ready." });
    expect(first.body.data).toMatchObject({
      ...{ text: noticed("Your table is ready."), type: "text" },
      sent_by: { kind: "agent", name: "Helper", ai: true },
    });
    expect(network.sent.at(-1)?.content).toEqual({ type: "text", body: noticed("Your table is ready.") });
    expect(await say("Shall I keep it?")).toBe("Shall I keep it?");
    // The person keeps the window open: it is one window, also after days, and while the AI is silent.
    for (let day = 0; day < 3; day++) {
      await app.clock.pass(20 * HOUR);
      await writes("Still there?");
      if (day === 0) expect(await say("Yes.")).toBe("Yes.");
    }
    expect(await say("Yes.")).toBe("Yes.");
    await app.clock.pass(25 * HOUR);
    await writes("Again.");
    expect(await say("Welcome back.")).toBe(noticed("Welcome back."));
  });

  test("no message of another key, and none where the notice is empty", async () => {
    await writes();
    expect(await say("By a program.", shop.key)).toBe("By a program.");
    await app.store.write((tx) => updateWorkspace(tx, shop.id, { aiNotice: "" }));
    expect(await say("Without.")).toBe("Without.");
    await app.store.write((tx) => updateWorkspace(tx, shop.id, { aiNotice: NOTICE }));
    expect(await say("With.")).toBe(noticed("With."));
  });

  test("a template never does, and does not count as a message that did", async () => {
    await writes();
    const sent = await post(shipped(person));
    expect([sent.status, sent.body.data.text.includes(NOTICE)]).toEqual([201, false]);
    expect(await say("Anything else?")).toBe(noticed("Anything else?"));
  });

  test("WhatsApp closed the window by refusing a message: the next one begins with it", async () => {
    await writes();
    expect(await say("One.")).toBe(noticed("One."));
    network.next(refused("131047"));
    await post({ text: "Two." });
    await app.clock.advance(1_000);
    await writes("I am back.");
    expect(await say("Three.")).toBe(noticed("Three."));
  });
});

describe("kinds", () => {
  const link = "https://files.example.com/table.jpg";

  test("a caption and an interactive body carry it, in the shape of the request", async () => {
    await writes();
    const picture = await post({ media: { link } });
    expect(picture.body.data).toMatchObject({ text: NOTICE, content: { media: { type: "image", caption: NOTICE } } });
    await app.clock.pass(25 * HOUR);
    await writes();
    const captioned = await post({ media: { link, caption: "By the window" } });
    expect(captioned.body.data.content.media.caption).toBe(noticed("By the window"));
    await app.clock.pass(25 * HOUR);
    await writes();
    const buttons = [{ id: "yes", title: "Yes" }];
    const asked = await post({ interactive: { body: "At ten?", buttons } });
    expect(asked.body.data).toMatchObject({
      text: noticed("At ten?"),
      content: { interactive: { body: noticed("At ten?"), buttons } },
    });
    const again = await post({ interactive: { body: "At eleven?", buttons } });
    expect(again.body.data.text).toBe("At eleven?");
  });

  test("a message without words waits for a text, and is named", async () => {
    await writes();
    const kinds = {
      location: { location: { latitude: 51.5, longitude: -0.1 } },
      contacts: { contacts: [{ name: { formatted_name: "Asha Rao" } }] },
      media: { media: { link: "https://files.example.com/hello.mp3" } },
    };
    for (const [field, body] of Object.entries(kinds)) {
      const { status, body: answer } = await post(body);
      expect([status, answer.error.code, Object.keys(answer.error.fields)]).toEqual([400, "invalid_request", [field]]);
      expect(answer.error.fields[field][0]).toContain("Send a text first");
    }
    const sticker = await post({ media: { link: "https://files.example.com/hello.webp" } });
    expect(sticker.body.error.fields.media[0]).toContain("sticker");
    const { id } = (await app.call("GET", `/api/v1/contacts/${person}/conversation`, { key: shop.key })).body.data[0];
    const reaction = await post({ reaction: { emoji: "👍", to: { inbound: id } } });
    expect([reaction.status, Object.keys(reaction.body.error.fields)]).toEqual([400, ["reaction"]]);
    expect(await say("A text.")).toBe(noticed("A text."));
    for (const body of [...Object.values(kinds), { reaction: { emoji: "👍", to: { inbound: id } } }]) {
      expect((await post(body)).status).toBe(201);
    }
  });

  test("limits count with it: the error names the field and the room", async () => {
    await writes();
    const room = 4_096 - NOTICE.length - 2;
    const long = await post({ text: "x".repeat(room + 1) });
    expect([long.status, Object.keys(long.body.error.fields)]).toEqual([400, ["text"]]);
    expect(long.body.error.fields.text[0]).toContain(`leaves ${room} of 4096 characters`);
    const captionRoom = 1_024 - NOTICE.length - 2;
    const caption = await post({ media: { link, caption: "x".repeat(captionRoom + 1) } });
    expect(Object.keys(caption.body.error.fields)).toEqual(["media.caption"]);
    const body = "x".repeat(captionRoom + 1);
    const interactive = await post({ interactive: { body, buttons: [{ id: "yes", title: "Yes" }] } });
    expect(Object.keys(interactive.body.error.fields)).toEqual(["interactive.body"]);
    expect((await post({ text: "x".repeat(room) })).body.data.text).toHaveLength(4_096);
    expect((await post({ text: "x".repeat(4_096) })).status).toBe(201);
  });
});

describe("failures and repetitions", () => {
  test("a repetition under the key gets the kept answer, and sends nothing", async () => {
    await writes();
    const first = await post({ text: "Once." }, { id: "once-ai" });
    const before = network.sent.length;
    const again = await post({ text: "Once." }, { id: "once-ai" });
    expect([again.body, network.sent.length]).toEqual([first.body, before]);
    expect((await post({ text: noticed("Once.") }, { id: "once-ai" })).status).toBe(409);
  });

  test("after a certain failure, and while the outcome is unknown, the next carries it; a retry keeps it", async () => {
    await writes();
    network.next(refused("131026"));
    expect((await post({ text: "One." })).status).toBe(422);
    network.next(unknown);
    await post({ text: "Two." });
    network.next(throttled(), (outbound) => accepted(outbound));
    expect(await say("Three.")).toBe(noticed("Three."));
    expect(network.sent.slice(-4).map(({ content }) => "body" in content && content.body)).toEqual(
      ["One.", "Two.", "Three.", "Three."].map(noticed),
    );
    expect(await say("Four.")).toBe("Four.");
  });

  test("a message that failed after it was accepted has not told the person", async () => {
    await writes();
    const { id } = (await post({ text: "One." })).body.data;
    const { networkMessageId } = messageWith(id);
    await reportStatus(app, shop, { id: networkMessageId ?? "", status: "failed", code: 131026 });
    expect(await say("Two.")).toBe(noticed("Two."));
  });

  test("of two at the same time both carry it: the first may yet fail", async () => {
    await writes();
    const held = gate();
    network.next(held.answer);
    const first = post({ text: "One." });
    await held.reached;
    expect(await say("Two.")).toBe(noticed("Two."));
    held.open("accepted");
    expect((await first).body.data.text).toBe(noticed("One."));
    expect(await say("Three.")).toBe("Three.");
  });

  test("a scheduled message is evaluated when it is due", async () => {
    await writes();
    const at = (ms: number) => new Date(app.clock.now() + ms).toISOString();
    const first = (await post({ text: "Later.", send_at: at(HOUR) })).body.data;
    const second = (await post({ text: "Later still.", send_at: at(2 * HOUR) })).body.data;
    const place = (await post({ location: { latitude: 1, longitude: 2 }, send_at: at(HOUR / 2) })).body.data;
    expect([first.text, second.text, place.status]).toEqual(["Later.", "Later still.", "scheduled"]);
    await app.clock.advance(3 * HOUR);
    const shown = async (id: number) => (await app.call("GET", `/api/v1/messages/${id}`, { key: ai })).body.data;
    expect(await shown(first.id)).toMatchObject({ status: "sent", text: noticed("Later.") });
    expect(await shown(second.id)).toMatchObject({ status: "sent", text: "Later still." });
    expect(await shown(place.id)).toMatchObject({
      status: "failed",
      error: { whatsapp_code: "invalid_request", message: expect.stringContaining("Send a text first") },
    });
  });

  test("an erased person leaves no trace of it", async () => {
    await writes();
    await say("Hello.");
    const count = () => app.store.client.prepare("SELECT count(*) AS count FROM ai_notices").get() as { count: number };
    const before = count().count;
    const contact = contactOf(app, person);
    await app.store.write((tx) => erase(tx, contact));
    expect(count().count).toBe(before - 1);
  });

  test("in random histories of 40 people, each window of the AI begins with the notice, and has it once", async () => {
    const random = new SeededRandom(20_261_128);
    const pick = (max: number) => Math.floor(random.fraction() * max);
    const people = Array.from({ length: 40 }, () => {
      phone += 1;
      return { phone: `+${phone}`, wroteAt: 0, isTold: false };
    });
    const isOpen = (one: { wroteAt: number }) => app.clock.now() - one.wroteAt < 24 * HOUR;
    for (let step = 0; step < 10; step++) {
      if (step % 2 === 1) await app.clock.pass((pick(3) === 0 ? 25 : 2 + pick(12)) * HOUR);
      for (const one of people) {
        person = one.phone;
        const chance = pick(4);
        if (chance === 0 || step === 0) {
          if (!isOpen(one)) one.isTold = false;
          await writes("More.");
          one.wroteAt = app.clock.now();
        } else if (isOpen(one)) {
          const isRefused = chance === 1;
          if (isRefused) network.next(refused("131026"));
          await post({ text: "Words." });
          const body = one.isTold ? "Words." : noticed("Words.");
          expect([step, person, network.sent.at(-1)?.content]).toEqual([step, person, { type: "text", body }]);
          one.isTold ||= !isRefused;
        }
      }
    }
  });
});

test("a send that is not an AI's, and an AI's without a notice, run the same statements as before the notice", async () => {
  const texts: string[] = [];
  // The driver's own class, each of whose calls is noted. The server prepares its statements afterwards.
  const prototype = Object.getPrototypeOf(app.store.client.prepare("SELECT 1")) as Record<string, Noted>;
  const former = Object.fromEntries(["run", "get", "all"].map((name) => [name, prototype[name] as Noted]));
  for (const [name, original] of Object.entries(former)) {
    prototype[name] = function noted(this: { source: string }, ...given: unknown[]) {
      texts.push(this.source.trim().replace(/\s+/g, " "));
      return original.apply(this, given);
    };
  }
  try {
    await using other = await startTestServer({ networks: { simulator: network } });
    const one = await other.workspace();
    const limits = { ...DEFAULT_LIMITS, isAi: true };
    const { key } = await other.store.write((tx) => createKey(tx, one.id, "Helper", { limits }));
    const statementsOf = async (by: string) => {
      await other.inbound(one, person, "Hello");
      const body = { to: person, text: "Your table is ready." };
      await other.send("POST", "/api/v1/messages", { key: by, body });
      texts.length = 0;
      await other.send("POST", "/api/v1/messages", { key: by, body });
      // Services look for their jobs meanwhile, and the key is read again after a change of settings.
      const own = texts.filter((text) => !/^(BEGIN|COMMIT|PRAGMA)|outbox|FROM api_keys/.test(text));
      return own.map((text) => `${text.split(" ")[0]} ${/(?:FROM|INTO|UPDATE) (\w+)/.exec(text)?.[1]}`);
    };
    const plain = await statementsOf(one.key);
    expect(plain).toEqual([
      "SELECT contacts",
      "INSERT messages",
      "UPDATE messages",
      "INSERT recent_network_ids",
      "INSERT events",
    ]);
    expect(await statementsOf(key)).toEqual(plain);
    await other.store.write((tx) => updateWorkspace(tx, one.id, { aiNotice: NOTICE }));
    expect(await statementsOf(one.key)).toEqual(plain);
    expect(await statementsOf(key)).not.toEqual(plain);
  } finally {
    Object.assign(prototype, former);
  }
});

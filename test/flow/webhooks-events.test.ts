/** Which event reports which change: its envelope, its data, and that it is emitted exactly once. */
import { describe, expect, test } from "bun:test";
import { mapProfile } from "#src/domain/contacts/profile-fields.ts";
import { decideByName } from "#src/domain/templates/decide.ts";
import type { TemplateStatus } from "#src/domain/templates/template.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { deliveries, eventCount, type Hit, type Hook, SECOND, startHook } from "#test/support/webhooks.ts";

const offer = {
  name: "offer",
  language: "en_US",
  category: "MARKETING",
  components: [{ type: "BODY", text: "Hi {{1}}, tea is half price today." }],
};

async function shopWith(app: TestServer, hook: Hook, timezone = "Asia/Kolkata"): Promise<TestWorkspace> {
  const shop = await app.workspace({ timezone });
  await app.template(shop, offer);
  await app.webhook(shop, hook.url);
  return shop;
}

function sendOffer(app: TestServer, shop: TestWorkspace, to: string): ReturnType<TestServer["send"]> {
  return app.send("POST", "/api/v1/messages", {
    key: shop.key,
    body: { to, template: "offer", variables: ["Asha"] },
  });
}

/** The deliveries of this type, oldest first. */
function ofType(hook: Hook, type: string): Hit[] {
  return hook.hits.filter(({ event }) => event.type === type);
}

describe("an event's envelope", () => {
  test("contains exactly id, type, created_at and data, whatever the event", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock);
    const shop = await shopWith(app, hook);
    await sendOffer(app, shop, "+919876543210");
    await sendOffer(app, shop, "+919876540001");
    await app.inbound(shop, "+919876543210", "STOP");
    await app.clock.advance(2 * SECOND);
    await app.inbound(shop, "+919876543210", "START");
    await app.store.write((tx) => decideByName(tx, shop.id, "offer", "en_US", "REJECTED", "INVALID_FORMAT"));
    await app.store.write((tx) => decideByName(tx, shop.id, "offer", "en_US", "APPROVED", null));
    await app.clock.rest();

    expect(new Set(hook.hits.map(({ event }) => event.type))).toEqual(
      new Set([
        "message.sent",
        "message.delivered",
        "message.read",
        "message.failed",
        "message.received",
        "contact.opted_out",
        "contact.opted_in",
        "template.approved",
        "template.rejected",
      ]),
    );
    for (const { event } of hook.hits) {
      expect(Object.keys(event)).toEqual(["id", "type", "created_at", "data"]);
      expect(event.id).toMatch(/^evt_[0-9a-z]{26}$/);
    }
  });

  test.each([
    ["Asia/Kolkata", "2026-11-21T13:30:01+05:30"],
    ["America/St_Johns", "2026-11-21T04:30:01-03:30"],
    ["Pacific/Kiritimati", "2026-11-21T22:00:01+14:00"],
    ["UTC", "2026-11-21T08:00:01+00:00"],
  ])("gives the time in the workspace's timezone: %s", async (timezone, expected) => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock);
    const shop = await shopWith(app, hook, timezone);
    await app.inbound(shop, "+919876543210", "hello");
    const [hit] = hook.hits;
    expect(hit?.event).toMatchObject({
      created_at: expected,
      data: { message: { received_at: expected }, contact: { created_at: expected } },
    });
  });

  test("has an id that is unique and sorts after the id of every earlier event", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock);
    const shop = await shopWith(app, hook);
    const moments: string[][] = [];
    for (let moment = 0; moment < 8; moment++) {
      const before = hook.hits.length;
      await app.store.write((tx) => {
        for (let i = 0; i < 10; i++) {
          const status = i % 2 === 0 ? "REJECTED" : "APPROVED";
          decideByName(tx, shop.id, "offer", "en_US", status, status === "REJECTED" ? "why not" : null);
        }
      });
      await app.clock.rest();
      moments.push(hook.hits.slice(before).map(({ event }) => event.id));
      await app.clock.advance(1);
    }
    const ids = moments.flat();
    expect([ids.length, new Set(ids).size]).toEqual([80, 80]);
    expect(moments.flatMap((moment) => moment.toSorted())).toEqual(ids.toSorted());
  });
});

describe("a message", () => {
  test("is shown in each of its events as the API showed it at that moment", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock);
    const shop = await shopWith(app, hook);
    const sent = await sendOffer(app, shop, "+919876543210");
    await app.clock.advance(5 * SECOND);
    const read = await app.call("GET", "/api/v1/messages/1", { key: shop.key });
    expect(ofType(hook, "message.sent").map(({ event }) => event.data)).toEqual([{ message: sent.body.data }]);
    expect(ofType(hook, "message.read").map(({ event }) => event.data)).toEqual([{ message: read.body.data }]);
    const [delivered] = ofType(hook, "message.delivered");
    expect(delivered?.event.data.message).toMatchObject({ status: "delivered", read_at: null });
    expect(hook.hits.length).toBe(3);
  });

  test("that the network refuses emits one failed event and no other", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock);
    const shop = await shopWith(app, hook);
    const answer = await sendOffer(app, shop, "+919876540001");
    expect(answer.status).toBe(422);
    await app.clock.advance(5 * SECOND);
    expect(hook.hits.map(({ event }) => [event.type, event.data.message.status])).toEqual([
      ["message.failed", "failed"],
    ]);
    expect(hook.hits[0]?.event.data.message.error.whatsapp_code).toBe("131026");
  });

  test("whose statuses arrive twice and out of order emits each event once", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock);
    const shop = await shopWith(app, hook);
    await sendOffer(app, shop, "+919876540009");
    await app.clock.advance(10 * SECOND);
    const types = hook.hits.map(({ event }) => event.type);
    expect(types.length).toBe(new Set(types).size);
    expect(types).toContain("message.read");
  });

  test("of a refused request emits no event", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock);
    const shop = await shopWith(app, hook);
    const body = { to: "+919876543210", text: "no inbound came first" };
    expect((await app.send("POST", "/api/v1/messages", { key: shop.key, body })).status).toBe(422);
    await app.clock.advance(SECOND);
    expect([eventCount(app), hook.hits.length]).toEqual([0, 0]);
  });
});

describe("an inbound message", () => {
  test("emits message.received with the message and the contact", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock);
    const shop = await shopWith(app, hook);
    await app.inbound(shop, "+919876543210", "Is it there?", app.clock.now() - 60 * SECOND);
    expect(hook.hits.map(({ event }) => event.data)).toEqual([
      {
        message: {
          id: 1,
          from: "+919876543210",
          to: "+911244001100",
          type: "text",
          text: "Is it there?",
          details: {},
          received_at: "2026-11-21T13:29:01+05:30",
        },
        contact: {
          phone: "+919876543210",
          user_id: null,
          username: null,
          ...mapProfile(() => null),
          fields: {},
          people: [],
          tags: [],
          groups: [],
          consent: {
            status: "unknown",
            source: null,
            at: null,
            purpose: null,
            notice: null,
            may_want_to_stop_since: null,
          },
          last_message_from_them_at: "2026-11-21T13:29:01+05:30",
          window_ends_at: "2026-11-22T13:29:01+05:30",
          threads: [],
          created_at: "2026-11-21T13:30:01+05:30",
          updated_at: "2026-11-21T13:30:01+05:30",
        },
      },
    ]);
  });

  test("with STOP emits one opted-out event, and one with START an opted-in event, each beside the message's own event", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock);
    const shop = await shopWith(app, hook);
    for (const word of ["START", "STOP", "stop", "START", "Start"]) {
      await app.inbound(shop, "+919876543210", word);
      await app.clock.advance(2 * SECOND);
    }
    expect(ofType(hook, "message.received").length).toBe(5);
    const consents = hook.hits.filter(({ event }) => event.type.startsWith("contact."));
    expect(consents.map(({ event }) => [event.type, Object.keys(event.data), event.data.contact.consent])).toEqual([
      [
        "contact.opted_out",
        ["contact"],
        {
          status: "opted_out",
          source: "inbound_message",
          at: "2026-11-21T13:30:03+05:30",
          purpose: null,
          notice: null,
          may_want_to_stop_since: null,
        },
      ],
      [
        "contact.opted_in",
        ["contact"],
        {
          status: "opted_in",
          source: "inbound_message",
          at: "2026-11-21T13:30:07+05:30",
          purpose: null,
          notice: null,
          may_want_to_stop_since: null,
        },
      ],
    ]);
  });
});

describe("a template", () => {
  async function decide(app: TestServer, shop: TestWorkspace, status: TemplateStatus, reason: string | null) {
    await app.store.write((tx) => decideByName(tx, shop.id, "offer", "en_US", status, reason));
    await app.clock.rest();
  }

  test("seen for the first time emits no event, whatever its status", async () => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock);
    const shop = await app.workspace();
    await app.webhook(shop, hook.url);
    for (const status of ["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"] as const) {
      await app.template(shop, { ...offer, name: status.toLowerCase() }, status);
    }
    await app.clock.rest();
    expect([eventCount(app), hook.hits.length]).toEqual([0, 0]);
  });

  test.each([
    ["PENDING", "APPROVED", null, "template.approved", null],
    ["PENDING", "APPROVED", "NONE", "template.approved", null],
    ["PAUSED", "APPROVED", null, "template.approved", null],
    ["REJECTED", "APPROVED", null, "template.approved", null],
    ["PENDING", "REJECTED", "TAG_CONTENT_MISMATCH", "template.rejected", "TAG_CONTENT_MISMATCH"],
    ["APPROVED", "REJECTED", "ABUSIVE_CONTENT", "template.rejected", "ABUSIVE_CONTENT"],
    ["PENDING", "REJECTED", null, "template.rejected", expect.any(String)],
  ] as const)("that goes from %s to %s (%p) emits one event, %s", async (from, to, given, type, reason) => {
    await using app = await startTestServer();
    await using hook = startHook(app.clock);
    const shop = await app.workspace();
    await app.webhook(shop, hook.url);
    await app.template(shop, offer, from);
    await decide(app, shop, to, given);
    await decide(app, shop, to, given);
    const shown = await app.call("GET", `/api/v1/templates?status=${to}`, { key: shop.key });
    expect(hook.hits.map(({ event }) => [event.type, event.data])).toEqual([
      [type, { template: shown.body.data[0], reason }],
    ]);
    expect(hook.hits[0]?.event.data.template.status).toBe(to);
    expect(deliveries(app, shop).length).toBe(1);
  });

  test.each(["PENDING", "PAUSED", "DISABLED"] as const)(
    "that becomes %s emits no event, because the network decided nothing",
    async (status) => {
      await using app = await startTestServer();
      await using hook = startHook(app.clock);
      const shop = await shopWith(app, hook);
      await decide(app, shop, status, "LOW_QUALITY");
      expect([eventCount(app), hook.hits.length]).toEqual([0, 0]);
    },
  );
});

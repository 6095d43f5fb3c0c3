/**
 * Direct Send: a text, or a text with buttons or a link, with a category instead of a template. It counts and costs as a
 * template does. Whether an account may send so, the network's answers tell: three accounts, one that is enabled, one that
 * never was, and one whose access was revoked.
 */
import { describe, expect, test } from "bun:test";
import { createKey, DEFAULT_LIMITS } from "#src/domain/workspaces/api-keys.ts";
import { updateWorkspace } from "#src/domain/workspaces/update.ts";
import { conditionsOf } from "#test/support/conditions.ts";
import { graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { startTestServer } from "#test/support/server.ts";
import { rows, startWhatsapp, textFrom, type WhatsappWorld } from "#test/support/whatsapp.ts";

const TO = "+4915112345678";
const RATE = 8_500;
const billing = { rate: RATE, balance: 1_000_000 };
const direct = { to: TO, text: "Your parcel arrives today.", category: "utility" };
const withButtons = {
  ...{ to: TO, category: "utility" },
  interactive: {
    header: "Your delivery",
    body: "We come at ten. Is that right?",
    footer: "Corner Shop",
    buttons: [
      { id: "yes", title: "Yes" },
      { id: "no", title: "Another time" },
    ],
  },
};
const withLink = {
  ...{ to: TO, category: "utility" },
  interactive: { body: "Your parcel is on its way.", link: { title: "Track it", url: "https://shop.example/t/1" } },
};

function start(access: "enabled" | "refused" | "revoked", more: Parameters<typeof startWhatsapp>[0] = {}) {
  const details = { name: "Shop", direct_send: access, marketing_messages_onboarding_status: "ONBOARDED" };
  const account = graphAccount({ details, templates: [graphTemplate("greeting")] });
  return startWhatsapp({ account, workspace: { billing }, ...more });
}

let keys = 0;

function send(world: WhatsappWorld, body: object) {
  keys += 1;
  return world.app.send("POST", "/api/v1/messages", {
    key: world.workspace.key,
    body,
    headers: { "Idempotency-Key": `direct-${keys}` },
  });
}

function conditions(world: WhatsappWorld) {
  return conditionsOf(world, "connection:direct_send");
}

describe("an account that is enabled", () => {
  test("sends each form with the body that Meta describes, outside the window, charged and held", async () => {
    await using world = await start("enabled");
    const common = {
      ...{ messaging_product: "whatsapp", recipient_type: "individual", to: TO, category: "utility" },
      biz_opaque_callback_data: expect.any(String),
    };
    const plain = await send(world, direct);
    expect(plain).toMatchObject({
      status: 201,
      body: { data: { type: "text", category: "utility", charged: true, template: null, status: "sent" } },
    });
    expect(plain.body.data.content).toEqual({ text: direct.text });
    expect(world.graph.requests[0]).toMatchObject({ path: expect.stringMatching(/\/messages(\?|$)/) });
    expect(world.graph.requests[0]?.body).toEqual({ ...common, type: "text", text: { body: direct.text } });
    expect(await send(world, withButtons)).toMatchObject({
      status: 201,
      body: { data: { type: "interactive", category: "utility", charged: true } },
    });
    expect(world.graph.requests[1]?.body).toEqual({
      ...common,
      type: "interactive",
      interactive: {
        type: "button",
        header: { type: "text", text: "Your delivery" },
        body: { text: "We come at ten. Is that right?" },
        footer: { text: "Corner Shop" },
        action: {
          buttons: [
            { type: "reply", reply: { id: "yes", title: "Yes" } },
            { type: "reply", reply: { id: "no", title: "Another time" } },
          ],
        },
      },
    });
    expect((await send(world, withLink)).status).toBe(201);
    expect(world.graph.requests[2]?.body).toEqual({
      ...common,
      type: "interactive",
      interactive: {
        type: "cta_url",
        body: { text: "Your parcel is on its way." },
        action: { name: "cta_url", parameters: { display_text: "Track it", url: "https://shop.example/t/1" } },
      },
    });
    expect(rows(world.app.store, "SELECT held, charged FROM billing_accounts")).toEqual([
      { held: 3 * RATE, charged: 0 },
    ]);
    expect(await conditions(world)).toEqual([]);
  });

  test("is charged when the message is delivered, and the event shows type and category", async () => {
    await using world = await start("enabled");
    await send(world, direct);
    const [message] = world.graph.accepted;
    if (message === undefined) throw new Error("nothing was accepted");
    const pricing = { billable: true, pricing_model: "PMP", category: "utility", type: "regular" };
    await world.hear(world.graph.status(message, "delivered", { pricing, template_id: "1234567890" }));
    expect(rows(world.app.store, "SELECT held, charged FROM billing_accounts")).toEqual([{ held: 0, charged: RATE }]);
    expect(world.webhooks.received.at(-1)?.event).toMatchObject({
      type: "message.delivered",
      data: { message: { type: "text", category: "utility", charged: true } },
    });
    const usage = rows(world.app.store, "SELECT category, messages FROM network_usage");
    expect(usage).toEqual([{ category: "utility", messages: 1 }]);
  });

  test("never sends so to a person who has opted out, without balance, or over the daily cap", async () => {
    await using world = await start("enabled");
    await world.hear(textFrom(world.graph, TO, "STOP"));
    expect(await send(world, direct)).toMatchObject({ status: 422, body: { error: { code: "opted_out" } } });
    await world.app.store.write((tx) => void updateWorkspace(tx, world.workspace.id, { dailyCap: 1 }));
    const people = ["+4915112345601", "+4915112345602"];
    expect((await send(world, { ...direct, to: people[0] })).status).toBe(201);
    expect(await send(world, { ...direct, to: people[1] })).toMatchObject({
      status: 429,
      body: { error: { code: "rate_limited" } },
    });
    await world.app.store.write((tx) => void updateWorkspace(tx, world.workspace.id, { dailyCap: null }));
    world.app.store.client.exec("UPDATE billing_accounts SET held = credited");
    expect(await send(world, { ...direct, to: people[1] })).toMatchObject({
      status: 402,
      body: { error: { code: "insufficient_balance" } },
    });
    world.app.store.client.exec("UPDATE billing_accounts SET held = 8500");
    expect(world.graph.requests).toHaveLength(1);
  });

  test("counts each person in the budget of a key and under the network's limit", async () => {
    await using world = await start("enabled");
    const { key } = await world.app.store.write((tx) =>
      createKey(tx, world.workspace.id, "small", { limits: { ...DEFAULT_LIMITS, dailyPeople: 1 } }),
    );
    const post = (to: string) =>
      world.app.send("POST", "/api/v1/messages", { key, body: { ...direct, to }, headers: { "Idempotency-Key": to } });
    expect((await post("+4915112345601")).status).toBe(201);
    expect((await post("+4915112345602")).status).toBe(429);
    const counted = rows<{ person: string }>(world.app.store, "SELECT person FROM portfolio_recipients");
    expect(counted).toEqual([{ person: "+4915112345601" }]);
    // A message that was refused gives its room back.
    world.graph.fault({ fault: { kind: "error", code: 131026 } });
    expect((await send(world, { ...direct, to: "+4915112345603" })).status).toBe(422);
    expect(rows(world.app.store, "SELECT person FROM portfolio_recipients")).toHaveLength(1);
  });

  test("sends so later, evaluated again when it is due", async () => {
    await using world = await start("enabled");
    const send_at = new Date(world.clock.now() + 60_000).toISOString();
    expect(await send(world, { ...direct, send_at })).toMatchObject({
      status: 202,
      body: { data: { category: "utility", status: "scheduled" } },
    });
    expect(rows(world.app.store, "SELECT held FROM billing_accounts")).toEqual([{ held: 0 }]);
    await world.clock.advance(70_000);
    expect(world.graph.requests[0]?.body).toMatchObject({ category: "utility", type: "text" });
    expect(rows(world.app.store, "SELECT held FROM billing_accounts")).toEqual([{ held: RATE }]);
  });

  test("hears of a message that was none for its category", async () => {
    await using world = await start("enabled");
    await send(world, direct);
    const value = { message_template_name: "auto_generated_1", correct_category: "MARKETING" };
    await world.hear({ field: "template_correct_category_detection", value });
    const [found] = await conditions(world);
    expect(found).toMatchObject({ id: "connection:direct_send_misused:1", severity: "warning" });
    expect(found?.says).toContain("MARKETING");
  });

  test("has the templates that WhatsApp made of such messages apart from its own, which alone can be changed", async () => {
    const made = graphTemplate("auto_generated_text_e22a");
    const account = graphAccount({ templates: [graphTemplate("greeting"), made] });
    await using world = await startWhatsapp({ account });
    await world.clock.advance(60_000);
    const { key } = world.workspace;
    const names = async (query: string) => {
      const { body } = await world.app.send("GET", `/api/v1/templates${query}`, { key });
      return body.data.map(({ name }: { name: string }) => name);
    };
    expect(await names("")).toEqual(["greeting"]);
    expect(await names("?generated=false")).toEqual(["greeting"]);
    expect(await names("?generated=true")).toEqual([made.name]);
    const wrong = await world.app.send("GET", "/api/v1/templates?generated=yes", { key });
    expect(wrong).toMatchObject({ status: 400, body: { error: { fields: { generated: [expect.any(String)] } } } });
    const before = world.graph.questions.length;
    const removed = await world.app.send("DELETE", `/api/v1/templates/${made.name}`, { key });
    expect(removed).toMatchObject({ status: 422, body: { error: { code: "template_not_sendable" } } });
    expect(removed.body.error.message).toContain("messages with a category");
    expect(world.graph.questions).toHaveLength(before);
  });
});

describe("an account that may not", () => {
  const accounts = [
    { access: "refused", code: "100", says: "does not let this account", condition: "direct_send_refused" },
    {
      access: "revoked",
      code: "139200",
      says: "has revoked this account's access",
      condition: "direct_send_blocked",
    },
  ] as const;

  test.each(accounts)(
    "($access) is answered window_closed, asked once an hour, and shown as a condition",
    async (one) => {
      await using world = await start(one.access);
      const refused = await send(world, direct);
      expect(refused).toMatchObject({
        status: 422,
        body: { error: { code: "window_closed", whatsapp_code: one.code, outcome: "not_sent", retry_key: "new" } },
      });
      expect(refused.body.error.message).toContain(one.says);
      expect(refused.body.error.message).toContain("only a template can be sent");
      expect(world.events()).toEqual(["message.failed"]);
      expect(rows(world.app.store, "SELECT held, charged FROM billing_accounts")).toEqual([{ held: 0, charged: 0 }]);
      expect((await conditions(world)).map(({ id }) => id)).toEqual([`connection:${one.condition}:1`]);
      // The network is not asked again at once, and nothing is stored.
      const again = await send(world, withLink);
      expect(again).toMatchObject({ status: 422, body: { error: { code: "window_closed" } } });
      expect(again.body.error.message).toContain(one.says);
      expect(world.graph.requests).toHaveLength(1);
      expect(world.number().ready).toBe(true);
      // Templates and free messages are not concerned.
      expect((await world.send()).status).toBe(201);
      world.account.details.direct_send = "enabled";
      await world.clock.advance(61 * 60_000);
      expect((await send(world, direct)).status).toBe(201);
      expect(await conditions(world)).toEqual([]);
    },
  );

  test("is known by a status, too", async () => {
    await using world = await start("enabled");
    await send(world, direct);
    const [message] = world.graph.accepted;
    if (message === undefined) throw new Error("nothing was accepted");
    await world.hear(world.graph.status(message, "failed", { errors: [{ code: 139200, title: "Blocked" }] }));
    expect((await conditions(world)).map(({ id }) => id)).toEqual(["connection:direct_send_blocked:1"]);
    expect(rows(world.app.store, "SELECT held, charged FROM billing_accounts")).toEqual([{ held: 0, charged: 0 }]);
    expect((await send(world, direct)).status).toBe(422);
    expect(world.graph.requests).toHaveLength(1);
  });
});

describe("a request with a category", () => {
  const buttons = withButtons.interactive.buttons;
  const wrong: { name: string; body: object; fields: string[] }[] = [
    { name: "another category", body: { ...direct, category: "marketing" }, fields: ["category"] },
    { name: "a template", body: { to: TO, template: "greeting", category: "utility" }, fields: ["category"] },
    {
      name: "a place",
      body: { to: TO, location: { latitude: 1, longitude: 1 }, category: "utility" },
      fields: ["category"],
    },
    { name: "a long text", body: { ...direct, text: "x".repeat(1_025) }, fields: ["text"] },
    {
      name: "a list",
      body: {
        to: TO,
        category: "utility",
        interactive: {
          body: "Choose",
          list: { button: "See", sections: [{ title: "A", rows: [{ id: "1", title: "One" }] }] },
        },
      },
      fields: ["interactive.list"],
    },
    {
      name: "a request for a location",
      body: { to: TO, category: "utility", interactive: { body: "Where?", location_request: true } },
      fields: ["interactive.location_request"],
    },
    {
      name: "a picture",
      body: {
        to: TO,
        category: "utility",
        interactive: { body: "Look", header: { type: "image", link: "https://shop.example/a.jpg" }, buttons },
      },
      fields: ["interactive.header"],
    },
    { name: "a preview", body: { ...direct, preview_url: true }, fields: ["preview_url"] },
    { name: "a quotation", body: { ...direct, reply_to: { inbound: 1 } }, fields: ["reply_to"] },
    { name: "take", body: { ...direct, take: true }, fields: ["take"] },
  ];

  test.each(wrong)("and $name is refused", async ({ body, fields }) => {
    await using app = await startTestServer();
    const shop = await app.workspace();
    const answer = await app.send("POST", "/api/v1/messages", {
      key: shop.key,
      body,
      headers: { "Idempotency-Key": "wrong" },
    });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
    expect(Object.keys(answer.body.error.fields)).toEqual(fields);
  });

  test("of 1,024 characters is sent, also by the simulator, whatever the owner of the thread", async () => {
    await using app = await startTestServer();
    const shop = await app.workspace({ billing });
    const answer = await app.send("POST", "/api/v1/messages", {
      key: shop.key,
      body: { ...direct, to: "+919876543210", text: "x".repeat(1_024) },
      headers: { "Idempotency-Key": "long" },
    });
    expect(answer).toMatchObject({ status: 201, body: { data: { type: "text", category: "utility", charged: true } } });
  });
});

/**
 * Marketing templates go to WhatsApp's endpoint for marketing where the account is onboarded, by the category that the
 * template has now. Only an answer that the message is not that endpoint's own leads to a second attempt, at the general
 * one.
 */
import { describe, expect, test } from "bun:test";
import { phones } from "#test/support/broadcast-scenarios.ts";
import { conditionsOf } from "#test/support/conditions.ts";
import type { Fault, GraphRequest } from "#test/support/graph.ts";
import { type GraphAccount, type GraphRow, graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { rows, startWhatsapp, type WhatsappWorld, type WorldOptions } from "#test/support/whatsapp.ts";

const ONBOARDED = { marketing_messages_onboarding_status: "ONBOARDED" };
const TO = "+4915112345678";
const GENERAL = "/v25.0/200000000000001/messages";
const MARKETING = "/v25.0/200000000000001/marketing_messages";

function shopAccount(more: Partial<GraphAccount> = {}): GraphAccount {
  const templates = [graphTemplate("greeting"), graphTemplate("offer", { category: "MARKETING" })];
  return graphAccount({ details: { name: "Shop", ...ONBOARDED }, templates, ...more });
}

function start(more: WorldOptions = {}): Promise<WhatsappWorld> {
  return startWhatsapp({ account: shopAccount(), ...more });
}

const offer = { template: "offer", variables: ["Anna"] };

function pathsOf({ graph }: WhatsappWorld): string[] {
  return graph.requests.map(({ path }) => path.split("?")[0] ?? "");
}

function tokenOf({ body }: GraphRequest): string {
  return (body as { biz_opaque_callback_data: string }).biz_opaque_callback_data;
}

const answers = (code: number, status = 400): Fault => ({ kind: "error", code, status });

function conditions(world: WhatsappWorld) {
  return conditionsOf(world, "connection:marketing");
}

describe("a marketing template of an account that is onboarded", () => {
  test("goes to the endpoint for marketing with the body that Meta describes, all else to the general one", async () => {
    await using world = await start();
    expect((await world.send(offer)).status).toBe(201);
    expect((await world.send()).status).toBe(201);
    expect(pathsOf(world)).toEqual([MARKETING, GENERAL]);
    const [marketing, utility] = world.graph.requests;
    const template = (name: string) => ({
      name,
      language: { code: "en_US" },
      components: [{ type: "body", parameters: [{ type: "text", text: "Anna" }] }],
    });
    const common = { messaging_product: "whatsapp", recipient_type: "individual", to: TO, type: "template" };
    const token = { biz_opaque_callback_data: expect.any(String) };
    expect(marketing?.body).toEqual({
      ...common,
      ...token,
      template: template("offer"),
      product_policy: "CLOUD_API_FALLBACK",
    });
    expect(utility?.body).toEqual({ ...common, ...token, template: template("greeting") });
  });

  test("carries the policy and the sharing that the configuration says", async () => {
    await using world = await start({ config: { whatsapp: { marketingPolicy: "strict", activitySharing: "off" } } });
    await world.send(offer);
    expect(world.graph.requests[0]?.body).toMatchObject({ product_policy: "STRICT", message_activity_sharing: false });
  });

  test("is counted as WhatsApp bills it", async () => {
    await using world = await start({ graph: { ladder: [] } });
    await world.send(offer);
    const [message] = world.graph.accepted;
    if (message === undefined) throw new Error("nothing was accepted");
    const pricing = { billable: true, pricing_model: "PMP", category: "marketing_lite", type: "regular" };
    await world.hear(world.graph.status(message, "delivered", { pricing }));
    const usage = rows(world.app.store, "SELECT category, type, billable, messages FROM network_usage");
    expect(usage).toEqual([{ category: "marketing_lite", type: "regular", billable: 1, messages: 1 }]);
  });

  test("follows the category that the template has now, and not one that is only announced", async () => {
    await using world = await start();
    const change = (value: object) => ({
      field: "template_category_update",
      value: {
        message_template_id: 1,
        message_template_name: "greeting",
        message_template_language: "en-US",
        ...value,
      },
    });
    await world.hear(change({ new_category: "UTILITY", correct_category: "MARKETING" }));
    await world.send();
    (world.account.templates[0] as GraphRow).category = "MARKETING";
    await world.hear(change({ previous_category: "UTILITY", new_category: "MARKETING" }));
    await world.send();
    expect(pathsOf(world)).toEqual([GENERAL, MARKETING]);
  });
});

describe("an account that is not onboarded", () => {
  const states = [
    { status: "ELIGIBLE", says: "the account is not onboarded to it" },
    { status: "INELIGIBLE", says: "Meta says that the account is not eligible for it" },
    { status: null, says: "WhatsApp does not say whether the account is onboarded to it" },
  ];

  test.each(states)(
    "sends marketing by the general endpoint, and a condition says until when: $says",
    async ({ status, says }) => {
      const details = { name: "Shop", ...(status === null ? {} : { marketing_messages_onboarding_status: status }) };
      await using world = await start({ account: shopAccount({ details }) });
      await world.send(offer);
      expect(pathsOf(world)).toEqual([GENERAL]);
      expect(world.graph.requests[0]?.body).not.toHaveProperty("product_policy");
      const found = (await conditions(world)).find(({ id }) => id.startsWith("connection:marketing_not_onboarded"));
      expect(found).toMatchObject({ severity: "warning", subject: "number +4930000000" });
      expect(found?.says).toContain(says);
      expect(found?.says).toContain("13 October 2027");
    },
  );

  test("has no such condition without a marketing template, nor once Meta says that it is onboarded", async () => {
    await using world = await start({ account: shopAccount({ details: { name: "Shop" } }) });
    const isListed = async () => (await conditions(world)).some(({ id }) => id.includes("marketing_not_onboarded"));
    expect(await isListed()).toBe(true);
    await world.hear(
      {
        field: "account_update",
        value: { event: "MM_LITE_TERMS_SIGNED", waba_info: { waba_id: "100000000000001", owner_business_id: "1" } },
      },
      { accountId: "1" },
    );
    expect(await isListed()).toBe(false);
    await world.send(offer);
    expect(pathsOf(world)).toEqual([MARKETING]);
    (world.account.templates[1] as GraphRow).category = "UTILITY";
    world.account.details = { name: "Shop", marketing_messages_onboarding_status: "ELIGIBLE" };
    await world.clock.advance(2 * 3_600_000);
    expect(await isListed()).toBe(false);
  });
});

describe("an answer that the message is not the marketing endpoint's own", () => {
  test.each([134100, 131055])(
    "(%d) leads to one attempt at the general endpoint with the same send token",
    async (code) => {
      await using world = await start({ workspace: { billing: { rate: 8_500, balance: 1_000_000 } } });
      world.graph.fault({ fault: answers(code) });
      const answer = await world.send(offer);
      expect(answer).toMatchObject({ status: 201, body: { data: { status: "sent" } } });
      expect(pathsOf(world)).toEqual([MARKETING, GENERAL]);
      const [first, second] = world.graph.requests;
      if (first === undefined || second === undefined) throw new Error("there are two requests");
      expect(tokenOf(second)).toBe(tokenOf(first));
      expect(second.body).not.toHaveProperty("product_policy");
      expect(rows(world.app.store, "SELECT held FROM billing_accounts")).toEqual([{ held: 8_500 }]);
      const refused = (await conditions(world)).find(({ id }) => id.startsWith("connection:marketing_refused"));
      expect(refused?.says).toContain(String(code));
    },
  );

  test("is the only one that does: a refusal, a 5xx and an unknown outcome never cross to the other path", async () => {
    const faults: Fault[] = [
      answers(134102, 500),
      answers(134101),
      answers(134100, 500),
      answers(131055, 503),
      answers(131026),
      { kind: "lost" },
      { kind: "reset" },
      { kind: "no_id" },
      { kind: "answer", status: 502, body: "<html>" },
    ];
    await using world = await start({ expectedErrors: /./ });
    for (const fault of faults) {
      world.graph.fault({ fault });
      const before = world.graph.requests.length;
      const answer = await world.send(offer);
      expect([fault, answer.status >= 400]).toEqual([fault, true]);
      expect(pathsOf(world).slice(before)).toEqual([MARKETING]);
    }
  });

  test("by status leads to nothing, and neither does the same code of the general endpoint", async () => {
    await using world = await start();
    await world.send(offer);
    const [message] = world.graph.accepted;
    if (message === undefined) throw new Error("nothing was accepted");
    await world.hear(world.graph.status(message, "failed", { errors: [{ code: 134100, title: "Not marketing" }] }));
    world.graph.fault({ fault: answers(131055) });
    expect((await world.send()).status).toBe(502);
    expect(pathsOf(world)).toEqual([MARKETING, GENERAL]);
  });

  test("twice is a refusal: there is one fallback", async () => {
    await using world = await start();
    world.graph.fault({ fault: answers(131055), times: 2 });
    expect(await world.send(offer)).toMatchObject({ status: 502, body: { error: { whatsapp_code: "131055" } } });
    expect(pathsOf(world)).toEqual([MARKETING, GENERAL]);
  });

  test("reads consent again before the second attempt", async () => {
    await using world = await start();
    let answered = (): void => {};
    const until = new Promise<void>((resolve) => {
      answered = resolve;
    });
    world.graph.fault({ fault: { kind: "error", code: 134100, until } });
    const sending = world.send(offer);
    await world.graph.arrival(1);
    await world.app.send("PUT", `/api/v1/contacts/${TO}`, {
      key: world.workspace.key,
      body: { consent: "opted_out" },
    });
    answered();
    expect(await sending).toMatchObject({ status: 422, body: { error: { code: "opted_out", outcome: "not_sent" } } });
    expect(pathsOf(world)).toEqual([MARKETING]);
  });

  test("takes a scheduled message to the general endpoint at once", async () => {
    await using world = await start();
    world.graph.fault({ fault: answers(134100) });
    const at = new Date(world.clock.now() + 60_000).toISOString();
    const answer = await world.send({ ...offer, send_at: at });
    expect(answer.status).toBe(202);
    await world.clock.advance(70_000);
    expect(pathsOf(world)).toEqual([MARKETING, GENERAL]);
    expect(rows(world.app.store, "SELECT status, fell_back FROM messages")).toEqual([{ status: "sent", fell_back: 1 }]);
  });

  test("takes each recipient of a broadcast to the general endpoint, and counts against nothing", async () => {
    await using world = await start();
    const people = phones(30);
    world.graph.fault({ fault: answers(134100), times: 25 });
    const created = await world.app.send("POST", "/api/v1/broadcasts", {
      key: world.workspace.key,
      headers: { "Idempotency-Key": "list" },
      body: { name: "Offer", to: people, template: "offer", variables: { body: ["Anna"] } },
    });
    expect(created.status).toBe(202);
    // An attempt counts for the pace of a person, whatever its answer.
    await world.clock.advance(10_000);
    expect(world.graph.accepted).toHaveLength(30);
    expect(new Set(world.graph.accepted.map(({ to }) => to)).size).toBe(30);
    expect(pathsOf(world).filter((path) => path === MARKETING)).toHaveLength(30);
    expect(pathsOf(world).filter((path) => path === GENERAL)).toHaveLength(25);
    const shown = await world.app.send("GET", `/api/v1/broadcasts/${created.body.data.id}`, {
      key: world.workspace.key,
    });
    expect(shown.body.data).toMatchObject({ status: "completed", counts: { sent: 30, failed: 0 } });
  });
});

/**
 * Numbers and templates follow the network: by scheduled syncs of the account, and by the callbacks that the network
 * sends.
 */
import { describe, expect, test } from "bun:test";
import { findState } from "#src/domain/numbers/network-state.ts";
import { findPortfolio } from "#src/domain/numbers/portfolio.ts";
import { markReady, markUnready } from "#src/domain/numbers/readiness.ts";
import { numbers } from "#src/domain/numbers/table.ts";
import { updateNumber } from "#src/domain/numbers/update.ts";
import type { Change } from "#test/support/graph.ts";
import { type GraphRow, graphAccount, graphNumber, graphTemplate } from "#test/support/graph-account.ts";
import { rows, startWhatsapp, VERIFY_TOKEN, type WhatsappWorld } from "#test/support/whatsapp.ts";

const HOUR = 3_600_000;

interface TemplateRow {
  name: string;
  language: string;
  status: string;
  category: string;
}

function templatesOf({ app }: WhatsappWorld): TemplateRow[] {
  return rows(app.store, "SELECT name, language, status, category FROM templates ORDER BY name, language");
}

function stateOf(world: WhatsappWorld) {
  return world.app.store.read((tx) => findState(tx, world.number().id));
}

async function change(world: WhatsappWorld, changes: Parameters<typeof updateNumber>[2]): Promise<void> {
  const number = world.number();
  await world.app.store.write((tx) => void updateNumber(tx, number, changes));
}

function seconds(world: WhatsappWorld): number {
  return Math.floor(world.clock.now() / 1000);
}

function update(name: string, more: object): Change {
  return {
    field: "message_template_status_update",
    value: {
      message_template_id: 900000000000001,
      message_template_name: name,
      message_template_language: "en-US",
      reason: "NONE",
      ...more,
    },
  };
}

function account(event: string, more: object = {}): Change {
  return { field: "account_update", value: { event, ...more } };
}

const RESTRICTED = "RESTRICTED_BIZ_INITIATED_MESSAGING";

describe("templates of a WhatsApp account", () => {
  test("are found on every page and in every language, and finding one for the first time emits no event", async () => {
    const templates = Array.from({ length: 60 }, (_, index) =>
      graphTemplate(`offer_${String(index).padStart(2, "0")}`),
    );
    templates.push(graphTemplate("offer_00", { language: "de", status: "REJECTED", rejected_reason: "SCAM" }));
    await using world = await startWhatsapp({ account: graphAccount({ templates, pageSize: 25 }) });
    expect(templatesOf(world)).toHaveLength(61);
    expect(templatesOf(world)[0]).toMatchObject({ name: "offer_00", language: "de", status: "REJECTED" });
    expect(world.events()).toEqual([]);
    const pages = world.graph.questions.filter(({ path }) => path.includes("/message_templates"));
    expect(pages).toHaveLength(3);
    // The address of the next page contains the token, so the client never follows it.
    expect(pages.every(({ path }) => !path.includes("access_token"))).toBe(true);
  });

  test("are listed again from the start when the network forgets a cursor; a listing that breaks off retires none", async () => {
    const templates = Array.from({ length: 40 }, (_, index) => graphTemplate(`offer_${index}`));
    const known = graphAccount({ templates, pageSize: 25 });
    let refusals = 1;
    known.refuse = ({ path }) => (path.includes("after=") && refusals-- > 0 ? { code: 131059 } : null);
    await using world = await startWhatsapp({ account: known });
    expect(templatesOf(world)).toHaveLength(40);
    known.refuse = ({ path }) =>
      path.includes("after=") ? { status: 502, body: "<html>Bad gateway</html>", contentType: "text/html" } : null;
    known.templates = templates.slice(0, 30);
    await world.clock.advance(1.2 * HOUR);
    expect(templatesOf(world).filter(({ status }) => status === "APPROVED")).toHaveLength(40);
    known.refuse = null;
    await world.clock.advance(0.2 * HOUR);
    expect(templatesOf(world).filter(({ status }) => status === "APPROVED")).toHaveLength(30);
    expect(templatesOf(world).filter(({ status }) => status === "DISABLED")).toHaveLength(10);
  });

  test("that change, are decided on or disappear are updated on schedule, with an event only for a decision", async () => {
    const known = graphAccount({
      templates: [
        graphTemplate("a", { status: "PENDING" }),
        graphTemplate("b"),
        graphTemplate("c"),
        graphTemplate("d"),
      ],
    });
    await using world = await startWhatsapp({ account: known });
    const [a, b, c] = known.templates as [GraphRow, GraphRow, GraphRow];
    known.templates = [
      { ...a, status: "APPROVED" },
      { ...b, status: "REJECTED", rejected_reason: "INVALID_FORMAT" },
      { ...c, category: "MARKETING", components: [{ type: "BODY", text: "Other words" }] },
      graphTemplate("e", { language: "de" }),
    ];
    await world.clock.advance(1.2 * HOUR);
    expect(templatesOf(world)).toEqual([
      { name: "a", language: "en_US", status: "APPROVED", category: "UTILITY" },
      { name: "b", language: "en_US", status: "REJECTED", category: "UTILITY" },
      { name: "c", language: "en_US", status: "APPROVED", category: "MARKETING" },
      { name: "d", language: "en_US", status: "DISABLED", category: "UTILITY" },
      { name: "e", language: "de", status: "APPROVED", category: "UTILITY" },
    ]);
    expect(world.events()).toEqual(["template.approved", "template.rejected"]);
    expect(world.webhooks.received[1]?.event.data).toMatchObject({ reason: "INVALID_FORMAT", template: { name: "b" } });
    const { body } = await world.app.send("GET", "/api/v1/templates", { key: world.workspace.key });
    expect(body.data.find(({ name }: TemplateRow) => name === "c").text).toBe("Other words");
  });

  test("whose example addresses change with every listing do not count as changed", async () => {
    const header = (url: string) => [
      { type: "HEADER", format: "IMAGE", example: { header_handle: [url] } },
      { example: { body_text: [["x"]] }, text: "Hi", type: "BODY" },
    ];
    const known = graphAccount({ templates: [graphTemplate("picture", { components: header("https://cdn/1") })] });
    await using world = await startWhatsapp({ account: known });
    const updatedAt = () => rows(world.app.store, "SELECT updated_at, components FROM templates");
    const before = updatedAt();
    known.templates = [
      { ...(known.templates[0] as GraphRow), components: header("https://cdn/2").reverse().reverse() },
    ];
    await world.clock.advance(3 * HOUR);
    expect(updatedAt()).toEqual(before);
    expect(JSON.stringify(before)).not.toContain("cdn");
  });

  test("with components that cannot be filled are listed, and sending them is refused", async () => {
    const carousel = graphTemplate("carousel", {
      components: [
        { type: "BODY", text: "x" },
        { type: "CAROUSEL", cards: [] },
      ],
    });
    await using world = await startWhatsapp({ account: graphAccount({ templates: [carousel] }) });
    const { key } = world.workspace;
    const { body } = await world.app.send("GET", "/api/v1/templates", { key });
    expect(body.data).toMatchObject([{ name: "carousel", status: "APPROVED", sendable: false }]);
    const refused = await world.app.send("POST", "/api/v1/messages", {
      key,
      body: { to: "+4915112345678", template: "carousel" },
      headers: { "Idempotency-Key": "1" },
    });
    expect(refused).toMatchObject({ status: 422, body: { error: { code: "unsupported_template" } } });
    expect(world.graph.requests).toEqual([]);
  });

  test("are decided by callback with the matching events, and a sync follows", async () => {
    const known = graphAccount({ templates: [graphTemplate("greeting", { status: "PENDING" })] });
    await using world = await startWhatsapp({ account: known });
    const row = known.templates[0] as GraphRow;
    const questions = world.graph.questions.length;
    await world.hear(update("greeting", { event: "APPROVED" }), { time: seconds(world) });
    expect(world.events()).toEqual(["template.approved"]);
    row.status = "APPROVED";
    await world.clock.advance(6_000);
    expect(world.graph.questions.length).toBeGreaterThan(questions);
    await world.hear(update("greeting", { event: "PAUSED", other_info: { title: "FIRST_PAUSE" } }), {
      time: seconds(world),
    });
    expect(templatesOf(world)[0]?.status).toBe("PAUSED");
    await world.hear(update("greeting", { event: "APPROVED", other_info: { title: "UNPAUSE" } }), {
      time: seconds(world),
    });
    await world.hear(update("greeting", { event: "REJECTED", reason: "ABUSIVE_CONTENT" }), { time: seconds(world) });
    expect(world.events()).toEqual(["template.approved", "template.approved", "template.rejected"]);
    row.status = "REJECTED";
    await world.clock.advance(6_000);
    expect(templatesOf(world)[0]?.status).toBe("REJECTED");
  });

  test("are not changed by an old decision that is delivered again or late", async () => {
    const known = graphAccount({ templates: [graphTemplate("greeting")] });
    await using world = await startWhatsapp({ account: known });
    const early = seconds(world);
    await world.clock.advance(2 * HOUR);
    const replayed = update("greeting", { event: "DISABLED" });
    await world.hear(replayed, { time: early });
    expect(templatesOf(world)[0]?.status).toBe("APPROVED");
    await world.hear(update("greeting", { event: "PAUSED" }), { time: seconds(world) });
    await world.hear(update("greeting", { event: "APPROVED" }), { time: seconds(world) - 60 });
    expect(templatesOf(world)[0]?.status).toBe("PAUSED");
    expect(world.events()).toEqual([]);
  });

  test("take quality and category from callbacks, but not a change that is only announced", async () => {
    await using world = await startWhatsapp();
    const named = { message_template_id: 1, message_template_name: "greeting", message_template_language: "en_US" };
    const category = (more: object) => ({ field: "template_category_update", value: { ...named, ...more } });
    await world.hear(
      [
        {
          field: "message_template_quality_update",
          value: { ...named, previous_quality_score: "GREEN", new_quality_score: "YELLOW" },
        },
        category({ new_category: "UTILITY", correct_category: "MARKETING", category_update_timestamp: 1 }),
      ],
      { time: seconds(world) },
    );
    expect(templatesOf(world)[0]?.category).toBe("UTILITY");
    expect(rows(world.app.store, "SELECT quality FROM templates")).toEqual([{ quality: "YELLOW" }]);
    await world.hear(category({ previous_category: "UTILITY", new_category: "MARKETING" }), { time: seconds(world) });
    expect(templatesOf(world)[0]?.category).toBe("MARKETING");
  });

  test("of an account in two workspaces are decided in both", async () => {
    await using world = await startWhatsapp({
      account: graphAccount({
        numbers: [graphNumber("200000000000001", "+49 30 000000"), graphNumber("200000000000002", "+49 30 000001")],
        templates: [graphTemplate("greeting")],
      }),
    });
    const other = await world.app.workspace({ country: "DE", number: null, name: "Other" });
    await world.addNumber(other.id, { phone: "+4930000001", phoneNumberId: "200000000000002" });
    await world.hear(update("greeting", { event: "REJECTED" }), { time: seconds(world) });
    expect(templatesOf(world).map(({ status }) => status)).toEqual(["REJECTED", "REJECTED"]);
  });
});

describe("a WhatsApp number", () => {
  test("becomes ready when the network says so, takes its limit, and follows later changes", async () => {
    const known = graphAccount();
    const row = known.numbers[0] as GraphRow;
    row.status = "PENDING";
    await using world = await startWhatsapp({ account: known });
    expect(world.number()).toMatchObject({ ready: false, unreadyBy: "network" });
    expect(world.number().unreadyReason).toContain("not registered");
    row.status = "CONNECTED";
    await world.clock.advance(1.2 * HOUR);
    expect(world.number()).toMatchObject({ ready: true, unreadyReason: null });
    expect(stateOf(world)).toMatchObject({ messagingLimit: "2000", quality: "GREEN", verifiedName: "Shop" });
    row.health_status = {
      can_send_message: "BLOCKED",
      entities: [
        {
          entity_type: "WABA",
          id: "1",
          can_send_message: "BLOCKED",
          errors: [{ error_code: 141006, error_description: "No payment method.", possible_solution: "Add one." }],
        },
      ],
    };
    await world.clock.advance(1.2 * HOUR);
    expect(world.number().unreadyReason).toBe("WhatsApp blocks sending: No payment method. Add one.");
    row.health_status = { can_send_message: "AVAILABLE" };
    await world.clock.advance(1.2 * HOUR);
    expect(world.number().ready).toBe(true);
  });

  test("takes its throughput from the level that the network reports, unless a person chose it; 20 with the Business app", async () => {
    const known = graphAccount();
    const row = known.numbers[0] as GraphRow;
    await using world = await startWhatsapp({ account: known });
    const throughput = async (): Promise<number> => {
      await world.clock.advance(1.2 * HOUR);
      return world.number().throughput;
    };
    await world.app.store.write((tx) => tx.db.update(numbers).set({ throughput: 80, throughputGiven: false }).run());
    row.throughput = { level: "HIGH" };
    expect(await throughput()).toBe(1_000);
    row.throughput = { level: "SOMETHING_NEW" };
    expect(await throughput()).toBe(1_000);
    row.throughput = { level: "STANDARD" };
    expect(await throughput()).toBe(80);
    await change(world, { throughput: 40 });
    row.throughput = { level: "HIGH" };
    expect(await throughput()).toBe(40);
    row.is_on_biz_app = true;
    expect(await throughput()).toBe(20);
    await change(world, { throughput: 5 });
    expect(await throughput()).toBe(5);
  });

  test("belongs to the portfolio that its account names, else to the one that an operator names, else to its account", async () => {
    const known = graphAccount({ templates: [graphTemplate("greeting")] });
    await using world = await startWhatsapp({ account: known });
    const portfolio = () => world.app.store.read((tx) => findPortfolio(tx, world.number()));
    expect(portfolio()).toMatchObject({ name: "account:100000000000001", personLimit: 2_000, people: 0 });
    const asked = world.app.send("POST", "/api/v1/messages", {
      key: world.workspace.key,
      body: { to: "+4915110000000", template: "greeting", variables: ["Anna"] },
    });
    expect((await asked).body).toMatchObject({ data: { status: "sent" } });
    expect(portfolio()).toMatchObject({ people: 1 });
    await change(world, { givenPortfolio: "555555555" });
    // The limit and the people of the last 24 hours move with the number.
    expect(portfolio()).toMatchObject({ name: "portfolio:555555555", personLimit: 2_000, people: 1 });
    expect(change(world, { givenPortfolio: "x" })).rejects.toThrow(/portfolio/);
    known.details = { owner_business_info: { id: "777777777", name: "Ours" }, primary_funding_id: "0" };
    await world.clock.advance(1.2 * HOUR);
    expect(portfolio()).toMatchObject({ name: "portfolio:777777777", personLimit: 2_000, people: 1 });
    expect(rows(world.app.store, "SELECT has_payment_method FROM account_syncs")).toEqual([{ has_payment_method: 0 }]);
    (known.numbers[0] as GraphRow).whatsapp_business_manager_messaging_limit = "TIER_UNLIMITED";
    await world.clock.advance(1.2 * HOUR);
    expect(portfolio()).toMatchObject({ personLimit: null, people: 0 });
  });

  test("that an operator stopped stays stopped, whatever the network says, until an operator starts it", async () => {
    await using world = await startWhatsapp();
    await world.app.store.write((tx) => void markUnready(tx, world.workspace.numberId, "we are moving"));
    await world.clock.advance(3 * HOUR);
    expect(world.number()).toMatchObject({ ready: false, unreadyReason: "we are moving" });
    await world.app.store.write((tx) => void markReady(tx, world.workspace.numberId));
    await world.clock.advance(3 * HOUR);
    expect(world.number().ready).toBe(true);
  });

  test("with an invalid token, an unknown id or another phone cannot send, and shows the reason", async () => {
    const known = graphAccount();
    await using world = await startWhatsapp({ account: known });
    known.refuse = () => ({ code: 190, status: 401, subcode: 463 });
    await world.clock.advance(1.2 * HOUR);
    expect(world.number()).toMatchObject({ ready: false, unreadyBy: "network" });
    expect(world.number().unreadyReason).toContain("token");
    known.refuse = null;
    known.numbers = [graphNumber("200000000000001", "+49 30 999999")];
    await world.clock.advance(1.2 * HOUR);
    expect(world.number().unreadyReason).toContain("belongs to +4930999999, not to +4930000000");
    known.numbers = [];
    await world.clock.advance(1.2 * HOUR);
    expect(world.number().unreadyReason).toContain("has no number with the id 200000000000001");
    known.numbers = [graphNumber("200000000000001", "+49 30 000000")];
    await world.clock.advance(1.2 * HOUR);
    expect(world.number().ready).toBe(true);
  });

  test("stays as it is while the network cannot be asked, and is asked again soon", async () => {
    const known = graphAccount();
    await using world = await startWhatsapp({ account: known });
    let asked = 0;
    known.refuse = () => {
      asked += 1;
      return { status: 503, body: "<html>", contentType: "text/html" };
    };
    await world.clock.advance(2 * HOUR);
    expect(asked).toBeGreaterThan(10);
    expect(world.number().ready).toBe(true);
    const [sync] = rows<{ error: string }>(world.app.store, "SELECT error FROM account_syncs");
    expect(sync?.error).toContain("HTTP 503");
  });

  test("whose account is restricted stops with the reason and starts again when the restriction ends", async () => {
    const known = graphAccount();
    await using world = await startWhatsapp({ account: known });
    const until = seconds(world) + 1_800;
    const restricted = account("ACCOUNT_RESTRICTION", {
      restriction_info: [{ restriction_type: RESTRICTED, expiration: String(until) }],
    });
    await world.hear(restricted, { time: seconds(world) });
    expect(world.number()).toMatchObject({ ready: false, unreadyBy: "network" });
    expect(world.number().unreadyReason).toContain("may not start conversations");
    // A sync right after the callback finds the number as before: the network's own view lags behind its callbacks.
    await world.clock.advance(60_000);
    expect(world.number().ready).toBe(false);
    await world.clock.advance(1_800_000);
    expect(world.number().ready).toBe(true);
  });

  test("whose account is disabled stops, starts when the account is reinstated, and a replay of either changes nothing", async () => {
    const known = graphAccount();
    (known.numbers[0] as GraphRow).health_status = undefined;
    await using world = await startWhatsapp({ account: known });
    const disable = account("DISABLED_UPDATE", {
      ban_info: { waba_ban_state: "DISABLE", waba_ban_date: "April 17, 2027" },
    });
    const reinstate = account("DISABLED_UPDATE", { ban_info: { waba_ban_state: "REINSTATE" } });
    const [first, second] = [seconds(world), seconds(world) + 60];
    await world.hear(disable, { time: first });
    expect(world.number().unreadyReason).toContain("disabled the WhatsApp account on April 17, 2027");
    await world.clock.advance(3 * HOUR);
    expect(world.number().ready).toBe(false);
    await world.clock.advance(0);
    await world.hear(account("DISABLED_UPDATE", { ban_info: { waba_ban_state: "REINSTATE" } }), {
      time: seconds(world),
    });
    expect(world.number().ready).toBe(true);
    await world.hear(disable, { time: first });
    await world.hear(reinstate, { time: second });
    expect(world.number().ready).toBe(true);
  });

  test("takes limits, warnings and names from callbacks, and shows them", async () => {
    const known = graphAccount();
    await using world = await startWhatsapp({ account: known });
    await world.hear(
      [
        { field: "business_capability_update", value: { max_daily_conversations_per_business: 10_000 } },
        account("DISABLED_UPDATE", { ban_info: { waba_ban_state: "SCHEDULE_FOR_DISABLE", waba_ban_date: "May 1" } }),
        { field: "phone_number_name_update", value: { display_phone_number: "4930000000", decision: "APPROVED" } },
      ],
      { time: seconds(world) },
    );
    expect(stateOf(world)).toMatchObject({ messagingLimit: "10000" });
    expect(stateOf(world)?.notice).toContain("will disable the WhatsApp account on May 1");
    expect(world.number().ready).toBe(true);
    await world.hear(
      {
        field: "phone_number_quality_update",
        value: {
          display_phone_number: "4930000000",
          event: "THROUGHPUT_UPGRADE",
          max_daily_conversations_per_business: "TIER_UNLIMITED",
        },
      },
      { time: seconds(world) },
    );
    expect(stateOf(world)?.messagingLimit).toBe("unlimited");
  });

  test("ignores callbacks about another phone of its account", async () => {
    await using world = await startWhatsapp();
    await world.hear(
      {
        field: "phone_number_quality_update",
        value: { display_phone_number: "4930000001", event: "ONBOARDING", current_limit: "TIER_250" },
      },
      { time: seconds(world) },
    );
    expect(stateOf(world)?.messagingLimit).toBe("2000");
  });
});

test("all numbers of an account with the same token are found by one listing, over all of its pages", async () => {
  const numbers = Array.from({ length: 4 }, (_, index) =>
    graphNumber(`20000000000000${index + 1}`, `+49 30 00000${index}`),
  );
  await using world = await startWhatsapp({ account: graphAccount({ numbers, pageSize: 2 }) });
  for (let index = 1; index < 4; index++) {
    await world.addNumber(world.workspace.id, {
      phone: `+493000000${index}`,
      phoneNumberId: `20000000000000${index + 1}`,
    });
  }
  expect(rows(world.app.store, "SELECT id FROM numbers WHERE ready = 1")).toHaveLength(4);
  const before = world.graph.questions.length;
  await world.clock.advance(1.2 * HOUR);
  const asked = world.graph.questions.slice(before).map(({ path }) => path.replace(/\?.*/, "").split("/").at(-1));
  const listed = ["phone_numbers", "phone_numbers"];
  const inspected = ["debug_token", "subscribed_apps", "subscriptions", ...listed];
  const account = "100000000000001";
  expect(asked).toEqual([...listed, ...inspected, account, account, "message_templates"]);
});

test("when the first number of an account is removed, the other numbers are still synced", async () => {
  const known = graphAccount({
    numbers: [graphNumber("200000000000001", "+49 30 000000"), graphNumber("200000000000002", "+49 30 000001")],
  });
  await using world = await startWhatsapp({ account: known });
  const second = await world.addNumber(world.workspace.id, { phone: "+4930000001", phoneNumberId: "200000000000002" });
  await world.app.store.write(
    (tx) => void tx.db.run(`UPDATE numbers SET removed_at = 1 WHERE id = ${world.workspace.numberId}`),
  );
  (known.numbers[1] as GraphRow).status = "BANNED";
  await world.clock.advance(1.2 * HOUR);
  expect(rows(world.app.store, `SELECT ready FROM numbers WHERE id = ${second.id}`)).toEqual([{ ready: 0 }]);
});

describe("another provider of the same interface", () => {
  test("is asked in its own style, and a working key makes the number ready", async () => {
    const style = { authHeader: "D360-API-KEY", authPrefix: "", pathStyle: "bare" as const };
    const known = graphAccount({
      templates: Array.from({ length: 30 }, (_, index) => graphTemplate(`t${index}`, { status: "approved" })),
    });
    await using world = await startWhatsapp({
      graph: style,
      account: known,
      config: { whatsapp: { ...style, verifyToken: VERIFY_TOKEN } },
    });
    expect(world.number().ready).toBe(true);
    expect(templatesOf(world).filter(({ status }) => status === "APPROVED")).toHaveLength(30);
    expect(world.graph.questions.every(({ path }) => path.startsWith("/message_templates?"))).toBe(true);
    const sent = await world.app.send("POST", "/api/v1/messages", {
      key: world.workspace.key,
      body: { to: "+4915112345678", template: "t1", variables: ["Anna"] },
      headers: { "Idempotency-Key": "1" },
    });
    expect(sent.status).toBe(201);
    expect(world.graph.requests[0]).toMatchObject({
      path: "/messages",
      headers: { "d360-api-key": "token-of-the-test" },
    });
    known.refuse = () => ({ status: 401, body: '{"error":"Invalid API key"}', contentType: "application/json" });
    await world.clock.advance(1.2 * HOUR);
    expect(world.number().ready).toBe(false);
  });
});

/**
 * What the network changes about a number or a template is listed newest first, with its date and what it means. Reports
 * arrive twice, late and in any order: each makes one entry, and what is shown of the number or the template is the newest.
 */
import { describe, expect, test } from "bun:test";
import type { Change } from "#test/support/graph.ts";
import { type GraphRow, graphAccount, graphNumber, graphTemplate } from "#test/support/graph-account.ts";
import { DAY, HOUR } from "#test/support/webhooks.ts";
import { rows, startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const MINUTE = 60_000;
const named = { message_template_id: 1, message_template_name: "greeting", message_template_language: "en-US" };

function score(from: string, to: string): Change {
  const value = { ...named, previous_quality_score: from, new_quality_score: to };
  return { field: "message_template_quality_update", value };
}

function category(from: string, to: string): Change {
  return { field: "template_category_update", value: { ...named, previous_category: from, new_category: to } };
}

function status(event: string): Change {
  return { field: "message_template_status_update", value: { ...named, event, reason: "NONE" } };
}

function limit(word: string): Change {
  const value = { display_phone_number: "4930000000", event: "UPGRADE", max_daily_conversations_per_business: word };
  return { field: "phone_number_quality_update", value };
}

function restriction(...types: string[]): Change {
  const restriction_info = types.map((restriction_type) => ({ restriction_type }));
  return { field: "account_update", value: { event: "ACCOUNT_RESTRICTION", restriction_info } };
}

/** A few minutes after its first comparison. */
async function start(names: readonly string[] = ["greeting"]): Promise<WhatsappWorld> {
  const account = graphAccount({
    numbers: [graphNumber("200000000000001", "+49 30 000000")],
    templates: names.map((name) => graphTemplate(name, { quality_score: { score: "GREEN" } })),
  });
  const world = await startWhatsapp({ account });
  await world.clock.advance(3 * MINUTE);
  return world;
}

async function ask({ app, workspace }: WhatsappWorld, query: string, key = workspace.key) {
  return app.send("GET", `/api/v1/network-changes?${query}`, { key });
}

interface Shown {
  property: string;
  from: string | null;
  to: string | null;
  at: string;
  meaning: string;
}

const TEMPLATE = "template=greeting&language=en_US";
const NUMBER = "number=%2B4930000000";

async function list(world: WhatsappWorld, query: string): Promise<Shown[]> {
  const { status, body } = await ask(world, query);
  expect([status, body.meta?.has_more]).toEqual([200, false]);
  return body.data;
}

/** `property from > to @minutes`, of which the minutes are those since `since`. */
async function brief(world: WhatsappWorld, query: string, since = 0): Promise<string[]> {
  return (await list(world, query)).map(({ property, from, to, at }) => {
    const after = since === 0 ? "" : ` @${Math.round((Date.parse(at) - since) / MINUTE)}`;
    return `${property} ${from ?? "-"} > ${to ?? "-"}${after}`;
  });
}

const secondsAt = (ms: number): number => Math.floor(ms / 1000);

function templateOf({ app }: WhatsappWorld, name = "greeting") {
  return rows(app.store, `SELECT status, category, quality FROM templates WHERE name = '${name}'`)[0];
}

function nameOf(kind: number, order: "once" | readonly number[]): string {
  return `case_${kind}_${order === "once" ? order : order.join("")}`;
}

function about({ field, value }: Change, name: string): Change {
  return { field, value: { ...(value as object), message_template_name: name } };
}

describe("what the network changes about a template", () => {
  test("is listed newest first, with its date and what it means", async () => {
    await using world = await start();
    const { clock } = world;
    expect(await list(world, TEMPLATE)).toEqual([]);
    const since = clock.now() - MINUTE;
    for (const [index, change] of [
      score("GREEN", "YELLOW"),
      status("PAUSED"),
      status("APPROVED"),
      category("UTILITY", "MARKETING"),
      status("DISABLED"),
    ].entries()) {
      await world.hear(change, { time: secondsAt(since) + index });
    }
    const shown = await list(world, TEMPLATE);
    expect(await brief(world, TEMPLATE)).toEqual([
      "status APPROVED > DISABLED",
      "category UTILITY > MARKETING",
      "status PAUSED > APPROVED",
      "status APPROVED > PAUSED",
      "quality GREEN > YELLOW",
    ]);
    expect(Date.parse(shown.at(-1)?.at ?? "")).toBe(secondsAt(since) * 1000);
    expect(shown.map(({ meaning }) => meaning)).toEqual([
      expect.stringContaining("Write a new template."),
      expect.stringContaining("bills it as marketing"),
      "The template is approved: it can be sent.",
      expect.stringContaining("ends a first pause for quality after 3 hours"),
      expect.stringContaining("Send it to fewer people"),
    ]);
    expect(await list(world, "template=greeting")).toEqual(shown);
  });

  test("is the same hikind and the same state, in whatever order and however often the reports arrive", async () => {
    const first = [0, 1, 2];
    const orders = first.flatMap((a) => first.filter((b) => b !== a).map((b) => [a, b, 3 - a - b]));
    const kinds = [
      [score("GREEN", "YELLOW"), score("YELLOW", "RED"), score("RED", "GREEN")],
      [category("UTILITY", "MARKETING"), category("MARKETING", "UTILITY"), category("UTILITY", "MARKETING")],
      [status("PAUSED"), status("APPROVED"), status("DISABLED")],
      [score("GREEN", "RED"), score("RED", "RED"), score("RED", "YELLOW")],
    ];
    const names = kinds.flatMap((_, kind) => (["once", ...orders] as const).map((order) => nameOf(kind, order)));
    await using world = await start(names);
    const since = world.clock.now() - 2 * MINUTE - 30_000;
    const tell = (told: readonly Change[], name: string, index: number) =>
      world.hear(about(told[index] as Change, name), { time: secondsAt(since) + index * 60 });
    for (const [kind, told] of kinds.entries()) {
      const seen = async (name: string) => ({
        changes: await brief(world, `template=${name}`, since),
        template: templateOf(world, name),
      });
      for (const index of first) await tell(told, nameOf(kind, "once"), index);
      const once = await seen(nameOf(kind, "once"));
      expect(once.changes.length).toBe(kind === 3 ? 2 : 3);
      for (const order of orders) {
        const name = nameOf(kind, order);
        for (const index of [...order.flatMap((one) => [one, one]), ...order]) await tell(told, name, index);
        expect([name, await seen(name)]).toEqual([name, once]);
      }
    }
  });

  test("that a late report tells of stands at its time, though a comparison has shown what holds since", async () => {
    await using world = await start();
    const { clock } = world;
    const since = clock.now();
    await clock.advance(3 * HOUR);
    await world.hear(status("PAUSED"), { time: secondsAt(since + 10 * MINUTE) });
    expect(templateOf(world)).toMatchObject({ status: "APPROVED" });
    const [back, paused] = await brief(world, TEMPLATE, since);
    expect(paused).toBe("status APPROVED > PAUSED @10");
    expect(back).toStartWith("status PAUSED > APPROVED @");
    // The end of the pause follows, and takes the place of what the comparison said.
    await world.hear(status("APPROVED"), { time: secondsAt(since + 40 * MINUTE) });
    expect(await brief(world, TEMPLATE, since)).toEqual([
      "status PAUSED > APPROVED @40",
      "status APPROVED > PAUSED @10",
    ]);
    expect(world.events()).toEqual([]);
  });

  test("and that a comparison finds first stands at the time of the report that follows", async () => {
    await using world = await start();
    const { clock, account } = world;
    const since = clock.now();
    (account.templates[0] as GraphRow).quality_score = { score: "RED" };
    await clock.advance(1.2 * HOUR);
    expect(await brief(world, TEMPLATE)).toEqual(["quality GREEN > RED"]);
    await world.hear(score("GREEN", "RED"), { time: secondsAt(since + MINUTE) });
    expect(await brief(world, TEMPLATE, since)).toEqual(["quality GREEN > RED @1"]);
    expect(templateOf(world)).toMatchObject({ quality: "RED" });
  });
});

describe("what the network changes about a number", () => {
  test("is listed: limits and restrictions by its reports, quality and status by comparison", async () => {
    await using world = await start();
    const { clock, account } = world;
    const row = account.numbers[0] as GraphRow;
    row.whatsapp_business_manager_messaging_limit = "TIER_10K";
    await world.hear(limit("TIER_10K"), { time: secondsAt(clock.now()) });
    await clock.advance(MINUTE);
    Object.assign(row, { quality_rating: "YELLOW", status: "FLAGGED" });
    await clock.advance(1.2 * HOUR);
    row.status = "CONNECTED";
    await clock.advance(1.2 * HOUR);
    await world.hear(restriction("RESTRICTED_BIZ_INITIATED_MESSAGING"), { time: secondsAt(clock.now()) });
    await clock.advance(1.2 * HOUR);
    const shown = await list(world, NUMBER);
    expect(shown.map(({ property, from, to }) => [property, from, to])).toEqual([
      ["restriction", "RESTRICTED", null],
      ["restriction", null, "RESTRICTED"],
      ["status", "FLAGGED", "CONNECTED"],
      ["quality", "GREEN", "YELLOW"],
      ["status", "CONNECTED", "FLAGGED"],
      ["limit", "2000", "10000"],
    ]);
    expect(shown.map(({ meaning }) => meaning)).toEqual([
      expect.stringContaining("lifted the restriction"),
      expect.stringContaining("may not start conversations"),
      "The number is connected: Meta lets it send.",
      expect.stringContaining("Send less marketing"),
      expect.stringContaining("Meta has flagged it"),
      expect.stringContaining("10,000 people in 24 hours"),
    ]);
  });

  test("is one entry each when the reports arrive late, twice and in the wrong order", async () => {
    await using world = await start();
    const since = world.clock.now() - 2 * MINUTE - 30_000;
    (world.account.numbers[0] as GraphRow).whatsapp_business_manager_messaging_limit = "TIER_100K";
    const tell = (word: string, minute: number) => world.hear(limit(word), { time: secondsAt(since) + minute * 60 });
    for (const [word, minute] of [
      ["TIER_100K", 2],
      ["TIER_10K", 1],
      ["TIER_100K", 2],
      ["TIER_10K", 1],
    ] as const) {
      await tell(word, minute);
    }
    expect(await brief(world, NUMBER, since)).toEqual(["limit 10000 > 100000 @2", "limit 2000 > 10000 @1"]);
    expect(rows(world.app.store, "SELECT messaging_limit FROM number_states")).toEqual([{ messaging_limit: "100000" }]);
    expect(rows(world.app.store, "SELECT person_limit FROM portfolios")).toEqual([{ person_limit: 100_000 }]);
    const words = "RESTRICTED_BIZ_INITIATED_MESSAGING";
    await world.hear(restriction(words), { time: secondsAt(since) + 60 });
    await world.hear(restriction(words), { time: secondsAt(since) + 60 });
    await world.hear(
      { field: "account_update", value: { event: "ACCOUNT_RECONNECTED" } },
      { time: secondsAt(since) + 120 },
    );
    await world.hear(restriction(words), { time: secondsAt(since) + 60 });
    expect(world.number().ready).toBe(true);
    expect((await brief(world, NUMBER, since)).filter((one) => one.startsWith("restriction"))).toEqual([
      "restriction RESTRICTED > - @2",
      "restriction - > RESTRICTED @1",
    ]);
  });
});

describe("the list", () => {
  test("is paged by a cursor, and kept for 400 days", async () => {
    await using world = await start();
    for (let index = 0; index < 5; index += 1) {
      const [from, to] = index % 2 === 0 ? (["GREEN", "RED"] as const) : (["RED", "GREEN"] as const);
      await world.hear(score(from, to), { time: secondsAt(world.clock.now()) - 10 + index });
    }
    const all = await list(world, TEMPLATE);
    const paged: Shown[] = [];
    let after = "";
    do {
      const { body } = await ask(world, `${TEMPLATE}&per_page=2${after}`);
      expect(body.meta.per_page).toBe(2);
      paged.push(...body.data);
      after = body.meta.next === null ? "" : `&after=${body.meta.next}`;
    } while (after !== "");
    expect([all.length, paged]).toEqual([5, all]);
    (world.account.templates[0] as GraphRow).quality_score = { score: "RED" };
    world.app.store.write(({ db, now }) =>
      db.$client.exec(`UPDATE network_changes SET at = ${now - 401 * DAY} WHERE id < 3`),
    );
    await world.clock.advance(1.1 * DAY);
    expect(await list(world, TEMPLATE)).toHaveLength(3);
  });

  const wrong: [query: string, field: string][] = [
    ["number=%2B4930000000&template=greeting", "template"],
    ["number=%2B4930000001", "number"],
    ["number=%2B4930000000&language=en_US", "language"],
    ["template=other", "template"],
    ["template=greeting&language=de", "template"],
    [`${NUMBER}&per_page=0`, "per_page"],
    [`${NUMBER}&after=e30`, "after"],
  ];
  test("names the parameter that is wrong", async () => {
    await using world = await start();
    for (const [query, field] of wrong) {
      const { status, body } = await ask(world, query);
      expect([query, status, Object.keys(body.error.fields ?? {})]).toEqual([query, 400, [field]]);
    }
  });

  test("is that of the workspace's own number and templates", async () => {
    await using world = await start();
    await world.hear(score("GREEN", "RED"), { time: secondsAt(world.clock.now()) });
    const other = await world.app.workspace({ country: "DE", name: "Other" });
    for (const query of [NUMBER, TEMPLATE]) expect((await ask(world, query, other.key)).status).toBe(400);
    expect((await ask(world, "", other.key)).body.data).toEqual([]);
    await world.hear(limit("TIER_10K"), { time: secondsAt(world.clock.now()) });
    expect((await ask(world, "")).body.data).toMatchObject([
      { number: "+4930000000", template: null, property: "limit" },
      { number: null, template: { name: "greeting", language: "en_US" }, property: "quality" },
    ]);
  });
});

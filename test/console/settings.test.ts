/** A workspace's settings in the console: shown, tried out before a change, changed at once everywhere, and audited. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { settingKey, settingNames } from "#src/domain/workspaces/workspace.ts";
import { auditEntries, firstOperator, person, type Visitor } from "#test/support/console.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { Workshop } from "../cli/spawn.ts";

let app: TestServer;
let shop: TestWorkspace;
let owner: Visitor;
let workshop: Workshop;

beforeAll(async () => {
  app = await startTestServer();
  await firstOperator(app);
  shop = await app.workspace({ country: "IN", timezone: "Asia/Kolkata" });
  owner = await person(app, "owner@example.com", "owner", shop.id);
  workshop = new Workshop();
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  workshop[Symbol.dispose]();
});

const path = () => `/w/${shop.id}/settings`;
interface Shown {
  key: string;
  value: unknown;
  changed: { at: string; by: string | null } | null;
}
const shown = async (): Promise<Shown[]> => (await owner.get(path())).body.data;
const settingOf = async (key: string) => (await shown()).find((one) => one.key === key);
const change = (body: object) => owner.ask("PATCH", path(), body);
const preview = (body: object) => owner.post(`${path()}/preview`, body);
const command = (...args: string[]) => workshop.json([...args, "--data", app.directory]);

test("every declared setting is shown, and each is changed at once for the API, the command line and the log", async () => {
  expect((await shown()).map(({ key }) => key)).toEqual(settingNames.map(settingKey));
  const values = { name: "New Corner", country: "DE", timezone: "Europe/Berlin", daily_cap: 250 };
  const words = { stop_words: ["basta", "lass das"], start_words: ["dabei"] };
  const away = {
    opening_hours: "mon-fri 10:00-19:00; sat-sun closed",
    closed_days: ["12-25"],
    away_message: "Closed.",
  };
  const consent = { purpose: "Offers and news", notice: "We write to you about offers." };
  const kept = { message_retention: "90 days", inbound_retention: "30 days", media_retention: "7 days" };
  const all = {
    ...values,
    ...words,
    ...away,
    quiet: "22:00-07:00",
    ...consent,
    ...kept,
    ai_notice: "An AI writes.",
    read_receipts: "opened",
  };
  expect(Object.keys(all).toSorted()).toEqual(settingNames.map(settingKey).toSorted());
  for (const [key, value] of Object.entries(all)) {
    expect((await change({ [key]: value })).body.data).toEqual({ changed: [key] });
    expect(await settingOf(key)).toMatchObject({ value, changed: { by: "owner@example.com" } });
  }
  const me = await app.call("GET", "/api/v1/me", { key: shop.key });
  expect(me.body.data).toMatchObject({ name: "New Corner", country: "DE", timezone: "Europe/Berlin" });
  expect(await command("workspace", "show", String(shop.id))).toMatchObject(all);
  // A program sees what the owner has changed.
  expect((await app.call("GET", "/api/v1/settings", { key: shop.key })).body.data).toEqual(all);
  const entries = app.store.client
    .prepare("SELECT details FROM audit_log WHERE action = 'settings.update' ORDER BY id DESC LIMIT 1")
    .all() as { details: string }[];
  expect(JSON.parse(entries[0]?.details ?? "")).toEqual({
    was: { read_receipts: "off" },
    became: { read_receipts: "opened" },
  });
  // What people write is read by the new words from the next message on.
  await app.inbound(shop, "+4915112345601", "Basta!");
  const contact = await app.call("GET", "/api/v1/contacts/+4915112345601", { key: shop.key });
  expect(contact.body.data.consent.status).toBe("opted_out");
});

test("a change by the command line is shown as one, and a change that changes nothing is none", async () => {
  await command("workspace", "update", String(shop.id), "--daily-cap", "99");
  expect(await settingOf("daily_cap")).toMatchObject({ value: 99, changed: { by: null } });
  const before = auditEntries(app).length;
  expect((await change({ daily_cap: 99 })).body.data).toEqual({ changed: [] });
  expect(auditEntries(app).length).toBe(before);
  expect((await change({ daily_cap: null })).body.data).toEqual({ changed: ["daily_cap"] });
});

test("the form says which quiet hours the server has, and how long it keeps things", async () => {
  const quiet = (await shown()).find(({ key }) => key === "quiet");
  expect(quiet).toMatchObject({ initial: "21:00-08:00" });
  const { data } = (await owner.get(`${path()}/retention`)).body;
  const kept = Object.fromEntries(data.map((row: { key: string; kept: string | null }) => [row.key, row.kept]));
  expect(kept).toMatchObject({ recipients: "18 months", events: "30 days", messages: null, inbound: null });
});

test("a wrong value is refused at its field, in both doors, and nothing changes", async () => {
  const before = JSON.stringify(await shown());
  const wrong = {
    name: "  ",
    country: "XX",
    timezone: "Berlin",
    daily_cap: 0,
    stop_words: ["…"],
    start_words: ["stop"],
    opening_hours: "always",
    closed_days: ["25.12."],
    away_message: "x".repeat(4_097),
    quiet: "22:00-22:00",
    read_receipts: "always",
    purpose: "x".repeat(192),
    notice: "x".repeat(4_001),
    ai_notice: "x".repeat(501),
    message_retention: "1 day",
    inbound_retention: "",
    media_retention: "for ever",
  };
  expect(Object.keys(wrong).toSorted()).toEqual(settingNames.map(settingKey).toSorted());
  for (const ask of [change, preview]) {
    for (const [key, value] of Object.entries(wrong)) {
      const { status, body } = await ask({ [key]: value });
      const named = key === "start_words" ? ["stop_words", "start_words"] : [key];
      expect([key, status, named.includes(Object.keys(body.error?.fields ?? {})[0] ?? "")]).toEqual([key, 400, true]);
    }
    expect((await ask({ closing_hours: "never" })).status).toBe(400);
  }
  expect(JSON.stringify(await shown())).toBe(before);
});

test("a preview names the scheduled broadcasts with both times of day, and whose last words would be read differently", async () => {
  const other = await app.workspace({ country: "IN", timezone: "Asia/Kolkata", number: "+911244001177" });
  const master = await person(app, "master@example.com", "owner", other.id);
  const components = [{ type: "BODY", text: "Hi {{1}}, we are open." }];
  await app.template(other, { name: "open", language: "en_US", category: "UTILITY", components });
  const to = ["+919876511001", "+919876511002", "+919876511003"];
  const sendAt = new Date(app.clock.now() + 86_400_000).toISOString();
  const body = { name: "Diwali", template: "open", variables: ["Anna"], to, send_at: sendAt };
  expect((await app.send("POST", "/api/v1/broadcasts", { key: other.key, body })).status).toBe(202);
  await app.inbound(other, "+919876511001", "No more offers");
  await app.inbound(other, "+919876511002", "where is my order");
  await app.inbound(other, "+919876511003", "no more offers");
  await app.inbound(other, "+919876511003", "thanks");
  const ask = async (changes: object) => (await master.post(`/w/${other.id}/settings/preview`, changes)).body.data;

  const moved = await ask({ timezone: "Europe/Berlin" });
  expect(moved).toMatchObject({ broadcasts: [{ name: "Diwali" }], examined: 0, people: [] });
  expect(moved.broadcasts[0].was.slice(0, 16)).not.toBe(moved.broadcasts[0].becomes.slice(0, 16));
  expect(Date.parse(moved.broadcasts[0].was)).toBe(Date.parse(moved.broadcasts[0].becomes));

  const words = await ask({ stop_words: ["no more offers"], start_words: ["where is my order"] });
  expect([words.broadcasts, words.examined, words.removed]).toEqual([[], 4, []]);
  expect(words.people.map(({ phone, would }: { phone: string; would: string }) => [phone, would]).toSorted()).toEqual([
    ["+919876511001", "opt_out"],
    ["+919876511002", "opt_in"],
    ["+919876511003", "opt_out"],
  ]);
  // It was a question: nothing changed.
  expect(
    (await master.get(`/w/${other.id}/settings`)).body.data.find((one: Shown) => one.key === "stop_words").value,
  ).toEqual([]);
});

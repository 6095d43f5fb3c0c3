/**
 * Whatever stops a message or a broadcast, its reason names the cause, in the API's refusals, the broadcast's
 * `status_reason` and Health alike, and is one sentence with one full stop.
 */
import { expect, test } from "bun:test";
import { updateNumber } from "#src/domain/numbers/update.ts";
import { conditionsOf } from "#test/support/conditions.ts";
import type { Change } from "#test/support/graph.ts";
import type { GraphRow } from "#test/support/graph-account.ts";
import { startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const seconds = ({ clock }: WhatsappWorld) => Math.floor(clock.now() / 1000);
const phones = (count: number) => Array.from({ length: count }, (_, index) => `+491511234${String(5_000 + index)}`);

/** A broadcast at one message a second, under way. Returns how to read it. */
async function underWay(world: WhatsappWorld) {
  const { app, clock, workspace } = world;
  const number = world.number();
  await app.store.write((tx) => void updateNumber(tx, number, { throughput: 1 }));
  const body = { name: "News", template: "greeting", variables: ["Anna"], to: phones(30) };
  const { body: created } = await app.send("POST", "/api/v1/broadcasts", { key: workspace.key, body });
  await clock.advance(3_000);
  return async () => {
    await clock.advance(3_000);
    return (await app.send("GET", `/api/v1/broadcasts/${created.data.id}`, { key: workspace.key })).body.data;
  };
}

async function refusal({ app, workspace }: WhatsappWorld) {
  const body = { to: "+4915112349999", template: "greeting", variables: ["Anna"] };
  return (await app.send("POST", "/api/v1/messages", { key: workspace.key, body })).body.error;
}

function expectSentence(text: string, cause: RegExp): void {
  expect(text).toMatch(cause);
  expect(text).not.toMatch(/\.\.|\. \.|\.[:;,”]|[^.]\s\./);
}

const ofTemplate = (value: object): Change => ({
  field: "message_template_status_update",
  value: {
    ...{ message_template_id: 900000000000001, message_template_name: "greeting" },
    ...{ message_template_language: "en-US", reason: "NONE", ...value },
  },
});

const STATUSES: readonly [event: string, cause: RegExp, status: string][] = [
  ["PAUSED", /is paused by the network, because people blocked or reported it/, "paused"],
  ["FLAGGED", /is flagged by the network/, "paused"],
  ["ARCHIVED", /is archived \(ARCHIVED\).*restore it in WhatsApp Manager/, "paused"],
  ["LOCKED", /is locked by the network \(LOCKED\)/, "paused"],
  ["LIMIT_EXCEEDED", /has more templates than it may have/, "paused"],
  ["IN_APPEAL", /has not decided on the appeal/, "paused"],
  ["REJECTED", /is rejected by the network/, "failed"],
  ["DISABLED", /is disabled by the network for good/, "failed"],
  ["PENDING_DELETION", /is being deleted at the network/, "failed"],
  ["DELETED", /was deleted at the network/, "failed"],
];

test.each([...STATUSES])("a template that is %p says so", async (event, cause, status) => {
  await using world = await startWhatsapp();
  const read = await underWay(world);
  const other_info = { title: "FIRST_PAUSE", description: "Paused for 3 hours because of feedback." };
  const value = { event, ...(event === "PAUSED" ? { other_info } : {}) };
  await world.hear(ofTemplate(value), { time: seconds(world) });
  const after = await read();
  expect(after.status).toBe(status);
  expectSentence(after.status_reason, cause);
  const { code, message } = await refusal(world);
  expect(code).toBe("template_not_sendable");
  expectSentence(message, cause);
});

test("a new category is another price, and a broadcast that pauses for it names both categories", async () => {
  await using world = await startWhatsapp();
  const read = await underWay(world);
  const before = (await read()).status;
  const value = {
    ...{ message_template_id: 900000000000001, message_template_name: "greeting", message_template_language: "en-US" },
    ...{ previous_category: "UTILITY", new_category: "MARKETING" },
  };
  await world.hear({ field: "template_category_update", value }, { time: seconds(world) });
  const { status, status_reason: reason } = await read();
  expect([before, status]).toEqual(["running", "paused"]);
  expectSentence(reason, /moved the template greeting from UTILITY to MARKETING.*another price/);
});

const ACCOUNT: readonly [value: object, cause: RegExp][] = [
  [
    { event: "PARTNER_REMOVED", disconnection_info: { reason: "PRIMARY_INACTIVITY", initiated_by: "SYSTEM" } },
    /PRIMARY_INACTIVITY, the phone with the Business app was not used for too long/,
  ],
  [
    { event: "PARTNER_REMOVED", disconnection_info: { reason: "BUSINESS_DOWNGRADE", initiated_by: "USER" } },
    /BUSINESS_DOWNGRADE/,
  ],
  [{ event: "ACCOUNT_DELETED" }, /account was deleted/],
  [{ event: "ACCOUNT_OFFBOARDED" }, /disconnected from the Cloud API/],
  [
    { event: "ACCOUNT_RESTRICTION", restriction_info: [{ restriction_type: "RESTRICTED_BIZ_INITIATED_MESSAGING" }] },
    /may not start conversations/,
  ],
  [{ event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "DISABLE", waba_ban_date: "April 17, 2027" } }, /disabled/],
];

test.each([...ACCOUNT])("what happens to the account is the reason: %j", async (value, cause) => {
  await using world = await startWhatsapp();
  const read = await underWay(world);
  await world.hear({ field: "account_update", value: { ...value } }, { time: seconds(world) });
  const after = await read();
  expect(after.status).toBe("paused");
  expectSentence(after.status_reason, cause);
  const { code, message } = await refusal(world);
  expect(code).toBe("number_not_ready");
  expectSentence(message, cause);
});

test("the status that WhatsApp gives a number is the reason, wherever it is read", async () => {
  await using world = await startWhatsapp();
  for (const status of ["PENDING", "FLAGGED", "BANNED", "MIGRATED", "ON_HOLIDAY"]) {
    (world.account.numbers[0] as GraphRow).status = status;
    // Once an hour it is compared with the network.
    await world.clock.advance(70 * 60_000);
    const { code, message } = await refusal(world);
    expect(code).toBe("number_not_ready");
    expectSentence(message, new RegExp(status));
    const [condition] = await conditionsOf(world, "number_not_ready");
    expect(condition?.says).toContain(status);
  }
});

test("an answer that cannot be read is told with what came instead", async () => {
  await using world = await startWhatsapp();
  const body = "<html><h1>Bad Gateway</h1></html>";
  world.graph.fault({ fault: { kind: "answer", status: 502, body }, times: 1 });
  const { whatsapp_code: code, message } = await refusal(world);
  expect(code).toBe("timeout");
  expectSentence(message, /HTTP 502.*Bad Gateway.*may have arrived/);
  world.graph.fault({ fault: { kind: "reset" }, times: 1 });
  expectSentence((await refusal(world)).message, /connection was lost.*may have arrived/);
});

test("single messages that are refused for the account begin a condition, which ends with the next accepted one", async () => {
  await using world = await startWhatsapp();
  world.graph.fault({ fault: { kind: "error", code: 131031 }, times: 1 });
  expect((await refusal(world)).whatsapp_code).toBe("131031");
  expect(world.number().ready).toBe(true);
  const [found, ...more] = await conditionsOf(world, "connection:messages_refused");
  expect(more).toEqual([]);
  expectSentence(found?.says as string, /refuses what .* sends \(error 131031\).*locked or restricted/);
  await refusal(world);
  expect(await conditionsOf(world, "connection:messages_refused")).toEqual([]);
});

/**
 * A template's category is what WhatsApp bills. A change that it announces or makes is a condition with what it costs, and
 * a broadcast that was confirmed at the other category pauses until a person resumes it.
 */
import { expect, test } from "bun:test";
import { resume } from "#test/support/broadcast-scenarios.ts";
import { conditionsOf } from "#test/support/conditions.ts";
import type { Change } from "#test/support/graph.ts";
import { type GraphRow, graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const TO = ["+4915112345601", "+4915112345602"];
const DAY = 24 * 3_600_000;
const billing = { rate: 8_500, balance: 1_000_000 };

function start() {
  return startWhatsapp({ account: graphAccount({ templates: [graphTemplate("greeting")] }), workspace: { billing } });
}

function change(value: object): Change {
  const template = { message_template_id: 1, message_template_name: "greeting", message_template_language: "en-US" };
  return { field: "template_category_update", value: { ...template, ...value } };
}

function announced({ clock }: WhatsappWorld, more: object = {}): [Change, { time: number }] {
  const time = Math.floor(clock.now() / 1000);
  return [change({ new_category: "UTILITY", correct_category: "MARKETING", ...more }), { time }];
}

async function made(world: WhatsappWorld): Promise<void> {
  (world.account.templates[0] as GraphRow).category = "MARKETING";
  await world.hear(change({ previous_category: "UTILITY", new_category: "MARKETING" }));
}

async function broadcast(world: WhatsappWorld, more: object = {}): Promise<number> {
  const answer = await world.app.send("POST", "/api/v1/broadcasts", {
    key: world.workspace.key,
    headers: { "Idempotency-Key": `list ${Math.random()}` },
    body: { name: "News", to: TO, template: "greeting", variables: ["Anna"], ...more },
  });
  expect(answer.status).toBe(202);
  return answer.body.data.id;
}

async function shown(world: WhatsappWorld, id: number) {
  return (await world.app.send("GET", `/api/v1/broadcasts/${id}`, { key: world.workspace.key })).body.data;
}

function conditions(world: WhatsappWorld) {
  return conditionsOf(world, "template_category");
}

test("an announced change is a condition that names the day, the costs and the broadcasts, and changes nothing yet", async () => {
  await using world = await start();
  const send_at = new Date(world.clock.now() + 3 * DAY).toISOString();
  const id = await broadcast(world, { send_at });
  const at = Math.floor((world.clock.now() + 2 * DAY) / 1000);
  await world.hear(...announced(world, { category_update_timestamp: at }));
  const [found] = await conditions(world);
  expect(found).toMatchObject({ severity: "warning", workspaceId: world.workspace.id });
  expect(found?.says).toContain("from UTILITY to MARKETING");
  expect(found?.says).toContain(new Date(at * 1000).toISOString().slice(0, 16).replace("T", " "));
  expect(found?.says).toContain("0.0085 USD a message before and 0.0085 USD after");
  expect(found?.hits).toContain(`${id} “News”`);
  expect((await world.send()).body.data.category).toBe("utility");
  expect((await shown(world, id)).status).toBe("scheduled");
});

test("an announcement without a time is for the next day, and one that is revoked ends the condition", async () => {
  await using world = await start();
  await world.hear(...announced(world));
  const tomorrow = new Date(world.clock.now() + DAY).toISOString().slice(0, 16).replace("T", " ");
  expect((await conditions(world))[0]?.says).toContain(tomorrow);
  await world.hear(...announced(world, { correct_category: "UTILITY" }));
  expect(await conditions(world)).toEqual([]);
});

test("a change that is made pauses the broadcast with both categories and prices; a person resumes it", async () => {
  await using world = await start();
  const id = await broadcast(world, { send_at: new Date(world.clock.now() + 3_600_000).toISOString() });
  await made(world);
  expect((await conditions(world))[0]?.says).toContain("has changed the category");
  await world.clock.advance(3_610_000);
  const paused = await shown(world, id);
  expect(paused).toMatchObject({ status: "paused" });
  expect(paused.status_reason).toContain("from UTILITY to MARKETING");
  expect(paused.status_reason).toContain("0.0085 USD a message before and after");
  expect(world.graph.accepted).toEqual([]);
  await world.clock.advance(DAY);
  expect((await shown(world, id)).status).toBe("paused");
  await resume(world as never, id);
  await world.clock.advance(2_000);
  expect((await shown(world, id)).status).toBe("completed");
  expect(world.graph.accepted).toHaveLength(2);
  world.clock.setWall(7 * DAY);
  expect(await conditions(world)).toEqual([]);
});

test("a change that only an account sync finds is a condition, too", async () => {
  await using world = await start();
  (world.account.templates[0] as GraphRow).category = "MARKETING";
  await world.clock.advance(2 * 3_600_000);
  expect((await conditions(world))[0]?.says).toContain("from UTILITY to MARKETING");
});

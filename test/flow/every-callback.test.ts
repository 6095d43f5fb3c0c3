/**
 * Nothing that arrives is invisible: every kind of callback that Meta describes is posted to the real endpoint, and its
 * item ends shown in the conversation, acted on, or counted with its reason where an operator sees it.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type CorpusRow, corpus, type Ending } from "#test/support/callback-corpus.ts";
import type { AcceptedMessage, Change, StatusName } from "#test/support/graph.ts";
import { graphAccount, graphNumber, graphTemplate } from "#test/support/graph-account.ts";
import examples from "#test/support/meta-examples.json";
import { changesBetween, snapshot } from "#test/support/scenarios.ts";
import { rows, startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const METRICS_TOKEN = "metrics-token-of-this-test";
/** What every callback writes, whatever its end. */
const BOOKKEEPING = ["callbacks", "unused_items"];

let world: WhatsappWorld;
/** Posted in this order. */
let minute = 0;

beforeAll(async () => {
  world = await startWhatsapp({
    account: graphAccount({ templates: [graphTemplate("greeting")] }),
    config: { server: { metricsToken: METRICS_TOKEN } },
  });
});

afterAll(() => world[Symbol.asyncDispose]());

/** A status of a message that was just sent. */
async function sendOne(): Promise<AcceptedMessage> {
  expect((await world.send()).status).toBe(201);
  const message = world.graph.accepted.at(-1);
  if (message === undefined) throw new Error("nothing was sent");
  return message;
}

interface Counted {
  reason: string;
  about: string;
  count: number;
}

function counted(): Counted[] {
  return rows<Counted>(world.app.store, "SELECT reason, about, sum(count) AS count FROM unused_items GROUP BY 1, 2");
}

async function post(change: Change): Promise<{ changed: string[]; added: Counted[]; inbounds: { type: string }[] }> {
  minute += 1;
  const before = { tables: snapshot(world.app.store), counted: counted() };
  const time = Math.floor(world.clock.now() / 1000) + minute;
  expect(await world.hear(change, { time })).toBe(200);
  const changes = changesBetween(before.tables, snapshot(world.app.store));
  const countBefore = ({ reason, about }: Counted): number =>
    before.counted.find((one) => one.reason === reason && one.about === about)?.count ?? 0;
  return {
    changed: Object.keys(changes).filter((table) => !BOOKKEEPING.includes(table)),
    added: counted()
      .map((one) => ({ ...one, count: one.count - countBefore(one) }))
      .filter(({ count }) => count > 0),
    inbounds: (changes.inbounds?.added ?? []) as { type: string }[],
  };
}

async function changeOf({ change, name }: CorpusRow): Promise<Change> {
  const message = name.includes("status") && name.startsWith("messages") ? await sendOne() : null;
  return change((status, more) => {
    if (message === null) throw new Error(`${name} needs a message`);
    return world.graph.status(message, status as StatusName, more);
  });
}

function expectEnding(ending: Ending, posted: Awaited<ReturnType<typeof post>>): void {
  const { changed, added, inbounds } = posted;
  switch (ending.end) {
    case "shown":
      expect(inbounds.map(({ type }) => type)).toEqual([ending.type]);
      expect(added).toEqual([]);
      break;
    case "acted on":
      expect(changed).toContain(ending.table);
      expect(added).toEqual([]);
      break;
    case "counted":
      expect(changed).toEqual([]);
      expect(added).toEqual([{ reason: ending.reason, about: ending.about, count: 1 }]);
  }
}

test.each([...corpus])("$name", async (row) => {
  const change = await changeOf(row);
  // A number that an earlier row stopped sends again.
  await world.app.store.write((tx) => void tx.db.run("UPDATE templates SET status = 'APPROVED'"));
  // What an earlier row scheduled is not due yet, and would hide what this one schedules.
  await world.app.store.write((tx) => void tx.db.run("DELETE FROM outbox WHERE kind = 'sync_account'"));
  expectEnding(row.ending, await post(change));
});

test("a kept body is listed until it is applied; one that nothing follows from, or of others, is only counted", () => {
  const states = rows<{ state: string | null; total: number }>(
    world.app.store,
    "SELECT state, count(*) AS total FROM callbacks WHERE state IS NOT NULL GROUP BY state ORDER BY state",
  );
  const of = (reason: string): number =>
    corpus.filter(({ ending }) => ending.end === "counted" && ending.reason === reason).length;
  expect(states).toEqual([
    { state: "foreign", total: of("foreign") },
    { state: "unhandled", total: of("unhandled") },
    { state: "unreadable", total: of("unreadable") },
  ]);
});

test("what had no effect is in the metrics, each kind with its reason", async () => {
  const { text } = await world.app.call("GET", "/metrics", { key: METRICS_TOKEN });
  for (const { ending } of corpus) {
    if (ending.end !== "counted") continue;
    expect(text).toContain(`waxwing_callbacks_without_effect{reason="${ending.reason}",about="${ending.about}"}`);
  }
});

test("a status that waited for its message in vain is counted as another's", async () => {
  const of = (): number =>
    counted().find(({ about }) => about === "a status of a message that is not ours")?.count ?? 0;
  const before = of();
  await world.app.store.write((tx) => void tx.db.run("UPDATE parked_statuses SET expires_at = 1"));
  await world.clock.advance(11 * 60_000);
  expect(of() - before).toBe(1);
});

test("Meta's own examples end as the table says for their kind", async () => {
  const id = "106540352242922";
  const account = graphAccount({ numbers: [graphNumber(id, "+49 30 000000")] });
  await using other = await startWhatsapp({ account, number: { phoneNumberId: id } });
  const bodies = Object.entries(examples.callbacks);
  for (const [, body] of bodies) expect(await other.hear(JSON.stringify(body))).toBe(200);
  const isGroup = (name: string): boolean => name.startsWith("Group ");
  const told = rows<Counted>(other.app.store, "SELECT reason, about, count FROM unused_items");
  expect(told.every(({ reason, about }) => reason === "ignored" && about.startsWith("field group_"))).toBe(true);
  expect(told.reduce((sum, { count }) => sum + count, 0)).toBe(bodies.filter(([name]) => isGroup(name)).length);
  expect(rows(other.app.store, "SELECT id FROM callbacks WHERE done_at IS NULL OR state IS NOT NULL")).toEqual([]);
});

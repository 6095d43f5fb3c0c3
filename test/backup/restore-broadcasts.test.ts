/**
 * Yesterday's backup is restored while the network remembers what was sent since: with the replaced file, without it,
 * and by plain `cp`. No recipient gets a second message, and a recipient who has said STOP since gets none.
 */
import { expect, test } from "bun:test";
import { readdirSync, rmSync } from "node:fs";
import { openClient } from "#src/db/driver.ts";
import { readFileIdentity } from "#src/db/file-identity.ts";
import {
  broadcastOf,
  charged,
  countersOf,
  create,
  expectClosed,
  fates,
  HOUR,
  list,
  MINUTE,
  notice,
  phones,
  post,
  put,
  recipients,
  report,
  resume,
  rowsOf,
  run,
  type Scenario,
  show,
  startAgain,
  startScenario,
  untilSent,
} from "#test/support/broadcast-scenarios.ts";
import { person } from "#test/support/console.ts";
import { accountOf, contactOf } from "#test/support/rows.ts";
import { CallingWorkshop } from "../cli/spawn.ts";

const everybody = phones(30);
const LEAVER = everybody[27] ?? "";
/** A recipient only of the broadcast that the backup does not know. */
const NEWCOMER = phones(1, 500);
/** One message per 100 ms, so that some recipients are always pending. */
const slowly = { ...charged, throughput: 10 };
const MESSAGES = "/api/v1/messages";
const DOUBT = "May already have been sent";

/** A broadcast half-sent in the backup and further along in reality; the server is stopped. */
interface Day extends Disposable {
  workshop: CallingWorkshop;
  database: string;
  scenario: Scenario;
  id: number;
  /** Made by `waxwing backup` when 10 recipients had been sent to. */
  backup: string;
  /** Made at the same moment by `cp`, of the database and the files beside it. */
  copy: string;
  /** A second broadcast, unknown to the backup, sent to one recipient of its own. */
  later: number;
}

async function day(): Promise<Day> {
  const workshop = new CallingWorkshop();
  const directory = workshop.path("data");
  const scenario = await startScenario(slowly, { directory, readFileIdentity });
  await put(scenario, LEAVER, { consent: "opted_in" });
  const id = await create(scenario, notice(everybody));
  await untilSent(scenario, 10);
  const backup = workshop.path("backup.db");
  await workshop.json(["backup", backup]);
  const copy = workshop.path("copy");
  Bun.spawnSync(["cp", "-r", directory, copy]);
  await untilSent(scenario, 20);
  await scenario.app.inbound(scenario.shop, LEAVER, "STOP");
  const later = await create(scenario, notice(NEWCOMER));
  while (!scenario.network.sent.some(({ to }) => to === NEWCOMER[0]))
    await untilSent(scenario, scenario.network.sent.length + 1);
  await scenario.app.stop();
  const database = workshop.path("data/waxwing.db");
  return { workshop, database, scenario, id, backup, copy, later, [Symbol.dispose]: () => workshop[Symbol.dispose]() };
}

function startOn({ workshop, scenario }: Day, laterMs = HOUR): Promise<Scenario> {
  return startAgain(scenario, workshop.path("data"), laterMs, { readFileIdentity });
}

function removeDatabase({ workshop }: Day): void {
  for (const name of readdirSync(workshop.path("data"))) {
    if (name.startsWith("waxwing.db")) rmSync(workshop.path(`data/${name}`));
  }
}

/** Recipients to whom more than one message was sent. */
function doubled({ network }: Scenario): string[] {
  const seen = new Map<string, number>();
  for (const { to } of network.sent) seen.set(to ?? "", (seen.get(to ?? "") ?? 0) + 1);
  return [...seen].filter(([, times]) => times > 1).map(([to]) => to);
}

/** Lets everything happen that happens without a person. */
async function settle({ app }: Scenario): Promise<void> {
  await app.clock.advance(65 * MINUTE);
}

test("with the replaced file a broadcast is paused where it was, and resuming sends only to the rest; a STOP since the backup counts", async () => {
  using today = await day();
  const { workshop, backup, id, later } = today;
  const sentBefore = today.scenario.network.sent.length;
  expect(await workshop.json(["restore", backup])).toMatchObject({ gap: null, flaws: [] });
  await using scenario = await startOn(today);
  await scenario.app.clock.advance(3 * MINUTE);
  expect(scenario.network.sent).toHaveLength(sentBefore);
  expect(await show(scenario, id)).toMatchObject({
    status: "paused",
    status_reason: "this copy was restored; 20 of 30 already sent as far as it knows",
  });
  expect(contactOf(scenario.app, LEAVER).consent).toBe("opted_out");
  expect((await show(scenario, later)).counts).toMatchObject({ total: 1, sent: 1 });

  await resume(scenario, id);
  await settle(scenario);
  expect(doubled(scenario)).toEqual([]);
  expect(scenario.network.sent.map(({ to }) => to)).not.toContain(LEAVER);
  expect(await show(scenario, id)).toMatchObject({
    status: "completed",
    counts: { total: 30, sent: 29, failed: 0, skipped: 1 },
  });
  await expectClosed(scenario, id);
  expect(accountOf(scenario.app, scenario.shop).held).toBe(0);
});

test("scheduled messages: what was sent or cancelled since the backup stays so, and no other leaves from here", async () => {
  using workshop = new CallingWorkshop();
  const before = await startScenario(charged, { directory: workshop.path("data"), readFileIdentity });
  const schedule = async (to: string, inMs: number): Promise<number> => {
    const sendAt = new Date(before.app.clock.now() + inMs).toISOString();
    return (await post(before, { ...notice([]), to, send_at: sendAt, name: undefined }, undefined, MESSAGES)).body.data
      .id;
  };
  const [sent = "", cancelled = "", waiting = "", added = ""] = phones(4);
  const ids = [await schedule(sent, MINUTE), await schedule(cancelled, HOUR), await schedule(waiting, HOUR)];
  const backup = workshop.path("backup.db");
  await workshop.json(["backup", backup]);
  await before.app.clock.advance(MINUTE);
  await post(before, undefined, undefined, `${MESSAGES}/${ids[1]}/cancel`);
  ids.push(await schedule(added, HOUR));
  await before.app.stop();
  expect(await workshop.json(["restore", backup])).toMatchObject({ gap: null, flaws: [] });

  await using after = await startAgain(before, workshop.path("data"), MINUTE, { readFileIdentity });
  await after.app.clock.advance(2 * HOUR);
  const found = await Promise.all(
    ids.map(async (id) => (await after.app.call("GET", `${MESSAGES}/${id}`, { key: after.shop.key })).body.data),
  );
  expect(found.map(({ status, error }) => [status, error?.whatsapp_code ?? null])).toEqual([
    ["sent", null],
    ["cancelled", null],
    ["failed", "restored"],
    ["failed", "restored"],
  ]);
  expect(after.network.sent.map(({ to }) => to)).toEqual([sent]);
  expect(accountOf(after.app, after.shop)).toMatchObject({ charged: 0 });
});

test("statuses of messages sent after the backup move their own recipients, and are charged once", async () => {
  using today = await day();
  const { workshop, backup, id, scenario: before } = today;
  const delivered = before.network.sent.slice(0, 20);
  await workshop.json(["restore", backup]);
  await using scenario = await startOn(today);
  await report(scenario, delivered, "delivered");
  await report(scenario, delivered, "delivered");
  const states = new Map((await recipients(scenario, id)).map(({ to, status }) => [to, status]));
  for (const { to } of delivered) expect(states.get(to ?? "")).toBe("delivered");
  expect(countersOf(scenario, id)).toMatchObject({ sent: 20, delivered: 20, pending: 10 });
  expect(accountOf(scenario.app, scenario.shop).charged).toBe(20 * 8_500);
});

test("an answer stored after the backup is given again, and no second broadcast is created", async () => {
  using workshop = new CallingWorkshop();
  const directory = workshop.path("data");
  const before = await startScenario(slowly, { directory, readFileIdentity });
  const backup = workshop.path("backup.db");
  await workshop.json(["backup", backup]);
  const first = await post(before, notice(everybody), "monday");
  await untilSent(before, 30);
  await before.app.stop();
  await workshop.json(["restore", backup]);
  await using scenario = await startAgain(before, directory, HOUR, { readFileIdentity });
  const again = await post(scenario, notice(everybody), "monday");
  expect([again.status, again.text]).toEqual([202, first.text]);
  await settle(scenario);
  expect(doubled(scenario)).toEqual([]);
  expect((await show(scenario, first.body.data.id)).counts).toMatchObject({ total: 30, sent: 30 });
});

test("a broadcast whose recipients were being built continues where it was and sends to each recipient once", async () => {
  using workshop = new CallingWorkshop();
  const directory = workshop.path("data");
  const before = await startScenario(slowly, { directory, readFileIdentity });
  const group = await list(before, everybody);
  const id = await create(before, { ...notice([]), to: undefined, group });
  const backup = workshop.path("backup.db");
  await workshop.json(["backup", backup]);
  await untilSent(before, 12);
  await before.app.stop();
  expect(await workshop.json(["restore", backup])).toMatchObject({ gap: null });
  await using scenario = await startAgain(before, directory, HOUR, { readFileIdentity });
  await resume(scenario, id);
  await settle(scenario);
  expect(doubled(scenario)).toEqual([]);
  expect((await show(scenario, id)).counts).toMatchObject({ total: 30, sent: 30 });
});

for (const way of ["restore --accept-gap", "cp of a backup", "cp of the files", "cp over the files"] as const) {
  test(`without the replaced file (${way}) resuming names who may have the message and changes nothing until it is decided; then no recipient is sent to, and each gets the reason`, async () => {
    using today = await day();
    const { workshop, backup, copy, database, id } = today;
    if (way !== "cp over the files") removeDatabase(today);
    if (way === "restore --accept-gap") await workshop.json(["restore", backup, "--accept-gap"]);
    else if (way === "cp of a backup") Bun.spawnSync(["cp", backup, database]);
    else Bun.spawnSync(["cp", "-r", `${copy}/.`, workshop.path("data")]);
    const sentBefore = today.scenario.network.sent.length;
    await using scenario = await startOn(today);
    await scenario.app.clock.advance(3 * MINUTE);
    expect((await show(scenario, id)).status_reason).toMatch(/^this copy was restored; \d+ of 30 already sent/);
    const before = [broadcastOf(scenario, id), rowsOf(scenario, id)];
    const refused = await workshop.refusal(["broadcast", "resume", String(id)]);
    const open = rowsOf(scenario, id).filter(({ status }) => status === "pending" || status === "queued");
    expect(refused.code).toBe("undecided");
    expect(refused.next).toContain("--send-unknown");
    expect(refused.message).toContain(`${open.length} recipients (${open[0]?.toPhone}, `);
    await scenario.app.clock.advance(3 * MINUTE);
    expect([broadcastOf(scenario, id), rowsOf(scenario, id)]).toEqual(before);
    await workshop.json(["broadcast", "resume", String(id), "--fail-unknown"]);
    await settle(scenario);
    expect(scenario.network.sent).toHaveLength(sentBefore);
    const ended = await fates(scenario, id);
    expect(ended).toHaveLength(30);
    for (const [status, reason] of ended) {
      if (status !== "sent")
        expect([status, reason]).toEqual(["failed", expect.stringMatching(/may (already )?have/i)]);
    }
    expect(ended.filter(([, reason]) => reason?.startsWith(DOUBT)).length).toBeGreaterThan(0);
    expect((await show(scenario, id)).status).toBe("completed");
    expect(accountOf(scenario.app, scenario.shop).held).toBe(0);
    await expectClosed(scenario, id);
  });
}

test("the console asks the same: it names who may have the message, and changes nothing until it is decided", async () => {
  using today = await day();
  removeDatabase(today);
  await today.workshop.json(["restore", today.backup, "--accept-gap"]);
  await using scenario = await startOn(today);
  const member = await person(scenario.app, "member@example.com", "member", scenario.shop.id);
  const path = `/w/${scenario.shop.id}/broadcasts/${today.id}`;
  const { may_have_been_sent: named } = (await member.get(path)).body.data;
  expect(named).toMatch(/^\d+ recipients \(\+\d+, .+ more\)$/);
  const refused = await member.post(`${path}/resume`);
  expect([refused.status, refused.body.error.fields]).toEqual([
    400,
    { send_unknown: [expect.stringContaining(named)] },
  ]);
  expect((await show(scenario, today.id)).status).toBe("paused");
  expect((await member.post(`${path}/resume`, { send_unknown: true })).status).toBe(200);
  await settle(scenario);
  const { counts } = await show(scenario, today.id);
  expect(counts.total - counts.sent).toBeLessThan(today.scenario.network.sent.length);
  expect((await member.get(path)).body.data.may_have_been_sent).toBeNull();
});

test("without the replaced file a late status proves who was sent to: it is recorded, and resuming with sendUnknown skips that recipient", async () => {
  using today = await day();
  const { workshop, backup, id, scenario: before } = today;
  removeDatabase(today);
  await workshop.json(["restore", backup, "--accept-gap"]);
  const since = before.network.sent.slice(10).filter(({ to }) => to !== NEWCOMER[0]);
  const unknown = before.network.sent.filter(({ to }) => to === NEWCOMER[0]);
  await using scenario = await startOn(today);
  await report(scenario, since, "delivered");
  // This status belongs to a broadcast that the restored database does not know: no recipient changes.
  const counts = countersOf(scenario, id);
  await report(scenario, unknown, "delivered");
  expect(countersOf(scenario, id)).toEqual(counts);
  expect(counts).toMatchObject({ delivered: since.length });

  await resume(scenario, id, true);
  await settle(scenario);
  expect(doubled(scenario)).toEqual([]);
});

test("ids are not reused: new ids after a restore lie beyond every id that the original gave out", async () => {
  using today = await day();
  const { workshop, backup, later, id } = today;
  removeDatabase(today);
  await workshop.json(["restore", backup, "--accept-gap"]);
  await using scenario = await startOn(today);
  const known = rowsOf(scenario, id).map((row) => row.id);
  const next = await run(scenario, notice(phones(2, 600)));
  expect(next).toBeGreaterThan(later + 100_000);
  for (const row of rowsOf(scenario, next)) expect(row.id).toBeGreaterThan(Math.max(...known) + 100_000);
});

test("a scheduled broadcast is only paused by a restore: once resumed, it is sent to every recipient at its time", async () => {
  using workshop = new CallingWorkshop();
  const directory = workshop.path("data");
  const before = await startScenario(slowly, { directory, readFileIdentity });
  const at = new Date(before.app.clock.now() + 6 * HOUR).toISOString();
  const id = await create(before, notice(everybody, { send_at: at }));
  const backup = workshop.path("backup.db");
  await workshop.json(["backup", backup]);
  await before.app.stop();
  rmSync(`${directory}/waxwing.db`);
  await workshop.json(["restore", backup, "--accept-gap"]);
  await using scenario = await startAgain(before, directory, HOUR, { readFileIdentity });
  await scenario.app.clock.advance(HOUR);
  expect(await show(scenario, id)).toMatchObject({ status: "paused" });
  await resume(scenario, id);
  expect((await show(scenario, id)).status).toBe("scheduled");
  expect(scenario.network.sent).toEqual([]);
  await scenario.app.clock.advance(5 * HOUR);
  expect(doubled(scenario)).toEqual([]);
  expect(scenario.network.sent).toHaveLength(30);
});

test("a gap persists through a second restore that has none", async () => {
  using today = await day();
  const { workshop, backup, id } = today;
  removeDatabase(today);
  await workshop.json(["restore", backup, "--accept-gap"]);
  const held = await startOn(today);
  const second = workshop.path("second.db");
  await workshop.json(["backup", second]);
  await held.app.stop();
  expect(await workshop.json(["restore", second])).toMatchObject({ gap: null });
  const sentBefore = today.scenario.network.sent.length;
  await using scenario = await startOn(today, 2 * HOUR);
  expect(broadcastOf(scenario, id)).toMatchObject({ status: "paused", pauseCause: "restored_gap" });
  await resume(scenario, id, false);
  await settle(scenario);
  expect(scenario.network.sent).toHaveLength(sentBefore);
});

test("recipients purged since the backup do not come back", async () => {
  using today = await day();
  const { workshop, backup, database, id } = today;
  const client = openClient(database, {});
  // As after the retention period.
  client.exec(`BEGIN; DELETE FROM messages WHERE broadcast_id = ${id};
    UPDATE broadcasts SET status = 'cancelled', completed_at = created_at, is_unsent_skipped = 1, purged_at = created_at WHERE id = ${id};
    UPDATE billing_accounts SET held = held - (SELECT held FROM broadcast_counters WHERE broadcast_id = ${id});
    UPDATE broadcast_counters SET is_finished = 1, settled_at = 1, held = 0, pending = 0, sending = 0 WHERE broadcast_id = ${id};
    COMMIT`);
  client.close();
  await workshop.json(["restore", backup]);
  await using scenario = await startOn(today);
  expect(rowsOf(scenario, id)).toEqual([]);
});

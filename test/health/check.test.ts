/** `check` finds broken invariants, names them with the affected ids, and does not block the server. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { closeSync, openSync, writeSync } from "node:fs";
import { sql } from "drizzle-orm";
import { openClient } from "#src/db/driver.ts";
import { checkDatabase } from "#src/health/check.ts";
import { invariants } from "#src/health/invariants.ts";
import { busyShop } from "#test/support/busy-shop.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";
import { CallingWorkshop } from "../cli/spawn.ts";

const workshop = new CallingWorkshop();
const database = workshop.path("data/waxwing.db");
let app: TestServer;

beforeAll(async () => {
  app = await startTestServer({ directory: workshop.path("data"), mayBreak: true });
  const { key } = await busyShop(app);
  const to = ["+919876540020", "+919876540021"];
  await app.send("POST", "/api/v1/broadcasts", {
    key,
    body: { name: "Shipped", template: "order_shipped", to },
  });
  const send_at = new Date(app.clock.now() + 3_600_000).toISOString();
  const later = { to: to[0], template: "order_shipped", send_at };
  expect((await app.send("POST", "/api/v1/messages", { key, body: later })).status).toBe(202);
  await app.clock.advance(5_000);
});

afterAll(async () => {
  await app.stop();
  workshop[Symbol.dispose]();
});

test("a database in use is sound: exit 0, every check named", async () => {
  const answer = await workshop.json<{ ok: boolean; checks: { name: string; ok: boolean }[] }>(["check"]);
  expect(answer.ok).toBe(true);
  expect(answer.checks.map(({ name }) => name)).toEqual([
    "objects",
    "integrity",
    "references",
    ...invariants.map(({ name }) => name),
    "media_on_disk",
  ]);
  expect(answer.checks.every(({ ok }) => ok)).toBe(true);
});

/** Damage that a bug or a manual change of the file could do, by the check that must find it. */
const damages: Record<string, string> = {
  account_equals_ledger: "UPDATE billing_accounts SET credited = credited + 1",
  held_equals_open_messages: "UPDATE billing_accounts SET held = held + 1",
  counters_equal_recipients: "UPDATE broadcast_counters SET failed = failed + 1",
  key_budgets_equal_people:
    "INSERT INTO key_days (key_id, day, people, reserved) SELECT min(id), '2026-11-21', 1, 0 FROM api_keys",
  broadcast_cost_matches_counters: "UPDATE broadcast_counters SET charged = charged + 1",
  ledger_equals_messages: "DELETE FROM ledger_entries WHERE kind = 'charge'",
  money_has_its_ledger: "DELETE FROM ledger_entries WHERE kind = 'hold'",
  money_fits_state: "UPDATE messages SET money = 'held' WHERE status = 'failed'",
  times_fit_state: "UPDATE messages SET sent_at = NULL WHERE status = 'read'",
  messages_are_found: "DELETE FROM recent_network_ids WHERE id = (SELECT min(id) FROM recent_network_ids)",
  messages_of_people_are_found: "UPDATE instance SET contact_messages_until = 999999",
  in_doubt_expires: "UPDATE messages SET status = 'sending', dispatched_at = 1 WHERE status = 'failed'",
  deliveries_have_work: "DELETE FROM outbox WHERE kind = 'deliver_webhook'",
  scheduled_messages_are_whole: "DELETE FROM outbox WHERE kind = 'send_message'",
  scheduled_messages_end: "UPDATE messages SET status = 'skipped' WHERE send_at IS NOT NULL",
  snoozes_end: "UPDATE conversations SET state = 'snoozed', snoozed_until = 1",
  work_has_its_subject:
    "INSERT INTO outbox (kind, subject, queue_key, due_at) VALUES ('expire_message', 999999, 1, 1), ('deliver_webhook', 999999, 1, 1)",
  open_keys_have_messages:
    "INSERT INTO idempotency_keys (workspace_id, key, fingerprint, message_id, created_at) VALUES (1, 'k', x'00', 999999, 1)",
  contact_counters: "UPDATE contact_counters SET opted_out = opted_out + 1",
  parked_status_counts: "INSERT INTO parked_status_counts (number_id, count) SELECT min(id), 1 FROM numbers",
  member_counts: "UPDATE groups SET member_count = member_count + 1",
  consent_equals_log: "DELETE FROM consent_log WHERE became = 'opted_out'",
  linked_contacts_agree:
    "UPDATE contacts SET consent = 'opted_out' WHERE id = (SELECT max(id) FROM contacts WHERE identity_id IS NOT NULL)",
  media_have_their_file: `INSERT INTO media (workspace_id, number_id, inbound_id, network_media_id, state, created_at)
    SELECT workspace_id, number_id, id, 'm', 'stored', 1 FROM inbounds LIMIT 1`,
  media_files_are_counted:
    "INSERT INTO media_files (workspace_id, hash, bytes, content_type, refs, created_at) VALUES (1, 'a', 1, 'text/plain', 1, 1)",
  media_usage_equals_files: "INSERT INTO media_usage (workspace_id, bytes) VALUES (1, 5)",
  pending_media_have_a_job: `INSERT INTO media (workspace_id, number_id, inbound_id, network_media_id, state, created_at)
    SELECT workspace_id, number_id, id, 'm', 'pending', 1 FROM inbounds LIMIT 1`,
  opt_outs_are_dated: "UPDATE contacts SET consent_source = NULL WHERE consent = 'opted_out'",
};

test("every invariant is reported with ids when it is broken", () => {
  const client = openClient(database, { timeout: 5_000 });
  try {
    const found: string[] = [];
    for (const [name, sql] of Object.entries(damages)) {
      client.exec("BEGIN IMMEDIATE");
      const changed = client.prepare(sql).run().changes;
      const finding = checkDatabase(client, { now: app.clock.now(), isExclusive: true }).findings.find(
        (one) => one.name === name,
      );
      client.exec("ROLLBACK");
      if (changed > 0 && finding !== undefined && finding.count > 0 && finding.ids.length > 0) found.push(name);
    }
    expect(found).toEqual(Object.keys(damages));
    // The table itself refuses a second instance row.
    expect([...found, "one_instance"].sort()).toEqual(invariants.map(({ name }) => name).sort());
    expect(checkDatabase(client, { now: app.clock.now(), isExclusive: true }).findings).toEqual([]);
  } finally {
    client.close();
  }
});

test("messages that a killed server left open are checked against the time of the last commit, however old the file is", () => {
  const client = openClient(database, { timeout: 5_000 });
  try {
    client.exec("BEGIN IMMEDIATE");
    const dispatchedAt = app.clock.now();
    client
      .prepare("UPDATE messages SET status = 'sending', dispatched_at = ? WHERE status = 'failed'")
      .run(dispatchedAt);
    const now = dispatchedAt + 26 * 3_600_000;
    const isFound = (lastCommitAt: number | null): boolean => {
      client.prepare("UPDATE instance SET last_commit_at = ?").run(lastCommitAt);
      return checkDatabase(client, { now, isExclusive: true }).findings.some(({ name }) => name === "in_doubt_expires");
    };
    expect([
      isFound(dispatchedAt + 10_000),
      isFound(dispatchedAt + 3_600_000),
      isFound(dispatchedAt + 3_600_001),
      isFound(now + 1),
      // A backup made in the first moment of a new database: how long the server ran is not known.
      isFound(null),
    ]).toEqual([false, false, true, true, false]);
  } finally {
    client.exec("ROLLBACK");
    client.close();
  }
});

test("a broken invariant is reported with its ids and the next step, exit 1, as text and as JSON", async () => {
  const addToHeld = (amount: number): Promise<unknown> =>
    app.store.write((tx) => tx.db.run(sql`UPDATE billing_accounts SET held = held + ${amount}`));
  await addToHeld(1);
  try {
    const told = await workshop.run(["check"]);
    expect(told.code).toBe(1);
    expect(told.stdout).toContain("held_equals_open_messages: broken");
    expect(told.stdout).toContain("workspace: 1");
    expect(told.stdout).toContain("next: ");
    const { code, stdout } = await workshop.run(["check", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      broken: [{ name: "held_equals_open_messages", count: 1, of: "workspace", ids: [1] }],
    });
  } finally {
    await addToHeld(-1);
  }
});

test("checks that run in slices cover every row, however wide the gaps between ids are", () => {
  const client = openClient(database, { timeout: 5_000 });
  try {
    client.exec("BEGIN IMMEDIATE");
    const step = client.prepare(
      "INSERT INTO contacts (id, workspace_id, consent, created_at, updated_at) VALUES (?, 1, 'opted_out', 1, 1)",
    );
    const first = 5_000_000;
    for (let index = 0; index < 45_000; index++) step.run(first + index * 7);
    const { findings } = checkDatabase(client, { now: app.clock.now(), isExclusive: true });
    client.exec("ROLLBACK");
    expect(findings.find(({ name }) => name === "opt_outs_are_dated")).toMatchObject({
      count: 1_000,
      ids: [first, first + 7, first + 14, first + 21, first + 28],
    });
  } finally {
    client.close();
  }
});

test("a damaged file and a file that is not a database are told apart from a sound database", async () => {
  const copy = workshop.path("damaged.db");
  await workshop.json(["backup", copy]);
  expect(await workshop.json(["check", copy])).toMatchObject({ ok: true });
  const handle = openSync(copy, "r+");
  writeSync(handle, Buffer.alloc(4096, 0xab), 0, 4096, 4096 * 9);
  closeSync(handle);
  const { code, stdout } = await workshop.run(["check", copy, "--json"]);
  expect([code, JSON.parse(stdout).ok]).toEqual([1, false]);
  workshop.write("notes.db", "these are not pages of a database, but a long enough text".repeat(100));
  expect((await workshop.run(["check", workshop.path("notes.db"), "--json"])).code).toBe(1);
  expect(await workshop.refusal(["check", workshop.path("none.db")])).toMatchObject({ code: "unreadable_file" });
});

/**
 * Restoring a backup: what happened since is merged from the replaced file where that can be read, and reported as a
 * gap where it cannot.
 */
import { expect, test } from "bun:test";
import { cpSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { openClient } from "#src/db/driver.ts";
import { readFileIdentity } from "#src/db/file-identity.ts";
import { readInstance } from "#src/db/instance.ts";
import { findByNetworkId } from "#src/domain/messages/network-ids.ts";
import { busyShop, RATE } from "#test/support/busy-shop.ts";
import { TestClock } from "#test/support/clock.ts";
import { contactPath } from "#test/support/contacts.ts";
import { reportStatus } from "#test/support/report.ts";
import { accountOf, contactOf, messagesOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { shipped } from "#test/support/templates.ts";
import { CallingWorkshop } from "../cli/spawn.ts";

const BUYER = "+919876540004";
const NEWCOMER = "+919876540014";
const keyed = { headers: { "idempotency-key": "after-the-backup" } };

interface Day extends Disposable {
  workshop: CallingWorkshop;
  shop: TestWorkspace;
  backup: string;
  /** The answer that was stored after the backup. */
  kept: string;
  reference: string;
  at: number;
}

/** A shop, its backup, and activity after the backup; the server is stopped. */
async function dayAfterBackup(): Promise<Day> {
  const workshop = new CallingWorkshop();
  await using app = await startTestServer({ directory: workshop.path("data") });
  const shop = await busyShop(app);
  const backup = workshop.path("backup.db");
  await workshop.json(["backup", backup]);

  await app.call("PUT", contactPath(BUYER), { key: shop.key, body: { name: "Renamed by mistake" } });
  const sent = await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped(NEWCOMER), ...keyed });
  expect(sent.status).toBe(201);
  await app.inbound(shop, BUYER, "STOP");
  await workshop.json(["workspace", "credit", String(shop.id), "5", "--ref", "invoice-7"]);
  const second = await workshop.json<{ id: number }>(["key", "create", "--workspace", String(shop.id)]);
  await workshop.json(["key", "revoke", String(second.id)]);
  await workshop.json(["webhook", "rotate-secret", "--workspace", String(shop.id)]);
  await workshop.json(["workspace", "suspend", String(shop.id), "--reason", "Late payment"]);
  const reference = messagesOf(app).at(-1)?.sendToken ?? "";
  return {
    workshop,
    shop,
    backup,
    kept: sent.text,
    reference,
    at: app.clock.now(),
    [Symbol.dispose]: () => workshop[Symbol.dispose](),
  };
}

function startOn(day: Day, laterMs = 60_000): Promise<TestServer> {
  const clock = new TestClock(day.at + laterMs);
  return startTestServer({ directory: day.workshop.path("data"), clock, readFileIdentity });
}

test("a webhook address that was removed since the backup stays removed, and one that was added stays", async () => {
  using workshop = new CallingWorkshop();
  const app = await startTestServer({ directory: workshop.path("data") });
  const shop = await busyShop(app);
  const of = ["--workspace", String(shop.id)];
  const add = (path: string) => workshop.json(["webhook", "add", ...of, "--url", `http://127.0.0.1:9/${path}`]);
  await workshop.json(["webhook", "set", ...of, "--url", "http://127.0.0.1:9/first"]);
  const removed = await add("removed");
  const disabled = await add("disabled");
  await workshop.json(["backup", workshop.path("backup.db")]);
  await workshop.json(["webhook", "remove", "--id", String(removed.id)]);
  await workshop.json(["webhook", "update", "--id", String(disabled.id), "--state", "disabled"]);
  await add("added");
  const before = await workshop.json(["webhook", "list", ...of]);
  await app[Symbol.asyncDispose]();
  await workshop.json(["restore", workshop.path("backup.db")]);
  expect(await workshop.json(["webhook", "list", ...of])).toEqual(before);
  expect((await add("later")).id).toBeGreaterThan(Number(disabled.id) + 1);
});

test("newer rows of the replaced file are merged; profiles are as in the backup; ids and the instance id are new", async () => {
  using day = await dayAfterBackup();
  const { workshop, shop } = day;
  const before = instanceOf(workshop.path("data/waxwing.db"));
  const report = await workshop.json(["restore", day.backup]);
  expect(report).toMatchObject({ gap: null, key_missing: null });
  expect(report.taken_over).toMatchObject({
    contacts: 1,
    consent_changes: 1,
    messages: 1,
    inbounds: 1,
    ledger_entries: 3,
    keys_revoked: 0,
    secrets_rotated: 1,
    suspensions: 1,
  });
  expect(instanceOf(String(report.replaced)).backupMetadata).toMatchObject({ kind: "replaced" });

  const app = await startOn(day);
  await using _ = app;
  const { instanceId, lineage, backupMetadata } = instanceOf(workshop.path("data/waxwing.db"));
  expect(backupMetadata).toBeNull();
  expect(lineage.map(({ id }) => id)).toEqual([before.instanceId]);
  expect(instanceId).not.toBe(before.instanceId);
  expect(contactOf(app, BUYER)).toMatchObject({ consent: "opted_out", name: null });
  expect(accountOf(app, shop)).toMatchObject({ credited: 6_000_000 });
  const refused = await app.call("POST", "/api/v1/messages", { key: shop.key, body: shipped() });
  expect([refused.status, refused.body.error.code]).toEqual([403, "workspace_suspended"]);
  await workshop.json(["workspace", "resume", String(shop.id)]);

  const replay = await app.call("POST", "/api/v1/messages", { key: shop.key, body: shipped(NEWCOMER), ...keyed });
  expect([replay.headers.get("idempotent-replayed"), replay.text]).toEqual(["true", day.kept]);

  const next = await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped(NEWCOMER) });
  expect(next.body.data.id).toBeGreaterThan(1_000_000);
});

test.each([
  ["had not moved to their index", ""],
  [
    "had moved to their index",
    `INSERT INTO network_ids SELECT hash, message_id FROM recent_network_ids; DELETE FROM recent_network_ids`,
  ],
])("every message is found by the network's id; the ids of the replaced file %s", async (_, sql) => {
  using day = await dayAfterBackup();
  const { workshop } = day;
  const client = openClient(workshop.path("data/waxwing.db"), {});
  client.exec(sql);
  client.close();
  await workshop.json(["restore", day.backup]);
  await using app = await startOn(day);
  const messages = messagesOf(app).filter(({ networkMessageId }) => networkMessageId !== null);
  expect(messages.length).toBeGreaterThan(2);
  const found = messages.map(({ numberId, networkMessageId }) =>
    app.store.read((tx) => findByNetworkId(tx, numberId, networkMessageId ?? "")?.id),
  );
  expect(found).toEqual(messages.map(({ id }) => id));
});

test("a restore drill reports what the restore would do, changes nothing and leaves no files, even beside a running server", async () => {
  using day = await dayAfterBackup();
  const { workshop } = day;
  // Locks are files, and a server keeps a run marker while it runs.
  const files = (): string[] =>
    readdirSync(workshop.path("data"))
      .filter((name) => !/-(lock|wal|shm)$|\.run-/.test(name))
      .toSorted();
  const before = files();
  const database = workshop.path("data/waxwing.db");
  const instance = instanceOf(database);
  const rehearse = () => workshop.json<Record<string, unknown>>(["restore", day.backup, "--rehearse"]);
  const said = await rehearse();
  const clock = new TestClock(day.at + 60_000);
  await using app = await startTestServer({ directory: workshop.path("data"), clock });
  const beside = await rehearse();
  expect([beside.gap, beside.counts]).toEqual([null, said.counts]);
  await app.stop();
  expect([instanceOf(database), files()]).toEqual([instance, before]);
  const report = await workshop.json(["restore", day.backup]);
  expect([said.gap, said.taken_over, said.counts]).toEqual([null, report.taken_over, report.counts]);
});

test("a late status of a message sent after the backup is applied to that message and charged", async () => {
  using day = await dayAfterBackup();
  // The message was sent before the restore; its delivery was not reported before it.
  const client = openClient(day.workshop.path("data/waxwing.db"), {});
  client.exec(`BEGIN; UPDATE messages SET status = 'sent', delivered_at = NULL, read_at = NULL, money = 'held'
    WHERE send_token = '${day.reference}';
    DELETE FROM ledger_entries WHERE kind = 'charge' AND message_id = (SELECT id FROM messages WHERE send_token = '${day.reference}');
    UPDATE billing_accounts SET held = held + ${RATE}, charged = charged - ${RATE}; COMMIT`);
  client.close();
  await day.workshop.json(["restore", day.backup]);
  const app = await startOn(day);
  await using _ = app;
  const charged = accountOf(app, day.shop).charged;
  await reportStatus(app, day.shop, { id: "wamid.late", status: "delivered", sendToken: day.reference });
  expect(messagesOf(app).find(({ sendToken }) => sendToken === day.reference)).toMatchObject({ status: "delivered" });
  expect(accountOf(app, day.shop).charged).toBe(charged + RATE);
});

test("a restore without the replaced file names what may be missing, changes nothing, and proceeds only when the gap is accepted", async () => {
  using day = await dayAfterBackup();
  const { workshop } = day;
  for (const name of readdirSync(workshop.path("data"))) {
    if (name.startsWith("waxwing.db")) rmSync(workshop.path(`data/${name}`));
  }
  const refusal = await workshop.refusal(["restore", day.backup]);
  expect(refusal).toMatchObject({ code: "gap", message: expect.stringContaining("opt-outs") });
  expect(readdirSync(workshop.path("data")).filter((name) => /\.db$|unfinished/.test(name))).toEqual([]);
  expect(await workshop.json(["restore", day.backup, "--accept-gap"])).toMatchObject({
    taken_over: null,
    gap: expect.stringContaining("there is no database"),
    replaced: null,
  });
  const app = await startOn(day);
  await using _ = app;
  // Neither the STOP nor the message is known; the status belongs to another database's message and is ignored.
  expect(contactOf(app, BUYER).consent).not.toBe("opted_out");
  const count = messagesOf(app).length;
  await reportStatus(app, day.shop, { id: "wamid.late", status: "delivered", sendToken: day.reference });
  expect(messagesOf(app)).toHaveLength(count);
  const next = await app.send("POST", "/api/v1/messages", { key: day.shop.key, body: shipped(NEWCOMER) });
  expect(next.body.data.id).toBeGreaterThan(1_000_000);
});

test("a replaced database that cannot be read, or is another installation's, counts as missing and is kept", async () => {
  using day = await dayAfterBackup();
  const { workshop } = day;
  const database = workshop.path("data/waxwing.db");
  const bytes = Buffer.from(await Bun.file(database).arrayBuffer());
  writeFileSync(database, bytes.subarray(0, bytes.length / 2));
  expect(await workshop.refusal(["restore", day.backup])).toMatchObject({ code: "gap" });
  expect(statSync(database).size).toBe(Math.floor(bytes.length / 2));
  const { replaced } = await workshop.json<{ replaced: string }>(["restore", day.backup, "--accept-gap"]);
  expect(statSync(replaced).size).toBe(Math.floor(bytes.length / 2));
  expect(await workshop.json(["check"])).toMatchObject({ ok: true });

  using newcomer = new CallingWorkshop();
  await newcomer.json(["workspace", "create", "--name", "Other", "--country", "IN", "--timezone", "UTC"]);
  const refusal = await newcomer.refusal(["restore", day.backup]);
  expect(refusal).toMatchObject({ code: "gap", message: expect.stringContaining("not a later state") });
});

test("newer rows are merged from a replaced database with broken invariants too: its opt-outs count", async () => {
  using day = await dayAfterBackup();
  const { workshop } = day;
  const client = openClient(workshop.path("data/waxwing.db"), {});
  client.exec("UPDATE billing_accounts SET held = held + 1");
  client.close();
  expect(await workshop.json(["restore", day.backup])).toMatchObject({
    gap: null,
    flaws: ["held_equals_open_messages"],
    taken_over: { consent_changes: 1 },
  });
});

test("a database older than the backup is not merged as a later state of it", async () => {
  using day = await dayAfterBackup();
  const { workshop } = day;
  const later = workshop.path("later.db");
  await workshop.json(["backup", later]);
  for (const suffix of ["-wal", "-shm"]) rmSync(workshop.path(`data/waxwing.db${suffix}`), { force: true });
  cpSync(day.backup, workshop.path("data/waxwing.db"));
  expect(await workshop.refusal(["restore", later])).toMatchObject({ code: "gap" });
});

test("a restore can be undone: the file that it set aside is restored like any backup", async () => {
  using day = await dayAfterBackup();
  const { workshop } = day;
  const { replaced } = await workshop.json<{ replaced: string }>(["restore", day.backup]);
  await (await startOn(day)).stop();
  expect(await workshop.json(["restore", replaced])).toMatchObject({ gap: null });
  const app = await startOn(day, 120_000);
  await using _ = app;
  expect(contactOf(app, BUYER)).toMatchObject({ consent: "opted_out", name: "Renamed by mistake" });
});

test("a contact who was erased after the backup stays erased", async () => {
  using day = await dayAfterBackup();
  const { workshop, shop } = day;
  // Without an address: the event of an erasure names the person until it is delivered.
  await workshop.json(["webhook", "clear", "--workspace", String(shop.id)]);
  await workshop.json(["contact", "erase", BUYER, "--workspace", String(shop.id)]);
  expect(await workshop.json(["restore", day.backup])).toMatchObject({ taken_over: { people_erased: 1 } });
  const file = Buffer.from(await Bun.file(workshop.path("data/waxwing.db")).arrayBuffer());
  expect(file.includes(BUYER.slice(1))).toBe(false);
});

test("a restore is refused while a server runs or a command writes", async () => {
  using day = await dayAfterBackup();
  const app = await startOn(day);
  expect(await day.workshop.refusal(["restore", day.backup])).toMatchObject({
    code: "locked",
    message: expect.stringContaining("a server runs"),
  });
  await app.stop();
});

test("a file that is not a backup is refused and nothing is changed", async () => {
  using day = await dayAfterBackup();
  const { workshop } = day;
  const before = instanceOf(workshop.path("data/waxwing.db"));
  workshop.write("notes.txt", "not a database, whatever its name says".repeat(200));
  expect(await workshop.run(["restore", workshop.path("notes.txt")])).toMatchObject({ code: 1 });
  openClient(workshop.path("other.db"), {}).exec("CREATE TABLE notes (text TEXT); PRAGMA user_version = 1");
  expect(await workshop.run(["restore", workshop.path("other.db")])).toMatchObject({ code: 1 });
  const bytes = Buffer.from(await Bun.file(day.backup).arrayBuffer());
  bytes.fill(0xab, 4096 * 9, 4096 * 10);
  workshop.write("damaged.db", "");
  writeFileSync(workshop.path("damaged.db"), bytes);
  expect(await workshop.refusal(["restore", workshop.path("damaged.db")])).toMatchObject({ code: "broken" });
  expect(instanceOf(workshop.path("data/waxwing.db"))).toEqual(before);
});

function instanceOf(path: string) {
  const client = openClient(path, { readonly: true });
  try {
    const instance = readInstance(client);
    if (instance === null) throw new Error(`${path} has no name`);
    return instance;
  } finally {
    client.close();
  }
}

test("users removed from the console after the backup stay removed, users added since stay, and the audit log is complete", async () => {
  using workshop = new CallingWorkshop();
  const user = (name: string, email: string, ...more: string[]) =>
    workshop.json<Record<string, unknown>>(["user", name, "--email", email, ...more]);
  await user("create", "op@example.com", "--role", "operator");
  await user("create", "leaver@example.com", "--role", "operator");
  const backup = workshop.path("backup.db");
  await workshop.json(["backup", backup]);
  await user("disable", "leaver@example.com");
  await user("create", "new@example.com", "--role", "operator");
  await workshop.json(["restore", backup]);
  expect(await workshop.json(["user", "list"])).toMatchObject([
    { email: "op@example.com", disabled_at: null },
    { email: "leaver@example.com", disabled_at: expect.any(String) },
    { email: "new@example.com", disabled_at: null },
  ]);
  const client = openClient(workshop.path("data/waxwing.db"), { readonly: true });
  try {
    expect(client.prepare("SELECT action FROM audit_log ORDER BY id").pluck().all()).toEqual([
      "user.create",
      "user.create",
      "user.disable",
      "user.create",
    ]);
  } finally {
    client.close();
  }
});

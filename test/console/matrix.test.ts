/**
 * Every route of the console with every kind of caller, and objects of every kind in two workspaces: ids of one, asked
 * for through the other, are not found and nothing of them changes. A new route that names an object fails this test
 * until it is placed here.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endpoints } from "#src/http/api/endpoints.ts";
import { routes } from "#src/http/console/routes.ts";
import { busyShop } from "#test/support/busy-shop.ts";
import { firstOperator, person, Visitor } from "#test/support/console.ts";
import { changesBetween, snapshot } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { DAY } from "#test/support/webhooks.ts";

/** The table of the object that a path names, by the segment before the parameter. */
const TABLES: Readonly<Record<string, string>> = {
  "keys/{id}": "api_keys",
  "deliveries/{id}": "deliveries",
  "broadcasts/{id}": "broadcasts",
  "bulk/{id}": "bulk_changes",
  "conversations/{contact}": "contacts",
  "messages/{id}": "messages",
  "numbers/{id}": "numbers",
  "drafts/{id}": "broadcast_drafts",
  "templates/{id}": "templates",
  "groups/{id}": "groups",
  "imports/{id}": "imports",
  "media/{id}": "media",
};
/** A person who is a contact of the other workspace only, and a field that only it has. */
const PHONE = "+919876540009";
const FIELD = "only_theirs";
/** These routes answer for any phone: a contact or a simulated phone is created, or has no history, in the own workspace. */
const ANY_PHONE = [
  "PUT /w/{workspace}/v1/contacts/{phone}",
  "POST /w/{workspace}/v1/contacts/{phone}/opt-out",
  "GET /w/{workspace}/simulator/phones/{phone}",
  "POST /w/{workspace}/simulator/phones/{phone}/write",
];

/** A valid body for each route that names an object and has a form. */
const BODIES: Readonly<Record<string, unknown>> = {
  "POST /w/{workspace}/broadcasts/{id}/again": { with_unknown: false, count: 1 },
  "POST /w/{workspace}/conversations/{contact}/seen": { last_inbound_id: 1 },
  "POST /w/{workspace}/simulator/messages/{id}/status": { status: "delivered" },
  "PUT /w/{workspace}/numbers/{id}": { name: "Taken", throughput: 5 },
  "POST /w/{workspace}/numbers/{id}/unready": { reason: "Taken" },
  "POST /w/{workspace}/templates/{id}/decide": { status: "REJECTED", reason: "" },
  "PUT /w/{workspace}/templates/{id}/sample": { link: "https://example.com/a.png" },
  "PUT /w/{workspace}/groups/{id}": { name: "Taken", filter: null },
  "PUT /w/{workspace}/drafts/{id}": { name: "Taken" },
  "POST /w/{workspace}/drafts/{id}/send": { reached: 1, amount: null },
  "POST /w/{workspace}/simulator/phones/{phone}/write": { text: "Hi" },
  "POST /w/{workspace}/imports/{id}/check": { map: {}, opt_in: false, proof: "" },
};

let app: TestServer;
let ours: TestWorkspace;
let theirs: TestWorkspace;
let ids: Record<string, number>;
const callers = {} as Record<"operator" | "owner" | "member" | "disabled" | "expired" | "nobody", Visitor>;

beforeAll(async () => {
  app = await startTestServer({ mayBreak: true });
  theirs = await busyShop(app);
  ours = await app.workspace({ name: "Ours", number: "+911244001300" });
  const { client } = app.store;
  callers.nobody = new Visitor(app);
  callers.expired = await firstOperator(app, "expired@example.com");
  callers.disabled = await person(app, "disabled@example.com", "owner", ours.id);
  callers.operator = await person(app, "op@example.com", "operator");
  callers.owner = await person(app, "owner@example.com", "owner", ours.id);
  callers.member = await person(app, "member@example.com", "member", ours.id);
  client.exec(
    "UPDATE sessions SET expires_at = 1 WHERE user_id = (SELECT id FROM users WHERE email = 'expired@example.com')",
  );
  client.exec("UPDATE users SET disabled_at = 1 WHERE email = 'disabled@example.com'");
  await app.template(theirs, {
    name: "only",
    language: "en_US",
    category: "UTILITY",
    components: [{ type: "BODY", text: "Hi." }],
  });
  const made = await app.send("POST", "/api/v1/broadcasts", {
    key: theirs.key,
    body: { name: "News", template: "only", to: [PHONE], send_at: new Date(app.clock.now() + DAY).toISOString() },
  });
  expect([made.status, made.text]).toEqual([202, expect.any(String)]);
  const user = 1;
  const [w, now] = [theirs.id, app.clock.now()];
  client.exec(`
    INSERT INTO imports (workspace_id, user_id, file_name, state, settings, created_at, updated_at)
      VALUES (${w}, ${user}, 'a.csv', 'checked', '{"map":{},"optIn":false,"proof":""}', ${now}, ${now});
    INSERT INTO bulk_changes (workspace_id, user_id, target, change, state, total, position, last, processed, changed, created_at, updated_at)
      VALUES (${w}, ${user}, '{"contacts":[1]}', '{"addTag":"VIP"}', 'stopped', 1, 0, 1, 0, 0, ${now}, ${now});
    INSERT INTO custom_fields (workspace_id, key, label, kind, created_at) VALUES (${w}, '${FIELD}', 'Theirs', 'text', ${now});
    INSERT INTO broadcast_drafts (workspace_id, user_id, content, created_at, updated_at)
      VALUES (${w}, ${user}, '{}', ${now}, ${now});
  `);
  client.exec(`
    INSERT INTO media_files (workspace_id, hash, bytes, content_type, refs, created_at)
      VALUES (${w}, 'abc', 4, 'text/plain', 1, ${now});
    INSERT INTO media (workspace_id, number_id, inbound_id, network_media_id, state, file_id, created_at)
      SELECT ${w}, number_id, id, 'm', 'stored', 1, ${now} FROM inbounds WHERE workspace_id = ${w} LIMIT 1;
  `);
  mkdirSync(join(app.directory, "media"), { recursive: true });
  writeFileSync(join(app.directory, "media", `${w}-abc`), "text");
  ids = Object.fromEntries(
    [...new Set(Object.values(TABLES))].map((table) => [
      table,
      // The first: a later message may belong to a broadcast that has not begun.
      Number(client.prepare(`SELECT min(id) FROM "${table}" WHERE workspace_id = ?`).pluck().get(theirs.id)),
    ]),
  );
});
afterAll(() => app[Symbol.asyncDispose]());

const routeOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

/** The path with the other workspace's objects in it. Throws for a parameter that this file does not know. */
function foreign(path: string, workspace: number): string {
  return path
    .replace("{workspace}", String(workspace))
    .replace("people/{id}", "people/1")
    .replace("{phone}", encodeURIComponent(PHONE))
    .replace("{key}", FIELD)
    .replace(/(\w+)\/\{(\w+)\}/g, (text, segment: string) => {
      const table = TABLES[text];
      if (table === undefined) throw new Error(`place ${path} in this test: it names an object`);
      return `${segment}/${ids[table]}`;
    });
}

const objects = routes.filter(({ path }) => /\{workspace\}.*\{/.test(path));

test("there is an object of every kind to ask for", () => {
  expect(Object.entries(ids).filter(([, id]) => !(id > 0))).toEqual([]);
  for (const { path } of objects) foreign(path, ours.id);
  expect(objects.length).toBeGreaterThan(40);
});

test("no user finds objects of another workspace through their own, and nothing of them changes", async () => {
  const kept = (): ReturnType<typeof snapshot> => {
    // Sessions, limits and the own workspace's rows may change.
    const tables = snapshot(app.store);
    return Object.fromEntries(
      [...new Set(Object.values(TABLES)), "custom_fields", "memberships"].map((table) => [
        table,
        (tables[table] ?? []).filter((row) => (JSON.parse(row) as { workspace_id?: number }).workspace_id !== ours.id),
      ]),
    );
  };
  const before = kept();
  const wrong: unknown[] = [];
  for (const route of objects.filter((one) => !ANY_PHONE.includes(routeOf(one)))) {
    for (const name of ["operator", "owner", "member"] as const) {
      const { status } = await callers[name].ask(route.method, foreign(route.path, ours.id), BODIES[routeOf(route)]);
      // A form that this file does not fill in is refused before its object is looked for.
      const expected = route.input.body !== undefined && !(routeOf(route) in BODIES) ? [400, 404] : [404];
      if (!expected.includes(status)) wrong.push([name, routeOf(route), status]);
    }
  }
  expect(wrong).toEqual([]);
  expect(changesBetween(before, kept())).toEqual({});
});

test("a disabled user, an expired session and a visitor without one get 401 on every route but those of signing in", async () => {
  for (const name of ["nobody", "disabled", "expired"] as const) {
    const wrong: unknown[] = [];
    for (const route of routes.filter(({ needs }) => needs !== "nobody")) {
      for (const workspace of [ours.id, theirs.id]) {
        // Parameters of the server's own routes name nothing of a workspace.
        const named = route.path.startsWith("/w/") ? route.path : route.path.replace(/\{\w+\}/g, "1");
        const path = foreign(named, workspace);
        const { status } = await callers[name].ask(route.method, path, BODIES[routeOf(route)]);
        if (status !== 401) wrong.push([routeOf(route), status]);
      }
    }
    expect([name, wrong]).toEqual([name, []]);
  }
});

test("owners and members of another workspace find nothing in a workspace, whatever they ask for", async () => {
  const wrong: unknown[] = [];
  for (const route of routes.filter(({ path }) => path.startsWith("/w/{workspace}"))) {
    for (const name of ["owner", "member"] as const) {
      const { status } = await callers[name].ask(route.method, foreign(route.path, theirs.id), BODIES[routeOf(route)]);
      if (status !== 404) wrong.push([name, routeOf(route), status]);
    }
  }
  expect(wrong).toEqual([]);
});

test("an API key finds no object of another workspace at any endpoint, and no unknown key finds anything", async () => {
  const wrong: unknown[] = [];
  for (const { method, path } of endpoints) {
    const target = `/api/v1${foreign(path, ours.id)}`;
    const stranger = await app.call(method, target, {
      key: `wx_${"x".repeat(40)}`,
      ...(method === "GET" ? {} : { body: {} }),
    });
    if (stranger.status !== 401) wrong.push(["stranger", method, path, stranger.status]);
    if (!path.includes("{") || ANY_PHONE.includes(`${method} /w/{workspace}/v1${path}`)) continue;
    const { status } = await app.call(method, target, { key: ours.key, ...(method === "GET" ? {} : { body: {} }) });
    if (status !== 404) wrong.push(["ours", method, path, status]);
  }
  expect(wrong).toEqual([]);
});

/** Nothing to show for the objects of this test: a draft without a template, a file without faults. */
const NOTHING_THERE = ["GET /w/{workspace}/drafts/{id}/values", "GET /w/{workspace}/imports/{id}/errors"];

// Without these, the refusals above could come from wrong ids. Streams and downloads have tests of their own.
test("the same reading routes answer the operator and the key of the workspace that the objects belong to", async () => {
  const wrong: unknown[] = [];
  for (const route of objects.filter(({ method, path }) => method === "GET" && !/\/(live|export)$/.test(path))) {
    const { status } = await callers.operator.ask("GET", foreign(route.path, theirs.id));
    const expected = NOTHING_THERE.includes(routeOf(route)) ? 404 : 200;
    if (status !== expected) wrong.push(["operator", routeOf(route), status]);
  }
  for (const { method, path } of endpoints.filter((one) => one.method === "GET")) {
    const { status } = await app.call(method, `/api/v1${foreign(path, theirs.id)}`, { key: theirs.key });
    if (status !== 200) wrong.push(["key", method, path, status]);
  }
  expect(wrong).toEqual([]);
});

/**
 * Texts that show nothing (zero-width, fillers, soft hyphens, no-break spaces) in every member of every body that the API
 * and the console take: each is refused or stored as none, and no row holds one.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import { startSession } from "#src/domain/users/sessions.ts";
import { apiEndpoints, consoleEndpoints } from "#src/http/endpoints/endpoints.ts";
import { firstOperator, type Visitor } from "#test/support/console.ts";
import { apiRecipes } from "#test/support/matrix-api.ts";
import { type Asked, pathOf, recipes } from "#test/support/matrix-console.ts";
import { type MatrixNetwork, reachServer, startMatrixNetwork } from "#test/support/matrix-network.ts";
import { Objects } from "#test/support/matrix-objects.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";

const BLANKS = ["\u200b", "\u3164", "\u2800", "\u00ad", "\u00a0"];

interface Schema {
  type?: string | string[];
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
}
type Path = readonly (string | number)[];

/** Where the schema has texts; of a list, its first item. */
function textsOf(schema: Schema | undefined, at: Path = []): Path[] {
  if (schema === undefined) return [];
  const inside = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((one) => textsOf(one, at));
  const isAny = schema.type === undefined && inside.length === 0;
  if (isAny || [schema.type].flat().includes("string")) inside.push(at);
  if (schema.items !== undefined) inside.push(...textsOf(schema.items, [...at, 0]));
  for (const [name, member] of Object.entries(schema.properties ?? {})) inside.push(...textsOf(member, [...at, name]));
  for (const member of Object.values(schema.patternProperties ?? {})) inside.push(...textsOf(member, [...at, FIELD]));
  return [...new Map(inside.map((path) => [path.join("."), path])).values()];
}

/** Key of a custom field. */
const FIELD = "shade";

function withValue(body: unknown, [name, ...rest]: Path, value: string): unknown {
  if (name === undefined) return value;
  if (typeof name === "number") {
    const [first, ...others] = Array.isArray(body) ? (body as unknown[]) : [];
    return [withValue(first, rest, value), ...others];
  }
  const members = typeof body === "object" && body !== null && !Array.isArray(body) ? body : {};
  return { ...members, [name]: withValue((members as Record<string, unknown>)[name], rest, value) };
}

let app: TestServer;
let network: MatrixNetwork;
let operator: Visitor;
let side: Objects;

beforeAll(async () => {
  network = await startMatrixNetwork();
  app = await startTestServer({ mayBreak: true, config: network.config });
  reachServer(network, app);
  operator = await firstOperator(app);
  const billing = { rate: 8_500, balance: 1_000_000_000 };
  side = await new Objects(
    app,
    await app.workspace({ number: "+911244001100", billing }),
    operator,
    network.account,
  ).furnish();
  side.insert("custom_fields", {
    workspace_id: side.workspace.id,
    key: FIELD,
    label: FIELD,
    kind: "text",
    created_at: 1,
  });
}, 60_000);
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await network[Symbol.asyncDispose]();
});

/** Some of the requests sign another user in, or end the session. */
async function signInAgain(): Promise<void> {
  const { client } = app.store;
  client.prepare("UPDATE users SET disabled_at = NULL, is_operator = 1 WHERE email = 'op@example.com'").run();
  const id = Number(client.prepare("SELECT id FROM users WHERE email = 'op@example.com'").pluck().get());
  const { token } = await app.store.write((tx) => startSession(tx, id, { address: "127.0.0.1", agent: "test" }));
  operator.cookie = `waxwing=${token}`;
}

/** Members whose absence others require, so that the request has no other fault. */
const beside: Readonly<Record<string, object>> = {
  consent_purpose: { consent: "opted_in" },
  consent_notice: { consent: "opted_in" },
};

const isBlank = (text: string): boolean => text !== "" && !/^[ \t\r\n]*$/.test(text) && SHOWS_NOTHING.test(text);

/** Texts of a value, also inside JSON. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") {
    if (!/^[[{]/.test(value)) return [value];
    try {
      return textsIn(JSON.parse(value));
    } catch {
      return [value];
    }
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/**
 * By table, the rows in which such a text can be: each of `BLANKS`, and what it may be changed to, is outside of ASCII or
 * escaped in JSON. Most rows are never read.
 */
const rowsOf = new Map<string, () => Record<string, unknown>[]>();

function findTables(): void {
  const { client } = app.store;
  const tables = client
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    .pluck()
    .all() as string[];
  for (const table of tables) {
    const columns = client.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table) as string[];
    const where = columns.map((column) => `"${column}" GLOB @foreign OR "${column}" GLOB @escaped`).join(" OR ");
    const found = client.prepare(`SELECT * FROM "${table}" WHERE ${where}`);
    const patterns = { foreign: "*[^\u0001-\u007f]*", escaped: "*\\u*" };
    rowsOf.set(table, () => found.all(patterns) as Record<string, unknown>[]);
  }
}

/** Columns that hold texts that show nothing, with the number of rows. */
function blankColumns(): Map<string, number> {
  const found = [...rowsOf].flatMap(([table, read]) =>
    read().flatMap((row) =>
      Object.entries(row).flatMap(([column, value]) => (textsIn(value).some(isBlank) ? [`${table}.${column}`] : [])),
    ),
  );
  return new Map(
    Object.entries(Object.groupBy(found, (one) => one)).map(([column, all]) => [column, all?.length ?? 0]),
  );
}

/** By column, members that are kept as they came: they are shown to no person, or as what was refused. */
const CALLERS_OWN: Readonly<Record<string, readonly string[] | "all">> = {
  // A form as it was left; it is checked as a whole when it is sent.
  "broadcast_drafts.content": "all",
  "template_drafts.content": "all",
  "conversation_drafts.content": "all",
  // A key, which is compared.
  "conversation_drafts.message_key": "all",
  // A skip shows what was given as a number.
  "messages.to_phone": "all",
  // Columns by the names that the file has.
  "imports.settings": "all",
  "messages.reference": ["reference"],
  "events.body": ["reference"],
  "idempotency_keys.body": ["reference"],
};

interface Case {
  name: string;
  path: Path;
  asked: () => Promise<Asked>;
  ask: (asked: Asked) => Promise<{ status: number }>;
}

function cases(): Case[] {
  const ofApi = apiEndpoints.map((endpoint) => ({
    endpoint,
    door: "API",
    recipe: async () => (await apiRecipes[`${endpoint.method} ${endpoint.path}`]?.(side)) ?? {},
    ask: (asked: Asked) =>
      app.clock.until(
        app.call(endpoint.method, `/api/v1${pathOf(endpoint.path, 0, asked)}`, {
          key: side.workspace.key,
          body: asked.body,
        }),
      ),
  }));
  const ofConsole = consoleEndpoints.map((endpoint) => ({
    endpoint,
    door: "console",
    recipe: async () => (await recipes[`${endpoint.method} ${endpoint.path}`]?.(side, operator)) ?? {},
    ask: (asked: Asked) =>
      app.clock.until(operator.ask(endpoint.method, pathOf(endpoint.path, side.workspace.id, asked), asked.body)),
  }));
  return [...ofApi, ...ofConsole].flatMap(({ endpoint, door, recipe, ask }) =>
    textsOf(endpoint.body as Schema | undefined).map((path) => ({
      name: `${door}: ${endpoint.method} ${endpoint.path} ${path.join(".")}`,
      path,
      asked: recipe,
      ask,
    })),
  );
}

test("no text that shows nothing is stored, whichever member of whichever body brings it", async () => {
  findTables();
  expect([...blankColumns()]).toEqual([]);
  const all = cases();
  expect(all.length).toBeGreaterThan(100);
  const stored: unknown[] = [];
  let seen = new Map<string, number>();
  // One definition decides for every door what shows nothing (`test/core/shown-text.test.ts` has all of its characters).
  for (const [index, { name, path, asked, ask }] of all.entries()) {
    const blank = BLANKS[index % BLANKS.length] ?? "";
    await signInAgain();
    const one = await asked();
    const { status } = await ask({
      ...one,
      body: { ...(withValue(one.body, path, blank) as object), ...beside[String(path[0])] },
    });
    await one.after?.();
    const found = blankColumns();
    const fresh = [...found].filter(([column, count]) => count > (seen.get(column) ?? 0)).map(([column]) => column);
    const kept = fresh.filter(
      (column) => CALLERS_OWN[column] !== "all" && !(CALLERS_OWN[column] ?? []).includes(String(path.at(-1))),
    );
    if (status >= 500 || kept.length > 0)
      stored.push(`${name} ${blank.codePointAt(0)?.toString(16)} ${status} ${kept}`);
    seen = found;
  }
  expect(stored).toEqual([]);
}, 300_000);

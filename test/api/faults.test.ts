/**
 * What an error says: the message alone names the fields, each fault has a rule that never changes and, for a misspelt name,
 * a suggestion; a path that exists names its methods; every answer says how much of the rate limit is left.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { findNearest } from "#src/core/fault.ts";
import { problemCodes } from "#src/core/problem.ts";
import { errorSchema } from "#src/http/api/openapi/error-schema.ts";
import type { ListedEndpoint } from "#src/http/endpoints/endpoint.ts";
import { consoleEndpoints, apiEndpoints as endpoints } from "#src/http/endpoints/endpoints.ts";
import { findFieldProblems } from "#src/http/validate.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { orderShipped } from "#test/support/templates.ts";

let app: TestServer;
let shop: TestWorkspace;
beforeAll(async () => {
  app = await startTestServer({ config: { limits: { requestsPerSecond: 10, burst: 1_000 } } });
  shop = await app.workspace();
  await app.template(shop, orderShipped);
});
afterAll(() => app[Symbol.asyncDispose]());

/** Without names: the schema of one member is there twice. */
const anyError = JSON.parse(
  JSON.stringify(errorSchema(problemCodes), (name, value) => (name === "$id" ? undefined : value)),
);

test("the schema of every endpoint is a schema: the server, which compiles them, does not look", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const declared = [...endpoints, ...consoleEndpoints].flatMap(({ method, path, body, output }) =>
    [body, output].flatMap((schema) => (schema === undefined ? [] : [{ name: `${method} ${path}`, schema }])),
  );
  const wrong = declared.filter(({ schema }) => !ajv.validateSchema(JSON.parse(JSON.stringify(schema))));
  expect(wrong.map(({ name }) => name)).toEqual([]);
  expect(declared.length).toBeGreaterThan(endpoints.length);
  expect(ajv.validateSchema({ type: "strng" })).toBe(false);
});

interface Fault {
  field: string;
  rule: string;
  limit?: number;
  suggestion?: string;
}

function pathOf({ path }: ListedEndpoint): string {
  return `/api/v1${path.replace("{phone}", "+919876543200").replace(/\{\w+\}/g, "1")}`;
}

async function refusalOf(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answered = await app.call(method, path, { key: shop.key, body, headers });
  expect(findFieldProblems(anyError, answered.body)).toEqual({});
  const { error } = answered.body;
  const faults: Fault[] = error.faults ?? [];
  if (answered.status === 400) {
    expect(faults.length).toBe(Object.values(error.fields).flat().length);
    for (const { field, suggestion } of faults) {
      expect(error.fields[field]).toBeDefined();
      if (suggestion !== undefined) expect(error.message).toContain(`Did you mean ${suggestion}?`);
    }
    if (faults[0] !== undefined) expect(error.message).toContain(`\`${faults[0].field}\``);
  }
  return { ...answered, error, faults };
}

describe("over all endpoints", () => {
  // What is wrong with a template is what a check of it answers with.
  const withBody = endpoints.filter(({ body, path }) => body !== undefined && path !== "/templates/check");

  test.each(withBody.map((one) => [`${one.method} ${one.path}`, one] as const))(
    "%s: each member of its body, misspelt, is unknown and leads to its name",
    async (_, endpoint) => {
      const example = Object.assign({}, ...Object.values(endpoint.reference?.bodies ?? {}).map(({ value }) => value));
      const known = Object.keys(endpoint.body?.properties ?? example);
      expect(known.length).toBeGreaterThan(0);
      for (const name of known.filter((one) => one.length > 4)) {
        const misspelt = `${name.slice(0, 2)}${name.slice(3)}`;
        const { status, faults, error } = await refusalOf(endpoint.method, pathOf(endpoint), { [misspelt]: "x" });
        const fault = faults.find(({ field }) => field === misspelt);
        expect([status, error.code, misspelt, fault?.rule]).toEqual([400, "invalid_request", misspelt, "unknown"]);
        expect([endpoint.path, misspelt, fault?.suggestion]).toEqual([endpoint.path, misspelt, name]);
      }
    },
  );

  test("a method that a path does not have is 404, and the answer names the others", async () => {
    const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    for (const endpoint of endpoints) {
      const has = endpoints.filter((one) => one.path === endpoint.path).map(({ method }): string => method);
      for (const method of methods.filter((one) => !has.includes(one))) {
        const { status, error, headers } = await refusalOf(method, pathOf(endpoint));
        // One path's `{id}` can be another's word: GET reads `/broadcasts/preview` as an id, DELETE the last word of a template's path as a name.
        if (
          ["GET /broadcasts/preview", "DELETE /templates/check", "DELETE /templates/library"].includes(
            `${method} ${endpoint.path}`,
          )
        )
          continue;
        expect([method, endpoint.path, status, error.code]).toEqual([method, endpoint.path, 404, "not_found"]);
        const allowed = (headers.get("allow") ?? "").split(", ");
        for (const one of has) {
          expect([method, endpoint.path, allowed]).toEqual([method, endpoint.path, expect.arrayContaining([one])]);
          expect(error.message).toContain(one);
        }
        expect(allowed).not.toContain(method);
      }
    }
    const nowhere = await refusalOf("GET", "/api/v1/message");
    expect([nowhere.status, nowhere.headers.get("allow")]).toEqual([404, null]);
  });

  test("every answer to a valid key says how much of the limit is left", async () => {
    for (const endpoint of endpoints) {
      const { headers } = await app.call(endpoint.method, pathOf(endpoint), {
        key: shop.key,
        ...(endpoint.body === undefined ? {} : { body: {} }),
      });
      const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) =>
        headers.get(`x-ratelimit-${name}`),
      );
      expect([endpoint.path, limit]).toEqual([endpoint.path, "1000"]);
      expect(Number(remaining)).toBeLessThan(1_000);
      expect(Number(reset)).toBe(Math.ceil((1_000 - Number(remaining)) / 10));
    }
    const stranger = await app.call("GET", "/api/v1/me", { key: "wx_live_nobody" });
    expect([stranger.status, stranger.headers.get("x-ratelimit-limit")]).toEqual([401, null]);
  });
});

describe("each rule", () => {
  const to = "+919876543210";
  const text = "hello";
  const table: [rule: string, field: string, method: string, path: string, body?: unknown, more?: Partial<Fault>][] = [
    ["required", "to", "POST", "/messages", { text }],
    ["required", "template", "POST", "/messages", { to }],
    ["conflict", "text", "POST", "/messages", { to, text, template: "x" }],
    ["unknown", "tempalte", "POST", "/messages", { to, tempalte: "x" }, { suggestion: "template" }],
    ["unknown", "refrence", "POST", "/messages", { to, text, refrence: "x" }, { suggestion: "reference" }],
    ["unknown", "entirely_other", "POST", "/messages", { to, text, entirely_other: 1 }],
    ["type", "to", "POST", "/messages", { to: 7, text }],
    ["too_long", "text", "POST", "/messages", { to, text: "x".repeat(5_000) }, { limit: 4096 }],
    ["too_short", "text", "POST", "/messages", { to, text: " " }],
    ["format", "media.link", "POST", "/messages", { to, template: "x", media: { link: "http://a.example/b" } }],
    ["format", "birthday", "PUT", `/contacts/${to}`, { birthday: "yesterday" }],
    ["one_of", "status", "GET", "/messages?status=lost"],
    ["format", "page", "GET", "/contacts?page=0"],
    ["format", "since", "GET", "/messages?since=yesterday"],
    ["unknown", "fields.tier", "PUT", `/contacts/${to}`, { fields: { tier: "gold" } }],
    ["not_found", "add_to_groups.0", "PUT", `/contacts/${to}`, { add_to_groups: [99] }],
  ];
  for (const [rule, field, method, path, body, more] of table) {
    test(`${rule}: ${field}`, async () => {
      const { status, faults } = await refusalOf(method, `/api/v1${path}`, body);
      expect(status).toBe(400);
      expect(faults.find((one) => one.field === field)).toEqual({ field, rule, ...more });
    });
  }

  test("a key that is too long", async () => {
    const { faults } = await refusalOf(
      "POST",
      "/api/v1/messages",
      { to, text },
      { "idempotency-key": "k".repeat(101) },
    );
    expect(faults).toEqual([{ field: "Idempotency-Key", rule: "too_long", limit: 100 }]);
  });

  test("a template's name or language that does not exist", async () => {
    const misspelt = await refusalOf("POST", "/api/v1/messages", { to, template: "order_shiped" });
    expect([misspelt.status, misspelt.error.code]).toEqual([422, "template_not_found"]);
    expect(misspelt.error.message).toBe('There is no template "order_shiped". Did you mean order_shipped?');
    expect(misspelt.faults).toEqual([{ field: "template", rule: "unknown", suggestion: "order_shipped" }]);
    expect(misspelt.error).not.toHaveProperty("fields");
    const other = await refusalOf("POST", "/api/v1/messages", { to, template: "order_shipped", language: "en_UK" });
    expect(other.faults).toEqual([{ field: "language", rule: "unknown", suggestion: "en_US" }]);
    const none = await refusalOf("POST", "/api/v1/messages", { to, template: "birthday_wishes" });
    expect(none.faults).toEqual([{ field: "template", rule: "unknown" }]);
  });
});

test("the message alone says which fields are wrong, whatever their number", async () => {
  const messageOf = async (body: unknown) => (await refusalOf("POST", "/api/v1/messages", body)).error.message;
  expect(await messageOf({ text: "hello" })).toBe("`to`: this field is required.");
  expect(await messageOf({ to: "+919876543210" })).toBe(
    "`template`, `text`: send exactly one of template, text, media, location, contacts, interactive, reaction.",
  );
  expect(await messageOf({ to: 7, text: "hello", colour: "red" })).toBe(
    "`colour`: unknown field. `to`: this has to be a text, not a number.",
  );
  const many = Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`member${index}`, 1]));
  const message = await messageOf({ to: 7, text: "x".repeat(5_000), reference: "", from: 4, ...many });
  expect(message).toEndWith(" Other fields are wrong, too.");
  expect(message.length).toBeLessThan(400);
});

describe("the nearest name", () => {
  const known = ["template", "text", "to", "variables", "reference"];
  const table: [string, string | null][] = [
    ["templte", "template"],
    ["tempalte", "template"],
    ["Template", "template"],
    ["variable", "variables"],
    ["txet", "text"],
    ["t", "to"],
    ["colour", null],
    ["", null],
    ["x".repeat(1_000_000), null],
  ];
  test.each(table)("%.20s", (name, nearest) => {
    expect(findNearest(name, known)).toBe(nearest);
  });
});

/** The OpenAPI document and the page that shows it: valid, complete, and in agreement with the server. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { problemCodes } from "#src/core/problem.ts";
import { serviceSignature } from "#src/core/service-signature.ts";
import { eventTypes } from "#src/domain/webhooks/event-types.ts";
import { type OperationObject, ownParameters, type ResponseObject } from "#src/http/api/openapi/document.ts";
import { openApiDocument, openApiText } from "#src/http/api/openapi/openapi.ts";
import { codesOf } from "#src/http/api/openapi/responses.ts";
import { apiEndpoints as endpoints } from "#src/http/endpoints/endpoints.ts";
import { answers } from "#src/http/errors.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { startTestServer } from "#test/support/server.ts";

const checkout = resolve(import.meta.dir, "../..");
const document = openApiDocument();
const BASE = "https://waxwing.example.com/openapi.json";

const operations: { name: string; one: OperationObject }[] = [
  ...Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ name: `${method.toUpperCase()} ${path}`, one })),
  ),
  ...Object.entries(document.webhooks).map(([name, { post }]) => ({ name, one: post })),
];

describe("the OpenAPI document", () => {
  test("is stored in the repository as it is printed (`bun run openapi > docs/openapi.json`)", () => {
    expect(readFileSync(resolve(checkout, "docs/openapi.json"), "utf8") === openApiText()).toBe(true);
  });

  test("passes Redocly's recommended rules, which do find the faults of a broken document", async () => {
    expect(lint("docs/openapi.json")).toEqual({ exitCode: 0, problems: [] });
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "broken.json");
    await Bun.write(file, JSON.stringify({ ...document, info: { ...document.info, license: undefined } }));
    expect(lint(file).problems).toHaveLength(1);
  }, 30_000);

  test("contains every endpoint and every event", () => {
    const declared = endpoints.map(({ method, path }) => `${method} ${path}`);
    expect(operations.map(({ name }) => name)).toEqual([...declared, ...eventTypes]);
    const ids = operations.map(({ one }) => one.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = document.tags.map(({ name }) => name);
    for (const { one } of operations) expect(tags).toContain(one.tags[0]);
  });

  test("lists every status that an endpoint can answer, each with all of its codes", () => {
    for (const endpoint of endpoints) {
      const one = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()];
      const codes = codesOf(endpoint);
      const { status = 200, created, scheduled } = endpoint.reference;
      const successes = [status, ...(created === undefined ? [] : [201]), ...(scheduled === undefined ? [] : [202])];
      const ofFiles = endpoint.output.contentType === undefined ? [] : [206, 304, 416];
      const statuses = [...successes, ...ofFiles, ...codes.map((code) => answers[code].status)].map(String);
      expect(new Set(Object.keys(one?.responses ?? {}))).toEqual(new Set(statuses));
      for (const always of ["401", "403", "429", "500", "503"]) expect(statuses).toContain(always);
      for (const code of codes) {
        const { description, content, headers } = responseOf(one, answers[code].status);
        expect(description).toContain(`\`${code}\``);
        expect(JSON.stringify(content)).toContain(`"code":"${code}"`);
        expect(headers).toHaveProperty("X-Request-Id");
      }
      // A program that compares with any other code does not compile.
      for (const refused of new Set(codes.map((code) => answers[code].status))) {
        const { schema } = responseOf(one, refused).content?.["application/json"] ?? {};
        const error = schema?.properties?.error;
        const named = (error?.oneOf ?? [error]).map((form) => codeOf(form?.$ref ?? ""));
        expect(named.sort()).toEqual(codes.filter((code) => answers[code].status === refused).sort());
      }
    }
  });

  test("says of every code whether it has a `retry_key`", () => {
    const takesKey = ({ reference }: (typeof endpoints)[number]) => reference.keys !== undefined;
    for (const code of problemCodes) {
      const given = endpoints.filter((endpoint) => codesOf(endpoint).includes(code));
      const { properties = {}, required = [] } = document.components.schemas[errorNames.get(code) ?? ""] ?? {};
      expect({ code, has: properties.retry_key !== undefined }).toEqual({ code, has: given.some(takesKey) });
      expect({ code, always: required.includes("retry_key") }).toEqual({ code, always: given.every(takesKey) });
    }
  });

  test("names `X-Request-Id` in every request and every answer", () => {
    for (const [name, methods] of Object.entries(document.paths)) {
      for (const one of Object.values(methods)) {
        expect({ name, parameters: one.parameters }).toEqual({
          name,
          parameters: expect.arrayContaining([{ $ref: "#/components/parameters/RequestId" }]),
        });
        for (const status of Object.keys(one.responses)) {
          expect(responseOf(one, status).headers).toHaveProperty("X-Request-Id");
        }
      }
    }
  });

  test("gives each example of a body its own Idempotency-Key", () => {
    const keys: unknown[] = [];
    for (const { one } of operations) {
      const parameter = ownParameters(one).find(({ name }) => name === "Idempotency-Key");
      if (parameter === undefined) continue;
      const bodies = one.requestBody?.content["application/json"]?.examples ?? {};
      expect(Object.keys(parameter.examples ?? {})).toEqual(Object.keys(bodies));
      keys.push(...Object.values(parameter.examples ?? {}).map(({ value }) => value));
    }
    expect(keys.length).toBeGreaterThan(4);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("refers only to components that it contains, and contains only components that are referred to", () => {
    const text = openApiText();
    const references = [...text.matchAll(/"\$ref": "#\/components\/(\w+)\/(\w+)"/g)].map(
      ([, kind, name]) => `${kind}/${name}`,
    );
    const { schemas, responses, headers, parameters } = document.components;
    const components = Object.entries({ schemas, responses, headers, parameters }).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `${kind}/${name}`),
    );
    expect([...new Set(references)].sort()).toEqual(components.sort());
    expect(text.match(/"\$ref": /g)?.length).toBe(references.length);
    expect(text).not.toContain('"$id"');
  });

  test("uses plain integers, no anyOf, and JSON for everything but files", () => {
    const text = openApiText();
    expect(text).not.toContain('"anyOf"');
    for (const { one } of operations) {
      const bodies = [
        one.requestBody?.content,
        ...Object.keys(one.responses).map((status) => responseOf(one, status).content),
      ];
      // Only a file has another type, alone or in a form.
      const expected = [["application/json"], ["*/*"], ["multipart/form-data"]];
      for (const body of bodies) if (body !== undefined) expect(expected).toContainEqual(Object.keys(body));
    }
    for (const [schema] of schemasWithin(document)) {
      if (Array.isArray(schema.oneOf)) expect(JSON.stringify(schema.oneOf)).not.toContain('"integer"');
    }
  });

  test("has only valid schemas and examples that are valid under them", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    ajv.addSchema({ $id: BASE, ...document });
    let count = 0;
    const check = (at: string, pointer: string, value: unknown): void => {
      const validate = ajv.compile({ $ref: `${BASE}#${pointer}` });
      expect({ at, valid: validate(value), errors: validate.errors }).toEqual({ at, valid: true, errors: null });
      count += 1;
    };
    for (const [schema, pointer] of schemasWithin(document)) {
      for (const example of schema.examples ?? []) check(pointer, pointer, example);
    }
    for (const [media, pointer] of mediaWithin(document)) {
      for (const [name, { value }] of Object.entries(media.examples))
        check(`${pointer} ${name}`, `${pointer}/schema`, value);
    }
    expect(count).toBeGreaterThan(100);
  });

  test("shows a signature check that accepts our signatures and no others", async () => {
    const [, code = ""] = /```js\n(.*?)```/s.exec(document.info.description) ?? [];
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "signature.mjs");
    await Bun.write(file, code);
    const { isGenuine } = await import(file);
    const body = Buffer.from('{"id":"evt_1","text":"ünï"}');
    const header = serviceSignature(body.toString(), "whsec_secret", Date.now());
    expect(isGenuine(body, header, "whsec_secret")).toBe(true);
    expect(isGenuine(body, header, "whsec_other")).toBe(false);
    expect(isGenuine(Buffer.from("{}"), header, "whsec_secret")).toBe(false);
    expect(isGenuine(body, undefined, "whsec_secret")).toBe(false);
    const old = serviceSignature(body.toString(), "whsec_secret", Date.now() - 301_000);
    expect(isGenuine(body, old, "whsec_secret")).toBe(false);
  });
});

test("describes the shape of what the server answers and posts", async () => {
  await using app = await startTestServer();
  await using receiver = startReceiver();
  const shop = await app.workspace({ billing: { rate: 8_500, balance: 17_000 } });
  await app.webhook(shop, receiver.url);
  const components = [{ type: "BODY", text: "Hi {{1}}, your order {{2}} is on its way." }];
  await app.template(shop, { name: "order_shipped", language: "en_US", category: "UTILITY", components });
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: BASE, ...document });
  const expectShape = (pointer: string, value: unknown): void => {
    const validate = ajv.compile({ $ref: `${BASE}#${pointer}` });
    expect({ value, valid: validate(value), errors: validate.errors }).toEqual({ value, valid: true, errors: null });
  };
  const expectAnswer = async (method: "GET" | "POST", path: string, real: string, status: number, body?: unknown) => {
    const answer = await app.send(method, `/api/v1${real}`, { key: shop.key, body });
    expect(answer.status).toBe(status);
    const given = document.paths[path]?.[method.toLowerCase()]?.responses[status];
    const at = `/paths/${path.replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D")}/${method.toLowerCase()}/responses/${status}`;
    expectShape(
      `${given !== undefined && "$ref" in given ? given.$ref.slice(1) : at}/content/application~1json/schema`,
      answer.body,
    );
  };

  await expectAnswer("GET", "/me", "/me", 200);
  await expectAnswer("GET", "/templates", "/templates", 200);
  await expectAnswer("GET", "/templates", "/templates?page=0", 400);
  await expectAnswer("GET", "/messages/{id}", "/messages/1", 404);
  const message = { to: "98765 43210", template: "order_shipped", variables: ["Asha", 10042] };
  await expectAnswer("POST", "/messages", "/messages", 201, message);
  await expectAnswer("POST", "/messages", "/messages", 400, { ...message, txet: "" });
  await expectAnswer("POST", "/messages", "/messages", 422, { ...message, variables: [] });
  await expectAnswer("GET", "/messages/{id}", "/messages/1", 200);
  await app.inbound(shop, "+919876543210", "STOP");
  await expectAnswer("POST", "/messages", "/messages", 422, message);
  await app.clock.advance(5_000);

  expect(new Set(receiver.types())).toContain("contact.opted_out");
  for (const { event } of receiver.received) {
    expectShape(`/webhooks/${event.type}/post/requestBody/content/application~1json/schema`, event);
  }
});

describe("the server", () => {
  test("has a route for every endpoint of the OpenAPI document, and requires a key on each", async () => {
    await using app = await startTestServer();
    for (const { method, path } of endpoints) {
      const answer = await app.call(method, `/api/v1${path.replace(/\{\w+\}/g, "1")}`);
      expect(answer.body.error.code).toBe("unauthenticated");
    }
    const shop = await app.workspace();
    for (const { method, path } of endpoints.filter((endpoint) => !endpoint.path.includes("{"))) {
      expect((await app.call(method, `/api/v1${path}`, { key: shop.key })).status).not.toBe(404);
    }
  });

  test("serves the OpenAPI document as it is printed, and a reference page that loads nothing from elsewhere", async () => {
    await using app = await startTestServer();
    expect((await app.call("GET", "/")).headers.get("location")).toBe("/console");
    const shown = await app.call("GET", "/docs/openapi.json");
    expect(shown.headers.get("content-type")).toBe("application/json");
    expect(shown.text === openApiText()).toBe(true);

    const page = await app.call("GET", "/docs");
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toStartWith("default-src 'none'; ");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    // Everything that a browser would fetch or run without a click.
    const attributes = [...page.text.matchAll(/<(\w+)[^>]*?\s(?:src|srcset|action|data|poster|style|on\w+)=/g)];
    expect(attributes.map(([text]) => text)).toEqual(["<script src="]);
    expect(page.text.match(/<script[^>]*>/g)).toEqual(['<script src="/docs/page.js" defer>']);
    expect(page.text).not.toMatch(/<(style|iframe|img|object|embed|base)\b/);
    const links = [...page.text.matchAll(/<link [^>]*href="([^"]*)"/g)].map(([, href]) => href ?? "");
    expect(links).toEqual(["data:,", "/docs/page.css", "/docs/reference.md"]);

    const style = await app.call("GET", "/docs/page.css");
    expect(style.status).toBe(200);
    expect(style.headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect(style.text).not.toMatch(/url\(|@import/);
  });

  test("shows every endpoint, event and schema on the reference page, and every link on it has a target", async () => {
    await using app = await startTestServer();
    const { text } = await app.call("GET", "/docs");
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { one } of operations) expect(ids).toContain(one.operationId);
    for (const name of Object.keys(document.components.schemas)) expect(ids).toContain(`schema-${name}`);
    for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  test("answers a browser that has the current reference page without a body, and compresses for clients that accept it", async () => {
    await using app = await startTestServer();
    const page = await app.call("GET", "/docs", { headers: { "accept-encoding": "gzip" } });
    expect(page.headers.get("content-encoding")).toBe("gzip");
    expect(page.text).toStartWith("<!doctype html>");
    const plain = await app.call("GET", "/docs", { headers: { "accept-encoding": "identity" } });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(plain.text === page.text).toBe(true);
    const again = await app.call("GET", "/docs", { headers: { "if-none-match": page.headers.get("etag") ?? "" } });
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: "" });
  });
});

/** The name of each error code's schema. */
const errorNames = new Map(
  Object.entries(document.components.schemas).flatMap(([name, { properties }]): [unknown, string][] =>
    properties?.retryable === undefined ? [] : [[properties.code?.const, name]],
  ),
);

function codeOf(reference: string): unknown {
  const name = reference.replace("#/components/schemas/", "");
  return [...errorNames].find(([, known]) => known === name)?.[0];
}

function responseOf(one: OperationObject | undefined, status: number | string): ResponseObject {
  const given = one?.responses[status];
  if (given === undefined) throw new Error(`nothing is said about ${status}`);
  if (!("$ref" in given)) return given;
  const found = document.components.responses[given.$ref.replace("#/components/responses/", "")];
  if (found === undefined) throw new Error(`${given.$ref} is not there`);
  return found;
}

type Walked<T> = [T, pointer: string];

/** Every object of the document with its JSON pointer, in the form of a URI fragment; `examples` are skipped. */
function* objectsWithin(value: unknown, pointer = ""): Generator<Walked<Record<string, unknown>>> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [value as Record<string, unknown>, pointer];
  for (const [name, member] of Object.entries(value)) {
    if (name === "examples" || name === "enum") continue;
    const step = encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
    yield* objectsWithin(member, `${pointer}/${step}`);
  }
}

type ShownSchema = { examples?: unknown[]; oneOf?: unknown };

function schemasWithin(value: unknown): Walked<ShownSchema>[] {
  const isSchema = ([one]: Walked<Record<string, unknown>>): boolean =>
    Array.isArray(one.oneOf) || (one.type !== undefined && (one.examples === undefined || Array.isArray(one.examples)));
  return [...objectsWithin(value)].filter(isSchema);
}

function mediaWithin(value: unknown): Walked<{ examples: Record<string, { value: unknown }> }>[] {
  const found = [...objectsWithin(value)].filter(([, pointer]) => pointer.endsWith("/application~1json"));
  return found as unknown as Walked<{ examples: Record<string, { value: unknown }> }>[];
}

/** Runs Redocly with an environment that disables its update check and its telemetry. */
function lint(file: string): { exitCode: number; problems: unknown[] } {
  const redocly = join(checkout, "node_modules/@redocly/cli/bin/cli.js");
  const run = Bun.spawnSync([process.execPath, redocly, "lint", file, "--format=json"], {
    cwd: checkout,
    env: { PATH: Bun.env.PATH, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" },
  });
  const { problems } = JSON.parse(run.stdout.toString()) as { problems: unknown[] };
  return { exitCode: run.exitCode, problems };
}

async function temporaryDirectory(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), "waxwing-openapi-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

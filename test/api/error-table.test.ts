/** Every error code of the API: when it occurs, what it reveals, and that a refused request changes nothing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { markUnready } from "#src/domain/numbers/readiness.ts";
import { revokeKey } from "#src/domain/workspaces/api-keys.ts";
import { suspend } from "#src/domain/workspaces/update.ts";
import { changesBetween, rowsAdded, snapshot, templates, unsupportedTemplates } from "#test/support/scenarios.ts";
import {
  type Answered,
  type CallOptions,
  startTestServer,
  type TestServer,
  type TestWorkspace,
} from "#test/support/server.ts";

const MESSAGES = "/api/v1/messages";
const to = "+919876543210";

let app: TestServer;
beforeAll(async () => {
  app = await startTestServer({ expectedErrors: /event=request\.(failed|unavailable) / });
});
afterAll(() => app[Symbol.asyncDispose]());

/** Expects exactly this problem: the status, the code, and only these members beside those of every refusal. */
function expectProblem(answer: Answered, status: number, code: string, members: string[] = []): void {
  expect(Object.keys(answer.body)).toEqual(["error"]);
  expect({ status: answer.status, code: answer.body.error.code }).toEqual({ status, code });
  // What these say is in `retry-members.test.ts` and `faults.test.ts`.
  const { retry_key, outcome, message_id, faults, ...error } = answer.body.error;
  expect(Object.keys(error).sort()).toEqual(["code", "message", "retryable", ...members].sort());
  expect(answer.body.error.message).toMatch(/^\S.{8,}\S$/);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  expect(answer.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._:-]+$/);
}

function expectRetryAfter({ headers }: Answered, seconds: number): void {
  expect(headers.get("retry-after")).toBe(String(seconds));
}

/** Sends a request that is refused and that changes no row of any table. */
async function refusal(method: string, path: string, options: CallOptions): Promise<Answered> {
  const before = snapshot(app.store);
  const answer = await app.send(method, path, options);
  await app.clock.advance(0);
  expect(changesBetween(before, snapshot(app.store))).toEqual({});
  return answer;
}

function post(shop: TestWorkspace, body: unknown, headers: Record<string, string> = {}): Promise<Answered> {
  return refusal("POST", MESSAGES, { key: shop.key, body, headers });
}

describe("unauthenticated", () => {
  const headers: Record<string, Record<string, string>> = {
    "no header": {},
    "an empty header": { authorization: "" },
    "another scheme": { authorization: "Basic d3g6d3g=" },
    "a scheme without a key": { authorization: "Bearer" },
    "two keys": { authorization: "Bearer wx_one wx_two" },
    "an unknown key": { authorization: `Bearer wx_${"a".repeat(43)}` },
  };
  for (const [what, given] of Object.entries(headers)) {
    test(`a request with ${what} is told to authenticate`, async () => {
      const answer = await refusal("POST", MESSAGES, { body: { to, text: "x" }, headers: given });
      expectProblem(answer, 401, "unauthenticated");
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    });
  }

  test("a revoked key stops working at once, and the workspace's other keys still work", async () => {
    const [shop, other] = [await app.workspace(), await app.workspace()];
    expect((await app.call("GET", "/api/v1/me", { key: shop.key })).status).toBe(200);
    const id = Number(app.store.client.prepare("SELECT id FROM api_keys WHERE workspace_id = ?").pluck().get(shop.id));
    await app.store.write((tx) => void revokeKey(tx, id));
    expectProblem(await refusal("GET", "/api/v1/me", { key: shop.key }), 401, "unauthenticated");
    expect((await app.call("GET", "/api/v1/me", { key: other.key })).status).toBe(200);
  });
});

test("invalid_request names the faulty fields", async () => {
  const answer = await post(await app.workspace(), { to, text: "" });
  expectProblem(answer, 400, "invalid_request", ["fields"]);
  expect(answer.body.error.fields).toEqual({ text: [expect.any(String)] });
});

test("api_not_enabled refuses every call, reads included", async () => {
  const shop = await app.workspace({ apiEnabled: false });
  expectProblem(await post(shop, { to, text: "x" }), 403, "api_not_enabled");
  for (const path of ["/me", "/templates", "/messages/1", "/nothing"]) {
    expectProblem(await refusal("GET", `/api/v1${path}`, { key: shop.key }), 403, "api_not_enabled");
  }
});

test("workspace_suspended gives the reason and stops only sending", async () => {
  const shop = await app.workspace();
  await app.store.write((tx) => void suspend(tx, shop.id, "unpaid invoice 77"));
  const answer = await post(shop, { to, text: "x" }, { "idempotency-key": "suspended" });
  expectProblem(answer, 403, "workspace_suspended");
  expect(answer.body.error.message).toContain("unpaid invoice 77");
  for (const path of ["/me", "/templates"]) {
    expect((await app.call("GET", `/api/v1${path}`, { key: shop.key })).status).toBe(200);
  }
});

describe("not_found", () => {
  const places: [string, string][] = [
    ...["999999", "0", "-1", "1.5", "abc", "1e3", "01", "9007199254740993", "%00", "%E0%A4%A"].map(
      (id): [string, string] => ["GET", `/messages/${id}`],
    ),
    ...["", "/", "/nothing", "/message", "/messages/1/x"].map((path): [string, string] => ["GET", path]),
    ["POST", "/me"],
    ["DELETE", "/messages/1"],
    ["PATCH", "/messages"],
    ["PUT", "/templates"],
    ["OPTIONS", "/me"],
  ];
  for (const [method, path] of places) {
    test(`${method} ${path || "(the prefix)"} is not found`, async () => {
      const { key } = await app.workspace();
      expectProblem(await refusal(method, `/api/v1${path}`, { key }), 404, "not_found");
    });
  }
});

test("insufficient_balance gives the cost and the available balance", async () => {
  const shop = await app.workspace({ billing: { rate: 8_500, balance: 5_000 } });
  await app.template(shop, templates.plain);
  const answer = await post(shop, { to, template: "plain" });
  expectProblem(answer, 402, "insufficient_balance", ["needed", "available"]);
  expect(answer.body.error).toMatchObject({ needed: "0.0085", available: "0.005" });
});

test("insufficient_balance counts held money as spent, and never refuses a text", async () => {
  const shop = await app.workspace({ billing: { rate: 700_000, balance: 1_000_000 } });
  await app.template(shop, templates.plain);
  expect(
    (await app.send("POST", MESSAGES, { key: shop.key, body: { to: "+919876540004", template: "plain" } })).status,
  ).toBe(201);
  await app.clock.advance(0);
  const answer = await post(shop, { to, template: "plain" });
  expectProblem(answer, 402, "insufficient_balance", ["needed", "available"]);
  expect(answer.body.error).toMatchObject({ needed: "0.70", available: "0.30" });
  await app.inbound(shop, to, "hello");
  const text = await app.send("POST", MESSAGES, { key: shop.key, body: { to, text: "hello" } });
  expect(text.body.data).toMatchObject({ type: "text", charged: false, status: "sent" });
});

test("opted_out says since when, in the workspace's timezone", async () => {
  const shop = await app.workspace();
  await app.template(shop, templates.plain);
  const at = app.clock.now();
  await app.inbound(shop, to, "STOP");
  await app.clock.advance(90_000);
  for (const body of [
    { to, template: "plain" },
    { to, text: "x" },
  ]) {
    const answer = await post(shop, body);
    expectProblem(answer, 422, "opted_out", ["since"]);
    expect(answer.body.error.since).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30$/);
    expect(Date.parse(answer.body.error.since)).toBe(Math.floor(at / 1000) * 1000);
  }
});

for (const bad of ["hello", "", "12", "+999 12345678", "98765 43210 ext 5", "+919876543210, +919876543211"]) {
  test(`invalid_number: "${bad}" is not a phone number`, async () => {
    const shop = await app.workspace();
    await app.template(shop, templates.plain);
    expectProblem(await post(shop, { to: bad, template: "plain" }), 422, "invalid_number");
  });
}

test("window_closed refuses a text to an unknown recipient, and one 24 hours after the recipient's last message", async () => {
  const shop = await app.workspace();
  expectProblem(await post(shop, { to, text: "hello" }), 422, "window_closed");
  await app.inbound(shop, to, "hello", app.clock.now() - 24 * 3_600_000 + 10_000);
  const send = () => app.send("POST", MESSAGES, { key: shop.key, body: { to, text: "in time" } });
  expect((await send()).status).toBe(201);
  await app.clock.advance(8_000);
  expect((await send()).status).toBe(201);
  await app.clock.advance(2_000);
  expectProblem(await post(shop, { to, text: "hello" }), 422, "window_closed");
});

test("template_not_found covers an unknown name and a name known only in other languages", async () => {
  const shop = await app.workspace();
  await app.template(shop, templates.plain);
  expectProblem(await post(shop, { to, template: "unheard_of" }), 422, "template_not_found");
  expectProblem(await post(shop, { to, template: "plain", language: "de" }), 422, "template_not_found");
});

for (const status of ["PENDING", "REJECTED", "PAUSED", "DISABLED"] as const) {
  test(`template_not_sendable says that the template is ${status.toLowerCase()}`, async () => {
    const shop = await app.workspace();
    await app.template(shop, templates.plain, status);
    const answer = await post(shop, { to, template: "plain" });
    expectProblem(answer, 422, "template_not_sendable");
    expect(answer.body.error.message.toLowerCase()).toContain(status.toLowerCase());
  });
}

/** Those that lack only a value for a button. */
const LACKING_VALUES = ["dynamic_url", "copy_code", "flow"];

for (const [name, json] of Object.entries(unsupportedTemplates)) {
  const code = LACKING_VALUES.includes(name) ? "missing_variable" : "unsupported_template";
  test(`${code}: the template ${name} is listed, and cannot be sent with its name alone`, async () => {
    const shop = await app.workspace();
    await app.template(shop, json);
    const listed = await app.call("GET", "/api/v1/templates", { key: shop.key });
    expect(listed.body.data).toMatchObject([{ name, status: "APPROVED", sendable: false }]);
    expectProblem(await post(shop, { to, template: name }), 422, code);
  });
}

test("missing_variable names missing body and header values separately", async () => {
  const shop = await app.workspace();
  await app.template(shop, templates.shipped);
  await app.template(shop, templates.headed);
  for (const [variables, name, part] of [
    [undefined, "shipped", "body"],
    [["Asha"], "shipped", "body"],
    [["Asha"], "headed", "header"],
    [{ header: ["1"] }, "headed", "body"],
  ] as const) {
    const answer = await post(shop, { to, template: name, ...(variables && { variables }) });
    expectProblem(answer, 422, "missing_variable");
    expect(answer.body.error.message).toContain(part);
  }
});

test("missing_media refuses a template with a media header and no sample, when the request brings no file", async () => {
  const shop = await app.workspace();
  await app.template(shop, templates.pictured);
  expectProblem(await post(shop, { to, template: "pictured" }), 422, "missing_media");
});

test("number_not_ready covers a workspace without a number, and gives the reason of a number that cannot send", async () => {
  const bare = await app.workspace({ number: null });
  expectProblem(await post(bare, { to, template: "plain" }), 422, "number_not_ready");
  expectProblem(await post(bare, { to, template: "plain", from: "+911244001100" }), 422, "number_not_ready");
  const shop = await app.workspace();
  await app.template(shop, templates.plain);
  await app.store.write((tx) => void markUnready(tx, shop.numberId, "the display name is being reviewed"));
  const answer = await post(shop, { to, template: "plain" });
  expectProblem(answer, 422, "number_not_ready");
  expect(answer.body.error.message).toContain("the display name is being reviewed");
});

test("idempotency_conflict refuses a key that was used for another body, and the key keeps its first answer", async () => {
  const shop = await app.workspace();
  await app.template(shop, templates.plain);
  const headers = { "idempotency-key": "order-1" };
  const first = await app.send("POST", MESSAGES, { key: shop.key, headers, body: { to, template: "plain" } });
  await app.clock.advance(0);
  expectProblem(await post(shop, { to, template: "plain", from: shop.number }, headers), 409, "idempotency_conflict");
  const again = await app.send("POST", MESSAGES, { key: shop.key, headers, body: { to, template: "plain" } });
  expect(again.text).toBe(first.text);
});

test("rate_limited refuses recipients over the daily cap until the oldest recent recipient leaves the 24 hours", async () => {
  const shop = await app.workspace({ dailyCap: 1 });
  await app.template(shop, templates.plain);
  const send = (person: string) =>
    app.send("POST", MESSAGES, { key: shop.key, body: { to: person, template: "plain" } });
  expect((await send(to)).status).toBe(201);
  await app.clock.advance(3_600_000);
  const answer = await post(shop, { to: "+919876543211", template: "plain" }, { "idempotency-key": "cap" });
  expectProblem(answer, 429, "rate_limited");
  expectRetryAfter(answer, 23 * 3600);
  expect((await send(to)).status).toBe(201);
  await app.clock.pass(24 * 3_600_000);
  expect((await send("+919876543211")).status).toBe(201);
});

test("internal_error reveals only the request's id", async () => {
  const shop = await app.workspace();
  await app.template(shop, templates.plain);
  // No row that the server writes looks like this.
  app.store.client.exec("UPDATE templates SET components = '{'");
  try {
    const answer = await refusal("GET", "/api/v1/templates", {
      key: shop.key,
      headers: { "x-request-id": "look-me-up" },
    });
    expectProblem(answer, 500, "internal_error");
    expect(answer.text).not.toMatch(/templates|SQL|at /);
    expect(app.logged.some((line) => line.includes("look-me-up"))).toBe(true);
  } finally {
    app.store.client.prepare("UPDATE templates SET components = ?").run(JSON.stringify(templates.plain.components));
  }
});

test("unavailable: on a full disk a request stores nothing, and its idempotency key is free afterwards", async () => {
  const shop = await app.workspace();
  await app.inbound(shop, to, "hello");
  const request = { key: shop.key, body: { to, text: "é".repeat(4096) }, headers: { "idempotency-key": "full" } };
  const pages = Number(app.store.client.pragma("page_count", { simple: true }));
  app.store.client.pragma(`max_page_count = ${pages}`);
  try {
    const answer = await refusal("POST", MESSAGES, request);
    expectProblem(answer, 503, "unavailable");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  } finally {
    app.store.client.pragma("max_page_count = 1000000");
  }
  expect((await app.send("POST", MESSAGES, request)).status).toBe(201);
  expect(rowsAdded(snapshot(app.store), snapshot(app.store))).toEqual({});
});

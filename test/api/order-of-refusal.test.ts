/** A request with several faults is refused for the first fault in a fixed order, and changes nothing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { markUnready } from "#src/domain/numbers/readiness.ts";
import { suspend } from "#src/domain/workspaces/update.ts";
import { changesBetween, snapshot, templates, unsupportedTemplates } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const MESSAGES = "/api/v1/messages";
const newcomer = "+919876543210";
const optedOut = "+919876543211";

let app: TestServer;
beforeAll(async () => {
  app = await startTestServer({ mayBreak: true });
});
afterAll(() => app[Symbol.asyncDispose]());

interface Request {
  shop: TestWorkspace;
  body: Record<string, unknown>;
  headers: Record<string, string>;
}

/** Faults in the order in which the server checks them; each can be added to any request. */
const faults: { name: string; code: string; kind?: "template" | "text"; add: (request: Request) => unknown }[] = [
  {
    name: "a wrong body",
    code: "invalid_request",
    add: ({ body }) => {
      body.colour = "red";
    },
  },
  {
    name: "a key of another request",
    code: "idempotency_conflict",
    async add({ shop, headers }) {
      headers["idempotency-key"] = "taken";
      await app.call("POST", MESSAGES, { key: shop.key, headers, body: { to: "nobody", template: "never" } });
    },
  },
  {
    name: "suspension",
    code: "workspace_suspended",
    add: ({ shop }) => app.store.write((tx) => void suspend(tx, shop.id, "late")),
  },
  {
    name: "an unknown from",
    code: "invalid_request",
    add: ({ body }) => {
      body.from = "+911244009999";
    },
  },
  {
    name: "no phone number",
    code: "invalid_number",
    add: ({ body }) => {
      body.to = "hello";
    },
  },
  {
    name: "an opt-out",
    code: "opted_out",
    async add({ shop, body }) {
      await app.inbound(shop, optedOut, "STOP");
      if (body.to === newcomer) body.to = optedOut;
    },
  },
  {
    name: "an unready number",
    code: "number_not_ready",
    add: ({ shop }) => app.store.write((tx) => void markUnready(tx, shop.numberId, "in review")),
  },
  {
    name: "an unknown template",
    code: "template_not_found",
    kind: "template",
    add: ({ body }) => {
      body.template = "unheard_of";
    },
  },
  {
    name: "a paused template",
    code: "template_not_sendable",
    kind: "template",
    add: ({ body, shop }) => setStatus(shop, String(body.template), "PAUSED"),
  },
  {
    name: "an unsupported template",
    code: "unsupported_template",
    kind: "template",
    add: ({ body, shop }) => replaceComponents(shop, String(body.template), (own) => [...own, { type: "CAROUSEL" }]),
  },
  {
    name: "missing media",
    code: "missing_media",
    kind: "template",
    add: ({ body, shop }) =>
      replaceComponents(shop, String(body.template), (own) => [{ type: "HEADER", format: "IMAGE" }, ...own]),
  },
  {
    name: "a missing variable",
    code: "missing_variable",
    kind: "template",
    add: ({ body }) => {
      delete body.variables;
    },
  },
  {
    name: "a closed window",
    code: "window_closed",
    kind: "text",
    add: () => undefined,
  },
  {
    name: "an empty balance",
    code: "insufficient_balance",
    kind: "template",
    add: ({ shop }) =>
      void app.store.client.prepare("UPDATE billing_accounts SET credited = 0 WHERE workspace_id = ?").run(shop.id),
  },
  {
    name: "a used-up daily cap",
    code: "rate_limited",
    kind: "template",
    add: ({ shop }) => {
      const now = app.clock.now();
      const contact = app.store.client
        .prepare(
          "INSERT INTO contacts (workspace_id, phone, consent, created_at, updated_at) VALUES (?, '+12', 'unknown', ?, ?)",
        )
        .run(shop.id, now, now);
      app.store.client
        .prepare(
          `INSERT INTO messages (workspace_id, number_id, contact_id, origin, type, to_phone, from_phone, text, status,
             outcome_unknown, send_token, charged, rate, money, created_at, dispatched_at)
           VALUES (?, ?, ?, 'api', 'template', '+12', '+13', 'x', 'sent', 0, ?, 0, 0, 'none', ?, ?)`,
        )
        .run(shop.id, shop.numberId, contact.lastInsertRowid, `reached by ${shop.id}`, now, now);
      app.store.client.prepare("UPDATE workspaces SET daily_cap = 1 WHERE id = ?").run(shop.id);
    },
  },
];

/** Pairs of faults in which one undoes the other, so that no request can have both. */
const CANNOT_MEET: [string, string][] = [
  ["no phone number", "an opt-out"],
  ["an unknown template", "a paused template"],
  ["an unknown template", "an unsupported template"],
  ["an unknown template", "missing media"],
];

function setStatus(shop: TestWorkspace, name: string, status: string): void {
  app.store.client
    .prepare("UPDATE templates SET status = ? WHERE workspace_id = ? AND name = ?")
    .run(status, shop.id, name);
}

function replaceComponents(shop: TestWorkspace, name: string, change: (own: unknown[]) => unknown[]): void {
  const { client } = app.store;
  const own = client
    .prepare("SELECT components FROM templates WHERE workspace_id = ? AND name = ?")
    .pluck()
    .get(shop.id, name);
  client
    .prepare("UPDATE templates SET components = ? WHERE workspace_id = ? AND name = ?")
    .run(JSON.stringify(change(JSON.parse(String(own)) as unknown[])), shop.id, name);
}

async function freshRequest(kind: "template" | "text"): Promise<Request> {
  const shop = await app.workspace({ billing: { rate: 8_500, balance: 1_000_000 } });
  await app.template(shop, templates.shipped);
  const body =
    kind === "text"
      ? { to: newcomer, text: "hello" }
      : { to: newcomer, template: "shipped", variables: ["Asha", 10042] };
  return { shop, body, headers: {} };
}

describe("a request with two faults is refused for the earlier one, and changes nothing", () => {
  faults.forEach((earlier, index) => {
    for (const later of faults.slice(index + 1)) {
      const kinds = [earlier.kind, later.kind].filter((kind) => kind !== undefined);
      if (new Set(kinds).size > 1 || CANNOT_MEET.some(([a, b]) => a === earlier.name && b === later.name)) continue;
      test(`${earlier.name} is reported before ${later.name}`, async () => {
        const request = await freshRequest(kinds[0] ?? "template");
        // Adds the later fault first, so that the earlier fault's change to the request survives. A used key is the
        // exception: the key must be used while the request still works.
        const isKey = earlier.code === "idempotency_conflict";
        for (const fault of isKey ? [earlier, later] : [later, earlier]) await fault.add(request);
        const before = snapshot(app.store);
        const answer = await app.call("POST", MESSAGES, {
          key: request.shop.key,
          body: request.body,
          headers: request.headers,
        });
        expect(answer.body.error?.code).toBe(earlier.code);
        const changes = changesBetween(before, snapshot(app.store));
        // A final refusal stores its answer under the key, and nothing else.
        expect(Object.keys(changes)).toEqual([]);
      });
    }
  });

  for (const fault of faults) {
    test(`${fault.name} alone is ${fault.code}`, async () => {
      const request = await freshRequest(fault.kind ?? "template");
      await fault.add(request);
      const answer = await app.call("POST", MESSAGES, {
        key: request.shop.key,
        body: request.body,
        headers: request.headers,
      });
      expect(answer.body.error?.code).toBe(fault.code);
    });
  }
});

describe("faults that are found before the request is read", () => {
  test("an unknown key is reported before a wrong body, a wrong path and a wrong content type", async () => {
    const wrong = [
      app.call("POST", MESSAGES, { key: "wx_unknown", body: "{" }),
      app.call("GET", "/api/v1/nothing", { key: "wx_unknown" }),
      app.call("POST", MESSAGES, { key: "wx_unknown", body: "x", headers: { "content-type": "text/plain" } }),
    ];
    for (const answer of await Promise.all(wrong)) expect(answer.body.error.code).toBe("unauthenticated");
  });

  test("401 is reported before 403, 403 before 429, and 429 before 400 and 404", async () => {
    await using limited = await startTestServer({ config: { limits: { requestsPerSecond: 1, burst: 1 } } });
    const on = await limited.workspace();
    const off = await limited.workspace({ apiEnabled: false });
    const post = (key: string) => limited.call("POST", MESSAGES, { key, body: "{" });
    expect((await post("wx_unknown")).status).toBe(401);
    expect([(await post(off.key)).status, (await post(off.key)).status, (await post(off.key)).status]).toEqual([
      403, 403, 403,
    ]);
    expect([(await post(on.key)).status, (await post(on.key)).status]).toEqual([400, 429]);
    expect((await limited.call("GET", "/api/v1/nothing", { key: on.key })).status).toBe(429);
  });

  test("a wrong body is reported before an invalid idempotency key changes anything", async () => {
    const { shop } = await freshRequest("text");
    const before = snapshot(app.store);
    const answer = await app.call("POST", MESSAGES, {
      key: shop.key,
      body: { to: newcomer, text: "" },
      headers: { "idempotency-key": "k".repeat(101) },
    });
    expect(answer.status).toBe(400);
    expect(changesBetween(before, snapshot(app.store))).toEqual({});
  });

  test("too many values for a template that cannot be sent are reported first", async () => {
    const { shop } = await freshRequest("template");
    await app.template(shop, unsupportedTemplates.carousel, "PAUSED");
    const body = { to: "hello", template: "carousel", variables: ["one"] };
    const answer = await app.call("POST", MESSAGES, { key: shop.key, body });
    expect(answer.body.error).toMatchObject({ code: "invalid_request", fields: { variables: [expect.any(String)] } });
  });
});

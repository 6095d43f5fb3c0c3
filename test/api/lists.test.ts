/** Lists of the API, tested with templates: pages, cursors and filters. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { setSample } from "#src/domain/templates/decide.ts";
import { templateStatuses } from "#src/domain/templates/template.ts";
import { template, templates, unsupportedTemplates } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const BODY = [{ type: "BODY", text: "It is ready." }];

let app: TestServer;
/** 120 templates: 60 names in two languages each, added in an order unrelated to their names. */
let full: TestWorkspace;

beforeAll(async () => {
  app = await startTestServer();
  full = await app.workspace();
  for (const language of ["fr", "de"]) {
    for (let index = 0; index < 60; index++) {
      const name = `t${String((index * 37) % 60).padStart(2, "0")}`;
      const status = index < 50 ? "APPROVED" : (templateStatuses[1 + (index % 4)] ?? "PENDING");
      await app.template(full, template(name, BODY, { language }), status);
    }
  }
});
afterAll(() => app[Symbol.asyncDispose]());

const list = (query = "", { key } = full) => app.call("GET", `/api/v1/templates${query}`, { key });

interface Listed {
  name: string;
  language: string;
  status: string;
}

const named = ({ name, language }: Listed): string => `${name} ${language}`;
/** By name, and under one name the older (French) first. */
const inOrder = Array.from({ length: 60 }, (_, index) => `t${String(index).padStart(2, "0")}`).flatMap((name) => [
  `${name} fr`,
  `${name} de`,
]);

describe("the pages of a list of templates", () => {
  test("hold 50 templates each, by name and then by age, with the totals of the whole list", async () => {
    const seen: string[] = [];
    for (const [page, size, hasMore] of [
      [1, 50, true],
      [2, 50, true],
      [3, 20, false],
    ] as const) {
      const { status, body } = await list(`?page=${page}`);
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(["data", "meta"]);
      expect(body.data).toHaveLength(size);
      const next = hasMore ? expect.any(String) : null;
      expect(body.meta).toEqual({ page, per_page: 50, total: 120, has_more: hasMore, next });
      seen.push(...body.data.map(named));
    }
    expect(seen).toEqual(inOrder);
  });

  test("start with the first one by default", async () => {
    expect((await list()).text).toBe((await list("?page=1")).text);
  });

  for (const page of ["4", "1000", "99999999999"]) {
    test(`page ${page} is past the end: it is empty, not an error`, async () => {
      const { status, body } = await list(`?page=${page}`);
      expect({ status, data: body.data }).toEqual({ status: 200, data: [] });
      expect(body.meta).toEqual({ page: Number(page), per_page: 50, total: 120, has_more: false, next: null });
    });
  }

  for (const page of ["0", "-1", "1.5", "abc", "", "1e3", "%201", "NaN", "1&after=x"]) {
    test(`page=${page} is refused`, async () => {
      const { status, body } = await list(`?page=${page}`);
      const field = page.includes("after") ? "after" : "page";
      expect({ status, code: body.error.code, fields: Object.keys(body.error.fields) }).toEqual({
        status: 400,
        code: "invalid_request",
        fields: [field],
      });
    });
  }

  test("end without has_more when the list fills exactly one page", async () => {
    const shop = await app.workspace();
    for (let index = 0; index < 50; index++) await app.template(shop, template(`t${index}`, BODY));
    const { body } = await list("", shop);
    expect(body.data).toHaveLength(50);
    expect(body.meta).toEqual({ page: 1, per_page: 50, total: 50, has_more: false, next: null });
  });

  test("of an empty list are an empty list", async () => {
    const { body } = await list("", await app.workspace());
    expect(body).toEqual({ data: [], meta: { page: 1, per_page: 50, total: 0, has_more: false, next: null } });
  });
});

async function walk(shop: TestWorkspace, query: string, between: () => void = () => undefined): Promise<string[]> {
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const { body } = await list(`?${query}${after === null ? "" : `&after=${encodeURIComponent(after)}`}`, shop);
    seen.push(...body.data.map(named));
    after = body.meta.next;
    between();
  } while (after !== null);
  return seen;
}

describe("the cursor of a list of templates", () => {
  test("walks every row exactly once, in order", async () => {
    expect(await walk(full, "")).toEqual(inOrder);
  });

  test("walks a filtered list every row exactly once, in order", async () => {
    const seen = await walk(full, "status=APPROVED");
    expect(seen).toHaveLength(100);
    expect(seen).toEqual(inOrder.filter((one) => seen.includes(one)));
  });

  test("misses and repeats no row when rows vanish and appear between two pages", async () => {
    const shop = await app.workspace();
    for (let index = 100; index < 220; index++) await app.template(shop, template(`t${index}`, BODY));
    let turn = 0;
    const seen = await walk(shop, "", () => {
      turn += 1;
      if (turn > 1) return;
      const { client } = app.store;
      client.prepare("DELETE FROM templates WHERE workspace_id = ? AND name < 't110'").run(shop.id);
      client.prepare("DELETE FROM templates WHERE workspace_id = ? AND name = 't149'").run(shop.id);
    });
    expect(seen).toEqual(Array.from({ length: 120 }, (_, index) => `t${100 + index} en_US`));
  });

  for (const [what, cursor] of Object.entries({
    nothing: "",
    "any text": "abc",
    "an empty object": encode({}),
    "a list": encode(["t00", 1]),
    "a name of another kind": encode({ name: 5, id: 1 }),
    "no id": encode({ name: "t00" }),
    "an id of another kind": encode({ name: "t00", id: "1" }),
    null: encode(null),
  })) {
    test(`is refused when it is made of ${what}`, async () => {
      const { status, body } = await list(`?after=${cursor}`);
      expect({ status, code: body.error.code, fields: Object.keys(body.error.fields) }).toEqual({
        status: 400,
        code: "invalid_request",
        fields: ["after"],
      });
    });
  }
});

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

describe("the status filter of a list of templates", () => {
  for (const status of templateStatuses) {
    test(`${status} lists and counts the templates with this status`, async () => {
      const { body } = await list(`?status=${status}`);
      expect(new Set(body.data.map((one: Listed) => one.status))).toEqual(new Set([status]));
      expect(body.meta.total).toBe(status === "APPROVED" ? 100 : await count(status));
    });
  }

  for (const status of ["approved", "UNKNOWN", "", "APPROVED,PENDING"]) {
    test(`"${status}" is refused`, async () => {
      const { status: code, body } = await list(`?status=${status}`);
      expect({ code, fields: Object.keys(body.error.fields) }).toEqual({ code: 400, fields: ["status"] });
    });
  }
});

async function count(status: string): Promise<number> {
  const all = await Promise.all([1, 2, 3].map((page) => list(`?page=${page}`)));
  return all.flatMap(({ body }) => body.data).filter((one: Listed) => one.status === status).length;
}

test("a template shows exactly what the reference names, filled from its components", async () => {
  const shop = await app.workspace();
  const { headed, pictured, filed, offer } = templates;
  for (const json of [headed, pictured, filed]) await app.template(shop, json);
  await app.template(shop, offer, "PAUSED");
  await app.template(shop, unsupportedTemplates.location);
  await app.template(
    shop,
    template("by_name", [{ type: "BODY", text: "{{when}} at {{where}}, {{when}}" }], { parameter_format: "NAMED" }),
  );
  await app.store.write((tx) => void setSample(tx, shop.id, "filed", "en_US", "https://a.example/a.pdf"));
  const usual = {
    needs: [],
    components: expect.any(Array),
    language: "en_US",
    category: "UTILITY",
    status: "APPROVED",
    sendable: true,
    parameter_names: { header: [], body: [] },
    parameter_order: null,
    media: null,
    rejection: null,
    warnings: [],
  };
  expect((await list("", shop)).body.data).toEqual([
    {
      ...usual,
      name: "by_name",
      variables: { header: 0, body: 2 },
      parameter_names: { header: [], body: ["when", "where"] },
      parameter_order: { header: [], body: ["when", "where"] },
      text: "{{1}} at {{2}}, {{1}}",
    },
    {
      ...usual,
      name: "filed",
      variables: { header: 0, body: 1 },
      text: "Bill {{1}}.",
      media: { type: "document", default: true },
    },
    { ...usual, name: "headed", variables: { header: 1, body: 1 }, text: "Hi {{1}}." },
    {
      ...usual,
      name: "location",
      variables: { header: 0, body: 0 },
      text: "It is ready.",
      sendable: false,
      needs: ["location"],
      components: unsupportedTemplates.location.components,
    },
    {
      ...usual,
      name: "offer",
      category: "MARKETING",
      status: "PAUSED",
      sendable: false,
      warnings: [expect.stringContaining("how to stop")],
      variables: { header: 0, body: 0 },
      text: "It is ready.",
    },
    {
      ...usual,
      name: "pictured",
      variables: { header: 0, body: 0 },
      text: "It is ready.",
      media: { type: "image", default: false },
    },
  ]);
});

/**
 * Every approved template through the wizard's routes, on the simulated network: a draft without any value shows examples, and
 * a whole one is reviewed and sent. Also what the console is told of each template.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ApprovedCase, approvedTemplates } from "#test/support/approved-templates.ts";
import { firstOperator, person, type Visitor } from "#test/support/console.ts";
import { template } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
let member: Visitor;
const cases = Object.entries(approvedTemplates);
const forMany = cases.filter(([, { isSingle }]) => isSingle !== true);

beforeAll(async () => {
  app = await startTestServer({ config: { limits: { requestsPerSecond: 10_000, burst: 10_000 } } });
  shop = await app.workspace({ throughput: 1_000 });
  for (const [name, { category, components, isNamed }] of cases) {
    const format = isNamed === true ? { parameter_format: "NAMED" } : {};
    await app.template(shop, template(name, components, { category, ...format }));
  }
  await firstOperator(app);
  member = await person(app, "member@example.com", "member", shop.id);
});
afterAll(() => app[Symbol.asyncDispose]());

const root = () => `/w/${shop.id}/drafts`;

/** The content of a draft has its values by position. */
function contentOf(name: string, { components, body }: ApprovedCase): Record<string, unknown> {
  const { variables = [], ...parts } = body as {
    variables?: unknown[] | Record<string, unknown>;
    cards?: { body?: unknown }[];
  };
  const {
    header = [],
    body: values = [],
    buttons = [],
  } = (Array.isArray(variables) ? { body: variables } : variables) as Record<
    string,
    unknown[] | Record<string, unknown> | undefined
  >;
  const listed = (type: string, values: unknown[] | Record<string, unknown>): string[] => {
    if (Array.isArray(values)) return values.map(String);
    const text = String(components.find((component) => component.type === type)?.text ?? "");
    return [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, placeholder = ""]) => String(values[placeholder]));
  };
  const texts = { header: listed("HEADER", header), body: listed("BODY", values) };
  const given = (buttons as unknown[]).map((value) => (value === null ? null : String(value)));
  const cards = parts.cards?.map((card) =>
    Array.isArray(card.body) ? { ...card, body: card.body.map(String) } : card,
  );
  return {
    ...{ name, template: name, language: "en_US", ...parts, variables: { ...texts, buttons: given } },
    ...(cards === undefined ? {} : { cards }),
  };
}

test("a draft without values shows examples, and a whole one is reviewed and sent", async () => {
  const ids: [string, number][] = [];
  for (const [index, [name, one]] of forMany.entries()) {
    const to = [`+9198765${10_000 + index * 11}`];
    const { status, body } = await member.post(root(), { template: name, language: "en_US", to });
    expect([name, status]).toEqual([name, 201]);
    const path = `${root()}/${body.data.id}`;
    const values = await member.get(`${path}/values`);
    expect([name, values.status, typeof values.body.data?.examples[0]?.text]).toEqual([name, 200, "string"]);
    expect([name, (await member.ask("PUT", path, { ...contentOf(name, one), to })).status]).toEqual([name, 200]);
    const checked = await member.post(`${path}/check`);
    expect([name, checked.status, checked.body.data?.reached]).toEqual([name, 200, 1]);
    const sent = await member.post(`${path}/send`, { reached: 1, amount: null }, { key: `send-${index}` });
    expect([name, sent.status]).toEqual([name, 202]);
    ids.push([name, sent.body.data.id]);
  }
  await app.clock.advance(60_000);
  for (const [name, id] of ids) {
    const { body } = await app.call("GET", `/api/v1/broadcasts/${id}/recipients`, { key: shop.key });
    const [{ status, reason }] = body.data;
    expect([name, reason]).toEqual([name, null]);
    expect(["sent", "delivered", "read"]).toContain(status);
  }
});

test("the console is told of every button and card, and what it takes", async () => {
  const { body } = await member.get(`/w/${shop.id}/templates?per_page=500`);
  const shown = (name: string) => body.data.find((one: { name: string }) => one.name === name);
  expect(shown("carousel_texts").cards).toEqual(
    [1, 2].map(() => ({
      header: "image",
      text: "{{1}} for {{2}} only.",
      placeholders: ["1", "2"],
      buttons: [{ type: "URL", text: "Buy", takes: "link" }],
    })),
  );
  expect(shown("offer_full")).toMatchObject({
    offer: { text: "Expiring offer!", ends: true },
    buttons: [
      { type: "COPY_CODE", text: "Copy offer code", takes: "code" },
      { type: "URL", text: "Book now", takes: "link" },
    ],
    cards: null,
  });
  expect(shown("one_product").header).toEqual({ type: "product", text: null });
  expect(shown("feedback_form").buttons.map(({ takes }: { takes: string | null }) => takes)).toEqual([
    "payload",
    "flow",
  ]);
});

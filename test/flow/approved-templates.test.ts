/**
 * Approved templates as shops have them, from the API to the network: each is sent alone and in a broadcast, and refused
 * where something is missing or does not fit. The network is the fake Cloud API; `test/limits` asks the simulator's own
 * tables about the same requests.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  approvedTemplates,
  membersOf,
  missingParts,
  templateLimits,
  wrongParts,
} from "#test/support/approved-templates.ts";
import { graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { changesBetween, snapshot } from "#test/support/scenarios.ts";
import type { Answered } from "#test/support/server.ts";
import { startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const cases = Object.entries(approvedTemplates);
const forBroadcasts = cases.filter(([, { isSingle }]) => isSingle !== true);

let world: WhatsappWorld;
beforeAll(async () => {
  const templates = cases.map(([name, { category, components, isNamed }]) =>
    graphTemplate(name, { category, components, ...(isNamed === true ? { parameter_format: "NAMED" } : {}) }),
  );
  world = await startWhatsapp({
    account: graphAccount({ templates }),
    config: { limits: { requestsPerSecond: 10_000, burst: 10_000 } },
    workspace: { timezone: "Europe/Berlin" },
  });
});
afterAll(() => world[Symbol.asyncDispose]());

let people = 0;
/** A person who has got nothing yet. */
function newPerson(): string {
  people += 1;
  return `+49151123${10_000 + people}`;
}

function post(path: string, body: object): Promise<Answered> {
  const headers = path.endsWith("preview") ? {} : { "Idempotency-Key": `k${people}` };
  return world.app.send("POST", `/api/v1${path}`, { key: world.workspace.key, body, headers });
}

async function send(template: string, body: object): Promise<Answered> {
  await world.clock.advance(50);
  return post("/messages", { to: newPerson(), template, ...body });
}

interface SentTemplate {
  name: string;
  components?: Record<string, unknown>[];
}
const sent = (): SentTemplate[] =>
  world.graph.requests
    .filter(({ path }) => path.includes("/messages"))
    .map(({ body }) => (body as { template: SentTemplate }).template);

async function expectRefusal(template: string, body: object, status: number, code: string): Promise<Answered> {
  const before = snapshot(world.app.store);
  const count = sent().length;
  const answer = await send(template, body);
  expect({ body, status: answer.status, code: answer.body.error?.code }).toEqual({ body, status, code });
  expect(sent()).toHaveLength(count);
  const { idempotency_keys: _, ...changes } = changesBetween(before, snapshot(world.app.store));
  expect(changes).toEqual({});
  return answer;
}

describe("an approved template", () => {
  test.each(cases)("is sent as Meta's page shows it: %s", async (name, { body, sent: components }) => {
    const { status, body: answer } = await send(name, body);
    expect({ status, error: answer.error }).toEqual({ status: 201, error: undefined });
    expect(sent().at(-1)).toEqual({ name, language: { code: "en_US" }, ...(components && { components }) } as never);
  });

  test("is sent in a broadcast as it is sent alone", async () => {
    const begun = sent().length;
    for (const [name, { body }] of forBroadcasts) {
      const to = [newPerson()];
      const preview = await post("/broadcasts/preview", { name, template: name, to, ...body });
      expect([name, preview.status, preview.body.data?.reached]).toEqual([name, 200, 1]);
      const { status, body: answer } = await post("/broadcasts", { name, template: name, to, ...body });
      expect({ name, status, error: answer.error }).toEqual({ name, status: 202, error: undefined });
    }
    await world.clock.advance(60_000);
    const found = new Map(
      sent()
        .slice(begun)
        .map((one) => [one.name, one.components]),
    );
    for (const [name, { sent: components }] of forBroadcasts)
      expect([name, found.get(name)]).toEqual([name, components]);
    expect(found.size).toBe(forBroadcasts.length);
  });

  test("says what it needs", async () => {
    const { body } = await world.app.call("GET", "/api/v1/templates?per_page=500", { key: world.workspace.key });
    for (const [name, one] of cases) {
      const shown = body.data.find((template: { name: string }) => template.name === name);
      const needs = name === "survey" || name === "confirm_visit" || name === "opt_in" ? [] : membersOf(one);
      expect([name, shown.needs.toSorted()]).toEqual([name, needs.toSorted()]);
      expect([name, shown.sendable]).toEqual([name, needs.length === 0]);
      expect(shown.components).toEqual(one.components);
    }
  });
});

describe("a limit of what a template gets", () => {
  test.each(templateLimits)("$field of $template takes $max and no more", async ({ field, max, template, body }) => {
    expect((await send(template, body(max))).status).toBe(201);
    const answer = await expectRefusal(template, body(max + 1), 400, "invalid_request");
    expect(Object.keys(answer.body.error.fields)).toEqual([field]);
    expect(answer.body.error.fields[field].join(" ")).toContain(String(max));
  });
});

describe("a refused template", () => {
  test.each(Object.entries(wrongParts))("names what does not fit: %s", async (_, [template, body, fields]) => {
    const answer = await expectRefusal(template, body, 400, "invalid_request");
    expect(Object.keys(answer.body.error.fields).sort()).toEqual([...fields].sort());
  });

  test.each(Object.entries(missingParts))("names what is missing: %s", async (_, [template, body, code]) => {
    await expectRefusal(template, body, 422, code);
  });

  test("is refused in a broadcast as alone, and nothing is stored", async () => {
    const before = snapshot(world.app.store);
    const count = sent().length;
    for (const [what, [template, body, fields]] of Object.entries(wrongParts)) {
      const to = [newPerson()];
      const answer = await post("/broadcasts", { name: what, template, to, ...body });
      expect([what, answer.status]).toEqual([what, 400]);
      const named = Object.keys(answer.body.error.fields).sort();
      expect([what, named]).toEqual([what, "order_details" in body ? ["order_details"] : [...fields].sort()]);
    }
    for (const [what, [template, body, code]] of Object.entries(missingParts)) {
      const answer = await post("/broadcasts", { name: what, template, to: [newPerson()], ...body });
      expect([what, answer.status, answer.body.error?.code]).toEqual([what, 422, code]);
    }
    await world.clock.advance(1_000);
    expect(sent()).toHaveLength(count);
    const { idempotency_keys: _, ...changes } = changesBetween(before, snapshot(world.app.store));
    expect(changes).toEqual({});
  });
});

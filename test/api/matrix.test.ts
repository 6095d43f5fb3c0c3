/**
 * Every endpoint of the API with every kind of key, and objects of every kind in two workspaces: the workspace's own
 * key gets what it asks for, so that no refusal of the others has another reason; no other key finds or changes
 * anything, and no key reaches an object of the other workspace by path, query or form. A new endpoint fails this test
 * until it has a request here. A key with one scope gets what the table of scopes says, and nothing else.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { revokeKey } from "#src/domain/workspaces/api-keys.ts";
import { type Scope, scopes } from "#src/domain/workspaces/scopes.ts";
import { apiEndpoints as endpoints } from "#src/http/endpoints/endpoints.ts";
import { firstOperator } from "#test/support/console.ts";
import { bodyOf, apiRecipes as recipes } from "#test/support/matrix-api.ts";
import { type Asked, pathOf } from "#test/support/matrix-console.ts";
import { Objects } from "#test/support/matrix-objects.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";

type Endpoint = (typeof endpoints)[number];

/** Here a phone that the workspace does not know becomes a contact of it. */
const ANY_PHONE = ["PUT /contacts/{phone}", "POST /contacts/{phone}/opt-out"];

/** Requests that name the other workspace's objects outside of the path. */
const naming: Readonly<Record<string, (own: Objects, other: Objects) => Asked[]>> = {
  "POST /messages": (own, other) => [{ body: { ...own.sending(), from: other.number().phone } }],
  "POST /broadcasts": (own, other) => namingBroadcasts(own, other),
  "POST /broadcasts/preview": (own, other) => namingBroadcasts(own, other),
  "PUT /contacts/{phone}": (own, other) => [
    { id: own.phone, body: { add_to_groups: [other.group()] } },
    { id: own.phone, body: { remove_from_groups: [other.group()] } },
    { id: own.phone, body: { fields: { [other.field()]: "x" } } },
  ],
};

function namingBroadcasts(own: Objects, other: Objects): Asked[] {
  return [
    { body: { ...own.broadcasting(), to: undefined, group: other.group() } },
    { body: { ...own.broadcasting(), from: other.number().phone } },
  ];
}

let app: TestServer;
let sides: [Objects, Objects];
/** In each workspace, a key for each scope. */
const scoped = new Map<Objects, Map<Scope, string>>();
/** Keys that open nothing. */
const noKeys: { name: string; key: string | null }[] = [
  { name: "none", key: null },
  { name: "unknown", key: `wx_${"x".repeat(43)}` },
];

beforeAll(async () => {
  app = await startTestServer({ mayBreak: true });
  const operator = await firstOperator(app);
  const billing = { rate: 8_500, balance: 1_000_000_000 };
  const one = new Objects(app, await app.workspace({ number: "+911244001100", billing }), operator);
  const two = new Objects(app, await app.workspace({ number: "+911244001300", billing }), operator);
  sides = [await one.furnish(), await two.furnish()];
  for (const { path } of sides) {
    const { id, key } = (await operator.post(`${path}/keys`, { name: "revoked" })).body.data;
    await app.store.write((tx) => void revokeKey(tx, id));
    noKeys.push({ name: "revoked", key });
    const expired = (await operator.post(`${path}/keys`, { name: "expired", expires: "1m" })).body.data;
    noKeys.push({ name: "expired", key: expired.key });
  }
  const [{ path }] = sides;
  const keys = new Map<Scope, string>();
  for (const scope of scopes) {
    keys.set(scope, (await operator.post(`${path}/keys`, { name: scope, scopes: [scope] })).body.data.key);
  }
  scoped.set(sides[0], keys);
  await app.clock.advance(60_000);
  // The first use of a key is noted, which is no effect of a request.
  for (const key of [...sides.map(({ workspace }) => workspace.key), ...keys.values()]) {
    await app.call("GET", "/api/v1/me", { key });
  }
}, 60_000);
afterAll(() => app[Symbol.asyncDispose]());

const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

async function ask({ method, path }: Endpoint, key: string | null, asked: Asked): Promise<number> {
  const target = `/api/v1${pathOf(path, 0, asked)}`;
  return (await app.clock.until(app.call(method, target, { key, ...bodyOf(method, asked) }))).status;
}

/** What is wrong with the answer to something that must be refused, or with what it left. */
async function refusals(what: string, endpoint: Endpoint, key: string | null, asked: Asked, statuses: number[]) {
  const written = (): unknown => app.store.client.prepare("SELECT total_changes()").pluck().get();
  await app.clock.rest();
  const before = written();
  const status = await ask(endpoint, key, asked);
  return statuses.includes(status) && written() === before ? [] : [[what, nameOf(endpoint), status]];
}

test("there is a request of every endpoint, and no other", () => {
  expect(Object.keys(recipes).toSorted()).toEqual(endpoints.map(nameOf).toSorted());
  expect(Object.keys(naming).filter((name) => !(name in recipes))).toEqual([]);
});

test("a key with one scope gets what the table of scopes allows; everything else is refused, and nothing changes", async () => {
  const [side] = sides;
  const wrong: unknown[] = [];
  for (const [scope, key] of scoped.get(side) ?? []) {
    for (const endpoint of endpoints) {
      const asked = (await recipes[nameOf(endpoint)]?.(side)) ?? {};
      if (endpoint.key?.includes(scope) === false) {
        wrong.push(...(await refusals(scope, endpoint, key, asked, [403])));
        continue;
      }
      const status = await ask(endpoint, key, asked);
      if (status < 200 || status > 299) wrong.push([scope, nameOf(endpoint), status]);
    }
  }
  expect(wrong).toEqual([]);
});

test("what each scope opens", () => {
  const opened = (scope: Scope) => endpoints.filter(({ key }) => key?.includes(scope)).map(nameOf);
  expect(opened("send")).toEqual([
    ...["POST /messages", "POST /messages/{id}/cancel", "POST /inbounds/{id}/read", "POST /media"],
  ]);
  expect(opened("broadcast")).toEqual(["POST /broadcasts", "POST /broadcasts/preview", "POST /broadcasts/{id}/cancel"]);
  expect(opened("read")).toEqual(
    endpoints
      .filter(
        ({ method, path }) =>
          method === "GET" && !["/me", "/webhooks"].includes(path) && !/conversation|^.search$/.test(path),
      )
      .map(nameOf),
  );
  expect(opened("inbox")).toEqual([
    ...["GET /contacts/{phone}/conversation", "GET /conversations", "GET /conversations/{conversation}"],
    ...["PATCH /conversations/{conversation}", "POST /conversations/{conversation}/thread"],
    ...["POST /conversations/{conversation}/block", "DELETE /conversations/{conversation}/block"],
    ...["GET /conversations/{conversation}/notes", "POST /conversations/{conversation}/notes"],
    "GET /search",
  ]);
  expect(opened("webhooks")).toEqual([
    ...["GET /webhooks", "POST /webhooks", "PATCH /webhooks/{id}", "DELETE /webhooks/{id}"],
    "POST /webhooks/{id}/rotate-secret",
  ]);
  expect(opened("draft")).toEqual([]);
  expect(endpoints.filter(({ key }) => key === null).map(nameOf)).toEqual(["GET /me"]);
});

/** The endpoints of 0.1 and the scopes that opened them. This list never changes. */
const OF_FIRST_VERSION: Readonly<Record<string, readonly Scope[]>> = {
  "POST /messages": ["send"],
  "GET /messages": ["read"],
  "GET /messages/{id}": ["read"],
  "GET /templates": ["read", "templates"],
  "GET /groups": ["read", "contacts"],
  "GET /usage": ["read"],
  "GET /media/{id}": ["read"],
  "GET /opt-outs": ["read", "contacts"],
  "GET /events": ["read"],
  "GET /broadcasts/{id}/recipients": ["read"],
  "GET /contacts/{phone}/conversation": ["read"],
  "GET /contacts": ["read", "contacts"],
  "PUT /contacts": ["contacts"],
  "GET /contacts/{phone}": ["read", "contacts"],
  "PUT /contacts/{phone}": ["contacts"],
  "POST /contacts/{phone}/opt-out": ["contacts"],
  "POST /broadcasts": ["broadcast"],
  "GET /broadcasts": ["read"],
  "POST /broadcasts/preview": ["broadcast"],
  "GET /broadcasts/{id}": ["read"],
  "POST /broadcasts/{id}/cancel": ["broadcast"],
};

test("a key that 0.1 made opens the endpoints of 0.1 for its scopes, and no other", async () => {
  const [side] = sides;
  const wrong: unknown[] = [];
  app.store.client.exec("UPDATE api_keys SET is_of_first_version = 1");
  for (const [scope, key] of scoped.get(side) ?? []) {
    for (const endpoint of endpoints) {
      const name = nameOf(endpoint);
      const asked = (await recipes[name]?.(side)) ?? {};
      if (name !== "GET /me" && OF_FIRST_VERSION[name]?.includes(scope) !== true) {
        wrong.push(...(await refusals(scope, endpoint, key, asked, [403])));
        continue;
      }
      const status = await ask(endpoint, key, asked);
      if (status < 200 || status > 299) wrong.push([scope, name, status]);
    }
  }
  app.store.client.exec("UPDATE api_keys SET is_of_first_version = 0");
  expect(wrong).toEqual([]);
});

for (const place of [0, 1] as const) {
  test(`the own key of workspace ${place} gets what it asks for; without a valid one nothing is found or changed`, async () => {
    const wrong: unknown[] = [];
    const side = sides[place];
    for (const endpoint of endpoints) {
      const asked = (await recipes[nameOf(endpoint)]?.(side)) ?? {};
      for (const { name, key } of noKeys) wrong.push(...(await refusals(name, endpoint, key, asked, [401])));
      const status = await ask(endpoint, side.workspace.key, asked);
      if (status < 200 || status > 299) wrong.push(["own", nameOf(endpoint), status]);
    }
    expect(wrong).toEqual([]);
  });

  test(`objects of workspace ${place} are not found with the other one's key, by path or by form, and nothing changes`, async () => {
    const wrong: unknown[] = [];
    const [other, own] = [sides[place], sides[1 - place] as Objects];
    for (const endpoint of endpoints) {
      const name = nameOf(endpoint);
      if (endpoint.path.includes("{") && !ANY_PHONE.includes(name)) {
        const asked = (await recipes[name]?.(other)) ?? {};
        wrong.push(...(await refusals("path", endpoint, own.workspace.key, asked, [404])));
      }
      for (const asked of naming[name]?.(own, other) ?? []) {
        wrong.push(...(await refusals("form", endpoint, own.workspace.key, asked, [400, 404, 422])));
      }
    }
    expect(wrong).toEqual([]);
  });
}

test("lists show nothing of the other workspace", async () => {
  const wrong: unknown[] = [];
  const [one, two] = sides;
  for (const [own, other] of [[one, two] as const, [two, one] as const]) {
    for (const endpoint of endpoints.filter(({ method, path }) => method === "GET" && !path.includes("{"))) {
      const { text } = await app.call("GET", `/api/v1${endpoint.path}`, { key: own.workspace.key });
      if (text.includes(other.phone) || text.includes(`_${other.workspace.id}_`)) wrong.push(nameOf(endpoint));
    }
  }
  expect(wrong).toEqual([]);
});

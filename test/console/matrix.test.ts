/**
 * Every route of the console with every kind of caller, and objects of every kind in two workspaces. Who may make a
 * request gets what it asks for, so that no refusal of the others has another reason; who may not gets the answer of a
 * route that does not exist, and no row of the database changes. A new route fails this test until
 * `support/matrix-console.ts` has a request of it.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Right } from "#src/domain/users/roles.ts";
import { startSession } from "#src/domain/users/sessions.ts";
import { consoleEndpoints as routes } from "#src/http/endpoints/endpoints.ts";
import { firstOperator, PASSWORD, person, Visitor } from "#test/support/console.ts";
import { bodyOf } from "#test/support/matrix-api.ts";
import { type Asked, naming, pathOf, recipes } from "#test/support/matrix-console.ts";
import { type MatrixNetwork, reachServer, startMatrixNetwork } from "#test/support/matrix-network.ts";
import { Objects } from "#test/support/matrix-objects.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";

const LIMIT_MS = 180_000;
const RANKS = ["agent", "member", "owner", "operator"] as const;
type Rank = (typeof RANKS)[number];
type Route = (typeof routes)[number];

interface Caller {
  name: string;
  email: string;
  /** The workspace of an owner or member; null: all of them. */
  home: Objects | null;
  /** Null: no right at all. */
  rank: Rank | null;
}

let app: TestServer;
let network: MatrixNetwork;
let sides: [Objects, Objects];
let callers: Caller[];

beforeAll(async () => {
  network = await startMatrixNetwork();
  app = await startTestServer({ mayBreak: true, config: network.config });
  reachServer(network, app);
  const operator = await firstOperator(app, "prepares@example.com");
  await person(app, "op@example.com", "operator");
  const billing = { rate: 8_500, balance: 1_000_000_000 };
  const shops = [
    await app.workspace({ name: "One", number: "+911244001100", billing }),
    await app.workspace({ name: "Two", number: "+911244001300", billing }),
  ].map((workspace) => new Objects(app, workspace, operator, network.account));
  const [one, two] = shops;
  if (one === undefined || two === undefined) throw new Error("there are two workspaces");
  sides = [await one.furnish(), await two.furnish()];
  callers = [
    { name: "nobody", email: "", home: null, rank: null },
    { name: "disabled", email: "disabled@example.com", home: null, rank: null },
    { name: "expired", email: "expired@example.com", home: null, rank: null },
    { name: "operator", email: "op@example.com", home: null, rank: "operator" },
    ...sides.flatMap((home, index): Caller[] => [
      { name: `agent of ${index}`, email: `agent${index}@example.com`, home, rank: "agent" },
      { name: `member of ${index}`, email: `member${index}@example.com`, home, rank: "member" },
      { name: `owner of ${index}`, email: `owner${index}@example.com`, home, rank: "owner" },
    ]),
  ];
  for (const { email, home, rank } of callers) {
    if (home !== null) await person(app, email, rank ?? "member", home.workspace.id);
  }
  for (const email of ["disabled@example.com", "expired@example.com"]) {
    await person(app, email, "owner", sides[0].workspace.id);
    await person(app, `also-${email}`, "operator");
  }
  app.store.client.exec("UPDATE users SET disabled_at = 1 WHERE email = 'disabled@example.com'");
  // That a member was seen is written at most once a minute, and is no change of a refused request.
  app.store.client.prepare("UPDATE memberships SET seen_at = ?").run(app.clock.now() + 86_400_000);
  await sides[0].withoutImports();
}, LIMIT_MS);
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await network[Symbol.asyncDispose]();
});

/** A browser in which this user has just signed in. */
async function visit({ email, name }: Caller): Promise<Visitor> {
  const visitor = new Visitor(app);
  if (email === "") return visitor;
  const id = Number(app.store.client.prepare("SELECT id FROM users WHERE email = ?").pluck().get(email));
  const { token } = await app.store.write((tx) => startSession(tx, id, { address: "127.0.0.1", agent: "test" }));
  visitor.cookie = `waxwing=${token}`;
  if (name === "expired") app.store.client.prepare("UPDATE sessions SET expires_at = 1 WHERE user_id = ?").run(id);
  return visitor;
}

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** The lowest role that has each right: a second opinion on the table of roles. */
const LOWEST: Readonly<Record<Right, (typeof RANKS)[number]>> = {
  inbox: "agent",
  overview: "member",
  broadcasts: "member",
  logs: "member",
  exports: "owner",
  manage: "owner",
  operate: "operator",
};

function mayAsk({ home, rank }: Caller, { session }: Route, side: Objects): boolean {
  if (session === "nobody") return true;
  if (rank === null) return false;
  if (session === "user") return true;
  if (session === "server operator") return rank === "operator";
  return (home === null || home === side) && RANKS.indexOf(rank) >= RANKS.indexOf(LOWEST[session]);
}

/** The answer's status. Of a stream, only its beginning is read. */
async function ask(visitor: Visitor, { method, path }: Route, workspace: number, asked: Asked): Promise<number> {
  const target = pathOf(path, workspace, asked);
  if (!path.endsWith("/live")) {
    const { body, headers = {} } = bodyOf(method, asked);
    return (await visitor.ask(method, target, body, { headers })).status;
  }
  const stop = new AbortController();
  const headers = visitor.cookie === null ? {} : { cookie: visitor.cookie };
  const answer = await fetch(`${app.server.url}/console/api${target}`, { headers, signal: stop.signal });
  stop.abort();
  return answer.status;
}

/** Rows written by the server so far. */
function written(): number {
  return Number(app.store.client.prepare("SELECT total_changes()").pluck().get());
}

/** Asks for something that must be refused: what is wrong with the answer, or with what it left. */
async function refusals(
  caller: Caller,
  route: Route,
  workspace: number,
  asked: Asked,
  isRefused: (status: number) => boolean,
): Promise<unknown[]> {
  const visitor = await visit(caller);
  const before = written();
  const status = await ask(visitor, route, workspace, asked);
  const rows = written() - before;
  return isRefused(status) && rows === 0 ? [] : [[caller.name, nameOf(route), workspace, { status, rows }]];
}

/** These answer when the clock has moved. */
const TIMED = /\/(export|replay|fields)\b/;

/** One caller of each rank. */
const withoutTwins = (some: Caller[]): Caller[] =>
  some.filter(({ rank }, index) => index === some.findIndex((one) => one.rank === rank));

const signedIn = (caller: Caller): boolean => caller.rank !== null;

test("there is a request of every route, and no other", () => {
  expect(Object.keys(recipes).toSorted()).toEqual(routes.map(nameOf).toSorted());
  expect(Object.keys(naming).filter((name) => !(name in recipes))).toEqual([]);
});

for (const place of [0, 1] as const) {
  test(
    `who may gets what they ask for in workspace ${place}, and who may not is refused and changes nothing`,
    async () => {
      const wrong: unknown[] = [];
      const side = sides[place];
      const { id } = side.workspace;
      // Routes outside of workspaces are the same for both.
      for (const route of routes.filter(({ path }) => place === 0 || path.startsWith("/w/"))) {
        const recipe = recipes[nameOf(route)];
        if (recipe === undefined) throw new Error(`${nameOf(route)} has no request`);
        const owner = callers.find((one) => one.home === side && one.rank === "owner");
        const forOthers = await recipe(side, await visit(owner ?? (callers[0] as Caller)));
        await app.clock.rest();
        for (const caller of callers.filter((one) => !mayAsk(one, route, side))) {
          const status = signedIn(caller) ? 404 : 401;
          wrong.push(...(await refusals(caller, route, id, forOthers, (got) => got === status)));
        }
        await forOthers.after?.();
        const allowed = callers.filter((one) => mayAsk(one, route, side));
        for (const caller of withoutTwins(allowed)) {
          const visitor = await visit(caller);
          const asked = await recipe(side, visitor);
          const asking = ask(visitor, route, id, asked);
          const status = await (TIMED.test(route.path) ? app.clock.until(asking) : asking);
          if (status < 200 || status > 299) wrong.push([caller.name, nameOf(route), status]);
          await asked.after?.();
        }
        if (route.method !== "GET") await app.clock.rest();
      }
      expect(wrong).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    `objects of workspace ${place} are not found through the other one, by path or by form, and nothing changes`,
    async () => {
      const wrong: unknown[] = [];
      const [other, own] = [sides[place], sides[1 - place] as Objects];
      for (const route of routes.filter(({ path }) => path.startsWith("/w/"))) {
        const mayEnter = callers.filter((one) => mayAsk(one, route, own));
        const name = nameOf(route);
        if (/\}.*\{/.test(route.path) && !ANY_PHONE.includes(name)) {
          const foreign = await recipes[name]?.(other, new Visitor(app));
          await app.clock.rest();
          for (const caller of mayEnter) {
            wrong.push(...(await refusals(caller, route, own.workspace.id, foreign ?? {}, (status) => status === 404)));
          }
          await foreign?.after?.();
        }
        for (const asked of naming[name]?.(own, other) ?? []) {
          await app.clock.rest();
          for (const caller of mayEnter) {
            wrong.push(
              ...(await refusals(caller, route, own.workspace.id, asked, (status) => status >= 400 && status < 500)),
            );
          }
        }
        await Promise.all(sides.map((one) => one.withoutExtraNumbers()));
      }
      expect(wrong).toEqual([]);
    },
    LIMIT_MS,
  );
}

/** A phone that the workspace does not know has no history, or becomes a contact of it. */
const ANY_PHONE = [
  "PUT /w/{workspace}/contacts/{phone}",
  "POST /w/{workspace}/contacts/{phone}/opt-out",
  "GET /w/{workspace}/simulator/phones/{phone}",
  "POST /w/{workspace}/simulator/phones/{phone}/write",
];

test("a user's session is not found by others, and a disabled user does not sign in", async () => {
  const [first, second] = callers.filter(({ rank }) => rank === "owner") as [Caller, Caller];
  const [session] = (await (await visit(first)).get("/me/sessions")).body.data;
  const route = routes.find((one) => nameOf(one) === "DELETE /me/sessions/{id}") as Route;
  expect(await refusals(second, route, 1, { id: session.id }, (status) => status === 404)).toEqual([]);
  const answer = await new Visitor(app).signIn("disabled@example.com", PASSWORD);
  expect([answer.status, answer.body.error.code]).toEqual([401, expect.any(String)]);
});

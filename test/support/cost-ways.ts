/**
 * Every way into the server with the worst that it may be asked: the endpoints of both doors and all other routes, as they
 * are declared. `cost-commands.ts` has the commands.
 */
import { createHmac } from "node:crypto";
import { loadKeys } from "#src/core/key-file.ts";
import { systemRandom } from "#src/core/random.ts";
import type { ListedEndpoint } from "#src/http/endpoints/endpoint.ts";
import { isList } from "#src/http/endpoints/endpoint.ts";
import { apiEndpoints, consoleEndpoints } from "#src/http/endpoints/endpoints.ts";
import { MediaLinks } from "#src/media/links.ts";
import type { Visitor } from "./console.ts";
import type { Kind } from "./cost-bounds.ts";
import type { CostRequest } from "./cost-client-process.ts";
import { filters, worstOfApi, worstOfConsole } from "./cost-inputs.ts";
import { apiRecipes, bodyOf } from "./matrix-api.ts";
import { type Asked, pathOf, recipes } from "./matrix-console.ts";
import type { Objects } from "./matrix-objects.ts";
import { METRICS_TOKEN, type TestServer } from "./server.ts";

/** A body may be so large; that of a stranger, so large. */
const BODY = { signedIn: 1024 * 1024, stranger: 64 * 1024, callback: 4 * 1024 * 1024 };
const LEAVE_AFTER_MS = 300;
export const APP_SECRET = "secret of the app";

export interface World {
  app: TestServer;
  side: Objects;
  /** A user of the console who has just signed in. */
  visit(): Promise<Visitor>;
}

export interface Prepared {
  request: CostRequest;
  /** Makes up for what the request changed. */
  after?: () => unknown;
  /** Resolves when what the request began is over; it belongs to the cost. */
  settled?: () => Promise<void>;
}

/** A request, prepared anew each time. */
export interface Input {
  /** What is the most about it. */
  name: string;
  /** The suite measures it too. */
  isShort: boolean;
  prepare(world: World): Promise<Prepared>;
}

export interface Way {
  name: string;
  kind: Kind;
  inputs: Input[];
}

/** `routes`: of the server's router, `GET /healthz`. */
export function waysOf(routes: readonly string[]): Way[] {
  return [...endpointWays(), ...otherWays(routes)];
}

type Door = "API" | "console";
type Recipe = (world: World, visitor: Visitor) => Asked | Promise<Asked>;
type Make = (name: string, recipe: Recipe, isShort?: boolean) => Input;

function endpointWays(): Way[] {
  return [
    ...apiEndpoints.map((one) => {
      const usual = found(apiRecipes, one);
      return wayOf("API", one, ({ side }) => usual(side), worstOfApi[nameOf(one)]);
    }),
    ...consoleEndpoints.map((one) => {
      const usual = found(recipes, one);
      return wayOf("console", one, ({ side }, visitor) => usual(side, visitor), worstOfConsole[nameOf(one)]);
    }),
  ];
}

const nameOf = ({ method, path }: ListedEndpoint): string => `${method} ${path}`;

function found<R>(all: Readonly<Record<string, R>>, endpoint: ListedEndpoint): R {
  const recipe = all[nameOf(endpoint)];
  if (recipe === undefined) throw new Error(`${nameOf(endpoint)} has no request in the matrix`);
  return recipe;
}

function wayOf(
  door: Door,
  endpoint: ListedEndpoint,
  usual: Recipe,
  worst: ((side: Objects) => Asked | Promise<Asked>) | undefined,
): Way {
  const { output, method } = endpoint;
  const make: Make = (name, recipe, isShort = true) => ({
    name,
    isShort,
    prepare: (world) => prepare(door, endpoint, recipe, world),
  });
  const inputs = [
    ...(method === "GET" && isList(output) ? lists(door, endpoint, usual, make) : [make("usual", usual)]),
    ...(worst === undefined ? [] : [make("most", ({ side }) => worst(side))]),
    ...(method === "GET" || endpoint.file === true ? [] : bodies(endpoint, usual, make)),
  ];
  const isRows = isList(output) || output.properties?.data?.type === "array";
  const kind = typeof output.contentType === "string" ? "file" : isRows ? "rows" : "one";
  return { name: `${door}: ${nameOf(endpoint)}`, kind, inputs };
}

/** The largest page, alone and with each filter. */
function lists(door: Door, { query, consoleQuery }: ListedEndpoint, usual: Recipe, make: Make): Input[] {
  const page =
    (more: (side: Objects) => string): Recipe =>
    async (world, visitor) => ({ ...(await usual(world, visitor)), query: `per_page=500${more(world.side)}` });
  const names = Object.keys(door === "API" ? { ...query } : { ...query, ...consoleQuery });
  const filtered = names.flatMap((name) => {
    const value = filters[name];
    if (value === undefined) throw new Error(`cost-inputs.ts has no value of the filter ${name}`);
    if (value === null) return [];
    return [
      make(
        `by ${name}`,
        page((side) => `&${name}=${encodeURIComponent(value(side))}`),
        false,
      ),
    ];
  });
  return [
    make(
      "500 rows",
      page(() => ""),
    ),
    ...filtered,
  ];
}

/** What a program may send by mistake or on purpose, beside what the endpoint takes. */
function bodies({ session }: ListedEndpoint, usual: Recipe, make: Make): Input[] {
  const room = (session === "nobody" ? BODY.stranger : BODY.signedIn) - 4_096;
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]));
  const withMore =
    (more: () => Record<string, unknown>): Recipe =>
    async (world, visitor) => {
      const asked = await usual(world, visitor);
      return { ...asked, body: { ...(asked.body as object | undefined), ...more() } };
    };
  const deep = (): unknown => {
    const one = JSON.parse(`${"[".repeat(90)}1${"]".repeat(90)}`);
    return Array.from({ length: Math.floor(room / 182) }, () => one);
  };
  // As many as are read, under names that differ.
  const nested = () => Array.from({ length: Math.floor(room / 15_000) }, (_, at) => ({ [`a${at}`]: members(1_100) }));
  return [
    make(
      "100 unknown members",
      withMore(() => members(100)),
      false,
    ),
    make(
      "unknown members as many as fit",
      withMore(() => members(Math.floor(room / 16))),
      false,
    ),
    make(
      "values as many as are read",
      withMore(() => ({ nested: nested() })),
    ),
    make(
      "deep as much as fits",
      withMore(() => ({ deep: deep() })),
      false,
    ),
    make(
      "a text as long as fits",
      withMore(() => ({ text: "x".repeat(room) })),
      false,
    ),
  ];
}

async function prepare(door: Door, endpoint: ListedEndpoint, recipe: Recipe, world: World): Promise<Prepared> {
  const { method, path, file } = endpoint;
  const { app, side } = world;
  const visitor = await world.visit();
  const asked = await recipe(world, visitor);
  const base = door === "API" ? "/api/v1" : "/console/api";
  const isRead = method === "GET";
  const sent = bodyOf(method, asked);
  const given = sent.body instanceof Uint8Array ? Buffer.from(sent.body).toString("latin1") : sent.body;
  const text = typeof given === "string" ? given : JSON.stringify(given ?? {});
  const headers = {
    ...(door === "API"
      ? { authorization: `Bearer ${side.workspace.key}` }
      : { "sec-fetch-site": "same-origin", cookie: visitor.cookie ?? "" }),
    ...(isRead ? {} : { "content-type": file === true ? "application/octet-stream" : "application/json" }),
    ...sent.headers,
  };
  const request: CostRequest = {
    method,
    url: app.server.url + base + pathOf(path, side.workspace.id, asked),
    headers,
    ...(isRead ? {} : { body: text }),
    ...(path.endsWith("/live") ? { leaveAfterMs: LEAVE_AFTER_MS } : {}),
  };
  return { request, after: () => asked.after?.() };
}

type Other = (world: World) => Prepared | Promise<Prepared>;

const get =
  (path: string, headers: Record<string, string> = {}): Other =>
  ({ app }) => ({ request: { method: "GET", url: app.server.url + path, headers } });

/** A message of as many statuses, or of as long texts, as a body of the network may hold. */
const statuses = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: `wamid.${at}`,
    status: "delivered",
    timestamp: "1795000000",
    recipient_id: "919800000000",
  }));
const texts = (count: number, length: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: `wamid.t${at}.${Math.random()}`,
    from: `9198${String(at).padStart(8, "0")}`,
    timestamp: "1795000000",
    type: "text",
    text: { body: "t".repeat(length) },
  }));

function callback(path: (world: World) => string | Promise<string>, value: () => object): Other {
  return async (world) => {
    const { app } = world;
    const body = JSON.stringify({
      object: "whatsapp_business_account",
      entry: [
        {
          id: "1",
          changes: [
            {
              field: "messages",
              value: { messaging_product: "whatsapp", metadata: { phone_number_id: "1" }, ...value() },
            },
          ],
        },
      ],
    });
    const signature = createHmac("sha256", APP_SECRET).update(body).digest("hex");
    const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` };
    const waiting = app.store.client.prepare("SELECT count(*) FROM callbacks WHERE done_at IS NULL").pluck();
    const settled = async (): Promise<void> => {
      for (let turn = 0; turn < 500 && Number(waiting.get()) > 0; turn++) await Bun.sleep(2);
    };
    return { request: { method: "POST", url: app.server.url + (await path(world)), headers, body }, settled };
  };
}

const callbacksTo = (path: (world: World) => string | Promise<string>): Record<string, Other> => ({
  "1,000 statuses": callback(path, () => ({ statuses: statuses(1_000) })),
  "4 MiB of texts": callback(path, () => ({ messages: texts(60, 65_000) })),
});

async function numberAddress({ side }: World): Promise<string> {
  const id = side.numberWithAddress();
  const made = await side.operator.post(`${side.path}/numbers/${id}/callback-address`);
  return new URL(made.body.data.address).pathname;
}

function mediaLink({ app, side }: World): Prepared {
  const keys = loadKeys({ keyFile: `${app.directory}/waxwing.key`, env: {}, random: systemRandom }, true);
  const { url } = new MediaLinks(keys, app.server.url).sign(side.medium, app.clock.now() + 60_000);
  return { request: { method: "GET", url, headers: {} } };
}

/** Of the routes that no endpoint declares; documents of ours need none. */
const others: Readonly<Record<string, Record<string, Other>>> = {
  "GET /metrics": { usual: get("/metrics", { authorization: `Bearer ${METRICS_TOKEN}` }) },
  "GET /networks/whatsapp": {
    "a long challenge": get(`/networks/whatsapp?hub.mode=subscribe&hub.challenge=${"c".repeat(5_000)}`),
  },
  "POST /networks/whatsapp": callbacksTo(() => "/networks/whatsapp"),
  "POST /networks/whatsapp/:token": callbacksTo(numberAddress),
  "GET /media/:id": { usual: mediaLink },
  "ALL /*": { "a long path": get(`/${"p".repeat(8_000)}`) },
  "GET /console/assets/:name": { "an unknown name": get(`/console/assets/${"n".repeat(1_000)}`) },
  "GET /console/*": { usual: get("/console/w/1/contacts") },
};

function otherWays(routes: readonly string[]): Way[] {
  const isEndpoint = /^\w+ \/(console\/)?api\//;
  return [...new Set(routes)]
    .filter((route) => !isEndpoint.test(route))
    .map((route) => {
      const path = route.slice(route.indexOf(" ") + 1);
      const known = others[route];
      if (known === undefined && /[:*]/.test(path)) throw new Error(`cost-ways.ts has no request of ${route}`);
      const asked = known ?? {
        usual: get(path),
        "a new host": (world: World) => get(path, { host: `h${Math.random().toString(36).slice(2)}.example` })(world),
      };
      const inputs = Object.entries(asked).map(([name, other], at) => ({
        name,
        isShort: at === 0,
        prepare: async (world: World) => other(world),
      }));
      const kind = path.startsWith("/networks") || path.startsWith("/media") ? "one" : "document";
      return { name: `server: ${route}`, kind: path.startsWith("/media") ? "file" : kind, inputs } satisfies Way;
    });
}

/**
 * Fifty tests as a shop writes them, with fixed dates: each begins with a reset to its date, and what it sees is compared
 * between runs and days. Those that leave the clock alone also run in twenty workspaces of one server at once.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { linesOf } from "#test/support/database.ts";
import { checkout } from "#test/support/source.ts";

export interface Shop {
  api(method: string, path: string, body?: unknown, key?: string): Promise<{ status: number; body: Body }>;
  control(method: string, path: string, body?: unknown): Promise<Body>;
  number: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers member by member; a wrong one fails it.
type Body = any;

interface ShopTest {
  name: string;
  /** When it begins. */
  now: string;
  /** It leaves the clock alone. */
  isStill: boolean;
  /** What it saw; it throws where that is wrong. */
  run(shop: Shop): Promise<unknown>;
}

const ASHA = "+442079460210";
const VIKRAM = "+442079460345";
const shipped = { template: "order_shipped", variables: ["Asha", "A-1042"] };
const offer = { template: "weekend_offer", variables: ["friend", "20"] };

function need(isRight: boolean, what: unknown): void {
  if (!isRight) throw new Error(JSON.stringify(what));
}

const codeOf = (answer: { status: number; body: Body }): string =>
  `${answer.status} ${answer.body.error?.code ?? ""}`.trim();

async function addToGroup(shop: Shop, name: string, phone: string): Promise<number> {
  await shop.api("PUT", `/contacts/${phone}`, { consent: "opted_in", add_to_groups: [name] });
  const { body } = await shop.api("GET", "/groups");
  return body.data.find((group: { name: string }) => group.name === name).id;
}

const sentTo = async (shop: Shop): Promise<string[]> =>
  (await shop.control("GET", "/sent")).map(({ to, at }: { to: string; at: string }) => `${to} ${at}`);

/** A leap day, both changes of the clocks in Europe, the turn of the year, and ordinary days. */
const DATES = [
  ...["2026-11-27", "2026-12-31", "2027-02-28", "2027-03-28", "2027-06-15", "2027-10-31", "2028-02-29", "2030-01-01"],
];

function day(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

const windows: ShopTest[] = DATES.map((date) => ({
  name: `the window for free text closes after 24 hours, ${date}`,
  now: `${date}T10:00:00+05:30`,
  isStill: false,
  async run(shop) {
    await shop.control("POST", "/inbound", { from: VIKRAM, text: "Are you open?" });
    await shop.control("POST", "/clock", { advance: "1439m" });
    const inside = await shop.api("POST", "/messages", { to: VIKRAM, text: "Yes." });
    await shop.control("POST", "/clock", { advance: "2m" });
    const outside = await shop.api("POST", "/messages", { to: VIKRAM, text: "Still open." });
    const template = await shop.api("POST", "/messages", { to: VIKRAM, ...shipped });
    need(codeOf(outside) === "422 window_closed", outside);
    const { window_ends_at: endsAt } = (await shop.api("GET", `/contacts/${VIKRAM}`)).body.data;
    return [inside.status, outside.status, template.status, endsAt, template.body.data.created_at];
  },
}));

const birthdays: ShopTest[] = DATES.map((date) => ({
  name: `birthday greetings go to those whose birthday it is, ${date}`,
  now: `${date}T09:00:00+05:30`,
  isStill: false,
  async run(shop) {
    const dates = [date, day(date, 1), "2024-02-29"];
    for (const [index, born] of dates.entries())
      await shop.api("PUT", `/contacts/+44207946030${index}`, {
        birthday: `2000${born.slice(4)}`,
        consent: "opted_in",
      });
    const { body } = await shop.api("GET", "/groups");
    const group = body.data.find(({ name }: { name: string }) => name === "Birthdays").id;
    const greeting = { name: "Birthdays", group, send_at: `${day(date, 1)}T10:30:00+05:30`, ...offer };
    need((await shop.api("POST", "/broadcasts", greeting)).status === 202, greeting);
    await shop.control("POST", "/clock", { advance: "36h" });
    const sent = await sentTo(shop);
    need(
      sent.some((one) => one.startsWith("+442079460301")),
      sent,
    );
    return sent.toSorted();
  },
}));

const schedules: ShopTest[] = DATES.map((date) => ({
  name: `a broadcast leaves at its time, ${date}`,
  now: `${date}T08:00:00+05:30`,
  isStill: false,
  async run(shop) {
    const group = await addToGroup(shop, "Regulars", "+442079460401");
    const sendAt = `${date}T11:00:00+05:30`;
    const { body } = await shop.api("POST", "/broadcasts", { name: "Sale", group, send_at: sendAt, ...offer });
    await shop.control("POST", "/clock", { advance: "179m" });
    const before = await sentTo(shop);
    await shop.control("POST", "/clock", { advance: "3m" });
    const after = await sentTo(shop);
    need(before.length === 0 && after.length === 4, { before, after });
    const shown = (await shop.api("GET", `/broadcasts/${body.data.id}`)).body.data;
    return [after.toSorted(), shown.status, shown.counts, shown.started_at];
  },
}));

const lives: ShopTest[] = DATES.slice(0, 4).map((date) => ({
  name: `a message is sent, delivered and read, and each is an event, ${date}`,
  now: `${date}T12:00:00+05:30`,
  isStill: false,
  async run(shop) {
    await shop.api("POST", "/messages", { to: ASHA, ...shipped });
    await shop.control("POST", "/clock", { advance: "10s" });
    const { body } = await shop.api("GET", "/events");
    const types = body.data.map(({ type }: { type: string }) => type);
    need(String(types) === "message.sent,message.delivered,message.read", types);
    // The whole events: with a random seed and a set clock they are the same bytes in every run.
    return body.data;
  },
}));

const keys: ShopTest[] = DATES.slice(0, 4).map((date) => ({
  name: `an idempotency key gives one message for 24 hours, ${date}`,
  now: `${date}T23:30:00+05:30`,
  isStill: false,
  async run(shop) {
    const send = () => shop.api("POST", "/messages", { to: ASHA, ...shipped }, "order-1042");
    const [first, again] = [await send(), await send()];
    await shop.control("POST", "/clock", { advance: "23h" });
    const late = await send();
    await shop.control("POST", "/clock", { advance: "2h" });
    const next = await send();
    const ids = [first, again, late, next].map(({ body }) => body.data.id);
    need(ids[0] === ids[1] && ids[1] === ids[2] && ids[2] !== ids[3], ids);
    return [ids, next.body.data.created_at];
  },
}));

const words: ShopTest[] = ["STOP", "stop", "PARAR", "ARRET", "UNSUBSCRIBE", "stopp"].map((word) => ({
  name: `${word} opts out, and START lifts it`,
  now: "2026-12-24T09:00:00+05:30",
  isStill: true,
  async run(shop) {
    const by = { to: shop.number };
    await shop.control("POST", "/inbound", { ...by, from: VIKRAM, text: word });
    const consent = async () => (await shop.api("GET", `/contacts/${VIKRAM}`)).body.data.consent;
    const stopped = await consent();
    const refused = await shop.api("POST", "/messages", { to: VIKRAM, ...offer });
    await shop.control("POST", "/inbound", { ...by, from: VIKRAM, text: "START" });
    return [stopped.status, codeOf(refused), (await consent()).status];
  },
}));

/** By the last digits of the recipient. */
const outcomes: ShopTest[] = ["+442079460001", "+442079460002", "12", "+442079460210"].map((to) => ({
  name: `a message to ${to}`,
  now: "2027-01-15T09:00:00+05:30",
  isStill: true,
  async run(shop) {
    const sent = await shop.api("POST", "/messages", { to, ...shipped });
    const short = await shop.api("POST", "/messages", { to, template: "order_shipped", variables: ["Asha"] });
    const none = await shop.api("POST", "/messages", { to, template: "nothing" });
    return [codeOf(sent), codeOf(short), codeOf(none)];
  },
}));

const contacts: ShopTest[] = ["Pune", "Mumbai", "Delhi", "Kochi", "Goa", "Agra", "Leh", "Surat"].map((city) => ({
  name: `a contact of ${city} is stored, found and changed`,
  now: "2027-07-01T09:00:00+05:30",
  isStill: true,
  async run(shop) {
    const path = "/contacts/+442079460777";
    const made = await shop.api("PUT", path, { first_name: "Mina", city, birthday: "1990-02-28" });
    const wrong = await shop.api("PUT", path, { birthday: "31/02/1990" });
    const moved = await shop.api("PUT", path, { city: `New ${city}` });
    const { data } = (await shop.api("GET", path)).body;
    need(data.city === `New ${city}` && data.birthday === "1990-02-28", data);
    return [made.status, codeOf(wrong), moved.status, data.city, data.updated_at];
  },
}));

export const tests: readonly ShopTest[] = [
  ...[...windows, ...birthdays, ...schedules, ...lives, ...keys],
  ...[...words, ...outcomes, ...contacts],
];

interface Dev {
  ready: Record<string, string>;
  stop(): Promise<void>;
}

/** `env`: of the server's process. */
async function startDev(
  command: readonly string[],
  options: readonly string[],
  env: Record<string, string>,
): Promise<Dev> {
  const child = Bun.spawn([...command, "dev", "--json", "--listen", "127.0.0.1:0", "--with-parent", ...options], {
    env: { ...process.env, ...env },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  for await (const line of linesOf(child.stdout)) {
    return {
      ready: JSON.parse(line),
      async stop() {
        child.stdin.end();
        await child.exited;
      },
    };
  }
  throw new Error("waxwing dev printed nothing");
}

function shopOf({ ready }: Dev, key: string, number: string): Shop {
  const call = async (url: string, token: string, method: string, body: unknown, idempotencyKey?: string) => {
    const answer = await fetch(url, {
      method,
      headers: {
        ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  return {
    number,
    api: (method, path, body, idempotencyKey) =>
      call(`${ready.base_url}${encodeURI(path).replaceAll("+", "%2B")}`, key, method, body, idempotencyKey),
    async control(method, path, body) {
      const { status, body: answer } = await call(
        `${ready.control_url}${path}`,
        ready.control_token ?? "",
        method,
        body,
      );
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
      return answer;
    },
  };
}

interface RunOptions {
  workspaces?: number;
  /** Of the server's process. */
  env?: Record<string, string>;
  all?: readonly ShopTest[];
}

/** Resets the server and stops its clock at this time. */
async function setClock(shop: Shop, now: string): Promise<void> {
  await shop.control("POST", "/reset", { now, freeze: true });
}

export interface FiftyRun {
  /** Of the fifty tests, without the server's start. */
  ms: number;
  /** Of those that leave the clock alone, in all workspaces. */
  sideBySideMs: number;
  sideBySide: number;
  failures: string[];
  /** What each test saw, as text, by its name. */
  seen: Record<string, string>;
  /** Of what all tests saw. */
  digest: string;
}

const seed = join(checkout, "examples/testing/shop.seed.json");

export async function runFifty(
  command: readonly string[],
  { workspaces = 20, env = {}, all = tests }: RunOptions = {},
): Promise<FiftyRun> {
  const options = ["--seed", seed, "--random-seed", "7", "--now", "2026-11-27T09:00:00+05:30"];
  const dev = await startDev(command, options, env);
  try {
    const failures: string[] = [];
    const seen: Record<string, string> = {};
    const alone = shopOf(dev, dev.ready.api_key ?? "", dev.ready.number ?? "");
    const startedAt = performance.now();
    for (const { name, now, run } of all) {
      await setClock(alone, now);
      const result = await run(alone).catch((error: unknown) => failures.push(`${name}: ${error}`));
      seen[name] = JSON.stringify(result);
    }
    const ms = performance.now() - startedAt;

    const still = all.filter(({ isStill }) => isStill);
    await setClock(alone, "2027-01-15T09:00:00+05:30");
    const { workspaces: seeds } = (await Bun.file(seed).json()) as { workspaces: Record<string, unknown>[] };
    const { api_keys: _, numbers: __, ...recipe } = seeds[0] ?? {};
    const shops: { shop: Shop; workspace: number }[] = [];
    for (let count = 0; count < workspaces; count += 1) {
      const made = await alone.control("POST", "/workspaces", recipe);
      shops.push({ shop: shopOf(dev, made.api_key, made.number), workspace: made.workspace_id });
    }
    const sideBySideAt = performance.now();
    const results = await Promise.all(
      shops.map(async ({ shop, workspace }) => {
        const own: unknown[] = [];
        for (const { name, run } of still) {
          await shop.control("POST", "/reset", { workspace });
          own.push([name, await run(shop).catch((error: unknown) => failures.push(`${name}, side by side: ${error}`))]);
        }
        return JSON.stringify(own);
      }),
    );
    if (new Set(results).size > 1)
      failures.push(`workspaces saw different things: ${[...new Set(results)].join("\n")}`);
    return {
      ...{ ms, failures, seen, sideBySide: shops.length * still.length },
      sideBySideMs: performance.now() - sideBySideAt,
      digest: createHash("sha256")
        .update(JSON.stringify([seen, results[0]]))
        .digest("hex"),
    };
  } finally {
    await dev.stop();
  }
}

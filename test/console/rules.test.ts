/**
 * The console's rules that can be checked without a browser: form keys, labels of states, and actions on a confirmed
 * count.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { clearWebhook } from "#src/domain/webhooks/address.ts";
import { strings as words } from "#src/web/features/messages/message-state-strings.ts";
import { firstOperator, person, type Visitor } from "#test/support/console.ts";
import { template } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { checkout } from "#test/support/source.ts";

interface Chip {
  label: string;
  tone: string;
}
type Chips = Record<"messageChip" | "broadcastChip" | "deliveryChip", (given: unknown) => Chip>;

/** The page's code is a TypeScript project of its own, so its modules are imported at run time. */
async function chips(): Promise<Chips> {
  const files = ["messages/message-state.ts", "broadcasts/broadcast-view.ts", "deliveries/delivery-view.ts"];
  const modules = await Promise.all(files.map((name) => import(join(checkout, "src/web/features", name))));
  return Object.assign({}, ...modules) as Chips;
}

let app: TestServer;
let shop: TestWorkspace;
let owner: Visitor;

beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
  await firstOperator(app);
  owner = await person(app, "owner@example.com", "owner", shop.id);
});
afterAll(() => app[Symbol.asyncDispose]());

/** Changes that need no form key, each with the reason why repeating it is harmless. */
const KEYLESS: Readonly<Record<string, string>> = {
  "POST /w/{workspace}/inbounds/{id}/read": "a repeat changes nothing",
  "POST /w/{workspace}/inbox/{contact}/seen": "up to a message that is named",
  "POST /w/{workspace}/inbox/presence": "what a tab shows now, which is stored nowhere",
  "POST /w/{workspace}/conversations/{conversation}/thread": "a conversation that has the owner is not asked for again",
  "PUT /w/{workspace}/inbox/{contact}/draft": "a draft is as it was last changed",
  "PATCH /w/{workspace}/conversations/{conversation}": "it is what it is set to",
  "POST /w/{workspace}/connection/sign-up": "another address; the previous one stays valid",
  "POST /w/{workspace}/connection/sign-up/finish": "a state is used once",
  "POST /w/{workspace}/uploads": "another upload, which is stored once all of its pieces are there",
  "POST /w/{workspace}/news/read": "read is read",
  "POST /w/{workspace}/groups/count": "changes nothing",
  "POST /w/{workspace}/settings/preview": "changes nothing",
  "POST /w/{workspace}/bulk/count": "changes nothing",
  "POST /w/{workspace}/drafts/{id}/check": "changes nothing",
  "POST /w/{workspace}/template-drafts/{id}/check": "changes nothing",
  "POST /w/{workspace}/template-drafts/{id}/send": "the draft becomes one template",
  "PUT /w/{workspace}/template-drafts/{id}": "a draft is as it was last saved",
  "POST /w/{workspace}/imports/{id}/check": "changes nothing",
  "PUT /w/{workspace}/imports/{id}/choices": "the choices are as they were last stored",
  "POST /w/{workspace}/webhook/reveal": "changes nothing",
  "POST /w/{workspace}/drafts/{id}/send": "the draft becomes one broadcast",
  "PUT /w/{workspace}/drafts/{id}": "a draft is as it was last saved",
  "POST /w/{workspace}/deliveries/replay": "what was counted, or nothing",
  "POST /system/upgrade/check": "changes nothing",
  "POST /links/look": "changes nothing",
  "POST /links/use": "a link is used once",
  "POST /links/verify": "a link is used once",
  "POST /lost-password/use": "a link is used once",
  "POST /lost-password": "a newer link ends the previous one",
  "POST /me/address": "a newer link ends the previous one",
  "POST /sign-in": "another session; the previous one ends",
  "POST /sign-out": "a session ends once",
  "POST /me/sessions/end-others": "sessions end once",
  "DELETE /me/sessions/{id}": "a session ends once",
  "POST /me/second-factor/begin": "the secret that was begun last counts",
  "POST /me/confirmation": "the time of the last one counts",
  "PUT /me/theme": "it is what it is set to",
};

/** The arguments of every `request(…)` in a source text. */
function requestsOf(source: string): string[][] {
  return [...source.matchAll(/(?<!\.)\brequest\(/g)].flatMap(({ index, 0: { length } }) => {
    const parts = [""];
    let depth = 1;
    for (const character of source.slice(index + length)) {
      if ("([{".includes(character)) depth += 1;
      if (")]}".includes(character)) depth -= 1;
      if (depth === 0) break;
      if (character === "," && depth === 1) parts.push("");
      else parts[parts.length - 1] += character;
    }
    const given = parts.map((part) => part.trim()).filter((part) => part !== "");
    return given.length > 1 ? [given] : [];
  });
}

test("rule 1: every form that changes something sends a key, and no key is created in the press itself", () => {
  const folder = join(checkout, "src/web");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  // The client itself is the only file that passes a route on.
  const requests = files
    .filter((name) => name !== "data/api.ts")
    .flatMap((name) => requestsOf(readFileSync(join(folder, name), "utf8")).map((one) => [name, ...one]))
    .filter(([, route = ""]) => !/^["`]GET /.test(route));
  expect(requests.length).toBeGreaterThan(60);
  const known = new Set<string>();
  const problems = requests.flatMap(([name, text = "", , options = "no key"]) => {
    const route = text.replace(/["`]/g, "");
    const isKeyless = options === "no key" || !/\bkey\b|^options$/.test(options);
    if (isKeyless && KEYLESS[route] !== undefined) known.add(route);
    else if (!/\bkey\b|^options$/.test(options) || options === "no key" || options.includes("newFormKey("))
      return [`${name}: ${route} (${options})`];
    return [];
  });
  expect(problems).toEqual([]);
  expect(Object.keys(KEYLESS).filter((place) => !known.has(place))).toEqual([]);
});

test("rule 4: a replay of failures covers exactly the confirmed count, or is refused", async () => {
  const failed = async (): Promise<number> =>
    (await owner.get(`/w/${shop.id}/deliveries/failed?since=2020-01-01`)).body.data.count;
  // Events without a webhook address are stored and can be replayed once there is one.
  const missed = async (phone: string): Promise<void> => {
    await app.webhook(shop, "http://127.0.0.1:9/");
    await app.store.write((tx) => clearWebhook(tx, shop.id));
    await app.inbound(shop, phone, "Hello");
    await app.webhook(shop, "http://127.0.0.1:9/");
  };
  await missed("+919876500001");
  const count = await failed();
  expect(count).toBeGreaterThan(0);
  await missed("+919876500002");
  const asked = { since: "2020-01-01", count };
  const refused = await owner.post(`/w/${shop.id}/deliveries/replay`, asked);
  expect([refused.status, refused.body.error.code]).toEqual([409, "changed"]);
  expect(await failed()).toBe(count + 1);
});

test("rule 5: sent, delivered, read, failed and unknown outcome have different labels and colours", async () => {
  const { messageChip, broadcastChip, deliveryChip } = await chips();
  const statuses = Object.keys(words.statuses);
  const look = (status: string, isUnknown = false) => messageChip({ status, is_unknown: isUnknown });
  expect(look("failed", true)).toEqual({ label: "Outcome unknown", tone: "violet" });
  // No other state is violet, only delivered is green, and only read is blue.
  const tones = Object.fromEntries(statuses.map((status) => [status, look(status).tone]));
  expect(statuses.filter((status) => tones[status] === "violet")).toEqual([]);
  expect(statuses.filter((status) => tones[status] === "green")).toEqual(["delivered"]);
  expect(statuses.filter((status) => tones[status] === "blue")).toEqual(["read"]);
  expect(new Set(["sent", "delivered", "read", "failed"].map((status) => look(status).label)).size).toBe(4);
  expect(["paused", "completed"].map((status) => broadcastChip(status).tone)).toEqual(["amber", "green"]);
  expect(deliveryChip({ status: "pending", attempt_count: 2 }).label).toBe("Retrying 3 of 7");

  // The same for the recipients of a broadcast, from the server's own answers.
  await app.template(shop, template("offer", [{ type: "BODY", text: "Twenty percent." }]));
  const to = ["+919999000008", "+919999000002", "+919999000004", "+919999001050"];
  const made = await owner.post(`/w/${shop.id}/broadcasts`, { name: "Doubt", template: "offer", to });
  await app.clock.advance(12 * 60_000);
  const path = `/w/${shop.id}/broadcasts/${made.body.data.id}/recipients`;
  const people = (await owner.get(path)).body.data as { to: string }[];
  expect(Object.fromEntries(people.map((one) => [one.to.slice(-4), messageChip(one)]))).toEqual({
    "0008": { label: "Outcome unknown", tone: "violet" },
    "0002": { label: "Failed", tone: "red" },
    "0004": { label: "Sent", tone: "grey" },
    "1050": { label: "Read", tone: "blue" },
  });
});

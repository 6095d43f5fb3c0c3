/**
 * Broken set-ups: for each, the doctor's first finding names the cause and the next step, and nothing else is a problem.
 * What the account sync can find out is a condition of `status` in the same words. One right set-up is made once; each
 * case spoils a copy of it.
 *
 * `TEST_LONG=1` runs the commands as processes, of the program in `program.ts`, but for cases with a time of their own.
 */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, rmSync } from "node:fs";
import { type Clock, systemClock } from "#src/core/clock.ts";
import { TLS_CERTIFICATE, TLS_KEY } from "#test/support/certificate.ts";
import { GRAPH_TOKEN, type Graph, startGraph } from "#test/support/graph.ts";
import { type GraphAccount, type GraphRow, graphAccount, graphNumber } from "#test/support/graph-account.ts";
import { isLong } from "#test/support/long-form.ts";
import { CallingWorkshop, SHOP, Workshop } from "./spawn.ts";

const HOUR_MS = 3_600_000;
const NUMBER_ID = "200000000000001";
const ACCOUNT_ID = "100000000000001";
const SECRET = "the-app-secret";

interface Settings {
  graph_url: string;
  api_version: string | null;
  app_secret: string | null;
  verify_token: string | null;
  public_url: string | null;
}

interface World {
  account: GraphAccount;
  /** The row of the number in the account. */
  row: GraphRow;
  settings: Settings;
  env: Record<string, string>;
  /** What the callback address answers. */
  site: { answer: ((challenge: string) => Response) | null };
  /** Changes the database directly. */
  sql: (text: string) => void;
  command: (...args: string[]) => Promise<void>;
  /** Returns the file's path. */
  write: (name: string, content: string) => string;
  /** The wall clock of the command; the network's follows it. */
  setNow: (now: number) => void;
  /** The network's clock alone. */
  setNetworkTime: (now: number) => void;
  callbackUrl: string;
  graphUrl: string;
  insecure: { allowed: boolean };
}

interface Case {
  name: string;
  spoil: (world: World) => unknown;
  level?: "problem" | "warning";
  says: string | RegExp;
  next: string | RegExp;
  /** It sets the clock of the command, which a process cannot have. */
  hasOwnTime?: true;
  /** False: it is found only when the doctor asks, so `status` has no condition for it. */
  isCondition?: boolean;
  /** Checks of findings beside the first one that are no `ok`. */
  others?: string[];
}

function answerTo(filter: RegExp, answer: ReturnType<NonNullable<GraphAccount["refuse"]>>): GraphAccount["refuse"] {
  return ({ path }) => (filter.test(path) ? answer : null);
}

const page = (status: number, words: string) => ({
  status,
  body: `<html><body><h1>${words}</h1></body></html>`,
  contentType: "text/html",
});
const health = (canSend: string, entity: string, error?: object) => ({
  can_send_message: canSend,
  entities: [
    { entity_type: "PHONE_NUMBER", id: "1", can_send_message: "AVAILABLE" },
    { entity_type: entity, id: "2", can_send_message: canSend, errors: error === undefined ? [] : [error] },
  ],
});
const ALL = /./;
const REFUSED =
  "INSERT INTO refused_callbacks (hour, reason, number_id, count, last_at) SELECT at / 3600000 * 3600000, 'wrong_signature', 1, 20, at FROM (SELECT unixepoch() * 1000 AS at)";
const KEPT = (state: string, note: string) =>
  `INSERT INTO callbacks (network, body, received_at, due_at, done_at, note, state) VALUES ('whatsapp', '{}', 1, 1, 1, '${note}', '${state}')`;

const cases: Case[] = [
  // The way to the network
  {
    name: "graph_url with a doubled version",
    spoil: ({ settings }) => Object.assign(settings, { graph_url: `${settings.graph_url}/v25.0` }),
    says: "already names a version",
    next: /set \[whatsapp\] graph_url = "http:\/\/127\.0\.0\.1:\d+"/,
  },
  {
    name: "the number's own API address with a version",
    spoil: ({ command, graphUrl }) => command("number", "update", "1", "--api-url", `${graphUrl}/v24.0`),
    says: "The API address is",
    next: "waxwing number update 1 --api-url http",
  },
  {
    name: "a version of the Graph API that has ended",
    spoil: ({ settings }) => Object.assign(settings, { api_version: "v17.0" }),
    says: "no longer serves v17.0",
    next: 'api_version = "v25.0"',
  },
  {
    name: "a version of the Graph API that ends soon",
    hasOwnTime: true,
    spoil: ({ settings, setNow }) => {
      settings.api_version = "v21.0";
      setNow(Date.parse("2026-12-01T12:00:00Z"));
    },
    // The templates were synchronized at another time.
    others: ["templates"],
    level: "warning",
    says: "until 2027-01-21",
    next: 'api_version = "v25.0"',
  },
  {
    name: "a host name that is not resolved",
    spoil: ({ settings }) => Object.assign(settings, { graph_url: "http://graph.invalid" }),
    says: "graph.invalid: “WhatsApp cannot be reached: the host name was not resolved",
    next: "/etc/resolv.conf",
  },
  {
    name: "a refused connection",
    spoil: ({ settings }) => Object.assign(settings, { graph_url: "http://127.0.0.1:9" }),
    says: "the connection was refused",
    next: "firewall",
  },
  {
    name: "a certificate that is not accepted",
    spoil: ({ settings, callbackUrl, insecure }) => {
      settings.graph_url = callbackUrl;
      insecure.allowed = false;
    },
    says: "the host's certificate was not accepted",
    next: "clock of this machine",
    // From this machine the callback address has the same certificate.
    others: ["callback"],
  },
  {
    name: "a TLS handshake that fails",
    spoil: ({ settings, graphUrl }) => Object.assign(settings, { graph_url: graphUrl.replace("http:", "https:") }),
    says: "the TLS handshake failed",
    next: "names an https port",
  },
  {
    name: "a machine that reaches the internet through a proxy only",
    spoil: ({ settings, env }) => {
      settings.graph_url = "http://127.0.0.1:9";
      env.https_proxy = "http://proxy.example:3128";
    },
    says: "set up to use a proxy (https_proxy), but Waxwing connects directly",
    next: "allow direct connections",
  },
  {
    name: "a proxy that answers with a page",
    spoil: ({ account }) => Object.assign(account, { refuse: answerTo(ALL, page(403, "Blocked by Example Corp")) }),
    says: 'HTTP 403 and could not be read: it is not one of WhatsApp\'s ("Blocked by Example Corp")',
    next: "whether a proxy or firewall",
  },
  {
    name: "a gateway that answers with a page",
    spoil: ({ account }) => Object.assign(account, { refuse: answerTo(ALL, page(502, "Bad gateway")) }),
    says: '("Bad gateway")',
    next: "WhatsApp is in trouble",
  },
  {
    name: "a network that is busy",
    spoil: ({ account }) => Object.assign(account, { refuse: answerTo(ALL, { code: 80007, status: 400 }) }),
    says: "used up its calls",
    next: "wait a few minutes",
  },
  // Key, token and secret
  {
    name: "another installation's key file",
    spoil: ({ env }) => Object.assign(env, { WAXWING_SECRETS_KEY: Buffer.alloc(32, 7).toString("base64") }),
    says: "cannot be read with the key at",
    next: "put this installation's own key file back",
    isCondition: false,
  },
  {
    name: "an expired token",
    spoil: ({ account }) => Object.assign(account, { refuse: answerTo(ALL, { code: 190, status: 401, subcode: 463 }) }),
    says: "access token of +4930000000 has expired",
    next: "waxwing number update 1 --token-file FILE",
  },
  {
    name: "a token that ended with its user's password",
    spoil: ({ account }) => Object.assign(account, { refuse: answerTo(ALL, { code: 190, status: 401, subcode: 460 }) }),
    says: "changed the password",
    next: "system user",
  },
  {
    name: "a token that was not copied whole",
    spoil: ({ account }) => Object.assign(account, { refuse: answerTo(ALL, { code: 190, status: 401 }) }),
    says: "not copied whole",
    next: "waxwing number update 1 --token-file FILE",
  },
  {
    name: "a token that is not valid any more, although queries are still answered",
    spoil: ({ account }) => Object.assign(account.token, { isValid: false, subcode: 463 }),
    says: "has expired",
    next: "waxwing number update 1 --token-file FILE",
  },
  {
    name: "a token that expires tomorrow",
    spoil: ({ account }) => Object.assign(account.token, { expiresAt: Math.floor((Date.now() + 24 * HOUR_MS) / 1000) }),
    level: "warning",
    says: /expires on \d{4}-/,
    next: "which does not expire",
  },
  {
    name: "access to data that has expired",
    spoil: ({ account }) => Object.assign(account.token, { dataAccessExpiresAt: 1_700_000_000 }),
    says: "may no longer read data",
    next: "waxwing number update 1 --token-file FILE",
  },
  {
    name: "a token that was made for other accounts",
    spoil: ({ account }) => Object.assign(account.token, { accountIds: ["100000000000042"] }),
    says: `was made for other accounts than ${ACCOUNT_ID}`,
    next: "full control of the account",
  },
  {
    name: "a token without the permission for templates",
    spoil: ({ account }) => Object.assign(account.token, { scopes: ["whatsapp_business_messaging"] }),
    says: "lacks the permission whatsapp_business_management",
    next: "both WhatsApp permissions",
  },
  {
    name: "a token without the permission to send",
    spoil: ({ account }) => Object.assign(account.token, { scopes: ["whatsapp_business_management"] }),
    says: "lacks the permission whatsapp_business_messaging",
    next: "both WhatsApp permissions",
  },
  {
    name: "a token that may see nothing",
    spoil: ({ account }) => Object.assign(account, { refuse: answerTo(ALL, { code: 200, status: 403 }) }),
    says: "may not see +4930000000",
    next: "full control of the account",
  },
  {
    name: "a token that may see the number but not its account",
    spoil: ({ account }) =>
      Object.assign(account, { refuse: answerTo(new RegExp(`/${ACCOUNT_ID}/`), { code: 200, status: 403 }) }),
    says: `may not see the account ${ACCOUNT_ID}`,
    next: "full control of the account",
    others: ["subscription"],
  },
  {
    name: "no app secret",
    spoil: ({ settings }) => Object.assign(settings, { app_secret: null }),
    says: "There is no app secret for +4930000000",
    next: "set [whatsapp] app_secret",
  },
  {
    name: "a wrong app secret",
    spoil: ({ account }) => Object.assign(account, { appSecret: "another app's" }),
    says: "does not accept the app secret",
    next: "App settings, Basic",
  },
  {
    name: "a wrong app secret that has refused callbacks",
    spoil: ({ sql }) => sql(REFUSED),
    says: "20 refused",
    next: "[whatsapp] app_secret, then restart",
  },
  {
    name: "a wrong app secret of the number's own",
    spoil: async ({ account, command, write }) => {
      await command("number", "update", "1", "--app-secret-file", write("own", "number's\n"));
      account.appSecret = "another app's";
    },
    says: "does not accept the app secret",
    next: "waxwing number update 1 --app-secret-file FILE",
  },
  {
    name: "an app that demands proof of its secret, and no secret",
    spoil: ({ account, settings }) => {
      account.requiresProof = true;
      settings.app_secret = null;
    },
    says: "demands a proof of its app secret",
    next: "waxwing number update 1 --app-secret-file FILE",
  },
  {
    name: "an app that demands proof of its secret, and another secret",
    spoil: ({ account }) => Object.assign(account, { requiresProof: true, appSecret: "another app's" }),
    says: "is another app's",
    next: "App settings, Basic",
  },
  // Ids
  {
    name: "a wrong account id",
    spoil: ({ account }) => Object.assign(account, { id: "100000000000099" }),
    says: `account id ${ACCOUNT_ID} of +4930000000 is wrong`,
    next: "WhatsApp Business Account ID",
  },
  {
    name: "the account id of another account of the same business",
    spoil: ({ account }) => {
      account.numbers = [graphNumber("200000000000077", "+49 30 777777")];
      account.visibleNumbers = [graphNumber(NUMBER_ID, "+49 30 000000")];
    },
    says: `account id ${ACCOUNT_ID} of +4930000000 is wrong`,
    next: "WhatsApp Business Account ID",
  },
  {
    name: "a wrong phone number id",
    spoil: ({ account }) => Object.assign(account, { numbers: [] }),
    says: `no number with the phone number id ${NUMBER_ID}`,
    next: "compare phone number id and account id",
  },
  {
    name: "the phone number id of another number",
    spoil: ({ row }) => Object.assign(row, { display_phone_number: "+49 30 999999" }),
    says: "belongs to +4930999999, not to +4930000000",
    next: "copy the phone number id of +4930000000",
  },
  // The number
  {
    name: "a number that is not registered",
    spoil: ({ row }) => Object.assign(row, { status: "PENDING" }),
    says: "is not registered with the Cloud API",
    next: "with its two-step PIN (API Setup",
  },
  {
    name: "a number that is still on the On-Premises API",
    spoil: ({ row }) => Object.assign(row, { platform_type: "ON_PREMISE" }),
    says: "is still registered with the On-Premises API",
    next: "register it with the Cloud API",
  },
  {
    name: "one of Meta's test numbers",
    spoil: ({ row }) => Object.assign(row, { account_mode: "SANDBOX" }),
    level: "warning",
    says: "is one of Meta's test numbers",
    next: "add a real number",
  },
  {
    name: "a number without a two-step PIN",
    spoil: ({ row }) => Object.assign(row, { is_pin_enabled: false }),
    level: "warning",
    says: "has no two-step PIN",
    next: "set a PIN in WhatsApp Manager",
  },
  {
    name: "a number that is not verified",
    spoil: ({ row }) => Object.assign(row, { status: "UNVERIFIED" }),
    says: "is not verified",
    next: "enter the code",
  },
  {
    name: "a disconnected number whose PIN may be forgotten",
    spoil: ({ row }) => Object.assign(row, { status: "DISCONNECTED" }),
    says: "is disconnected from the Cloud API",
    next: "a forgotten PIN is reset",
  },
  {
    name: "a banned number",
    spoil: ({ row }) => Object.assign(row, { status: "BANNED" }),
    says: "is banned",
    next: "appeal",
  },
  {
    name: "a number that has moved to another account",
    spoil: ({ row }) => Object.assign(row, { status: "MIGRATED" }),
    says: "has moved to another WhatsApp account",
    next: "ids of the new account",
  },
  {
    name: "no payment method",
    spoil: ({ row }) =>
      Object.assign(row, {
        health_status: health("BLOCKED", "WABA", {
          error_code: 141006,
          error_description: "There is an error with the payment method.",
        }),
      }),
    says: "has no valid payment method",
    next: "add a payment method",
  },
  {
    name: "an app in development mode",
    spoil: ({ row }) => Object.assign(row, { health_status: health("BLOCKED", "APP") }),
    says: "development mode",
    next: "set the app to Live",
  },
  {
    name: "an app that WhatsApp never calls, whatever the cause",
    spoil: ({ sql }) =>
      sql(`DELETE FROM callbacks;
        INSERT INTO messages (workspace_id, number_id, origin, type, to_phone, from_phone, status, outcome_unknown, send_token,
          charged, rate, money, created_at, dispatched_at, sent_at)
        SELECT 1, 1, 'api', 'text', '+4915112345678', '+4930000000', 'sent', 0, 'x', 0, 0, 'none', at, at, at
        FROM (SELECT (unixepoch() - 1200) * 1000 AS at)`),
    says: "has reported on none of them",
    next: "set the app to Live",
    isCondition: false,
    others: ["callback"],
  },
  {
    name: "a business that is not verified",
    spoil: ({ row }) =>
      Object.assign(row, {
        health_status: health("LIMITED", "BUSINESS", {
          error_code: 141010,
          error_description: "Not verified.",
        }),
      }),
    level: "warning",
    says: "the business is not verified",
    next: "start the verification",
  },
  {
    name: "a declined display name",
    spoil: ({ row }) => Object.assign(row, { name_status: "DECLINED" }),
    level: "warning",
    says: "declined the display name",
    next: "enter another name",
  },
  {
    name: "quality RED at the lowest limit",
    spoil: ({ row }) =>
      Object.assign(row, { quality_rating: "RED", whatsapp_business_manager_messaging_limit: "TIER_250" }),
    level: "warning",
    says: "is the lowest, 250 people",
    next: "stop marketing",
  },
  {
    name: "quality RED",
    spoil: ({ row }) => Object.assign(row, { quality_rating: "RED" }),
    level: "warning",
    says: "is low (RED)",
    next: "send less for a week",
  },
  {
    name: "another sender that was seen on the number yesterday",
    spoil: ({ sql }) => sql("UPDATE numbers SET shared_since = (unixepoch() - 86400) * 1000"),
    level: "warning",
    says: "is shared: another sender has answered on it since",
    next: "waxwing number update 1 --shared no",
  },
  {
    name: "conversations that are passed to another sender, of which no copies arrive",
    spoil: ({ sql }) => sql("UPDATE numbers SET shared_since = 1, routed_since = 1"),
    level: "warning",
    says: "a STOP in one of them is not heard",
    next: "subscribe the app to the field standby",
  },
  {
    name: "a number that got messages every day, and none for days",
    spoil: ({ sql }) =>
      sql(`WITH RECURSIVE days (n) AS (VALUES (4) UNION ALL SELECT n + 1 FROM days WHERE n < 10)
        INSERT INTO number_days SELECT 1, (unixepoch() - n * 86400) / 86400 * 86400000 FROM days`),
    level: "warning",
    says: "got messages every day until",
    next: "whether another sender got the number's messages",
  },
  {
    name: "a number that a person stopped",
    spoil: ({ command }) => command("number", "unready", "1", "--reason", "stocktaking"),
    level: "warning",
    says: "stocktaking",
    next: "waxwing number ready 1",
  },
  {
    name: "an account that Meta restricted by callback",
    spoil: ({ sql }) =>
      sql(
        "UPDATE number_states SET restriction = 'Meta has restricted the account.', restriction_updated_at = unixepoch() * 1000; UPDATE numbers SET ready = 0, unready_by = 'network', unready_reason = 'Meta has restricted the account.'",
      ),
    says: "WhatsApp restricts +4930000000",
    next: "ask there for a review",
  },
  {
    name: "an alert that Meta sent",
    spoil: ({ sql }) =>
      sql("INSERT INTO number_notices VALUES (1, 'alert X', 'Meta reports X (CRITICAL).', unixepoch() * 1000)"),
    level: "warning",
    says: "Meta reports X (CRITICAL)",
    next: "waxwing number ready 1",
  },
  // The way back
  {
    name: "an app that is not subscribed to the account",
    spoil: ({ account }) => Object.assign(account, { subscribedApps: [{ id: "999", name: "Another app" }] }),
    says: `subscribed to the account ${ACCOUNT_ID}`,
    next: "waxwing doctor --subscribe",
  },
  {
    name: "an alternate callback address of the number",
    spoil: ({ row }) => Object.assign(row, { webhook_configuration: { phone_number: "https://old.example.com/hook" } }),
    says: "go to “https://old.example.com/hook”, because Meta has an alternate callback address for the number",
    next: /set it to https:.*\/networks\/whatsapp/,
  },
  {
    name: "an alternate callback address of the account",
    spoil: ({ account }) =>
      Object.assign(account.subscribedApps[0] as object, { overrideUrl: "https://agency.example.com/wa" }),
    says: "go to “https://agency.example.com/wa”, because Meta has an alternate callback address for the account",
    next: "subscribed_apps",
  },
  {
    name: "an app whose webhook is another server's",
    spoil: ({ account }) => Object.assign(account.webhook as object, { callbackUrl: "https://test.example.com/x" }),
    says: "sends its callbacks to “https://test.example.com/x”",
    next: "Configuration → Webhook, enter https:",
  },
  {
    name: "an app whose webhook is switched off",
    spoil: ({ account }) => Object.assign(account.webhook ?? {}, { isActive: false }),
    says: "is switched off",
    next: "WhatsApp → Configuration → Webhook",
  },
  {
    name: "an app without a webhook",
    spoil: ({ account }) => Object.assign(account, { webhook: null }),
    says: "has no webhook",
    next: "the verify token",
  },
  {
    name: "an app that is not subscribed to messages",
    spoil: ({ account }) => void account.webhook?.fields.splice(0, 1),
    says: "not subscribed to messages (statuses and received messages)",
    next: "Webhook fields",
  },
  {
    name: "an app that is not subscribed to marketing preferences",
    spoil: ({ account }) =>
      Object.assign(account, {
        webhook: {
          fields: (account.webhook?.fields ?? []).filter((field) => field !== "user_preferences"),
        },
      }),
    level: "warning",
    says: "not subscribed to user_preferences",
    next: "Webhook fields",
  },
  {
    name: "no public address",
    spoil: ({ settings }) => Object.assign(settings, { public_url: null }),
    says: "no public address",
    next: "set [server] public_url",
  },
  {
    name: "a public address without https",
    spoil: ({ settings, graphUrl }) => Object.assign(settings, { public_url: graphUrl, verify_token: null }),
    says: "https addresses only",
    next: "tls_cert",
  },
  {
    name: "no verify token",
    spoil: ({ settings }) => Object.assign(settings, { verify_token: null }),
    says: "There is no verify token",
    next: "set [whatsapp] verify_token",
  },
  {
    name: "a public address that cannot be reached",
    spoil: ({ settings }) => Object.assign(settings, { public_url: "https://127.0.0.1:9" }),
    says: "cannot be reached from this machine",
    next: "check DNS, certificate, firewall",
    isCondition: false,
  },
  {
    name: "a proxy that does not forward callbacks",
    spoil: ({ site }) => Object.assign(site, { answer: () => new Response("<html>404</html>", { status: 404 }) }),
    says: "answered HTTP 404 and not the challenge",
    next: "let the proxy forward /networks/",
    isCondition: false,
  },
  {
    name: "a clock that is an hour off",
    spoil: ({ setNetworkTime }) => setNetworkTime(Date.now() - HOUR_MS),
    says: "seconds off WhatsApp's",
    next: "timedatectl",
    isCondition: false,
  },
  {
    name: "callbacks that could not be read",
    spoil: ({ sql }) => sql(KEPT("unreadable", "unreadable: timestamp is not a time in seconds")),
    level: "warning",
    says: "1 callback could not be read. The newest: “unreadable: timestamp is not a time",
    next: "waxwing callback replay --state unreadable",
  },
  {
    name: "callbacks with a field that this version does not handle",
    spoil: ({ sql }) => sql(KEPT("unhandled", "unhandled: field holograms")),
    level: "warning",
    says: "field holograms",
    next: "waxwing callback list --state unhandled",
  },
];

interface Finding {
  id: string | null;
  level: string;
  check: string;
  message: string;
  next: string | null;
}

let workshop: Workshop;
let graph: Graph;
let callbackSite: Bun.Server<undefined>;
const account: GraphAccount = graphAccount();
const site: World["site"] = { answer: null };
const insecure = { allowed: true };
let now: number | null = null;
let networkTime: number | null = null;

const clock: Clock = { ...systemClock, now: () => now ?? systemClock.now() };

beforeAll(async () => {
  graph = await startGraph({ now: () => networkTime ?? clock.now(), account, accessToken: GRAPH_TOKEN });
  callbackSite = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1", tls: { key: TLS_KEY, cert: TLS_CERTIFICATE } },
    fetch(request) {
      const challenge = new URL(request.url).searchParams.get("hub.challenge") ?? "";
      return site.answer?.(challenge) ?? new Response(challenge);
    },
  });
  workshop = isLong ? new Workshop() : new CallingWorkshop();
  configure(rightSettings());
  const { id } = await workshop.json<{ id: number }>(["workspace", "create", ...SHOP]);
  workshop.write("token", `${GRAPH_TOKEN}\n`);
  const added = await workshop.json([
    ...["number", "add", "--workspace", String(id), "--phone", "+49 30 000000", "--name", "Shop"],
    ...["--network", "whatsapp", "--phone-number-id", NUMBER_ID, "--account-id", ACCOUNT_ID],
    ...["--token-file", workshop.path("token")],
  ]);
  expect(added).toMatchObject({ ready: true, problems: [] });
  sql("INSERT INTO callbacks (network, body, received_at, due_at, done_at) VALUES ('whatsapp', '{}', 1, 1, 1)");
  copyFileSync(workshop.path("data/waxwing.db"), workshop.path("right.db"));
});

afterAll(async () => {
  workshop[Symbol.dispose]();
  await callbackSite.stop(true);
  await graph[Symbol.asyncDispose]();
});

function sql(text: string): void {
  using database = new Database(workshop.path("data/waxwing.db"));
  database.run(text);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

function rightSettings(): Settings {
  return {
    ...{ graph_url: graph.url, api_version: null, app_secret: SECRET, verify_token: "word" },
    public_url: `https://127.0.0.1:${callbackSite.port}`,
  };
}

function configure({ public_url, ...whatsapp }: Settings): void {
  const lines = Object.entries(whatsapp).map(([key, value]) => (value === null ? "" : `${key} = "${value}"`));
  const server = public_url === null ? "" : `public_url = "${public_url}"`;
  workshop.write(
    "waxwing.toml",
    ["[alerts]", "none = true", "[whatsapp]", ...lines, "[server]", server, ""].join("\n"),
  );
}

async function broken({ spoil }: Pick<Case, "spoil">): Promise<Record<string, string>> {
  for (const suffix of ["-wal", "-shm"]) rmSync(workshop.path(`data/waxwing.db${suffix}`), { force: true });
  copyFileSync(workshop.path("right.db"), workshop.path("data/waxwing.db"));
  Object.assign(account, { id: undefined, ...graphAccount({ appSecret: SECRET }) });
  [site.answer, now, networkTime, insecure.allowed] = [null, null, null, true];
  const settings = rightSettings();
  configure(settings);
  const env: Record<string, string> = {};
  await spoil({
    ...{ account, settings, env, site, sql, insecure, graphUrl: graph.url },
    row: account.numbers[0] as GraphRow,
    command: async (...args) => {
      const ran = await call(args, {});
      if (!["0", "1"].includes(String(ran.code))) throw new Error(ran.stderr);
    },
    write: (name, content) => workshop.write(name, content),
    setNow: (at) => {
      now = at;
    },
    setNetworkTime: (at) => {
      networkTime = at;
    },
    callbackUrl: `https://127.0.0.1:${callbackSite.port}`,
  });
  configure(settings);
  return env;
}

/** The callback address has a certificate that signs itself. */
async function call(args: string[], env: Record<string, string>) {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  if (insecure.allowed) process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  try {
    return await workshop.run(args, { env, clock });
  } finally {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  }
}

async function findings(env: Record<string, string>): Promise<Finding[]> {
  const ran = await call(["doctor", "--json"], env);
  const { findings: found } = JSON.parse(ran.stdout) as { findings: Finding[] };
  expect(ran.code).toBe(found.some(({ level }) => level === "problem") ? 1 : 0);
  expect(ran.stdout).not.toContain(GRAPH_TOKEN);
  expect(ran.stdout).not.toContain(SECRET);
  return found;
}

test("the right set-up has nothing to report, in doctor and in status", async () => {
  const env = await broken({ spoil: () => {} });
  expect((await findings(env)).filter(({ level }) => level !== "ok")).toEqual([]);
  const { conditions } = JSON.parse((await call(["status", "--json"], env)).stdout) as { conditions: { id: string }[] };
  expect(conditions.filter(({ id }) => id !== "disk_low" && id !== "backup_off")).toEqual([]);
});

test.each(cases.filter(({ hasOwnTime }) => !(isLong && hasOwnTime)))(
  "doctor on $name: the cause stands first, once, with its next step",
  async (one) => {
    const env = await broken(one);
    const { level = "problem", says, next, isCondition = true, others = [] } = one;
    const wrong = (await findings(env)).filter((found) => found.level !== "ok");
    const [first] = wrong;
    expect(first?.message).toMatch(pattern(says));
    expect(first?.level).toBe(level);
    expect(first?.next).toMatch(pattern(next));
    expect(wrong.slice(1).map(({ check }) => check)).toEqual(others);
    if (!isCondition) return;
    await call(["number", "sync", "1"], env);
    const { conditions } = JSON.parse((await call(["status", "--json"], env)).stdout) as {
      conditions: { id: string; says: string; next: string }[];
    };
    const same = conditions.filter((condition) => condition.says === first?.message);
    expect(same).toMatchObject([{ next: first?.next }]);
  },
);

test("a number's local storage and its messaging account are shown", async () => {
  const shown = { storage: { status: "in_country_storage_enabled", data_localization_region: "IN" } };
  const env = await broken({
    spoil: ({ row }) => Object.assign(row, shown, { messaging_account_id: "100000000000777" }),
  });
  const said = (await findings(env)).filter(({ level }) => level === "ok").map(({ message }) => message);
  expect(said).toContain("WhatsApp keeps the messages of +4930000000 in “IN” (local storage).");
  expect(said).toContain("+4930000000 sends through the messaging account “100000000000777”.");
});

test("there are at least 40 broken set-ups", () => {
  expect(cases.length).toBeGreaterThanOrEqual(40);
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

function pattern(words: string | RegExp): RegExp {
  return words instanceof RegExp ? words : new RegExp(words.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
}

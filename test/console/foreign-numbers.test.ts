/**
 * What an owner of another workspace tries, over HTTP alone: to occupy the id of a number that is connected here, and to
 * sign callbacks for it.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { gzipSync } from "node:zlib";
import { type ConnectWorld, PUBLIC_URL, startConnecting } from "#test/support/connecting.ts";
import { person, type Visitor } from "#test/support/console.ts";
import {
  GRAPH_ACCOUNT_ID,
  GRAPH_APP_SECRET,
  GRAPH_PHONE_NUMBER_ID,
  GRAPH_TOKEN,
  sign,
  writeCallback,
} from "#test/support/graph.ts";
import { GRAPH_APP_ID, graphNumber } from "#test/support/graph-account.ts";
import { SIGN_UP_CONFIG_ID } from "#test/support/graph-sign-up.ts";
import type { Answered, TestWorkspace } from "#test/support/server.ts";

const VICTIM = GRAPH_PHONE_NUMBER_ID;
const VICTIM_PHONE = "+493023125012";
const OWN = "200000000000050";
const OWN_ACCOUNT = "100000000000050";
const OWN_SECRET = "app-secret-of-the-stranger";

interface Stranger {
  workspace: TestWorkspace;
  owner: Visitor;
  at: (path: string) => string;
}

async function strangerIn({ app }: ConnectWorld, name = "stranger"): Promise<Stranger> {
  const workspace = await app.workspace({ country: "DE", number: null, name });
  const owner = await person(app, `${name}@example.com`, "owner", workspace.id);
  return { workspace, owner, at: (path) => `/w/${workspace.id}${path}` };
}

/** What Meta shows to the stranger: these numbers, in an account of their own app. */
function showStranger({ account }: ConnectWorld, numbers: typeof account.numbers, id = OWN_ACCOUNT): void {
  Object.assign(account, { id, numbers, appSecret: OWN_SECRET });
  account.token.accountIds = [id];
}

async function connectOwn(world: ConnectWorld, { owner, at }: Stranger, id = OWN): Promise<number> {
  showStranger(world, [graphNumber(id, `+49 30 231250${id.slice(-2)}`)]);
  await owner.ask("PUT", at("/connection"), { token: GRAPH_TOKEN, app_secret: OWN_SECRET });
  const chosen = await owner.post(at("/connection/number"), { account_id: OWN_ACCOUNT, phone_number_id: id });
  expect([chosen.status, chosen.text]).toEqual([201, expect.stringContaining(id)]);
  return chosen.body.data.id;
}

interface Listed {
  id: number;
  phone: string;
  phone_number_id: string;
}

async function idsOf(owner: Visitor, at: (path: string) => string): Promise<string[]> {
  return ((await owner.get(at("/numbers"))).body.data as Listed[]).map((one) => one.phone_number_id);
}

describe("a number id that is connected cannot be occupied by another workspace", () => {
  let world: ConnectWorld;
  let stranger: Stranger;
  let victimId: number;
  let ownId: number;
  beforeAll(async () => {
    const app = { appId: GRAPH_APP_ID, signupConfigId: SIGN_UP_CONFIG_ID, appSecret: GRAPH_APP_SECRET };
    world = await startConnecting({ config: { whatsapp: app } });
    world.account.webhook = { callbackUrl: `${PUBLIC_URL}/networks/whatsapp`, fields: ["messages"] };
    victimId = await world.connect();
    stranger = await strangerIn(world);
    ownId = await connectOwn(world, stranger);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  /** Enters a token that shows the victim's number, and asks for it in this way. */
  const choose = (body: object) => async () => {
    const { owner, at } = stranger;
    showStranger(world, [graphNumber(VICTIM, "+49 30 23125012")]);
    await owner.ask("PUT", at("/connection"), { token: GRAPH_TOKEN, app_secret: OWN_SECRET });
    return owner.post(at("/connection/number"), { account_id: OWN_ACCOUNT, phone_number_id: VICTIM, ...body });
  };
  const spelled = (id: unknown) => choose({ phone_number_id: id });
  const access = (id: number, body: object) => () =>
    stranger.owner.ask("PUT", stranger.at(`/numbers/${id}/access`), {
      ...{ token: GRAPH_TOKEN, app_secret: OWN_SECRET },
      ...body,
    });
  const fullwidth = VICTIM.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
  const arabic = VICTIM.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)));
  /** The stranger's own number, as Meta shows it after it took the victim's id. */
  const showMoved = () => showStranger(world, [graphNumber(VICTIM, "+49 30 23125050")], "100000000000051");
  const taken = (answered: Answered): Answered => {
    expect(answered.body.error.code).toBe("already_connected");
    return answered;
  };
  const signUp = async (body: object) => {
    const { owner, at } = stranger;
    // The token that comes of it belongs to the server's app.
    world.account.appSecret = GRAPH_APP_SECRET;
    const begun = await owner.post(at("/connection/sign-up"), { keeps_app: false, ...body });
    const back = world.signUp.agree(new URL(begun.body.data.address).searchParams);
    return owner.post(at("/connection/sign-up/finish"), Object.fromEntries(back.searchParams));
  };

  const ways: readonly [name: string, tries: () => Promise<{ status: number }>][] = [
    ["as it is, with a token that shows it", spelled(VICTIM)],
    ["with a leading zero", spelled(`0${VICTIM}`)],
    ["with many leading zeros", spelled(VICTIM.padStart(30, "0"))],
    ["with more zeros than an id has digits", spelled(VICTIM.padStart(60, "0"))],
    ["after a space", spelled(` ${VICTIM}`)],
    ["before a space", spelled(`${VICTIM} `)],
    ["before a line break", spelled(`${VICTIM}\n`)],
    ["before a NUL", spelled(`${VICTIM}\0`)],
    ["with a no-break space", spelled(`\u00a0${VICTIM}`)],
    ["with a zero-width space inside", spelled(`${VICTIM.slice(0, 4)}\u200b${VICTIM.slice(4)}`)],
    ["in fullwidth digits", spelled(fullwidth)],
    ["in Arabic digits", spelled(arabic)],
    ["after a plus", spelled(`+${VICTIM}`)],
    ["as a decimal", spelled(`${VICTIM}.0`)],
    ["with an exponent", spelled("2.00000000000001e14")],
    ["in hexadecimal", spelled(`0x${Number(VICTIM).toString(16)}`)],
    ["as a number", spelled(Number(VICTIM))],
    ["in a list", spelled([VICTIM])],
    ["in an object", spelled({ id: VICTIM })],
    ["as a path", spelled(`${OWN}/../${VICTIM}`)],
    ["percent-encoded", spelled(encodeURIComponent(` ${VICTIM}`))],
    ["with a query", spelled(`${VICTIM}?fields=id`)],
    ["null", spelled(null)],
    ["in the account of its owner", choose({ account_id: GRAPH_ACCOUNT_ID })],
    ["as the account's id", choose({ account_id: VICTIM })],
    ["with a member that names a workspace", choose({ workspace_id: 1 })],
    [
      "by changing the own number",
      () =>
        stranger.owner.ask("PUT", stranger.at(`/numbers/${ownId}`), {
          ...{ name: "Mine", throughput: 80, phone_number_id: VICTIM },
        }),
    ],
    [
      "by changing the victim's number under the own workspace",
      () => stranger.owner.ask("PUT", stranger.at(`/numbers/${victimId}`), { name: "Mine", throughput: 80 }),
    ],
    [
      "by changing it under its own workspace",
      () => stranger.owner.ask("PUT", world.at(`/numbers/${victimId}`), { name: "Mine", throughput: 80 }),
    ],
    ["by another access for the victim's number", () => access(victimId, {})()],
    [
      "by moving the own number onto it",
      async () => {
        showMoved();
        return taken(await access(ownId, { move: true })());
      },
    ],
    [
      "by signing up at Meta again for the own number",
      async () => {
        showMoved();
        return taken(await signUp({ number_id: ownId }));
      },
    ],
    [
      "by signing up at Meta for the victim's number",
      () => stranger.owner.post(stranger.at("/connection/sign-up"), { keeps_app: false, number_id: victimId }),
    ],
    [
      "by choosing it after a sign-up at Meta",
      async () => {
        showStranger(world, [graphNumber(VICTIM, "+49 30 23125012")]);
        expect((await signUp({})).status).toBe(200);
        const body = { account_id: OWN_ACCOUNT, phone_number_id: VICTIM };
        return stranger.owner.post(stranger.at("/connection/number"), body);
      },
    ],
    [
      "by a simulated number that is given the id",
      () =>
        stranger.owner.post(stranger.at("/numbers"), {
          ...{ phone: "+493023125099", name: "Mine", phone_number_id: VICTIM },
        }),
    ],
    ["by removing it", () => stranger.owner.ask("DELETE", stranger.at(`/numbers/${victimId}`))],
    [
      "by an address for its callbacks",
      () => stranger.owner.post(stranger.at(`/numbers/${victimId}/callback-address`)),
    ],
    ["by setting up its callbacks", () => stranger.owner.post(stranger.at(`/numbers/${victimId}/webhook`))],
    ["by registering it", () => stranger.owner.post(stranger.at(`/numbers/${victimId}/register`), { pin: "123456" })],
  ];

  test.each([...ways])("%s", async (_, tries) => {
    const { status } = await tries();
    expect([status >= 400 && status < 500, status]).toEqual([true, status]);
    expect(await idsOf(stranger.owner, stranger.at)).toEqual([OWN]);
    const [kept] = (await world.owner.get(world.at("/numbers"))).body.data;
    expect(kept).toMatchObject({ id: victimId, phone: VICTIM_PHONE, phone_number_id: VICTIM, name: "Shop" });
  });

  test("there are at least 20", () => expect(ways.length).toBeGreaterThanOrEqual(20));
});

describe("a number id that is free", () => {
  test("is given to one of two workspaces that ask at the same moment", async () => {
    await using world = await startConnecting();
    const two = [await strangerIn(world, "first"), await strangerIn(world, "second")];
    showStranger(world, [graphNumber(VICTIM, "+49 30 23125012")]);
    for (const { owner, at } of two)
      await owner.ask("PUT", at("/connection"), { token: GRAPH_TOKEN, app_secret: OWN_SECRET });
    const body = { account_id: OWN_ACCOUNT, phone_number_id: VICTIM };
    const answers = await Promise.all(
      two.flatMap(({ owner, at }) => [
        owner.post(at("/connection/number"), body, { key: "0123456789abcdef" }),
        owner.post(at("/connection/number"), body, { key: "0123456789abcdef" }),
      ]),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, expect.any(Number)]));
    const ids = await Promise.all(two.map(({ owner, at }) => idsOf(owner, at)));
    expect(ids.flat()).toEqual([VICTIM]);
  });

  test("after its owner removed it is who shows it at Meta: nothing of before is theirs, and it is taken again", async () => {
    await using world = await startConnecting();
    const { owner, at, graph, clock, app } = world;
    const id = await world.connect();
    const from = (phone: string) => ({
      ...{ from: phone, id: `wamid.${phone}`, timestamp: String(Math.floor(clock.now() / 1_000)) },
      ...{ type: "text", text: { body: "Hi" } },
    });
    const threads = async (key: string) => (await app.call("GET", "/api/v1/conversations", { key })).body.data.length;
    await graph.callback(graph.inbound(from("4915112345678")));
    await clock.advance(0);
    expect((await owner.ask("DELETE", at(`/numbers/${id}`))).status).toBe(200);
    const stranger = await strangerIn(world);
    showStranger(world, [graphNumber(VICTIM, "+49 30 23125012")]);
    const entered = { token: GRAPH_TOKEN, app_secret: OWN_SECRET };
    await stranger.owner.ask("PUT", stranger.at("/connection"), entered);
    const body = { account_id: OWN_ACCOUNT, phone_number_id: VICTIM };
    expect((await stranger.owner.post(stranger.at("/connection/number"), body)).status).toBe(201);
    expect(await threads(stranger.workspace.key)).toBe(0);
    // The former secret signs nothing any more.
    expect(await graph.callback(graph.inbound(from("4915112345679")))).toBe(403);
    await graph.callback(graph.inbound(from("4915112345670")), { appSecret: OWN_SECRET });
    await clock.advance(0);
    expect([await threads(world.workspace.key), await threads(stranger.workspace.key)]).toEqual([1, 1]);
    await owner.ask("PUT", at("/connection"), entered);
    expect((await owner.post(at("/connection/number"), body)).status).toBe(400);
  });
});

/** A text to the number. `more` is beside the messages. */
function textTo(phoneNumberId: string, id: string, more: object = {}): { field: string; value: object } {
  return {
    field: "messages",
    value: {
      messaging_product: "whatsapp",
      metadata: { display_phone_number: "493023125012", phone_number_id: phoneNumberId },
      messages: [
        {
          ...{ from: `49151${String(10_000_000 + forged++)}`, id, timestamp: "1795248000" },
          ...{ type: "text", text: { body: "forged" } },
        },
      ],
      ...more,
    },
  };
}
let forged = 0;

interface Forgery {
  name: string;
  body: (sentId: string, reference: string) => string | Uint8Array;
  /** By default the stranger's own signature. */
  headers?: (body: Buffer) => Record<string, string>;
  /** How many messages reach the stranger's own number; 0 by default. */
  own?: number;
}

const toVictim = (accountId = GRAPH_ACCOUNT_ID) =>
  writeCallback(textTo(VICTIM, `wamid.forged.${forged}`), { accountId });
const by =
  (signature: (body: Buffer) => string, name = "x-hub-signature-256") =>
  (body: Buffer) => ({ [name]: signature(body) });
const hmac = (algorithm: string, secret: string, body: Buffer, form: "hex" | "base64" = "hex") =>
  createHmac(algorithm, secret).update(body).digest(form);
const envelope = (entries: string) => `{"object":"whatsapp_business_account","entry":[${entries}]}`;
const entryOf = (id: string, phoneNumberId: string) =>
  JSON.stringify({ id, changes: [textTo(phoneNumberId, `wamid.forged.${forged}`)] });
/** The stranger's own id stands in the body too, so that their secret is tried. */
const withDecoy = (body: string) => body.replace('{"object"', `{"x":"${OWN}","object"`);
const statusOf = (id: string, more: object = {}) =>
  writeCallback(
    {
      field: "messages",
      value: {
        messaging_product: "whatsapp",
        metadata: { display_phone_number: "493023125050", phone_number_id: OWN },
        statuses: [{ id, status: "failed", timestamp: "1795248000", errors: [{ code: 131026 }], ...more }],
      },
    },
    { accountId: OWN_ACCOUNT },
  );
const templateGone = {
  field: "message_template_status_update",
  value: {
    ...{ event: "REJECTED", message_template_id: 1, message_template_name: "greeting" },
    ...{ message_template_language: "en_US", reason: "SCAM" },
  },
};
const banned = {
  field: "account_update",
  value: { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "DISABLE" } },
};

const forgeries: readonly Forgery[] = [
  { name: "the stranger's own app secret", body: () => toVictim() },
  { name: "the stranger's app secret, and the stranger's account in the entry", body: () => toVictim(OWN_ACCOUNT) },
  { name: "the stranger's app secret, and the stranger's id as a decoy", body: () => withDecoy(toVictim()) },
  { name: "no signature", body: () => toVictim(), headers: () => ({}) },
  { name: "an empty signature", body: () => toVictim(), headers: by(() => "") },
  { name: "a signature without a sum", body: () => toVictim(), headers: by(() => "sha256=") },
  { name: "a signature of an empty secret", body: () => toVictim(), headers: by((body) => sign(body, "")) },
  { name: "a signature of the secret `null`", body: () => toVictim(), headers: by((body) => sign(body, "null")) },
  { name: "a signature of the token", body: () => toVictim(), headers: by((body) => sign(body, GRAPH_TOKEN)) },
  {
    name: "SHA-1 in its own header, even of the right secret",
    body: () => toVictim(),
    headers: by((body) => `sha1=${hmac("sha1", GRAPH_APP_SECRET, body)}`, "x-hub-signature"),
  },
  {
    name: "SHA-1 in the header of SHA-256, even of the right secret",
    body: () => toVictim(),
    headers: by((body) => `sha1=${hmac("sha1", GRAPH_APP_SECRET, body)}`),
  },
  {
    name: "SHA-512, even of the right secret",
    body: () => toVictim(),
    headers: by((body) => `sha512=${hmac("sha512", GRAPH_APP_SECRET, body)}`),
  },
  {
    name: "the right sum in base64",
    body: () => toVictim(),
    headers: by((body) => `sha256=${hmac("sha256", GRAPH_APP_SECRET, body, "base64")}`),
  },
  {
    name: "the right sum cut short",
    body: () => toVictim(),
    headers: by((body) => sign(body, GRAPH_APP_SECRET).slice(0, -2)),
  },
  {
    name: "the right sum without its prefix",
    body: () => toVictim(),
    headers: by((body) => sign(body, GRAPH_APP_SECRET).slice(7)),
  },
  {
    name: "the sum of another body",
    body: () => toVictim(),
    headers: by(() => sign(Buffer.from(toVictim()), GRAPH_APP_SECRET)),
  },
  {
    name: "the stranger's sum in capitals",
    body: () => withDecoy(toVictim()),
    headers: by((body) => `sha256=${hmac("sha256", OWN_SECRET, body).toUpperCase()}`),
  },
  {
    name: "two sums in one header",
    body: () => withDecoy(toVictim()),
    headers: by((body) => `${sign(body, OWN_SECRET)}, ${sign(body, GRAPH_APP_SECRET)}`),
  },
  {
    name: "entries of both numbers",
    body: () => envelope(`${entryOf(OWN_ACCOUNT, OWN)},${entryOf(GRAPH_ACCOUNT_ID, VICTIM)}`),
    own: 1,
  },
  {
    name: "changes of both numbers in one entry",
    body: () =>
      writeCallback([textTo(VICTIM, "wamid.both.1"), textTo(OWN, "wamid.both.2")], { accountId: OWN_ACCOUNT }),
    own: 1,
  },
  {
    name: "the stranger's number in the victim's account",
    body: () => envelope(entryOf(GRAPH_ACCOUNT_ID, OWN)),
    own: 1,
  },
  {
    name: "the number's id twice in one object, the victim's last",
    body: () => toVictim(OWN_ACCOUNT).replace('"phone_number_id":', `"phone_number_id":"${OWN}","phone_number_id":`),
  },
  {
    name: "the number's id twice in one object, the victim's first",
    body: () =>
      writeCallback(textTo(OWN, "wamid.twice"), { accountId: OWN_ACCOUNT }).replace(
        '"phone_number_id":',
        `"phone_number_id":"${VICTIM}","phone_number_id":`,
      ),
    own: 1,
  },
  {
    name: "the list of entries twice",
    body: () => envelope(entryOf(OWN_ACCOUNT, OWN)).replace(/}$/, `,"entry":[${entryOf(GRAPH_ACCOUNT_ID, VICTIM)}]}`),
  },
  {
    name: "the member's name in escapes",
    body: () => withDecoy(toVictim().replaceAll("phone_number_id", "phone_number_\\u0069d")),
  },
  {
    name: "the victim's id in escapes",
    body: () => withDecoy(toVictim().replaceAll(`"${VICTIM}"`, `"\\u0032${VICTIM.slice(1)}"`)),
  },
  {
    name: "the victim's id as a number",
    body: () => withDecoy(toVictim().replaceAll(`"${VICTIM}"`, VICTIM)),
  },
  {
    name: "the victim's id between spaces",
    body: () => withDecoy(toVictim().replaceAll(`"${VICTIM}"`, `" ${VICTIM} "`)),
  },
  {
    name: "the victim's id with a leading zero",
    body: () => withDecoy(toVictim().replaceAll(`"${VICTIM}"`, `"0${VICTIM}"`)),
  },
  {
    name: "the victim's phone number with the stranger's id",
    body: () => writeCallback(textTo(OWN, "wamid.phone"), { accountId: OWN_ACCOUNT }),
    own: 1,
  },
  {
    name: "gzip",
    body: () => gzipSync(Buffer.from(withDecoy(toVictim()))),
    headers: (body) => ({ "x-hub-signature-256": sign(body, OWN_SECRET), "content-encoding": "gzip" }),
  },
  { name: "a byte order mark before the body", body: () => `\ufeff${withDecoy(toVictim())}` },
  { name: "UTF-16", body: () => Buffer.from(withDecoy(toVictim()), "utf16le") },
  { name: "a second body after the first", body: () => `${envelope(entryOf(OWN_ACCOUNT, OWN))}\n${toVictim()}` },
  { name: "a report about the victim's message", body: (id) => statusOf(id) },
  {
    name: "a report about the victim's message with its reference",
    body: (id, reference) => statusOf(id, { biz_opaque_callback_data: reference }),
  },
  {
    name: "a report with the victim's reference about an unknown message",
    body: (_, reference) => statusOf("wamid.unknown", { biz_opaque_callback_data: reference }),
  },
  { name: "a rejection of the victim's template", body: () => withDecoy(writeCallback(templateGone)) },
  { name: "a ban of the victim's account", body: () => withDecoy(writeCallback(banned)) },
];

// With few secrets each is tried; with many, those of the ids that the body names.
describe.each([1, 6])("callbacks of a connected number cannot be signed by an owner of %p other numbers", (count) => {
  let world: ConnectWorld;
  let stranger: Stranger;
  let victimId: number;
  let sent: { networkId: string; reference: string; id: number };
  beforeAll(async () => {
    world = await startConnecting();
    victimId = await world.connect();
    const { owner, at, clock, graph } = world;
    const body = { to: "+4915112345678", template: "greeting", language: "en_US", variables: { body: ["Anna"] } };
    const answered = await clock.until(owner.post(at("/messages"), body));
    expect(answered.status).toBe(201);
    const [message] = graph.accepted;
    sent = { networkId: message?.id ?? "", reference: message?.reference ?? "", id: answered.body.data.id };
    stranger = await strangerIn(world);
    for (let index = 0; index < count; index += 1) await connectOwn(world, stranger, String(Number(OWN) + index));
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const post = async (body: string | Uint8Array, headers: Record<string, string>): Promise<number> => {
    const answer = await fetch(`${world.app.server.url}/networks/whatsapp`, {
      ...{ method: "POST", body: new Uint8Array(Buffer.from(body)) },
      headers: { "content-type": "application/json", ...headers },
    });
    await answer.text();
    await world.clock.advance(0);
    return answer.status;
  };
  const threads = async ({ key }: TestWorkspace): Promise<number> =>
    (await world.app.call("GET", "/api/v1/conversations?per_page=100", { key })).body.data.length;

  test.each([...forgeries])("$name", async ({ body: make, headers, own = 0 }) => {
    const body = Buffer.from(make(sent.networkId, sent.reference) as string);
    const before = [await threads(world.workspace), await threads(stranger.workspace)];
    const status = await post(body, headers?.(body) ?? { "x-hub-signature-256": sign(body, OWN_SECRET) });
    expect([200, 400, 403, 415]).toContain(status);
    const after = [await threads(world.workspace), await threads(stranger.workspace)];
    expect(after.map((now, index) => now - (before[index] ?? 0))).toEqual([0, own]);
    const { owner, at } = world;
    expect((await owner.get(at(`/messages/${sent.id}`))).body.data.status).toBe("sent");
    const [number] = (await owner.get(at("/numbers"))).body.data;
    expect(number).toMatchObject({ id: victimId, ready: true });
    const templates = (await owner.get(at("/templates"))).body.data as { status: string }[];
    expect(templates.map((one) => one.status)).toEqual(["APPROVED"]);
  });

  test("there are at least 20", () => expect(forgeries.length).toBeGreaterThanOrEqual(20));

  test("what Meta signs is heard once, however often it is repeated, and though the stranger used its id before", async () => {
    const body = writeCallback(textTo(VICTIM, "wamid.real"));
    const taken = Buffer.from(writeCallback(textTo(OWN, "wamid.real"), { accountId: OWN_ACCOUNT }));
    expect(await post(taken, { "x-hub-signature-256": sign(taken, OWN_SECRET) })).toBe(200);
    const before = await threads(world.workspace);
    for (const _ of ["once", "twice"]) {
      const status = await post(body, { "x-hub-signature-256": sign(Buffer.from(body), GRAPH_APP_SECRET) });
      expect([status, (await threads(world.workspace)) - before]).toEqual([200, 1]);
    }
    // The stranger repeats it under their own signature.
    await post(body, { "x-hub-signature-256": sign(Buffer.from(body), OWN_SECRET) });
    expect((await threads(world.workspace)) - before).toBe(1);
    const { graph, owner, at, clock } = world;
    const [message] = graph.accepted;
    if (message === undefined) throw new Error("the network accepted a message");
    expect(await graph.callback(graph.status(message, "delivered"))).toBe(200);
    await clock.advance(0);
    expect((await owner.get(at(`/messages/${sent.id}`))).body.data.status).toBe("delivered");
  });

  test("the verify token of the stranger does not verify for the victim, and no other form of the victim's does", async () => {
    const view = async (one: Pick<Stranger, "owner" | "at">) => (await one.owner.get(one.at("/connection"))).body.data;
    const [victims, strangers] = [await view(world), await view(stranger)];
    const ask = (token: string) =>
      world.app.call(
        "GET",
        `/networks/whatsapp?${new URLSearchParams({ "hub.mode": "subscribe", "hub.verify_token": token, "hub.challenge": "42" })}`,
      );
    await world.clock.advance(60_000);
    const [, , hash = ""] = strangers.verify_token.split("-");
    for (const token of [
      `ww-${world.workspace.id}-${hash}`,
      victims.verify_token.toUpperCase(),
      ` ${victims.verify_token}`,
      victims.verify_token.replace("ww-", "ww-0"),
    ])
      expect([token, (await ask(token)).status]).toEqual([token, 403]);
    expect((await ask(strangers.verify_token)).status).toBe(200);
    expect((await view(world)).verified_at).toBe(victims.verified_at);
    expect((await view(stranger)).verified_at).not.toBe(victims.verified_at);
  });
});

/**
 * A client written from the specification alone works in a workspace in which others use everything that came later: each
 * kind of message, each part of a template, each report of the network, later sending, further addresses, threads. It
 * reads all that it can after each, and gets the events, and notices none of it.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { accountEvents } from "#src/http/control/account.ts";
import type { PlayedType } from "#src/http/control/inbound-body.ts";
import { approvedTemplates } from "#test/support/approved-templates.ts";
import { kindCases } from "#test/support/message-kinds.ts";
import { type Receiver, startReceiver } from "#test/support/receiver.ts";
import { Workshop } from "../cli/spawn.ts";
import { type Call, calls, eventTypes, faultsOfAnswer, faultsOfEvent } from "./specification.ts";

const WRITER = "+442079460210";
const STRANGER = "+442079460888";
const USER_ID = "GB.13491208655302741918";
/** Known to the network by a user id alone. */
const NAMELESS = "GB.13491208655302741920";
const SHIPPED = { template: "order_shipped", variables: ["Asha", "A-1042"] };
const components = (text: string) => [{ type: "BODY", text }];

const workshop = new Workshop("[limits]\nrequests_per_second = 10000\nburst = 10000\n");
let ready: { base_url: string; number: string; api_key: string; control_url: string; control_token: string };
let receiver: Receiver;
let secret: string;
/** What the client saw of each kind, for what it must have met, and what it did not expect. */
const seen = { answers: [] as [Call, number, unknown][], codes: new Set<string>() };
const noticed: string[] = [];
const ownMessages: number[] = [];

async function call(url: string, key: string, method: string, body?: unknown) {
  const answer = await fetch(url.replaceAll("+", "%2B"), {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into member by member; a wrong one fails the assertion.
  return { status: answer.status, body: (await answer.json()) as any };
}

/** What others do; it must have an effect. */
async function control(path: string, body: object, method = "POST") {
  const answer = await call(ready.control_url + path, ready.control_token, method, body);
  if (answer.status >= 300)
    throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
async function other(method: string, path: string, body?: object) {
  const answer = await call(ready.base_url + path, ready.api_key, method, body);
  if (answer.status >= 300)
    throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}
const advance = (duration: string) => control("/clock", { advance: duration });
const play = (body: object) => control("/inbound", { from: WRITER, ...body });
const operate = (what: string, more: object = {}) => control("/operator", { do: what, ...more });
const later = async () => new Date(Date.parse((await other("GET", "/me")).time ?? now()) + 60_000).toISOString();
const now = () => new Date().toISOString();

/** One call of the client. */
async function client(of: Call, path: string, body?: object, key = ready.api_key) {
  const [method = ""] = of.split(" ");
  const answer = await call(ready.base_url + path, key, method, body);
  seen.answers.push([of, answer.status, answer.body]);
  if (answer.body.error !== undefined) seen.codes.add(answer.body.error.code);
  noticed.push(...faultsOfAnswer(of, answer.status, answer.body));
  return answer;
}

/** Everything that the client can read. */
async function readAll(): Promise<void> {
  await client("GET /me", "/me");
  for (const status of ["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"])
    await client("GET /templates", `/templates?status=${status}`);
  await client("GET /groups", "/groups");
  await client("GET /opt-outs", "/opt-outs");
  const { data: people } = (await client("GET /contacts", "/contacts")).body;
  for (const { phone } of people) await client("GET /contacts/{phone}", `/contacts/${phone}`);
  const { data: broadcasts } = (await client("GET /broadcasts", "/broadcasts")).body;
  for (const { id } of broadcasts.slice(0, 8)) {
    await client("GET /broadcasts/{id}", `/broadcasts/${id}`);
    await client("GET /broadcasts/{id}/recipients", `/broadcasts/${id}/recipients`);
  }
  for (const id of ownMessages.slice(-8)) await client("GET /messages/{id}", `/messages/${id}`);
}

/** What the client does all day. */
async function work(to = WRITER): Promise<void> {
  for (const body of [
    { text: "Your order is here." },
    SHIPPED,
    { template: "weekend_offer", variables: ["you", 20] },
  ]) {
    const { status, body: answer } = await client("POST /messages", "/messages", { to, ...body });
    if (status === 201) ownMessages.push(answer.data.id);
  }
  const list = { name: "Sale", template: "weekend_offer", variables: [{ field: "first_name", fallback: "you" }, "20"] };
  const numbers = [to, to, "12", "+442079460345"];
  const { body } = await client("POST /broadcasts", "/broadcasts", { ...list, to: numbers });
  await advance("10s");
  if (body.data !== undefined) await client("POST /broadcasts/{id}/cancel", `/broadcasts/${body.data.id}/cancel`);
  const path = `/contacts/${to}`;
  await client("PUT /contacts/{phone}", path, {
    city: "Leeds",
    birthday: "--02-29",
    people: [{ name: "Dr Mina Rao" }],
  });
  await readAll();
}

const played: Readonly<Record<PlayedType, object[]>> = {
  text: [{ text: "Hello" }, { from: NAMELESS, text: "Hello" }, { text: "Hi", referral: { source_id: "1" } }],
  image: [{ media: { mime_type: "image/png" }, text: "Look" }],
  video: [{}],
  audio: [{ media: { voice: true } }],
  document: [{ media: { filename: "a.pdf" } }],
  sticker: [{ media: { animated: true } }],
  location: [{ location: { latitude: 51.5, longitude: -0.1, name: "Shop" } }],
  contacts: [{ contacts: [{ name: "Anna", phone: "+442079460999" }] }],
  button: [{ button: { title: "Yes", payload: "yes" } }],
  interactive: [
    ...[{ button: { title: "Yes" } }, { list: { id: "1", title: "One" } }],
    { form: { name: "visit", values: { when: "noon" } } },
  ],
  reaction: [{ reaction: { inbound: 1, emoji: "👍" } }],
  order: [{ order: { items: [{ product: "a", quantity: 1, price: 2.5 }], currency: "GBP" } }],
  edit: [{ edited: { inbound: 1 }, text: "Hello!" }],
  revoke: [{ deleted: { inbound: 1 } }],
  unsupported: [{ unsupported: {} }],
  system: [{ system: { phone: "+442079460555" }, from: STRANGER }],
  standby: [{ text: "Are you open?" }],
  handover: [{ handover: "control_taken" }, { handover: "control_passed", text: "A refund, please" }],
  echo: [{ text: "We open at nine" }],
  history: [{ text: "Long ago", at: "2026-01-02T10:00:00Z" }],
  call: [{}, { answered: true }],
  preference: [{ preference: "stop" }, { preference: "resume" }],
  number_change: [{ from: STRANGER, new_phone: "+442079460889" }],
  user_id_change: [{ user_id: USER_ID, new_user_id: "GB.13491208655302741919" }],
};

const ofShipped = { template: "order_shipped", language: "en_US" };
const reports: Readonly<Record<(typeof accountEvents)[number], object[]>> = {
  template_category: [{ ...ofShipped, value: "MARKETING" }],
  template_quality: [ofShipped],
  template_status: [ofShipped, { ...ofShipped, value: { event: "APPROVED", reason: "NONE" } }],
  number_quality: [{}],
  limit: [{ value: "TIER_2K" }],
  capability: [{ value: "TIER_2K" }],
  alert: [{}],
  restriction: [{}],
  offboarded: [{}],
};

beforeAll(async () => {
  receiver = startReceiver();
  const shop = {
    ...{ name: "Corner Shop", country: "GB", timezone: "Europe/London", currency: "USD", rate: "0.0085" },
    ...{ balance: "100.00", numbers: [{ phone: "+442079460100", name: "Corner Shop" }] },
    templates: [
      {
        name: "order_shipped",
        language: "en_US",
        category: "UTILITY",
        components: components("Hi {{1}}, {{2}} is here."),
      },
      {
        ...{ name: "weekend_offer", language: "en_US", category: "MARKETING" },
        components: components("Hi {{1}}, everything is {{2}} percent off."),
      },
      ...Object.entries(approvedTemplates).map(([name, { category, components: parts, isNamed }]) => ({
        ...{ name, language: "en_US", category, components: parts },
        ...(isNamed === true ? { parameter_format: "NAMED" } : {}),
      })),
    ],
    groups: [{ name: "Birthdays", filter: { field: "birthday", within_days: 0 } }],
    contacts: [
      { phone: WRITER, name: "Asha Rao", consent: "opted_in", add_to_groups: ["Regulars"] },
      { phone: "+442079460345", name: "Vikram Mehta", consent: "opted_in", add_to_groups: ["Regulars"] },
    ],
  };
  const seed = workshop.write("seed.json", JSON.stringify({ workspaces: [shop] }));
  const { firstLine } = await workshop.start([
    "dev",
    "--json",
    "--listen",
    "127.0.0.1:0",
    "--config",
    workshop.path("waxwing.toml"),
    "--seed",
    seed,
  ]);
  ready = JSON.parse(firstLine);
  ({ secret } = await control("/webhook", { url: receiver.url }, "PUT"));
  await control("/clock", { freeze: true });
  await play({ text: "Hello" });
}, 60_000);
afterAll(async () => {
  workshop[Symbol.dispose]();
  await receiver[Symbol.asyncDispose]();
});

/** What others do in the client's workspace; after each, the client works. */
const features: Readonly<Record<string, () => Promise<void>>> = {
  "what people write, and what else reaches the number": async () => {
    for (const [type, bodies] of Object.entries(played)) {
      for (const body of bodies) await play({ type, ...body });
      await advance("2s");
    }
  },
  "every kind of message, now and later": async () => {
    await play({ text: "START" });
    for (const { body } of Object.values(kindCases)) await other("POST", "/messages", { to: WRITER, ...body });
    const sendAt = await later();
    for (const body of [{ text: "Later" }, SHIPPED]) {
      const { id } = await other("POST", "/messages", { to: WRITER, ...body, send_at: sendAt, cancel_on_reply: true });
      await other("POST", "/messages", { to: WRITER, ...body, send_at: sendAt, reference: "A-1" });
      await other("POST", `/messages/${id}/cancel`);
    }
    await advance("2m");
  },
  "every part of a template": async () => {
    for (const [name, { body, isSingle }] of Object.entries(approvedTemplates)) {
      await other("POST", "/messages", { to: "+442079460345", template: name, ...body });
      if (isSingle !== true)
        await other("POST", "/broadcasts", { name, template: name, to: ["+442079460345"], ...body });
    }
    await advance("1m");
  },
  "later broadcasts, paused and resumed, and one to a group": async () => {
    const sendAt = await later();
    const { data } = (await call(`${ready.base_url}/groups`, ready.api_key, "GET")).body;
    const regulars = data.find(({ name }: { name: string }) => name === "Regulars").id;
    const variables = ["you", "20"];
    const list = { template: "weekend_offer", variables, group: regulars };
    const { id } = await other("POST", "/broadcasts", { ...list, name: "Now" });
    await operate("pause_broadcast", { id });
    await readAll();
    await operate("resume_broadcast", { id });
    await other("POST", "/broadcasts", { ...list, name: "Later", send_at: sendAt });
    await advance("2m");
  },
  "further addresses, bursts, another secret and the event log": async () => {
    await using crm = startReceiver();
    const made = await other("POST", "/webhooks", { url: crm.url, types: ["message.received", "contact.updated"] });
    await other("PATCH", `/webhooks/${made.id}`, { group_bursts: "8s" });
    await other("POST", `/webhooks/${made.id}/rotate-secret`, { overlap: "1h" });
    for (const text of ["One", "Two", "Three"]) await play({ text });
    await advance("10s");
    await other("DELETE", `/webhooks/${made.id}`);
    await other("GET", "/events?per_page=500");
    await operate("send_test_event");
  },
  "conversations with notes, and threads that others own": async () => {
    const [{ id }] = await other("GET", "/conversations");
    await other("POST", `/conversations/${id}/notes`, { text: "Wants a refund" });
    await other("PATCH", `/conversations/${id}`, { state: "done" });
    await other("POST", `/conversations/${id}/thread`, { action: "pass" });
    await client("POST /messages", "/messages", { to: WRITER, text: "Are you there?" });
    await other("POST", `/conversations/${id}/thread`, { action: "take" });
  },
  "many contacts at once, an erasure, and doubts about consent": async () => {
    const items = [
      { phone: "+442079460601", name: "Nina" },
      { phone: "+442079460602", consent: "opted_in" },
    ];
    await other("PUT", "/contacts", { contacts: items } as object);
    await play({ from: "+442079460601", text: "Please stop sending me this" });
    await operate("erase_contact", { phone: "+442079460602" });
    await play({ from: "+442079460345", text: "STOP" });
    await advance("1s");
    await play({ from: "+442079460345", text: "START" });
    await client("POST /contacts/{phone}/opt-out", "/contacts/+442079460603/opt-out");
    await client("PUT /contacts/{phone}", "/contacts/+442079460603", { consent: "opted_in" });
    await client("POST /messages", "/messages", { to: "+442079460603", text: "Hello" });
  },
  "what the network does wrong": async () => {
    const to = "+442079460345";
    for (const then of [
      { refuse: 131049 },
      { refuse: 131056 },
      { throttle: "2s" },
      { outage: "3s" },
      { status: "failed", code: 131026 },
    ]) {
      await control("/rules", { match: { to }, times: 1, then });
      await client("POST /messages", "/messages", { to, ...SHIPPED });
      await advance("30s");
    }
  },
  "wrong requests": async () => {
    await client("GET /me", "/me", undefined, "wx_wrong");
    await client("POST /messages", "/messages", { to: "12", ...SHIPPED });
    await client("POST /messages", "/messages", { to: WRITER, template: "order_shipped" });
    await client("POST /messages", "/messages", { to: WRITER, template: "nothing" });
    await client("POST /messages", "/messages", { to: 12 });
    await client("POST /messages", "/messages", { to: "+442079460777", text: "Hello" });
    await client("GET /messages/{id}", "/messages/999999");
    await client("PUT /contacts/{phone}", `/contacts/${WRITER}`, { birthday: "31/02/1990", fields: { nothing: 1 } });
  },
  "what happens to the account": async () => {
    await operate("decide_template", { name: "weekend_offer", language: "en_US", status: "REJECTED", reason: "no" });
    await operate("decide_template", { name: "weekend_offer", language: "en_US", status: "APPROVED" });
    for (const [event, bodies] of Object.entries(reports)) {
      for (const body of bodies) await control("/account", { event, ...body });
      await readAll();
    }
  },
};

test("others use everything that came later, and the client does not notice", async () => {
  for (const [name, use] of Object.entries(features)) {
    await use();
    await work();
    const faults = [...new Set(noticed)];
    expect({ name, faults }).toEqual({ name, faults: [] });
  }
  await advance("10s");
  const events = receiver.received;
  const faults = events.flatMap(({ body, headers }) => faultsOfEvent(body, headers.get("service-signature"), secret));
  expect([...new Set(faults)]).toEqual([]);
  // It has met what it knows.
  const types = new Set(events.map(({ event }) => event.type));
  expect(eventTypes.filter((type) => !types.has(type))).toEqual([]);
  const met = new Set(seen.answers.map(([of]) => of));
  expect(calls.filter((of) => !met.has(of))).toEqual([]);
  for (const code of ["thread_owned_elsewhere", "opted_out", "window_closed", "whatsapp_error"])
    expect([...seen.codes]).toContain(code);
}, 120_000);

test("what is missing, of another type or outside of its list is noticed", () => {
  const [, status, body] = seen.answers.find(([of, code]) => of === "POST /messages" && code === 201) ?? raise();
  const { data } = body as { data: Record<string, unknown> };
  const noticedIn = (change: (name: string) => object): string[] =>
    Object.keys(data).filter((name) => faultsOfAnswer("POST /messages", status, { data: change(name) }).length > 0);
  const members = ["id", "to", "from", "type", "template", "text", "status", "error", "charged"];
  const times = ["created_at", "sent_at", "delivered_at", "read_at"];
  const all = [...members, ...times].toSorted();
  expect(noticedIn((name) => ({ ...data, [name]: undefined })).toSorted()).toEqual(all);
  expect(noticedIn((name) => ({ ...data, [name]: [7] })).toSorted()).toEqual(all);
  expect(faultsOfAnswer("POST /messages", 201, { data: { ...data, status: "scheduled" } })).toHaveLength(1);
  expect(faultsOfAnswer("POST /messages", 202, body)).not.toEqual([]);
  const error = { code: "opted_out", message: "No.", since: "2026-11-27T12:34:35+00:00" };
  expect(faultsOfAnswer("POST /messages", 422, { error })).toEqual([]);
  expect(faultsOfAnswer("POST /messages", 409, { error })).toHaveLength(1);
  expect(faultsOfAnswer("POST /messages", 422, { error: { ...error, code: "asleep" } })).not.toEqual([]);
  const [event] = receiver.received;
  expect(faultsOfEvent(event?.body ?? "", "t=1,v1=00", secret)).toHaveLength(1);
});

function raise(): never {
  throw new Error("the client has sent nothing");
}

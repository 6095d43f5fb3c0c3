/**
 * A client written from the first specification of the interface alone, whose author trusts it: each object with exactly
 * its types, each list of values closed, each refusal with the status of its code. It notes what it did not expect. It
 * skips members and types of events that it does not know, as the specification asks. What it may meet beyond is
 * `BEYOND`, and nothing else.
 */
import { createHmac } from "node:crypto";

type Json = Readonly<Record<string, unknown>>;
/** What is wrong with a value; null: nothing. */
type Type = (value: unknown, at: string, note: (fault: string) => void) => void;

/** What the reference of this server names beside the specification. */
const BEYOND = {
  /** An object that another program made with a member which the specification does not have. */
  messageTypes: ["image", "video", "audio", "document", "sticker", "location", "contacts", "interactive", "reaction"],
  codes: { thread_owned_elsewhere: 422, unavailable: 503 },
};

const is =
  (name: string, test: (value: unknown) => boolean): Type =>
  (value, at, note) => {
    if (!test(value)) note(`${at}: ${JSON.stringify(value)} is not ${name}`);
  };
const text = is("a string", (value) => typeof value === "string");
const integer = is("an integer", Number.isSafeInteger);
const boolean = is("a boolean", (value) => typeof value === "boolean");
const matching = (name: string, pattern: RegExp) =>
  is(name, (value) => typeof value === "string" && pattern.test(value));
const time = matching("a date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
const money = matching("a decimal", /^-?\d+\.\d+$/);
const phone = matching("a number in E.164", /^\+[1-9]\d{6,14}$/);
const day = matching("a date", /^(\d{4}|-)-\d\d-\d\d$/);
const among = (...values: string[]) => is(`one of ${values.join(", ")}`, (value) => values.includes(value as string));
const nullable =
  (type: Type): Type =>
  (value, at, note) => {
    if (value !== null) type(value, at, note);
  };
const list =
  (type: Type): Type =>
  (value, at, note) => {
    if (!Array.isArray(value)) return note(`${at}: not a list`);
    value.forEach((one, index) => void type(one, `${at}[${index}]`, note));
  };
const record = is("an object", (value) => typeof value === "object" && value !== null && !Array.isArray(value));
/** Each member is there; further ones are skipped. `optional`: each may be missing. */
const object =
  (members: Readonly<Record<string, Type>>, optional: Readonly<Record<string, Type>> = {}): Type =>
  (value, at, note) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return note(`${at}: not an object`);
    const given = value as Json;
    for (const [name, type] of Object.entries(members)) {
      if (name in given) type(given[name], `${at}.${name}`, note);
      else note(`${at}.${name}: missing`);
    }
    for (const [name, type] of Object.entries(optional)) if (name in given) type(given[name], `${at}.${name}`, note);
  };

const sources = ["inbound_message", "manual", "bulk", "import", "api"];
const page = object({ page: integer, per_page: integer, total: integer, has_more: boolean });
const workspace = object({
  ...{ id: integer, name: text, country: text, timezone: text },
  numbers: list(object({ phone, name: text, ready: boolean })),
  billing: nullable(object({ currency: text, available: money, rate: money })),
});
const ofTemplate = object({ name: text, language: text });
const message = (...types: string[]) =>
  object({
    ...{ id: integer, to: phone, from: phone, type: among(...types), template: nullable(ofTemplate), text },
    status: among("sent", "delivered", "read", "failed"),
    error: nullable(object({ message: text, whatsapp_code: text })),
    ...{ charged: boolean, created_at: time, sent_at: nullable(time) },
    ...{ delivered_at: nullable(time), read_at: nullable(time) },
  });
const ownMessage = message("template", "text");
const counts = Object.fromEntries(
  ["total", "sent", "delivered", "read", "failed", "skipped"].map((name) => [name, integer]),
);
const broadcastMembers = {
  ...{ id: integer, name: text, status_reason: nullable(text), template: ofTemplate, from: phone },
  status: among("scheduled", "queueing", "running", "paused", "completed", "cancelled", "failed"),
  ...{ counts: object(counts), charged: nullable(money), send_at: nullable(time), started_at: nullable(time) },
  ...{ completed_at: nullable(time), created_at: time },
};
const broadcast = object(broadcastMembers);
const skip = object(
  {
    to: text,
    reason: among("opted_out", "invalid_number", "duplicate", "no_opt_in", "missing_variable", "daily_cap"),
  },
  { since: time },
);
const createdBroadcast = object({ ...broadcastMembers, requested: integer, skipped: list(skip) });
const recipient = object({
  // Beyond: the user id of a person without a known number, in a broadcast to a group.
  ...{ to: text, reason: nullable(text) },
  status: among("pending", "queued", "sending", "sent", "delivered", "read", "failed", "skipped"),
  ...{ sent_at: nullable(time), delivered_at: nullable(time), read_at: nullable(time) },
});
const person = object({ name: text }, { first_name: nullable(text), birthday: nullable(day), ref: nullable(text) });
const contact = (ofNumber: Type) =>
  object({
    phone: ofNumber,
    ...Object.fromEntries(
      ["name", "first_name", "last_name", "email", "city", "state", "postal_code", "company"].map((name) => [
        name,
        nullable(text),
      ]),
    ),
    ...{ birthday: nullable(day), anniversary: nullable(day), fields: record, people: list(person), tags: list(text) },
    groups: list(object({ id: integer, name: text })),
    consent: object({
      status: among("opted_in", "opted_out", "unknown"),
      ...{ source: nullable(text), at: nullable(time) },
    }),
    ...{ last_message_from_them_at: nullable(time), created_at: time, updated_at: time },
  });
const optOut = object({ phone, opted_out_at: time, source: among(...sources) });
const group = object({ id: integer, name: text, type: among("static", "dynamic"), count: integer });
const template = object(
  {
    ...{ name: text, language: text, sendable: boolean, text },
    category: among("MARKETING", "UTILITY", "AUTHENTICATION"),
    status: among("APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"),
    variables: object({ header: integer, body: integer }),
  },
  { media: nullable(object({ type: among("image", "video", "document"), default: boolean })) },
);
/** In events, a person whom the network names by a user id alone has no number. */
const eventContact = contact(nullable(phone));
const inbound = object({ id: integer, from: nullable(phone), type: text, text: nullable(text), received_at: time });

const ofMessage = object({ message: message("template", "text", ...BEYOND.messageTypes) });
/** By type of event: its `data`. Other types are skipped. */
const events: Readonly<Record<string, Type>> = {
  ...{ "message.sent": ofMessage, "message.delivered": ofMessage },
  ...{ "message.read": ofMessage, "message.failed": ofMessage },
  "message.received": object({ message: inbound, contact: eventContact }),
  "contact.opted_out": object({ contact: eventContact }),
  "contact.opted_in": object({ contact: eventContact }),
  "broadcast.finished": object({ broadcast }),
  "template.approved": object({ template }),
  "template.rejected": object({ template }),
  "webhook.test": record,
};
export const eventTypes = Object.keys(events);

const codes: Readonly<Record<string, number>> = {
  ...{ invalid_request: 400, unauthenticated: 401, insufficient_balance: 402, api_not_enabled: 403 },
  ...{ workspace_suspended: 403, not_found: 404, idempotency_conflict: 409, opted_out: 422, invalid_number: 422 },
  ...{ window_closed: 422, template_not_found: 422, template_not_sendable: 422, missing_variable: 422 },
  ...{ missing_media: 422, unsupported_template: 422, number_not_ready: 422, not_cancellable: 422 },
  ...{ rate_limited: 429, whatsapp_error: 502, ...BEYOND.codes },
};
const errorMembers: Readonly<Record<string, Readonly<Record<string, Type>>>> = {
  invalid_request: { fields: record },
  opted_out: { since: time },
  insufficient_balance: { needed: money, available: money },
  whatsapp_error: { whatsapp_code: text },
};

/** What each call answers: the status of a success, and its `data`. */
const answers = {
  "GET /me": [[200], workspace],
  "POST /messages": [[201], ownMessage],
  "GET /messages/{id}": [[200], ownMessage],
  "GET /broadcasts": [[200], list(broadcast)],
  "POST /broadcasts": [[202], createdBroadcast],
  "GET /broadcasts/{id}": [[200], broadcast],
  "GET /broadcasts/{id}/recipients": [[200], list(recipient)],
  "POST /broadcasts/{id}/cancel": [[200], broadcast],
  "GET /contacts": [[200], list(contact(phone))],
  "GET /contacts/{phone}": [[200], contact(phone)],
  "PUT /contacts/{phone}": [[200, 201], contact(phone)],
  "POST /contacts/{phone}/opt-out": [[200], contact(phone)],
  "GET /opt-outs": [[200], list(optOut)],
  "GET /templates": [[200], list(template)],
  "GET /groups": [[200], list(group)],
} as const satisfies Record<string, readonly [readonly number[], Type]>;
export type Call = keyof typeof answers;
export const calls = Object.keys(answers) as Call[];
const lists: readonly Call[] = [
  ...(["GET /broadcasts", "GET /broadcasts/{id}/recipients", "GET /contacts"] as const),
  ...(["GET /opt-outs", "GET /templates", "GET /groups"] as const),
];

/** What of an answer the client did not expect. */
export function faultsOfAnswer(call: Call, status: number, body: unknown): string[] {
  const faults: string[] = [];
  const note = (fault: string): void => void faults.push(`${call}: ${fault}`);
  const [statuses, type] = answers[call];
  if ((statuses as readonly number[]).includes(status)) {
    object({ data: type, ...(lists.includes(call) ? { meta: page } : {}) })(body, "answer", note);
    return faults;
  }
  const { code } = ((body as { error?: Json } | null)?.error ?? {}) as { code?: string };
  const of = code === undefined ? {} : (errorMembers[code] ?? {});
  object({ error: object({ code: among(...Object.keys(codes)), message: text, ...of }) })(body, "answer", note);
  if (code !== undefined && codes[code] !== status) note(`${code} with the status ${status}`);
  return faults;
}

/** What of an event's request the client did not expect. */
export function faultsOfEvent(body: string, signature: string | null, secret: string): string[] {
  const faults: string[] = [];
  const [, at, hash] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature ?? "") ?? [];
  const isRight = hash === createHmac("sha256", secret).update(`${at}.${body}`).digest("hex");
  if (!isRight) faults.push(`an event: the signature ${signature} is not right`);
  const event: unknown = JSON.parse(body);
  const { type = "" } = event as { type?: string };
  const note = (fault: string): void => void faults.push(`${type}: ${fault}`);
  object({ id: text, type: text, created_at: time, data: events[type] ?? record })(event, "event", note);
  return faults;
}

/**
 * The next request, from chance alone: it never depends on an answer, so the same seed gives the same requests in the
 * same order. Most requests are for an endpoint of the document; the rest are for everything around them.
 */
import {
  type OpenApiDocument,
  type OperationObject,
  ownParameters,
  type ParameterObject,
} from "#src/http/api/openapi/document.ts";
import { type BodyMaker, nearlyValid, validBody } from "./body.ts";
import type { Chance } from "./chance.ts";
import { hostileBodies, hostileTexts, type Loose, writeJson } from "./json.ts";
import type { FuzzRequest } from "./request.ts";

const PREFIX = "/api/v1";

export interface GeneratorInput {
  document: OpenApiDocument;
  keys: readonly string[];
  cursors: readonly string[];
}

interface Operation {
  name: string;
  method: string;
  path: string;
  parameters: readonly ParameterObject[];
  body: OperationObject["requestBody"];
}

const people = [
  "0010",
  "0020",
  "0130",
  "0550",
  "1170",
  "0001",
  "0002",
  "0003",
  "0004",
  "0005",
  "0006",
  "0007",
  "0008",
  "0009",
];
const phones: readonly string[] = [
  ...people.map((end) => `+91987654${end}`),
  "+919876540010",
  "098765 40010",
  "+4915112345678",
  "004915112345678",
  "+1 (415) 555-2671",
  "+5511987654321",
  "+551187654321",
  "+5215512345678",
  "+5491123456789",
  "12345",
  "+999999999999",
  "nobody",
];

/** Contacts from the start. */
const present = ["+919876540010", "+919876540030", "+919876540130"];

const known = {
  to: phones,
  "to[]": phones,
  with: phones,
  template: [
    "plain",
    "plain",
    "plain",
    "offer",
    "shipped",
    "headed",
    "pictured",
    "filed",
    "code",
    "flow",
    "carousel",
    "resting",
    "refused",
    "none",
    "location",
  ],
  language: ["en_US", "en_US", "hi", "en", "xx", ""],
  from: ["+911244001100", "+911244001100", "01244 001100", "+911244001101", "+911244001199", "+4915112345678"],
  link: [
    "https://a.example/x.jpg",
    "https://a.example/x.pdf",
    "http://a.example/",
    "ftp://x/",
    "https://",
    "javascript:alert(1)",
  ],
  filename: ["bill.pdf", "a/b\\c.pdf", "x".repeat(300), ""],
  group: [1, 2, 3, 10, 62, 9_999, 2 ** 53],
  field: ["first_name", "name", "city", "tier", "points", "__proto__", "phone", "fields.tier", ""],
  send_at: [
    "2026-11-21T09:00:00Z",
    "2026-11-22T00:00:00",
    "2026-11-21",
    "2026-11-21T07:58:00Z",
    "2027-02-29",
    "2020-01-01T00:00:00Z",
  ],
  birthday: ["1990-02-28", "--02-29", "29/02/2000", "2000-13-01", "", null],
  anniversary: ["1990-02-28", "--02-29", "31/12/1999", "x", null],
  email: ["a@b.example", "a@b", "not an address", "", null],
  "add_to_groups[]": [1, 2, 61, 62, "Group 1", "group 1", "New group", "", 0, -1],
  "remove_from_groups[]": [1, 2, "Group 1", 9_999],
  "add_tags[]": ["vip", "VIP", "new", "", "x".repeat(192)],
  "*": ["tier", "points", "joined", "vip", "note", "unknown", "__proto__"],
};

/** Bodies that succeed, by operation. */
const working: Readonly<Record<string, (chance: Chance) => Loose>> = {
  "POST /messages": (chance) => {
    const to = anybody(chance);
    return chance.pick<Loose>([
      { to, template: "plain" },
      { to, template: "offer" },
      { to, template: "plain", send_at: "2026-11-21T07:58:00Z", cancel_on_reply: true },
      { to, template: "shipped", language: "en_US", variables: ["Asha", 10042] },
      { to, template: "headed", variables: { header: ["7"], body: ["Asha"] } },
      { to, template: "pictured", media: { link: "https://a.example/x.jpg" } },
      { to, template: "code", variables: ["123456"] },
      { to: "+919876540130", text: "Your table is ready." },
      { to: "+919876540130", media: { link: "https://a.example/x.jpg", caption: "It is ready." } },
      { to: "+919876540130", location: { latitude: 18.5, longitude: 73.9 } },
      { to: "+919876540130", interactive: { body: "Shall we?", buttons: [{ id: "y", title: "Yes" }] } },
    ]);
  },
  "POST /templates": (chance) => template(chance),
  "POST /templates/check": (chance) => template(chance),
  "PUT /templates/{name}/{language}": (chance) => {
    const { category, components } = template(chance);
    return { category, components };
  },
  "POST /broadcasts": (chance) => broadcast(chance),
  "POST /broadcasts/preview": (chance) => broadcast(chance),
  "PUT /contacts": (chance) => ({
    contacts: Array.from({ length: 1 + chance.below(6) }, () => ({
      phone: anybody(chance),
      ...contactChanges(chance),
    })),
  }),
  "PUT /contacts/{phone}": contactChanges,
  "POST /contacts/{phone}/different": (chance) => ({ with: chance.pick(present) }),
  "POST /contacts/{phone}/join": (chance) => ({ with: anybody(chance) }),
  "POST /webhooks": () => ({ url: "https://a.example/hooks" }),
  // With an overlap, an address outside would be asked.
  "POST /webhooks/{id}/rotate-secret": () => ({}),
  "PATCH /webhooks/{id}": () => ({ types: ["message.received"] }),
};

const FORM = "multipart/form-data; boundary=x";

/** A file, mostly one that is taken. */
function formBody(chance: Chance): Buffer {
  if (chance.happens(0.06)) return Buffer.from(chance.pick(hostileBodies));
  const name = chance.pick(["file", "file", "file", "File", "", "other"]);
  const filename = chance.pick(["a.txt", "a", "", '"', "../a.txt", "x".repeat(1_000)]);
  const head = `--x\r\ncontent-disposition: form-data; name="${name}"; filename="${filename}"\r\n\r\n`;
  const made = `${head}${chance.pick(["some text", "", "\u0000", "%PDF-1.7 "])}\r\n--x--\r\n`;
  return Buffer.from(chance.happens(0.1) ? made.slice(0, chance.below(made.length)) : made);
}

function contactChanges(chance: Chance): object {
  return chance.pick<object>([
    { name: "Asha Rao", city: "Pune", email: "asha@a.example", birthday: "1990-11-21" },
    { fields: { tier: "gold", points: 7, joined: "2020-02-29", vip: true, note: "x" } },
    { people: [{ name: "Dr Ravi Rao", birthday: "--11-21", ref: "r1" }, { name: "Mia" }] },
    { add_tags: ["vip"], remove_tags: ["new"], add_to_groups: [1, "Group 2"], remove_from_groups: ["Group 3"] },
    { consent: "opted_in" },
    { name: null, city: null, birthday: null },
  ]);
}

/** Requests opt contacts out all the time, so a fixed set of recipients would soon have opted out entirely. */
function anybody(chance: Chance): string {
  if (chance.happens(0.4)) return chance.pick(phones);
  const digits = String(chance.below(10_000)).padStart(4, "0");
  // Some of these are the simulator's own numbers: refused, throttled, never answered.
  const end = chance.happens(0.15) ? `000${1 + chance.below(9)}` : String(chance.below(10_000)).padStart(4, "0");
  return `+9197${digits}${end}`;
}

function template(chance: Chance): Record<string, Loose> {
  const name = `written_${chance.below(1_000)}`;
  const body = { type: "BODY", text: `Your parcel ${name} is {{1}} at the door.`, example: { body_text: [["now"]] } };
  const footer = chance.pick<Loose[]>([[], [{ type: "FOOTER", text: "Corner Shop" }]]);
  return { name, language: "en_US", category: "UTILITY", components: [body, ...footer] };
}

function broadcast(chance: Chance): Loose {
  const to = Array.from({ length: 1 + chance.below(6) }, () => anybody(chance));
  return chance.pick<Loose>([
    { name: "Offer", template: "offer", to },
    {
      name: "News",
      template: "shipped",
      language: "en_US",
      variables: [{ field: "first_name", fallback: "you" }, 5],
      to,
    },
    { name: "Group", template: "plain", group: 1 + chance.below(62) },
    { name: "Later", template: "plain", to, send_at: "2026-11-21T14:00:00+05:30" },
  ]);
}

const EVERY_METHOD = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "QUERY", "PROPFIND"];
const TYPES = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json; charset=utf-16",
  "application/jsonx",
  "APPLICATION/JSON ;",
  "application/json, text/plain",
  "*/*",
  ";",
];
const HEADERS: readonly (readonly [string, string])[] = [
  ["accept", "text/html"],
  ["accept-encoding", "gzip, br, zstd;q=-1"],
  ["content-encoding", "gzip"],
  ["expect", "200-ok"],
  ["x-request-id", "mine-1"],
  ["x-request-id", "bad id \u00ff"],
  ["x-forwarded-for", "127.0.0.1, ::1"],
  ["x-http-method-override", "DELETE"],
  ["range", "bytes=0-1"],
  ["if-none-match", "*"],
  ["cookie", `a=${"x".repeat(4_000)}`],
  ["upgrade", "websocket"],
  ["transfer-encoding", "identity"],
  ["origin", "null"],
  ["te", "trailers"],
  ["x-empty", ""],
  ["x-latin", "caf\u00e9 \u00a0\u0085"],
];

/** Paths that no endpoint has. */
const STRANGE_PATHS = [
  "/api/v1",
  "/api/v1/",
  "/api/v1//me",
  "/api/v1/me/",
  "/api/v1/ME",
  "/api/v1/me%2f",
  "/api/v1/%6de",
  "/api/v1/messages/1/",
  "/api/v1/messages/%00",
  "/api/v1/messages/%ff%fe",
  "/api/v1/messages/%",
  "/api/v1/contacts/%2e%2e%2fme",
  "/api/v1/../v1/me",
  "/api/v1/contacts/+91/../../me",
  "/api/v1/broadcasts/1/recipients/1",
  "/api/v1/__proto__",
  "/api/v1/constructor",
  "/api/v1/messages;id=1",
  "/api/v1/me\\..\\x",
];

/** The server's paths beside the API: none of these may fail either. */
const BESIDE_PATHS = [
  "/",
  "/docs",
  "/docs/",
  "/docs/openapi.json",
  "/docs/page.css",
  "/docs/../docs",
  "/healthz",
  "/readyz",
  "/metrics",
  "/favicon.ico",
  "/networks/whatsapp",
  "/networks/whatsapp?hub.mode=subscribe&hub.verify_token=x&hub.challenge=1",
  "/networks/whatsapp/",
  "/networks/whatsapp/%ff",
  "/networks/whatsapp/AAAAAAAAAAAAAAAAAAAAAA",
  "/console",
  "/api",
  "/api/v2/me",
  "/%",
  "/\u00e9",
];

const hostileCursors: readonly string[] = [
  '{"id":1}',
  '{"id":-1}',
  '{"id":1e308}',
  '{"id":null}',
  '{"id":"1"}',
  '{"id":[]}',
  "{}",
  "[]",
  '{"name":"a","id":1}',
  '{"name":"\\ud800","language":"\\u0000","id":1}',
  '{"at":1e300,"id":1}',
  '{"at":"x","id":{}}',
  '{"updatedAt":1,"id":1,"until":1e18,"seen":-1}',
  '{"name":5,"language":{}}',
  '{"__proto__":{"id":1}}',
  `{"name":"${"x".repeat(3_000)}"}`,
].map((text) => Buffer.from(text).toString("base64url"));

/** How many ids of the operation's kind the world has, from 1; of messages, only the first ones are scheduled. */
function idsIn(path: string): number {
  if (/^\/(webhooks|conversations)\//.test(path)) return 2;
  return path.endsWith("/cancel") ? 20 : 60;
}

/** In paths. These templates are sent by few requests, so they may be changed and deleted. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  name: ["resting", "refused", "location", "carousel", "none"],
  language: ["en_US", "en_US", "en_US", "en_US", "xx"],
};

export class Generator {
  readonly #input: GeneratorInput;
  readonly #operations: readonly Operation[];
  readonly #bodies: BodyMaker;

  constructor(input: GeneratorInput) {
    this.#input = input;
    this.#operations = Object.entries(input.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: ownParameters(one),
        body: one.requestBody,
      })),
    );
    this.#bodies = { schemas: input.document.components.schemas, known };
  }

  get operationNames(): string[] {
    return this.#operations.map(({ name }) => name);
  }

  next(chance: Chance): FuzzRequest {
    const kind = chance.next();
    if (kind < 0.05) return this.#beside(chance);
    if (kind < 0.08) return this.#broken(chance);
    if (kind < 0.12) return this.#nowhere(chance);
    return this.#meant(chance);
  }

  #meant(chance: Chance): FuzzRequest {
    const operation = chance.pick(this.#operations);
    // The more faults a request has, the less of the server it reaches: mostly only one.
    const isHostile = chance.happens(0.5);
    const target = PREFIX + this.#path(operation, chance, isHostile) + this.#query(operation, chance, isHostile);
    const headers: [string, string][] = [];
    const authorization = this.#authorization(chance);
    if (authorization !== null) headers.push(["authorization", authorization]);
    const idempotencyKey = this.#idempotencyKey(operation, chance);
    if (idempotencyKey !== null) headers.push(["idempotency-key", idempotencyKey]);
    let body: Buffer = Buffer.alloc(0);
    if (operation.body !== undefined) {
      const isForm = operation.body.content["multipart/form-data"] !== undefined;
      body = isForm ? formBody(chance) : this.#body(operation, chance);
      if (!chance.happens(0.01))
        headers.push(["content-type", chance.happens(0.03) ? chance.pick(TYPES) : isForm ? FORM : "application/json"]);
    } else if (chance.happens(0.05)) {
      body = Buffer.from(chance.pick(hostileBodies.filter((text) => text.length < 1_000)));
    }
    if (chance.happens(0.08)) headers.push([...chance.pick(HEADERS)]);
    const form = body.length > 0 && chance.happens(0.12) ? (chance.happens(0.15) ? "cut_short" : "chunked") : "plain";
    return { operation: operation.name, method: operation.method, target, headers, body, form, bytes: null };
  }

  #path({ path, parameters }: Operation, chance: Chance, isHostile: boolean): string {
    return path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const type = parameters.find((one) => one.name === name)?.schema.type;
      if (isHostile && chance.happens(0.3)) {
        const text = chance.pick(hostileTexts).toWellFormed().slice(0, 1_500);
        const encoded = encodeURIComponent(text === "" || /^\.+\/?/.test(text) ? "%" : text);
        return chance.happens(0.2) ? `${encoded}%ff%c0%80` : encoded;
      }
      if (type === "integer") {
        return String(
          chance.happens(0.85)
            ? 1 + chance.below(idsIn(path))
            : chance.pick([0, -1, "01", "1.0", "1e3", "9".repeat(30), 2 ** 53, "٣"]),
        );
      }
      return encodeURIComponent(chance.pick(NAMES[name] ?? phones));
    });
  }

  #query({ parameters }: Operation, chance: Chance, isHostile: boolean): string {
    const parts: string[] = [];
    for (const { name, schema } of parameters.filter((one) => one.in === "query")) {
      if (!chance.happens(0.3)) continue;
      parts.push(`${name}=${this.#queryValue(name, schema.enum, chance, isHostile)}`);
      if (chance.happens(0.05)) parts.push(`${name}=${chance.below(3)}`);
    }
    if (chance.happens(0.03))
      parts.push(chance.pick(["x=1", "&&&", "%", "=", "a[b]=c", "page[]=1", "__proto__=1", "+", "\u00e9=\u00e9"]));
    return parts.length === 0 ? "" : `?${parts.join("&")}`;
  }

  #queryValue(name: string, words: readonly unknown[] | undefined, chance: Chance, isHostile: boolean): string {
    if (isHostile && chance.happens(0.5))
      return encodeURIComponent(chance.pick(hostileTexts).toWellFormed().slice(0, 1_000));
    if (words !== undefined) return String(chance.pick(words));
    if (name === "wait") return "0";
    if (name === "types") return chance.pick(["message.sent", "message.read,message.failed", "message", ""]);
    if (name === "per_page") return String(chance.pick([1, 50, 500, 501, 0, "x"]));
    if (name === "signed" || name === "cursors") return chance.pick(["true", "false", "yes"]);
    if (name === "page") return String(chance.pick([1, 2, 3, 1_000_000, 0, -1, "1.5", 2 ** 53, "9".repeat(40)]));
    if (name === "after") {
      const cursor = chance.pick(chance.happens(0.5) ? this.#input.cursors : hostileCursors);
      return chance.happens(0.2) ? cursor.slice(0, chance.below(cursor.length)) : cursor;
    }
    return encodeURIComponent(
      chance.pick(["2026-11-21T08:00:00Z", "2026-11-21", "2026-11-21T13:30:00+05:30", "1970-01-01", "yesterday"]),
    );
  }

  #authorization(chance: Chance): string | null {
    const { keys } = this.#input;
    const first = keys[0] ?? "";
    if (chance.happens(0.94)) return `Bearer ${chance.happens(0.8) ? first : chance.pick(keys)}`;
    return chance.pick([
      null,
      "",
      "Bearer",
      "Bearer ",
      `bearer  ${first}`,
      `Basic ${first}`,
      `Bearer ${first}x`,
      first,
      `Bearer ${"x".repeat(8_000)}`,
      "Bearer \u00ff\u0080",
    ]);
  }

  #idempotencyKey({ parameters }: Operation, chance: Chance): string | null {
    if (!parameters.some(({ name }) => name === "Idempotency-Key") || !chance.happens(0.4)) return null;
    if (chance.happens(0.1))
      return chance.pick(["", " ", "x".repeat(100), "x".repeat(101), "\u00e9", "a,b", "\u00ff\u0080"]);
    // Few enough that many keys recur, with another body.
    return `key-${chance.below(500)}`;
  }

  #body({ name, body }: Operation, chance: Chance): Buffer {
    const schema = body?.content["application/json"]?.schema;
    if (schema === undefined || chance.happens(0.06)) {
      const bytes = Buffer.from(chance.pick(hostileBodies));
      return chance.happens(0.1) ? Buffer.concat([bytes, Buffer.from([0xff, 0xc0, 0x80])]) : bytes;
    }
    const examples = Object.values(body?.content["application/json"]?.examples ?? {});
    const works = working[name];
    const valid =
      works !== undefined && chance.happens(0.6)
        ? works(chance)
        : chance.happens(0.1)
          ? chance.pick(examples).value
          : validBody(this.#bodies, schema, chance);
    const made = writeJson(chance.happens(0.3) ? nearlyValid(valid, chance) : valid);
    if (!chance.happens(0.02)) return Buffer.from(made);
    return Buffer.from(made.slice(0, chance.below(made.length)));
  }

  #nowhere(chance: Chance): FuzzRequest {
    const method = chance.pick(EVERY_METHOD);
    const key = chance.happens(0.9) ? [["authorization", `Bearer ${this.#input.keys[0]}`] as const] : [];
    const path = chance.pick(chance.happens(0.5) ? STRANGE_PATHS : this.#operations.map((one) => PREFIX + one.path));
    // Methods that the document has for this path are tested elsewhere.
    const isKnown = this.#operations.some((one) => one.method === method && PREFIX + one.path === path);
    const used = isKnown ? "DELETE" : method;
    return {
      operation: null,
      method: used,
      target: path,
      headers: key,
      body: Buffer.alloc(0),
      form: "plain",
      bytes: null,
    };
  }

  #beside(chance: Chance): FuzzRequest {
    const method = chance.pick(["GET", "GET", "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"]);
    const body = method === "GET" || method === "HEAD" ? "" : chance.pick(hostileBodies);
    const headers: (readonly [string, string])[] = chance.some(HEADERS, 2);
    if (chance.happens(0.5))
      headers.push(["x-hub-signature-256", chance.pick(["", "sha256=", `sha256=${"0".repeat(64)}`, "x"])]);
    return {
      operation: null,
      method,
      target: chance.pick(BESIDE_PATHS),
      headers,
      body: Buffer.from(body),
      form: "plain",
      bytes: null,
    };
  }

  /** Requests that no client library would send. */
  #broken(chance: Chance): FuzzRequest {
    const key = `authorization: Bearer ${this.#input.keys[0]}\r\n`;
    const post = (headers: string, body: string): string =>
      `POST /api/v1/messages HTTP/1.1\r\nhost: x\r\n${key}content-type: application/json\r\n${headers}\r\n${body}`;
    const good = '{"to":"+919876540010","template":"plain"}';
    const text = chance.pick([
      "",
      "\r\n\r\n",
      "GET\r\n\r\n",
      "GET /api/v1/me\r\n\r\n",
      "GET /api/v1/me HTTP/9.9\r\nhost: x\r\n\r\n",
      "GET /api/v1/me HTTP/2.0\r\nhost: x\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
      "GET /api/v1/me HTTP/1.1\r\n\r\n",
      "GET /api/v1/me HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n",
      "GET http://elsewhere.example/api/v1/me HTTP/1.1\r\nhost: x\r\n\r\n",
      "GET * HTTP/1.1\r\nhost: x\r\n\r\n",
      "CONNECT elsewhere.example:443 HTTP/1.1\r\nhost: x\r\n\r\n",
      `GET /api/v1/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer a\u0000b\r\n\r\n`,
      `GET /api/v1/me HTTP/1.1\r\nhost: x\r\nbad header\u0001: x\r\n\r\n`,
      `GET /api/v1/me HTTP/1.1\r\nhost: x\r\n: empty\r\n\r\n`,
      `GET /api/v1/me HTTP/1.1\r\nhost: x\r\n folded: x\r\n\tmore\r\n\r\n`,
      `GET /api/v1/me HTTP/1.1\nhost: x\n\n`,
      `GET /api/v1/me?\u0000 HTTP/1.1\r\nhost: x\r\n\r\n`,
      `GET /${"a".repeat(70_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
      `GET /api/v1/me HTTP/1.1\r\nhost: x\r\n${"x: y\r\n".repeat(5_000)}\r\n`,
      post(`content-length: -1\r\n`, good),
      post(`content-length: 1e3\r\n`, good),
      post(`content-length: 99999999999999999999\r\n`, good),
      post(`content-length: ${good.length}\r\ncontent-length: 1\r\n`, good),
      post(`content-length: 1\r\n`, good),
      post(`content-length: 2000000\r\n`, good),
      post(`content-length: 5\r\ntransfer-encoding: chunked\r\n`, `29\r\n${good}\r\n0\r\n\r\n`),
      post("transfer-encoding: chunked\r\n", `zz\r\n${good}\r\n0\r\n\r\n`),
      post("transfer-encoding: chunked\r\n", `ffffffffffffffffff\r\n${good}\r\n`),
      post("transfer-encoding: chunked\r\n", `-1\r\n${good}\r\n0\r\n\r\n`),
      post("transfer-encoding: chunked\r\n", `5\r\n${good}\r\n0\r\n\r\n`),
      post("transfer-encoding: chunked\r\n", `29;a=b\r\n${good}\r\n0\r\nx-trailer: y\r\n\r\n`),
      post("transfer-encoding: gzip, chunked\r\n", "0\r\n\r\n"),
      post("transfer-encoding: chunked, identity\r\n", "0\r\n\r\n"),
      post("transfer-encoding: chunked\r\n", ""),
      post("expect: 100-continue\r\ncontent-length: 41\r\n", good),
      "POST /api/v1/messages HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n",
    ]);
    const bytes = Buffer.from(text, "latin1");
    // Replaces one byte anywhere.
    if (bytes.length > 0 && chance.happens(0.4)) bytes[chance.below(Math.min(bytes.length, 400))] = chance.below(256);
    return { operation: null, method: "GET", target: "", headers: [], body: Buffer.alloc(0), form: "broken", bytes };
  }
}

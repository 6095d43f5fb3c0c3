/**
 * What the simulated network takes and refuses, asked of its own tables with Meta's requests: each kind, each component of
 * a template and each type of file, at its limit and one over it, and without each member. The requests are those that
 * the tests of the connector compare with Meta's pages, so nothing here knows the tables.
 */
import { describe, expect, test } from "bun:test";
import { systemRandom } from "#src/core/random.ts";
import type { Content } from "#src/domain/messages/content.ts";
import { type RequestedName, readKind, requestedKinds } from "#src/domain/messages/kinds/kinds.ts";
import { evaluate } from "#src/networks/simulator/evaluate.ts";
import { context, type Shape, shapes } from "#src/networks/simulator/limits.ts";
import { templateShape } from "#src/networks/simulator/template-limits.ts";
import { refuseUpload, takeUpload } from "#src/networks/simulator/uploads.ts";
import { createPayload } from "#src/networks/whatsapp/payload.ts";
import { type ApprovedCase, approvedTemplates } from "#test/support/approved-templates.ts";
import { TestClock } from "#test/support/clock.ts";
import { kindCases, limitCases } from "#test/support/message-kinds.ts";

type Json = Record<string, unknown>;

const names = Object.keys(requestedKinds) as RequestedName[];
const requestOf = (content: Content): Json =>
  createPayload({ to: "+4915112345678", recipientNetworkUserId: null, sendToken: "t", content });
const templateRequest = (components: unknown): Json => ({
  type: "template",
  template: { name: "a", language: { code: "en_US" }, ...(components === undefined ? {} : { components }) },
});
const CONTACT_REQUEST = requestOf({ type: "contact_request", body: "May we have your number?" });

const x = (size: number): string => "x".repeat(size);
const many = <T>(size: number, make: (at: number) => T): T[] => Array.from({ length: size }, (_, at) => make(at));
const button = (sub_type: string, parameter: object, index: unknown = "0") => ({
  ...{ type: "button", sub_type, index },
  parameters: [parameter],
});
const text = (value: string) => ({ type: "text", text: value });
const action = (of: object) => ({ type: "action", action: of });
const item = (product_retailer_id: string) => ({ product_retailer_id });
const section = (size: number, title?: string) => ({
  ...(title === undefined ? {} : { title }),
  product_items: many(size, () => item("a")),
});
const shop = (...sections: object[]) => [button("mpm", action({ thumbnail_product_retailer_id: "a", sections }))];
const image = { type: "header", parameters: [{ type: "image", image: { link: "https://files.example.com/a.jpg" } }] };
const card = (at: number, ...more: object[]) => ({ card_index: at, components: [image, ...more] });
const carousel = (cards: object[]) => [{ type: "carousel", cards }];
const order = (members: object) => [
  button(
    "order_details",
    action({
      order_details: {
        ...{ reference_id: "a", type: "digital-goods", currency: "INR", total_amount: { value: 1, offset: 100 } },
        ...members,
      },
    }),
  ),
];
/** Requests that Meta takes. */
const right: [name: string, request: Json, approved: ApprovedCase | null][] = [
  ...Object.entries(kindCases).map(([name, { part }]): [string, Json, null] => [name, part, null]),
  ["a request for a number", CONTACT_REQUEST, null],
  ["an answer", { ...kindCases["a text"]?.part, context: { message_id: "wamid.A" } }, null],
  [
    "a template with a policy",
    { type: "template", template: { name: "a", language: { code: "en", policy: "deterministic" } } },
    null,
  ],
  [
    "a flow with input",
    templateRequest([button("flow", action({ flow_token: "a", flow_action_data: { days: ["1"] } }))]),
    null,
  ],
  [
    "an order whose amount has words",
    templateRequest(order({ total_amount: { value: 1, offset: 100, description: "In all" } })),
    null,
  ],
  ...Object.entries(approvedTemplates).map(([name, one]): [string, Json, ApprovedCase] => [
    name,
    templateRequest(one.sent),
    one,
  ]),
];

/** The code; null: it is taken. */
function judge(request: unknown, approved: ApprovedCase | null): string | null {
  const { category = "UTILITY", components = [] } = approved ?? {};
  const known = approved === null ? null : { category, components: components as { type: string }[] };
  return evaluate(JSON.parse(JSON.stringify(request)), known)?.code ?? null;
}

/** As the connector makes it of a request without a check. */
function unchecked(body: Json): Json {
  const name = names.find((one) => body[one] !== undefined) ?? "text";
  return requestOf(readKind(name).read(body, {}));
}

test.each(right)("takes %s", (_, request, approved) => {
  expect(judge(request, approved)).toBeNull();
});

describe("a limit of a kind", () => {
  test.each(limitCases.filter(({ isOurs }) => isOurs !== true))("$field takes $max and no more", (one) => {
    expect(judge(unchecked(one.body(one.max)), null)).toBeNull();
    expect(judge(unchecked(one.body(one.max + (one.step ?? 1))), null)).toMatch(/^(100|131009)$/);
  });
});

describe("a text with a category (Direct Send)", () => {
  const direct = (body: unknown, more: object = {}) => ({ type: "text", category: "utility", text: { body }, ...more });

  test("has at most 1,024 characters, which it needs, and answers no message", () => {
    expect(judge(direct(x(1_024)), null)).toBeNull();
    expect(judge(direct(x(1_025)), null)).toBe("100");
    expect(judge(direct(undefined), null)).toBe("131008");
    expect(judge(direct("Hello", { context: { message_id: "wamid.A" } }), null)).toBe("100");
  });
});

const listed = (components: object[], category: ApprovedCase["category"] = "MARKETING"): ApprovedCase => ({
  ...{ category, components: components as Json[], body: {}, sent: undefined },
});
const withBody = (value: string) => [{ type: "body", parameters: [text(value)] }];
const BODY = { type: "BODY", text: "Hi {{1}}!" };
const around = "Hi !".length;
const CARD = [
  { type: "HEADER", format: "IMAGE" },
  { type: "BODY", text: "Hi {{1}}!" },
];

interface ComponentLimit {
  what: string;
  max: number;
  of: (size: number) => unknown;
  /** The template that the request is compared with, if the limit is of what is filled in. */
  approved?: ApprovedCase;
}

const componentLimits: ComponentLimit[] = [
  { what: "the values of a body filled in", max: 1_024, of: (n) => withBody(x(n - around)), approved: listed([BODY]) },
  {
    what: "the body below a limited-time offer",
    max: 600,
    of: (n) => [
      ...withBody(x(n - around)),
      {
        type: "limited_time_offer",
        parameters: [{ type: "limited_time_offer", limited_time_offer: { expiration_time_ms: 1 } }],
      },
    ],
    approved: listed([BODY, { type: "LIMITED_TIME_OFFER", limited_time_offer: { has_expiration: true } }]),
  },
  {
    what: "a header filled in",
    max: 60,
    of: (n) => [{ type: "header", parameters: [text(x(n - around))] }],
    approved: listed([{ type: "HEADER", format: "TEXT", text: "Hi {{1}}!" }]),
  },
  {
    what: "the address of a link filled in",
    max: 2_000,
    of: (n) => [button("url", text(x(n - "https://a.example/".length)))],
    approved: listed([{ type: "BUTTONS", buttons: [{ type: "URL", text: "A", url: "https://a.example/{{1}}" }] }]),
  },
  {
    what: "the body of a card filled in",
    max: 160,
    of: (n) => carousel([card(0, ...withBody("a")), card(1, ...withBody(x(n - around)))]),
    approved: listed([{ type: "CAROUSEL", cards: [{ components: CARD }, { components: CARD }] }]),
  },
  { what: "a code to copy", max: 20, of: (n) => [button("copy_code", { type: "coupon_code", coupon_code: x(n) })] },
  { what: "a payload", max: 256, of: (n) => [button("quick_reply", { type: "payload", payload: x(n) })] },
  {
    what: "a payload on a card",
    max: 256,
    of: (n) => carousel([card(0, button("quick_reply", { type: "payload", payload: x(n) })), card(1)]),
  },
  { what: "the title of products", max: 24, of: (n) => shop(section(1, x(n))) },
  { what: "sections of products", max: 10, of: (n) => shop(...many(n, (at) => section(1, `s${at}`))) },
  { what: "products of a section", max: 30, of: (n) => shop(section(n)) },
  { what: "products in all", max: 30, of: (n) => shop(section(15, "a"), section(n - 15, "b")) },
  { what: "cards", max: 10, of: (n) => carousel(many(n, (at) => card(at))) },
  { what: "a position of a card", max: 9, of: (n) => carousel([card(0), card(n)]) },
  { what: "a position of a button", max: 9, of: (n) => [button("url", text("a"), String(n))] },
  { what: "a header's values", max: 1, of: (n) => [{ type: "header", parameters: many(n, () => text("a")) }] },
  {
    what: "a button's values",
    max: 1,
    of: (n) => [{ ...button("url", text("a")), parameters: many(n, () => text("a")) }],
  },
  { what: "the reference of an order", max: 35, of: (n) => order({ reference_id: x(n) }) },
  { what: "the currency of an order", max: 3, of: (n) => order({ currency: x(n) }) },
  { what: "the payment configuration of an order", max: 60, of: (n) => order({ payment_configuration: x(n) }) },
  {
    what: "the words of an amount",
    max: 60,
    of: (n) => order({ total_amount: { value: 1, offset: 100, description: x(n) } }),
  },
  { what: "spaces in a row", max: 4, of: (n) => withBody(`a${" ".repeat(n)}b`) },
  { what: "the name of a template", max: 512, of: (n) => ({ name: x(n), language: { code: "en_US" } }) },
];

describe("a limit of a template's component", () => {
  test.each(componentLimits)("$what: $max and no more", ({ max, of, approved = null }) => {
    const request = (size: number) => {
      const made = of(size);
      return Array.isArray(made) ? templateRequest(made) : { type: "template", template: made };
    };
    expect(judge(request(max), approved)).toBeNull();
    expect(judge(request(max + 1), approved)).toMatch(/^(131009|132005|132018)$/);
  });

  test("a carousel has two cards, and each position once", () => {
    expect(judge(templateRequest(carousel([card(0)])), null)).toBe("131009");
    expect(judge(templateRequest(carousel([card(0), card(0)])), null)).toBe("131009");
    expect(judge(templateRequest(carousel([card(0), card(1)])), null)).toBeNull();
  });

  test("a code to copy has letters and digits alone, and no value has a line break", () => {
    const copied = (value: string) => button("copy_code", { type: "coupon_code", coupon_code: value });
    expect(judge(templateRequest([copied("SUMMER-20")]), null)).toBe("131009");
    for (const value of ["a\nb", "a\tb", "a\rb", "\u200b"]) {
      expect(judge(templateRequest(withBody(value)), null)).toBe("132018");
    }
  });
});

/** Members that Meta's pages call optional, by their paths; the others are required. */
const optional = [
  /^text\.preview_url$/,
  /^audio\.voice$/,
  /^(image|video|document)\.(caption|filename)$/,
  /^location\.(name|address)$/,
  /^contacts\.\*\.(?!name$)\w+$/,
  /^contacts\.\*\.name\.(?!formatted_name$)\w+$/,
  /^contacts\.\*\.(phones|emails|urls)\.\*\.(type|wa_id)$/,
  /^contacts\.\*\.(addresses\.\*|org)\.\w+$/,
  /^interactive\.(header|footer)$/,
  /^interactive\.header\.document\.filename$/,
  /^interactive\.action\.sections\.\*\.title$/,
  /^interactive\.action\.sections\.\*\.rows\.\*\.description$/,
  /^interactive\.action\.parameters\.values(\.\w+)?$/,
  /^interactive\.action\.parameters\.(flow_token|flow_action|flow_action_payload)$/,
  /^interactive\.action\.parameters\.flow_action_payload\.(screen|data)$/,
  /^context$/,
  /\.parameter_name$/,
  /\.document\.filename$/,
  /\.location\.(name|address)$/,
  /\.action\.(flow_token|flow_action_data|thumbnail_product_retailer_id)$/,
  /^template\.language\.policy$/,
  /\.total_amount\.description$/,
  /\.sections\.\*\.title$/,
  /\.order_details\.(order|payment_type|payment_configuration|payment_settings)$/,
];
/** What is the business's own: Meta passes it on, or reads it elsewhere. */
const own = /\.flow_action_payload\.data\b|\.flow_action_data\b|\.order_details\.(order|payment_settings)\b/;

interface Place {
  path: string;
  /** The request with another value there; undefined: without it. */
  changed: (value: unknown) => Json;
  value: unknown;
}

/** Every member and item of the request below its type. */
function placesOf(request: Json): Place[] {
  const type = String(request.type);
  const below = (value: unknown, path: string, put: (value: unknown) => Json): Place[] => {
    const here = { path, changed: put, value };
    if (typeof value !== "object" || value === null) return [here];
    const isList = Array.isArray(value);
    const inside = Object.entries(value).flatMap(([name, member]) => {
      const change = (other: unknown): Json => {
        const copy: unknown = isList ? [...value] : { ...value };
        (copy as Json)[name] = other;
        return put(copy);
      };
      return below(member, `${path}.${isList ? "*" : name}`, change);
    });
    return [here, ...inside];
  };
  return [type, ...(request.context === undefined ? [] : ["context"])].flatMap((name) =>
    below(request[name], name, (value) => ({ ...request, [name]: value })),
  );
}

/** The same requests with each file by its id. */
const byId = right.map(([name, request, approved]): (typeof right)[number] => [
  `${name}, by id`,
  JSON.parse(JSON.stringify(request).replace(/"link":"[^"]*"/g, '"id":"1"')) as Json,
  approved,
]);

/** The paths of everything that a table has, as those of `placesOf`. */
function pathsIn(shape: Shape, path: string): string[] {
  if (shape.is === "variant") return Object.values(shape.of).flatMap((one) => pathsIn(one, path));
  if (shape.is === "list") return [path, ...pathsIn(shape.of, `${path}.*`)];
  if (shape.is !== "object") return [path];
  return [path, ...Object.entries(shape.members).flatMap(([name, { shape: of }]) => pathsIn(of, `${path}.${name}`))];
}

test("the requests have everything that the tables have", () => {
  const inRequests = new Set([...right, ...byId].flatMap(([, request]) => placesOf(request).map(({ path }) => path)));
  const inTables = [
    ...Object.entries(shapes).flatMap(([type, shape]) => pathsIn(shape, type)),
    ...pathsIn(templateShape, "template"),
    ...pathsIn(context, "context"),
  ];
  expect([...new Set(inTables)].filter((path) => !inRequests.has(path))).toEqual([]);
  for (const [name, request, approved] of byId) expect([name, judge(request, approved)]).toEqual([name, null]);
});

const rightPlaces = right.flatMap(([name, request]) => placesOf(request).map((place) => ({ name, ...place })));

test("refuses a request without any of its members, but for those that Meta calls optional", () => {
  for (const { name, path, changed } of rightPlaces) {
    if (path.endsWith(".*") || own.test(path) || optional.some((pattern) => pattern.test(path))) continue;
    // A template without values has no components, and a catalogue shows its first picture.
    if (path === "template.components" || (name.startsWith("catalogue") && path.endsWith(".parameters"))) continue;
    expect([name, path, judge(changed(undefined), null)]).toEqual([name, path, expect.any(String)]);
  }
});

test("takes a request without what Meta calls optional", () => {
  for (const { name, path, changed } of rightPlaces) {
    if (!optional.some((pattern) => pattern.test(path))) continue;
    // The only member of what has to have one.
    if (/flow_action_payload\.(screen|data)$|\.action\.(flow_token|thumbnail_product_retailer_id)$/.test(path))
      continue;
    expect([name, path, judge(changed(undefined), null)]).toEqual([name, path, null]);
  }
});

test("refuses a member that Meta does not have, and a value of another type", () => {
  for (const { name, path, value, changed } of rightPlaces) {
    if (own.test(path)) continue;
    const others: unknown[] = [null, 7.5, Array.isArray(value) ? "a" : []];
    if (typeof value === "object" && !Array.isArray(value)) others.push({ ...value, membre: "a" });
    if (typeof value === "object") others.push("a");
    if (typeof value === "string" && !/latitude|longitude/.test(path)) others.push(7, "", "\u200b");
    for (const other of others) {
      // Degrees are numbers too, and an empty text takes a reaction away.
      if (/latitude|longitude/.test(path) && other === 7.5) continue;
      if (path === "reaction.emoji" && typeof other === "string") continue;
      if (/\.(index|card_index)$/.test(path) && other === 7) continue;
      const code = judge(changed(other), null);
      expect([name, path, other, code]).toEqual([name, path, other, expect.any(String)]);
    }
  }
});

test("refuses a word that Meta does not have", () => {
  const words = /(^|\.)(type|sub_type|name|flow_message_version|flow_action)$/;
  for (const { name, path, value, changed } of rightPlaces) {
    if (own.test(path) || !words.test(path) || typeof value !== "string") continue;
    // Of what is the business's own, or the person's.
    if (/^template\.name$|^contacts\.|location\.name$|values\.name$/.test(path)) continue;
    expect([name, path, judge(changed("wrong"), null)]).toEqual([name, path, expect.any(String)]);
  }
  expect(judge({ type: "poll", poll: {} }, null)).toBe("131009");
  expect(judge({ text: { body: "a" } }, null)).toBe("131009");
  expect(judge({ type: "text" }, null)).toBe("131008");
});

test("refuses a file by link and id at once, a link that is none, and a reaction that answers", () => {
  const link = "https://files.example.com/a.jpg";
  expect(judge({ type: "image", image: { link, id: "1" } }, null)).toBe("100");
  expect(judge({ type: "image", image: { link: "a.jpg" } }, null)).toBe("131009");
  expect(judge({ ...kindCases["a reaction"]?.part, context: { message_id: "wamid.A" } }, null)).toBe("131009");
});

test("refuses two buttons with the same id or title, and two rows with the same id", () => {
  const interactive = (type: string, of: object) => ({
    type: "interactive",
    interactive: { type, body: { text: "a" }, action: of },
  });
  const reply = (id: string, title: string) => ({ type: "reply", reply: { id, title } });
  const pair = (...all: object[]) => judge(interactive("button", { buttons: all }), null);
  expect(pair(reply("a", "A"), reply("a", "B"))).toBe("131009");
  expect(pair(reply("a", "A"), reply("b", "A"))).toBe("131009");
  expect(pair(reply("a", "A"), reply("b", "B"))).toBeNull();
  const rows = [
    { id: "a", title: "A" },
    { id: "a", title: "B" },
  ];
  expect(judge(interactive("list", { button: "A", sections: [{ rows }] }), null)).toBe("131009");
  expect(judge(interactive("list", { button: "A", sections: [] }), null)).toBe("131009");
  expect(judge(interactive("list", { button: "A", sections: [{ rows: [] }] }), null)).toBe("131009");
  expect(judge(interactive("button", { buttons: [] }), null)).toBe("131009");
  expect(judge({ type: "contacts", contacts: [] }, null)).toBe("131009");
});

test("refuses an empty list, and an action of a button without what it needs", () => {
  const empty: unknown[] = [
    [{ type: "header", parameters: [] }],
    [{ type: "body", parameters: [] }],
    [{ ...button("url", text("a")), parameters: [] }],
    [button("catalog", action({}))],
    [button("mpm", action({ sections: [section(1)] }))],
    shop(),
    shop(section(0)),
    carousel([{ card_index: 0, components: [] }, card(1)]),
    order({ payment_settings: [] }),
    order({ payment_settings: [{}] }),
    order({ total_amount: { value: -1, offset: 100 } }),
  ];
  expect(judge(templateRequest(order({ total_amount: { value: 0, offset: 100 } })), null)).toBeNull();
  for (const components of empty) {
    expect([components, judge(templateRequest(components), null)]).toEqual([components, expect.any(String)]);
  }
});

test("refuses a template's request that is not what was approved", () => {
  for (const [name, one] of Object.entries(approvedTemplates)) {
    for (const [index, part] of (one.sent ?? []).entries()) {
      // Meta has the words and pictures of these itself.
      if (part.sub_type === "quick_reply" || part.sub_type === "CATALOG") continue;
      const code = judge(templateRequest(one.sent?.toSpliced(index, 1)), one);
      expect([name, part.type, code]).toEqual([name, part.type, expect.stringMatching(/^(132000|131008|132012)$/)]);
    }
  }
  const hello = approvedTemplates.hello as ApprovedCase;
  const surplus: unknown[] = [
    withBody("a"),
    carousel([card(0), card(1)]),
    [
      {
        type: "limited_time_offer",
        parameters: [{ type: "limited_time_offer", limited_time_offer: { expiration_time_ms: 1 } }],
      },
    ],
  ];
  for (const components of surplus) {
    expect(judge(templateRequest(components), hello)).toMatch(/^(132000|132012)$/);
  }
  // A button of another kind, a value for a link that has no place for one, and a header of another kind.
  const buttons = (...all: object[]) => listed([{ type: "BUTTONS", buttons: all }]);
  const fixed = buttons({ type: "URL", text: "A", url: "https://a.example" });
  expect(judge(templateRequest([button("url", text("a"))]), fixed)).toBe("132012");
  expect(judge(templateRequest([button("quick_reply", { type: "payload", payload: "a" })]), fixed)).toBe("132012");
  expect(judge(templateRequest([image]), listed([{ type: "HEADER", format: "VIDEO" }]))).toBe("132012");
  const three = listed([{ type: "CAROUSEL", cards: many(3, () => ({ components: CARD.slice(0, 1) })) }]);
  expect(judge(templateRequest(carousel([card(0), card(1)])), three)).toBe("132000");
  // A product beyond the approved ones is like the last.
  const products = approvedTemplates.carousel_product_links as ApprovedCase;
  const shown = (products.sent?.[0]?.cards ?? []) as { components: object[] }[];
  const [header, look] = shown[0]?.components ?? [];
  const third = (...components: unknown[]) => carousel([...shown, { card_index: 2, components }]);
  expect(judge(templateRequest(third(header, look)), products)).toBeNull();
  expect(judge(templateRequest(third(header)), products)).toBe("131008");
  // The same placeholder twice takes one value.
  expect(judge(templateRequest(withBody("a")), listed([{ type: "BODY", text: "{{1}} and {{ 1 }}" }]))).toBeNull();
});

const latin = (value: string): Buffer => Buffer.from(value, "latin1");
const MB = 1_048_576;
const EXTENDED = (flags: string) => `RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00${flags}\x00\x00\x00`;

/** Types of files by how their bytes begin, with their limits. */
const files: [type: string, begins: string, max: number][] = [
  ["image/jpeg", "\xff\xd8\xff\xe0", 5 * MB],
  ["image/png", "\x89PNG\r\n\x1a\n", 5 * MB],
  ["video/mp4", "\x00\x00\x00\x20ftypisom", 16 * MB],
  ["video/3gpp", "\x00\x00\x00\x20ftyp3gp4", 16 * MB],
  ["audio/aac", "\xff\xf1\x50\x80", 16 * MB],
  ["audio/amr", "#!AMR\n", 16 * MB],
  ["audio/mpeg", "ID3\x04\x00", 16 * MB],
  ["audio/mp4", "\x00\x00\x00\x20ftypM4A ", 16 * MB],
  ["audio/ogg", `OggS${"\x00".repeat(24)}OpusHead`, 16 * MB],
  ["image/webp", "RIFF\x00\x00\x00\x00WEBPVP8 ", 100 * 1_024],
  ["image/webp", EXTENDED("\x11"), 100 * 1_024],
  ["image/webp", EXTENDED("\x02"), 500 * 1_024],
  ["application/pdf", "%PDF-1.7", 100 * MB],
  ["text/plain", "Hello", 100 * MB],
];

describe("a file", () => {
  const clock = new TestClock();
  const sender = { phone: "+911244001100", phoneNumberId: "sim-1", accountId: "simulator", accessToken: null };
  const piece = Buffer.alloc(MB);
  async function take(contentType: string, begins: string, size: number): Promise<boolean> {
    async function* read() {
      const head = latin(begins).subarray(0, size);
      yield head;
      for (let left = size - head.byteLength; left > 0; left -= MB) yield piece.subarray(0, Math.min(left, MB));
    }
    const network = { clock, random: systemRandom, isReachable: () => true };
    const file = { hash: "", name: "a", contentType, bytes: size, read };
    return (await takeUpload(network, sender, file)).ok;
  }

  test.each(files)("of the type %s is taken up to its limit, and not a byte beyond", async (type, begins, max) => {
    expect([await take(type, begins, max), await take(type, begins, max + 1)]).toEqual([true, false]);
  });

  test("is known for 30 days, for its number and as what it is", async () => {
    const network = { clock, random: systemRandom, isReachable: () => true };
    async function* read() {
      yield latin("%PDF-1.7");
    }
    const file = { hash: "", name: "a", contentType: "application/pdf", bytes: 8, read };
    const taken = await takeUpload(network, sender, file);
    const id = taken.ok ? taken.value.mediaId : "";
    const sent = (of: string) => ({ type: of, [of]: { id } });
    const at = Math.floor(clock.now() / 1_000) * 1_000;
    expect(refuseUpload(sent("document"), "sim-1", at + 30 * 86_400_000 - 1)).toBeNull();
    expect(refuseUpload(sent("document"), "sim-1", at + 30 * 86_400_000)?.code).toBe("131009");
    expect(refuseUpload(sent("document"), "sim-2", at)?.code).toBe("131009");
    expect(refuseUpload(sent("image"), "sim-1", at)?.code).toBe("131009");
    expect(refuseUpload({ type: "image", image: { id: "7" } }, "sim-1", at)?.code).toBe("131009");
  });

  test("of a type that Meta does not take, or whose bytes are of another, is refused", async () => {
    for (const type of ["image/gif", "video/quicktime", "audio/flac", "image/heic"]) {
      expect([type, await take(type, "GIF89a", 100)]).toEqual([type, false]);
    }
    for (const [type] of files.filter(([one]) => one !== "text/plain")) {
      expect([type, await take(type, "GIF89a", 100)]).toEqual([type, false]);
    }
    const vorbis = `OggS${"\x00".repeat(24)}\x01vorbis`;
    expect(await take("audio/ogg", vorbis, 100)).toBe(false);
  });
});

/**
 * Request bodies against the document and against the server: what the document allows is not refused with
 * `invalid_request`, and what the server accepts is allowed, as far as a schema can say it. The wrong programs of
 * `test/openapi` are the same promise to compilers.
 */
import { describe, expect, test } from "bun:test";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import fc from "fast-check";
import { Problem } from "#src/core/problem.ts";
import { openApiDocument } from "#src/http/api/openapi/openapi.ts";
import { readBroadcast } from "#src/http/bodies/broadcast.ts";
import { readContactChanges } from "#src/http/bodies/contact.ts";
import { readSendMessage } from "#src/http/bodies/message.ts";

type Body = Record<string, unknown>;

const document = openApiDocument();
const ID = "https://waxwing.example.com/openapi.json";

/** `formats`: whether they are assertions. The document's formats are those of the specification; the server takes more. */
function schemaCheck(name: string, formats: boolean): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateFormats: formats });
  ajv.addFormat(
    "date-time",
    (text) => RFC_3339.test(text) && !Number.isNaN(Date.parse(text)) && isDay(text.slice(0, 10)),
  );
  ajv.addFormat("uri", (text) => /^[!-~]+$/.test(text) && URL.canParse(text));
  ajv.addFormat("email", true);
  ajv.addSchema({ $id: ID, ...document });
  return ajv.compile({ $ref: `${ID}#/components/schemas/${name}` });
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

function isDay(text: string): boolean {
  try {
    Temporal.PlainDate.from(text);
    return true;
  } catch {
    return false;
  }
}

function isRefused(read: (body: Body) => unknown, body: Body): boolean {
  try {
    read(body);
    return false;
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid_request") return true;
    throw error;
  }
}

/** What no schema can say; the descriptions say it in words. */
function isBeyondSchema(value: unknown, name = ""): boolean {
  if (typeof value === "string") {
    const isDate = /^(birthday|anniversary)$/.test(name);
    return !value.isWellFormed() || (isDate && !isDay(yearOf(value))) || (name === "email" && value.length > 254);
  }
  if (typeof value === "number") return /e/.test(String(value));
  if (typeof value !== "object" || value === null) return false;
  if (name === "people" && Array.isArray(value)) {
    const refs = value.map((person) => person?.ref).filter((ref) => ref != null && ref !== "");
    if (new Set(refs).size < refs.length) return true;
  }
  if (name === "media" && isOddFile(value)) return true;
  if (name === "reaction" && !/^(👍|🇩🇪|1️⃣|)$/u.test(String((value as { emoji?: unknown }).emoji))) return true;
  if (isOddChoice(name, value)) return true;
  return Object.entries(value).some(([member, inner]) => isBeyondSchema(inner, member));
}

/** Ids and titles that have to differ, and ids with white space around them. */
function isOddChoice(name: string, value: unknown): boolean {
  if (!/^(buttons|rows)$/.test(name) || !Array.isArray(value)) return false;
  const [ids, titles] = ["id", "title"].map((member) => value.map((one) => String(one?.[member])));
  const isRepeated = (texts: string[] = []) => new Set(texts).size < texts.length;
  return (
    isRepeated(ids) || (name === "buttons" && (isRepeated(titles) || ids?.some((id) => id.trim() !== id) === true))
  );
}

/** The kind of a file, which its link may have to show, decides what else it has. */
function isOddFile({
  type,
  link,
  caption,
  filename,
}: {
  type?: unknown;
  link?: unknown;
  caption?: unknown;
  filename?: unknown;
}) {
  const kind = type ?? (/\.pdf$/.test(String(link)) ? "document" : null);
  return (
    kind === null ||
    (kind !== "document" && filename !== undefined) ||
    (/audio|sticker/.test(String(kind)) && caption !== undefined)
  );
}

/** `--02-29` and `29/02/2024` as a day of a leap year, and of that year. */
function yearOf(text: string): string {
  const [, day = "", month = "", year = ""] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? [];
  if (year !== "") return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return text.startsWith("--") ? `2000-${text.slice(2)}` : text;
}

const anyText = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "a",
    "a     b",
    "a    b",
    "\n",
    "a\nb",
    "a\tb",
    "\u00a0",
    "\u2028",
    "\ufeff",
    " a ",
    "  a\u00a0",
    "👋",
  ),
  fc.constantFrom(
    "+919876543210",
    "098765 43210",
    "x".repeat(191),
    "x".repeat(192),
    ` ${"é".repeat(191)} `,
    "y".repeat(4097),
  ),
  fc.constantFrom("\ud800", "a\u0000b", "a\u0085b", "👋".repeat(191), "👋".repeat(240), "👋".repeat(241)),
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const anyNumber = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1e-7, 0.000001, 1.5, 1e15, 2 ** 53, -(2 ** 53), 2 ** 53 - 1),
);
const wrong = fc.oneof(
  ...[fc.constant(null), fc.boolean(), anyNumber, anyText, fc.array(anyText, { maxLength: 3 })],
  fc.dictionary(fc.string({ maxLength: 3 }), anyText, { maxKeys: 2 }),
);
/** Mostly `right`, so that whole bodies are valid often enough. */
const mostly = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 14, arbitrary: right }, { weight: 1, arbitrary: wrong });
const goodText = fc.constantFrom("a", "Asha Rao", "order_shipped", "é क", "20%", " a  b ");
const someText = fc.oneof({ weight: 6, arbitrary: goodText }, { weight: 1, arbitrary: anyText });
const value = fc.oneof({ weight: 4, arbitrary: someText }, { weight: 1, arbitrary: anyNumber });
const link = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom("https://a.example/a.pdf", "HTTPS://a.example", "https://ä.example/ü?x=1#y"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "http://a.example",
      "https://",
      "https://[",
      "https://a b",
      "ftp://a",
      "https://a\u0000",
      "https://a\u00ad",
    ),
  },
);
const when = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("2026-11-27T10:00:00+05:30", "2026-11-27T10:00:00Z", "2026-11-27", "2026-11-27T10:00"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "2026-02-30T10:00:00Z",
      "2026-11-27T25:00:00Z",
      "27.11.2026",
      "2026-11-27t10:00:00z",
      "2026-11-27T10:00:00.5Z",
      "2026-11-27T10:00:00+0530",
    ),
  },
);
const date = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("1990-02-28", "--02-29", "5/1/1990", "05/11/1990", null) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("1990-02-30", "--13-01", "31/02/1990", "90-01-01", "", "1990-1-1", "--2-29"),
  },
);
const email = fc.constantFrom(
  "a@b.example",
  "é@ü.example",
  "a@b",
  "a b@c.example",
  "",
  `${"a".repeat(243)}@b.example`,
  `${"a".repeat(244)}@b.example`,
  null,
);

function valuesOf(one: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const list = fc.array(one, { maxLength: 3 });
  const names = fc.dictionary(fc.oneof(fc.constantFrom("first_name", "__proto__", ""), someText), one, { maxKeys: 3 });
  const partsOf = (part: fc.Arbitrary<unknown>) =>
    fc.record({ header: mostly(part), body: mostly(part) }, { requiredKeys: [] });
  const parts = fc.oneof(partsOf(list), partsOf(names), partsOf(fc.oneof(list, names)));
  // More than 100 values are more than any template takes, which the server finds with the template.
  return fc.oneof(mostly(list), parts, fc.array(fc.constant("a"), { minLength: 99, maxLength: 100 }));
}

/** Members that are there or not, and sometimes one that does not exist. */
function body(
  required: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<Body> {
  const sometimes = Object.fromEntries(
    Object.entries(optional).map(([name, one]) => [name, fc.option(one, { nil: undefined, freq: 2 })]),
  );
  const extra = fc.oneof(
    { weight: 15, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constantFrom({ txet: "a" }, { id: 1 }) },
  );
  const lost = fc.oneof(
    { weight: 9, arbitrary: fc.constant("") },
    { weight: 1, arbitrary: fc.constantFrom("to", ...Object.keys(required)) },
  );
  return fc.tuple(fc.record({ ...required, ...sometimes }), extra, lost).map(([members, more, gone]) => {
    const kept = Object.entries({ ...members, ...more }).filter(([name, one]) => one !== undefined && name !== gone);
    return Object.fromEntries(kept);
  });
}

const media = mostly(fc.record({ link: mostly(link), filename: mostly(someText) }, { requiredKeys: ["link"] }));
const shared = { from: mostly(someText), reference: mostly(someText) };
const templateMembers = { language: mostly(someText), variables: valuesOf(mostly(value)), media };
const namedMessage = fc.oneof(
  fc.record({ inbound: mostly(fc.integer()) }),
  fc.record({ message: mostly(fc.constant(3)) }),
);
const reference = fc.oneof(
  { weight: 9, arbitrary: namedMessage },
  { weight: 1, arbitrary: fc.constantFrom({}, { inbound: 1, message: 2 }, { id: 1 }, { inbound: 1.5 }) },
);
const answering = { ...shared, reply_to: mostly(reference) };
const reaction = fc.record({ emoji: mostly(fc.constantFrom("👍", "", "🇩🇪", "1️⃣")), to: mostly(reference) });
const sentMedia = fc.record(
  {
    type: mostly(fc.constantFrom("image", "video", "audio", "document", "sticker")),
    link: mostly(link),
    caption: mostly(someText),
    filename: mostly(someText),
  },
  { requiredKeys: ["link"] },
);
const location = fc.record(
  {
    latitude: mostly(fc.double({ min: -90, max: 90, noNaN: true })),
    longitude: mostly(fc.constantFrom(-180, 180, 0, 51.5, 180.1)),
    name: mostly(someText),
    address: mostly(someText),
  },
  { requiredKeys: ["latitude", "longitude"] },
);
const cards = fc.array(
  fc.record(
    {
      name: mostly(fc.record({ formatted_name: mostly(someText), first_name: someText }, { requiredKeys: [] })),
      phones: mostly(
        fc.array(fc.record({ phone: mostly(someText), type: someText }, { requiredKeys: [] }), { maxLength: 2 }),
      ),
      org: mostly(fc.record({ company: mostly(someText) }, { requiredKeys: [] })),
      birthday: mostly(fc.constantFrom("1990-02-28", "1990-2-28")),
    },
    { requiredKeys: ["name"] },
  ),
  { maxLength: 2 },
);
const item = fc.record({ id: mostly(someText), title: mostly(someText) });
const actions = {
  buttons: mostly(fc.array(item, { maxLength: 4 })),
  list: mostly(
    fc.record({
      button: mostly(someText),
      sections: fc.array(fc.record({ rows: fc.array(item, { maxLength: 2 }) }), { maxLength: 1 }),
    }),
  ),
  link: mostly(fc.record({ title: mostly(someText), url: mostly(link) })),
  location_request: mostly(fc.constant(true)),
  address: mostly(fc.record({ country: mostly(fc.constantFrom("IN", "in")) })),
  flow: mostly(
    fc.record({ id: mostly(someText), cta: mostly(goodText), token: someText }, { requiredKeys: ["id", "cta"] }),
  ),
};
const header = fc.oneof(
  mostly(someText),
  mostly(fc.record({ type: mostly(fc.constantFrom("image", "video")), link: mostly(link) })),
);
const interactive = fc
  .constantFrom(...(Object.keys(actions) as (keyof typeof actions)[]))
  .chain((name) =>
    fc.record(
      { body: mostly(someText), [name]: actions[name], header, footer: mostly(someText), link: fc.constant(undefined) },
      { requiredKeys: ["body", name] as never },
    ),
  )
  .map((made) => JSON.parse(JSON.stringify(made)) as unknown);
const later = { send_at: mostly(when), cancel_on_reply: mostly(fc.boolean()) };
const sendMessage = fc.oneof(
  body({ to: mostly(someText), text: mostly(someText) }, { ...shared, ...later }),
  body({ to: mostly(someText), template: mostly(someText) }, { ...shared, ...later }),
  body({ to: mostly(someText), template: mostly(someText) }, { ...shared, ...templateMembers }),
  body({ to: mostly(someText), text: mostly(someText) }, { ...answering, preview_url: mostly(fc.boolean()) }),
  body({ to: mostly(someText), reaction: mostly(reaction) }, shared),
  body({ to: mostly(someText), media: mostly(sentMedia) }, answering),
  body({ to: mostly(someText), location: mostly(location) }, shared),
  body({ to: mostly(someText), contacts: mostly(cards) }, shared),
  body({ to: mostly(someText), interactive: mostly(interactive) }, shared),
  body(
    { to: mostly(someText) },
    { ...shared, ...templateMembers, template: someText, text: someText, location: mostly(location) },
  ),
);
const contactField = mostly(
  fc.record({ field: mostly(someText), fallback: mostly(someText) }, { requiredKeys: ["field"] }),
);
const broadcastValues = valuesOf(fc.oneof(mostly(value), contactField));
const numbers = mostly(fc.array(mostly(someText), { maxLength: 3 }));
const group = mostly(fc.oneof(fc.integer(), fc.constant(3)));
const named = { name: mostly(someText), template: mostly(someText) };
const timed = {
  language: mostly(someText),
  variables: broadcastValues,
  media,
  from: shared.from,
  send_at: mostly(when),
};
const createBroadcast = fc.oneof(
  body({ ...named, to: numbers }, timed),
  body({ ...named, group }, timed),
  body(named, { ...timed, to: numbers, group }),
);
const names = mostly(fc.array(mostly(someText), { maxLength: 3 }));
const groups = mostly(fc.array(mostly(fc.oneof(someText, fc.integer())), { maxLength: 3 }));
const person = fc.record(
  {
    name: mostly(someText),
    first_name: mostly(someText),
    birthday: mostly(date),
    ref: mostly(fc.constantFrom("1", "2", "", null, "x".repeat(65))),
  },
  { requiredKeys: ["name"] },
);
const contactInput = body(
  {},
  {
    ...{ name: mostly(someText), first_name: mostly(someText), city: mostly(someText), company: mostly(someText) },
    ...{ email: mostly(email), birthday: mostly(date), anniversary: mostly(date) },
    ...{
      fields: mostly(fc.dictionary(goodText, wrong, { maxKeys: 2 })),
      people: mostly(fc.array(mostly(person), { maxLength: 3 })),
    },
    ...{ add_tags: names, remove_tags: names, add_to_groups: groups, remove_from_groups: groups },
    consent: mostly(fc.constantFrom("opted_in", "opted_out", "unknown")),
  },
);

const bodies: Readonly<Record<string, { arbitrary: fc.Arbitrary<Body>; read: (one: Body) => unknown }>> = {
  SendMessage: { arbitrary: sendMessage, read: (one) => readSendMessage(one, "Asia/Kolkata") },
  CreateBroadcast: { arbitrary: createBroadcast, read: (one) => readBroadcast(one, "Asia/Kolkata") },
  ContactInput: { arbitrary: contactInput, read: readContactChanges },
};

const RUNS = Number(Bun.env.DOCUMENT_RUNS ?? 3_000);

describe("document and server agree on the bodies of", () => {
  for (const [name, { arbitrary, read }] of Object.entries(bodies)) {
    test(name, () => {
      const strict = schemaCheck(name, true);
      const loose = schemaCheck(name, false);
      const count = { allowed: 0, accepted: 0, refused: 0 };
      const property = fc.property(arbitrary, (generated) => {
        const one = JSON.parse(JSON.stringify(generated)) as Body;
        const refused = isRefused(read, one);
        const allowed = strict(one);
        if (allowed && !isBeyondSchema(one)) {
          count.allowed += 1;
          expect({ one, allowed, refused }).toEqual({ one, allowed, refused: false });
        }
        count[refused ? "refused" : "accepted"] += 1;
        if (!refused) expect({ one, refused, allowed: loose(one) }).toEqual({ one, refused, allowed: true });
      });
      fc.assert(property, { numRuns: RUNS, seed: 28 });
      // The bodies exercise both answers.
      for (const answers of Object.values(count)) expect(answers).toBeGreaterThan(RUNS / 20);
    }, 300_000);
  }
});

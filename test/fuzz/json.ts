/**
 * JSON texts that no serializer would write: duplicate keys, numbers beyond any double, half surrogate pairs, unusual
 * white space. A value is an ordinary one, with `RawJson` wherever a literal text is inserted.
 */
import type { Chance } from "./chance.ts";

export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Loose = unknown;

export function writeJson(value: Loose): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    return `{${Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`)
      .join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}

export const hostileTexts: readonly string[] = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "x\udc00y",
  "\u200e\u202e\u2066",
  "\ufeff",
  "\u00a0\u3000",
  "ß".repeat(200),
  "👩‍👩‍👧‍👦".repeat(60),
  "\u0301".repeat(500),
  "a".repeat(191),
  "a".repeat(192),
  "a".repeat(4_096),
  "a".repeat(4_097),
  "𝒳".repeat(4_096),
  "line\nbreak\ttab",
  "four     spaces",
  "'; DROP TABLE messages; --",
  '" OR 1=1 --',
  "%00%0a{{1}}#{7*7}<script>alert(1)</script>",
  "__proto__",
  "constructor",
  "toString",
  "{{1}}{{2}}{{99999999999999999999}}",
  "NaN",
  "null",
  "../../../etc/passwd",
  "http://169.254.169.254/latest/meta-data/",
  "0",
  "-1",
  "1e400",
  "99999999999999999999",
  "٠١٢٣٤٥٦٧٨٩",
  "+",
  "++4915112345678",
  "00",
  "+49 (0) 151 / 123-456 78 ext. 9",
  "+1".repeat(500),
  "2026-02-30",
  "0000-00-00",
  "--02-30",
  "29/02/2023",
  "+275760-09-13T00:00:00Z",
  "2026-11-21T25:61:61+99:99",
  "2026-03-29T02:30:00",
  "9999-12-31T23:59:60Z",
];

export const hostileNumbers: readonly Loose[] = [
  0,
  -0,
  -1,
  1.5,
  1e21,
  -1e308,
  Number.MAX_SAFE_INTEGER,
  new RawJson("9007199254740993"),
  new RawJson("1e999"),
  new RawJson("-1e999"),
  new RawJson("0.1000000000000000055511151231257827021181583404541015625"),
  new RawJson("1e-400"),
  new RawJson("9".repeat(400)),
  new RawJson("0.0000001"),
];

export const hostileValues: readonly Loose[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  { "": "" },
  { constructor: 1 },
  new RawJson('{"__proto__":{"to":"x"}}'),
  new RawJson('"\\ud800"'),
  new RawJson('"\\udfff\\ud800"'),
  new RawJson('"\\u0000"'),
  new RawJson(`${"[".repeat(3_000)}${"]".repeat(3_000)}`),
  new RawJson(`${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`),
  new RawJson(`[${"0,".repeat(20_000)}0]`),
];

/** Nearly valid values, for members of any type. */
export function hostileValue(chance: Chance): Loose {
  switch (chance.below(4)) {
    case 0:
      return chance.pick(hostileNumbers);
    case 1:
      return chance.pick(hostileValues);
    default:
      return chance.pick(hostileTexts);
  }
}

/** Bodies that are not a JSON object, or that repeat a key. */
export const hostileBodies: readonly string[] = [
  "",
  " ",
  "{",
  "}",
  "null",
  "5",
  '"text"',
  "[]",
  '[{"to":"+919876543210"}]',
  "{}{}",
  "{'to':1}",
  '{"to":"+919876543210",}',
  '{"to":"+919876543210" "text":"x"}',
  '\ufeff{"to":"+919876543210","text":"x"}',
  '{"to":"+919876543210","to":"+919876543211","text":"a","text":"b"}',
  '{"to":["+919876543210"],"to":"+919876543210","template":"plain","template":{}}',
  '{"__proto__":{"to":"+919876543210"},"template":"plain"}',
  '{"constructor":{"prototype":{"to":"+919876543210"}}}',
  '{"to":"+919876543210","text":"\t"}',
  '{"to":"+919876543210","text":"\\u00"}',
  '{"to":NaN,"text":Infinity}',
  '{"to":0x10,"text":01}',
  `{"to":${"[".repeat(50_000)}`,
  `{"text":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
  `{${Array.from({ length: 5_000 }, (_, index) => `"a${index}":${index}`).join(",")}}`,
  `{"${"k".repeat(100_000)}":1}`,
  `{"variables":{"body":[${Array(5_000).fill('"x"').join(",")}]},"to":"+919876543210","template":"shipped"}`,
  `{"text":"${"x".repeat(1024 * 1024)}","to":"+919876543210"}`,
];

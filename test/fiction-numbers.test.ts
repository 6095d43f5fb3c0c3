/**
 * Phone numbers in what readers copy: pages, clients, examples, packages, the reference, and the texts of the program. Each
 * is reserved for fiction by its regulator, so that a pasted command cannot reach a person.
 */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import { checkout, lineAt } from "./support/source.ts";

/** Numbers that are valid by form and never given to anyone. */
const RESERVED: readonly RegExp[] = [
  // Ofcom: drama numbers of London and of eleven other cities.
  /^\+442079460\d{3}$/,
  /^\+441(1[3-8]|21|31|41|51|61)4960\d{3}$/,
  // NANPA: 555-0100 to 555-0199 in every area code.
  /^\+1\d{3}55501\d{2}$/,
  // ACMA: geographic numbers of creative works.
  /^\+61[2378](5550|7010)\d{4}$/,
  // Bundesnetzagentur: drama numbers of Berlin.
  /^\+493023125\d{3}$/,
];

const SIGNED_AT = { digits: "1795230866", reason: "the time of a signature, in seconds" };

/** Digits that are valid by chance, or that a reader of the text needs as they are. */
const ALLOWED: Readonly<Record<string, readonly { readonly digits: string; readonly reason: string }[]>> = {
  "docs/openapi.json": [SIGNED_AT],
  "src/http/api/openapi/events.ts": [SIGNED_AT],
  "src/net/address.ts": [{ digits: "2130706433", reason: "127.0.0.1 as one number" }],
  "src/transfer/phone-cell.ts": [{ digits: "1234567890", reason: "what is refused as a placeholder in a file" }],
};

const PLACES = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "config.example.toml", "install.sh"],
  ...["docs", "clients", "examples", "packaging", "src"],
];
const BINARY = /\.(png|ico|woff2?|gz|zip|xlsx|pdf|jpe?g|webp|mp3|ogg|mp4)$/;

function* filesOf(place: string): Generator<string> {
  if (!statSync(join(checkout, place)).isDirectory()) yield place;
  else
    for (const name of readdirSync(join(checkout, place)))
      if (name !== "node_modules") yield* filesOf(`${place}/${name}`);
}

interface Found {
  readonly at: number;
  readonly digits: string;
}

/** Valid numbers of `text` that a person may have. Without `+` they are read as those of India, the demo's country, or as international ones. */
function realNumbers(text: string): Found[] {
  const found: Found[] = [];
  // A number, or the beginning of one that the program completes (`+9198200${…}`).
  for (const match of text.matchAll(/(?<![\w.+/-])(\+ ?|00)?\d[\d ().-]{3,24}(?:\d|(?=\$?\{))(?![\w])/g)) {
    const written = match[0];
    const digits = written.replace(/\D/g, "");
    const isInternational = /^(\+|00)/.test(written);
    const isBegun = /^\$?\{/.test(text.slice(match.index + written.length));
    if (!isInternational && /[ ().-]/.test(written) && !/^0/.test(written)) continue;
    const readings = isInternational ? [`+${digits.replace(/^00/, "")}`] : [`+${digits}`, digits];
    const completed = isInternational && isBegun ? FILLINGS.map((filling) => `${readings[0]}${filling}`) : readings;
    if (completed.some((reading) => isReal(reading))) found.push({ at: match.index, digits });
  }
  return found;
}

const FILLINGS = Array.from({ length: 10 }, (_, count) => "2345678901".slice(0, count));

function isReal(number: string): boolean {
  const read = parsePhoneNumberFromString(number, "IN");
  if (read === undefined || !read.isValid()) return false;
  const isPersonal = ["MOBILE", "FIXED_LINE", "FIXED_LINE_OR_MOBILE"].includes(read.getType() ?? "");
  return isPersonal && !RESERVED.some((range) => range.test(read.number));
}

describe("phone numbers in texts", () => {
  test("are reserved for fiction", () => {
    const real: string[] = [];
    for (const path of PLACES.flatMap((place) => [...filesOf(place)]).filter((one) => !BINARY.test(one))) {
      const text = readFileSync(join(checkout, path), "utf8");
      for (const { at, digits } of realNumbers(text)) {
        if (!ALLOWED[path]?.some((one) => one.digits === digits)) real.push(`${path}:${lineAt(text, at)} ${digits}`);
      }
    }
    expect(real).toEqual([]);
  });

  test.each([
    ["+919876543210"],
    ["+91 98765 43210"],
    ["0091 98765-43210"],
    ["919876543210"],
    ["9876543210"],
    ["098765 43210"],
    ["phone=+4915112345678"],
    ['f"+9198200{20_100 + index}"'],
    ["+1 212 555 2368"],
  ])("a number that a person may have is found: %s", (text) => {
    expect(realNumbers(text)).toHaveLength(1);
  });

  test.each([
    ["+442079460210"],
    ["+44 20 7946 0001"],
    ["+1 212 555 0123"],
    ['f"+442079460{400 + index}"'],
    ["+493023125012"],
    ["106540352242922"],
    ["2026-11-21T08:44:26+05:30"],
  ])("one that is reserved, or no number, is not: %s", (text) => {
    expect(realNumbers(text)).toEqual([]);
  });
});

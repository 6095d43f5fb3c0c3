/**
 * Every regular expression of the server is linear in the length of what it matches, or its exception says why not. A
 * pattern that backtracks lets one long text stop the whole process. `recheck` decides; worst cases are also timed.
 *
 * A verdict depends on the pattern's text alone, so `pattern-verdicts.json` keeps those that took long, and a pattern that
 * is not in it is decided anew. `PATTERNS_FULL=1 bun test test/patterns.test.ts` decides all of them and renews the file.
 */
import { beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { checkSync as CheckSync } from "recheck";
import { readSources } from "#test/support/source.ts";
import kept from "./pattern-verdicts.json" with { type: "json" };

/** A longer cell is refused before any of these is tried. */
const CELL = "a phone cell of at most 200 characters";

/** Patterns that are not shown to be linear, with the reason why no stranger's text makes them slow. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "src/cli/console-link.ts /\\/+$/": "the operator's own public_url",
  "src/server/http.ts /\\/+$/": "the operator's own public_url",
  "src/config/kinds.ts /\\/+$/": "the operator's own configuration",
  "src/config/kinds.ts /^[+-]?(\\d+\\.?\\d*|\\.\\d+)$/": "the operator's own configuration",
  "src/core/key-file.ts /=+$/": "the operator's own key file",
  "src/networks/whatsapp/media.ts /\\/+$/": "the operator's own graph_url",
  "src/networks/whatsapp/request.ts /\\/+$/": "the operator's own graph_url",
  "src/server/storage.ts /\\/+$/": "the operator's own public_url",
  "src/upgrade/release-source.ts /\\/+$/": "the operator's own address of a release",
  "src/transfer/phone-cell.ts /\\s*(?:\\/\\s*\\d{1,3}|\\(\\d{1,3}\\))$/": CELL,
  "src/transfer/phone-cell.ts /\\s*(?::::|\\n|[,;|/&](?!\\s*(?:extn?|extension|x|durchwahl|dw|ramal|interno|poste|anexo)\\b)|\\s(?:or|and|oder|und|u\\.|bzw\\.|o|ou|e|y|et|atau|dan|या|और|أو|و)\\s|\\s(?=\\p{L}{1,12}\\s?[:.]\\s?[+(]{0,2}\\d[\\d\\s().-]{6}))\\s*/iu":
    CELL,
  "src/transfer/phone-cell.ts /^[\\s,;:-]*(?:\\(?\\s*(?:ext|extn|extension|x|durchwahl|dw|ramal|int|interno|poste|anexo|#)\\.?\\s*:?\\s*\\d{1,6}\\s*\\)?)?(?:[\\s,;:()\\p{L}\\p{M}.!-]|\\b\\d{1,2}(?=\\s?(?:h|am|pm|uhr)\\b))*$/iu":
    CELL,
  "src/transfer/phone-damage.ts /^['’‘`´\"]+\\s*|\\s*['’‘`´\"]+$/g": CELL,
  "src/transfer/phone-damage.ts /^(?:[\\s*~•·☎✆\\p{Extended_Pictographic}]|\\ufe0f)+|(?:[\\s*~•·☎✆\\p{Extended_Pictographic}]|\\ufe0f)+$/gu":
    CELL,
  "src/transfer/phone-cell.ts /^[\\s#(]*(?:[\\p{L}\\p{M}.'() -]{1,30}[:.\\-)\\s]\\s*)?$/u": CELL,
  "src/transfer/phone-cell.ts /[\\s(.-]+$/": CELL,
  "src/transfer/phone-damage.ts /\\d[\\d\\s-]*[x*•]{3,}|[x*•]{3,}[\\d\\s-]*\\d/i": CELL,
};
/** Where patterns are built from parts: the parts are the program's own. */
const BUILT: Readonly<Record<string, string>> = {
  "src/core/plain-mobile.ts": "libphonenumber's own, as it builds them; at most 20 digits are compared",
  "src/domain/contacts/profile.ts": "the pattern that the document gives for an e-mail address; bounded classes",
  "src/domain/messages/kinds/actions.ts":
    "the pattern that the document gives for an http address; one repetition of a class",
  "src/domain/search/words.ts": "alternatives that begin with different characters; repetitions of one class each",
  "src/domain/templates/rules/hints.ts": "alternatives of words; one bounded repetition of a class",
  "src/http/bodies/variables.ts": "one repetition of a space, with a constant",
  "src/networks/simulator/evaluate-template.ts": "one repetition of a space, with a constant",
  "src/transfer/csv-line.ts": "classes of characters; repetitions of different ones, anchored at the start",
};

/** These match the documentation's own text alone, once, when a page is made. */
const OWN_TEXT = ["explorer", "guide", "html", "page", "sample-group", "search-index", "twin"].map(
  (name) => `src/http/api/docs/${name}.ts`,
);

/** Above this, a bounded repetition counts as unbounded: harder to satisfy, and much faster to decide. */
const BOUND_MAX = 20;
const LENGTH = 4_000;
const isFull = process.env.PATTERNS_FULL === "1";
/** Patterns that `recheck` decides faster than this are decided in each run. */
const KEPT_FROM_MS = 20;
/** Whether a pattern is linear, by its literal. */
const known = new Map<string, boolean>(isFull ? [] : Object.entries(kept));
const NOTICEABLE_MS = 5;

const ofServer = readSources().filter(({ path }) => !path.startsWith("src/web/"));
const sources = ofServer.filter(({ path }) => !OWN_TEXT.includes(path));
const patterns = sources.flatMap(({ path, patterns: found }) => found.map((one) => ({ path, ...one })));

let checkSync: typeof CheckSync;
beforeAll(async () => {
  // Its other engines are a Java archive and a native program.
  process.env.RECHECK_BACKEND = "pure";
  ({ checkSync } = await import("recheck"));
});

function nameOf(path: string, literal: string): string {
  return `${path} ${literal}`;
}

function parse(literal: string): { source: string; flags: string } {
  const match = /^\/(.*)\/([a-z]*)$/s.exec(literal);
  if (match === null) throw new Error(`not a pattern: ${literal}`);
  return { source: match[1] ?? "", flags: match[2] ?? "" };
}

function widen(source: string): string {
  return source.replace(/\{(\d+)(?:,(\d+))?\}/g, (text, min: string, max = min) => {
    if (Number(max) <= BOUND_MAX) return text;
    return Number(min) === 0 ? "*" : "+";
  });
}

function isLinear(literal: string): boolean {
  const verdict = known.get(literal) ?? decide(literal);
  known.set(literal, verdict);
  return verdict;
}

/** Decided in this run, and not at once. */
const slowly: Record<string, boolean> = {};

function decide(literal: string): boolean {
  const startedAt = performance.now();
  const { source, flags } = parse(literal);
  const isSafe = [...new Set([widen(source), source])].some(
    (candidate) => checkSync(candidate, flags, { timeout: 60_000 }).status === "safe",
  );
  if (performance.now() - startedAt >= KEPT_FROM_MS) slowly[literal] = isSafe;
  return isSafe;
}

test("every pattern of the server is linear, but those with a reason", () => {
  const bad = patterns.filter(({ path, literal }) => !(nameOf(path, literal) in EXCEPTIONS || isLinear(literal)));
  expect(bad.map(({ path, line, literal }) => `${path}:${line} ${literal}`)).toEqual([]);
  expect(patterns.length).toBeGreaterThan(150);
}, 300_000);

test("every exception is needed", () => {
  expect(ofServer.length - sources.length).toBe(OWN_TEXT.length);
  const needed = patterns
    .filter(({ path, literal }) => nameOf(path, literal) in EXCEPTIONS && !isLinear(literal))
    .map(({ path, literal }) => nameOf(path, literal));
  expect(Object.keys(EXCEPTIONS).filter((name) => !needed.includes(name))).toEqual([]);
  if (!isFull) return;
  const sorted = Object.fromEntries(Object.entries(slowly).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(join(import.meta.dir, "pattern-verdicts.json"), `${JSON.stringify(sorted, null, 2)}\n`);
}, 300_000);

test("patterns that are built from parts are known", () => {
  const built = sources.filter(({ code }) => /\bRegExp\s*\(/.test(code)).map(({ path }) => path);
  expect(built).toEqual(Object.keys(BUILT));
});

test("every pattern takes time in proportion to the length of hostile texts", () => {
  const pieces = [
    " ",
    "0",
    "a",
    "=",
    "/",
    "(",
    "-",
    ".",
    "\u00a0",
    "\n",
    "!",
    "a,",
    "0:",
    '"1',
    "a ",
    "[",
    "<a>",
    "😀",
  ];
  const slow: string[] = [];
  const others = patterns.filter(({ path, literal }) => !(nameOf(path, literal) in EXCEPTIONS));
  // Many stand in several places.
  for (const { path, line, literal } of new Map(others.map((one) => [one.literal, one])).values()) {
    const { source, flags } = parse(literal);
    const pattern = new RegExp(source, flags.replace("y", ""));
    const time = (piece: string, length: number): number => {
      const text = `${piece.repeat(Math.ceil(length / piece.length))}\u0000`;
      const startedAt = performance.now();
      text.replace(pattern, "");
      return performance.now() - startedAt;
    };
    for (const piece of pieces) {
      if (time(piece, LENGTH) < NOTICEABLE_MS) continue;
      const [short, long] = [LENGTH, 2 * LENGTH].map((length) =>
        Math.min(...Array.from({ length: 5 }, () => time(piece, length))),
      );
      // Twice the length of a linear one takes twice as long, of a quadratic one four times.
      if ((long ?? 0) > NOTICEABLE_MS && (long ?? 0) > 3 * (short ?? 0)) {
        slow.push(`${path}:${line} ${literal} on ${JSON.stringify(piece)}`);
      }
    }
  }
  expect(slow).toEqual([]);
}, 300_000);

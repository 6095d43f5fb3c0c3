/**
 * What the corpus of refusals and shop chat must at least show on each half. The goals (`bun run bench:refusals`) are
 * higher than what is reached; these floors keep what was measured.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { readRefusal } from "#src/domain/workspaces/read-command.ts";
import { type Count, type Half, languages, measure } from "./measure.ts";

const own = { stopWords: [], startWords: [] };

/** Percent: recall at least, false doubt at most; on the open half, on the held half. */
const FLOORS: Readonly<Record<string, Record<Half, [recall: number, falseDoubt: number]>>> = {
  ar: { open: [60, 1.5], held: [44, 3.6] },
  en: { open: [87, 0.5], held: [60, 2.3] },
  es: { open: [86, 1.2], held: [59, 2.2] },
  fr: { open: [74, 1.2], held: [56, 3.4] },
  hi: { open: [61, 0.7], held: [49, 1.4] },
  id: { open: [77, 1], held: [62, 5] },
  pt: { open: [77, 1.3], held: [57, 2.2] },
};

const percent = ({ count, of }: Count): number => (100 * count) / of;

for (const language of languages) {
  for (const half of ["open", "held"] as const) {
    test(`in ${language}, ${half} half, chat opts out no person, and refusals are heard as measured`, () => {
      const { recall, falseDoubt, falseOptOut } = measure(language, half);
      const [recallMin, falseDoubtMax] = FLOORS[language]?.[half] ?? [100, 0];
      expect(falseOptOut.count).toBe(0);
      expect(percent(recall)).toBeGreaterThanOrEqual(recallMin);
      expect(percent(falseDoubt)).toBeLessThanOrEqual(falseDoubtMax);
    });
  }
}

test("stop signs alone and a spelled-out STOP opt out, and a misspelt long word is a doubt", () => {
  const heard = ["🛑", "🚫🚫", "S T O P", "s.t.o.p", "do not contact me again"].map((text) => readRefusal(text, own));
  expect(heard).toEqual(["stop", "stop", "stop", "stop", "stop"]);
  expect(["Unsuscribe", "UNSUBCRIBE", "unsubscirbe"].map((text) => readRefusal(text, own))).toEqual(
    Array(3).fill("doubt"),
  );
  expect(["bus stop", "Anmeldung", "anmelden", "🎉", ""].map((text) => readRefusal(text, own))).toEqual(
    Array(5).fill(null),
  );
});

test("a phrase of the workspace opts out as the whole text, and is a doubt inside a longer one", () => {
  const shop = { stopWords: ["genug von euch"], startWords: [] };
  const texts = ["Genug von euch!", "ich habe genug von euch heute", "genug von allem"];
  expect(texts.map((text) => readRefusal(text, shop))).toEqual(["stop", "doubt", null]);
});

test("case, accents, surrounding emoji and punctuation change nothing", () => {
  const texts = ["don't text me", "ya no me escriban", "não me mande mais mensagens", "ne m'écrivez plus du tout"];
  const decorate = fc.tuple(
    fc.constantFrom(...texts),
    fc.constantFrom("", "🙏 ", "*", "«"),
    fc.constantFrom("", "!!", " 😡"),
  );
  fc.assert(
    fc.property(decorate, ([text, before, after]) => {
      const heard = readRefusal(text, own);
      expect(heard).not.toBeNull();
      for (const form of [text, text.toUpperCase(), text.normalize("NFD")])
        expect(readRefusal(before + form + after, own)).toBe(heard);
    }),
  );
});

test("any text is read without a crash", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      expect([null, "stop", "start", "ambiguous", "doubt"]).toContain(readRefusal(text, own));
    }),
  );
});

test("a text of 4,096 characters is read in a moment, whatever it is made of", () => {
  for (const part of ["stop ", "no me ", "dont ", "'", "a' ", "ما لا ", "unsubscrib ", "aaab"]) {
    const text = part.repeat(4_096 / part.length);
    const started = performance.now();
    readRefusal(text, own);
    expect(performance.now() - started).toBeLessThan(500);
  }
});

/**
 * What the corpus of refusals and shop chat must at least show on each half: the goals of 95 % heard and 1 % doubted (`bun
 * run bench:refusals`), and where more was measured, that.
 */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { normalizeText } from "#src/domain/workspaces/normalize-command.ts";
import { readRefusal } from "#src/domain/workspaces/read-command.ts";
import { holdsMisspelt } from "#src/domain/workspaces/read-refusal.ts";
import { LEXICONS } from "#src/domain/workspaces/refusal-concepts.ts";
import { readClauses } from "#src/domain/workspaces/refusal-features.ts";
import { refusalModel } from "#src/domain/workspaces/refusal-model.ts";
import { isLong } from "#test/support/long-form.ts";
import { quickestMs } from "#test/support/processor-wait.ts";
import { languages, readCorpus } from "./corpus.ts";
import { type Count, measure } from "./measure.ts";
import { digestOfSources, trainModel } from "./train.ts";

const own = { stopWords: [], startWords: [] };

/** Percent on the held half: recall at least, false doubt at most. */
const FLOORS: Readonly<Record<string, [recall: number, falseDoubt: number]>> = {
  ar: [95, 0.9],
  de: [96, 0.9],
  en: [97, 0.6],
  es: [97, 0.6],
  fr: [96, 0.5],
  hi: [97, 1],
  id: [96, 0.8],
  it: [97, 0.5],
  pt: [96, 0.5],
};

const percent = ({ count, of }: Count): number => (100 * count) / of;

for (const language of languages) {
  for (const half of ["open", "held"] as const) {
    test(`in ${language}, ${half} half, chat opts out no person, and refusals are heard as measured`, () => {
      const { recall, falseDoubt, falseOptOut } = measure(language, half);
      const [recallMin, falseDoubtMax] = half === "open" ? [98, 1] : (FLOORS[language] ?? [100, 0]);
      expect(falseOptOut.count).toBe(0);
      expect(percent(recall)).toBeGreaterThanOrEqual(recallMin);
      expect(percent(falseDoubt)).toBeLessThanOrEqual(falseDoubtMax);
    });
  }
}

test("the weights are learned from the corpus and the code as they are: else `bun run train:refusals`", () => {
  expect(refusalModel().sources).toBe(digestOfSources());
});

test.skipIf(!isLong)(
  "every machine learns the same weights",
  () => {
    const file = join(import.meta.dir, "../../src/domain/workspaces/refusal-weights.bin");
    expect(trainModel().equals(readFileSync(file))).toBe(true);
  },
  1_800_000,
);

test("the words of the concepts are written as a text is normalised", () => {
  const written = LEXICONS.flatMap((lexicon) => Object.values(lexicon)).flatMap((words) => words.split(" "));
  const wrong = written.filter((word) => {
    const plain = word.replace(/\*$/, "");
    return normalizeText(plain).replaceAll("'", "") !== plain;
  });
  expect([written.length > 5_000, wrong]).toEqual([true, []]);
});

test("each phrase that people send to stop is heard, and what only sounds like one is not", () => {
  const rows = readFileSync(join(import.meta.dir, "stop-phrases.tsv"), "utf8")
    .trim()
    .split("\n")
    .slice(1);
  const wrong = rows.filter((row) => {
    const [text = "", wanted] = row.split("\t");
    const heard = readRefusal(text, own);
    return wanted === "none" ? heard !== null : wanted !== "?" && !["stop", "ambiguous", "doubt"].includes(heard ?? "");
  });
  expect(rows).toHaveLength(117);
  expect(wrong).toEqual([]);
});

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

test("a right word that is one letter away from an opt-out word does not make chat a doubt", () => {
  const chat = [
    "Kind vom Turnen abmelden und beim Schwimmen anmelden, geht das bei euch?",
    "I unsubscribed from the gym, are you open?",
    "désabonnée de mon ancienne salle, vous avez des mensuels",
    "batuknya ga berhenti2 dok, bisa periksa hari ini?",
  ];
  expect(chat.filter((text) => readRefusal(text, own) !== null)).toEqual([]);
  const refusals = ["bitte abmelden von euren Nachrichten", "bitte abmeldem", "I want to be unsubscribed from this"];
  expect(refusals.filter((text) => readRefusal(text, own) === null)).toEqual([]);
});

test("of what was learned from, no chat is a doubt only because a word looks misspelt", () => {
  const doubts = (["open", "train"] as const).flatMap((half) =>
    languages.flatMap((language) =>
      readCorpus(half, language)
        .filter(({ isRefusal, text }) => !isRefusal && holdsMisspelt(readClauses(normalizeText(text))))
        .map(({ text }) => text),
    ),
  );
  expect(doubts).toEqual([]);
});

test("an opt-out word is a doubt in languages from which nothing was learned", () => {
  const texts = ["stop tôi không muốn nữa", "stop!! kum tha", "afmelden graag", "wypisz mnie proszę", "стоп не пишите"];
  expect(texts.filter((text) => readRefusal(text, own) === null)).toEqual([]);
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
    // A bound for a slow machine; `bun run bench:refusals` prints what it takes.
    expect(quickestMs(() => readRefusal(text, own))).toBeLessThan(50);
  }
});

/**
 * Measures on the corpus of refusals and shop chat how much is heard, for each language and half. Lines of the held half
 * are counted and never returned: patterns tuned on them would falsify the result.
 */
import { once } from "#src/core/once.ts";
import { normalizeText } from "#src/domain/workspaces/normalize-command.ts";
import { readRefusal } from "#src/domain/workspaces/read-command.ts";
import { readClauses } from "#src/domain/workspaces/refusal-features.ts";
import { type Half, languagesOf, readCorpus } from "./corpus.ts";

const own = { stopWords: [], startWords: [] };

export interface Count {
  count: number;
  of: number;
}

/** `unseen`: lines of the held half whose words are those of no line from which the model learned. */
type Part = Half | "unseen";

export interface Measured {
  language: string;
  part: Part;
  /** Refusals that opt out or raise a doubt. */
  recall: Count;
  /** Refusals marked as unmistakable that opt out. */
  optedOut: Count;
  falseDoubt: Count;
  falseOptOut: Count;
}

export function measure(language: string, part: Part): Measured {
  const lines = readLines(language, part);
  const refusals = lines.filter(({ isRefusal }) => isRefusal);
  const chat = lines.filter(({ isRefusal }) => !isRefusal);
  const stops = refusals.filter(({ label }) => label === "stop");
  const count = (among: typeof lines, ...meanings: unknown[]) => ({
    count: among.filter(({ meaning }) => meanings.includes(meaning)).length,
    of: among.length,
  });
  return {
    language,
    part,
    recall: count(refusals, "stop", "ambiguous", "doubt"),
    optedOut: count(stops, "stop"),
    falseDoubt: count(chat, "doubt"),
    falseOptOut: count(chat, "stop", "ambiguous"),
  };
}

/** Lines of the open half that are heard wrongly. */
export function listMisses(language: string): string[] {
  return readLines(language, "open").flatMap(({ label, text, isRefusal, meaning }) =>
    isRefusal === (meaning === null) ? [`${label}\t${meaning}\t${text}`] : [],
  );
}

/** The 95 % interval of Wilson, in percent. */
export function interval({ count, of }: Count): [low: number, high: number] {
  const z = 1.96;
  const share = count / of;
  const middle = share + z ** 2 / (2 * of);
  const reach = z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  const scale = 100 / (1 + z ** 2 / of);
  return [(middle - reach) * scale, (middle + reach) * scale];
}

function readLines(language: string, part: Part) {
  const lines =
    part === "unseen"
      ? readCorpus("held", language).filter(({ text }) => !learned().has(wordsOf(text)))
      : readCorpus(part, language);
  return lines.map((line) => ({ ...line, meaning: readRefusal(line.text, own) }));
}

/** The words of each line from which the model learned. */
const learned = once(() => {
  const lines = (["open", "train"] as const).flatMap((part) =>
    languagesOf(part).flatMap((language) => readCorpus(part, language)),
  );
  return new Set(lines.map(({ text }) => wordsOf(text)));
});

function wordsOf(text: string): string {
  return readClauses(normalizeText(text)).flat().join(" ");
}

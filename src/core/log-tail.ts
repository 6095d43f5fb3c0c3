/** The last entries of the log, in memory, for the console: the whole log is where stderr leads. */
import { type LogLevel, levelWeights, type WrittenEntry } from "./log.ts";

interface KeptEntry extends WrittenEntry {
  /** Counted from 1 since the start. */
  readonly id: number;
}

const ENTRIES_MAX = 1_000;
/** An entry may hold fields of 8,000 characters each. */
const CHARACTERS_MAX = 500_000;

export class LogTail {
  #entries: KeptEntry[] = [];
  #characters = 0;
  #last = 0;

  readonly keep = (entry: WrittenEntry): void => {
    this.#last += 1;
    this.#entries.push({ ...entry, id: this.#last });
    this.#characters += entry.text.length;
    while (this.#entries.length > ENTRIES_MAX || (this.#characters > CHARACTERS_MAX && this.#entries.length > 1))
      this.#characters -= this.#entries.shift()?.text.length ?? 0;
  };

  /** Newest first: entries of at least this level whose text has these words, in any case, in this order. */
  newest(wanted: { level: LogLevel; words: string; limit: number }): KeptEntry[] {
    const words = wanted.words.toLowerCase();
    const isWanted = ({ level, text }: KeptEntry): boolean =>
      levelWeights[level] >= levelWeights[wanted.level] && text.toLowerCase().includes(words);
    const found: KeptEntry[] = [];
    for (const entry of this.#entries.toReversed()) {
      if (found.length === wanted.limit) break;
      if (isWanted(entry)) found.push(entry);
    }
    return found;
  }
}

/** Splits text into lines, whatever ends them: LF, CR LF, or CR alone, also in one file. */
import { RECORD_LENGTH_MAX } from "./record.ts";

export interface Line {
  /** Counted from 1. */
  number: number;
  /** Without its LF; a CR before it stays. */
  text: string;
  /** The line was longer than `RECORD_LENGTH_MAX`, and `text` is its beginning. */
  isCut: boolean;
}

/** A CR at the very end may be half of a CR LF. */
const LONE_CR = /\r(?=[^\n])/;
const LINE_END = /\n|\r(?=[^\n])/;
/** NUL has no meaning in text, and Ctrl-Z ends a file of DOS. */
const MEANINGLESS = ["\0", "\x1a"];

/** The text has no empty line after its last line end. */
export async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<Line[]> {
  let rest = "";
  let isCut = false;
  let number = 0;
  const lineOf = (line: string): Line => {
    number += 1;
    const cut = isCut || line.length > RECORD_LENGTH_MAX;
    isCut = false;
    let kept = cut ? line.slice(0, RECORD_LENGTH_MAX) : line;
    for (const character of MEANINGLESS) if (kept.includes(character)) kept = kept.replaceAll(character, "");
    return { number, text: kept, isCut: cut };
  };
  for await (const piece of text) {
    const joined = rest + piece;
    const lines = LONE_CR.test(joined) ? joined.split(LINE_END) : joined.split("\n");
    rest = lines.pop() ?? "";
    // A line that never ends is not collected.
    if (lines.length > 0) yield lines.map(lineOf);
    if (rest.length > RECORD_LENGTH_MAX) {
      isCut = true;
      rest = rest.slice(0, RECORD_LENGTH_MAX);
    }
  }
  if (rest !== "") yield [lineOf(rest)];
}

/** Splits text into lines, whatever ends them: LF, CR LF, or CR alone where the file has no LF near its start. */
import { RECORD_LENGTH_MAX } from "./record.ts";

export interface Line {
  /** Counted from 1. */
  number: number;
  /** Without its LF; a CR before it stays. */
  text: string;
  /** The line was longer than `RECORD_LENGTH_MAX`, and `text` is its beginning. */
  isCut: boolean;
}

/** NUL has no meaning in text, and Ctrl-Z ends a file of DOS. */
const MEANINGLESS = ["\0", "\x1a"];

/** The text has no empty line after its last line end. */
export async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<Line[]> {
  let end: "\n" | "\r" | null = null;
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
    end ??= endOf(rest + piece);
    if (end === null) {
      rest += piece;
      continue;
    }
    const lines = (rest + piece).split(end);
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

/** Null: no line has ended yet. A CR at the very end may be half of a CR LF. */
function endOf(text: string): "\n" | "\r" | null {
  if (text.includes("\n")) return "\n";
  const at = text.indexOf("\r");
  return at !== -1 && at < text.length - 1 ? "\r" : text.length > RECORD_LENGTH_MAX ? "\n" : null;
}

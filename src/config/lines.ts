/**
 * On which line of a TOML document each key stands, for messages: the parser tells lines of syntax errors only. Reads
 * documents that the parser has accepted, so it knows where things end but checks nothing; of any other text it gives
 * some answer and always comes to an end.
 */
import { parse } from "smol-toml";

/** Section, key, element: nothing below is ever asked for, and a path can be as long as the document. */
const DEPTH_MAX = 3;

/** Segments of a key's path; the elements of a list are "0", "1", … */
export type LineFinder = (path: readonly string[]) => number | null;

/** The line (from 1) where a key, a section or an element of a list is first named; null where it is not found. */
export function findLines(toml: string): LineFinder {
  const lines = new Map<string, number>();
  new Scanner(toml, (path, line) => {
    // A dotted key names the tables above it too; whoever names a table first is where a person would look for it.
    for (let length = 1; length <= Math.min(path.length, DEPTH_MAX); length++) {
      const name = nameOf(path.slice(0, length));
      if (!lines.has(name)) lines.set(name, line);
    }
  }).document();
  return (path) => lines.get(nameOf(path)) ?? null;
}

function nameOf(path: readonly string[]): string {
  return JSON.stringify(path);
}

class Scanner {
  readonly #text: string;
  readonly #found: (path: readonly string[], line: number) => void;
  #at = 0;
  #line = 1;

  constructor(text: string, found: (path: readonly string[], line: number) => void) {
    this.#text = text;
    this.#found = found;
  }

  document(): void {
    let section: readonly string[] = [];
    while (this.#skipBlank()) {
      if (this.#peek() === "[") {
        while (this.#peek() === "[") this.#step();
        section = this.#keyPath([]);
        while (this.#peek() === "]") this.#step();
      } else {
        this.#pair(section);
      }
    }
  }

  /** `key = value` */
  #pair(above: readonly string[]): void {
    const start = this.#at;
    const path = this.#keyPath(above);
    this.#skipBlank();
    if (this.#peek() === "=") this.#step();
    this.#skipBlank();
    this.#value(path);
    // A text that is no TOML must not hold the loop for ever.
    if (this.#at === start) this.#step();
  }

  #keyPath(above: readonly string[]): readonly string[] {
    const path = [...above];
    this.#skipBlank();
    const line = this.#line;
    for (;;) {
      this.#skipBlank();
      const mark = this.#peek();
      if (mark === '"' || mark === "'") path.push(unquoted(this.#string(mark)));
      else path.push(this.#while(/[^\s.=[\]{},#"']/));
      this.#skipBlank();
      if (this.#peek() !== ".") break;
      this.#step();
    }
    this.#found(path, line);
    return path;
  }

  #value(path: readonly string[]): void {
    const mark = this.#peek();
    if (mark === "{") this.#inside("}", () => this.#pair(path));
    else if (mark === "[") {
      let index = 0;
      this.#inside("]", () => {
        const element = [...path, String(index++)];
        this.#found(element, this.#line);
        this.#value(element);
      });
    } else if (mark === '"' || mark === "'") this.#string(mark);
    else this.#while(/[^\n,\]}#]/);
  }

  /** What stands between brackets, separated by commas, over any number of lines. */
  #inside(end: string, item: () => void): void {
    this.#step();
    while (this.#skipBlank() && this.#peek() !== end) {
      const start = this.#at;
      if (this.#peek() === ",") this.#step();
      else item();
      if (this.#at === start) this.#step();
    }
    this.#step();
  }

  /** A string with its quotes. */
  #string(mark: string): string {
    const start = this.#at;
    const triple = mark.repeat(3);
    const end = this.#text.startsWith(triple, this.#at) ? triple : mark;
    this.#step(end.length);
    while (this.#at < this.#text.length && !this.#text.startsWith(end, this.#at)) {
      this.#step(mark === '"' && this.#peek() === "\\" ? 2 : 1);
    }
    this.#step(end.length);
    // A multi-line string may end in up to two quotes of its own: """"quoted"""""
    while (end === triple && this.#peek() === mark) this.#step();
    return this.#text.slice(start, this.#at);
  }

  /** Skips white space, line ends and comments; false at the end of the text. */
  #skipBlank(): boolean {
    for (;;) {
      this.#while(/\s/);
      if (this.#peek() !== "#") return this.#at < this.#text.length;
      this.#while(/[^\n]/);
    }
  }

  #while(allowed: RegExp): string {
    const start = this.#at;
    while (this.#at < this.#text.length && allowed.test(this.#peek())) this.#step();
    return this.#text.slice(start, this.#at);
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #step(count = 1): void {
    for (const end = Math.min(this.#at + count, this.#text.length); this.#at < end; this.#at++) {
      if (this.#text.charAt(this.#at) === "\n") this.#line++;
    }
  }
}

/** The text of a quoted key. The parser knows all escapes; it is asked only where there are any. */
function unquoted(quoted: string): string {
  if (!quoted.includes("\\") || quoted.startsWith("'")) return quoted.slice(1, -1);
  try {
    return String(parse(`key = ${quoted}`).key);
  } catch {
    return quoted;
  }
}

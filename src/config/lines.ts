/**
 * Finds the line of each key in a TOML document, for messages: the parser reports lines only for syntax errors. It
 * reads documents that the parser has accepted, so it recognises where values end but checks nothing. For any other
 * text it returns some answer and always terminates.
 */
import { parse } from "smol-toml";

/** Section, key, element: nothing deeper is ever looked up, and a path can be as long as the document. */
const DEPTH_MAX = 3;

/** `path` holds the segments of a key's path; the elements of a list are "0", "1", … */
export type LineFinder = (path: readonly string[]) => number | null;

/** The line (from 1) where a key, section or list element is first named; null if it is not found. */
export function findLines(toml: string): LineFinder {
  const lines = new Map<string, number>();
  new Scanner(toml, (path, line) => {
    // A dotted key names the tables above it too; a reader looks for a table where it is first named.
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
    // Always advance: a text that is not TOML must not loop forever.
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

  /** The comma-separated items between brackets, over any number of lines. */
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

  /** A string including its quotes. */
  #string(mark: string): string {
    const start = this.#at;
    const triple = mark.repeat(3);
    const end = this.#text.startsWith(triple, this.#at) ? triple : mark;
    this.#step(end.length);
    while (this.#at < this.#text.length && !this.#text.startsWith(end, this.#at)) {
      this.#step(mark === '"' && this.#peek() === "\\" ? 2 : 1);
    }
    this.#step(end.length);
    // A multi-line string may end with up to two quotes of its own: """"quoted"""""
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

/** The text of a quoted key. Only the parser knows all escapes, so it is used if there are any. */
function unquoted(quoted: string): string {
  if (!quoted.includes("\\") || quoted.startsWith("'")) return quoted.slice(1, -1);
  try {
    return String(parse(`key = ${quoted}`).key);
  } catch {
    return quoted;
  }
}

/**
 * Case of letters beyond A to Z. SQLite compares without case for those alone, so a text with others is looked for in
 * the ways in which people write it: as given, all small, all capital, each word with a capital. Pure.
 */

const BEYOND_ASCII = /\P{ASCII}/u;

/** The text first, then its other spellings; only the text where SQLite can compare by itself. */
export function spellings(text: string): string[] {
  if (!BEYOND_ASCII.test(text)) return [text];
  const small = text.toLowerCase();
  const words = small.replace(/(?<![\p{L}\p{M}\p{N}'’])\p{L}/gu, (letter) => letter.toUpperCase());
  return [...new Set([text, small, text.toUpperCase(), words])];
}

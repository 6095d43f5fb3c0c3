/** Texts of strangers where people read them. */

/** Blanks, control characters and those that have no glyph; U+2800 is a braille cell without dots. */
export const SHOWS_NOTHING = /^[\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]*$/u;

/** The same characters but NUL, as the inside of a GLOB's class: SQLite knows no properties of Unicode. */
export const BLANK_CHARACTERS = [
  ...["\u0001-\u0020", "\u007f-\u00a0", "\u00ad", "\u034f", "\u061c", "\u115f-\u1160", "\u1680", "\u17b4-\u17b5"],
  ...["\u180b-\u180f", "\u2000-\u200f", "\u2028-\u202f", "\u205f-\u206f", "\u2800", "\u3000", "\u3164"],
  ...["\ufe00-\ufe0f", "\ufeff", "\uffa0", "\ufff0-\ufffb"],
  ...["\u{1bca0}-\u{1bca3}", "\u{1d173}-\u{1d17a}", "\u{e0000}-\u{e0fff}"],
].join("");

/** The text without white space around it; empty if it shows nothing. */
export function trimShown(text: string): string {
  return SHOWS_NOTHING.test(text) ? "" : text.trim();
}

/** Control characters other than tabs and line ends as `\x1b`: written as they are, they could steer a terminal. */
export function showControls(text: string): string {
  return text.replace(/(?![\t\r\n])\p{Cc}/gu, escaped);
}

/** On one line: line ends, control and formatting characters are escaped, so that no text can steer a terminal. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => (character === "\n" ? "\\n" : escaped(character)));
}

/** `\x1b`, `\u{202e}`. */
function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}

/** The same JSON value without characters that steer a terminal or turn its line around, which `JSON.stringify` keeps. */
export function plainJson(value: unknown, indentation?: number): string {
  return JSON.stringify(value, null, indentation).replace(
    /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

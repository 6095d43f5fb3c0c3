/** Texts of strangers where people read them. */

/** Blanks, control characters and those that have no glyph; U+2800 is a braille cell without dots. */
export const SHOWS_NOTHING = /^[\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]*$/u;

/** Control characters other than tabs and line ends as `\x1b`: written as they are, they could steer a terminal. */
export function showControls(text: string): string {
  return text.replace(
    /(?![\t\r\n])\p{Cc}/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

/** On one line: line ends, control and formatting characters are escaped, so that no text can steer a terminal. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === "\n" ? "\\n" : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** The same JSON value without characters that steer a terminal or turn its line around, which `JSON.stringify` keeps. */
export function plainJson(value: unknown, indentation?: number): string {
  return JSON.stringify(value, null, indentation).replace(
    /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

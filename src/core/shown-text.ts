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

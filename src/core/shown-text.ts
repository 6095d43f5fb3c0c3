/** Texts of strangers where people read them. */

/** Control characters other than tabs and line ends as `\x1b`: written as they are, they could steer a terminal. */
export function showControls(text: string): string {
  return text.replace(
    /(?![\t\r\n])\p{Cc}/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

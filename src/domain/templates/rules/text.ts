/** What the texts of a template hold: placeholders, emoji, words, formatting. Pure. */

interface Placeholder {
  /** What stands between the braces. */
  inside: string;
  start: number;
  end: number;
}

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

export function placeholdersIn(text: string): Placeholder[] {
  return [...text.matchAll(PLACEHOLDER)].map((match) => ({
    inside: match[1] ?? "",
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Each name or number once, in the order of the text. */
export function namesIn(text: string): string[] {
  return [...new Set(placeholdersIn(text).map(({ inside }) => inside.trim()))];
}

function withoutPlaceholders(text: string): string {
  return text.replace(PLACEHOLDER, " ");
}

/** A picture, or a sign with the selector that asks for a picture: `❤` alone is a letter to WhatsApp. A flag is two signs. */
const EMOJI = /[\u{1f1e6}-\u{1f1ff}]{2}|\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[0-9#*]\ufe0f?\u20e3/gu;
/** What belongs to the picture before it: a colour of skin, or a joined picture. */
const JOINED = /\p{Emoji_Modifier}|\u200d\p{Extended_Pictographic}/gu;

export function countEmoji(text: string): number {
  return [...text.replace(JOINED, "").matchAll(EMOJI)].length;
}

/** Scripts without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

/** Words other than the placeholders. Each letter of a script without spaces counts as one, so no text has too few. */
export function countWords(text: string): number {
  const written = withoutPlaceholders(text);
  const letters = [...written.matchAll(UNSPACED)].length;
  const words = written
    .replace(UNSPACED, " ")
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
  return words.length + letters;
}

/** `*bold*`, `_italic_`, `~struck~`, a monospaced text. A name with an underscore is none. */
export function hasFormatting(text: string): boolean {
  const written = withoutPlaceholders(text);
  return /[*`]/.test(written) || isWrapped(written, "_") || isWrapped(written, "~");
}

function isWrapped(text: string, mark: string): boolean {
  const words = text.split(/\s/).map((word) => word.replace(/[.,!?;:()"']/g, ""));
  const opened = words.findIndex((word) => word.length > 1 && word.startsWith(mark));
  return opened >= 0 && words.slice(opened).some((word) => word.length > 1 && word.endsWith(mark));
}

export function hasLineBreak(text: string): boolean {
  return /[\n\r\u2028\u2029]/.test(text);
}

/** Texts that stand inside a sentence of ours, which adds the full stop itself. */

/** Without the full stop at its end: `it is banned.` as the reason of `cannot send: it is banned`. */
export function clauseOf(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.endsWith(".") && !trimmed.endsWith("..") ? trimmed.slice(0, -1) : trimmed;
}

/** With a capital letter and one full stop. */
export function sentenceOf(text: string): string {
  return `${text.charAt(0).toUpperCase()}${clauseOf(text).slice(1)}.`;
}

/**
 * XXH32 of a text as SQLite stores it, which is well-formed, as a signed number. SQL has it as `text_hash`. Hashes are
 * stored, so the function must never change.
 */
export function textHash(text: string): number {
  return Bun.hash.xxHash32(text.toWellFormed()) | 0;
}

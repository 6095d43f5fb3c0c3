/** XXH32 of a text, as a signed number. Such hashes are stored, so the function must never change. SQL knows it as `text_hash`. */
export function textHash(text: string): number {
  return Bun.hash.xxHash32(text) | 0;
}

/** Bytes as a shell command that prints them: readable if possible, else in base64. */
const LONGEST_READABLE = 4_000;

export function shownBytes(bytes: Buffer): string {
  const text = bytes.toString("latin1");
  if (bytes.length <= LONGEST_READABLE && /^[\x20-\x7e]*$/.test(text)) {
    return `printf %s '${text.replaceAll("'", `'\\''`)}'`;
  }
  return `echo ${bytes.toString("base64")} | base64 -d`;
}

/** A secret as it is and in every common encoding: what to search for where the secret must not appear. */

/** The forms in which the secret occurs. Throws for a secret under 20 letters, which could be found by chance. */
export function foundIn(bytes: Buffer, secret: string): string[] {
  if (secret.length < 20) throw new Error("a secret that is looked for has at least 20 letters");
  return formsOf(secret)
    .filter((one) => bytes.includes(one.bytes))
    .map(({ form }) => form);
}

function formsOf(secret: string): { form: string; bytes: Buffer }[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const quoted = encodeURIComponent(secret);
  const texts: Record<string, string> = {
    raw: secret,
    hex,
    "hex in capitals": hex.toUpperCase(),
    "URL-encoded": quoted,
    "URL-encoded in small letters": quoted.replace(/%../g, (byte) => byte.toLowerCase()),
    "in a form's encoding": new URLSearchParams({ "": secret }).toString().slice(1),
    "JSON with escaped slashes": JSON.stringify(secret).slice(1, -1).replaceAll("/", "\\/"),
  };
  for (const before of [0, 1, 2]) {
    const inside = insideBase64(bytes, before);
    texts[`base64 after ${before} bytes`] = inside;
    texts[`base64url after ${before} bytes`] = inside.replaceAll("+", "-").replaceAll("/", "_");
  }
  return [
    ...Object.entries(texts).map(([form, text]) => ({ form, bytes: Buffer.from(text) })),
    { form: "UTF-16", bytes: Buffer.from(secret, "utf16le") },
  ];
}

/** The letters that the secret alone determines, after the given number of preceding bytes (and whatever follows). */
function insideBase64(secret: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), secret]).toString("base64");
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + secret.length) * 8) / 6));
}

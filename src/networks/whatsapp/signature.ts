/**
 * Verifies that a callback comes from Meta: `X-Hub-Signature-256` is the HMAC-SHA256 of the raw body under the app
 * secret. It must be computed over the bytes as they arrived: Meta escapes non-ASCII letters, so a parsed and rewritten
 * body has another signature.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

const HEADER_PATTERN = /^sha256=([0-9a-f]{64})$/i;

/** False for a missing or malformed header, and for an empty secret, with which anyone could sign. */
export function verifySignature(rawBody: Uint8Array, header: string | null, appSecret: string): boolean {
  const hex = header === null ? undefined : HEADER_PATTERN.exec(header)?.[1];
  if (hex === undefined || appSecret === "") return false;
  const expected = createHmac("sha256", appSecret).update(rawBody).digest();
  return timingSafeEqual(expected, Buffer.from(hex, "hex"));
}

/** Time-based one-time passwords (RFC 6238): six digits, SHA-1, 30 seconds, as all authenticator apps support them. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Random } from "./random.ts";

const STEP_MS = 30_000;
const DIGITS = 6;
const SECRET_BYTES = 20;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** A random secret in base32 without padding, as it is typed by hand. */
export function newTotpSecret(random: Random): string {
  let bits = 0;
  let buffer = 0;
  let text = "";
  for (const byte of random.bytes(SECRET_BYTES)) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += ALPHABET.charAt((buffer >> (bits - 5)) & 31);
    buffer &= (1 << bits) - 1;
  }
  return text;
}

/** The code at a given time. Throws for a secret that is not base32. */
export function totpCode(secret: string, ms: number): string {
  return codeOfStep(readSecret(secret), Math.floor(ms / STEP_MS));
}

/**
 * The time step that `code` belongs to: the current one or a neighbour, because clocks differ. Null if there is none
 * after `lastStep`, so that each code is accepted only once.
 */
export function findStep(secret: string, code: string, now: number, lastStep: number): number | null {
  const digits = code.replace(/\s/g, "");
  if (!/^\d{6}$/.test(digits)) return null;
  const key = readSecret(secret);
  const present = Math.floor(now / STEP_MS);
  for (const step of [present, present - 1, present + 1]) {
    if (step > lastStep && timingSafeEqual(Buffer.from(codeOfStep(key, step)), Buffer.from(digits))) return step;
  }
  return null;
}

/** The `otpauth://` URI that an authenticator reads from a QR code. */
export function totpAddress(secret: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

function codeOfStep(key: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", key).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

function readSecret(secret: string): Uint8Array {
  const bytes: number[] = [];
  let bits = 0;
  let buffer = 0;
  for (const letter of secret) {
    const value = ALPHABET.indexOf(letter);
    if (value < 0) throw new RangeError("a TOTP secret consists of the letters A to Z and the digits 2 to 7");
    buffer = ((buffer << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((buffer >> bits) & 255);
  }
  return Uint8Array.from(bytes);
}

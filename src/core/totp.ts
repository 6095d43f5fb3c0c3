/** Time-based one-time passwords (RFC 6238): six digits, SHA-1, 30 seconds, as all authenticator apps support them. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { base32nopad } from "@scure/base";
import type { Random } from "./random.ts";

const STEP_MS = 30_000;
const DIGITS = 6;
const SECRET_BYTES = 20;

/** A random secret in base32 without padding, as it is typed by hand. */
export function newTotpSecret(random: Random): string {
  return base32nopad.encode(random.bytes(SECRET_BYTES));
}

/** The code at a given time. Throws for a secret that is not base32. */
export function totpCode(secret: string, ms: number): string {
  return codeOfStep(base32nopad.decode(secret), Math.floor(ms / STEP_MS));
}

/**
 * The time step that `code` belongs to: the current one or a neighbour, because clocks differ. Null if there is none
 * after `lastStep`, so that each code is accepted only once.
 */
export function findStep(secret: string, code: string, now: number, lastStep: number): number | null {
  const digits = code.replace(/\s/g, "");
  if (!/^\d{6}$/.test(digits)) return null;
  const key = base32nopad.decode(secret);
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

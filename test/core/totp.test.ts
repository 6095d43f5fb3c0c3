/** Codes of an authenticator, compared with the vectors of RFC 6238. */
import { expect, test } from "bun:test";
import { systemRandom } from "#src/core/random.ts";
import { findStep, newTotpSecret, totpAddress, totpCode } from "#src/core/totp.ts";

/** "12345678901234567890" in base32: the RFC's key. Its codes have eight digits; ours are their last six. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

test("codes match the vectors of RFC 6238", () => {
  const vectors = [
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ] as const;
  for (const [seconds, code] of vectors) expect(totpCode(SECRET, seconds * 1_000)).toBe(code.slice(-6));
});

test("a code is accepted one step either side, and never at or before the last accepted step", () => {
  const now = 1_234_567_890_000;
  const step = Math.floor(now / 30_000);
  for (const away of [-2, -1, 0, 1, 2]) {
    const code = totpCode(SECRET, now + away * 30_000);
    expect(findStep(SECRET, code, now, 0)).toBe(Math.abs(away) < 2 ? step + away : null);
    expect(findStep(SECRET, code, now, step)).toBe(away === 1 ? step + 1 : null);
  }
  expect(findStep(SECRET, ` ${totpCode(SECRET, now).slice(0, 3)} ${totpCode(SECRET, now).slice(3)}`, now, 0)).toBe(
    step,
  );
  for (const code of ["", "12345", "1234567", "abcdef"]) expect(findStep(SECRET, code, now, 0)).toBeNull();
});

test("a new secret has 160 bits in base32, and no two are the same", () => {
  const secrets = Array.from({ length: 50 }, () => newTotpSecret(systemRandom));
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(new Set(secrets).size).toBe(50);
  expect(totpAddress(SECRET, "Waxwing", "a b@example.com")).toBe(
    `otpauth://totp/Waxwing:a%20b%40example.com?secret=${SECRET}&issuer=Waxwing`,
  );
});

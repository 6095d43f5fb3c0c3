/** Randomness that repeats: for `dev --random-seed`. */
import { createHash } from "node:crypto";
import type { Random } from "./random.ts";

/** The same seed gives the same bytes in the same order. Nothing of it is a secret. */
export function seededRandom(seed: number): Random {
  let count = 0;
  let pool = Buffer.alloc(0);
  const bytes = (wanted: number): Uint8Array => {
    while (pool.length < wanted) {
      count += 1;
      pool = Buffer.concat([pool, createHash("sha256").update(`${seed} ${count}`).digest()]);
    }
    const taken = new Uint8Array(pool.subarray(0, wanted));
    pool = pool.subarray(wanted);
    return taken;
  };
  return { bytes, fraction: () => Buffer.from(bytes(6)).readUIntBE(0, 6) / 2 ** 48 };
}

/** Randomness, injected like the clock: the only source of keys, send tokens and jitter. */
import { createHash } from "node:crypto";

export interface Random {
  /** `count` bytes, suitable for secrets. */
  bytes(count: number): Uint8Array;
  /** A number in [0, 1), for jitter; not for secrets. */
  fraction(): number;
}

export const systemRandom: Random = {
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  fraction: () => Math.random(),
};

/** The same seed gives the same bytes in the same order: for `dev --random-seed`. Nothing of it is a secret. */
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

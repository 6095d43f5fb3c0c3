/** Randomness, injected like the clock: the only source of keys, send tokens and jitter. */
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

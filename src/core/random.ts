/** Randomness, injected like the clock: keys, references and jitter come from here and nowhere else. */
export interface Random {
  /** `count` bytes fit for secrets. */
  bytes(count: number): Uint8Array;
  /** A number in [0, 1), for jitter; not for secrets. */
  fraction(): number;
}

export const systemRandom: Random = {
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  fraction: () => Math.random(),
};

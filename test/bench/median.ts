/** Medians of a few rounds. A shared machine has bad moments: a median ignores them, a mean does not. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** One measurement of ours and the bare one beside it, taken right after each other. */
export interface Pair<Round> {
  ours: Round;
  bare: Round;
}

export interface Compared {
  ours: number;
  bare: number;
  /** The median of the rounds' own ratios: what slows the whole machine for a while slows both halves of a round. */
  ratio: number;
  /** The rounds' lowest and highest ratio. */
  range: [number, number];
}

export function compare<Round>(rounds: readonly Pair<Round>[], figure: (round: Round) => number): Compared {
  const ratios = rounds.map(({ ours, bare }) => figure(ours) / figure(bare));
  return {
    ours: median(rounds.map(({ ours }) => figure(ours))),
    bare: median(rounds.map(({ bare }) => figure(bare))),
    ratio: median(ratios),
    range: [Math.min(...ratios), Math.max(...ratios)],
  };
}

/** Measures ours and bare alternately, `rounds` times, after one warm-up round of each. */
export async function interleave<Round>(
  rounds: number,
  ours: () => Promise<Round>,
  bare: () => Promise<Round>,
): Promise<Pair<Round>[]> {
  await ours();
  await bare();
  const pairs: Pair<Round>[] = [];
  for (let round = 0; round < rounds; round++) pairs.push({ ours: await ours(), bare: await bare() });
  return pairs;
}

/**
 * Whether a series of samples is flat: the line fitted through all of them except the first fifth (a process warms up,
 * caches fill) rises, over the time that it covers, by no more than is allowed.
 */
export interface Allowed {
  /** Of the mean. */
  share: number;
  /** In the unit of the series: a rise up to this is flat, however small the mean. */
  amount: number;
}

export interface Flatness {
  mean: number;
  /** From the start of the line to its end. */
  rise: number;
  isFlat: boolean;
}

const WARM_UP_SHARE = 0.2;

export function flatness(samples: readonly number[], { share, amount }: Allowed): Flatness {
  const settled = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  const count = settled.length;
  const mean = settled.reduce((sum, one) => sum + one, 0) / count;
  const middle = (count - 1) / 2;
  const spread = settled.reduce((sum, _, place) => sum + (place - middle) ** 2, 0);
  const slope = settled.reduce((sum, one, place) => sum + (place - middle) * (one - mean), 0) / spread;
  const rise = spread === 0 ? 0 : slope * (count - 1);
  return { mean, rise, isFlat: rise <= Math.max(amount, share * Math.abs(mean)) };
}

/** Formats sizes and durations: `1.2 GB`, `84 ms`. */
const format = (value: number, digits: number): string =>
  new Intl.NumberFormat("en", { maximumFractionDigits: digits }).format(value);

const SIZES = ["bytes", "kB", "MB", "GB", "TB"] as const;

export function size(bytes: number): string {
  let value = bytes;
  let at = 0;
  while (value >= 1_000 && at < SIZES.length - 1) {
    value /= 1_000;
    at += 1;
  }
  return `${format(value, value < 10 && at > 0 ? 1 : 0)} ${SIZES[at]}`;
}

/** A duration. */
export function span(seconds: number): string {
  if (seconds < 1) return `${format(seconds * 1_000, seconds < 0.01 ? 1 : 0)} ms`;
  if (seconds < 120) return `${format(seconds, seconds < 10 ? 1 : 0)} s`;
  if (seconds < 7_200) return `${format(seconds / 60, 0)} min`;
  return `${format(seconds / 3_600, seconds < 36_000 ? 1 : 0)} h`;
}

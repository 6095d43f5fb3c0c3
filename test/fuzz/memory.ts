/**
 * Whether memory grew over a run, beyond the growth of a warming process: compares the second half with the end of the
 * first.
 */
const HEAP_ALLOWED_MB = 24;
const RSS_ALLOWED_SHARE = 1.25;

/** A description of the growth; null if memory is flat or there are fewer than ten samples. */
export function grewSteadily(samples: readonly { heapMb: number; rssMb: number }[]): string | null {
  if (samples.length < 10) return null;
  const half = samples.slice(4, 6);
  const end = samples.slice(-2);
  const mean = (of: typeof half, name: "heapMb" | "rssMb"): number =>
    of.reduce((sum, sample) => sum + sample[name], 0) / of.length;
  const heap = mean(end, "heapMb") - mean(half, "heapMb");
  if (heap > HEAP_ALLOWED_MB) return `the heap by ${heap.toFixed(1)} MB in the second half`;
  const rss = mean(end, "rssMb") / mean(half, "rssMb");
  return rss > RSS_ALLOWED_SHARE ? `the process by ${Math.round((rss - 1) * 100)} % in the second half` : null;
}

/** How long threads were ready to run and had no processor: the part of a measured time that other work on the machine took. */
import { readFileSync } from "node:fs";

/**
 * Starts a measurement of this process and another one. The returned function tells how long the main thread of one of
 * them has waited since, in milliseconds: the longer wait of the two, because both may have waited at the same time.
 * Elsewhere than on Linux it is not known: none.
 */
export function measureWait(pid: number): () => number {
  if (process.platform !== "linux") return () => 0;
  const read = (): number[] =>
    [pid, process.pid].map((one) => Number(readFileSync(`/proc/${one}/task/${one}/schedstat`, "utf8").split(" ")[1]));
  const before = read();
  return () => Math.max(...read().map((waited, index) => waited - (before[index] ?? 0))) / 1e6;
}

/**
 * The least of three times that `act` takes this thread, in milliseconds, without what it waited for a processor: other work
 * on the machine slows one run down, what the code does slows down all of them.
 */
export function quickestMs(act: () => void): number {
  const times = [1, 2, 3].map(() => {
    const waited = measureWait(process.pid);
    const startedAt = performance.now();
    act();
    return performance.now() - startedAt - waited();
  });
  return Math.min(...times);
}

/** How long threads were ready to run and had no processor: the part of a measured time that other work on the machine took. */
import { readFileSync } from "node:fs";

/**
 * Starts a measurement of this process and another one. The returned function tells how long the main thread of one of
 * them has waited since, in milliseconds: the longer wait of the two, because both may have waited at the same time.
 * Linux only.
 */
export function measureWait(pid: number): () => number {
  const read = (): number[] =>
    [pid, process.pid].map((one) => Number(readFileSync(`/proc/${one}/task/${one}/schedstat`, "utf8").split(" ")[1]));
  const before = read();
  return () => Math.max(...read().map((waited, index) => waited - (before[index] ?? 0))) / 1e6;
}

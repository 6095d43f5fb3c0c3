/** How long threads were ready to run and had no processor: the part of a measured time that other work on the machine took. */
import { readFileSync } from "node:fs";

/** Of the main thread of a process and of this one's, since they began, in milliseconds. Linux only. */
export function waitedMs(pid: number): number {
  const waits = [pid, process.pid].map((one) => readFileSync(`/proc/${one}/task/${one}/schedstat`, "utf8"));
  return waits.reduce((sum, text) => sum + Number(text.split(" ")[1]), 0) / 1e6;
}

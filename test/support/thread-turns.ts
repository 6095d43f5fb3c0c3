/**
 * How long this thread works between two chances for others: the processor time of its turns of the event loop. Other work
 * on the machine does not count, and neither does waiting for the disk.
 */
import { dlopen, ptr } from "bun:ffi";
import { readFileSync, writeFileSync } from "node:fs";

const { symbols: libc } = dlopen("libc.so.6", { clock_gettime: { args: ["i32", "ptr"], returns: "i32" } });
const CLOCK_THREAD_CPUTIME_ID = 3;
/** Seconds and nanoseconds. */
const time = new BigInt64Array(2);
const timeAddress = ptr(time);

export interface Turns {
  /** Processor time of the longest turn, milliseconds. */
  longestMs: number;
  /** Of all turns together. */
  allMs: number;
  /** How much more memory the process held at once than before, bytes. */
  memory: number;
}

/** Begins to measure; the returned function ends it. Linux only. */
export function measureTurns(): () => Turns {
  const before = residentBytes("VmRSS");
  // The kernel forgets the highest amount so far.
  writeFileSync("/proc/self/clear_refs", "5");
  let isMeasuring = true;
  let longestMs = 0;
  const startedAt = processorMs();
  let turnedAt = startedAt;
  const turn = (): void => {
    if (!isMeasuring) return;
    const now = processorMs();
    longestMs = Math.max(longestMs, now - turnedAt);
    turnedAt = now;
    setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isMeasuring = false;
    const now = processorMs();
    return {
      longestMs: Math.max(longestMs, now - turnedAt),
      allMs: now - startedAt,
      memory: Math.max(0, residentBytes("VmHWM") - before),
    };
  };
}

/** Of this thread. `process.threadCpuUsage` counts in the kernel's ticks, of which one is nearly as long as what is measured. */
export function processorMs(): number {
  libc.clock_gettime(CLOCK_THREAD_CPUTIME_ID, timeAddress);
  return Number(time[0]) * 1_000 + Number(time[1]) / 1e6;
}

function residentBytes(name: "VmRSS" | "VmHWM"): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(readFileSync("/proc/self/status", "utf8"));
  return Number(line?.[1]) * 1_024;
}

/** How much memory this process may take. */
import { totalmem } from "node:os";

/** With less, the server does less at once and keeps less in memory. */
const SMALL_BYTES = 512 * 1024 * 1024;

export function isMemorySmall(): boolean {
  return memoryLimit() < SMALL_BYTES;
}

/** Bytes: what the machine has, or less if a control group (`MemoryMax`, a container) limits the process. */
export function memoryLimit(): number {
  const machine = totalmem();
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, machine) : machine;
}

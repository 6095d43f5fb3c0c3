/**
 * Tells the JavaScript engine how much memory it may count on. It decides by the machine's memory when to collect
 * garbage, knows no limit of a control group, and counts once for each thread. With little memory it collects too rarely for
 * the server to survive; on a large machine the process becomes larger than it need be, and no faster. The engine reads its
 * options at its start alone, so such a process starts itself once more and stays the same process.
 */
import { readFileSync, statSync } from "node:fs";
import { totalmem } from "node:os";
import { memoryLimit } from "#src/core/memory-limit.ts";
import { readGlobals } from "./global-options.ts";
import { isCompiled } from "./process.ts";

const OPTION = "BUN_JSC_forceRAMSize";
const SMALL_BYTES = 1024 * 1024 * 1024;
/** On a machine with less, the engine's own judgement is good enough for a process that may use at least `SMALL_BYTES`. */
const LARGE_BYTES = 4 * SMALL_BYTES;
/** Where little may be used. The rest is for SQLite, passwords, and what other threads take (measured: `bun run test:small`). */
const SHARE = 1 / 4;
/** On a large machine; decision 0102 has the measurements. */
const ENOUGH_BYTES = 2 * SMALL_BYTES;
/**
 * On a large machine: what may be allocated until the next collection, relative to what the last full one left (1.7: 0.7 of
 * it; the engine's own 2: as much). From 1.5 down, each collection is a full one.
 */
const GROWTH = { BUN_JSC_smallHeapGrowthFactor: "1.7" };

export function fitEngine(argv: readonly string[]): void {
  if (process.platform !== "linux" || !runsLong(argv) || !isCompiled() || process.env[OPTION] !== undefined) return;
  const options = engineOptions(memoryLimit(), totalmem());
  if (options !== null) startAgain(options);
}

/** Environment variables for JavaScriptCore, by this memory limit in bytes; null: it decides as it likes. */
export function engineOptions(limit: number, machine: number): Record<string, string> | null {
  const bytes = engineBytes(limit, machine);
  if (bytes === null) return null;
  return { [OPTION]: String(bytes), ...(limit < SMALL_BYTES ? {} : GROWTH) };
}

/** RAM size to report to JavaScriptCore for this memory limit; null to report none. */
export function engineBytes(limit: number, machine: number): number | null {
  if (limit < SMALL_BYTES) return Math.round(limit * SHARE);
  return machine > LARGE_BYTES ? Math.min(limit, ENOUGH_BYTES) : null;
}

/** Whether the command is `serve` or `contact import`; global options may come before it. Others end too soon to gain. */
export function runsLong(argv: readonly string[]): boolean {
  try {
    const [area, verb] = readGlobals(argv).rest.map((word) => word.text);
    return area === "serve" || (area === "contact" && verb === "import");
  } catch {
    // The command line cannot be read, and the command itself says why.
    return false;
  }
}

/** Returns only if it fails; the process then runs as it is. */
function startAgain(options: Record<string, string>): void {
  try {
    const { dlopen, ptr } = require("bun:ffi") as typeof import("bun:ffi");
    const { symbols } = dlopen("libc.so.6", {
      setenv: { args: ["ptr", "ptr", "i32"], returns: "i32" },
      execv: { args: ["ptr", "ptr"], returns: "i32" },
    });
    const text = (value: string): Buffer => Buffer.from(`${value}\0`);
    const given = readFileSync("/proc/self/cmdline", "latin1").split("\0").slice(0, -1);
    const kept = given.map((one) => Buffer.from(`${one}\0`, "latin1"));
    const pointers = new BigUint64Array([...kept.map((one) => BigInt(ptr(one))), 0n]);
    for (const [name, value] of Object.entries(options)) {
      // What the user has set stays. Without `OPTION`, the process would start itself for ever.
      if (symbols.setenv(ptr(text(name)), ptr(text(value)), 0) !== 0) return;
    }
    symbols.execv(ptr(text(ownFile())), ptr(pointers));
  } catch {}
}

/** By its own path, because the system names a process after it; by another one if the file was replaced since the start. */
function ownFile(): string {
  const running = "/proc/self/exe";
  const [own, found] = [statSync(running), statSync(process.execPath, { throwIfNoEntry: false })];
  return found?.ino === own.ino && found.dev === own.dev ? process.execPath : running;
}

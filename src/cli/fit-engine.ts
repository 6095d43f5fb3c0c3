/**
 * Tells the JavaScript engine how much memory it may count on. It decides by the machine's memory when to collect
 * garbage, knows no limit of a control group, and counts once for each thread. With little memory that is too rarely for
 * the server to live; with much it makes the server larger and slower. The engine reads its options at its start alone, so
 * such a server starts itself once more, in the same process.
 */
import { readFileSync } from "node:fs";
import { memoryLimit } from "#src/core/memory-limit.ts";
import { readGlobals } from "./global-options.ts";
import { isCompiled } from "./process.ts";

const OPTION = "BUN_JSC_forceRAMSize";
/** Between the two, the engine's own judgement is good enough. */
const SMALL_BYTES = 1024 * 1024 * 1024;
const LARGE_BYTES = 4 * SMALL_BYTES;
/** Of little memory; the rest is for SQLite, passwords, and what other threads take (measured: `bun run test:small`). */
const SHARE = 1 / 4;
/** Of much memory; measured, see docs/performance.md. */
const ENOUGH_BYTES = 2 * SMALL_BYTES;

export function fitEngine(argv: readonly string[]): void {
  if (process.platform !== "linux" || !startsServer(argv) || !isCompiled() || process.env[OPTION] !== undefined) return;
  const bytes = engineBytes(memoryLimit());
  if (bytes !== null) startAgain(bytes);
}

/** What the engine is told on a machine, or in a control group, with so many bytes of memory. Null: nothing. */
export function engineBytes(limit: number): number | null {
  if (limit < SMALL_BYTES) return Math.round(limit * SHARE);
  return limit > LARGE_BYTES ? ENOUGH_BYTES : null;
}

/** Whether the command is `serve`; global options may come before it. */
export function startsServer(argv: readonly string[]): boolean {
  try {
    return readGlobals(argv).rest[0]?.text === "serve";
  } catch {
    // The command line cannot be read, and the command itself says why.
    return false;
  }
}

/** Returns only if it fails; the server then runs as it is. */
function startAgain(bytes: number): void {
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
    // Without the option, the process would start itself for ever.
    if (symbols.setenv(ptr(text(OPTION)), ptr(text(String(bytes))), 1) !== 0) return;
    symbols.execv(ptr(text("/proc/self/exe")), ptr(pointers));
  } catch {}
}

/**
 * The form in which the crash tests run: the short one of every test run, on the program of `program.ts`; or the full one
 * of `bun run test:crash`, on an executable. The measurements of a full run go to stdout, one line per test.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildExecutable } from "./installation.ts";
import { program as shortProgram } from "./program.ts";

const { WAXWING_CRASH, WAXWING_CRASH_ROUNDS, WAXWING_CRASH_EXECUTABLE } = process.env;

/** WAXWING_CRASH=1, or a number of rounds. */
export const isFull = WAXWING_CRASH === "1" || Number(WAXWING_CRASH_ROUNDS) > 0;

/** The number of rounds: as configured, else `full` or `short`. */
export function roundsOf(full: number, short: number): number {
  if (!isFull) return short;
  return Number(WAXWING_CRASH_ROUNDS) > 0 ? Number(WAXWING_CRASH_ROUNDS) : full;
}

export interface Program extends Disposable {
  command: readonly string[];
}

/**
 * The program to start: the one that WAXWING_CRASH_EXECUTABLE names, or one that is built now; in the short form that of
 * the other tests.
 */
export async function program(): Promise<Program> {
  if (!isFull) return { command: shortProgram, [Symbol.dispose]: () => undefined };
  if (WAXWING_CRASH_EXECUTABLE !== undefined) {
    return { command: [WAXWING_CRASH_EXECUTABLE], [Symbol.dispose]: () => undefined };
  }
  const workshop = mkdtempSync(join(tmpdir(), "waxwing-build-"));
  const command = await buildExecutable(join(workshop, "waxwing"));
  return { command, [Symbol.dispose]: () => rmSync(workshop, { recursive: true, force: true }) };
}

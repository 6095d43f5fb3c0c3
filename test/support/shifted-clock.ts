/** The wall clock of processes that preload `clock-shift.c`, which a test moves while they run. */
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileInterposer } from "./interposer.ts";

/** A clock, and the environment of the servers that follow it. */
export function preloadClock(): { clock: ShiftedClock; env: Record<string, string> } & Disposable {
  const workshop = mkdtempSync(join(tmpdir(), "waxwing-clock-"));
  const clock = new ShiftedClock(join(workshop, "clock"));
  return {
    clock,
    env: { LD_PRELOAD: compileInterposer("clock-shift.c", workshop), ...clock.env },
    [Symbol.dispose]: () => rmSync(workshop, { recursive: true, force: true }),
  };
}

export class ShiftedClock {
  readonly #file: string;
  #shift = 0;

  /** The file says how far it is moved. */
  constructor(file: string) {
    this.#file = file;
    writeFileSync(file, Buffer.alloc(8));
  }

  /** For a server that preloads `clock-shift.c`. */
  get env(): Record<string, string> {
    return { CLOCK_SHIFT: this.#file };
  }

  now(): number {
    return Date.now() + this.#shift;
  }

  /** Moves the clock by so much, forward or back. */
  move(byMs: number): void {
    this.#shift += byMs;
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(this.#shift));
    // In place: the servers have mapped the file.
    const file = openSync(this.#file, "r+");
    writeSync(file, bytes, 0, 8, 0);
    closeSync(file);
  }
}

/**
 * The real process behind the command line. Writing is synchronous, so that nothing is lost when the program ends right
 * after it, and a reader that went away (`waxwing … | head`) is no error.
 */
import { writeSync } from "node:fs";
import { systemClock } from "#src/core/clock.ts";
import { systemRandom } from "#src/core/random.ts";
import type { Io } from "./context.ts";
import { rootOf } from "./root.ts";

const STDOUT = 1;
const STDERR = 2;

export function processIo(): Io {
  // Whatever this program makes holds secrets or other people's messages.
  process.umask(0o077);
  return {
    env: process.env,
    clock: systemClock,
    random: systemRandom,
    root: rootOf(process),
    isTerminal: process.stdout.isTTY === true,
    out: (text) => write(STDOUT, text),
    err: (text) => write(STDERR, text),
    readInput: () => Bun.stdin.text(),
    onSignal(signals, handle) {
      for (const signal of signals) process.on(signal, () => handle(signal));
    },
    onExit(last) {
      process.on("exit", last);
    },
    exit: (code) => process.exit(code),
  };
}

function write(file: number, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(file, bytes, done);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : null;
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw error;
      // The other end of a non-blocking pipe reads slowly.
      Bun.sleepSync(1);
    }
  }
}

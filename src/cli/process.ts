/**
 * The real process behind the command line. Writes are synchronous, so that nothing is lost if the program exits right
 * after them. A reader that has closed the pipe (`waxwing … | head`) is not an error.
 */
import { writeSync } from "node:fs";
import { systemClock } from "#src/core/clock.ts";
import { systemRandom } from "#src/core/random.ts";
import type { Io } from "./context.ts";
import { rootOf, useTmp } from "./root.ts";

const STDOUT = 1;
const STDERR = 2;

export function processIo(): Io {
  // Every file that this program creates holds secrets or other people's messages.
  process.umask(0o077);
  exemptLoopbackFromProxies(process.env);
  return {
    env: process.env,
    clock: systemClock,
    random: systemRandom,
    root: rootOf(process),
    useTmp,
    isTerminal: process.stdout.isTTY === true,
    isErrorTerminal: process.stderr.isTTY === true,
    out: (text) => write(STDOUT, text),
    err: (text) => write(STDERR, text),
    ask: process.stdin.isTTY === true ? (question) => prompt(question.trimEnd()) ?? "" : undefined,
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

/** Commands call the server on this machine, which a proxy that the environment names cannot reach. */
function exemptLoopbackFromProxies(env: NodeJS.ProcessEnv): void {
  env.no_proxy = [env.no_proxy ?? env.NO_PROXY, "localhost", "127.0.0.1", "[::1]", "::1"].filter(Boolean).join(",");
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
      // The reader of a non-blocking pipe is slow; try again shortly.
      Bun.sleepSync(1);
    }
  }
}

/** Runs a command with `--json`. `json`: what it printed; null if that is not JSON. Throws if it cannot be started. */
export async function runWithJson(words: readonly string[]): Promise<{ code: number; json: unknown; log: string }> {
  const child = Bun.spawn([...words, "--json"], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [code, text, log] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  try {
    return { code, json: JSON.parse(text), log };
  } catch {
    return { code, json: null, log };
  }
}

/** Whether this program is an executable of its own; otherwise Bun runs its sources. */
export function isCompiled(): boolean {
  return Bun.main.startsWith("/$bunfs/");
}

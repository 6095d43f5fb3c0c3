/** What the parts of `bun run test:systemd` saw, for their output and their exit code. */
import type { Ran } from "./box.ts";

let failures = 0;

export function check(what: string, holds: boolean, seen: unknown = ""): void {
  if (!holds) failures += 1;
  const text = typeof seen === "string" ? seen : JSON.stringify(seen);
  console.log(`${holds ? "ok  " : "FAIL"} ${what}${holds || text === "" ? "" : `\n     seen: ${text}`}`);
}

/** Polls until it holds, and returns after how many seconds. After the limit, that is a failure. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitSeconds: number,
): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const seconds = (performance.now() - startedAt) / 1000;
    if (await holds()) return seconds;
    if (seconds > limitSeconds) {
      check(what, false, `not within ${limitSeconds} s`);
      return seconds;
    }
    await Bun.sleep(200);
  }
}

/** The commands that an operator types, with what each took. */
export class Operator {
  readonly #run: (script: string) => Promise<Ran>;
  readonly #ran: { words: string; seconds: number }[] = [];

  constructor(run: (script: string) => Promise<Ran>) {
    this.#run = run;
  }

  /** A code other than 0 is a failure. */
  async types(script: string): Promise<Ran> {
    const ran = await this.#run(script);
    this.#ran.push({ words: script, seconds: ran.seconds });
    if (ran.code !== 0) check(script, false, ran.out);
    return ran;
  }

  /** Prints the commands since the last time, under a heading. */
  report(what: string): void {
    console.log(`     ${what}:`);
    for (const { words, seconds } of this.#ran)
      console.log(`     ${seconds.toFixed(1).padStart(5)} s  ${withoutSecrets(words).slice(0, 100)}`);
    const total = this.#ran.reduce((sum, { seconds }) => sum + seconds, 0);
    console.log(`     ${what}: ${this.#ran.length} commands, ${total.toFixed(1)} s of work`);
    this.#ran.length = 0;
  }
}

/** Of the run alone, but the output may be shown. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(/AGE-SECRET-KEY-\w+/g, "AGE-SECRET-KEY-…");
}

export function finish(): void {
  console.log(failures === 0 ? "\nall is as it should be" : `\n${failures} checks failed`);
  process.exitCode = failures === 0 ? 0 : 1;
}

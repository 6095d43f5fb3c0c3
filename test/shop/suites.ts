/** The suites that a shop would write, as programs: nothing of this repository's code, only the executable. */
import { join } from "node:path";
import { checkout } from "../support/source.ts";

const folder = join(checkout, "examples/testing");

/** By language: what runs the suite. Null where this machine has no such program. */
export const suites: Readonly<Record<string, readonly string[] | null>> = {
  typescript: [process.execPath, join(folder, "shop.ts")],
  python: Bun.which("python3") === null ? null : ["python3", "-B", join(folder, "shop_test.py")],
};

export interface SuiteRun {
  isPassed: boolean;
  output: string;
  /** With the start and the end of its server. */
  ms: number;
}

export async function runSuite(command: readonly string[], executable: string, directory: string): Promise<SuiteRun> {
  const startedAt = performance.now();
  const child = Bun.spawn([...command], {
    cwd: directory,
    env: { ...process.env, WAXWING: executable, TMPDIR: directory },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { isPassed: code === 0, output: out + err, ms: performance.now() - startedAt };
}

/**
 * Small C libraries that are preloaded between a server and the C library (LD_PRELOAD), compiled if there is a
 * compiler.
 */
import { join } from "node:path";

const compiler = ["cc", "gcc", "clang"].find((name) => Bun.which(name) !== null) ?? null;

/** Null, or why none can be compiled here. */
export const noInterposer: string | null =
  process.platform !== "linux" ? "needs Linux" : compiler === null ? "needs a C compiler" : null;

/** Compiles a file of this directory; returns the library's path. */
export function compileInterposer(source: string, directory: string): string {
  const library = join(directory, source.replace(/\.c$/, ".so"));
  const words = ["-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o", library];
  const { exitCode, stderr } = Bun.spawnSync([compiler ?? "cc", ...words, join(import.meta.dir, source), "-ldl"]);
  if (exitCode !== 0) throw new Error(`${source} could not be compiled: ${stderr}`);
  return library;
}

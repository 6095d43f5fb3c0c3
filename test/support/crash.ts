/** A server that stops dead: the contents of its disk at this very moment, for another server to continue with. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface DiskImage extends Disposable {
  directory: string;
}

/**
 * Copies a data directory as it is now. A child process copies, because this process would release SQLite's locks by
 * closing the database's file; the call blocks meanwhile, so nothing is written in between.
 */
export function imageOf(directory: string): DiskImage {
  const copy = mkdtempSync(join(tmpdir(), "waxwing-crash-"));
  const { exitCode, stderr } = Bun.spawnSync(["cp", "-a", `${directory}/.`, copy]);
  if (exitCode !== 0) throw new Error(`the data directory could not be copied: ${stderr}`);
  return { directory: copy, [Symbol.dispose]: () => rmSync(copy, { recursive: true, force: true }) };
}

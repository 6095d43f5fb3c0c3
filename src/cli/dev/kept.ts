/**
 * What `waxwing dev --data` has to remember between runs and cannot read from its database: the key in clear, and the
 * viewer's port. The file also tells a demo's database from any other, on which dev must not run.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Demo } from "./demo.ts";

export interface Kept {
  readonly demo: Demo;
  /** The port stays the same while it is free: a page that shows the viewer keeps working. */
  readonly viewerPort: number;
}

export const KEPT_FILE = "dev.json";

/** Null where dev has never made a demo in this directory. Throws what the system says of a file that it cannot read. */
export function readKept(data: string): Kept | null {
  try {
    return JSON.parse(readFileSync(join(data, KEPT_FILE), "utf8")) as Kept;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error && error.code === "ENOENT"))
      return null;
    throw error;
  }
}

export function writeKept(data: string, kept: Kept): void {
  writeFileSync(join(data, KEPT_FILE), `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
}

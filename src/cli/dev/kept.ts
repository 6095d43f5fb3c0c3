/**
 * What `waxwing dev --data` remembers between runs and cannot read from its database: the key in clear text, and the
 * viewer's port. The file also marks the database as a demo's: dev runs on no other.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Demo } from "./demo.ts";

export interface Kept {
  readonly demo: Demo;
  /** The port is reused if it is free, so an open page of the viewer keeps working. */
  readonly viewerPort: number;
}

const KEPT_FILE = "dev.json";

/** Null if dev has never created a demo in this directory. Throws the system's error if the file cannot be read. */
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

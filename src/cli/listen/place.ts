/**
 * Where `listen` stopped. The cursor is written after each page that the receiver has accepted, so a killed `listen`
 * repeats some events at most, and misses none.
 */
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Io } from "../context.ts";
import type { FeedOptions } from "../server-calls.ts";

export interface Place {
  read(): string | null;
  /** Throws the system's error. */
  write(cursor: string): void;
}

/** One file for each combination of server, workspace's key, receiver and types. */
export function placeOf({ env }: Io, { origin, apiKey, types }: FeedOptions, forwardTo: string): Place {
  const directory = join(env.XDG_STATE_HOME ?? join(env.HOME ?? "/", ".local/state"), "waxwing/listen");
  const name = createHash("sha256")
    .update(JSON.stringify([origin, apiKey, forwardTo, types]))
    .digest("hex");
  const file = join(directory, `${name.slice(0, 32)}.json`);
  return {
    read() {
      try {
        const { after } = JSON.parse(readFileSync(file, "utf8")) as { after?: unknown };
        return typeof after === "string" ? after : null;
      } catch {
        return null;
      }
    },
    write(after) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const unfinished = `${file}.unfinished-${process.pid}`;
      const handle = openSync(unfinished, "w", 0o600);
      try {
        writeSync(handle, `${JSON.stringify({ server: origin, forward_to: forwardTo, types, after })}\n`);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      renameSync(unfinished, file);
    },
  };
}

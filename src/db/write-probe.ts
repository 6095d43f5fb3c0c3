/**
 * Whether the database can be written, tried by a real write: a disk that is full or read-only shows only there. Whoever
 * asks while one is under way gets its answer, so asking fast costs no commit each.
 */
import type { Store } from "./store.ts";

export type WriteProbe = () => Promise<boolean>;

export function createWriteProbe(store: Store): WriteProbe {
  let probe: Promise<boolean> | null = null;
  return () => {
    probe ??= tryToWrite(store).finally(() => {
      probe = null;
    });
    return probe;
  };
}

/** The value has to change, for SQLite writes no page whose bytes stay the same. */
async function tryToWrite(store: Store): Promise<boolean> {
  try {
    await store.write((tx) => tx.db.run("UPDATE instance SET write_probe = 1 - write_probe"));
    return true;
  } catch {
    return false;
  }
}

/**
 * Tests whether the database can be written with a real write, because a full or read-only disk shows up only then.
 * Concurrent callers share one probe, so frequent checks do not cost a commit each.
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

/** The value has to change, because SQLite does not write a page whose bytes stay the same. */
async function tryToWrite(store: Store): Promise<boolean> {
  try {
    await store.write((tx) => tx.db.run("UPDATE instance SET write_probe = 1 - write_probe"));
    return true;
  } catch {
    return false;
  }
}

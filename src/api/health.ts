/** Whether the process lives, and whether it can do its work. */
import { Elysia } from "elysia";
import type { Store } from "#src/storage/store.ts";

export interface HealthOptions {
  store: Store;
  isReady: () => boolean;
}

export function healthRoutes({ store, isReady }: HealthOptions) {
  let probe: Promise<boolean> | null = null;
  // Whoever asks while one is under way gets its answer: asking fast costs no commit each.
  const isWritable = (): Promise<boolean> => {
    probe ??= tryToWrite(store).finally(() => {
      probe = null;
    });
    return probe;
  };
  return new Elysia({ normalize: false })
    .get("/healthz", () => new Response("alive\n"))
    .get("/readyz", async () => {
      if (!isReady()) return new Response("starting or stopping\n", { status: 503 });
      if (await isWritable()) return new Response("ready\n");
      return new Response("the database cannot be written\n", { status: 503 });
    });
}

/**
 * A real write: a disk that is full or read-only shows only there. The value has to change, for SQLite writes no page
 * whose bytes stay the same.
 */
async function tryToWrite(store: Store): Promise<boolean> {
  try {
    await store.write((tx) => tx.db.run("UPDATE instance SET probe = 1 - probe"));
    return true;
  } catch {
    return false;
  }
}

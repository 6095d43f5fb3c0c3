/** Whether the process lives, and whether it can do its work. */
import { Elysia } from "elysia";
import type { Store } from "#src/storage/store.ts";

export interface HealthOptions {
  store: Store;
  isReady: () => boolean;
}

export function healthRoutes({ store, isReady }: HealthOptions) {
  return new Elysia({ normalize: false })
    .get("/healthz", () => new Response("alive\n"))
    .get("/readyz", async () => {
      if (!isReady()) return new Response("starting\n", { status: 503 });
      try {
        // A real write: a disk that is full or read-only shows only there.
        await store.write((tx) => tx.db.run("UPDATE instance SET created_at = created_at"));
        return new Response("ready\n");
      } catch {
        return new Response("the database cannot be written\n", { status: 503 });
      }
    });
}

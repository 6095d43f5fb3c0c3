/** Liveness (`/healthz`: the process runs) and readiness (`/readyz`: it has started and can write its database). */
import { Elysia } from "elysia";
import type { WriteProbe } from "#src/db/write-probe.ts";

interface HealthOptions {
  isWritable: WriteProbe;
  isReady: () => boolean;
}

export function healthRoutes({ isWritable, isReady }: HealthOptions) {
  return new Elysia({ normalize: false })
    .get("/healthz", () => new Response("alive\n"))
    .get("/readyz", async () => {
      if (!isReady()) return new Response("starting or stopping\n", { status: 503 });
      if (await isWritable()) return new Response("ready\n");
      return new Response("the database cannot be written\n", { status: 503 });
    });
}

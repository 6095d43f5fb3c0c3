/**
 * Serves the server's metrics to a caller with the configured token. For anyone else, and without a configured token,
 * the address does not exist: other users of this machine are strangers too.
 */
import { timingSafeEqual } from "node:crypto";
import { Elysia } from "elysia";
import type { Metrics } from "#src/core/metrics.ts";
import { hashToken } from "#src/core/secret.ts";
import { nothingHere } from "./respond.ts";

interface MetricsOptions {
  metrics: Metrics;
  /** Null: the metrics are not served. */
  metricsToken: string | null;
}

const TEXT = "text/plain; version=0.0.4; charset=utf-8";

export function metricsRoutes({ metrics, metricsToken }: MetricsOptions) {
  return new Elysia({ normalize: false }).get("/metrics", async ({ request }) => {
    if (!hasToken(request, metricsToken)) return nothingHere();
    return new Response(await metrics.text(), { headers: { "content-type": TEXT, "cache-control": "no-store" } });
  });
}

function hasToken(request: Request, token: string | null): boolean {
  const presented = /^bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (token === null || presented === undefined) return false;
  // Hashes have equal lengths whatever was sent, so the time of the comparison reveals nothing.
  return timingSafeEqual(hashToken(presented), hashToken(token));
}

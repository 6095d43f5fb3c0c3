/**
 * Serves the server's metrics to a caller with the configured token, or to a caller on this machine. A proxied request
 * only appears to come from this machine, so it needs the token.
 */
import { timingSafeEqual } from "node:crypto";
import { Elysia } from "elysia";
import type { Metrics } from "#src/core/metrics.ts";
import { hashToken } from "#src/core/secret.ts";

export interface MetricsOptions {
  metrics: Metrics;
  /** Null: only callers on this machine may read. */
  metricsToken: string | null;
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;
const FORWARDING_HEADERS = /^(forwarded|x-forwarded-.*|x-real-ip|via)$/;
const TEXT = "text/plain; version=0.0.4; charset=utf-8";

export function metricsRoutes({ metrics, metricsToken }: MetricsOptions) {
  return new Elysia({ normalize: false }).get("/metrics", async ({ request, server }) => {
    const peer = server?.requestIP(request)?.address ?? "";
    if (!hasToken(request, metricsToken) && !(LOOPBACK.test(peer) && !isForwarded(request))) {
      const text = "Send [server] metrics_token as a bearer token, or ask from this machine without a proxy.\n";
      return new Response(text, { status: 403, headers: { "content-type": "text/plain; charset=utf-8" } });
    }
    return new Response(await metrics.text(), { headers: { "content-type": TEXT, "cache-control": "no-store" } });
  });
}

function hasToken(request: Request, token: string | null): boolean {
  const presented = /^bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (token === null || presented === undefined) return false;
  // Hashes have equal lengths whatever was sent, so the time of the comparison reveals nothing.
  return timingSafeEqual(hashToken(presented), hashToken(token));
}

function isForwarded(request: Request): boolean {
  return [...request.headers.keys()].some((name) => FORWARDING_HEADERS.test(name));
}

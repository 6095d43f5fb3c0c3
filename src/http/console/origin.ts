/**
 * Origin checks. Only the console's own pages may change anything: browsers report in `Sec-Fetch-Site` where a request
 * comes from; for browsers that are too old for it, `Origin` must be ours.
 */
import { Refusal } from "./route.ts";

/** Throws a refusal for a change that another site made the browser send. */
export function requireOwnPage(request: Request, publicUrl: string | null): void {
  const site = request.headers.get("sec-fetch-site");
  if (site === "same-origin") return;
  if (site === null && isOwnOrigin(request.headers.get("origin"), request.headers.get("host"), publicUrl)) return;
  throw new Refusal(403, "cross_site", "This request did not come from this console.");
}

function isOwnOrigin(origin: string | null, host: string | null, publicUrl: string | null): boolean {
  if (origin === null || !URL.canParse(origin)) return false;
  if (publicUrl !== null && new URL(publicUrl).origin === origin) return true;
  return host !== null && new URL(origin).host === host;
}

/**
 * The address of the peer. Behind trusted proxies: the last forwarded address that does not belong to a trusted proxy.
 */
export function clientAddress(request: Request, peer: string, isTrusted: (address: string) => boolean): string {
  let address = peer.replace(/^::ffff:/, "");
  if (!isTrusted(address)) return address;
  const forwarded = (request.headers.get("x-forwarded-for") ?? "").split(",").map((part) => part.trim());
  for (const hop of forwarded.toReversed()) {
    if (hop === "" || hop.length > 64) return address;
    address = hop;
    if (!isTrusted(address)) return address;
  }
  return address;
}

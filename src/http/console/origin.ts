/**
 * Where a request comes from. Nothing but the console's own pages may change anything: the browser says so itself
 * (`Sec-Fetch-Site`), and where it is too old for that, `Origin` has to be ours.
 */
import { Refusal } from "./route.ts";

/** Throws a refusal for a change that another site asked this browser for. */
export function requireOwnPage(request: Request, publicUrl: string | null): void {
  const site = request.headers.get("sec-fetch-site");
  if (site === "same-origin") return;
  if (site === null && isOwnOrigin(request.headers.get("origin"), request.headers.get("host"), publicUrl)) return;
  throw new Refusal(403, "cross_site", "This request did not come from a page of this console.");
}

function isOwnOrigin(origin: string | null, host: string | null, publicUrl: string | null): boolean {
  if (origin === null || !URL.canParse(origin)) return false;
  if (publicUrl !== null && new URL(publicUrl).origin === origin) return true;
  return host !== null && new URL(origin).host === host;
}

/** The peer, or what a trusted proxy says of it: the last address that no trusted proxy has. */
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

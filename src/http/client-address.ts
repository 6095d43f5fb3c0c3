/** The address that a request comes from, also behind proxies. */
import { plainAddress } from "#src/core/plain-address.ts";

/**
 * The address of the peer. Behind trusted proxies: the last forwarded address that does not belong to a trusted proxy.
 */
export function clientAddress(request: Request, peer: string, isTrusted: (address: string) => boolean): string {
  let address = peer;
  if (!isTrusted(address)) return address;
  const forwarded = (request.headers.get("x-forwarded-for") ?? "").split(",").map((part) => part.trim());
  for (const hop of forwarded.toReversed()) {
    if (hop === "" || hop.length > 64) return address;
    address = plainAddress(hop);
    if (!isTrusted(address)) return address;
  }
  return address;
}

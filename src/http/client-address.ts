/** The address that a request comes from, also behind proxies. */

/**
 * The address of the peer. Behind trusted proxies: the last forwarded address that does not belong to a trusted proxy.
 */
export function clientAddress(request: Request, peer: string, isTrusted: (address: string) => boolean): string {
  let address = plainAddress(peer);
  if (!isTrusted(address)) return address;
  const forwarded = (request.headers.get("x-forwarded-for") ?? "").split(",").map((part) => part.trim());
  for (const hop of forwarded.toReversed()) {
    if (hop === "" || hop.length > 64) return address;
    address = hop;
    if (!isTrusted(address)) return address;
  }
  return address;
}

/** An IPv4 address that a socket for both families reports as `::ffff:1.2.3.4`, without that prefix. */
export function plainAddress(peer: string): string {
  return peer.replace(/^::ffff:/, "");
}

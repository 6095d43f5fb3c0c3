/**
 * The network of a client's address: what one stranger can easily change within counts as one. For IPv4 that is the
 * address itself, for IPv6 its /64, because a provider gives each customer at least that much.
 */
import { isIP } from "node:net";

const HEXTETS = 8;
const NETWORK_HEXTETS = 4;
/** `::ffff:0:0/96`: an IPv4 address as a socket that listens on both reports it. */
const MAPPED = ["0", "0", "0", "0", "0", "ffff"];

/** A text that is not an IP address is returned unchanged. */
export function clientNetwork(address: string): string {
  const bare = address.replace(/%.*$/s, "");
  if (isIP(bare) !== 6) return bare;
  const hextets = hextetsOf(bare);
  if (MAPPED.every((hextet, index) => hextets[index] === hextet)) {
    return hextets
      .slice(MAPPED.length)
      .flatMap((hextet) => [Number.parseInt(hextet, 16) >> 8, Number.parseInt(hextet, 16) & 0xff])
      .join(".");
  }
  return `${hextets.slice(0, NETWORK_HEXTETS).join(":")}::/64`;
}

/** The eight groups of a valid address, without leading zeros. */
function hextetsOf(address: string): string[] {
  // The URL parser writes every form of an address the same way: lower case, no dotted tail, one `::`.
  const plain = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = "", tail] = plain.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: HEXTETS - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after];
}

/** Matches IP addresses against a list of ranges. */
import { BlockList, isIP } from "node:net";

export interface AddressRange {
  readonly address: string;
  readonly prefixLength: number;
  readonly family: "ipv4" | "ipv6";
}

/** A text that is not an IP address matches no range. */
export function rangeMatcher(ranges: readonly AddressRange[]): (address: string) => boolean {
  const list = new BlockList();
  for (const { address, prefixLength, family } of ranges) list.addSubnet(address, prefixLength, family);
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 6 ? "ipv6" : "ipv4");
  };
}

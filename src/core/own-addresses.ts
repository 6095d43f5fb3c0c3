/** The addresses of this machine. */
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

/**
 * Those of all interfaces; null if the system does not tell. Asking throws where netlink sockets are forbidden, as in a
 * systemd unit without AF_NETLINK, and what asks must not fail for that.
 */
export function ownAddresses(ask: typeof networkInterfaces = networkInterfaces): NetworkInterfaceInfo[] | null {
  try {
    return Object.values(ask()).flatMap((addresses) => addresses ?? []);
  } catch {
    return null;
  }
}

/** One way to write an address: of a client, and in a URL. */

/** `::ffff:1.2.3.4`, and the same with its last two groups in hexadecimal. */
const MAPPED = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i;

/** An IPv4 address that a socket of both families reports as one of IPv6, in its own form; any other text unchanged. */
export function plainAddress(address: string): string {
  const [, dotted, high, low] = MAPPED.exec(address) ?? [];
  if (dotted !== undefined) return dotted;
  if (high === undefined || low === undefined) return address;
  const bytes = [high, low].map((group) => Number.parseInt(group, 16)).flatMap((group) => [group >> 8, group & 0xff]);
  return bytes.join(".");
}

/** An IPv6 address as URLs have it. */
export function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** The certificate for TLS without a proxy. */
import { readFileSync } from "node:fs";

/** Certificate and key, or nothing if a proxy handles TLS. */
export function readTls({ tlsCert, tlsKey }: { tlsCert: string | null; tlsKey: string | null }): {
  tls?: { cert: string; key: string };
} {
  if (tlsCert === null || tlsKey === null) return {};
  return { tls: { cert: readFileSync(tlsCert, "utf8"), key: readFileSync(tlsKey, "utf8") } };
}

/** The certificate that the server itself speaks TLS with. */
import { readFileSync } from "node:fs";

/** A pair of files, or nothing: then a proxy in front speaks TLS. */
export function readTls({ tlsCert, tlsKey }: { tlsCert: string | null; tlsKey: string | null }): {
  tls?: { cert: string; key: string };
} {
  if (tlsCert === null || tlsKey === null) return {};
  return { tls: { cert: readFileSync(tlsCert, "utf8"), key: readFileSync(tlsKey, "utf8") } };
}

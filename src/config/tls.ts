/** The operator's own certificate files: read, and compared with each other before anything uses them. */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** Certificate chain and private key as PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface TlsPaths {
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
}

/** The files cannot be used. `message` is a sentence that names them; `next` says what to do. */
export class TlsUnusable extends Error {
  override readonly name = "TlsUnusable";
  /** The configuration key of the file at fault. */
  readonly key: "server.tls_cert" | "server.tls_key" | "acme.ca_file";
  readonly next: string;

  constructor(key: TlsUnusable["key"], message: string, next: string) {
    super(message);
    this.key = key;
    this.next = next;
  }
}

/** Whether the server itself serves HTTPS. */
export function hasTls({ tlsCert, domain }: { tlsCert: string | null; domain: string | null }): boolean {
  return tlsCert !== null || domain !== null;
}

/** Null without files. Throws `TlsUnusable`. */
export function readTls({ tlsCert, tlsKey }: TlsPaths): Tls | null {
  if (tlsCert === null || tlsKey === null) return null;
  const cert = readPem("server.tls_cert", tlsCert);
  const key = readPem("server.tls_key", tlsKey);
  const certificate = parse("server.tls_cert", tlsCert, "certificate chain", () => new X509Certificate(cert));
  const privateKey: KeyObject = parse("server.tls_key", tlsKey, "private key", () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new TlsUnusable(
      "server.tls_key",
      `${resolve(tlsKey)} is not the private key of the certificate in ${resolve(tlsCert)}.`,
      "name in [server] tls_key the key that the first certificate of tls_cert was made for (both files of one renewal)",
    );
  }
  return { cert, key };
}

/** The certificates of the authority itself. Throws `TlsUnusable`. */
export function readAuthorities(caFile: string): string {
  return readPem("acme.ca_file", caFile);
}

/** When the first certificate of a PEM text ends, milliseconds; null if it cannot be read. */
export function endOf(pem: string): number | null {
  try {
    const endsAt = Date.parse(new X509Certificate(pem).validTo);
    return Number.isNaN(endsAt) ? null : endsAt;
  } catch {
    return null;
  }
}

function readPem(key: TlsUnusable["key"], path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const next = "put the file back, and make it readable for the user that runs the server";
    throw new TlsUnusable(key, `${resolve(path)} cannot be read (${code}).`, next);
  }
}

function parse<T>(key: TlsUnusable["key"], path: string, what: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new TlsUnusable(
      key,
      `${resolve(path)} contains no ${what} in PEM format${what === "private key" ? ", or one with a passphrase" : ""}.`,
      `write the ${what} into it, as PEM and without a passphrase`,
    );
  }
}

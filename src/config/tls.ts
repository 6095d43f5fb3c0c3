/** The operator's own certificate files: read, and compared with each other before anything uses them. */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { SettingUnusable } from "./unusable.ts";

/** Certificate chain and private key as PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface TlsPaths {
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
}

type TlsKey = "server.tls_cert" | "server.tls_key" | "acme.ca_file";

/** Whether the server itself serves HTTPS. */
export function hasTls({ tlsCert, domain }: { tlsCert: string | null; domain: string | null }): boolean {
  return tlsCert !== null || domain !== null;
}

/** Null without files. Throws `SettingUnusable`. */
export function readTls({ tlsCert, tlsKey }: TlsPaths): Tls | null {
  if (tlsCert === null || tlsKey === null) return null;
  const cert = readPem("server.tls_cert", tlsCert);
  const key = readPem("server.tls_key", tlsKey);
  const certificate = parse("server.tls_cert", tlsCert, "certificate chain", () => new X509Certificate(cert));
  const privateKey: KeyObject = parse("server.tls_key", tlsKey, "private key", () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new SettingUnusable(
      "server.tls_key",
      `${resolve(tlsKey)} is not the private key of the certificate in ${resolve(tlsCert)}.`,
      {
        next: "name in [server] tls_key the key that the first certificate of tls_cert was made for (both files of one renewal)",
      },
    );
  }
  return { cert, key };
}

/** The certificates of the authority itself. Throws `SettingUnusable`. */
export function readAuthorities(caFile: string): string {
  const authorities = readPem("acme.ca_file", caFile);
  parse("acme.ca_file", caFile, "certificate", () => new X509Certificate(authorities));
  return authorities;
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

function readPem(key: TlsKey, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const next = "put the file back, and make it readable for the user that runs the server";
    throw new SettingUnusable(key, `${resolve(path)} cannot be read (${code}).`, { next });
  }
}

function parse<T>(key: TlsKey, path: string, what: string, read: () => T): T {
  try {
    return read();
  } catch {
    const isKey = what === "private key";
    throw new SettingUnusable(
      key,
      `${resolve(path)} contains no ${what} in PEM format${isKey ? ", or one with a passphrase" : ""}.`,
      { next: `write the ${what} into it, as PEM${isKey ? " and without a passphrase" : ""}` },
    );
  }
}

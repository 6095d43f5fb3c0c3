/** What is known about the server's certificate: of the operator's files, or of the one that the server fetches. */
import { endOf, readTls, type TlsPaths } from "#src/config/tls.ts";
import { SettingUnusable } from "#src/config/unusable.ts";

export type CertificateFacts =
  | {
      from: "files";
      path: string;
      endsAt: number | null;
      /** Why the files cannot be used; null: they can. */
      problem: { says: string; next: string | null } | null;
    }
  | {
      from: "authority";
      domain: string;
      /** Null: none was issued yet. */
      endsAt: number | null;
      /** Of the last order, if it failed; `since` is the first failure since the last certificate. */
      failure: { kind: string; says: string; since: number } | null;
    };

/** The part of the configuration that says where the certificate comes from. */
export interface CertificateSource extends TlsPaths {
  domain: string | null;
  directory: string;
}

export function certificateSource({
  server,
  acme,
}: {
  server: Omit<CertificateSource, "directory">;
  acme: Pick<CertificateSource, "directory">;
}): CertificateSource {
  const { tlsCert, tlsKey, domain } = server;
  return { tlsCert, tlsKey, domain, directory: acme.directory };
}

const ISSUED_SQL = `SELECT id, ends_at FROM certificates
  WHERE domain = ? AND directory = ? AND status = 'valid' ORDER BY id DESC LIMIT 1`;
/** Those after a certificate; an open order has not failed. */
const FAILURES_SQL = `SELECT ordered_at, failure_kind, failure FROM certificates
  WHERE domain = ? AND directory = ? AND status = 'failed' AND id > ? ORDER BY id DESC LIMIT 200`;

/** Null: the server has no certificate of its own. */
export async function readCertificate(
  source: CertificateSource,
  query: (sql: string, parameters?: (string | number | null)[]) => Promise<Record<string, unknown>[]>,
): Promise<CertificateFacts | null> {
  const { tlsCert, domain, directory } = source;
  if (tlsCert !== null) return readFiles(source, tlsCert);
  if (domain === null) return null;
  const [issued] = await query(ISSUED_SQL, [domain, directory]);
  const failures = await query(FAILURES_SQL, [domain, directory, Number(issued?.id ?? 0)]);
  const [last] = failures;
  const first = failures.at(-1);
  return {
    from: "authority",
    domain,
    endsAt: issued === undefined ? null : Number(issued.ends_at),
    failure:
      last === undefined
        ? null
        : { kind: String(last.failure_kind), says: String(last.failure), since: Number(first?.ordered_at) },
  };
}

function readFiles(source: CertificateSource, path: string): CertificateFacts {
  try {
    const tls = readTls(source);
    return { from: "files", path, endsAt: tls === null ? null : endOf(tls.cert), problem: null };
  } catch (error) {
    if (!(error instanceof SettingUnusable)) throw error;
    return { from: "files", path, endsAt: null, problem: { says: error.message, next: error.next } };
  }
}

/**
 * The rows of accounts and certificates. Each change of a state is one guarded statement: it says whether the row was
 * still in a state from which that move leads.
 */
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import {
  type CertificateState,
  certificateMoves,
  certificateStates,
  type FailureKind,
  type OrderFacts,
} from "./certificate.ts";

export interface Site {
  domain: string;
  /** The authority's address. */
  directory: string;
}

export interface CertificateRow extends OrderFacts {
  orderUrl: string | null;
  /** Sealed. */
  privateKey: string | null;
  chain: string | null;
  endsAt: number | null;
  failureKind: FailureKind | null;
}

const ROWS_MAX = 50;
/** Failed orders, and certificates that ended, are of no interest later. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

const COLUMNS = `id, status, ordered_at AS orderedAt, renew_at AS renewAt, retry_at AS retryAt, order_url AS orderUrl,
  private_key AS privateKey, chain, ends_at AS endsAt, failure_kind AS failureKind`;

export function certificateContext(id: number): string {
  return `certificate:${id}`;
}

export function accountContext(directory: string): string {
  return `acme_account:${directory}`;
}

/** The newest first. */
export function listCertificates({ db }: ReadTx, { domain, directory }: Site): CertificateRow[] {
  return db.$client
    .prepare(
      `SELECT ${COLUMNS} FROM certificates WHERE domain = ? AND directory = ? ORDER BY id DESC LIMIT ${ROWS_MAX}`,
    )
    .all(domain, directory) as CertificateRow[];
}

/** The newest certificate that was issued. */
export function findIssued({ db }: ReadTx, { domain, directory }: Site): CertificateRow | null {
  const row = db.$client
    .prepare(
      `SELECT ${COLUMNS} FROM certificates
      WHERE domain = ? AND directory = ? AND status = 'valid' ORDER BY id DESC LIMIT 1`,
    )
    .get(domain, directory);
  return (row as CertificateRow | undefined) ?? null;
}

/** When the first certificate of the domain was issued; null: there is none. */
export function firstIssuedAt({ db }: ReadTx, { domain, directory }: Site): number | null {
  const at = db.$client
    .prepare("SELECT min(ordered_at) FROM certificates WHERE domain = ? AND directory = ? AND status = 'valid'")
    .pluck()
    .get(domain, directory);
  return typeof at === "number" ? at : null;
}

/** How many orders failed since the last one that did not. */
export function countFailures(tx: ReadTx, site: Site): number {
  const orders = listCertificates(tx, site);
  const last = orders.findIndex(({ status }) => status === "valid");
  return (last === -1 ? orders : orders.slice(0, last)).filter(({ status }) => status === "failed").length;
}

/** The intent of an order. Returns its id. */
export function addOrder({ db, now }: Tx, { domain, directory }: Site): number {
  db.$client
    .prepare(
      `DELETE FROM certificates WHERE domain = ? AND directory = ? AND ordered_at < ?
      AND (status = 'failed' OR ends_at < ?)`,
    )
    .run(domain, directory, now - KEPT_MS, now - KEPT_MS);
  const { lastInsertRowid } = db.$client
    .prepare("INSERT INTO certificates (domain, directory, status, ordered_at) VALUES (?, ?, 'ordering', ?)")
    .run(domain, directory, now);
  return Number(lastInsertRowid);
}

export interface Changes {
  orderUrl?: string;
  privateKey?: string;
  chain?: string;
  startsAt?: number;
  endsAt?: number;
  renewAt?: number;
  retryAt?: number;
  failureKind?: FailureKind;
  failure?: string;
}

const CHANGED = `order_url = coalesce(@orderUrl, order_url), private_key = coalesce(@privateKey, private_key),
  chain = coalesce(@chain, chain), starts_at = coalesce(@startsAt, starts_at), ends_at = coalesce(@endsAt, ends_at),
  renew_at = coalesce(@renewAt, renew_at), retry_at = coalesce(@retryAt, retry_at),
  failure_kind = coalesce(@failureKind, failure_kind), failure = coalesce(@failure, failure)`;

/** Moves an order on. False: it is no longer in a state from which this move leads. */
export function moveOrder({ db }: Tx, id: number, status: CertificateState, changes: Changes = {}): boolean {
  const sources = certificateStates.filter((state) => certificateMoves[state].includes(status));
  const { changes: count } = db.$client
    .prepare(
      `UPDATE certificates SET status = @status, ${CHANGED}
      WHERE id = @id AND status IN (${sources.map((state) => `'${state}'`).join(", ")})`,
    )
    .run({ ...NO_CHANGES, ...changes, id, status });
  return count === 1;
}

const NO_CHANGES: { readonly [Name in keyof Required<Changes>]: null } = {
  orderUrl: null,
  privateKey: null,
  chain: null,
  startsAt: null,
  endsAt: null,
  renewAt: null,
  retryAt: null,
  failureKind: null,
  failure: null,
};

interface Account {
  /** Sealed. */
  privateKey: string;
  url: string | null;
}

export function findAccount({ db }: ReadTx, directory: string): Account | null {
  const row = db.$client
    .prepare("SELECT private_key AS privateKey, url FROM acme_accounts WHERE directory = ?")
    .get(directory);
  return (row as Account | undefined) ?? null;
}

/** A key that is there stays: the authority may know it already. */
export function addAccount({ db, now }: Tx, directory: string, privateKey: string): void {
  db.$client
    .prepare("INSERT INTO acme_accounts (directory, private_key, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
    .run(directory, privateKey, now);
}

export function setAccountUrl({ db }: Tx, directory: string, url: string | null): void {
  db.$client.prepare("UPDATE acme_accounts SET url = ? WHERE directory = ?").run(url, directory);
}

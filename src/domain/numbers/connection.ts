/**
 * What the network says about the connection of a number with this server: token, subscription, callback addresses, the
 * state of the number. Each account sync stores it; `doctor` asks for it anew. `health/connection-issues.ts` finds what
 * is wrong with it.
 */
import { and, asc, eq } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { NumberHealth } from "./network-state.ts";
import { connections, type NumberNotice, numberNotices, numbers } from "./table.ts";

export interface ConnectionFacts {
  /** Why the network could not be asked about the number; null if it could. */
  failure: ConnectionFailure | null;
  /** Why the account could not be asked for although the number is visible. */
  accountFailure: ConnectionFailure | null;
  /** The phone to which the number's id belongs at the network, in digits. */
  phone: string | null;
  /** `refused`: the network does not accept the proof of our app secret. `missing`: it demands one. */
  proof: "accepted" | "refused" | "missing" | null;
  /** Null: not asked, or the network did not say. */
  token: {
    isValid: boolean;
    scopes: string[];
    appId: string | null;
    /** Milliseconds; null: it does not expire. */
    expiresAt: number | null;
    subcode: number | null;
  } | null;
  number: {
    status: string | null;
    nameStatus: string | null;
    quality: string | null;
    messagingLimit: string | null;
    throughputLevel: string | null;
    health: NumberHealth | null;
  } | null;
  subscription: { isSubscribed: boolean; overrideUrl: string | null } | null;
  /** The app's own webhook. `wrong_secret`: Meta does not accept our app secret for this app. */
  app: { callbackUrl: string | null; fields: string[] } | "none" | "wrong_secret" | null;
  /** Where the number's callbacks go, if not to the app's address. */
  callbackUrl: string | null;
}

/** As the network's `RequestFailure`. */
export interface ConnectionFailure {
  code: string;
  message: string;
  kind: "token" | "number" | "permission" | "proof" | "later" | "foreign" | "other" | "key";
  subcode?: number;
}

export const NO_FACTS: ConnectionFacts = {
  ...{ failure: null, accountFailure: null, phone: null, proof: null, token: null, number: null },
  ...{ subscription: null, app: null, callbackUrl: null },
};

export function findConnection(tx: ReadTx, numberId: number): ConnectionFacts | null {
  return tx.db.select().from(connections).where(eq(connections.numberId, numberId)).get()?.facts ?? null;
}

/** What was learned, and whether requests of the number prove the app secret from now on. */
export function saveConnection(tx: Tx, numberId: number, facts: ConnectionFacts): void {
  const row = { facts, checkedAt: tx.now };
  tx.db
    .insert(connections)
    .values({ numberId, ...row })
    .onConflictDoUpdate({ target: connections.numberId, set: row })
    .run();
}

export function setSendsProof(tx: Tx, numberId: number, sendsProof: boolean): void {
  tx.db.update(numbers).set({ sendsProof }).where(eq(numbers.id, numberId)).run();
}

/** How long a report counts that the network does not take back. */
export const NOTICE_LASTS_MS = 3 * 24 * 60 * 60_000;

/** Keeps the latest report of each kind. `at`: the network's time. */
export function addNotice(tx: Tx, { numberId, kind, says, at }: NumberNotice): void {
  tx.db
    .insert(numberNotices)
    .values({ numberId, kind, says, at })
    .onConflictDoUpdate({ target: [numberNotices.numberId, numberNotices.kind], set: { says, at } })
    .run();
}

/** The reports of the last days about a number, oldest first. */
export function listNotices(tx: ReadTx, numberId: number): NumberNotice[] {
  return tx.db
    .select()
    .from(numberNotices)
    .where(eq(numberNotices.numberId, numberId))
    .orderBy(asc(numberNotices.at))
    .all()
    .filter(({ at }) => at >= tx.now - NOTICE_LASTS_MS);
}

/** A person has read the reports, or the network took one back (`kind`). */
export function dropNotices(tx: Tx, numberId: number, kind: string | null = null): void {
  const ofKind = kind === null ? undefined : eq(numberNotices.kind, kind);
  tx.db
    .delete(numberNotices)
    .where(and(eq(numberNotices.numberId, numberId), ofKind))
    .run();
}

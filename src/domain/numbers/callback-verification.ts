/**
 * The verification of the callback address. The network repeats a verify token when it verifies the address; each
 * workspace has its own, so that its owner sees when the network asked. The token is derived, so it is never stored: it
 * stays the same, and is no secret beyond this use.
 */
import { constantTimeEqual } from "#src/core/secret.ts";
import { findRow, upsertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { findWorkspace } from "../workspaces/read.ts";
import { callbackVerifications } from "./table.ts";

const TOKEN_LENGTH = 24;
/** A longer one is none of ours. */
const TOKEN_LENGTH_MAX = 64;

export function verifyTokenOf(tx: ReadTx, workspaceId: number): string {
  const hash = Buffer.from(tx.keyedHash(`verify_token:${workspaceId}`)).toString("hex");
  return `ww-${workspaceId}-${hash.slice(0, TOKEN_LENGTH)}`;
}

/** The workspace whose verify token this is; null: none. */
export function findTokenOwner(tx: ReadTx, token: string): number | null {
  const id = token.length > TOKEN_LENGTH_MAX ? undefined : /^ww-([1-9]\d{0,14})-/.exec(token)?.[1];
  return id !== undefined && constantTimeEqual(token, verifyTokenOf(tx, Number(id))) ? Number(id) : null;
}

/** False: there is no such workspace. Repeatable. */
export function recordVerification(tx: Tx, workspaceId: number): boolean {
  if (findWorkspace(tx, workspaceId) === undefined) return false;
  const row = { verifiedAt: tx.now };
  upsertRow(tx, callbackVerifications, ["workspaceId"], { workspaceId, ...row }, row);
  return true;
}

/** Milliseconds; null: the network never verified the address with the workspace's token. */
export function findVerifiedAt(tx: ReadTx, workspaceId: number): number | null {
  return findRow(tx, callbackVerifications, { workspaceId })?.verifiedAt ?? null;
}

/** Whether the address was verified with the token of any workspace. */
export function wasVerified(tx: ReadTx): boolean {
  return tx.db.select().from(callbackVerifications).limit(1).get() !== undefined;
}

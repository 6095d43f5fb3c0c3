/**
 * A sign-up at the network: the owner leaves for the network's page and comes back with a code. The state that travels with
 * them is stored as a hash, belongs to the session that began it, works once, and for ten minutes.
 */
import { hashToken, newToken } from "#src/core/secret.ts";
import { findRow, updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { signUps } from "./table.ts";

const TOKEN_BYTES = 32;
export const SIGN_UP_LASTS_MS = 10 * 60_000;

interface Begun {
  workspaceId: number;
  sessionId: number;
  /** Whose access is renewed; null: a number that is not connected yet. */
  numberId: number | null;
}

/** The state, in clear: it begins with the workspace's id and a dot, so that the page that it returns to knows the place. */
export function beginSignUp(tx: Tx, { workspaceId, sessionId, numberId }: Begun): string {
  const state = `${workspaceId}.${newToken(tx.random, "", TOKEN_BYTES)}`;
  tx.db
    .insert(signUps)
    .values({ workspaceId, sessionId, numberId, hash: hashToken(state), createdAt: tx.now, usedAt: null })
    .run();
  return state;
}

export type SignUpRefusal = "unknown" | "other_session" | "used" | "expired";

/** Uses up the state. Of another session's nothing is said or changed but that it is one. */
export function takeSignUp(
  tx: Tx,
  { workspaceId, sessionId, state }: Omit<Begun, "numberId"> & { state: string },
): { numberId: number | null } | SignUpRefusal {
  const found = findRow(tx, signUps, { hash: hashToken(state) });
  if (found?.workspaceId !== workspaceId) return "unknown";
  if (found.sessionId !== sessionId) return "other_session";
  if (found.usedAt !== null) return "used";
  if (found.createdAt + SIGN_UP_LASTS_MS <= tx.now) return "expired";
  updateRows(tx, signUps, { id: found.id }, { usedAt: tx.now });
  return { numberId: found.numberId };
}

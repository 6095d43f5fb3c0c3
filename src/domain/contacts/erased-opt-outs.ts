/**
 * Keeps a keyed hash of the number and user id of each person who was erased after opting out, so that a new contact with
 * either starts opted out.
 */
import { type E164, otherVariant } from "#src/core/phone.ts";
import { deleteRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { anyErasedOptOut, erasedOptOut } from "./statements.ts";
import { erasedOptOuts } from "./table.ts";

/** Whether the workspace has erased opt-outs. If it has none, callers skip the lookup by number. */
export function hasErasedOptOuts(tx: ReadTx, workspaceId: number): boolean {
  return anyErasedOptOut(tx).get({ workspaceId }) !== undefined;
}

/**
 * When the erased person of this number (in either number variant) or user id opted out; null if there is no erased
 * opt-out.
 */
export function findErasedOptOut(
  tx: ReadTx,
  workspaceId: number,
  phone: E164 | null,
  networkUserId: string | null = null,
): number | null {
  if (!hasErasedOptOuts(tx, workspaceId)) return null;
  for (const variant of namesOf(phone, networkUserId)) {
    const found = erasedOptOut(tx).get({ workspaceId, phoneHash: phoneHash(tx, workspaceId, variant) });
    if (found !== undefined) return found.optedOutAt;
  }
  return null;
}

function namesOf(phone: E164 | null, networkUserId: string | null): string[] {
  const other = phone === null ? null : otherVariant(phone);
  return [phone, other, networkUserId].filter((name) => name !== null);
}

/** `name`: a phone number or a user id. */
export function recordErasedOptOut(tx: Tx, workspaceId: number, name: string, optedOutAt: number): void {
  tx.db
    .insert(erasedOptOuts)
    .values({ workspaceId, phoneHash: phoneHash(tx, workspaceId, name), optedOutAt })
    .onConflictDoNothing()
    .run();
}

/** Deletes the erased opt-out: the person wrote START, so the number may be sent to again. */
export function deleteErasedOptOut(
  tx: Tx,
  workspaceId: number,
  { phone, networkUserId }: { phone: string | null; networkUserId: string | null },
): void {
  if (!hasErasedOptOuts(tx, workspaceId)) return;
  for (const variant of namesOf(phone as E164 | null, networkUserId)) {
    const hash = phoneHash(tx, workspaceId, variant);
    deleteRows(tx, erasedOptOuts, { workspaceId, phoneHash: hash });
  }
}

/** The hash includes the workspace, so that the same number has unrelated hashes in two workspaces. */
function phoneHash(tx: ReadTx, workspaceId: number, name: string): Uint8Array {
  return new Uint8Array(tx.keyedHash(`erased_opt_out:${workspaceId}:${name}`));
}

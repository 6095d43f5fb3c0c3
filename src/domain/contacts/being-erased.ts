/**
 * Whether a person is being erased at this moment. Until that has ended, only the person creates a contact with
 * the same name, by writing: what is recorded about it meanwhile would be searched, too.
 */
import { type E164, otherVariant } from "#src/core/phone.ts";
import { Problem } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { openErasures } from "./statements.ts";
import type { PersonName } from "./table.ts";

const RETRY_AFTER_MS = 5_000;

export function hasOpenErasures(tx: ReadTx, workspaceId: number): boolean {
  return openErasures(tx).get({ workspaceId }) !== undefined;
}

/** The id of the erasure, which has not ended, of a person with this name, in either number variant; null: there is none. */
export function findOpenErasure(
  tx: ReadTx,
  workspaceId: number,
  { phone, networkUserId }: { phone: string | null; networkUserId: string | null },
): number | null {
  const open = openErasures(tx).all({ workspaceId });
  if (open.length === 0) return null;
  const other = phone === null ? null : otherVariant(phone as E164);
  const wanted = [phone?.slice(1), other?.slice(1), networkUserId];
  const isWanted = ({ text, until }: PersonName): boolean => until === null && wanted.includes(text);
  return open.find(({ person }) => person?.names.some(isWanted))?.id ?? null;
}

/** Whether the contact is one of a person whose erasure has not ended. */
export function isBeingErased(tx: ReadTx, workspaceId: number, contactId: number | null): boolean {
  if (contactId === null) return false;
  return openErasures(tx)
    .all({ workspaceId })
    .some(({ person }) => person?.contactIds.includes(contactId) === true);
}

/** Throws `unavailable`: nothing is created, and the same request works soon. */
export function requireNotBeingErased(
  tx: ReadTx,
  workspaceId: number,
  name: { phone: string | null; networkUserId: string | null },
): void {
  if (findOpenErasure(tx, workspaceId, name) === null) return;
  throw new Problem("unavailable", "This person is being erased. Try again in a minute.", {
    outcome: "not_sent",
    retryAfterMs: RETRY_AFTER_MS,
  });
}

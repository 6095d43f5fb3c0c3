/** Whom numbers block on the simulated network. */
import { and, asc, count, eq, gt } from "drizzle-orm";
import type { E164 } from "#src/core/phone.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { isUserId } from "#src/core/user-id.ts";
import { deleteRows, findRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { conversationOn } from "../contacts/conversation-statements.ts";
import { findByAnyVariant, findByUserId } from "../contacts/find.ts";
import { contacts } from "../contacts/table.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { simulatedBlocks } from "./table.ts";

export function isSimulatedBlock(tx: ReadTx, numberId: number, contactId: number): boolean {
  return findRow(tx, simulatedBlocks, { contactId, numberId }) !== undefined;
}

export function countSimulatedBlocks({ db }: ReadTx, numberId: number): number {
  const [row] = db.select({ all: count() }).from(simulatedBlocks).where(eq(simulatedBlocks.numberId, numberId)).all();
  return row?.all ?? 0;
}

export function setSimulatedBlock(tx: Tx, number: SendingNumber, contactId: number, isBlocked: boolean): void {
  const { id: numberId, workspaceId } = number;
  if (isBlocked) tx.db.insert(simulatedBlocks).values({ workspaceId, contactId, numberId }).onConflictDoNothing().run();
  else deleteRows(tx, simulatedBlocks, { contactId, numberId });
}

/** Throws `invalid_request` at `field`: what a blocked person writes does not arrive. */
export function requireUnblocked(tx: ReadTx, number: SendingNumber, from: string, field: string): void {
  const contact = isUserId(from)
    ? findByUserId(tx, number.workspaceId, from)
    : findByAnyVariant(tx, number.workspaceId, from as E164);
  if (contact === undefined || !isSimulatedBlock(tx, number.id, contact.id)) return;
  throw invalidRequest({ [field]: [`${number.phone} blocks this person: what they write does not arrive.`] });
}

/** One page, in the order in which they were blocked. */
export function listSimulatedBlocks({ db }: ReadTx, numberId: number, afterId: number, limit: number) {
  return db
    .select({ id: simulatedBlocks.id, phone: contacts.phone, userId: contacts.networkUserId })
    .from(simulatedBlocks)
    .innerJoin(contacts, eq(contacts.id, simulatedBlocks.contactId))
    .where(and(eq(simulatedBlocks.numberId, numberId), gt(simulatedBlocks.id, afterId)))
    .orderBy(asc(simulatedBlocks.id))
    .limit(limit)
    .all();
}

/** When the person last wrote to the number, milliseconds; null: they never did. */
export function lastWroteTo(tx: ReadTx, numberId: number, contactId: number): number | null {
  const found = conversationOn(tx).get({ contactId, numberId });
  return found === undefined || found.lastInboundId === 0 ? null : found.wroteAt;
}

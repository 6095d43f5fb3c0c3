/**
 * Broadcasts that repeat another for those who failed. The first broadcast and all that repeat it are a family: within it
 * no person gets the message twice, however often it is sent again. This is decided when a recipient is
 * claimed, so that a success that is reported late counts as well.
 */
import { asc, eq } from "drizzle-orm";
import type { ReadTx } from "#src/db/transaction.ts";
import { listLinkedContacts } from "../contacts/find.ts";
import type { Contact } from "../contacts/table.ts";
import { reachedByBroadcast } from "./statements.ts";
import { type Broadcast, broadcasts } from "./table.ts";

/** What a draft or a broadcast repeats. */
export type Repeats = Pick<Broadcast, "againOf" | "isAgainUnknown">;

/** The id of the first broadcast of the family. */
export function firstOf({ id, againOf }: Pick<Broadcast, "id" | "againOf">): number {
  return againOf ?? id;
}

/** The ids of the family, the first one's first. */
export function listFamily(tx: ReadTx, first: number): number[] {
  const repeats = tx.db
    .select({ id: broadcasts.id })
    .from(broadcasts)
    .where(eq(broadcasts.againOf, first))
    .orderBy(asc(broadcasts.id))
    .all();
  return [first, ...repeats.map(({ id }) => id)];
}

/** The ids of the broadcasts that decide who has the message already; empty: it repeats none. */
export function listRepeated(tx: ReadTx, { againOf }: Repeats): number[] {
  return againOf === null ? [] : listFamily(tx, againOf);
}

/**
 * The broadcast of the family from which the person has the message, may have it, or is about to get it; null: none.
 * A proven failure is none.
 */
export function findReached(
  tx: ReadTx,
  { isAgainUnknown }: Repeats,
  family: readonly number[],
  contact: Pick<Contact, "id" | "identityId">,
): number | null {
  if (family.length === 0) return null;
  const people = [contact.id, ...listLinkedContacts(tx, contact).map(({ id }) => id)];
  // A failure counts as reached while `outcome_unknown` is above this.
  const allowed = isAgainUnknown ? 1 : 0;
  const isReached = (broadcastId: number) =>
    people.some((contactId) => reachedByBroadcast(tx).get({ contactId, broadcastId, allowed }) !== undefined);
  return family.find(isReached) ?? null;
}

/** Why a person who is reached already is skipped. */
export function describeReached(broadcastId: number): string {
  return `has the message from broadcast ${broadcastId}, or may have it`;
}

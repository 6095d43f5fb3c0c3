/**
 * Counts refusals with codes that this version does not know, by number, kind of message, source and code, over all
 * broadcasts and single messages. After `PEOPLE_MAX` different people without a success between them, broadcasts of that
 * kind pause; single messages are still sent, each to be refused alone. A success of the kind ends the count, as do a
 * person who resumes a broadcast, and a day without another refusal. Answers and statuses are counted apart, because the
 * network accepts messages that it refuses later.
 */
import { and, eq, lte } from "drizzle-orm";
import { deleteRows } from "#src/db/rows.ts";
import { remembered } from "#src/db/settings-cache.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { unlistedOfNumber } from "./statements.ts";
import { type UnlistedRefusal, unlistedRefusals } from "./table.ts";

/** Broadcasts pause after this many different people. */
export const PEOPLE_MAX = 10;
/** A count is over this long after its last refusal. */
export const LASTS_MS = 24 * 60 * 60 * 1000;

/** `free`: everything that is not a template. */
export type MessageKind = UnlistedRefusal["kind"];
type Source = UnlistedRefusal["source"];

const listUnlisted = remembered((tx, numberId: number): UnlistedRefusal[] => unlistedOfNumber(tx).all({ numberId }));

interface NewRefusal extends Pick<UnlistedRefusal, "numberId" | "kind" | "source" | "code" | "message"> {
  /** The id of the contact. */
  person: number;
}

/** Records one refusal. Returns whether broadcasts of the kind must pause. */
export function recordUnlistedRefusal(tx: Tx, { person, ...refusal }: NewRefusal): boolean {
  const { numberId, kind, source, code } = refusal;
  const isSame = (one: UnlistedRefusal) => one.kind === kind && one.source === source && one.code === code;
  const before = listCurrent(tx, numberId).find(isSame);
  if (before === undefined) removeExpired(tx, numberId);
  const people = before?.people ?? [];
  const isNew = !people.includes(person) && people.length < PEOPLE_MAX;
  const after = {
    ...refusal,
    people: isNew ? [...people, person] : people,
    beganAt: before?.beganAt ?? tx.now,
    changedAt: tx.now,
  };
  const key = [unlistedRefusals.numberId, unlistedRefusals.kind, unlistedRefusals.source, unlistedRefusals.code];
  tx.db.insert(unlistedRefusals).values(after).onConflictDoUpdate({ target: key, set: after }).run();
  return isOverLimit(after);
}

/** A message of the kind was accepted (for answers), or delivered or read (for statuses). */
export function endUnlistedRefusals(tx: Tx, numberId: number, kind: MessageKind, source: Source): void {
  if (listUnlisted(tx, numberId).some((one) => one.kind === kind && one.source === source)) {
    deleteRows(tx, unlistedRefusals, { numberId, kind, source });
  }
}

/** A person has looked at it: send again. */
export function overrideUnlistedRefusals(tx: Tx, numberId: number, kind: MessageKind): void {
  deleteRows(tx, unlistedRefusals, { numberId, kind });
}

/** Whether a success can change anything: lets callers skip it. */
export function hasUnlistedRefusals(tx: ReadTx, numberId: number): boolean {
  return listUnlisted(tx, numberId).length > 0;
}

/** Why broadcasts of the kind pause, with the network's own words; null if they need not. */
export function unlistedReason(tx: ReadTx, numberId: number, kind: MessageKind): string | null {
  const found = listCurrent(tx, numberId).find((one) => one.kind === kind && isOverLimit(one));
  if (found === undefined) return null;
  return `the network refused ${PEOPLE_MAX} consecutive messages to different people with error ${found.code}: ${found.message}`;
}

function listCurrent(tx: ReadTx, numberId: number): UnlistedRefusal[] {
  return listUnlisted(tx, numberId).filter(({ changedAt }) => changedAt > tx.now - LASTS_MS);
}

function removeExpired(tx: Tx, numberId: number): void {
  tx.db
    .delete(unlistedRefusals)
    .where(and(eq(unlistedRefusals.numberId, numberId), lte(unlistedRefusals.changedAt, tx.now - LASTS_MS)))
    .run();
}

function isOverLimit({ people }: Pick<UnlistedRefusal, "people">): boolean {
  return people.length >= PEOPLE_MAX;
}

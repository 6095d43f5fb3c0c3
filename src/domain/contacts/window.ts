/**
 * The window in which a person can be sent free messages. It is open for 24 hours after the person wrote or
 * called, or after another sender passed the conversation to this server. The network closes it by refusing a message (131047). All times are the network's, and
 * each only moves forward, so the order in which reports arrive does not matter.
 */
import { eq, max } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { closeWindowAt, openWindowAt } from "./statements.ts";
import { CONTACT_CHANGED, type Contact, contacts } from "./table.ts";

export const WINDOW_MS = 24 * 60 * 60 * 1000;

export type WindowTimes = Pick<Contact, "lastMessageAt" | "windowOpenedAt" | "windowClosedAt">;

/** When the window was last opened; null: never. */
function openedAt({ lastMessageAt, windowOpenedAt }: WindowTimes): number | null {
  if (lastMessageAt === null || windowOpenedAt === null) return lastMessageAt ?? windowOpenedAt;
  return Math.max(lastMessageAt, windowOpenedAt);
}

/** When the window ends, or ended; null: it was never open. */
export function windowEnd(times: WindowTimes): number | null {
  const opened = openedAt(times);
  if (opened === null) return null;
  const { windowClosedAt } = times;
  const end = opened + WINDOW_MS;
  return windowClosedAt !== null && windowClosedAt >= opened ? Math.min(windowClosedAt, end) : end;
}

export function isWindowOpen(now: number, times: WindowTimes): boolean {
  return now < (windowEnd(times) ?? 0);
}

/** SQL of a row of `contacts`: when the window was last opened; 0 if it never was, or was closed since. */
export const OPENED_AT_SQL = `iif(
  coalesce(window_closed_at, 0) >= max(coalesce(last_message_at, 0), coalesce(window_opened_at, 0)), 0,
  max(coalesce(last_message_at, 0), coalesce(window_opened_at, 0)))`;

/** The window is the person's: whatever a linked contact did opens it too. */
export function windowTimesOf(tx: ReadTx, contact: Contact): WindowTimes {
  if (contact.identityId === null) return contact;
  const { lastMessageAt, windowOpenedAt, windowClosedAt } = contacts;
  const latest = tx.db
    .select({
      lastMessageAt: max(lastMessageAt),
      windowOpenedAt: max(windowOpenedAt),
      windowClosedAt: max(windowClosedAt),
    })
    .from(contacts)
    .where(eq(contacts.identityId, contact.identityId))
    .get();
  return latest ?? contact;
}

/** A call, or a handover to this server. Never later than now. */
export function openWindow(tx: Tx, contact: Contact, at: number): Contact {
  const openedAt = Math.min(at, tx.now);
  if (contact.windowOpenedAt !== null && contact.windowOpenedAt >= openedAt) return contact;
  tx.notify(CONTACT_CHANGED);
  return openWindowAt(tx).get({ id: contact.id, windowOpenedAt: openedAt, updatedAt: tx.now }) ?? contact;
}

/** The network refused a message that was dispatched at `at`. What opened the window later keeps it open. */
export function closeWindow(tx: Tx, contact: Contact, at: number): Contact {
  if (contact.windowClosedAt !== null && contact.windowClosedAt >= at) return contact;
  tx.notify(CONTACT_CHANGED);
  return closeWindowAt(tx).get({ id: contact.id, windowClosedAt: at, updatedAt: tx.now }) ?? contact;
}

/** A free message needs an open window: the person wrote, called or was passed to us within 24 hours. */
import { Problem } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import type { Contact } from "../contacts/table.ts";
import { isWindowOpen, WINDOW_MS, type WindowTimes, windowEnd, windowTimesOf } from "../contacts/window.ts";

/** Throws `window_closed`, but for a message that is sent later. */
export function requireOpenWindow(tx: ReadTx, contact: Contact | null, isLater: boolean): void {
  if (isLater) return;
  const times = contact === null ? null : windowTimesOf(tx, contact);
  if (times !== null && isWindowOpen(tx.now, times)) return;
  throw new Problem("window_closed", `${whyClosed(times)}, so only a template can be sent.`);
}

function whyClosed(times: WindowTimes | null): string {
  if (times === null || windowEnd(times) === null) return "This person has not written yet";
  const { lastMessageAt, windowOpenedAt } = times;
  if ((windowEnd(times) ?? 0) < Math.max(lastMessageAt ?? 0, windowOpenedAt ?? 0) + WINDOW_MS)
    return "WhatsApp refused a message to this person because 24 hours have passed";
  return (windowOpenedAt ?? 0) > (lastMessageAt ?? 0)
    ? "This person last wrote or called over 24 hours ago"
    : "This person last wrote over 24 hours ago";
}

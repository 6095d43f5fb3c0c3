/**
 * Scheduled broadcasts that could not run as things stand. They report it at once, so that an operator can act in time, and
 * fail only if the cause still holds when their time has come. And the broadcasts that need a number or a group, which
 * therefore must not be removed by mistake.
 */
import { invalidRequest, quote } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { findBlocker } from "./eligibility.ts";
import { publishBroadcast, update } from "./move.ts";
import { listOpen } from "./read.ts";
import type { Broadcast } from "./table.ts";

/** Scheduled broadcasts whose blocker appeared, changed or went away since it was last reported. */
export function listUnreported(tx: ReadTx): { broadcast: Broadcast; reason: string | null }[] {
  return listOpen(tx, ["scheduled"]).flatMap((broadcast) => {
    // A broadcast that waits for the end of quiet hours has another reason, and is evaluated when the wait ends.
    if (broadcast.waitsUntil !== null) return [];
    const blocker = findBlocker(tx, broadcast);
    const reason = blocker?.kind === "permanent" ? blocker.reason : null;
    return reason === broadcast.statusReason ? [] : [{ broadcast, reason }];
  });
}

export function reportBlocked(tx: Tx): void {
  for (const { broadcast, reason } of listUnreported(tx)) {
    const reported = update(tx, broadcast, { statusReason: reason });
    if (reason !== null) publishBroadcast(tx, reported, "broadcast.blocked");
  }
}

/**
 * Throws `invalid_request` (path `id`) that names the broadcasts which would fail without the number or the group, and
 * says how to remove it all the same; null: that is not possible here.
 * Recipients of a group are stored when they are built, so only broadcasts before that need it.
 */
export function requireNotNeeded(
  tx: ReadTx,
  workspaceId: number,
  what: { numberId: number } | { groupId: number },
  otherwise: string | null = "repeat the command with --force",
): void {
  const needing = listOpen(tx, ["scheduled", "queueing", "running", "paused"]).filter(
    (broadcast) =>
      broadcast.workspaceId === workspaceId &&
      ("numberId" in what
        ? broadcast.numberId === what.numberId
        : broadcast.groupId === what.groupId && !broadcast.isBuilt),
  );
  if (needing.length === 0) return;
  const names = needing.slice(0, NAMED_MAX).map(({ id, name, status }) => `${id} ${quote(name)} (${status})`);
  const more = needing.length > NAMED_MAX ? ` and ${needing.length - NAMED_MAX} more` : "";
  const noun = needing.length === 1 ? "This broadcast needs" : "These broadcasts need";
  throw invalidRequest({
    id: [
      `${noun} it and would fail: ${names.join(", ")}${more}. Cancel them first${otherwise === null ? "" : `, or ${otherwise}`}.`,
    ],
  });
}

const NAMED_MAX = 10;

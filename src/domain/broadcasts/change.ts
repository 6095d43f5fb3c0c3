/**
 * Changes a broadcast before its first message. Beginning a change takes the broadcast out of its schedule: it is paused in
 * the transaction that sees that it has sent nothing, and a draft has what it was to send. Sending that draft makes the
 * broadcast what a new one would be, under the same id; discarding it puts the broadcast back as it was. Until then the
 * broadcast is paused for everybody to see, and sends nothing.
 */
import { formatInstant } from "#src/core/instant.ts";
import { deleteRows, findRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { getCounters } from "../messages/adjust-counters.ts";
import { dropCounters } from "../messages/broadcast-cost.ts";
import { totalOf } from "../messages/broadcast-counters.ts";
import { releaseReserved } from "../messages/key-budget.ts";
import { messages } from "../messages/table.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { isFinished } from "./broadcast.ts";
import { contentOf } from "./draft-content.ts";
import { createDraft } from "./drafts.ts";
import { update } from "./move.ts";
import { holdBroadcast, resumeAsItWas } from "./pause.ts";
import { findBroadcast, getBroadcast } from "./read.ts";
import { type Broadcast, type Draft, drafts } from "./table.ts";
import { clockTime } from "./wait.ts";

/** Recipients that one transaction removes: as many as a list has. More are those of a group, once it is built. */
const RECIPIENTS_MAX = 1_000;

const RESTORED = ["restored", "restored_gap"];

/** Why the broadcast can no longer be changed, as a sentence; null: it can. */
export function findChangeRefusal(tx: ReadTx, broadcast: Broadcast): string | null {
  const { status, pauseCause, isFailingUnsent } = broadcast;
  if (isFinished(status)) return `This broadcast is ${status}. Duplicate it to send something like it.`;
  const counters = getCounters(tx, broadcast.id);
  const hasSent = counters.lastSentAt !== null || counters.sending + counters.sent + counters.failed > 0;
  if (hasSent) return "This broadcast has started to send, so it can no longer be changed. Cancel it to stop the rest.";
  if (isFailingUnsent || (pauseCause !== null && RESTORED.includes(pauseCause)))
    return "This copy was restored. Resume the broadcast first, which decides whom it may have reached.";
  if (broadcast.startedAt === null) return null;
  // The code that builds it has read members in an earlier transaction, which the changed broadcast must not get.
  if (!broadcast.isBuilt) return "The recipients of this broadcast are being prepared. Try again in a moment.";
  if (totalOf(counters) > RECIPIENTS_MAX)
    return "The recipients of this broadcast are prepared already. Cancel it, and duplicate it.";
  return null;
}

/** The draft in which the broadcast is being changed; undefined: no one changes it. */
export function findChange(tx: ReadTx, broadcast: Pick<Broadcast, "id">): Draft | undefined {
  return findRow(tx, drafts, { changesId: broadcast.id, broadcastId: null });
}

/**
 * The broadcast has no refusal. Two people who change it share the draft. `by`: who pauses it.
 */
export function beginChange(tx: Tx, broadcast: Broadcast, by: { id: number; email: string }): Draft {
  const { timezone } = getWorkspace(tx, broadcast.workspaceId);
  holdBroadcast(tx, broadcast, "changing", `being changed by ${by.email} since ${clockTime(tx.now, timezone)}`);
  const known = findChange(tx, broadcast);
  if (known !== undefined) return known;
  const { content } = contentOf(tx, broadcast, { isForChange: true });
  const { id: changesId, workspaceId, againOf, isAgainUnknown } = broadcast;
  return createDraft(tx, workspaceId, by.id, content, { changesId, againOf, isAgainUnknown });
}

/**
 * The broadcast has no refusal. Removes what it was to send, and returns it paused: the caller sends it anew in the same
 * transaction. What people were counted for in the budget of an API key stays counted.
 */
export function emptyForChange(tx: Tx, broadcast: Broadcast): Broadcast {
  holdBroadcast(tx, broadcast, "changing", "being changed");
  const paused = getBroadcast(tx, broadcast.id);
  releaseReserved(tx, paused);
  dropCounters(tx, paused.id);
  deleteRows(tx, messages, { broadcastId: paused.id });
  return update(tx, paused, {
    statusReason: null,
    pauseCause: null,
    resumeAt: null,
    networkPauses: [],
    waitsUntil: null,
    waitsFor: null,
    budgetKeyId: null,
    budgetDay: null,
    budgetReserved: 0,
  });
}

/**
 * The draft is discarded: the broadcast goes back to its schedule, as it was. If its time has passed meanwhile, it stays
 * paused with that reason, for a person to decide. Null: the change did not pause it, so nothing is put back.
 */
export function endChange(tx: Tx, draft: Draft): Broadcast | null {
  const broadcast = draft.changesId === null ? undefined : findBroadcast(tx, draft.workspaceId, draft.changesId);
  if (broadcast?.status !== "paused" || broadcast.pauseCause !== "changing") return null;
  const { sendAt } = broadcast;
  if (sendAt !== null && sendAt > tx.now) return resumeAsItWas(tx, broadcast);
  const { timezone } = getWorkspace(tx, broadcast.workspaceId);
  const statusReason =
    sendAt === null
      ? "it was being changed; resume it if it is still wanted"
      : `its time, ${formatInstant(sendAt, timezone)}, passed while it was being changed; resume it if it is still wanted`;
  return update(tx, broadcast, { pauseCause: "manual", statusReason });
}

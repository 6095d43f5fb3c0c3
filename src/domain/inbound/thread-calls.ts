/**
 * Requests to the network to take, release or pass a thread. Each is stored before it leaves, and leaves once. The network
 * has no query for the owner of a thread, so where an outcome is unknown, what was reported since is read once: it shows
 * that the request was done, or the outcome stays unknown.
 */
import { and, asc, eq, gt, isNull } from "drizzle-orm";
import { Problem } from "#src/core/problem.ts";
import { findRow, insertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { conversationOn } from "../contacts/conversation-statements.ts";
import type { Conversation } from "../contacts/table.ts";
import type { ThreadOwner } from "../contacts/thread-owners.ts";
import { threadOn } from "../contacts/threads.ts";
import { findNumber } from "../numbers/read.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { type ThreadCall, type ThreadCallOutcome, threadCalls } from "./table.ts";
import type { ThreadAction } from "./thread-actions.ts";
import { reportAction } from "./thread-owner.ts";

export interface ThreadRequest {
  action: ThreadAction;
  /** Of a pass: the network's word for the new owner; null: the escalation partner of the number. */
  targetRole: string | null;
}

/** How many interrupted calls one transaction ends. */
const SETTLED_AT_ONCE = 64;

/** Who owns the thread once the request is done. */
const OWNERS: Readonly<Record<ThreadAction, ThreadOwner>> = { take: "us", release: "nobody", pass: "other" };

/** The network's word for the partner to whom a thread goes that is passed to no one by name. */
const ESCALATION_ROLE = "escalation";

/** What the request wants is so already: ours to answer after a take, not ours after the others. */
function isAchieved(tx: ReadTx, conversation: Conversation, number: SendingNumber, action: ThreadAction): boolean {
  const isOurs = threadOn(conversation, number, tx.now).owner === "us";
  return isOurs === (action === "take");
}

/**
 * Stores the request; null: there is nothing to ask for. Throws `rate_limited` while another one is under way.
 * `givenUpAfterMs`: an earlier one without an answer for this long is over.
 */
export function beginThreadCall(
  tx: Tx,
  conversation: Conversation,
  number: SendingNumber,
  { action, targetRole }: ThreadRequest,
  givenUpAfterMs: number,
): ThreadCall | null {
  const { workspaceId, contactId, numberId } = conversation;
  const open = findOpen(tx, conversation);
  if (open !== undefined) {
    if (open.askedAt > tx.now - givenUpAfterMs) {
      throw new Problem("rate_limited", "WhatsApp is being asked about this conversation. Try again in a moment.", {
        retryAfterMs: 1_000,
        outcome: "not_sent",
      });
    }
    settle(tx, open);
  }
  if (isAchieved(tx, conversation, number, action)) return null;
  const call = { workspaceId, contactId, numberId, action, targetRole, askedAt: tx.now };
  return insertRow(tx, threadCalls, call);
}

function findOpen(tx: ReadTx, { contactId, numberId }: Conversation): ThreadCall | undefined {
  return findRow(tx, threadCalls, { contactId, numberId, outcome: null });
}

/** The network has done what it was asked. A later report of the owner stays. */
export function recordDone(tx: Tx, call: ThreadCall): void {
  const number = findNumber(tx, call.numberId);
  if (end(tx, call, "done") && number !== undefined) {
    const role = call.action === "pass" ? (call.targetRole ?? ESCALATION_ROLE) : null;
    reportAction(tx, number, call.contactId, { owner: OWNERS[call.action], role, at: call.askedAt });
  }
}

/** The network has certainly not done it. */
export function recordRefused(tx: Tx, call: ThreadCall, code: string): void {
  end(tx, call, "refused", code);
}

/** No answer is known. Returns whether the thread has the owner that was asked for. */
export function settle(tx: Tx, call: ThreadCall): boolean {
  const conversation = conversationOn(tx).get(call);
  const number = findNumber(tx, call.numberId);
  const isDone =
    conversation !== undefined && number !== undefined && isAchieved(tx, conversation, number, call.action);
  end(tx, call, isDone ? "done" : "unknown");
  return isDone;
}

/** False: it has ended already, or the person was erased meanwhile. */
function end(tx: Tx, { id }: ThreadCall, outcome: ThreadCallOutcome, code: string | null = null): boolean {
  const ended = tx.db
    .update(threadCalls)
    .set({ outcome, code })
    .where(and(eq(threadCalls.id, id), isNull(threadCalls.outcome)))
    .run();
  return ended.changes > 0;
}

/** Those that an earlier process left without an answer. Returns whether there may be more. */
export function settleInterrupted(tx: Tx): boolean {
  const open = tx.db
    .select()
    .from(threadCalls)
    // The index of open calls begins with the contact.
    .where(and(isNull(threadCalls.outcome), gt(threadCalls.contactId, 0)))
    .orderBy(asc(threadCalls.contactId), asc(threadCalls.numberId))
    .limit(SETTLED_AT_ONCE)
    .all();
  for (const call of open) settle(tx, call);
  return open.length === SETTLED_AT_ONCE;
}

/**
 * What the staff make of a conversation: open, snoozed (until a time, or until the person writes) or done, and who answers
 * it. A new message opens it: the triggers of `inbounds` do that.
 */
import { eq } from "drizzle-orm";
import type { FieldProblems } from "#src/core/fault.ts";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { reschedule } from "#src/jobs/enqueue.ts";
import { conversationById } from "../contacts/conversation-statements.ts";
import type { ConversationState } from "../contacts/conversation-states.ts";
import { type Conversation, conversations } from "../contacts/table.ts";
import { findNumber } from "../numbers/read.ts";
import { findUserByEmail } from "../users/read.ts";
import { findAssignee, mayAnswer } from "./assignee.ts";
import { tellConversation } from "./tell-conversation.ts";

/** Members that are absent stay as they are. */
interface ConversationChanges {
  state?: ConversationState | undefined;
  /** Milliseconds; null: until the person writes. With a time alone, the conversation is snoozed. */
  snoozedUntil?: number | null | undefined;
  /** A user's e-mail address; null: no user. */
  assignee?: string | null | undefined;
  /** Also from a colleague who answers it now. */
  take?: boolean | undefined;
}

const AHEAD_MAX_MS = 366 * 24 * 60 * 60 * 1000;

/**
 * `byUserId`: who changes it; null: a program. Throws `invalid_request`, or `conversation_assigned` if a colleague would lose
 * the conversation without having been asked for.
 */
export function changeConversation(
  tx: Tx,
  before: Conversation,
  changes: ConversationChanges,
  byUserId: number | null,
): Conversation {
  const fields: FieldProblems = {};
  const state = nextState(tx, before, changes, fields);
  const assigneeId = nextAssignee(tx, before, changes.assignee, fields);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  if (assigneeId !== before.assigneeId) requireAgreed(tx, before, changes.take ?? false, byUserId);
  return store(tx, before, { ...state, assigneeId }, byUserId);
}

type Kept = Pick<Conversation, "state" | "snoozedUntil" | "assigneeId">;

function store(tx: Tx, before: Conversation, kept: Kept, changedById: number | null): Conversation {
  const { state, snoozedUntil, assigneeId } = before;
  if (state === kept.state && snoozedUntil === kept.snoozedUntil && assigneeId === kept.assigneeId) return before;
  const values = { ...kept, changedById };
  const after = tx.db.update(conversations).set(values).where(eq(conversations.id, before.id)).returning().get();
  if (kept.snoozedUntil !== null) {
    const { id: subject, workspaceId: queueKey } = before;
    reschedule(tx, { kind: "end_snooze", subject, queueKey, dueAt: kept.snoozedUntil });
  }
  const number = findNumber(tx, before.numberId);
  if (number !== undefined) tellConversation(tx, after, number);
  return after;
}

function nextState(
  { now }: Tx,
  before: Conversation,
  { state, snoozedUntil }: ConversationChanges,
  fields: FieldProblems,
): Omit<Kept, "assigneeId"> {
  const after = state ?? (snoozedUntil == null ? before.state : "snoozed");
  if (after !== "snoozed") {
    if (snoozedUntil != null) fields.snoozed_until = ["Only a conversation in the state `snoozed` has it."];
    return { state: after, snoozedUntil: null };
  }
  if (snoozedUntil != null && snoozedUntil <= now)
    fields.snoozed_until = [{ rule: "too_small", sentence: "This time has passed." }];
  if (snoozedUntil != null && snoozedUntil > now + AHEAD_MAX_MS)
    fields.snoozed_until = [{ rule: "too_large", sentence: "This time is over a year ahead." }];
  const isUnchanged = snoozedUntil === undefined && state === undefined;
  return { state: after, snoozedUntil: isUnchanged ? before.snoozedUntil : (snoozedUntil ?? null) };
}

/** A user who is not known here, and one who may not answer, look the same. */
function nextAssignee(
  tx: Tx,
  before: Conversation,
  assignee: ConversationChanges["assignee"],
  fields: FieldProblems,
): number | null {
  if (assignee === undefined) return before.assigneeId;
  if (assignee === null) return null;
  const user = findUserByEmail(tx, assignee);
  if (user !== undefined && mayAnswer(tx, user, before)) return user.id;
  fields.assignee = ["This is not a user who can answer this conversation."];
  return before.assigneeId;
}

/** A user's own conversation can be given away without asking. */
function requireAgreed(tx: Tx, before: Conversation, isTaking: boolean, byUserId: number | null): void {
  const colleague = findAssignee(tx, before);
  if (colleague === null || colleague.id === byUserId || isTaking) return;
  throw new Problem(
    "conversation_assigned",
    `${colleague.email} answers this conversation. To take it from them, repeat the request with \`take: true\`.`,
  );
}

/** The time of a snooze has come. Returns when it comes, if it was moved; null: there is nothing to wait for. */
export function endSnooze(tx: Tx, conversationId: number): number | null {
  const conversation = conversationById(tx).get({ id: conversationId });
  if (conversation === undefined || conversation.snoozedUntil === null) return null;
  if (conversation.snoozedUntil > tx.now) return conversation.snoozedUntil;
  store(tx, conversation, { state: "open", snoozedUntil: null, assigneeId: conversation.assigneeId }, null);
  return null;
}

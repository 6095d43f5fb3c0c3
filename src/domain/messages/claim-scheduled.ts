/**
 * Decides what becomes of a scheduled message when it is due: what a new message is checked for is checked anew, in
 * the transaction that sets `sending`. What passes with time makes it wait for a later try; any other refusal is the reason
 * of its failure.
 */
import { allSentences } from "#src/core/fault.ts";
import { Problem } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { hold } from "../billing/hold.ts";
import { isBeingErased } from "../contacts/being-erased.ts";
import { noteUploadSent, requireNetworkUploads } from "../media/send-upload.ts";
import { downReason, findNetworkHealth } from "../numbers/network-health.ts";
import { getKey } from "../workspaces/api-keys.ts";
import { isAway } from "../workspaces/opening-hours.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { countUnderLimits, storedContent } from "./accept.ts";
import { storeNotice } from "./ai-notice.ts";
import { noteDispatchedAgain } from "./contact-messages.ts";
import { uploadsOf } from "./content.ts";
import { isDirect } from "./direct-send.ts";
import { countMessage } from "./key-limits.ts";
import { isAwayMessage, isContactErased } from "./message.ts";
import { planSend, type SendInput, type SendPlan } from "./plan.ts";
import { contactOf, findMessageById } from "./read.ts";
import type { Failure } from "./record-outcome.ts";
import type { About } from "./reference.ts";
import {
  type Cancellation,
  cancelDue,
  doubtful,
  failScheduled,
  isCancelledByReply,
  notAway,
  replied,
} from "./scheduled.ts";
import { dispatchScheduled, scheduledById, setDueSince } from "./scheduled-statements.ts";
import type { Message, ScheduledMessage } from "./table.ts";

export interface ScheduleRules {
  /** A message that could not be sent for this long fails. */
  lateAfterMs: number;
  /** When the workspace's quiet hours that contain `now` end; null: none do. Marketing waits for that. */
  endOfQuiet: (now: number, workspace: Workspace) => number | null;
  /** Finds the message that a scheduled one is about. */
  find: About["find"];
}

type Verdict =
  /** Nothing is left to do: it was cancelled, sent or failed. */
  | { kind: "over" }
  | { kind: "cancelled"; why: Cancellation }
  | { kind: "failed"; failure: Failure }
  /** `at`: wall time of the next try. `dueSince`: lateness counts from here; absent: as before. */
  | { kind: "later"; at: number; dueSince?: number }
  | { kind: "due"; scheduled: ScheduledMessage; plan: SendPlan };

type Evaluated = Verdict & { message: Message };

/** Reads only. Undefined: there is no such message. */
export function evaluateScheduled(tx: ReadTx, messageId: number, rules: ScheduleRules): Evaluated | undefined {
  const message = findMessageById(tx, messageId);
  return message === undefined ? undefined : { ...evaluate(tx, message, rules), message };
}

function evaluate(tx: ReadTx, message: Message, rules: ScheduleRules): Verdict {
  const scheduled = message.status === "pending" ? scheduledById(tx).get({ messageId: message.id }) : undefined;
  // An erasure fails its messages, slice by slice.
  if (scheduled === undefined || isContactErased(message)) return { kind: "over" };
  if (isBeingErased(tx, message.workspaceId, message.contactId)) return { kind: "over" };
  if (scheduled.isRestored) return { kind: "failed", failure: restored };
  const why = findCancellation(tx, message, scheduled);
  if (why !== null) return { kind: "cancelled", why };
  const lateByMs = tx.now - scheduled.dueSince;
  if (lateByMs < 0) return { kind: "later", at: scheduled.dueSince };
  if (lateByMs > rules.lateAfterMs) return { kind: "failed", failure: tooLate };
  const input = inputOf(message, scheduled, rules);
  let plan: SendPlan;
  try {
    const { numberId, toPhone, money, fellBack } = message;
    plan = planSend(tx, message.workspaceId, input, {
      ...{ contact: contactOf(tx, message), toPhone, numberId, fellBack },
      isHeld: money === "held",
    });
  } catch (error) {
    return refusedBy(error, tx.now, scheduled, rules);
  }
  const isMarketing = plan.template?.category === "MARKETING";
  const quietUntil = isMarketing ? rules.endOfQuiet(tx.now, plan.workspace) : null;
  if (quietUntil !== null) return { kind: "later", at: quietUntil, dueSince: quietUntil };
  return { kind: "due", scheduled, plan };
}

/** Why the message is not wanted any more; null: it is. */
function findCancellation(tx: ReadTx, message: Message, scheduled: ScheduledMessage): Cancellation | null {
  if (scheduled.cancelOnReply && isCancelledByReply(tx, scheduled.contactId)) return replied;
  if (!isAwayMessage(message)) return null;
  if (contactOf(tx, message).mayWantToStopSince !== null) return doubtful;
  return isAway(getWorkspace(tx, message.workspaceId), tx.now) ? null : notAway;
}

/** The request, as far as its message is not known by now. */
function inputOf(message: Message, { content, take }: ScheduledMessage, { find }: ScheduleRules): SendInput {
  const { toPhone: to, reference, replyTo } = message;
  const about = (path: About["path"], reference: About["reference"]): About => ({ path, reference, find });
  return {
    ...{ to, from: null, reference, content, take, isDirect: isDirect(message), byAi: message.byAi },
    about:
      content.type === "reaction"
        ? about("reaction.to", content.reaction.to)
        : replyTo === null
          ? null
          : about("reply_to", replyTo),
  };
}

const restored: Failure = {
  code: "restored",
  message: "Not sent from here: the copy was restored; it may have been sent.",
  outcomeUnknown: true,
};

const tooLate: Failure = {
  code: "too_late",
  message: "The message could not be sent in time, so it was not sent at all.",
  outcomeUnknown: false,
};

/** What a caller would be told with 429 or 503 passes with time. Throws what is no refusal. */
export function refusedBy(
  error: unknown,
  now: number,
  scheduled: Pick<ScheduledMessage, "dueSince">,
  rules: Pick<ScheduleRules, "lateAfterMs">,
): Extract<Verdict, { kind: "failed" | "later" }> {
  if (!(error instanceof Problem)) throw error;
  const { code, details, message } = error;
  if (code === "rate_limited" || code === "unavailable")
    return { kind: "later", at: nextTry(now, scheduled, rules, details.retryAfterMs ?? 0) };
  const sentences = allSentences(details.fields);
  const failure = {
    code: details.whatsappCode ?? code,
    message: sentences.length === 0 ? message : sentences.join(" "),
    outcomeUnknown: false,
  };
  return { kind: "failed", failure };
}

const FIRST_RETRY_MS = 5_000;
const RETRY_MAX_MS = 10 * 60_000;
/** The later a message already is, the longer it waits: by this fraction of its lateness. */
const RETRY_FRACTION = 0.25;

/** Not before `waitMs` have passed; at the latest when the message is too late. */
export function nextTry(
  now: number,
  { dueSince }: Pick<ScheduledMessage, "dueSince">,
  { lateAfterMs }: Pick<ScheduleRules, "lateAfterMs">,
  waitMs: number,
): number {
  const growing = Math.min(RETRY_MAX_MS, Math.max(FIRST_RETRY_MS, Math.round((now - dueSince) * RETRY_FRACTION)));
  return Math.min(now + Math.ceil(Math.max(waitMs, growing)), Math.max(now, dueSince + lateAfterMs) + 1);
}

export interface ClaimedScheduled {
  kind: "claimed";
  message: Message;
  scheduled: ScheduledMessage;
  plan: SendPlan;
  /** The network's ids of the uploads that the message sends. */
  uploads: ReadonlyMap<number, string>;
}

/** Of a message that is not dispatched: its job is done, or due again at `at`. */
type Settlement = ClaimedScheduled | { kind: "over" } | { kind: "later"; at: number };

/**
 * Evaluates the message and acts on it: it is dispatched right after the commit, waits, or is over. `mayDispatch`: the caller
 * has a token of the number's pace.
 */
export function claimScheduled(
  tx: Tx,
  messageId: number,
  rules: ScheduleRules,
  { mayDispatch }: { mayDispatch: boolean },
): Settlement {
  const evaluated = evaluateScheduled(tx, messageId, rules);
  if (evaluated?.kind !== "due") return settle(tx, evaluated);
  if (!mayDispatch) return { kind: "later", at: tx.now };
  // It was well when the message took its turn.
  if (downReason(findNetworkHealth(tx, evaluated.message.numberId)) !== null)
    return { kind: "later", at: nextTry(tx.now, evaluated.scheduled, rules, 0) };
  const { message, scheduled, plan } = evaluated;
  try {
    return tx.savepoint(() => dispatch(tx, message, scheduled, plan));
  } catch (error) {
    return settle(tx, { ...refusedBy(error, tx.now, scheduled, rules), message });
  }
}

function settle(tx: Tx, evaluated: Exclude<Evaluated, { kind: "due" }> | undefined): Settlement {
  switch (evaluated?.kind) {
    case "later":
      if (evaluated.dueSince !== undefined)
        setDueSince(tx).run({ messageId: evaluated.message.id, dueSince: evaluated.dueSince });
      return { kind: "later", at: evaluated.at };
    case "failed":
      failScheduled(tx, evaluated.message, evaluated.failure);
      return { kind: "over" };
    case "cancelled":
      cancelDue(tx, evaluated.message, evaluated.why);
      return { kind: "over" };
    default:
      return { kind: "over" };
  }
}

/** Throws a `Problem`. */
function dispatch(tx: Tx, before: Message, scheduled: ScheduledMessage, plan: SendPlan): ClaimedScheduled {
  const { id, workspaceId } = before;
  const uploads = requireNetworkUploads(tx, uploadsOf(plan.content), plan.sender.id);
  const contact = contactOf(tx, before);
  if (scheduled.keyId !== null) {
    const limits = getKey(tx, workspaceId, scheduled.keyId);
    // What an earlier try has counted is not counted again.
    const price = before.money === "held" ? 0 : plan.price;
    countMessage(tx, { ...limits, keyId: scheduled.keyId }, plan.workspace, contact, price);
  }
  const isHeld = before.money === "held";
  const price = isHeld
    ? { rate: before.rate, money: before.money, charged: before.charged }
    : { rate: plan.price, money: plan.price > 0 ? ("held" as const) : before.money, charged: plan.charged };
  const message: Message = {
    ...before,
    ...price,
    ...storedContent(plan),
    status: "sending",
    dispatchedAt: tx.now,
    templateCategory: plan.category,
    text: plan.text,
    replyTo: plan.replyTo,
  };
  if (dispatchScheduled(tx).run(message) === 0) throw new Error(`message ${id} was dispatched behind its back`);
  noteDispatchedAgain(tx, before, message);
  for (const uploadId of uploads.keys()) noteUploadSent(tx, uploadId, contact.id);
  if (price.money === "held" && !isHeld) hold(tx, workspaceId, id, price.rate);
  countUnderLimits(tx, plan, message, contact);
  if (plan.notice !== null) storeNotice(tx, plan.notice, message);
  return { kind: "claimed", message, scheduled, plan: { ...plan, contact }, uploads };
}

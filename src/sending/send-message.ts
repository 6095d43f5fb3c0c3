/**
 * Sends one message: stores it, dispatches it to its network, records the outcome, then answers. Only a message that the
 * network certainly did not accept is retried.
 */

import type { MessageWatch } from "#src/core/change-watch.ts";
import { type Clock, sleep } from "#src/core/clock.ts";
import { InDoubtError, Problem } from "#src/core/problem.ts";
import { clauseOf } from "#src/core/sentence.ts";
import { StorageUnavailable } from "#src/db/failure.ts";
import type { NotPromise, Tx } from "#src/db/transaction.ts";
import { pauseForNetwork } from "#src/domain/broadcasts/pause.ts";
import { bindKey, isFinal, releaseKey, storeAnswer, toKeptProblem } from "#src/domain/idempotency/keys.ts";
import { reportAction } from "#src/domain/inbound/thread-owner.ts";
import { requireNetworkUploads } from "#src/domain/media/send-upload.ts";
import { removeNetworkUpload } from "#src/domain/media/upload-statements.ts";
import { type AcceptedMessage, acceptMessage, type SentBy } from "#src/domain/messages/accept.ts";
import { countNetworkAnswer } from "#src/domain/messages/breaker.ts";
import { uploadsOf } from "#src/domain/messages/content.ts";
import { noteDirectAnswer } from "#src/domain/messages/direct-send.ts";
import type { FailureScope } from "#src/domain/messages/failure.ts";
import type { MessageOrigin } from "#src/domain/messages/message.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import { planSend, type SendInput, type SendPlan } from "#src/domain/messages/plan.ts";
import {
  discard,
  type Failure,
  recordAnswered,
  recordFailure,
  redispatch,
  requeue,
  requireMessage,
} from "#src/domain/messages/record-outcome.ts";
import { changePath, isWrongPath, type WrongPath } from "#src/domain/messages/send-path.ts";
import { stopForSingle } from "#src/domain/messages/stop.ts";
import type { Message } from "#src/domain/messages/table.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { senderOf } from "#src/networks/credentials.ts";
import type { OutboundMessage } from "#src/networks/network.ts";
import { acquireToken, type PrepareOptions, provideFiles, takeFirst } from "./prepare-send.ts";
import { busyProblem, problemOf, unreachable } from "./refusal.ts";

export interface SendOptions extends PrepareOptions {
  clock: Clock;
  watch: MessageWatch;
  instanceId: string;
  /** No attempt starts later than this after the first. */
  retryBudgetMs: number;
  /** How long a message in doubt waits for a status. */
  inDoubtAfterMs: number;
}

export interface SendRequest {
  workspaceId: number;
  origin: MessageOrigin;
  sentBy: SentBy;
  input: SendInput;
  /** Runs first in that transaction. It throws where the message is not to be sent any more; the key then stays unused. */
  onStart?: ((tx: Tx) => void) | null;
  /** Runs in the transaction that stores the message: what the caller has to record about it. */
  onStored?: (tx: Tx, message: Message) => void;
}

/** The result of the request, for the caller and for the answer that is kept under its idempotency key. */
export type SendResult = { message: Message; workspace: Workspace } | Problem;

/** The caller's idempotency key, claimed in the transaction that stores the message unless another request holds it. */
export interface KeyClaim {
  /** The caller's text, by which the message can be found later. */
  key: string;
  isFree: (tx: Tx) => boolean;
  /** Returns the id of the key's row. */
  claim: (tx: Tx) => number;
  render: (result: SendResult) => { status: number; body: string };
}

type Sent = { result: SendResult } | "claimed_meanwhile";

/** Waits between attempts if the network does not say how long to wait. */
const FIRST_BACKOFF_MS = 500;

/** Returns a final result; throws a `Problem` that is not final, so that the same key may be used again. */
export async function sendMessage(options: SendOptions, request: SendRequest, key: KeyClaim | null): Promise<Sent> {
  const { store, clock, pace } = options;
  await provideFiles(options, request);
  await takeFirst(options, request);
  const deadline = clock.monotonic() + options.retryBudgetMs;
  const tokenNumberId = await acquireToken(options, request, deadline);
  let acceptance: Acceptance;
  try {
    acceptance = await store.writeRepeatable((tx) => accept(tx, options, request, key));
  } catch (error) {
    if (tokenNumberId !== null) pace.release(tokenNumberId);
    throw error;
  }
  if (acceptance === "claimed_meanwhile" || "refused" in acceptance) {
    if (tokenNumberId !== null) pace.release(tokenNumberId);
    return acceptance === "claimed_meanwhile" ? acceptance : { result: acceptance.refused };
  }
  return { result: await sendAccepted(options, acceptance, key, deadline) };
}

type Acceptance = "claimed_meanwhile" | { refused: Problem } | Accepted;

interface Accepted {
  accepted: AcceptedMessage;
  keyId: number | null;
  /** The network's ids of the uploads that the message sends. */
  uploads: ReadonlyMap<number, string>;
  /** As the request said it. */
  take: boolean | null;
}

/** Stores key, contact, message and hold in one transaction, or the refusal if it is final. */
function accept(tx: Tx, options: SendOptions, request: SendRequest, key: KeyClaim | null): Acceptance {
  if (key !== null && !key.isFree(tx)) return "claimed_meanwhile";
  request.onStart?.(tx);
  let plan: SendPlan;
  try {
    plan = planSend(tx, request.workspaceId, request.input);
  } catch (error) {
    // A refusal that is not final leaves the key free: nothing has been written yet.
    if (!(error instanceof Problem) || !isFinal(error)) throw error;
    const refused = key === null ? error : toKeptProblem(error);
    if (key !== null) storeAnswer(tx, key.claim(tx), key.render(refused));
    return { refused };
  }
  const { sender, content } = plan;
  const uploads = requireNetworkUploads(tx, uploadsOf(content), sender.id);
  const keyId = key === null ? null : key.claim(tx);
  const accepted = acceptMessage(tx, plan, {
    origin: request.origin,
    sentBy: request.sentBy,
    reference: request.input.reference,
    instanceId: options.instanceId,
    idempotencyKey: key?.key ?? null,
  });
  request.onStored?.(tx, accepted.message);
  if (keyId !== null) bindKey(tx, keyId, accepted.message.id);
  return { accepted, keyId, uploads, take: request.input.take ?? null };
}

/** Repeats the dispatch until the outcome is final. */
function sendAccepted(
  options: SendOptions,
  acceptance: Accepted,
  key: KeyClaim | null,
  deadline: number,
): Promise<SendResult> {
  return inFlight(options, acceptance.accepted.message, () => attemptUntilFinal(options, acceptance, key, deadline));
}

/** What is done with a dispatched message. After an error of ours the message is in doubt, not lost. */
export async function inFlight<T>(
  { store, inDoubtAfterMs, watch }: SendOptions,
  message: Message,
  attempt: () => Promise<T>,
): Promise<T> {
  watch.begin(message.id);
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (!(error instanceof StorageUnavailable)) {
      const job = { kind: "expire_message", subject: message.id, queueKey: message.workspaceId } as const;
      await store.write((tx) => enqueue(tx, { ...job, dueAt: tx.now + inDoubtAfterMs }));
    }
    throw new InDoubtError(message.id, error);
  } finally {
    watch.end(message.id);
    watch.notify(message.id);
  }
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the attempts of one message in their order, as docs/architecture.md tells them.
async function attemptUntilFinal(
  options: SendOptions,
  { accepted, keyId, uploads, take }: Accepted,
  key: KeyClaim | null,
  deadline: number,
): Promise<SendResult> {
  const { clock, pace, recorder, networks } = options;
  const { message, plan } = accepted;
  const { sender } = plan;
  let outbound = outboundOf(options, message, plan, uploads);
  const storeResult = (tx: Tx, result: SendResult): SendResult => {
    if (key !== null && keyId !== null) storeAnswer(tx, keyId, key.render(result));
    return result;
  };
  const storeCurrent = (tx: Tx): SendResult => storeResult(tx, resultOf(tx, message.id));
  // If this is written late, the request is already answered: an unsent message is discarded, and its key is free.
  const discardUnsent = (tx: Tx): void => {
    requeue(tx, message.id);
    if (discard(tx, message.id) && keyId !== null) releaseKey(tx, keyId);
  };
  const record = <T>(write: (tx: Tx) => NotPromise<T>, later?: (tx: Tx) => unknown): Promise<T> =>
    recorder.record(sender.id, message.id, write, later);

  for (let attempt = 0; ; attempt++) {
    const outcome = await networks[sender.network].send(outbound, options.timeoutMs);
    if (outcome.kind !== "throttled" && outcome.kind !== "unreachable" && !isWrongPath(outcome)) {
      return record((tx) => {
        const scope = outcome.kind === "refused" ? outcome.scope : null;
        return storeResult(tx, resultFrom(tx, writeOutcome(tx, message, plan, outcome), scope));
      });
    }
    const isRequeued = await record((tx) => {
      if (!requeue(tx, message.id)) return false;
      if (isWrongPath(outcome)) changePath(tx, message, outcome);
      return true;
    }, discardUnsent);
    if (!isRequeued) return record(storeCurrent);
    if (isWrongPath(outcome)) outbound = { ...outbound, path: "general" };
    if (outcome.kind === "throttled" && outcome.scope === "number") pace.slowDown(sender.id);

    // Ignore `Retry-After: 0`: the network has just throttled us.
    const hintMs = outcome.kind === "throttled" ? (outcome.retryAfterMs ?? 0) : 0;
    const backoffMs = FIRST_BACKOFF_MS * (hintMs > 0 ? 1 : 2 ** attempt);
    const waitMs = isWrongPath(outcome) ? 0 : Math.max(hintMs, backoffMs);
    const isInBudget = clock.monotonic() + waitMs <= deadline;
    if (isInBudget) await sleep(clock, waitMs);
    const grant = isInBudget ? await pace.acquire(sender.id, sender.throughput, deadline) : null;
    if (grant?.isGranted !== true) {
      const refusal = await record((tx) =>
        failExhausted(tx, message.id, keyId, outcome, grant?.waitMs ?? waitMs, storeResult),
      );
      return throwUnlessFinal(refusal);
    }
    const retried = await record((tx) => redispatchNow(tx, message.id, keyId, take, storeResult), discardUnsent);
    if (retried !== "dispatched") {
      pace.release(sender.id);
      return throwUnlessFinal(retried);
    }
  }
}

/** The request to the network. */
export function outboundOf(
  { box }: SendOptions,
  { sendToken }: Message,
  { sender, phone, networkUserId, content, about, path, category, template }: SendPlan,
  uploads: ReadonlyMap<number, string>,
): OutboundMessage {
  const to = { to: phone, recipientNetworkUserId: networkUserId };
  const direct = category === null || template !== null ? {} : ({ category: "utility" } as const);
  return { sender: senderOf(box, sender), ...to, sendToken, content, uploads, about, path, ...direct };
}

/** The network accepted a free message into a thread that another sender had: it is ours now. */
function noteTaken(tx: Tx, { takes, sender }: SendPlan, { contactId }: Message): void {
  if (takes !== "nothing" && contactId !== null) reportAction(tx, sender, contactId, { owner: "us", role: null });
}

/** The network's id of a file may have become invalid: the next message uploads it again. */
function forgetNetworkUploads(tx: Tx, { content, sender }: SendPlan): void {
  for (const uploadId of uploadsOf(content)) removeNetworkUpload(tx).run({ uploadId, numberId: sender.id });
}

/** Throws a result that is not final, as if the message had not been stored. */
function throwUnlessFinal(result: SendResult): SendResult {
  if (result instanceof Problem && !isFinal(result)) throw result;
  return result;
}

type StoreResult = (tx: Tx, result: SendResult) => SendResult;

type FinalOutcome = Exclude<Outcome, { kind: "throttled" | "unreachable" }>;

/** `dispatched`: the message as it was stored before its first attempt. */
export function writeOutcome(tx: Tx, dispatched: Message, plan: SendPlan, outcome: FinalOutcome): Message {
  const { id } = dispatched;
  if (outcome.kind === "refused" && outcome.scope === "message") forgetNetworkUploads(tx, plan);
  if (outcome.kind === "accepted") noteTaken(tx, plan, dispatched);
  noteDirectAnswer(tx, plan, outcome);
  const message = outcome.kind === "accepted" ? dispatched : requireMessage(tx, id);
  if (countNetworkAnswer(tx, message, outcome)) pauseForNetwork(tx, message.numberId);
  if (outcome.kind === "refused") stopForSingle(tx, message, outcome);
  if (outcome.kind === "accepted") return recordAnswered(tx, dispatched, outcome);
  if (outcome.kind === "unknown") return recordFailure(tx, id, unknownOutcome(outcome));
  return recordFailure(tx, id, { code: outcome.code, message: outcome.message, outcomeUnknown: false });
}

/** In words what came instead of a readable answer. */
function unknownOutcome({ reason }: Extract<Outcome, { kind: "unknown" }>): Failure {
  const message = `The network gave no answer that could be read (${clauseOf(reason)}). The message may have arrived, so check before you send it again; if the network reports it, an event follows.`;
  return { code: "timeout", message, outcomeUnknown: true };
}

/** The retry budget is used up, and the network did not accept the message. A status that says otherwise wins. */
function failExhausted(
  tx: Tx,
  messageId: number,
  keyId: number | null,
  outcome: Extract<Outcome, { kind: "throttled" | "unreachable" }> | WrongPath,
  waitMs: number,
  storeResult: StoreResult,
): SendResult {
  if (outcome.kind === "unreachable") {
    recordFailure(tx, messageId, unreachable);
    return storeResult(tx, resultOf(tx, messageId));
  }
  if (!discard(tx, messageId)) return storeResult(tx, resultOf(tx, messageId));
  if (keyId !== null) releaseKey(tx, keyId);
  return busyProblem(waitMs);
}

/** Reads eligibility again. If it is lost, the message is discarded, because none of it was sent. */
function redispatchNow(
  tx: Tx,
  messageId: number,
  keyId: number | null,
  take: boolean | null,
  storeResult: StoreResult,
): "dispatched" | SendResult {
  try {
    if (tx.savepoint(() => redispatch(tx, messageId, take))) return "dispatched";
    return storeResult(tx, resultOf(tx, messageId));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    discard(tx, messageId);
    // The network was asked before, and provably did not accept the message.
    const refused = new Problem(error.code, error.message, { ...error.details, outcome: "not_sent" });
    if (isFinal(refused)) return storeResult(tx, keyId === null ? refused : toKeptProblem(refused));
    if (keyId !== null) releaseKey(tx, keyId);
    return refused;
  }
}

/** The current message, or the reason of its failure. */
export function resultOf(tx: Tx, messageId: number): SendResult {
  return resultFrom(tx, requireMessage(tx, messageId));
}

function resultFrom(tx: Tx, message: Message, scope: FailureScope | null = null): SendResult {
  if (message.status === "failed") return problemOf(message, scope);
  return { message, workspace: getWorkspace(tx, message.workspaceId) };
}

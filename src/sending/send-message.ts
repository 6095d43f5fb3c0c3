/**
 * One message to its network and back: accepted on disk, handed over, its outcome on disk, then told. The API and later
 * broadcasts share it. What may be tried again is only what the network provably did not take.
 */

import type { MessageWatch } from "#src/core/change-watch.ts";
import { type Clock, sleep } from "#src/core/clock.ts";
import { Problem } from "#src/core/problem.ts";
import type { SecretBox } from "#src/core/secret.ts";
import { StorageUnavailable } from "#src/db/failure.ts";
import type { Operations } from "#src/db/store.ts";
import type { Settled, Tx } from "#src/db/transaction.ts";
import { bindKey, freeKey, isSettling, keepAnswer } from "#src/domain/idempotency/keys.ts";
import { type AcceptedMessage, acceptMessage } from "#src/domain/messages/accept.ts";
import type { MessageOrigin } from "#src/domain/messages/message.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import { planSend, type SendInput } from "#src/domain/messages/plan.ts";
import { findForWork } from "#src/domain/messages/read.ts";
import {
  handOverAgain,
  recordAccepted,
  recordFailure,
  takeBack,
  withdraw,
} from "#src/domain/messages/record-outcome.ts";
import type { Message } from "#src/domain/messages/table.ts";
import { resolveSender } from "#src/domain/numbers/choose.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { senderOf } from "#src/networks/credentials.ts";
import type { Handover, Networks } from "#src/networks/network.ts";
import type { OutcomeRecorder } from "./outcome-recorder.ts";
import type { Pace } from "./pace.ts";
import { problemOf, unreachable } from "./refusal.ts";

export interface HandOverOptions {
  store: Operations;
  clock: Clock;
  networks: Networks;
  pace: Pace;
  watch: MessageWatch;
  recorder: OutcomeRecorder;
  box: SecretBox;
  instanceId: string;
  /** A new attempt may start until so long after the first. */
  retryBudgetMs: number;
  /** How long one attempt may last. */
  timeoutMs: number;
  /** How long a message that a fault of ours left open waits for its echo. */
  inDoubtAfterMs: number;
}

export interface SendRequest {
  workspaceId: number;
  origin: MessageOrigin;
  input: SendInput;
}

/** What became of the request, for the caller and for the answer that is kept under its key. */
export type SendResult = { message: Message; workspace: Workspace } | Problem;

/**
 * The caller's idempotency key, claimed in the same transaction that stores the message. `claim` returns null when
 * somebody else's claim turned out to stand: then nothing is sent.
 */
export interface KeyClaim {
  claim: (tx: Tx) => number | null;
  render: (result: SendResult) => { status: number; body: string };
}

export type Sent = { result: SendResult } | "claimed_meanwhile";

/** Waits between attempts where the network gives no hint. */
const FIRST_BACKOFF_MS = 500;

/** Sends one message. Throws the `Problem` that settles nothing; every settled result is returned. */
export async function sendMessage(options: HandOverOptions, request: SendRequest, key: KeyClaim | null): Promise<Sent> {
  const { store, clock, pace } = options;
  const deadline = clock.monotonic() + options.retryBudgetMs;
  const paced = await waitForTurn(options, request, deadline);
  let begun: Begun;
  try {
    begun = await store.write((tx) => begin(tx, options, request, key));
  } catch (error) {
    if (paced !== null) pace.giveBack(paced);
    throw error;
  }
  if (begun === "claimed_meanwhile" || "refused" in begun) {
    if (paced !== null) pace.giveBack(paced);
    return begun === "claimed_meanwhile" ? begun : { result: begun.refused };
  }
  return { result: await carryThrough(options, begun, key, deadline) };
}

/**
 * Takes a token of the sending number. Where none is there it first looks, without writing, whether the message would
 * be refused anyway: then there is nothing to wait for. Returns whose token was taken, null for none.
 */
async function waitForTurn(options: HandOverOptions, request: SendRequest, deadline: number): Promise<number | null> {
  const { store, pace, recorder } = options;
  const sender = store.read((reading) => {
    const workspace = getWorkspace(reading, request.workspaceId);
    const resolved = resolveSender(reading, workspace, request.input.from);
    return "sender" in resolved ? resolved.sender : null;
  });
  if (sender === null) return null;
  recorder.requireUnblocked(sender.id);
  if (pace.tryTake(sender.id, sender.throughput)) return sender.id;
  try {
    store.read((reading) => planSend(reading, request.workspaceId, request.input));
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
  const turn = await pace.take(sender.id, sender.throughput, deadline);
  if (!turn.isYours) throw tooBusy(turn.waitMs);
  if (recorder.isBlocked(sender.id)) {
    pace.giveBack(sender.id);
    recorder.requireUnblocked(sender.id);
  }
  return sender.id;
}

type Begun = "claimed_meanwhile" | { refused: Problem } | { accepted: AcceptedMessage; keyId: number | null };

/** One transaction: key, contact, message and hold; or the kept refusal. */
function begin(tx: Tx, options: HandOverOptions, request: SendRequest, key: KeyClaim | null): Begun {
  const keyId = key === null ? null : key.claim(tx);
  if (key !== null && keyId === null) return "claimed_meanwhile";
  try {
    const accepted = tx.savepoint(() =>
      acceptMessage(tx, request.workspaceId, request.origin, request.input, options.instanceId),
    );
    if (keyId !== null) bindKey(tx, keyId, accepted.message.id);
    return { accepted, keyId };
  } catch (error) {
    // A refusal that settles nothing takes the claim of the key back with it.
    if (!(error instanceof Problem) || !isSettling(error)) throw error;
    if (key !== null && keyId !== null) keepAnswer(tx, keyId, key.render(error));
    return { refused: error };
  }
}

/** Hands over until the outcome is settled. A fault of ours on the way leaves the message in doubt, never lost. */
async function carryThrough(
  options: HandOverOptions,
  begun: Extract<Begun, { accepted: AcceptedMessage }>,
  key: KeyClaim | null,
  deadline: number,
): Promise<SendResult> {
  const { store, inDoubtAfterMs, watch } = options;
  const { message } = begun.accepted;
  watch.underWay += 1;
  try {
    return await attemptUntilSettled(options, begun, key, deadline);
  } catch (error) {
    if (!(error instanceof Problem) && !(error instanceof StorageUnavailable)) {
      const work = { kind: "settle_message", subject: message.id, lane: message.workspaceId } as const;
      await store.write((tx) => enqueue(tx, { ...work, dueAt: tx.now + inDoubtAfterMs }));
    }
    throw error;
  } finally {
    watch.underWay -= 1;
    watch.changed(message.id);
  }
}

async function attemptUntilSettled(
  options: HandOverOptions,
  { accepted, keyId }: Extract<Begun, { accepted: AcceptedMessage }>,
  key: KeyClaim | null,
  deadline: number,
): Promise<SendResult> {
  const { clock, pace, recorder, networks } = options;
  const { message, plan } = accepted;
  const { sender } = plan;
  const handover: Handover = {
    sender: senderOf(options.box, sender),
    to: message.toPhone,
    recipientUserId: plan.contact?.networkUserId ?? null,
    reference: message.reference,
    content: plan.content,
  };
  const settle = (tx: Tx, result: SendResult): SendResult => {
    if (key !== null && keyId !== null) keepAnswer(tx, keyId, key.render(result));
    return result;
  };
  const settleAsIs = (tx: Tx): SendResult => settle(tx, resultOf(tx, message.id));
  // Nobody waits any more when this is written: what the network did not take is forgotten, and the key is free.
  const abandon = (tx: Tx): void => {
    takeBack(tx, message.id);
    if (withdraw(tx, message.id) && keyId !== null) freeKey(tx, keyId);
  };
  const record = <T>(write: (tx: Tx) => Settled<T>, later?: (tx: Tx) => unknown): Promise<T> =>
    recorder.record(sender.id, message.id, write, later);

  for (let attempt = 0; ; attempt++) {
    const outcome = await networks[sender.network].send(handover, options.timeoutMs);
    if (outcome.kind !== "throttled" && outcome.kind !== "unreachable") {
      return record((tx) => {
        return settle(tx, resultFrom(tx, writeOutcome(tx, message.id, outcome)));
      });
    }
    if (!(await record((tx) => takeBack(tx, message.id), abandon))) return record(settleAsIs);
    if (outcome.kind === "throttled" && outcome.scope === "number") pace.slowDown(sender.id);

    // A hint of no wait at all is not believed: the network has just said that it is too much.
    const hintMs = outcome.kind === "throttled" ? (outcome.retryAfterMs ?? 0) : 0;
    const waitMs = Math.max(hintMs, FIRST_BACKOFF_MS * (hintMs > 0 ? 1 : 2 ** attempt));
    const isInBudget = clock.monotonic() + waitMs <= deadline;
    if (isInBudget) await sleep(clock, waitMs);
    const turn = isInBudget ? await pace.take(sender.id, sender.throughput, deadline) : null;
    if (turn?.isYours !== true) {
      const told = await record((tx) => giveUp(tx, message.id, keyId, outcome, turn?.waitMs ?? waitMs, settle));
      return throwUnsettled(told);
    }
    const again = await record((tx) => tryAgain(tx, message.id, keyId, settle), abandon);
    if (again !== "handed_over") {
      pace.giveBack(sender.id);
      return throwUnsettled(again);
    }
  }
}

/** What settles nothing is thrown, as it would have been before the message was stored. */
function throwUnsettled(result: SendResult): SendResult {
  if (result instanceof Problem && !isSettling(result)) throw result;
  return result;
}

type Settle = (tx: Tx, result: SendResult) => SendResult;

function writeOutcome(
  tx: Tx,
  messageId: number,
  outcome: Exclude<Outcome, { kind: "throttled" | "unreachable" }>,
): Message {
  if (outcome.kind === "accepted") return recordAccepted(tx, messageId, outcome);
  if (outcome.kind === "unknown") return recordFailure(tx, messageId, noAnswer);
  return recordFailure(tx, messageId, { code: outcome.code, message: outcome.message, outcomeUnknown: false });
}

const noAnswer = {
  code: "timeout",
  message:
    "The network did not answer. The message may have arrived, so do not simply repeat it; if the network reports it, an event follows.",
  outcomeUnknown: true,
};

/** The budget is used up, and the network took nothing. A status that says otherwise wins. */
function giveUp(
  tx: Tx,
  messageId: number,
  keyId: number | null,
  outcome: Extract<Outcome, { kind: "throttled" | "unreachable" }>,
  waitMs: number,
  settle: Settle,
): SendResult {
  if (outcome.kind === "unreachable") {
    recordFailure(tx, messageId, unreachable);
    return settle(tx, resultOf(tx, messageId));
  }
  if (!withdraw(tx, messageId)) return settle(tx, resultOf(tx, messageId));
  if (keyId !== null) freeKey(tx, keyId);
  return tooBusy(waitMs);
}

/** Permission as it is now. Where it is gone the message goes too, for nothing of it ever left. */
function tryAgain(tx: Tx, messageId: number, keyId: number | null, settle: Settle): "handed_over" | SendResult {
  try {
    if (tx.savepoint(() => handOverAgain(tx, messageId))) return "handed_over";
    return settle(tx, resultOf(tx, messageId));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    withdraw(tx, messageId);
    if (isSettling(error)) return settle(tx, error);
    if (keyId !== null) freeKey(tx, keyId);
    return error;
  }
}

/** The message as it stands now, or why it failed. */
export function resultOf(tx: Tx, messageId: number): SendResult {
  const message = findForWork(tx, messageId);
  if (message === undefined) throw new Error(`message ${messageId} is gone`);
  return resultFrom(tx, message);
}

function resultFrom(tx: Tx, message: Message): SendResult {
  if (message.status === "failed") return problemOf(message);
  return { message, workspace: getWorkspace(tx, message.workspaceId) };
}

function tooBusy(waitMs: number): Problem {
  return new Problem("rate_limited", "The number or the network is busy. Nothing was sent; try again later.", {
    retryAfterMs: waitMs,
  });
}

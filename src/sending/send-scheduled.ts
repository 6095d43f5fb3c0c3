/**
 * Sends scheduled messages when they are due: one job each, in the queue of its number. The commit that evaluates a message
 * anew also sets it to `sending`; the request leaves right after. A message that the network provably did not accept is
 * scheduled again, and its number waits for a while.
 */
import type { Log } from "#src/core/log.ts";
import { InDoubtError, Problem } from "#src/core/problem.ts";
import { SecretUnreadable } from "#src/core/secret.ts";
import { StorageUnavailable } from "#src/db/failure.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { type LatenessRules, quietUntil } from "#src/domain/broadcasts/lateness.ts";
import { findReferenced } from "#src/domain/inbound/referenced.ts";
import {
  type ClaimedScheduled,
  claimScheduled,
  evaluateScheduled,
  nextTry,
  refusedBy,
  type ScheduleRules,
} from "#src/domain/messages/claim-scheduled.ts";
import { uploadsOf } from "#src/domain/messages/content.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import { cancelSome, failScheduled, putBack } from "#src/domain/messages/scheduled.ts";
import { changePath, isWrongPath, type WrongPath } from "#src/domain/messages/send-path.ts";
import { downReason, findNetworkHealth, PROBE_EVERY_MS } from "#src/domain/numbers/network-health.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { numberOfQueue } from "#src/jobs/enqueue.ts";
import { finish, postpone } from "#src/jobs/outbox.ts";
import type { OutboxRow } from "#src/jobs/table.ts";
import { Worker } from "#src/jobs/worker.ts";
import type { OutboundMessage } from "#src/networks/network.ts";
import { takeThreadFirst } from "./control-thread.ts";
import { InFlightLimit } from "./in-flight-limit.ts";
import { tokenUnreadable } from "./refusal.ts";
import { inFlight, outboundOf, type SendOptions, writeOutcome } from "./send-message.ts";
import { SendWindow } from "./send-window.ts";

interface ScheduledOptions extends SendOptions {
  log: Log;
  lateness: LatenessRules;
  /** While it returns false, nothing is sent. Notify the worker when the clock becomes right. */
  isClockRight: () => boolean;
}

export function createScheduledWorker(options: ScheduledOptions): Worker {
  const sender = new ScheduledSender(options);
  const { store, clock, log, isClockRight } = options;
  return new Worker({
    store,
    clock,
    kind: "send_message",
    concurrency: (tx, queueKey) => (isClockRight() ? sender.slots(tx, numberOfQueue(queueKey)) : 0),
    pausedMs: (tx, queueKey) => sender.pausedMs(tx, numberOfQueue(queueKey)),
    perform: (row) => sender.perform(row),
    onError: (error, row) =>
      log.error("message.schedule_failed", "Scheduled message could not be sent", { message: row?.subject, error }),
  });
}

const CANCELLING = 4;

/** Cancels the further messages of a person who has written: see `cancelOnReply`. */
export function createCancelWorker({ store, clock, log }: Pick<ScheduledOptions, "store" | "clock" | "log">): Worker {
  return new Worker({
    store,
    clock,
    kind: "cancel_replied",
    concurrency: () => CANCELLING,
    perform: (row) =>
      store.write((tx) => {
        if (cancelSome(tx, row.subject)) finish(tx, row.id);
        else postpone(tx, row.id, tx.now);
      }),
    onError: (error, row) =>
      log.error("message.cancel_failed", "Messages could not be cancelled after a reply", {
        contact: row?.subject,
        error,
      }),
  });
}

type Unaccepted = Extract<Outcome, { kind: "throttled" | "unreachable" }>;

const FIRST_BACKOFF_MS = 500;
const BACKOFF_MAX_MS = 30_000;

/** What the server has in memory of a number that sends scheduled messages. */
interface NumberState {
  limit: InFlightLimit;
  window: SendWindow;
  /** Monotonic time before which nothing begins. */
  pausedUntil: number;
  /** The number waits because its network is down. */
  isDown: boolean;
  /** Grows with each attempt that the network did not accept; 0: it accepted the last one. */
  backoffMs: number;
  /** Ends when the message that waits for the number's pace has got its token. */
  turn: Promise<unknown>;
}

class ScheduledSender {
  readonly #options: ScheduledOptions;
  readonly #rules: ScheduleRules;
  readonly #numbers = new Map<number, NumberState>();

  constructor(options: ScheduledOptions) {
    const { lateness } = options;
    this.#options = options;
    this.#rules = {
      lateAfterMs: lateness.lateAfterMs,
      endOfQuiet: (now, workspace) => quietUntil(lateness, now, workspace),
      find: findReferenced,
    };
  }

  /** How many messages of the number may be evaluated or in flight. */
  slots(tx: ReadTx, numberId: number): number {
    const { limit, window, backoffMs } = this.#stateOf(numberId);
    const max = limit.max(findNumber(tx, numberId)?.throughput ?? 1);
    return window.inFlight + window.freeSlots(max, backoffMs > 0);
  }

  pausedMs(tx: ReadTx, numberId: number): number {
    const state = this.#stateOf(numberId);
    if (state.isDown && downReason(findNetworkHealth(tx, numberId)) === null) {
      state.isDown = false;
      state.pausedUntil = 0;
    }
    const until = Math.max(state.pausedUntil, state.window.opensAt());
    return Math.max(0, Math.ceil(until - this.#options.clock.monotonic()));
  }

  #stateOf(numberId: number): NumberState {
    const known = this.#numbers.get(numberId);
    if (known !== undefined) return known;
    const { clock, store } = this.#options;
    const made: NumberState = {
      limit: new InFlightLimit(),
      window: new SendWindow(clock, () => store.read((tx) => findNetworkHealth(tx, numberId))),
      pausedUntil: 0,
      isDown: false,
      backoffMs: 0,
      turn: Promise.resolve(),
    };
    this.#numbers.set(numberId, made);
    return made;
  }

  async perform(row: OutboxRow): Promise<void> {
    const { store, pace } = this.#options;
    const numberId = numberOfQueue(row.queueKey);
    const evaluated = store.read((tx) => evaluateScheduled(tx, row.subject, this.#rules));
    if (evaluated?.kind !== "due") {
      await this.#settle(row, false);
      return;
    }
    const { sender } = evaluated.plan;
    if (!this.#maySend(numberId)) return;
    for (const uploadId of uploadsOf(evaluated.plan.content)) {
      if (!(await this.#provideFile(row, sender, uploadId))) return;
    }
    await takeThreadFirst(this.#options, evaluated.plan);
    if (!(await this.#takeToken(sender))) return;
    let claim: ClaimedScheduled | null = null;
    try {
      // The number may have got into trouble while the message waited.
      if (this.#maySend(numberId)) claim = await this.#settle(row, true);
    } finally {
      if (claim === null) pace.release(numberId);
    }
    if (claim !== null) await this.#send(claim);
  }

  /** False: what a caller would be told with 503. The number waits. */
  #maySend(numberId: number): boolean {
    const { store, recorder, clock } = this.#options;
    const state = this.#stateOf(numberId);
    const isBlocked = recorder.isBlocked(numberId);
    state.isDown = store.read((tx) => downReason(findNetworkHealth(tx, numberId))) !== null;
    if (!isBlocked && !state.isDown) return true;
    state.pausedUntil = clock.monotonic() + (isBlocked ? FIRST_BACKOFF_MS : PROBE_EVERY_MS);
    return false;
  }

  /** Evaluates the message in a write, and acts on it. Null: it is not sent now. */
  #settle(row: OutboxRow, mayDispatch: boolean): Promise<ClaimedScheduled | null> {
    return this.#options.store.writeRepeatable((tx) => {
      const settled = claimScheduled(tx, row.subject, this.#rules, { mayDispatch });
      if (settled.kind === "later") postpone(tx, row.id, settled.at);
      else finish(tx, row.id);
      return settled.kind === "claimed" ? settled : null;
    });
  }

  /** False: the network does not have the file, and the message waits or has failed. */
  async #provideFile(row: OutboxRow, sender: SendingNumber, uploadId: number): Promise<boolean> {
    try {
      await this.#options.provideFile(sender, uploadId);
      return true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await this.#options.store.write((tx) => {
        const evaluated = evaluateScheduled(tx, row.subject, this.#rules);
        if (evaluated?.kind !== "due") return;
        const refused = refusedBy(error, tx.now, evaluated.scheduled, this.#rules);
        if (refused.kind === "later") postpone(tx, row.id, refused.at);
        else failScheduled(tx, evaluated.message, refused.failure);
      });
      return false;
    }
  }

  /**
   * One message at a time waits for the pace, so that a caller's message waits for one of these at most. False: the number
   * is too busy.
   */
  async #takeToken({ id, throughput }: SendingNumber): Promise<boolean> {
    const { pace, clock, retryBudgetMs } = this.#options;
    const state = this.#stateOf(id);
    const granting = state.turn.then(() => pace.acquire(id, throughput, clock.monotonic() + retryBudgetMs));
    state.turn = granting;
    const grant = await granting;
    if (!grant.isGranted) state.pausedUntil = clock.monotonic() + grant.waitMs;
    return grant.isGranted;
  }

  async #send(claim: ClaimedScheduled): Promise<void> {
    const { message, plan } = claim;
    const { recorder } = this.#options;
    try {
      await inFlight(this.#options, message, async () => {
        const outcome = await this.#ask(claim);
        if (outcome.kind === "throttled" || outcome.kind === "unreachable") return this.#putBack(claim, outcome);
        if (isWrongPath(outcome)) return this.#changePath(claim, outcome);
        this.#stateOf(plan.sender.id).backoffMs = 0;
        await recorder.record(plan.sender.id, message.id, (tx) => writeOutcome(tx, message, plan, outcome));
      });
    } catch (error) {
      // The recorder writes the outcome once the storage takes it.
      if (error instanceof InDoubtError && error.cause instanceof StorageUnavailable) return;
      throw error;
    }
  }

  async #ask({ message, plan, uploads }: ClaimedScheduled): Promise<Outcome> {
    const { networks, timeoutMs } = this.#options;
    const { window, limit } = this.#stateOf(plan.sender.id);
    let outbound: OutboundMessage;
    try {
      outbound = outboundOf(this.#options, message, plan, uploads);
    } catch (error) {
      if (error instanceof SecretUnreadable) return tokenUnreadable;
      throw error;
    }
    window.open(message.id);
    const outcome = await networks[plan.sender.network].send(outbound, timeoutMs);
    const latencyMs = window.close(message.id);
    if (outcome.kind === "accepted") limit.noteAccepted(latencyMs);
    return outcome;
  }

  /** The endpoint for marketing did not accept the message: it is due at once, for the general one. */
  async #changePath({ message, plan }: ClaimedScheduled, outcome: WrongPath): Promise<void> {
    await this.#options.recorder.record(plan.sender.id, message.id, (tx) => {
      changePath(tx, message, outcome);
      putBack(tx, message.id, tx.now);
    });
  }

  /** The network provably did not accept the message. */
  async #putBack({ message, scheduled, plan }: ClaimedScheduled, outcome: Unaccepted): Promise<void> {
    const { clock, pace, recorder } = this.#options;
    const { sender } = plan;
    const state = this.#stateOf(sender.id);
    const hintMs = outcome.kind === "throttled" ? (outcome.retryAfterMs ?? 0) : 0;
    let waitMs = hintMs;
    if (outcome.kind === "unreachable" || outcome.scope === "number") {
      state.backoffMs = Math.min(BACKOFF_MAX_MS, Math.max(FIRST_BACKOFF_MS, state.backoffMs * 2));
      waitMs = Math.max(hintMs, state.backoffMs);
      state.pausedUntil = Math.max(state.pausedUntil, clock.monotonic() + waitMs);
      if (outcome.kind === "throttled") pace.slowDown(sender.id);
    }
    await recorder.record(sender.id, message.id, (tx) =>
      putBack(tx, message.id, nextTry(tx.now, scheduled, this.#rules, waitMs)),
    );
  }
}

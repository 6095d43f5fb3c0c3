/**
 * Sends the recipients of the broadcasts of one number: takes as many as the pace and the free slots allow, hands them
 * over at once, and writes what the network answered together with the next take. Nobody is `sending` who is not on the
 * way. Broadcasts of one number take turns.
 */

import type { Clock, Timer } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { SecretBox } from "#src/core/secret.ts";
import { isStorageFailure, StorageUnavailable } from "#src/db/failure.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { type ClaimedRecipient, type ClaimResult, claimRecipients } from "#src/domain/broadcasts/claim.ts";
import { pauseStalled, recordRecipientOutcome } from "#src/domain/broadcasts/record-outcome.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { senderOf } from "#src/networks/credentials.ts";
import type { Networks } from "#src/networks/network.ts";
import type { OutcomeRecorder } from "./outcome-recorder.ts";
import type { Pace } from "./pace.ts";

export interface NumberQueueOptions {
  store: Store;
  clock: Clock;
  networks: Networks;
  pace: Pace;
  recorder: OutcomeRecorder;
  box: SecretBox;
  log: Log;
  /** How long one attempt may last. */
  timeoutMs: number;
  /** How long an unknown outcome waits for its echo. */
  inDoubtAfterMs: number;
}

/** Requests of one number that may be under way at once; the runtime allows 256 in the whole process. */
const IN_FLIGHT_MAX = 200;
/** Most recipients and outcomes of one write: it bounds how long anybody else waits. */
const CLAIM_MAX = 64;
const OUTCOMES_MAX = 128;
/** On a fast number that the pace holds back, so long is gathered for one write: each sync of the disk stops everybody. */
const BATCH_WINDOW_MS = 10;
const FAST_PER_SECOND = 200;
const FIRST_BACKOFF_MS = 500;
const BACKOFF_MAX_MS = 30_000;
/** Nothing was accepted for so long: the broadcasts rest. */
const STALLED_MS = 15 * 60_000;
const AFTER_STORAGE_FAILURE_MS = 1_000;

interface BroadcastCursor {
  id: number;
  /** Where the next look begins. */
  after: number;
  /** Wall time; "never": not before something changes. */
  nextAt: number | "never";
  /** When that was found out, wall time: one that lies ahead is from before the clock was set back, and so is `nextAt`. */
  checkedAt: number;
}

interface UnrecordedOutcome {
  id: number;
  broadcastId: number;
  outcome: Outcome;
}

export class NumberQueue {
  readonly #numberId: number;
  readonly #options: NumberQueueOptions;
  #cursors: BroadcastCursor[] = [];
  #unrecorded: UnrecordedOutcome[] = [];
  #inFlight = 0;
  #isRunning = false;
  #isNotified = false;
  #isBusy = false;
  #isStopped = false;
  #endWait: (() => void) | null = null;
  #endBatchWindow: (() => void) | null = null;
  #timer: Timer | null = null;
  /** Monotonic milliseconds before which nothing is handed over: the network asked for it, or cannot be reached. */
  #backoffUntil = 0;
  #backoffMs = 0;
  /** Since when (monotonic) nothing has been accepted, although it was tried. */
  #stalled: { cause: "throttled" | "unreachable"; since: number } | null = null;

  constructor(numberId: number, options: NumberQueueOptions) {
    this.#numberId = numberId;
    this.#options = options;
  }

  /** The broadcasts that run on this number now; each is looked at anew. */
  offer(ids: readonly number[]): void {
    this.#cursors = ids.map((id) => {
      const known = this.#cursors.find((cursor) => cursor.id === id);
      return {
        id,
        after: known?.after ?? 0,
        nextAt: known === undefined || known.nextAt === "never" ? 0 : known.nextAt,
        checkedAt: known?.checkedAt ?? 0,
      };
    });
    this.#notify();
  }

  /** Takes nobody any more; who is on the way is waited for by `isActive`. */
  stop(): void {
    this.#isStopped = true;
    this.#endBatchWindow?.();
    this.#notify();
  }

  /** True while somebody is on the way, or an answer is not written. */
  get isActive(): boolean {
    return this.#isBusy || this.#inFlight > 0 || this.#unrecorded.length > 0;
  }

  get isIdle(): boolean {
    return !this.#isRunning && !this.isActive && this.#cursors.length === 0;
  }

  #notify(): void {
    this.#isNotified = true;
    this.#endWait?.();
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      // Whoever rouses it while it is about to stop is not overheard.
      do this.#isNotified = false;
      while ((await this.#tick()) || this.#isNotified);
    } finally {
      this.#isRunning = false;
    }
  }

  /** One write, or one rest. False: there is nothing left to do. */
  async #tick(): Promise<boolean> {
    const outcomes = this.#unrecorded.splice(0, OUTCOMES_MAX);
    const cursor = this.#nextCursor();
    const tokens = cursor === null ? 0 : this.#acquireTokens();
    const isPaced = cursor !== null && tokens < Math.min(this.#freeSlots(), CLAIM_MAX);
    if (outcomes.length === 0 && tokens === 0) return this.#wait(cursor !== null);
    this.#isBusy = true;
    try {
      const claim = await this.#write(outcomes, cursor, tokens);
      if (claim === null) return true;
      this.#options.pace.release(this.#numberId, tokens - claim.recipients.length);
      if (cursor !== null && tokens > 0) this.#advance(cursor, claim);
      for (const recipient of claim.recipients) void this.#send(claim, recipient, cursor?.id ?? 0);
      if (isPaced) await this.#waitForBatch();
      return true;
    } finally {
      this.#isBusy = false;
    }
  }

  async #waitForBatch(): Promise<void> {
    if (this.#isStopped || (this.#findNumber()?.throughput ?? 0) < FAST_PER_SECOND) return;
    await new Promise<void>((resolve) => {
      const timer = this.#options.clock.setTimer(BATCH_WINDOW_MS, resolve);
      this.#endBatchWindow = () => {
        timer.cancel();
        resolve();
      };
    });
    this.#endBatchWindow = null;
  }

  /** Null: it could not be written; the answers are kept, and tried again a little later. */
  async #write(
    outcomes: UnrecordedOutcome[],
    cursor: BroadcastCursor | null,
    tokens: number,
  ): Promise<ClaimResult | null> {
    const { store, recorder, pace, clock } = this.#options;
    const ids = outcomes.map(({ id }) => id);
    try {
      const claim = await store.write((tx) => {
        for (const one of outcomes) this.#record(tx, one);
        if (cursor === null || tokens === 0)
          return { recipients: [], sender: null, after: 0, nextAt: "never" } as ClaimResult;
        return claimRecipients(tx, cursor.id, cursor.after, tokens);
      });
      recorder.unblock(this.#numberId, ids);
      return claim;
    } catch (error) {
      pace.release(this.#numberId, tokens);
      if (!(error instanceof StorageUnavailable)) this.#options.log.error("a broadcast could not go on", { error });
      this.#unrecorded.unshift(...outcomes);
      recorder.block(this.#numberId, ids);
      // At the end of a process nobody could write them any more: they are in doubt then.
      if (this.#isStopped) this.#unrecorded = [];
      await new Promise<void>((resolve) => clock.setTimer(AFTER_STORAGE_FAILURE_MS, resolve));
      return null;
    }
  }

  #record(tx: Tx, { id, outcome }: UnrecordedOutcome): void {
    try {
      tx.savepoint(() => recordRecipientOutcome(tx, id, outcome, this.#options.inDoubtAfterMs));
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      // It stays `sending`, in doubt: the next start takes it up.
      this.#options.log.error("what became of a recipient could not be recorded", { message: id, error });
    }
  }

  /** The first whose turn has come; the broadcasts take turns. */
  #nextCursor(): BroadcastCursor | null {
    if (this.#isStopped) return null;
    const now = this.#options.clock.now();
    const index = this.#cursors.findIndex(
      ({ nextAt, checkedAt }) => nextAt !== "never" && (nextAt <= now || checkedAt > now),
    );
    const [cursor] = index === -1 ? [] : this.#cursors.splice(index, 1);
    if (cursor === undefined) return null;
    this.#cursors.push(cursor);
    return cursor;
  }

  #acquireTokens(): number {
    const { pace, recorder, clock } = this.#options;
    if (recorder.isBlocked(this.#numberId) || clock.monotonic() < this.#backoffUntil) return 0;
    const number = this.#findNumber();
    if (number === undefined) return 1;
    const freeSlots = this.#freeSlots();
    return freeSlots <= 0 ? 0 : pace.acquireUpTo(number.id, number.throughput, Math.min(freeSlots, CLAIM_MAX));
  }

  /** While the network cannot be reached, one at a time finds out whether it can again. */
  #freeSlots(): number {
    return (this.#stalled?.cause === "unreachable" ? 1 : IN_FLIGHT_MAX) - this.#inFlight;
  }

  #findNumber(): SendingNumber | undefined {
    return this.#options.store.read((tx) => findNumber(tx, this.#numberId));
  }

  #advance(cursor: BroadcastCursor, claim: ClaimResult): void {
    cursor.after = claim.after;
    cursor.nextAt = claim.nextAt ?? 0;
    cursor.checkedAt = this.#options.clock.now();
  }

  async #send({ sender }: ClaimResult, recipient: ClaimedRecipient, broadcastId: number): Promise<void> {
    const { networks, box, timeoutMs } = this.#options;
    if (sender === null) return;
    this.#inFlight += 1;
    const { id, to, recipientNetworkUserId, sendToken, content } = recipient;
    let outcome: Outcome;
    try {
      const outbound = { sender: senderOf(box, sender), to, recipientNetworkUserId, sendToken, content };
      outcome = await networks[sender.network].send(outbound, timeoutMs);
    } catch (error) {
      // Before the request: the token cannot be read. After it a network never rejects.
      this.#options.log.error("a recipient could not be handed over", { message: id, error });
      outcome = { kind: "refused", code: "190", message: tokenUnreadable, scope: "account" };
    }
    this.#inFlight -= 1;
    this.#observe(outcome);
    this.#unrecorded.push({ id, broadcastId, outcome });
    this.#notify();
  }

  /** What an answer says about the network, beside what it says about the recipient. */
  #observe(outcome: Outcome): void {
    const { pace, clock } = this.#options;
    if (outcome.kind === "accepted") {
      this.#stalled = null;
      this.#backoffMs = 0;
      return;
    }
    if (outcome.kind !== "throttled" && outcome.kind !== "unreachable") return;
    // Whoever is taken back waits at the beginning.
    for (const cursor of this.#cursors) if (cursor.nextAt === "never") cursor.nextAt = 0;
    if (outcome.kind === "throttled" && outcome.scope === "pair") return;
    const now = clock.monotonic();
    if (outcome.kind === "throttled") {
      pace.slowDown(this.#numberId);
      this.#backoffUntil = Math.max(this.#backoffUntil, now + (outcome.retryAfterMs ?? 0));
    } else if (now >= this.#backoffUntil) {
      this.#backoffMs = Math.min(BACKOFF_MAX_MS, Math.max(FIRST_BACKOFF_MS, this.#backoffMs * 2));
      this.#backoffUntil = now + this.#backoffMs;
    }
    this.#stalled = { cause: outcome.kind, since: this.#stalled?.since ?? now };
    if (now - this.#stalled.since < STALLED_MS) return;
    this.#pauseAll(outcome.kind, outcome.kind === "unreachable" ? outcome.reason : outcome.message);
  }

  #pauseAll(cause: "throttled" | "unreachable", networkMessage: string): void {
    const ids = this.#cursors.map(({ id }) => id);
    this.#stalled = null;
    this.#backoffMs = 0;
    void this.#options.store
      .write((tx) => {
        for (const id of ids) pauseStalled(tx, id, cause, networkMessage);
      })
      .catch((error: unknown) => this.#options.log.error("a stalled broadcast could not be paused", { error }));
  }

  /** Waits for an answer, a token, somebody's time, or a change. False: nothing to wait for. */
  async #wait(hasCursor: boolean): Promise<boolean> {
    const { clock, pace } = this.#options;
    if (this.#unrecorded.length > 0) return true;
    if (this.#isStopped) return false;
    const waits: number[] = [];
    if (hasCursor) {
      const throughput = this.#findNumber()?.throughput ?? 1;
      const backoffMs = this.#backoffUntil - clock.monotonic();
      if (this.#options.recorder.isBlocked(this.#numberId)) waits.push(AFTER_STORAGE_FAILURE_MS);
      else if (backoffMs > 0) waits.push(backoffMs);
      else if (this.#freeSlots() > 0) waits.push(pace.msUntilNext(this.#numberId, throughput));
    } else {
      const now = clock.now();
      for (const { nextAt } of this.#cursors) if (nextAt !== "never") waits.push(Math.max(1, nextAt - now));
    }
    if (waits.length === 0 && this.#inFlight === 0) return false;
    await new Promise<void>((resolve) => {
      this.#endWait = resolve;
      if (waits.length > 0) this.#timer = clock.setTimer(Math.min(...waits), resolve);
    });
    this.#endWait = null;
    this.#timer?.cancel();
    this.#timer = null;
    return true;
  }
}

const tokenUnreadable = "The number's access token cannot be read with this server's key. Store a new token.";

/**
 * Sends to the recipients of one number's broadcasts. Each run claims as many recipients as the pace and the free slots
 * allow, and records the outcomes that arrived since the last run in the same write. Claimed messages are dispatched at
 * once, so every message in `sending` is in flight. The broadcasts of a number take turns.
 *
 * The states of a queue:
 *
 *     open ──────► gathering ──────► open             a fast, paced number collects outcomes for the next write
 *     open ──────► storage_failed ─► open             a write failed; the outcomes stay in memory
 *     any state ─► draining                           claims nothing more and records the outcomes still to come
 */

import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { SecretBox } from "#src/core/secret.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import { StorageUnavailable } from "#src/db/failure.ts";
import type { Store } from "#src/db/store.ts";
import { type ClaimedRecipient, type ClaimResult, claimRecipients } from "#src/domain/broadcasts/claim.ts";
import { pauseStalled } from "#src/domain/broadcasts/record-outcome.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import { findNetworkHealth } from "#src/domain/numbers/network-health.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { senderOf } from "#src/networks/credentials.ts";
import type { Networks } from "#src/networks/network.ts";
import { BroadcastFiles, type BroadcastFilesOptions } from "./broadcast-files.ts";
import { InFlightLimit } from "./in-flight-limit.ts";
import type { OutcomeRecorder } from "./outcome-recorder.ts";
import type { Pace } from "./pace.ts";
import { recordOutcomes, type UnrecordedOutcome } from "./record-outcomes.ts";
import { tokenUnreadable } from "./refusal.ts";
import { SendWindow } from "./send-window.ts";

export interface NumberQueueOptions extends BroadcastFilesOptions {
  store: Store;
  clock: Clock;
  networks: Networks;
  pace: Pace;
  recorder: OutcomeRecorder;
  box: SecretBox;
  log: Log;
  /** Time limit of one attempt. */
  timeoutMs: number;
  /** How long a message with an unknown outcome waits for a status. */
  inDoubtAfterMs: number;
}

/** Maximum number of recipients and outcomes in one write: it bounds how long other writes wait. */
const CLAIM_MAX = 64;
const OUTCOMES_MAX = 128;
/** A fast number that the pace limits gathers outcomes this long for one write: each sync of the disk delays all writes. */
const BATCH_WINDOW_MS = 10;
const FAST_PER_SECOND = 200;
const FIRST_BACKOFF_MS = 500;
const BACKOFF_MAX_MS = 30_000;
/** Pause broadcasts after this long without an accepted message. */
const STALLED_MS = 15 * 60_000;
const AFTER_STORAGE_FAILURE_MS = 1_000;

const NOTHING_CLAIMED: ClaimResult = { recipients: [], sender: null, after: 0, nextAt: "never" };

interface BroadcastCursor {
  id: number;
  /** The recipient after which the next claim begins. */
  after: number;
  /** Wall time of the next claim; "never": only after a change. */
  nextAt: number | "never";
  /** Wall time at which `nextAt` was read. If it is in the future, the clock was set back since, and `nextAt` is obsolete. */
  checkedAt: number;
}

/** `until` is monotonic: nothing is written before it. */
type QueueState =
  | { kind: "open" }
  | { kind: "gathering"; until: number }
  | { kind: "storage_failed"; until: number }
  | { kind: "draining"; until: number };

export class NumberQueue extends ServiceLoop {
  readonly #numberId: number;
  readonly #options: NumberQueueOptions;
  #cursors: BroadcastCursor[] = [];
  #unrecorded: UnrecordedOutcome[] = [];
  readonly #files: BroadcastFiles;
  readonly #window: SendWindow;
  readonly #limit = new InFlightLimit();
  #state: QueueState = { kind: "open" };
  /** Monotonic time before which nothing is claimed: the network asked us to wait, or is unreachable. */
  #backoffUntil = 0;
  #backoffMs = 0;
  /** `since` (monotonic): the first failed attempt after the last accepted message. */
  #stalled: { cause: "throttled" | "unreachable"; since: number } | null = null;

  constructor(numberId: number, options: NumberQueueOptions) {
    const { clock, log } = options;
    super({
      name: `number_queue_${numberId}`,
      clock,
      retryAfterMs: AFTER_STORAGE_FAILURE_MS,
      onError: (error) => log.error("queue.failed", "Queue of a number could not continue", { error }),
    });
    this.#numberId = numberId;
    this.#options = options;
    this.#files = new BroadcastFiles(options);
    this.#window = new SendWindow(clock, () => options.store.read((tx) => findNetworkHealth(tx, numberId)));
  }

  /** Replaces the list of running broadcasts; each of them is due for a claim. */
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
    this.notify();
  }

  /** Claims nothing more. Unlike after `stop`, runs continue: `isActive` is true until the last outcome is recorded. */
  drain(): void {
    this.#state = { kind: "draining", until: this.#state.kind === "storage_failed" ? this.#state.until : 0 };
    this.notify();
  }

  /** True while a message is in flight, or an outcome is not recorded. */
  override get isActive(): boolean {
    const { kind } = this.#state;
    if (super.isActive || kind === "gathering" || kind === "storage_failed") return true;
    return this.#window.inFlight > 0 || this.#unrecorded.length > 0 || this.#files.isWorking;
  }

  get isIdle(): boolean {
    return !this.isActive && this.#cursors.length === 0;
  }

  /** One write, if there is anything to record or to claim. */
  async runOnce(): Promise<NextRun> {
    // Outcomes that arrive in the same turn share a write.
    await Promise.resolve();
    const pausedMs = this.#endPause();
    if (pausedMs > 0) return pausedMs;
    const cursor = this.#nextCursor();
    const tokens = cursor === null ? 0 : this.#acquireTokens();
    const isPaced = cursor !== null && tokens < Math.min(this.#freeSlots(), CLAIM_MAX);
    const outcomes = this.#unrecorded.splice(0, OUTCOMES_MAX);
    if (outcomes.length === 0 && tokens === 0) return this.#delayUntilNext(cursor !== null);
    const claim = await this.#write(outcomes, cursor, tokens);
    if (claim === null) return "at_once";
    this.#options.pace.release(this.#numberId, tokens - claim.recipients.length);
    if (cursor !== null && tokens > 0) this.#advance(cursor, claim);
    const { sender, missingUploads = [] } = claim;
    if (cursor !== null && sender !== null && missingUploads.length > 0) {
      void this.#provideFiles(cursor, sender, missingUploads);
    }
    for (const recipient of claim.recipients) void this.#send(claim, recipient, cursor?.id ?? 0);
    if (isPaced && (this.#findNumber()?.throughput ?? 0) >= FAST_PER_SECOND) this.#pause("gathering", BATCH_WINDOW_MS);
    return "at_once";
  }

  /** Delays the next write. A queue that drains keeps draining. */
  #pause(kind: "gathering" | "storage_failed", delayMs: number): void {
    if (this.#state.kind !== "draining") this.#state = { kind, until: this.#options.clock.monotonic() + delayMs };
  }

  /** Milliseconds until the pause is over; 0: it is over, and a queue that does not drain is open again. */
  #endPause(): number {
    if (this.#state.kind === "open") return 0;
    const leftMs = this.#state.until - this.#options.clock.monotonic();
    if (leftMs > 0) return leftMs;
    if (this.#state.kind !== "draining") this.#state = { kind: "open" };
    return 0;
  }

  get #isDraining(): boolean {
    return this.#state.kind === "draining";
  }

  /** Null: the write failed; the outcomes are kept and written a little later. */
  async #write(
    outcomes: UnrecordedOutcome[],
    cursor: BroadcastCursor | null,
    tokens: number,
  ): Promise<ClaimResult | null> {
    const { recorder, pace } = this.#options;
    const ids = outcomes.map(({ id }) => id);
    try {
      const claim = await recordOutcomes(this.#options, outcomes, (tx) =>
        cursor === null || tokens === 0 ? NOTHING_CLAIMED : claimRecipients(tx, cursor.id, cursor.after, tokens),
      );
      recorder.unblock(this.#numberId, ids);
      return claim;
    } catch (error) {
      pace.release(this.#numberId, tokens);
      if (!(error instanceof StorageUnavailable))
        this.#options.log.error("queue.failed", "Queue of a number could not continue", { error });
      this.#unrecorded.unshift(...outcomes);
      recorder.block(this.#numberId, ids);
      // The process is about to end: drop the outcomes, which leaves the messages in doubt.
      if (this.#isDraining) this.#unrecorded = [];
      this.#pause("storage_failed", AFTER_STORAGE_FAILURE_MS);
      return null;
    }
  }

  /** The first broadcast that is due; it moves to the end of the list, so that broadcasts take turns. */
  #nextCursor(): BroadcastCursor | null {
    if (this.#isDraining) return null;
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
    if (recorder.isBlocked(this.#numberId) || clock.monotonic() < this.#waitsUntil()) return 0;
    const number = this.#findNumber();
    if (number === undefined) return 1;
    const freeSlots = this.#freeSlots();
    return freeSlots <= 0 ? 0 : pace.acquireUpTo(number.id, number.throughput, Math.min(freeSlots, CLAIM_MAX));
  }

  /** While the network is unreachable, a single message at a time tries it. */
  #freeSlots(): number {
    const max = this.#limit.max(this.#findNumber()?.throughput ?? 1);
    return this.#window.freeSlots(max, this.#stalled?.cause === "unreachable");
  }

  /** Monotonic time before which nothing is claimed. */
  #waitsUntil(): number {
    return Math.max(this.#backoffUntil, this.#window.opensAt());
  }

  #findNumber(): SendingNumber | undefined {
    return this.#options.store.read((tx) => findNumber(tx, this.#numberId));
  }

  #advance(cursor: BroadcastCursor, claim: ClaimResult): void {
    cursor.after = claim.after;
    cursor.nextAt = claim.nextAt ?? 0;
    cursor.checkedAt = this.#options.clock.now();
  }

  /** The broadcast is due again once the network has its files. */
  async #provideFiles({ id }: BroadcastCursor, sender: SendingNumber, uploadIds: readonly number[]): Promise<void> {
    const nextAt = await this.#files.provide(id, sender, uploadIds);
    const cursor = this.#cursors.find((one) => one.id === id);
    if (cursor?.nextAt === "never") Object.assign(cursor, { nextAt, checkedAt: this.#options.clock.now() });
    this.notify();
  }

  async #send({ sender }: ClaimResult, recipient: ClaimedRecipient, broadcastId: number): Promise<void> {
    const { networks, box, timeoutMs } = this.#options;
    if (sender === null) return;
    this.#window.open(recipient.id);
    const { id, sendToken, ...message } = recipient;
    let outcome: Outcome;
    try {
      const outbound = { sender: senderOf(box, sender), sendToken, ...message, isBulk: true };
      outcome = await networks[sender.network].send(outbound, timeoutMs);
    } catch (error) {
      // Thrown before the request, because the access token cannot be read. A network's `send` never rejects.
      this.#options.log.error("message.dispatch_failed", "Message could not be dispatched", { message: id, error });
      outcome = tokenUnreadable;
    }
    const latencyMs = this.#window.close(id);
    if (outcome.kind === "accepted") this.#limit.noteAccepted(latencyMs);
    this.#observe(outcome);
    this.#unrecorded.push({ id, broadcastId, outcome });
    this.notify();
  }

  /** What an outcome says about the network, as opposed to the recipient. */
  #observe(outcome: Outcome): void {
    const { pace, clock } = this.#options;
    if (outcome.kind === "accepted") {
      this.#stalled = null;
      this.#backoffMs = 0;
      return;
    }
    const now = clock.monotonic();
    if (outcome.kind === "unknown" || outcome.kind === "refused") {
      if (outcome.retryAfterMs != null) this.#backoffUntil = Math.max(this.#backoffUntil, now + outcome.retryAfterMs);
      // The message may be requeued.
      if (outcome.kind === "refused") this.#makeDue();
      return;
    }
    // The message will be requeued, so its broadcast has a recipient to claim again.
    this.#makeDue();
    if (outcome.kind === "throttled" && outcome.scope === "pair") return;
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

  #makeDue(): void {
    for (const cursor of this.#cursors) if (cursor.nextAt === "never") cursor.nextAt = 0;
  }

  #pauseAll(cause: "throttled" | "unreachable", networkMessage: string): void {
    const ids = this.#cursors.map(({ id }) => id);
    this.#stalled = null;
    this.#backoffMs = 0;
    void this.#options.store
      .write((tx) => {
        for (const id of ids) pauseStalled(tx, id, cause, networkMessage);
      })
      .catch((error: unknown) =>
        this.#options.log.error("broadcast.pause_failed", "Stalled broadcast could not be paused", { error }),
      );
  }

  /** Until the next token, the end of a backoff, or the next due broadcast. An outcome or a change notifies the queue. */
  #delayUntilNext(hasCursor: boolean): NextRun {
    if (this.#isDraining) return null;
    if (hasCursor) return this.#delayUntilNextToken();
    const now = this.#options.clock.now();
    const waits = this.#cursors.flatMap(({ nextAt }) => (nextAt === "never" ? [] : [Math.max(1, nextAt - now)]));
    return waits.length === 0 ? null : Math.min(...waits);
  }

  #delayUntilNextToken(): NextRun {
    const { clock, pace, recorder } = this.#options;
    if (recorder.isBlocked(this.#numberId)) return AFTER_STORAGE_FAILURE_MS;
    const backoffMs = this.#waitsUntil() - clock.monotonic();
    if (backoffMs > 0) return backoffMs;
    if (this.#freeSlots() <= 0) return null;
    return pace.msUntilNext(this.#numberId, this.#findNumber()?.throughput ?? 1);
  }
}

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
import { type Taken, type TakenRecipient, takeRecipients } from "#src/domain/broadcasts/claim.ts";
import { pauseStalled, recordRecipient } from "#src/domain/broadcasts/record-outcome.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { senderOf } from "#src/networks/credentials.ts";
import type { Networks } from "#src/networks/network.ts";
import type { OutcomeRecorder } from "./outcome-recorder.ts";
import type { Pace } from "./pace.ts";

export interface LaneOptions {
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
const TAKE_MAX = 64;
const OUTCOMES_MAX = 128;
/** On a fast number that the pace holds back, so long is gathered for one write: each sync of the disk stops everybody. */
const GATHER_MS = 10;
const FAST_PER_SECOND = 200;
const FIRST_BACKOFF_MS = 500;
const BACKOFF_MAX_MS = 30_000;
/** Nothing was accepted for so long: the broadcasts rest. */
const STALLED_MS = 15 * 60_000;
const AFTER_STORAGE_FAILURE_MS = 1_000;

interface Queue {
  id: number;
  /** Where the next look begins. */
  after: number;
  /** Wall time; "never": not before something changes. */
  nextAt: number | "never";
  /** When that was found out, wall time: one that lies ahead is from before the clock was set back, and so is `nextAt`. */
  askedAt: number;
}

interface Answered {
  id: number;
  broadcastId: number;
  outcome: Outcome;
}

export class NumberLane {
  readonly #numberId: number;
  readonly #options: LaneOptions;
  #queues: Queue[] = [];
  #answered: Answered[] = [];
  #inFlight = 0;
  #isDriving = false;
  #isRoused = false;
  #isBusy = false;
  #isStopped = false;
  #wake: (() => void) | null = null;
  #endGathering: (() => void) | null = null;
  #timer: Timer | null = null;
  /** Monotonic milliseconds before which nothing is handed over: the network asked for it, or cannot be reached. */
  #holdUntil = 0;
  #backoffMs = 0;
  /** Since when (monotonic) nothing has been accepted, although it was tried. */
  #stalled: { cause: "throttled" | "unreachable"; since: number } | null = null;

  constructor(numberId: number, options: LaneOptions) {
    this.#numberId = numberId;
    this.#options = options;
  }

  /** The broadcasts that run on this number now; each is looked at anew. */
  offer(ids: readonly number[]): void {
    this.#queues = ids.map((id) => {
      const known = this.#queues.find((queue) => queue.id === id);
      return {
        id,
        after: known?.after ?? 0,
        nextAt: known === undefined || known.nextAt === "never" ? 0 : known.nextAt,
        askedAt: known?.askedAt ?? 0,
      };
    });
    this.#rouse();
  }

  /** Takes nobody any more; who is on the way is waited for by `isActive`. */
  stop(): void {
    this.#isStopped = true;
    this.#endGathering?.();
    this.#rouse();
  }

  /** True while somebody is on the way, or an answer is not written. */
  get isActive(): boolean {
    return this.#isBusy || this.#inFlight > 0 || this.#answered.length > 0;
  }

  get isIdle(): boolean {
    return !this.#isDriving && !this.isActive && this.#queues.length === 0;
  }

  #rouse(): void {
    this.#isRoused = true;
    this.#wake?.();
    if (!this.#isDriving) void this.#drive();
  }

  async #drive(): Promise<void> {
    this.#isDriving = true;
    try {
      // Whoever rouses it while it is about to stop is not overheard.
      do this.#isRoused = false;
      while ((await this.#step()) || this.#isRoused);
    } finally {
      this.#isDriving = false;
    }
  }

  /** One write, or one rest. False: there is nothing left to do. */
  async #step(): Promise<boolean> {
    const answered = this.#answered.splice(0, OUTCOMES_MAX);
    const queue = this.#nextQueue();
    const tokens = queue === null ? 0 : this.#takeTokens();
    const isPaced = queue !== null && tokens < Math.min(this.#room(), TAKE_MAX);
    if (answered.length === 0 && tokens === 0) return this.#rest(queue !== null);
    this.#isBusy = true;
    try {
      const taken = await this.#write(answered, queue, tokens);
      if (taken === null) return true;
      this.#options.pace.giveBack(this.#numberId, tokens - taken.recipients.length);
      if (queue !== null && tokens > 0) this.#advance(queue, taken);
      for (const recipient of taken.recipients) void this.#send(taken, recipient, queue?.id ?? 0);
      if (isPaced) await this.#gather();
      return true;
    } finally {
      this.#isBusy = false;
    }
  }

  async #gather(): Promise<void> {
    if (this.#isStopped || (this.#number()?.throughput ?? 0) < FAST_PER_SECOND) return;
    await new Promise<void>((resolve) => {
      const timer = this.#options.clock.setTimer(GATHER_MS, resolve);
      this.#endGathering = () => {
        timer.cancel();
        resolve();
      };
    });
    this.#endGathering = null;
  }

  /** Null: it could not be written; the answers are kept, and tried again a little later. */
  async #write(answered: Answered[], queue: Queue | null, tokens: number): Promise<Taken | null> {
    const { store, recorder, pace, clock } = this.#options;
    const ids = answered.map(({ id }) => id);
    try {
      const taken = await store.write((tx) => {
        for (const one of answered) this.#record(tx, one);
        if (queue === null || tokens === 0) return { recipients: [], sender: null, after: 0, nextAt: "never" } as Taken;
        return takeRecipients(tx, queue.id, queue.after, tokens);
      });
      recorder.unblock(this.#numberId, ids);
      return taken;
    } catch (error) {
      pace.giveBack(this.#numberId, tokens);
      if (!(error instanceof StorageUnavailable)) this.#options.log.error("a broadcast could not go on", { error });
      this.#answered.unshift(...answered);
      recorder.block(this.#numberId, ids);
      // At the end of a process nobody could write them any more: they are in doubt then.
      if (this.#isStopped) this.#answered = [];
      await new Promise<void>((resolve) => clock.setTimer(AFTER_STORAGE_FAILURE_MS, resolve));
      return null;
    }
  }

  #record(tx: Tx, { id, outcome }: Answered): void {
    try {
      tx.savepoint(() => recordRecipient(tx, id, outcome, this.#options.inDoubtAfterMs));
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      // It stays `sending`, in doubt: the next start takes it up.
      this.#options.log.error("what became of a recipient could not be recorded", { message: id, error });
    }
  }

  /** The first whose turn has come; the broadcasts take turns. */
  #nextQueue(): Queue | null {
    if (this.#isStopped) return null;
    const now = this.#options.clock.now();
    const index = this.#queues.findIndex(
      ({ nextAt, askedAt }) => nextAt !== "never" && (nextAt <= now || askedAt > now),
    );
    const [queue] = index === -1 ? [] : this.#queues.splice(index, 1);
    if (queue === undefined) return null;
    this.#queues.push(queue);
    return queue;
  }

  #takeTokens(): number {
    const { pace, recorder, clock } = this.#options;
    if (recorder.isBlocked(this.#numberId) || clock.monotonic() < this.#holdUntil) return 0;
    const number = this.#number();
    if (number === undefined) return 1;
    const room = this.#room();
    return room <= 0 ? 0 : pace.takeMany(number.id, number.throughput, Math.min(room, TAKE_MAX));
  }

  /** While the network cannot be reached, one at a time finds out whether it can again. */
  #room(): number {
    return (this.#stalled?.cause === "unreachable" ? 1 : IN_FLIGHT_MAX) - this.#inFlight;
  }

  #number(): SendingNumber | undefined {
    return this.#options.store.read((reading) => findNumber(reading, this.#numberId));
  }

  #advance(queue: Queue, taken: Taken): void {
    queue.after = taken.after;
    queue.nextAt = taken.nextAt ?? 0;
    queue.askedAt = this.#options.clock.now();
  }

  async #send({ sender }: Taken, recipient: TakenRecipient, broadcastId: number): Promise<void> {
    const { networks, box, timeoutMs } = this.#options;
    if (sender === null) return;
    this.#inFlight += 1;
    const { id, to, recipientUserId, reference, content } = recipient;
    let outcome: Outcome;
    try {
      const handover = { sender: senderOf(box, sender), to, recipientUserId, reference, content };
      outcome = await networks[sender.network].send(handover, timeoutMs);
    } catch (error) {
      // Before the request: the token cannot be read. After it a network never rejects.
      this.#options.log.error("a recipient could not be handed over", { message: id, error });
      outcome = { kind: "refused", code: "190", message: unreadable, scope: "account" };
    }
    this.#inFlight -= 1;
    this.#learn(outcome);
    this.#answered.push({ id, broadcastId, outcome });
    this.#rouse();
  }

  /** What an answer says about the network, beside what it says about the recipient. */
  #learn(outcome: Outcome): void {
    const { pace, clock } = this.#options;
    if (outcome.kind === "accepted") {
      this.#stalled = null;
      this.#backoffMs = 0;
      return;
    }
    if (outcome.kind !== "throttled" && outcome.kind !== "unreachable") return;
    // Whoever is taken back waits at the beginning.
    for (const queue of this.#queues) if (queue.nextAt === "never") queue.nextAt = 0;
    if (outcome.kind === "throttled" && outcome.scope === "pair") return;
    const now = clock.monotonic();
    if (outcome.kind === "throttled") {
      pace.slowDown(this.#numberId);
      this.#holdUntil = Math.max(this.#holdUntil, now + (outcome.retryAfterMs ?? 0));
    } else if (now >= this.#holdUntil) {
      this.#backoffMs = Math.min(BACKOFF_MAX_MS, Math.max(FIRST_BACKOFF_MS, this.#backoffMs * 2));
      this.#holdUntil = now + this.#backoffMs;
    }
    this.#stalled = { cause: outcome.kind, since: this.#stalled?.since ?? now };
    if (now - this.#stalled.since < STALLED_MS) return;
    this.#pauseAll(outcome.kind, outcome.kind === "unreachable" ? outcome.reason : outcome.message);
  }

  #pauseAll(cause: "throttled" | "unreachable", words: string): void {
    const ids = this.#queues.map(({ id }) => id);
    this.#stalled = null;
    this.#backoffMs = 0;
    void this.#options.store
      .write((tx) => {
        for (const id of ids) pauseStalled(tx, id, cause, words);
      })
      .catch((error: unknown) => this.#options.log.error("a stalled broadcast could not be paused", { error }));
  }

  /** Waits for an answer, a token, somebody's time, or a change. False: nothing to wait for. */
  async #rest(hasQueue: boolean): Promise<boolean> {
    const { clock, pace } = this.#options;
    if (this.#answered.length > 0) return true;
    if (this.#isStopped) return false;
    const waits: number[] = [];
    if (hasQueue) {
      const throughput = this.#number()?.throughput ?? 1;
      const holdMs = this.#holdUntil - clock.monotonic();
      if (this.#options.recorder.isBlocked(this.#numberId)) waits.push(AFTER_STORAGE_FAILURE_MS);
      else if (holdMs > 0) waits.push(holdMs);
      else if (this.#room() > 0) waits.push(pace.untilNext(this.#numberId, throughput));
    } else {
      const now = clock.now();
      for (const { nextAt } of this.#queues) if (nextAt !== "never") waits.push(Math.max(1, nextAt - now));
    }
    if (waits.length === 0 && this.#inFlight === 0) return false;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (waits.length > 0) this.#timer = clock.setTimer(Math.min(...waits), resolve);
    });
    this.#wake = null;
    this.#timer?.cancel();
    this.#timer = null;
    return true;
  }
}

const unreadable = "The number's access token cannot be read with this server's key. Store a new token.";

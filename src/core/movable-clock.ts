/**
 * The clock of a server under test control: it runs with the real clock until it is frozen or moved. A move fires the
 * timers that come due on the way, in the order of their time, and waits after each until its consequences have come to
 * rest. The clock never goes back, except by `reset`.
 */
import { type Clock, nextTurn, sleep, type Timer, type TimerOptions } from "./clock.ts";

/** What the server is doing, so that the clock knows when it is at rest. */
export interface Activity {
  /** Work in flight that ends without this clock: a commit, a webhook on its socket, a query on another thread. */
  isWorking(): boolean;
  /** A caller's request is in progress: between two steps, or waiting for this clock. */
  isRequested(): boolean;
  /** Changes whenever anything has happened. */
  progress(): number;
}

interface Pending {
  at: number;
  order: number;
  fire: () => void;
  isUpkeep: boolean;
}

/** Turns of the event loop without any change after which the server counts as at rest. */
const QUIET_TURNS = 4;
/** The same while a request is in progress, which may be on its way through a socket. */
const QUIET_WHILE_REQUESTED_MS = 15;
/** From this turn without a change on, waiting for work in flight sleeps instead of spinning. */
const SPINNING_TURNS = 50;
const SLEEP_MS = 1;
const SETTLE_MAX_MS = 1_000;
/** The monotonic clock counts in fractions, of which sums lose a little. */
const ROUNDING_MS = 0.001;
/** How far a frozen clock moves for a request that waits for it: longer than any request waits. */
const REQUEST_WAIT_MAX_MS = 60_000;

export class MovableClock implements Clock {
  readonly isSteady = true;
  /** Set by the server's owner, once what it reads exists. */
  activity: Activity = { isWorking: () => false, isRequested: () => false, progress: () => 0 };
  readonly #real: Clock;
  /** The time at the start and after a reset; null: the real one. */
  readonly #startsAt: number | null;
  /** Sorted by time, then by order. */
  readonly #timers: Pending[] = [];
  #order = 0;
  /** What this clock is ahead of the real one while it runs. */
  #wallOffset = 0;
  #monotonicOffset = 0;
  /** Where the clock stands; null while it runs. */
  #standing: { wall: number; monotonic: number } | null = null;
  #isFrozen = false;
  #alarm: Timer | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #isServingRequests = false;

  /** A clock with a time of its own stands still at first, so that what the start writes is the same in every run. */
  constructor(real: Clock, startsAt: number | null = null) {
    this.#real = real;
    this.#startsAt = startsAt;
    if (startsAt === null) return;
    this.#isFrozen = true;
    this.#standing = { wall: startsAt, monotonic: real.monotonic() };
  }

  now(): number {
    const wall = this.#standing?.wall ?? this.#real.now() + this.#wallOffset;
    return Math.floor(wall + ROUNDING_MS);
  }

  monotonic(): number {
    return this.#standing?.monotonic ?? this.#real.monotonic() + this.#monotonicOffset;
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  setTimer(delayMs: number, fire: () => void, { isUpkeep = false }: TimerOptions = {}): Timer {
    const timer = { at: this.monotonic() + Math.max(0, delayMs), order: this.#order++, fire, isUpkeep };
    this.#timers.splice(this.#placeOf(timer), 0, timer);
    this.#arm();
    return {
      cancel: () => {
        const place = this.#placeOf(timer);
        if (this.#timers[place] !== timer) return;
        this.#timers.splice(place, 1);
        this.#arm();
      },
    };
  }

  /** From now on, time passes only by moves. */
  freeze(): Promise<void> {
    return this.exclusively(async () => {
      this.#isFrozen = true;
      this.#stand();
      await this.#rest();
    });
  }

  unfreeze(): Promise<void> {
    return this.exclusively(async () => {
      this.#isFrozen = false;
      this.#run();
    });
  }

  /** Moves the wall clock to `wall`, or leaves it where it is if that has passed, and returns when all is at rest. */
  moveTo(wall: number): Promise<void> {
    return this.exclusively(async () => {
      const standing = this.#stand();
      const until = standing.monotonic + Math.max(0, wall - standing.wall);
      await this.#fireUntil(until, () => true);
      this.#setTo(until);
      if (!this.#isFrozen) this.#run();
    });
  }

  /**
   * Call when a request begins. A frozen clock then moves as far as requests wait for it (for their number's turn, for a
   * retry), because their callers would wait for ever.
   */
  serveRequests(): void {
    if (!this.#isFrozen || this.#isServingRequests) return;
    this.#isServingRequests = true;
    void this.exclusively(async () => {
      await this.serveWaiting();
      this.#isServingRequests = false;
      if (!this.#isFrozen) this.#run();
    });
  }

  /** Moves a frozen clock as far as the requests in progress wait for it. Call it inside `exclusively`. */
  async serveWaiting(): Promise<void> {
    if (!this.#isFrozen || !this.activity.isRequested()) return;
    const { monotonic } = this.#stand();
    await this.#fireUntil(monotonic + REQUEST_WAIT_MAX_MS, () => this.activity.isRequested());
  }

  /** Fires timers, however far off, until `isDone` or until no timer is left. Call it inside `exclusively`. */
  async drain(isDone: () => boolean): Promise<void> {
    this.#stand();
    await this.#fireUntil(Number.POSITIVE_INFINITY, () => !isDone());
  }

  /**
   * Drops every timer and goes to `at`, or (null) back to the time of the start; frozen, it stands at exactly this time.
   * Call it inside `exclusively`.
   */
  reset(at: number | null, isFrozen: boolean): void {
    this.#timers.length = 0;
    this.#wallOffset = this.#offsetOf(at ?? this.#startsAt);
    this.#isFrozen = isFrozen;
    const { monotonic } = this.#stand();
    this.#standing = isFrozen ? { wall: at ?? this.#startsAt ?? this.#real.now(), monotonic } : null;
    this.#monotonicOffset = monotonic - this.#real.monotonic();
    this.#arm();
  }

  /** Waits until all that is ready now is done; on a busy server whose clock runs, for a moment at most. */
  settle(): Promise<void> {
    return this.exclusively(() =>
      this.#rest(this.#isFrozen ? Number.POSITIVE_INFINITY : this.#real.monotonic() + SETTLE_MAX_MS),
    );
  }

  /** Runs after the moves that were asked for before, and keeps later ones waiting. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  #offsetOf(at: number | null): number {
    return at === null ? 0 : at - this.#real.now();
  }

  /**
   * Fires what is due until `until`, one timer after the other, while `isWanted` when all is at rest. Upkeep runs when it
   * is due for the first time; once nothing else is due on the way, it repeats only at the end, so that an empty year
   * costs no more than an empty day.
   */
  async #fireUntil(until: number, isWanted: () => boolean): Promise<void> {
    const first = this.#order;
    for (;;) {
      await this.#rest();
      const next = this.#timers[0];
      if (next === undefined || next.at > until || !isWanted()) return;
      const isRepeated = next.isUpkeep && next.order >= first && Number.isFinite(until);
      const upkeep = isRepeated ? this.#takeUpkeep(until) : null;
      this.#setTo(upkeep === null ? next.at : until);
      if (upkeep === null) this.#timers.shift();
      for (const { fire } of upkeep ?? [next]) fire();
    }
  }

  /** Takes the timers that are due until `until` if all of them are upkeep; else null. */
  #takeUpkeep(until: number): Pending[] | null {
    const count = this.#timers.findIndex(({ at, isUpkeep }) => at > until || !isUpkeep);
    const last = count === -1 ? undefined : this.#timers[count];
    if (last !== undefined && last.at <= until) return null;
    return this.#timers.splice(0, count === -1 ? this.#timers.length : count);
  }

  /** Waits, in real time, until nothing moves without a timer. */
  async #rest(deadline = Number.POSITIVE_INFINITY): Promise<void> {
    let seen = this.#state();
    let since = this.#real.monotonic();
    let [quietTurns, idleTurns] = [0, 0];
    while (this.#real.monotonic() <= deadline) {
      await nextTurn();
      const now = this.#state();
      const isWorking = this.activity.isWorking();
      idleTurns = now === seen ? idleTurns + 1 : 0;
      quietTurns = now === seen && !isWorking ? quietTurns + 1 : 0;
      if (quietTurns === 0) since = this.#real.monotonic();
      else if (quietTurns >= QUIET_TURNS && this.#isQuietSince(since)) return;
      seen = now;
      if (idleTurns > SPINNING_TURNS) await sleep(this.#real, SLEEP_MS);
    }
  }

  #isQuietSince(since: number): boolean {
    return !this.activity.isRequested() || this.#real.monotonic() - since >= QUIET_WHILE_REQUESTED_MS;
  }

  #state(): string {
    return `${this.#order} ${this.#timers.length} ${this.activity.progress()}`;
  }

  #stand(): { wall: number; monotonic: number } {
    this.#alarm?.cancel();
    this.#standing ??= { wall: this.now(), monotonic: this.monotonic() };
    return this.#standing;
  }

  #setTo(monotonic: number): void {
    const standing = this.#stand();
    if (monotonic <= standing.monotonic) return;
    this.#standing = { wall: standing.wall + monotonic - standing.monotonic, monotonic };
  }

  /** Continues from where the clock stands. */
  #run(): void {
    if (this.#standing === null) return;
    this.#wallOffset = this.#standing.wall - this.#real.now();
    this.#monotonicOffset = this.#standing.monotonic - this.#real.monotonic();
    this.#standing = null;
    this.#arm();
  }

  /** Sets one real timer for the first of ours. */
  #arm(): void {
    this.#alarm?.cancel();
    const [next] = this.#timers;
    if (next === undefined || this.#standing !== null) return;
    this.#alarm = this.#real.setTimer(next.at - this.monotonic(), () => this.#fireDue());
  }

  #fireDue(): void {
    for (;;) {
      const [next] = this.#timers;
      if (next === undefined || this.#standing !== null || next.at > this.monotonic()) break;
      this.#timers.shift();
      next.fire();
    }
    this.#arm();
  }

  /** Where this timer is in the list, or would be. */
  #placeOf({ at, order }: Pending): number {
    let [low, high] = [0, this.#timers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const timer = this.#timers[middle];
      if (timer !== undefined && (timer.at < at || (timer.at === at && timer.order < order))) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

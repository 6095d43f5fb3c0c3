/**
 * Decides the order of all events, replacing timers and the event loop: one queue of work deferred to a later turn, one
 * list of timers, and a seed that chooses between them. Nothing here waits, so an hour passes in a moment, and the same
 * seed repeats the same scenario. The work of a process ends with it.
 */
import { drainMicrotasks } from "bun:jsc";
import type { Clock, Timer } from "#src/core/clock.ts";
import type { SeededRandom } from "./random.ts";

/** A process that runs on the scheduler and can die. */
export interface Owner {
  isDead: boolean;
}

interface Due {
  at: number;
  order: number;
  run: () => void;
  /** Null: the world outside, which outlives every process. */
  owner: Owner | null;
}

interface PutOff {
  run: () => void;
  owner: Owner | null;
}

export class Scheduler {
  readonly #random: SeededRandom;
  #wall: number;
  #latest: number;
  readonly #start: number;
  #setBack = 0;
  #elapsed = 0;
  #order = 0;
  #due: Due[] = [];
  #putOff: PutOff[] = [];
  /** The process that runs now: work that it defers belongs to it. */
  owner: Owner | null = null;
  /** Called after every turn. */
  afterTurn: () => void = () => undefined;
  turns = 0;

  constructor(random: SeededRandom, start: number) {
    this.#random = random;
    this.#wall = start;
    this.#latest = start;
    this.#start = start;
  }

  now(): number {
    return Math.floor(this.#wall);
  }

  elapsed(): number {
    return this.#elapsed;
  }

  /** The latest time that the wall clock has shown. What a day has passed for, by this time, a server may have forgotten. */
  latest(): number {
    return Math.floor(this.#latest);
  }

  /** Sets the wall clock, as an operator or NTP does; pending timers are unaffected. */
  jump(ms: number): void {
    this.#wall += ms;
    this.#latest = Math.max(this.#latest, this.#wall);
    if (ms < 0) this.#setBack += ms;
  }

  get wasSetBack(): boolean {
    return this.#setBack < 0;
  }

  /** The wall clock as if it had never been set forward: durations by this clock are never too long. */
  steady(): number {
    return Math.floor(this.#start + this.#elapsed + this.#setBack);
  }

  /** The clock of one process; its timers end with it. */
  clockOf(owner: Owner): Clock {
    return {
      now: () => this.now(),
      monotonic: () => this.#elapsed,
      setTimer: (delayMs, run) => this.#add(delayMs, run, owner),
    };
  }

  /** Schedules work of the world outside. */
  later(delayMs: number, run: () => void): Timer {
    return this.#add(delayMs, run, null);
  }

  #add(delayMs: number, run: () => void, owner: Owner | null): Timer {
    const due: Due = { at: this.#elapsed + Math.max(0, delayMs), order: this.#order++, run, owner };
    if (owner?.isDead !== true) this.#due.push(due);
    return {
      cancel: () => {
        const index = this.#due.indexOf(due);
        if (index !== -1) this.#due.splice(index, 1);
      },
    };
  }

  /** Replaces `setImmediate` while `work` runs. */
  hold<T>(work: () => T): T {
    const original = globalThis.setImmediate;
    const putOff = (run: () => void): void => {
      if (this.owner !== null && !this.owner.isDead) this.#putOff.push({ run, owner: this.owner });
    };
    globalThis.setImmediate = putOff as unknown as typeof setImmediate;
    try {
      return work();
    } finally {
      globalThis.setImmediate = original;
    }
  }

  /** Runs in a later turn, even if processes have died by then. */
  putOff(run: () => void): void {
    this.#putOff.push({ run, owner: null });
  }

  /** Removes the timers and the deferred work of dead processes. */
  bury(): void {
    this.#putOff = this.#putOff.filter(({ owner }) => owner?.isDead !== true);
    this.#due = this.#due.filter(({ owner }) => owner?.isDead !== true);
  }

  /** Runs one piece of work, moving time forward if needed. False: nothing is due by `until`. */
  turn(until: number): boolean {
    const next = this.#next(until);
    if (next === null) return false;
    this.turns += 1;
    next();
    drainMicrotasks();
    this.afterTurn();
    return true;
  }

  /** Runs everything that is due in the next `ms`; false if the amount suggests an endless loop. */
  run(ms: number): boolean {
    const until = this.#elapsed + ms;
    // Moving five of the network's ids to their index takes 16 steps of several turns: a hundred messages, 1,300 turns.
    const limit = 20_000 + ms / 1_000;
    for (let i = 0; i < limit; i++) {
      if (!this.turn(until)) {
        this.#moveTo(until);
        return true;
      }
    }
    return false;
  }

  /** Deferred work keeps its order; a timer that is due now may run before it. */
  #next(until: number): (() => void) | null {
    const due = this.#earliest();
    const isDueNow = due !== null && due.at <= this.#elapsed;
    if (this.#putOff.length > 0 && !(isDueNow && this.#random.chance(0.3))) {
      const first = this.#putOff.shift();
      // Work takes time: later work sees another moment, and timers that come due meanwhile may run in between.
      if (this.#random.chance(0.25)) this.#moveTo(this.#elapsed + 0.4);
      return first?.run ?? null;
    }
    if (due === null || due.at > until) return null;
    this.#due.splice(this.#due.indexOf(due), 1);
    this.#moveTo(due.at);
    return due.run;
  }

  /** Of several overdue timers any may be first. */
  #earliest(): Due | null {
    let first: Due | null = null;
    for (const due of this.#due) {
      if (first === null || due.at < first.at || (due.at === first.at && due.order < first.order)) first = due;
    }
    if (first === null || first.at >= this.#elapsed) return first;
    const overdue = this.#due.filter(({ at }) => at < this.#elapsed);
    return overdue.length > 1 ? this.#random.pick(overdue) : first;
  }

  #moveTo(elapsed: number): void {
    if (elapsed <= this.#elapsed) return;
    this.#wall += elapsed - this.#elapsed;
    this.#latest = Math.max(this.#latest, this.#wall);
    this.#elapsed = elapsed;
  }
}

/**
 * Limits how many requests are in progress at once, for each pool and in total, and decides which waits. Single requests
 * go before bulk ones, and a part of each limit is reserved for them, so that they never wait for a broadcast. Pools
 * take turns where the total is the limit.
 */

interface QueueLimits {
  poolMax: number;
  totalMax: number;
  /** On top of both, for requests that are not bulk. */
  reserve: number;
}

interface Pool {
  active: number;
  single: Set<() => void>;
  bulk: Set<() => void>;
}

export class RequestQueue {
  readonly #limits: QueueLimits;
  readonly #pools = new Map<string, Pool>();
  /** Names of pools in which a request waits; a pool that was served moves to the end. */
  readonly #waiting = new Set<string>();
  #active = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /**
   * Calls `start` now or later; `leave` of the result ends the request, or its waiting. Each of them happens once.
   */
  enter(name: string, isBulk: boolean, start: () => void): { leave(): void } {
    const pool = this.#pools.get(name) ?? { active: 0, single: new Set(), bulk: new Set() };
    this.#pools.set(name, pool);
    const queue = isBulk ? pool.bulk : pool.single;
    let state: "waiting" | "started" | "ended" = "waiting";
    const begin = (): void => {
      state = "started";
      start();
    };
    if (this.#waiting.size === 0 && this.#hasRoom(pool, isBulk)) {
      pool.active += 1;
      this.#active += 1;
      begin();
    } else {
      queue.add(begin);
      this.#waiting.add(name);
      this.#startAll();
    }
    return {
      leave: () => {
        if (state === "ended") return;
        if (state === "waiting") queue.delete(begin);
        else {
          pool.active -= 1;
          this.#active -= 1;
        }
        state = "ended";
        this.#startAll();
        if (pool.active + pool.single.size + pool.bulk.size > 0) return;
        this.#waiting.delete(name);
        this.#pools.delete(name);
      },
    };
  }

  #startAll(): void {
    for (let next = this.#takeNext(); next !== null; next = this.#takeNext()) next();
  }

  /** The next request that may start, counted as active. */
  #takeNext(): (() => void) | null {
    for (const name of this.#waiting) {
      const pool = this.#pools.get(name);
      const next = pool === undefined ? null : this.#takeFrom(pool);
      if (pool === undefined || pool.single.size + pool.bulk.size === 0) this.#waiting.delete(name);
      if (pool === undefined || next === null) continue;
      if (this.#waiting.delete(name)) this.#waiting.add(name);
      pool.active += 1;
      this.#active += 1;
      return next;
    }
    return null;
  }

  #takeFrom(pool: Pool): (() => void) | null {
    for (const [queue, isBulk] of [
      [pool.single, false],
      [pool.bulk, true],
    ] as const) {
      const [first] = queue;
      if (first === undefined || !this.#hasRoom(pool, isBulk)) continue;
      queue.delete(first);
      return first;
    }
    return null;
  }

  #hasRoom({ active }: Pool, isBulk: boolean): boolean {
    const { poolMax, totalMax, reserve } = this.#limits;
    const more = isBulk ? 0 : reserve;
    return active < poolMax + more && this.#active < totalMax + more;
  }
}

/**
 * Hashes and verifies passwords with the runtime's argon2id. Each operation takes 64 MiB and a tenth of a second on
 * another thread, so at most two run at once, where there is little memory one, and the rest wait. Clients take turns:
 * known devices and signed-in users first, then one operation of each network in turn, so that a network that sends many
 * guesses delays only itself. An unknown user takes as long as a wrong password.
 */
import { isMemorySmall } from "#src/core/memory-limit.ts";
import { Problem } from "#src/core/problem.ts";

const CONCURRENCY_MAX = { usual: 2, smallMemory: 1 };

/** Of argon2id. */
export interface PasswordCost {
  /** KiB. */
  memoryCost: number;
  timeCost: number;
  /** The hash of a discarded random text at this cost. It is verified if there is no account. */
  nobodysHash: string;
}

export const PASSWORD_COST: PasswordCost = {
  memoryCost: 65_536,
  timeCost: 2,
  nobodysHash:
    "$argon2id$v=19$m=65536,t=2,p=1$noMrCZobcaPArQMJ4ik3gzsK2SlCJmd5NRISmK/JJZo$UzeNo9Serq6NCv8igp99f99+FRYueXImNtH5L8trSJI",
};
/** How many operations one network may have waiting, by how many wait altogether. Above the last step: none. */
const PLACES = [
  { below: 64, each: 16 },
  { below: 128, each: 2 },
  { below: 512, each: 1 },
] as const;
const RETRY_AFTER_MS = 5_000;

/** Whose turn an operation takes. */
export interface PasswordClient {
  /** Clients with the same name share turns: a network, a session, a device, a link. */
  name: string;
  /** A signed-in user, a known device or the holder of a link: goes before strangers. */
  isKnown: boolean;
}

/** A place in the queue; dispose of it when done. */
interface PasswordTurn extends Disposable {
  hash(password: string): Promise<string>;
  /**
   * `hash` null: the user does not exist or has no password yet. The result is false, after the same time as for a
   * wrong password.
   */
  verify(password: string, hash: string | null): Promise<boolean>;
}

export class Passwords {
  #running = 0;
  #placesTaken = 0;
  readonly #places = new Map<string, number>();
  readonly #known = new TurnQueue();
  readonly #strangers = new TurnQueue();
  readonly #cost: PasswordCost;
  readonly #concurrencyMax = CONCURRENCY_MAX[isMemorySmall() ? "smallMemory" : "usual"];

  constructor(cost: PasswordCost) {
    this.#cost = cost;
  }

  /**
   * Takes a place before any work is done or written for the request. Throws `rate_limited` if the client's network has
   * too many operations waiting.
   */
  reserve({ name, isKnown }: PasswordClient): PasswordTurn {
    const key = `${isKnown ? "known" : "stranger"} ${name}`;
    const own = this.#places.get(key) ?? 0;
    const limit = PLACES.find(({ below }) => this.#placesTaken < below)?.each ?? 0;
    // Known clients have limits of their own: an account's throttle, and the number of sessions and devices.
    if (own >= (isKnown ? PLACES[0].each : limit)) {
      throw new Problem("rate_limited", "Too many people are signing in. Try again in a few seconds.", {
        retryAfterMs: RETRY_AFTER_MS,
      });
    }
    this.#places.set(key, own + 1);
    this.#placesTaken += 1;
    const queue = isKnown ? this.#known : this.#strangers;
    const { nobodysHash, memoryCost, timeCost } = this.#cost;
    const options = { algorithm: "argon2id", memoryCost, timeCost } as const;
    return {
      hash: (password) => this.#inTurn(queue, key, () => Bun.password.hash(password, options)),
      verify: async (password, hash) => {
        const isMatch = await this.#inTurn(queue, key, () => Bun.password.verify(password, hash ?? nobodysHash));
        return isMatch && hash !== null;
      },
      [Symbol.dispose]: () => {
        const left = (this.#places.get(key) ?? 1) - 1;
        if (left === 0) this.#places.delete(key);
        else this.#places.set(key, left);
        this.#placesTaken -= 1;
      },
    };
  }

  async #inTurn<T>(queue: TurnQueue, key: string, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#concurrencyMax) await new Promise<void>((resolve) => queue.add(key, resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#known.next() ?? this.#strangers.next();
      // The next waiter inherits this slot.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** Waiters by client; `next` goes around the clients, one waiter of each at a time. */
class TurnQueue {
  /** In the order of their turns: a client that was served moves to the end. */
  readonly #waiting = new Map<string, (() => void)[]>();

  add(client: string, start: () => void): void {
    const own = this.#waiting.get(client);
    if (own === undefined) this.#waiting.set(client, [start]);
    else own.push(start);
  }

  next(): (() => void) | undefined {
    for (const [client, own] of this.#waiting) {
      const start = own.shift();
      this.#waiting.delete(client);
      if (own.length > 0) this.#waiting.set(client, own);
      return start;
    }
    return undefined;
  }
}

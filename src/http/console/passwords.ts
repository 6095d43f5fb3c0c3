/**
 * Hashes and verifies passwords with the runtime's argon2id. Each operation takes 64 MiB and a tenth of a second on
 * another thread, so at most two run at once and the rest wait. An unknown user takes as long as a wrong password.
 */
const CONCURRENCY_MAX = 2;
const OPTIONS = { algorithm: "argon2id", memoryCost: 65_536, timeCost: 2 } as const;

export class Passwords {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #dummy: Promise<string> | null = null;

  hash(password: string): Promise<string> {
    return this.#withSlot(() => Bun.password.hash(password, OPTIONS));
  }

  /**
   * `hash` null: the user does not exist or has no password yet. The result is false, after the same time as for a
   * wrong password.
   */
  async verify(password: string, hash: string | null): Promise<boolean> {
    this.#dummy ??= this.hash("nobody has this one");
    const known = hash ?? (await this.#dummy);
    const isMatch = await this.#withSlot(() => Bun.password.verify(password, known));
    return isMatch && hash !== null;
  }

  async #withSlot<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= CONCURRENCY_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The next waiter inherits this slot.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** Callbacks that are added after their source exists: two parts that need each other are built one after the other. */
export class Listeners<Args extends unknown[] = []> {
  readonly #listeners: ((...args: Args) => void)[] = [];

  add(listener: (...args: Args) => void): void {
    this.#listeners.push(listener);
  }

  /** Their sources start anew. */
  clear(): void {
    this.#listeners.length = 0;
  }

  /** Calls all listeners in the order in which they were added. */
  readonly emit = (...args: Args): void => {
    for (const listener of this.#listeners) listener(...args);
  };
}

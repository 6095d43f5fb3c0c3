/** Serializes concurrent requests with the same idempotency key: one acts, the others wait for its answer. */
import { type KeyUse, requireSameRequest } from "#src/domain/idempotency/keys.ts";

interface RunningRequest {
  fingerprint: Uint8Array;
  done: Promise<void>;
}

/** The keys that this process is acting on. */
export class KeyQueue {
  readonly #running = new Map<string, RunningRequest>();

  /**
   * Runs `act` alone among the requests with this key. `replay` is tried first, and again after each wait; a value that
   * it returns is the answer. Throws `idempotency_conflict` at once if a different request runs under the same key.
   */
  async run<T>(workspaceId: number, use: KeyUse, replay: () => T | undefined, act: () => Promise<T>): Promise<T> {
    const name = `${workspaceId} ${use.key}`;
    for (;;) {
      const running = this.#running.get(name);
      if (running !== undefined) {
        requireSameRequest(running.fingerprint, use.fingerprint);
        await running.done;
        continue;
      }
      const storedAnswer = replay();
      if (storedAnswer !== undefined) return storedAnswer;
      let finish = (): void => undefined;
      const done = new Promise<void>((resolve) => {
        finish = resolve;
      });
      this.#running.set(name, { fingerprint: use.fingerprint, done });
      try {
        return await act();
      } finally {
        this.#running.delete(name);
        finish();
      }
    }
  }
}

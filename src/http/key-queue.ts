/** Requests that carry the same idempotency key at the same time: one acts, the others wait for its answer. */
import { type KeyUse, requireSameRequest } from "#src/domain/idempotency/keys.ts";

interface RunningRequest {
  fingerprint: Uint8Array;
  done: Promise<void>;
}

/** Which keys are being acted upon in this process. */
export class KeyQueue {
  readonly #running = new Map<string, RunningRequest>();

  /**
   * Runs `act` alone among the requests with this key. `replay` is asked first, and again after each wait: what it
   * returns is the answer. Another request under the same key throws `idempotency_conflict` at once.
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

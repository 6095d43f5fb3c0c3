/** Requests that carry the same idempotency key at the same time: one acts, the others wait for its answer. */
import { type KeyUse, requireSame } from "#src/domain/idempotency/keys.ts";

interface Acting {
  fingerprint: Uint8Array;
  done: Promise<void>;
}

/** Which keys are being acted upon in this process. */
export class KeyQueue {
  readonly #acting = new Map<string, Acting>();

  /**
   * Runs `act` alone among the requests with this key. `replay` is asked first, and again after each wait: what it
   * returns is the answer. Another request under the same key throws `idempotency_conflict` at once.
   */
  async run<T>(workspaceId: number, use: KeyUse, replay: () => T | undefined, act: () => Promise<T>): Promise<T> {
    const name = `${workspaceId} ${use.key}`;
    for (;;) {
      const acting = this.#acting.get(name);
      if (acting !== undefined) {
        requireSame(acting.fingerprint, use.fingerprint);
        await acting.done;
        continue;
      }
      const kept = replay();
      if (kept !== undefined) return kept;
      let finish = (): void => undefined;
      const done = new Promise<void>((resolve) => {
        finish = resolve;
      });
      this.#acting.set(name, { fingerprint: use.fingerprint, done });
      try {
        return await act();
      } finally {
        this.#acting.delete(name);
        finish();
      }
    }
  }
}

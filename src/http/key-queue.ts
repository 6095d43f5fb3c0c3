/** Serializes concurrent requests with the same idempotency key: one acts, the others wait for its answer. */
import { Problem } from "#src/core/problem.ts";
import { type KeyUse, requireSameRequest } from "#src/domain/idempotency/keys.ts";
import type { IdempotencyKey } from "#src/domain/idempotency/table.ts";

interface RunningRequest {
  fingerprint: Uint8Array;
  done: Promise<void>;
}

/** Repetitions of a workspace's requests that may wait for an answer at once; each holds its body. */
const WAITING_MAX = 250;

/** The keys that this process is acting on. */
export class KeyQueue {
  readonly #running = new Map<string, RunningRequest>();
  /** By workspace. */
  readonly #waiting = new Map<number, number>();

  /**
   * Runs `act` alone among the requests with this key. The key is found first, and again after each wait; `act` gets it
   * if it has no answer yet. Throws `idempotency_conflict` at once if a different request runs under the same key.
   */
  async run<T>(
    workspaceId: number,
    use: KeyUse,
    find: () => { answer: T } | { open: IdempotencyKey | undefined },
    act: (open: IdempotencyKey | undefined) => Promise<T>,
  ): Promise<T> {
    const name = `${workspaceId} ${use.key}`;
    for (;;) {
      const running = this.#running.get(name);
      if (running !== undefined) {
        requireSameRequest(running.fingerprint, use.fingerprint);
        await this.#wait(workspaceId, running.done);
        continue;
      }
      const found = find();
      if ("answer" in found) return found.answer;
      let finish = (): void => undefined;
      const done = new Promise<void>((resolve) => {
        finish = resolve;
      });
      this.#running.set(name, { fingerprint: use.fingerprint, done });
      try {
        return await act(found.open);
      } finally {
        this.#running.delete(name);
        finish();
      }
    }
  }

  /** Throws `rate_limited` where too many wait already. */
  async #wait(workspaceId: number, done: Promise<void>): Promise<void> {
    const count = this.#waiting.get(workspaceId) ?? 0;
    if (count >= WAITING_MAX) {
      throw new Problem(
        "rate_limited",
        `${WAITING_MAX} repeated requests wait for the answer to an earlier one already.`,
      );
    }
    this.#waiting.set(workspaceId, count + 1);
    await done;
    const left = (this.#waiting.get(workspaceId) ?? 1) - 1;
    if (left === 0) this.#waiting.delete(workspaceId);
    else this.#waiting.set(workspaceId, left);
  }
}

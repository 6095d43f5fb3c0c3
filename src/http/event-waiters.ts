/**
 * Requests that wait for an event (long polling). A commit with events notifies the requests of the workspaces concerned:
 * one small query for each commit, however many requests wait, and none while nothing is committed. The number of
 * waiting requests is bounded. A closed connection and a stopping server end the wait.
 */
import type { Clock } from "#src/core/clock.ts";
import { Problem } from "#src/core/problem.ts";
import type { Store } from "#src/db/store.ts";
import { eventLogRange, workspacesWithEvents } from "#src/domain/webhooks/event-log.ts";
import { EVENTS } from "#src/domain/webhooks/record-event.ts";

const WAITERS_MAX = 1_000;
const WAITERS_PER_WORKSPACE_MAX = 20;

export class EventWaiters {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  readonly #waiters = new Map<number, Set<() => void>>();
  #count = 0;
  /** Workspaces with later events are still to be notified. */
  #seen = 0;

  constructor(store: Store, clock: Clock, stopping: AbortSignal) {
    this.#store = store;
    this.#clock = clock;
    this.#stopping = stopping;
    store.onNotify(EVENTS, () => this.notify());
    stopping.addEventListener("abort", () => this.#notifyAll());
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Resolves when the workspace has an event after `seen`, after `timeoutMs`, when `disconnected` fires, or when the
   * server stops. Call it in the same turn in which `seen` was read. Throws `rate_limited` if too many requests wait.
   */
  wait(workspaceId: number, seen: number, timeoutMs: number, disconnected: AbortSignal): Promise<void> {
    if (this.#stopping.aborted || disconnected.aborted) return Promise.resolve();
    const waiters = this.#waiters.get(workspaceId) ?? new Set();
    if (this.#count >= WAITERS_MAX || waiters.size >= WAITERS_PER_WORKSPACE_MAX) {
      throw new Problem(
        "rate_limited",
        `Too many requests wait for events: a workspace may have ${WAITERS_PER_WORKSPACE_MAX}. Use one for each program.`,
      );
    }
    if (this.#count === 0) this.#seen = seen;
    this.#waiters.set(workspaceId, waiters);
    return new Promise((resolve) => {
      const finish = (): void => {
        if (!waiters.delete(finish)) return;
        this.#count -= 1;
        if (waiters.size === 0 && this.#waiters.get(workspaceId) === waiters) this.#waiters.delete(workspaceId);
        timer.cancel();
        disconnected.removeEventListener("abort", finish);
        resolve();
      };
      const timer = this.#clock.setTimer(timeoutMs, finish);
      disconnected.addEventListener("abort", finish);
      waiters.add(finish);
      this.#count += 1;
    });
  }

  /** Call after a commit of another process; commits of this one call it themselves. */
  notify(): void {
    if (this.#count === 0) return;
    const { workspaces, newest } = this.#store.read((tx) => ({
      workspaces: workspacesWithEvents(tx, this.#seen),
      newest: eventLogRange(tx).newest,
    }));
    this.#seen = newest;
    for (const id of workspaces) this.#finish(id);
  }

  #notifyAll(): void {
    for (const id of [...this.#waiters.keys()]) this.#finish(id);
  }

  #finish(workspaceId: number): void {
    for (const finish of [...(this.#waiters.get(workspaceId) ?? [])]) finish();
  }
}

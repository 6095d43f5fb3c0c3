/**
 * Runs long jobs beside each other, at most one of each workspace. Workspaces with waiting jobs take turns, so that a
 * workspace with many files delays its own and no other's.
 */
type Job = () => Promise<void>;

export class FairQueue {
  readonly #runningMax: number;
  /** By workspace; the first one is next. */
  readonly #waiting = new Map<number, Job[]>();
  readonly #running = new Set<number>();

  constructor(runningMax: number) {
    this.#runningMax = runningMax;
  }

  /** `job` must not reject. */
  add(workspaceId: number, job: Job): void {
    const jobs = this.#waiting.get(workspaceId) ?? [];
    this.#waiting.set(workspaceId, [...jobs, job]);
    this.#startNext();
  }

  #startNext(): void {
    for (const [workspaceId, [job, ...later]] of this.#waiting) {
      if (this.#running.size >= this.#runningMax) return;
      if (this.#running.has(workspaceId)) continue;
      this.#waiting.delete(workspaceId);
      // At the end of the line.
      if (later.length > 0) this.#waiting.set(workspaceId, later);
      if (job === undefined) continue;
      this.#running.add(workspaceId);
      void job().finally(() => {
        this.#running.delete(workspaceId);
        this.#startNext();
      });
    }
  }
}

/**
 * Schedules the server's own backups by a cron expression in the machine's timezone. A failed backup is reported and
 * removes no older ones. A backup that comes due while another job is running starts after it.
 */
import { Cron } from "croner";
import type { Clock, Timer } from "#src/core/clock.ts";
import type { BackupJobs } from "./jobs.ts";

export interface ScheduleOptions {
  clock: Clock;
  jobs: BackupJobs;
  /** Five fields; null: no scheduled backups. */
  schedule: string | null;
  retention: number;
}

/** Longest wait before the clock is read again, because a clock can be set and a laptop can sleep. */
const WAIT_MAX_MS = 600_000;

export class BackupSchedule {
  readonly #options: ScheduleOptions;
  #timer: Timer | null = null;
  #isStopped = true;

  constructor(options: ScheduleOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    const { schedule, clock } = this.#options;
    if (schedule !== null) this.#wait(schedule, this.#nextAfter(schedule, clock.now()));
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#options.jobs.stop();
  }

  get isActive(): boolean {
    return this.#options.jobs.isActive;
  }

  /** Null: no scheduled backups. */
  get expression(): string | null {
    return this.#options.schedule;
  }

  /** How many of the server's own backups are kept. */
  get retention(): number {
    return this.#options.retention;
  }

  /** When the next backup is due, in milliseconds; null if none is. */
  nextAt(): number | null {
    const { schedule, clock } = this.#options;
    return schedule === null ? null : this.#nextAfter(schedule, clock.now());
  }

  #nextAfter(schedule: string, now: number): number | null {
    return new Cron(schedule, { mode: "5-part", paused: true }).nextRun(new Date(now))?.getTime() ?? null;
  }

  #wait(schedule: string, dueAt: number | null): void {
    if (this.#isStopped || dueAt === null) return;
    const { clock, jobs, retention } = this.#options;
    const waitMs = Math.min(Math.max(0, dueAt - clock.now()), WAIT_MAX_MS);
    this.#timer = clock.setTimer(waitMs, () => {
      const now = clock.now();
      if (now < dueAt) return this.#wait(schedule, dueAt);
      jobs.startNext({ kind: "backup", retention });
      this.#wait(schedule, this.#nextAfter(schedule, now));
    });
  }
}

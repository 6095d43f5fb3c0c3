/**
 * Scheduled backups, by a cron expression in the machine's timezone. Each is made and verified in its own thread, so that
 * requests do not wait for it. A failed backup is reported and leaves the older ones alone; a backup that is due during
 * another job on the database runs after it.
 */
import { Cron } from "croner";
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import type { BackupJobs } from "./jobs.ts";

interface ScheduleOptions {
  clock: Clock;
  log: Log;
  jobs: BackupJobs;
  /** Five fields; null: never. */
  schedule: string | null;
  retention: number;
}

/** Read the clock at least this often: it may be set, and the machine may be suspended. */
const WAIT_MAX_MS = 600_000;

export class BackupSchedule extends ServiceLoop {
  readonly #options: ScheduleOptions;
  #dueAt: number | null = null;

  constructor(options: ScheduleOptions) {
    const { clock, log } = options;
    super({
      name: "backups",
      clock,
      isUpkeep: true,
      retryAfterMs: WAIT_MAX_MS,
      onError: (error) =>
        log.error("backup.not_started", "Scheduled backup could not be started; trying again", { error }),
    });
    this.#options = options;
  }

  override start(): void {
    this.#dueAt = this.nextAt();
    super.start();
  }

  override stop(): void {
    super.stop();
    this.#options.jobs.stop();
  }

  override get isActive(): boolean {
    return this.#options.jobs.isActive;
  }

  /** Null: no backups are scheduled. */
  get expression(): string | null {
    return this.#options.schedule;
  }

  /** How many scheduled backups are kept. */
  get retention(): number {
    return this.#options.retention;
  }

  /** When the next backup is due, milliseconds; null: none is scheduled. */
  nextAt(): number | null {
    const { schedule, clock } = this.#options;
    return schedule === null ? null : (nextRuns(schedule, clock.now(), 1)[0] ?? null);
  }

  async runOnce(): Promise<NextRun> {
    const { clock, jobs, retention } = this.#options;
    if (this.#dueAt !== null && clock.now() >= this.#dueAt) {
      jobs.startNext({ kind: "backup", retention });
      this.#dueAt = this.nextAt();
    }
    return this.#dueAt === null ? null : Math.min(Math.max(0, this.#dueAt - clock.now()), WAIT_MAX_MS);
  }
}

/** Enough runs to cover a week of a daily schedule with days off, and both lengths of a month of a monthly one. */
const RUNS_COMPARED = 15;

/** The longest time between two scheduled backups, milliseconds; null without a schedule. */
export function scheduleInterval(schedule: string | null, now: number): number | null {
  if (schedule === null) return null;
  const runs = nextRuns(schedule, now, RUNS_COMPARED);
  return runs.length < 2 ? null : Math.max(...runs.slice(1).map((at, index) => at - (runs[index] ?? at)));
}

/** When the schedule is due for the `count`th time from `now`, milliseconds; null if it never is. */
export function scheduledRun(schedule: string, now: number, count: number): number | null {
  return nextRuns(schedule, now, count).at(count - 1) ?? null;
}

function nextRuns(schedule: string, now: number, count: number): number[] {
  const cron = new Cron(schedule, { mode: "5-part", paused: true });
  return cron.nextRuns(count, new Date(now)).map((at) => at.getTime());
}

/** The server's knowledge of itself and the work on its own database, put together: what the operator's screens ask. */
import { dirname } from "node:path";
import { CopyJobs } from "#src/backup/jobs.ts";
import { BackupSchedule } from "#src/backup/schedule.ts";
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import { createWriteProbe } from "#src/db/write-probe.ts";
import { diskOf, readCondition } from "#src/health/status.ts";
import { type TrendSources, Trends } from "#src/health/time-series.ts";
import type { System } from "#src/http/console/context.ts";

export interface SystemOptions {
  store: Store;
  database: string;
  clock: Clock;
  /** Real ones, whatever clock the rest runs on. */
  timers: Pick<Clock, "setTimer">;
  log: Log;
  backup: { schedule: string | null; directory: string; keep: number };
  figures: TrendSources & { noteBackup: (at: number | null) => void };
}

export interface RunningSystem extends System {
  /** To be started and stopped. */
  workers: readonly (BackupSchedule | Trends)[];
}

export function createSystem({ store, database, clock, timers, log, backup, figures }: SystemOptions): RunningSystem {
  const { schedule, directory, keep } = backup;
  const isWritable = createWriteProbe(store);
  const jobs = new CopyJobs({ clock, log, database, directory, onBackup: figures.noteBackup });
  const backups = new BackupSchedule({ clock, jobs, schedule, keep });
  const trends = new Trends(figures, clock, timers);
  const { metrics } = figures;
  const sources = {
    clock,
    store,
    database,
    metrics,
    trends,
    isWritable,
    backups: {
      directory,
      schedule: backups.expression,
      nextAt: () => backups.nextAt(),
      lastSoundAt: () => jobs.lastSoundAt(),
      lastFailureAt: () => jobs.lastFailureAt(),
    },
  };
  return {
    isWritable,
    jobs,
    trends,
    backups,
    workers: [backups, trends],
    condition: () => readCondition(sources),
    disk: () => diskOf(dirname(database)),
  };
}

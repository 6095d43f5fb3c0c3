/** The server's knowledge of itself and the work on its own database, put together: what the operator's screens ask. */
import { dirname } from "node:path";
import { BackupJobs } from "#src/backup/jobs.ts";
import { BackupSchedule } from "#src/backup/schedule.ts";
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import { createWriteProbe } from "#src/db/write-probe.ts";
import { readDisk, readStatus } from "#src/health/status.ts";
import { TimeSeries, type TimeSeriesSources } from "#src/health/time-series.ts";
import type { System } from "#src/http/console/context.ts";

export interface SystemOptions {
  store: Store;
  database: string;
  clock: Clock;
  /** Real ones, whatever clock the rest runs on. */
  timers: Pick<Clock, "setTimer">;
  log: Log;
  backup: { schedule: string | null; directory: string; retention: number };
  serverMetrics: TimeSeriesSources & { recordBackup: (at: number | null) => void };
}

export interface RunningSystem extends System {
  /** To be started and stopped. */
  workers: readonly (BackupSchedule | TimeSeries)[];
}

export function createSystem({
  store,
  database,
  clock,
  timers,
  log,
  backup,
  serverMetrics,
}: SystemOptions): RunningSystem {
  const { schedule, directory, retention } = backup;
  const isWritable = createWriteProbe(store);
  const jobs = new BackupJobs({ clock, log, database, directory, onBackup: serverMetrics.recordBackup });
  const backups = new BackupSchedule({ clock, log, jobs, schedule, retention });
  const timeSeries = new TimeSeries({ sources: serverMetrics, clock, timers, log });
  const { metrics } = serverMetrics;
  const sources = {
    clock,
    store,
    database,
    metrics,
    timeSeries,
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
    timeSeries,
    backups,
    workers: [backups, timeSeries],
    status: () => readStatus(sources),
    disk: () => readDisk(dirname(database)),
  };
}

/** The server's view of itself for the operator: status, time series, disk, and jobs on its own database. */
import { dirname } from "node:path";
import { BackupJobs } from "#src/backup/jobs.ts";
import { BackupSchedule } from "#src/backup/schedule.ts";
import { systemClock } from "#src/core/clock.ts";
import { createWriteProbe } from "#src/db/write-probe.ts";
import { readDisk, readStatus } from "#src/health/status.ts";
import { TimeSeries } from "#src/health/time-series.ts";
import type { System } from "#src/http/console/context.ts";
import type { ServerContext } from "./context.ts";

export function createSystem({ store, clock, log, config, files, metrics: serverMetrics }: ServerContext): System {
  const { schedule, directory, retention } = config.backup;
  const { database } = files;
  const isWritable = createWriteProbe(store);
  const jobs = new BackupJobs({ clock, log, database, directory, onBackup: serverMetrics.recordBackup });
  const backups = new BackupSchedule({ clock, log, jobs, schedule, retention });
  const timeSeries = new TimeSeries({ sources: serverMetrics, clock, timers: systemClock, log });
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
    status: () => readStatus(sources),
    disk: () => readDisk(dirname(database)),
  };
}

/** The server's knowledge of itself and the work on its own database, put together: what the operator's screens ask. */
import { dirname } from "node:path";
import { CopyJobs } from "#src/copies/jobs.ts";
import { BackupSchedule } from "#src/copies/schedule.ts";
import type { Log } from "#src/log.ts";
import type { Clock } from "#src/primitives/clock.ts";
import type { Store } from "#src/storage/store.ts";
import { createWriteProbe, type WriteProbe } from "#src/storage/write-probe.ts";
import { type Condition, diskOf, readCondition } from "./condition.ts";
import { type TrendSources, Trends } from "./trends.ts";

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

export interface System {
  isWritable: WriteProbe;
  jobs: CopyJobs;
  trends: Trends;
  /** When the server backs itself up. */
  backups: BackupSchedule;
  /** To be started and stopped. */
  workers: readonly (BackupSchedule | Trends)[];
  condition: () => Promise<Condition>;
  /** Of the disk that the database is on. */
  disk: () => Promise<Condition["disk"]>;
}

export function createSystem({ store, database, clock, timers, log, backup, figures }: SystemOptions): System {
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

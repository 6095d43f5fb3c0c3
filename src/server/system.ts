/** The server's view of itself for the operator: status, conditions, time series, disk, and jobs on its own database. */
import { dirname } from "node:path";
import { BackupJobs } from "#src/backup/jobs.ts";
import { KeptCopies, listKeptCopies } from "#src/backup/kept-copies.ts";
import { RemoteBackups } from "#src/backup/remote-schedule.ts";
import { BackupSchedule, scheduleInterval } from "#src/backup/schedule.ts";
import { describeSettings } from "#src/config/described.ts";
import { systemClock } from "#src/core/clock.ts";
import type { Service } from "#src/core/service-loop.ts";
import { version } from "#src/core/version.ts";
import { createWriteProbe } from "#src/db/write-probe.ts";
import { certificateSource, readCertificate } from "#src/health/certificate-facts.ts";
import { type FactSources, readDisk } from "#src/health/facts.ts";
import { TimeSeries } from "#src/health/time-series.ts";
import type { System } from "#src/http/console/context.ts";
import { NewerVersionNotice } from "#src/upgrade/newer-version.ts";
import { archivedFiles } from "./archived-files.ts";
import type { ServerContext } from "./context.ts";
import { copiesOf, isReplicated } from "./erase-person.ts";
import { createHealth } from "./health.ts";

/** The console's view, and the services in the order of their start. */
export function createSystem(context: ServerContext): System & { services: readonly Service[] } {
  const { store, readers, clock, log, logTail, config, files, metrics } = context;
  const { schedule, directory, retention } = config.backup;
  const { database } = files;
  const query: FactSources["query"] = (sql, parameters) => readers.lists.server.query(sql, parameters);
  const isWritable = createWriteProbe(store);
  const jobs = new BackupJobs({ clock, log, database, directory, onFailure: metrics.countBackupFailure });
  const backups = new BackupSchedule({ clock, log, jobs, schedule, retention });
  const remote = createRemote(context, jobs);
  const timeSeries = new TimeSeries({ sources: metrics, clock, timers: systemClock, log });
  const notice = new NewerVersionNotice({
    ...{ clock: context.socketClock, log },
    ...{ ...context.releases, version, platform: `${process.platform}-${process.arch}` },
  });
  const parts = { isWritable, jobs, backups, remote, timeSeries, notice };
  const { watch, alarms, status, testAlarms } = createHealth(context, parts);
  metrics.registerGauges({
    database,
    reader: readers.lists.server,
    clock,
    writer: store.counters,
    conditions: () => watch.current,
    lastBackupAt: () => jobs.lastSoundAt(),
    backupIntervalMs: () => scheduleInterval(backups.expression, clock.now()),
    media: config.media,
    lastRemoteAt: () => remote?.lastProvedAt() ?? null,
    keptCopies: () => listKeptCopies(database),
    certificateEnd: async () => (await readCertificate(certificateSource(config), query))?.endsAt ?? null,
  });
  return {
    isWritable,
    jobs,
    timeSeries,
    backups,
    remote,
    status,
    conditions: () => watch.evaluate(),
    knownConditions: () => watch.current,
    testAlarms,
    upgrade: {
      place: notice.place,
      asksDaily: config.upgrade.notice,
      known: () => notice.state,
      check: () => notice.check(),
    },
    settings: { file: config.file, settings: describeSettings(config) },
    log: logTail,
    disk: () => readDisk(dirname(database)),
    copies: () => ({ backups: copiesOf(config, clock.now()), is_replicated: isReplicated(store) }),
    services: [
      ...[backups, new KeptCopies({ database, clock, log }), timeSeries, watch, alarms],
      ...(config.upgrade.notice ? [notice] : []),
      ...(remote === null ? [] : [remote]),
    ],
  };
}

/** Null: backups stay on this machine. */
function createRemote({ clock, log, config, files }: ServerContext, jobs: BackupJobs): RemoteBackups | null {
  const { remote: settings, directory } = config.backup;
  if (settings === null) return null;
  const onFailure = (): void => undefined;
  const sending = new BackupJobs({ clock, log, database: files.database, directory, onFailure });
  return new RemoteBackups({ clock, log, jobs, sending, settings, files: archivedFiles(config, process.env) });
}

/** Wires the list of conditions: where its facts come from, where it is stored, and how alarms leave the server. */
import { hostname } from "node:os";
import { whyUnwritable } from "#src/backup/files.ts";
import type { BackupJobs } from "#src/backup/jobs.ts";
import { lastProvedAt } from "#src/backup/remote/state.ts";
import type { RemoteBackups } from "#src/backup/remote-schedule.ts";
import { type BackupSchedule, scheduleInterval } from "#src/backup/schedule.ts";
import type { WriteProbe } from "#src/db/write-probe.ts";
import { createChannels, lacksAlarms } from "#src/health/alarm-channels.ts";
import { AlarmSender } from "#src/health/alarm-sender.ts";
import { type TestedChannel, testAlarms } from "#src/health/alarm-test.ts";
import { certificateSource } from "#src/health/certificate-facts.ts";
import { ConditionFile, conditionFile } from "#src/health/condition-file.ts";
import { ConditionWatch } from "#src/health/condition-watch.ts";
import { readConnectionSettings } from "#src/health/connection-settings.ts";
import { probeWorkspaces } from "#src/health/evaluate.ts";
import { type BackupFacts, type HealthFacts, type RemoteFacts, readFacts } from "#src/health/facts.ts";
import { readStatus, type ServerStatus } from "#src/health/status.ts";
import type { TimeSeries } from "#src/health/time-series.ts";
import type { NewerVersionNotice } from "#src/upgrade/newer-version.ts";
import type { ServerContext } from "./context.ts";

interface HealthParts {
  isWritable: WriteProbe;
  jobs: BackupJobs;
  backups: BackupSchedule;
  /** Null: backups stay on this machine. */
  remote: RemoteBackups | null;
  timeSeries: TimeSeries;
  notice: NewerVersionNotice;
}

interface Health {
  watch: ConditionWatch;
  alarms: AlarmSender;
  status: () => Promise<ServerStatus>;
  testAlarms: () => Promise<TestedChannel[]>;
}

/** Commit times cover the last hour: slow commits when the server started say nothing about its present state. */
const COMMIT_WINDOW_MINUTES = 60;

export function createHealth(context: ServerContext, parts: HealthParts): Health {
  const { store, clock, log, config, files, readers, healthTimers: timers } = context;
  const { database } = files;
  const file = new ConditionFile(conditionFile(database));
  const query = (sql: string, parameters?: (string | number | null)[]) => readers.lists.server.query(sql, parameters);
  const settings = {
    ...readConnectionSettings(config, process.env),
    verifyToken: config.whatsapp.verifyToken,
  };
  const databaseFile = () => context.fileWatch.look();
  const readProcessFacts = readProcess(context, parts);
  const sources = {
    clock,
    query,
    database,
    databaseFile,
    certificate: certificateSource(config),
    backup: () => readBackups(context, parts, file),
    process: readProcessFacts,
    lacksAlarms: lacksAlarms(config.alerts),
  };
  const { channels, ping } = createChannels({
    ...{ clock: context.socketClock, alerts: config.alerts, server: config.server.publicUrl ?? hostname() },
  });
  const alarms = new AlarmSender({ clock, timers, log, file, channels, ping });
  const watch = new ConditionWatch({
    ...{ clock, timers, log, file, database, databaseFile },
    facts: () => readFacts(sources),
    workspaces: () => probeWorkspaces({ query, store, now: clock.now(), settings }),
    alarms: { channels: Object.keys(channels), repeatAfterMs: config.alerts.repeatAfterMs },
    onPlanned: () => alarms.notify(),
  });
  return {
    watch,
    alarms,
    testAlarms: () => testAlarms({ channels }, clock.now()),
    status: () => readStatus({ ...sources, store, metrics: context.metrics.metrics, timeSeries: parts.timeSeries }),
  };
}

function readProcess(
  { store, clock }: ServerContext,
  { isWritable, timeSeries, notice }: HealthParts,
): () => Promise<NonNullable<HealthFacts["process"]>> {
  let counted = store.counters.failures;
  let lastFailureAt: number | null = null;
  return async () => {
    const [writable, recent] = await Promise.all([isWritable(), timeSeries.summarize(COMMIT_WINDOW_MINUTES)]);
    const { failures } = store.counters;
    if (failures > counted) lastFailureAt = clock.now();
    counted = failures;
    return { isWritable: writable, commits: { ...recent.commit, failures }, lastFailureAt, newerVersion: notice.newer };
  };
}

/** A failure outlives a restart: it lasts until a sound backup is made. */
function readBackups(
  { clock, config }: ServerContext,
  { jobs, backups, remote }: HealthParts,
  file: ConditionFile,
): BackupFacts {
  const { directory } = config.backup;
  const schedule = backups.expression;
  const now = clock.now();
  const verifiedAt = jobs.lastSoundAt();
  const { backupFailedAt, backupAwaitedSince } = file.memory;
  const failedAt = jobs.findLast("backup") === null ? backupFailedAt : jobs.lastFailureAt();
  return {
    directory,
    schedule,
    intervalMs: scheduleInterval(schedule, now),
    nextAt: backups.nextAt(),
    unwritable: whyUnwritable(directory),
    verifiedAt,
    awaitedSince: schedule === null || verifiedAt !== null ? null : (backupAwaitedSince ?? now),
    failedAt: failedAt !== null && verifiedAt !== null && verifiedAt > failedAt ? null : failedAt,
    remote: remote === null ? null : readRemote(remote, file, now),
  };
}

function readRemote(remote: RemoteBackups, file: ConditionFile, now: number): RemoteFacts {
  const { place, state } = remote;
  const provedAt = lastProvedAt(state);
  const awaitedSince = provedAt !== null ? null : (file.memory.remoteAwaitedSince ?? now);
  return { place, provedAt, awaitedSince, failure: state.failure };
}

/**
 * The status of the server: version, disk space, waiting work, commit times, backups. All values come from the sources
 * of `/metrics` and `/readyz`, so that the different views never disagree.
 */
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "#src/core/clock.ts";
import type { Metrics, Sample } from "#src/core/metrics.ts";
import { commit, version } from "#src/core/version.ts";
import type { Store } from "#src/db/store.ts";
import type { WriteProbe } from "#src/db/write-probe.ts";
import type { Quantiles, TimeSeries } from "./time-series.ts";

export interface ServerStatus {
  at: number;
  version: string;
  /** Empty when run from source. */
  commit: string;
  bun: string;
  sqlite: string;
  schema: number;
  startedAt: number;
  memoryBytes: number;
  isWritable: boolean;
  database: { path: string; bytes: number; walBytes: number };
  /** Of the disk that holds the database; null if it cannot be determined. */
  disk: { freeBytes: number; totalBytes: number } | null;
  outbox: { kind: string; rows: number; ageSeconds: number }[];
  callbacksWaiting: number;
  /** Commit times over the last hour; failures since the start. */
  commits: Quantiles & { failures: number };
  backup: {
    directory: string;
    /** Null: no automatic backups. */
    schedule: string | null;
    nextAt: number | null;
    /** When the newest sound backup was finished, milliseconds. */
    verifiedAt: number | null;
    /**
     * When the last backup failed or found the database broken; null if it did not, or none was made since the start.
     */
    failedAt: number | null;
  };
}

interface StatusSources {
  clock: Clock;
  store: Store;
  database: string;
  metrics: Metrics;
  timeSeries: TimeSeries;
  isWritable: WriteProbe;
  backups: BackupSource;
}

/** The state of the server's own backups. Times are milliseconds. */
interface BackupSource {
  directory: string;
  /** Null: no automatic backups. */
  schedule: string | null;
  nextAt: () => number | null;
  /** When the newest sound backup was finished; null if there is none. */
  lastSoundAt: () => number | null;
  /** When the last backup since the start failed or copied a broken database; null if it did not. */
  lastFailureAt: () => number | null;
}

/** Commit times cover the last hour: slow commits when the server started say nothing about its present state. */
const COMMIT_WINDOW_MINUTES = 60;

export async function readStatus(sources: StatusSources): Promise<ServerStatus> {
  const { clock, store, database, metrics, timeSeries, isWritable, backups } = sources;
  const readSamples = async (name: string): Promise<readonly Sample[]> => (await metrics.readGauge(name)) ?? [];
  const readValue = async (name: string): Promise<number> => firstValue(await readSamples(name));
  const [writable, disk, rows, ages, callbacksWaiting, failures, memoryBytes, bytes, walBytes, recent] =
    await Promise.all([
      isWritable(),
      readDisk(dirname(database)),
      readSamples("waxwing_outbox_rows"),
      readSamples("waxwing_outbox_age_seconds"),
      readValue("waxwing_callbacks_waiting"),
      readValue("waxwing_commit_failures"),
      readValue("process_resident_memory_bytes"),
      readValue("waxwing_database_bytes"),
      readValue("waxwing_wal_bytes"),
      timeSeries.summarize(COMMIT_WINDOW_MINUTES),
    ]);
  return {
    at: clock.now(),
    version,
    commit,
    bun: Bun.version,
    sqlite: String(store.client.prepare("SELECT sqlite_version()").pluck().get()),
    schema: Number(store.client.pragma("user_version", { simple: true })),
    startedAt: timeSeries.startedAt,
    memoryBytes,
    isWritable: writable,
    database: { path: database, bytes, walBytes },
    disk,
    outbox: rows.map(([{ kind }, value]) => ({
      kind: String(kind),
      rows: value,
      ageSeconds: firstValue(ages.filter(([labels]) => labels.kind === kind)),
    })),
    callbacksWaiting,
    commits: { ...recent.commit, failures },
    backup: {
      directory: backups.directory,
      schedule: backups.schedule,
      nextAt: backups.nextAt(),
      verifiedAt: backups.lastSoundAt(),
      failedAt: backups.lastFailureAt(),
    },
  };
}

function firstValue(samples: readonly Sample[]): number {
  return samples[0]?.[1] ?? 0;
}

/** Null if the disk cannot be queried. */
export async function readDisk(directory: string): Promise<ServerStatus["disk"]> {
  try {
    const { bavail, blocks, bsize } = await statfs(directory);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}

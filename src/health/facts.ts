/**
 * The facts about the server itself from which its conditions are evaluated: disk, queues, backups, certificate. A
 * command reads them too, beside a running server or without one.
 */
import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "#src/core/clock.ts";
import type { FileState } from "#src/db/file-watch.ts";
import { type CertificateFacts, type CertificateSource, readCertificate } from "./certificate-facts.ts";
import type { Quantiles } from "./time-series.ts";
import { readUnused, type UnusedCallbacks } from "./unused-callbacks.ts";

export interface HealthFacts {
  at: number;
  /** What only the server's own process knows; null in another process. */
  process: {
    isWritable: boolean;
    /** Commit times over the last hour; failures since the start. */
    commits: Quantiles & { failures: number };
    /** When a commit last failed, milliseconds. */
    lastFailureAt: number | null;
    /** A newer release; null: none is known. */
    newerVersion?: string | null;
  } | null;
  /** Whether the path still names the file that the server opened. */
  databaseFile: FileState;
  database: { path: string; bytes: number; walBytes: number };
  /** Of the disk that holds the database; null if it cannot be determined. */
  disk: { freeBytes: number; totalBytes: number } | null;
  outbox: { kind: string; rows: number; ageSeconds: number }[];
  callbacksWaiting: number;
  /** Seconds since the oldest callback that is not applied became due. */
  callbacksAgeSeconds: number;
  unused: UnusedCallbacks;
  /** Received files for which there is no room, and since when, milliseconds. */
  mediaWaiting: { files: number; since: number | null };
  backup: BackupFacts;
  /** Null: the server has no certificate of its own. */
  certificate: CertificateFacts | null;
  /** No alarm is configured, and no operator has said that none is wanted. */
  lacksAlarms: boolean;
}

/** The state of the server's own backups. Times are milliseconds. */
export interface BackupFacts {
  directory: string;
  /** Null: no automatic backups. */
  schedule: string | null;
  /** The longest time between two scheduled backups; null without a schedule. */
  intervalMs: number | null;
  nextAt: number | null;
  /** Why nothing can be written to the directory; null: it can be. */
  unwritable: string | null;
  /** The time of the state in the newest sound backup. */
  verifiedAt: number | null;
  /** Since when a first verified backup is awaited; null if there is one, or that is not known. */
  awaitedSince: number | null;
  /** When the last backup failed or found the database broken; null if it did not. */
  failedAt: number | null;
  /** Null: backups stay on this machine. */
  remote: RemoteFacts | null;
}

/** The state of the archives that are kept off-site. Times are milliseconds. */
export interface RemoteFacts {
  /** `s3://bucket/prefix/` */
  place: string;
  /** The time of the state in the newest archive that was read back. */
  provedAt: number | null;
  /** Since when a first one is awaited; null if there is one. */
  awaitedSince: number | null;
  /** The consecutive failures since the last success; null if there are none. */
  failure: { since: number; attempts: number; reason: string } | null;
}

export interface FactSources {
  clock: Pick<Clock, "now">;
  query: (sql: string, parameters?: (string | number | null)[]) => Promise<Record<string, unknown>[]>;
  database: string;
  databaseFile: () => HealthFacts["databaseFile"];
  certificate: CertificateSource;
  backup: () => BackupFacts;
  process: () => Promise<HealthFacts["process"]>;
  lacksAlarms: boolean;
}

export const OUTBOX_SQL =
  "SELECT kind, count(*) AS depth, max(0, ? - min(due_at)) / 1000.0 AS age FROM outbox GROUP BY kind";
/** The condition of the index `callbacks_waiting`. */
const CALLBACKS_SQL =
  "SELECT count(*) AS waiting, max(0, ? - coalesce(min(due_at), ?)) / 1000.0 AS age FROM callbacks WHERE done_at IS NULL AND due_at <= ?";

/** The condition of the index `media_waiting`. */
const MEDIA_SQL = "SELECT count(*) AS files, min(waiting_since) AS since FROM media WHERE waiting_since IS NOT NULL";

/** Throws if the database cannot be read. */
export async function readFacts(sources: FactSources): Promise<HealthFacts> {
  const { clock, query, database } = sources;
  const now = clock.now();
  const [process, outbox, callbacks, certificate, unused, media] = await Promise.all([
    sources.process(),
    query(OUTBOX_SQL, [now]),
    query(CALLBACKS_SQL, [now, now, now]),
    readCertificate(sources.certificate, query),
    readUnused(query, now),
    query(MEDIA_SQL),
  ]);
  return {
    at: clock.now(),
    process,
    databaseFile: sources.databaseFile(),
    database: { path: database, bytes: sizeOf(database), walBytes: sizeOf(`${database}-wal`) },
    disk: readDisk(dirname(database)),
    outbox: outbox.map(({ kind, depth, age }) => ({
      kind: String(kind),
      rows: Number(depth),
      ageSeconds: Number(age),
    })),
    callbacksWaiting: Number(callbacks[0]?.waiting ?? 0),
    callbacksAgeSeconds: Number(callbacks[0]?.age ?? 0),
    unused,
    mediaWaiting: {
      files: Number(media[0]?.files ?? 0),
      since: media[0]?.since == null ? null : Number(media[0].since),
    },
    backup: sources.backup(),
    certificate,
    lacksAlarms: sources.lacksAlarms,
  };
}

/** Null if the disk cannot be queried. */
export function readDisk(directory: string): HealthFacts["disk"] {
  try {
    const { bavail, blocks, bsize } = statfsSync(directory);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}

/** 0 if the file does not exist: an empty WAL may have no file. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

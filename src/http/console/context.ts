/** What a running server has that the console's routes need. */

import type { BackupJobs } from "#src/backup/jobs.ts";
import type { BackupSchedule } from "#src/backup/schedule.ts";
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Random } from "#src/core/random.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { Reader } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import type { WriteProbe } from "#src/db/write-probe.ts";
import type { DoctorSettings } from "#src/health/doctor-context.ts";
import type { ServerStatus } from "#src/health/status.ts";
import type { TimeSeries } from "#src/health/time-series.ts";
import type { SendOptions } from "#src/sending/send-message.ts";
import type { BulkJobs } from "#src/transfer/bulk-jobs.ts";
import type { ImportFiles } from "#src/transfer/import-files.ts";
import type { ImportJobs } from "#src/transfer/import-jobs.ts";
import type { KeyQueue } from "../key-queue.ts";
import type { RateLimits } from "../rate-limit.ts";
import type { UnverifiedBodies } from "../unverified-body.ts";
import type { BroadcastStreams } from "./broadcast-stream.ts";
import type { DashboardCounters } from "./dashboard.ts";
import type { Passwords } from "./passwords.ts";

export interface ConsoleOptions {
  store: Store;
  clock: Clock;
  random: Random;
  log: Log;
  box: SecretBox;
  dispatch: SendOptions;
  /** The server's own condition, and the work on its database. */
  system: System;
  reader: Reader;
  searchReader: Reader;
  limits: RateLimits & { bodyBytes: number };
  /** For the forms of sign-ins and one-time links. */
  bodies: UnverifiedBodies;
  /** What the doctor looks at beside the rows. */
  doctor: DoctorSettings;
  /** Where files of people wait for their import. */
  importFiles: ImportFiles;
  /** What is let through as a webhook address. */
  webhooks: { allowHttp: boolean; allowPrivate: boolean };
  /** The address by which the world reaches this server, without a slash at the end; null: not said. */
  publicUrl: string | null;
  hasTls: boolean;
  /** Aborted when the server stops: streams end then. */
  stopping: AbortSignal;
  /** Whether a peer's word about where a request comes from is believed. */
  isTrustedProxy: (address: string) => boolean;
}

/** The server's knowledge of itself and the work on its own database. */
export interface System {
  isWritable: WriteProbe;
  jobs: BackupJobs;
  timeSeries: TimeSeries;
  /** When the server backs itself up. */
  backups: BackupSchedule;
  status: () => Promise<ServerStatus>;
  /** Of the disk that the database is on. */
  disk: () => Promise<ServerStatus["disk"]>;
}

export interface ConsoleContext extends Omit<ConsoleOptions, "isTrustedProxy" | "limits" | "bodies"> {
  passwords: Passwords;
  keyQueue: KeyQueue;
  broadcastStreams: BroadcastStreams;
  imports: ImportJobs;
  bulk: BulkJobs;
  dashboard: DashboardCounters;
  /** Whether cookies may only travel over HTTPS. */
  isSecure: boolean;
}

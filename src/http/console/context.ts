/** The parts of a running server that the console's routes use. */

import type { BackupJobs } from "#src/backup/jobs.ts";
import type { RemoteBackups } from "#src/backup/remote-schedule.ts";
import type { BackupSchedule } from "#src/backup/schedule.ts";
import type { Clock } from "#src/core/clock.ts";
import type { Listeners } from "#src/core/listeners.ts";
import type { Log } from "#src/core/log.ts";
import type { LogTail } from "#src/core/log-tail.ts";
import type { QuietHours } from "#src/core/quiet-hours.ts";
import type { Random } from "#src/core/random.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { Turns } from "#src/core/turns.ts";
import type { Readers } from "#src/db/fair-reader.ts";
import type { Store } from "#src/db/store.ts";
import type { WriteProbe } from "#src/db/write-probe.ts";
import type { ErasureHolders } from "#src/domain/contacts/table.ts";
import type { TestedChannel } from "#src/health/alarm-test.ts";
import type { KnownCondition } from "#src/health/conditions.ts";
import type { DoctorSettings } from "#src/health/doctor-context.ts";
import type { ServerStatus } from "#src/health/status.ts";
import type { TimeSeries } from "#src/health/time-series.ts";
import type { MediaFiles } from "#src/media/files.ts";
import type { UploadPieces } from "#src/media/pieces.ts";
import type { Uploads } from "#src/media/uploads.ts";
import type { SendOptions } from "#src/sending/send-message.ts";
import type { BulkJobs } from "#src/transfer/bulk-jobs.ts";
import type { ImportFiles } from "#src/transfer/import-files.ts";
import type { ImportJobs } from "#src/transfer/import-jobs.ts";
import type { HandOutFiles } from "#src/transfer/person-data/hand-out-files.ts";
import type { TrialOptions } from "#src/webhooks/try-secret.ts";
import type { AnswerStreams } from "../answer-streams.ts";
import type { KeyQueue } from "../key-queue.ts";
import type { RateLimits } from "../rate-limit.ts";
import type { UnverifiedBodies } from "../unverified-body.ts";
import type { BroadcastStreams } from "./broadcast-stream.ts";
import type { DashboardCounters } from "./dashboard.ts";
import type { InboxStreams } from "./inbox-stream.ts";
import type { PasswordCost, Passwords } from "./passwords.ts";

export interface ConsoleOptions {
  store: Store;
  clock: Clock;
  random: Random;
  log: Log;
  /** Emits after commits of other processes. */
  otherCommits: Listeners;
  box: SecretBox;
  dispatch: SendOptions;
  media: MediaFiles;
  uploads: Uploads;
  pieces: UploadPieces;
  /** The server's own state, and jobs on its database. */
  system: System;
  readers: Readers;
  limits: RateLimits & { bodyBytes: number };
  /** Exports take turns with every other long work. */
  turns: Turns;
  streams: AnswerStreams;
  /** Memory budget for the forms of sign-in and one-time links. */
  bodies: UnverifiedBodies;
  /** When the network last verified the callback address with a token that is none of ours. */
  verification: { refusedAt: number | null };
  /** Settings that the doctor checks in addition to the database. */
  doctor: DoctorSettings;
  /** Uploaded contact files waiting for their import. */
  importFiles: ImportFiles;
  /** Archives that are handed out to people. */
  handOutFiles: HandOutFiles;
  /** The configuration's quiet hours, for workspaces without their own; null: none. */
  quiet: QuietHours | null;
  /** Which webhook addresses are permitted. */
  webhooks: { allowHttp: boolean; allowPrivate: boolean };
  /** For the test event of a new secret. */
  poster: TrialOptions["poster"];
  realClock: TrialOptions["realClock"];
  /** The public address of this server, without a trailing slash. Null: not configured. */
  publicUrl: string | null;
  hasTls: boolean;
  /** Whether the server sends users one-time links by e-mail. */
  sendsEmail: boolean;
  /** Aborted when the server stops, which ends all streams. */
  stopping: AbortSignal;
  /** Whether every answer is compared with its schema. Costs time, so only tests do it. */
  checksAnswers: boolean;
  /** What hashing a password costs. */
  passwordCost: PasswordCost;
  /** Whether this peer is a proxy whose forwarding headers are trusted. */
  isTrustedProxy: (address: string) => boolean;
}

interface ShownSetting {
  path: string;
  /** Null: a secret, which is set. */
  value: string | number | boolean | readonly string[] | null;
  /** Null: none was given. */
  place: { source: string; line: number | null } | null;
  description: string;
}

/** What is known of the newest release. */
interface KnownRelease {
  /** Null: the address of releases was not asked since the start. */
  checkedAt: number | null;
  /** `changes`: since the version that runs; empty unless it is newer. Null: none was read. */
  release: {
    version: string;
    schema: number;
    isNewer: boolean;
    changes: { version: string; date: string | null; groups: { title: string | null; items: string[] }[] }[];
  } | null;
  /** Why the last question had no answer; null: it had one. */
  failure: string | null;
}

/** What the server knows about itself, and jobs on its own database. */
export interface System {
  isWritable: WriteProbe;
  jobs: BackupJobs;
  /** Null: backups stay on this machine. */
  remote: Pick<RemoteBackups, "place" | "state"> | null;
  timeSeries: TimeSeries;
  /** The schedule of automatic backups. */
  backups: BackupSchedule;
  status: () => Promise<ServerStatus>;
  /** Evaluates the conditions that need a person, and returns those that last. */
  conditions: () => Promise<KnownCondition[]>;
  /** Those that lasted at the last evaluation, which is at most half a minute ago. */
  knownConditions: () => readonly KnownCondition[];
  /** Sends a test alarm through each channel. */
  testAlarms: () => Promise<TestedChannel[]>;
  /** Releases: where they are (null: no place is known), and whether the configuration asks there once a day. */
  upgrade: {
    place: string | null;
    asksDaily: boolean;
    known: () => KnownRelease;
    /** Asks now. Never rejects. */
    check: () => Promise<KnownRelease>;
  };
  /** Every setting as it is in force. `file`: the configuration that was read; null: there was none. */
  settings: { file: string | null; settings: readonly ShownSetting[] };
  /** What the server logged recently. */
  log: Pick<LogTail, "newest">;
  /** The copies of the database that last: a person who is erased is still in them. */
  copies: () => Pick<ErasureHolders, "backups" | "is_replicated">;
  /** Free and total bytes of the disk that holds the database. */
  disk: () => ServerStatus["disk"];
}

export interface ConsoleContext
  extends Omit<ConsoleOptions, "isTrustedProxy" | "limits" | "bodies" | "streams" | "checksAnswers" | "passwordCost"> {
  passwords: Passwords;
  keyQueue: KeyQueue;
  broadcastStreams: BroadcastStreams;
  inboxStreams: InboxStreams;
  imports: ImportJobs;
  bulk: BulkJobs;
  dashboard: DashboardCounters;
  /** Whether cookies are sent over HTTPS only. */
  isSecure: boolean;
}

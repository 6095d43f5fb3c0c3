/** What a running server has that the console's routes need. */
import type { KeyQueue } from "#src/api/key-queue.ts";
import type { RateLimits } from "#src/api/rate-limit.ts";
import type { UnprovenBodies } from "#src/api/unproven-body.ts";
import type { DoctorSettings } from "#src/doctor/surroundings.ts";
import type { BulkJobs } from "#src/imports/bulk-jobs.ts";
import type { ImportFiles } from "#src/imports/import-files.ts";
import type { ImportJobs } from "#src/imports/import-jobs.ts";
import type { Log } from "#src/log.ts";
import type { Clock } from "#src/primitives/clock.ts";
import type { Random } from "#src/primitives/random.ts";
import type { SecretBox } from "#src/primitives/secret.ts";
import type { Reader } from "#src/storage/reader.ts";
import type { Store } from "#src/storage/store.ts";
import type { System } from "#src/system/system.ts";
import type { HandOverOptions } from "#src/workers/hand-over.ts";
import type { LiveBroadcasts } from "./live.ts";
import type { Passwords } from "./passwords.ts";
import type { TodayFigures } from "./today.ts";

export interface ConsoleOptions {
  store: Store;
  clock: Clock;
  random: Random;
  log: Log;
  box: SecretBox;
  handOver: HandOverOptions;
  /** The server's own condition, and the work on its database. */
  system: System;
  reader: Reader;
  searchReader: Reader;
  limits: RateLimits & { bodyBytes: number };
  /** For the forms of sign-ins and one-time links. */
  bodies: UnprovenBodies;
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

export interface ConsoleParts extends Omit<ConsoleOptions, "isTrustedProxy" | "limits" | "bodies"> {
  passwords: Passwords;
  keyQueue: KeyQueue;
  live: LiveBroadcasts;
  imports: ImportJobs;
  bulk: BulkJobs;
  today: TodayFigures;
  /** Whether cookies may only travel over HTTPS. */
  isSecure: boolean;
}

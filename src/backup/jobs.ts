/**
 * Work on whole databases that a running server does: backups, looking them over, rehearsing a restore, checking the
 * database itself. One at a time, each in a thread of its own; how far it is and what it came to can be asked for.
 */

import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { BackupJobOutcome, BackupJobRequest, WorkerRequest, WorkerResponse } from "./backup-worker.ts";
import { faultsOf, type ListedBackup, listBackups } from "./verification-reports.ts";

export interface BackupJobsOptions {
  clock: Clock;
  log: Log;
  database: string;
  /** Where the server's own backups are. */
  directory: string;
  /** Told when a backup is proven good (milliseconds), and with null when one has failed. */
  onBackup: (at: number | null) => void;
}

export interface BackupJob {
  request: BackupJobRequest;
  startedAt: number;
  /** What it does at the moment, in words. */
  step: string | null;
}

export interface FinishedJob extends BackupJob {
  endedAt: number;
  /** Null: it failed, and `error` says why. */
  outcome: BackupJobOutcome | null;
  error: string | null;
}

export class BackupJobs {
  readonly #options: BackupJobsOptions;
  readonly #finished = new Map<BackupJobRequest["kind"], FinishedJob>();
  #worker: Worker | null = null;
  #next: BackupJobRequest | null = null;
  #current: BackupJob | null = null;

  constructor(options: BackupJobsOptions) {
    this.#options = options;
  }

  get directory(): string {
    return this.#options.directory;
  }

  get current(): Readonly<BackupJob> | null {
    return this.#current;
  }

  get isActive(): boolean {
    return this.#current !== null;
  }

  /** The last one of its kind since the start of the server. */
  findLast(kind: BackupJobRequest["kind"]): Readonly<FinishedJob> | null {
    return this.#finished.get(kind) ?? null;
  }

  /** The newest first. Reads the directory: a handful of files. */
  list(): ListedBackup[] {
    return listBackups(this.#options.directory);
  }

  /** When the newest sound backup was finished, milliseconds; null: there is none. */
  lastSoundAt(): number | null {
    return (
      this.list().find(
        ({ verificationReport }) => verificationReport !== null && faultsOf(verificationReport).length === 0,
      )?.createdAt ?? null
    );
  }

  /** When the last backup since the start failed or copied a broken database, milliseconds; null: it did not. */
  lastFailureAt(): number | null {
    const last = this.findLast("backup");
    return last === null || isSoundBackup(last) ? null : last.endedAt;
  }

  /** False, and nothing is done, while another one is under way. */
  start(request: BackupJobRequest): boolean {
    if (this.#current !== null) return false;
    const { clock, database, directory } = this.#options;
    const now = clock.now();
    const job: BackupJob = { request, startedAt: now, step: null };
    this.#current = job;
    const worker = new Worker(workerUrl());
    this.#worker = worker;
    worker.onmessage = ({ data }: { data: WorkerResponse }) => {
      if ("step" in data) job.step = data.step;
      else this.#end(job, "outcome" in data ? data.outcome : null, "error" in data ? data.error : null);
    };
    worker.onerror = (event) => this.#end(job, null, event.message);
    worker.postMessage({ ...request, database, directory, now } satisfies WorkerRequest);
    return true;
  }

  /** At once, or after what is under way; of several that wait, the last. */
  startNext(request: BackupJobRequest): void {
    if (!this.start(request)) this.#next = request;
  }

  /** What is under way is given up; what is left of it goes with the next one. */
  stop(): void {
    this.#next = null;
    this.#close();
  }

  #close(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#current = null;
  }

  #end(job: BackupJob, outcome: BackupJobOutcome | null, error: string | null): void {
    if (this.#current !== job) return;
    this.#close();
    this.#finished.set(job.request.kind, { ...job, endedAt: this.#options.clock.now(), outcome, error });
    this.#logOutcome(job, outcome, error);
    const next = this.#next;
    this.#next = null;
    if (next !== null) this.start(next);
  }

  #logOutcome({ request, startedAt }: BackupJob, outcome: BackupJobOutcome | null, reason: string | null): void {
    const { log, onBackup } = this.#options;
    if (outcome === null) {
      if (request.kind === "backup") onBackup(null);
      log.error(FAILED[request.kind], { ...("name" in request ? { file: request.name } : {}), reason });
      return;
    }
    if (outcome.kind !== "backup") {
      const findings = outcome.kind === "check" ? outcome.result.findings : faultsOf(outcome.verificationReport);
      const about = outcome.kind === "check" ? {} : { file: outcome.name };
      if (findings.length === 0) log.info(DONE[outcome.kind], about);
      else log.error(BROKEN[outcome.kind], { ...about, broken: findings.map(({ name }) => name) });
      return;
    }
    const { name: file, bytes, verificationReport, removed } = outcome;
    const broken = verificationReport.findings.map(({ name, count, of }) => `${name}: ${count} × ${of}`);
    if (broken.length === 0) {
      onBackup(startedAt);
      log.info("backed up", { file, bytes, ...verificationReport.counts, removed });
      return;
    }
    onBackup(null);
    log.error("backed up, but the database itself is not right; no older backup is removed (waxwing check)", {
      file,
      broken,
    });
  }
}

function isSoundBackup({ outcome }: FinishedJob): boolean {
  return outcome?.kind === "backup" && faultsOf(outcome.verificationReport).length === 0;
}

const FAILED = {
  backup: "a backup failed; those made before are kept",
  verify: "a backup could not be looked over",
  drill: "a restore could not be rehearsed",
  check: "the database could not be checked",
} as const;
const DONE = {
  verify: "a backup was looked over and is sound",
  drill: "a restore was rehearsed",
  check: "the database is sound",
} as const;
const BROKEN = {
  verify: "a backup is not sound",
  drill: "a backup is not sound, so its restore was not rehearsed",
  check: "the database is broken (waxwing check)",
} as const;

/** In the executable the worker is an entry of its own, found by its path in the project; else the file beside this one. */
function workerUrl(): string | URL {
  const isCompiled = import.meta.url.includes("/$bunfs/");
  return isCompiled ? "./src/backup/backup-worker.ts" : new URL("./backup-worker.ts", import.meta.url);
}

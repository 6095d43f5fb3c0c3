/**
 * Jobs of a running server on whole databases: backup, verification, restore drill, check, sending off-site. Jobs run one at a time, each
 * in its own worker thread; the current job's step and the last outcome of each kind can be read.
 */

import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { LogEvent } from "#src/core/log-events.ts";
import type { BackupJobOutcome, BackupJobRequest, WorkerRequest, WorkerResponse } from "./backup-worker.ts";
import { faultsOf, type ListedBackup, lastSoundAt, listBackups } from "./verification-reports.ts";

interface BackupJobsOptions {
  clock: Clock;
  log: Log;
  database: string;
  /** The directory of the server's own backups. */
  directory: string;
  /** Called when a backup failed, or copied a broken database. */
  onFailure: () => void;
}

interface BackupJob {
  request: BackupJobRequest;
  startedAt: number;
  /** The current step, in words. */
  step: string | null;
}

export interface FinishedJob extends BackupJob {
  endedAt: number;
  /** Null if the job failed; `error` then says why. */
  outcome: BackupJobOutcome | null;
  error: string | null;
}

export class BackupJobs {
  readonly #options: BackupJobsOptions;
  readonly #finished = new Map<BackupJobRequest["kind"], FinishedJob>();
  #worker: Worker | null = null;
  #next: BackupJobRequest | null = null;
  #current: BackupJob | null = null;
  #onEnd: (job: Readonly<FinishedJob>) => void = () => undefined;

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

  /** The last finished job of this kind since the server started. */
  findLast(kind: BackupJobRequest["kind"]): Readonly<FinishedJob> | null {
    return this.#finished.get(kind) ?? null;
  }

  /** The backups, newest first. Reads the directory, which holds only a few files. */
  list(): ListedBackup[] {
    return listBackups(this.#options.directory);
  }

  /** The time of the state in the newest sound backup, in milliseconds; null if there is none. */
  lastSoundAt(): number | null {
    return lastSoundAt(this.#options.directory);
  }

  /**
   * When the last backup failed or copied a broken database, in milliseconds; null if it was sound or none was made
   * since the start.
   */
  lastFailureAt(): number | null {
    const last = this.findLast("backup");
    return last === null || isSoundBackup(last) ? null : last.endedAt;
  }

  /** Starts the job. Returns false, and starts nothing, while another job is running. */
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

  /** Starts the job now, or after the current one. If several wait, only the last one runs. */
  startNext(request: BackupJobRequest): void {
    if (!this.start(request)) this.#next = request;
  }

  /** Calls `handle` after each job, when the next one can start. */
  onEnd(handle: (job: Readonly<FinishedJob>) => void): void {
    this.#onEnd = handle;
  }

  /** Abandons the current job. The next backup removes what is left of it. */
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
    const finished = { ...job, endedAt: this.#options.clock.now(), outcome, error };
    this.#finished.set(job.request.kind, finished);
    this.#logOutcome(job, outcome, error);
    const next = this.#next;
    this.#next = null;
    if (next !== null) this.start(next);
    this.#onEnd(finished);
  }

  #logOutcome({ request }: BackupJob, outcome: BackupJobOutcome | null, reason: string | null): void {
    const { log, onFailure } = this.#options;
    const file = "name" in request ? { file: request.name } : {};
    if (outcome === null) {
      if (request.kind === "backup") onFailure();
      const failed: Entry = WORDS[request.kind].failed;
      log.error(...failed, { ...file, reason });
    } else if (outcome.kind === "send") {
      const { key: archive, bytes, removed, notRemoved } = outcome.sent;
      log.info(...WORDS.send.completed, { ...file, archive, bytes, removed });
      if (notRemoved !== null)
        log.warn("remote.not_deleted", "Older archives could not be deleted in the store", { reason: notRemoved });
    } else if (outcome.kind === "backup") this.#logBackup(outcome);
    else {
      const findings = outcome.kind === "check" ? outcome.result.findings : faultsOf(outcome.verificationReport);
      const { completed, broken }: Record<"completed" | "broken", Entry> = WORDS[outcome.kind];
      if (findings.length === 0) log.info(...completed, file);
      else log.error(...broken, { ...file, broken: findings.map(({ name }) => name) });
    }
  }

  #logBackup({ name: file, bytes, verificationReport, removed }: Extract<BackupJobOutcome, { kind: "backup" }>): void {
    const { log, onFailure } = this.#options;
    const broken = verificationReport.findings.map(({ name, count, of }) => `${name}: ${count} × ${of}`);
    if (broken.length === 0) {
      log.info(...WORDS.backup.completed, { file, bytes, ...verificationReport.counts, removed });
      return;
    }
    onFailure();
    log.error(...WORDS.backup.broken, { file, broken });
  }
}

function isSoundBackup({ outcome }: FinishedJob): boolean {
  return outcome?.kind === "backup" && faultsOf(outcome.verificationReport).length === 0;
}

type Entry = readonly [event: LogEvent, message: string];

/** What is logged of each kind of job. */
const WORDS = {
  backup: {
    failed: ["backup.failed", "Backup failed; earlier backups are kept"],
    completed: ["backup.completed", "Backup completed"],
    broken: [
      "backup.broken",
      "Backup completed, but the database fails its check; older backups are kept. Run waxwing check",
    ],
  },
  verify: {
    failed: ["verification.failed", "Verification of a backup did not finish"],
    completed: ["verification.completed", "Backup verified"],
    broken: ["verification.broken", "Backup is damaged"],
  },
  drill: {
    failed: ["drill.failed", "Restore drill did not finish"],
    completed: ["drill.completed", "Restore drill passed"],
    broken: ["drill.broken", "Backup is damaged, so the restore drill was not run"],
  },
  check: {
    failed: ["check.failed", "Check of the database did not finish"],
    completed: ["check.completed", "Database check passed"],
    broken: ["check.broken", "Database check found errors. Run waxwing check"],
  },
  send: {
    failed: ["remote.failed", "Backup could not be sent off-site; trying again"],
    completed: ["remote.completed", "Backup sent off-site and read back"],
  },
} as const satisfies Record<BackupJobRequest["kind"], Record<string, Entry>>;

/** In the compiled executable the worker is a separate entry point, addressed by its path in the project. */
function workerUrl(): string | URL {
  const isCompiled = import.meta.url.includes("/$bunfs/");
  return isCompiled ? "./src/backup/backup-worker.ts" : new URL("./backup-worker.ts", import.meta.url);
}

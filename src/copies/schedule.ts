/**
 * The server's own backups, by a cron expression in the machine's timezone: each made and proven in a thread of its own,
 * so that no request waits. One that fails is told and leaves the older ones alone.
 */
import { Cron } from "croner";
import type { Log } from "#src/log.ts";
import type { Clock, Timer } from "#src/primitives/clock.ts";
import type { BackupAnswer, BackupOrder } from "./backup-worker.ts";

export interface ScheduleOptions {
  clock: Clock;
  log: Log;
  database: string;
  /** Five fields; null: never. */
  schedule: string | null;
  directory: string;
  keep: number;
  /** Told when a backup is proven good (milliseconds), and with null when one has failed. */
  onEnd: (at: number | null) => void;
}

/** A clock may be set, and a laptop sleeps: the time is looked at again at least this often. */
const LOOK_AT_LEAST_MS = 600_000;

export class BackupSchedule {
  readonly #options: ScheduleOptions;
  #timer: Timer | null = null;
  #worker: Worker | null = null;
  #isStopped = true;

  constructor(options: ScheduleOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    const { schedule, clock } = this.#options;
    if (schedule !== null) this.#wait(schedule, this.#nextAfter(schedule, clock.now()));
  }

  /** A backup under way is given up; what is left of it goes with the next one. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#worker?.terminate();
    this.#worker = null;
  }

  get isActive(): boolean {
    return this.#worker !== null;
  }

  #nextAfter(schedule: string, now: number): number | null {
    return new Cron(schedule, { mode: "5-part", paused: true }).nextRun(new Date(now))?.getTime() ?? null;
  }

  #wait(schedule: string, dueAt: number | null): void {
    if (this.#isStopped || dueAt === null) return;
    const { clock } = this.#options;
    const waitMs = Math.min(Math.max(0, dueAt - clock.now()), LOOK_AT_LEAST_MS);
    this.#timer = clock.setTimer(waitMs, () => {
      const now = clock.now();
      if (now < dueAt) return this.#wait(schedule, dueAt);
      this.#begin(now);
      this.#wait(schedule, this.#nextAfter(schedule, now));
    });
  }

  #begin(now: number): void {
    const { log, database, directory, keep, onEnd } = this.#options;
    if (this.#worker !== null) {
      log.warn("a backup is due while the one before is still being made; it is left out");
      return;
    }
    const worker = new Worker(workerUrl());
    this.#worker = worker;
    const end = (answer: BackupAnswer): void => {
      worker.terminate();
      this.#worker = null;
      if ("error" in answer) {
        onEnd(null);
        log.error("the scheduled backup failed; those made before are kept", { reason: answer.error });
        return;
      }
      const { backup, removed } = answer;
      const broken = backup.findings.map(({ name, count, of }) => `${name}: ${count} × ${of}`);
      if (broken.length === 0) {
        onEnd(now);
        log.info("backed up", { file: backup.file, bytes: backup.bytes, ...backup.counts, removed });
        return;
      }
      onEnd(null);
      log.error("backed up, but the database itself is not right; no older backup is removed (waxwing check)", {
        file: backup.file,
        broken,
      });
    };
    worker.onmessage = ({ data }: { data: BackupAnswer }) => end(data);
    worker.onerror = (event) => end({ error: event.message });
    worker.postMessage({ database, directory, keep, now } satisfies BackupOrder);
  }
}

/** In the executable the worker is an entry of its own, found by its path in the project; else the file beside this one. */
function workerUrl(): string | URL {
  const isCompiled = import.meta.url.includes("/$bunfs/");
  return isCompiled ? "./src/copies/backup-worker.ts" : new URL("./backup-worker.ts", import.meta.url);
}

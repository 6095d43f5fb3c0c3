/**
 * The workers of this process that take new jobs as they are stored. Such a job is stored as claimed and given to its
 * worker by memory, once it is on disk: it needs no commit that claims it, and never enters the index of due jobs. After a
 * crash it is reclaimed like any other claimed job.
 */
import { oncePerConnection } from "#src/db/transaction.ts";
import type { OutboxKind, OutboxRow } from "./table.ts";

export interface JobTaker {
  readonly runId: string;
  /** Whether it takes another job of this queue; asked inside transactions, so it changes nothing. */
  hasRoom(queueKey: number): boolean;
  /** `row` is claimed by this process, and on disk. Call it in the turn of the commit. */
  take(row: OutboxRow): void;
}

/** By kind. A command has none, nor has a server before its workers start. */
export const takersOf = oncePerConnection(() => new Map<OutboxKind, JobTaker>());

/**
 * The workers of this process that take new jobs by memory, once what the jobs are about is on disk. Such a job has no row in
 * the outbox: that would be written, claimed and deleted within a moment. The row of its subject says that the job is in
 * memory, so the next start finds it after a crash.
 */
import { oncePerConnection } from "#src/db/transaction.ts";
import type { OutboxKind, OutboxRow } from "./table.ts";

export interface JobTaker {
  readonly runId: string;
  /** Whether it takes another job of this queue; asked inside transactions, so it changes nothing. */
  hasRoom(queueKey: number): boolean;
  /** The id of `row` is `IN_MEMORY`, and its subject is on disk. Call it in the turn of the commit. */
  take(row: OutboxRow): void;
}

/** By kind. A command has none, nor has a server before its workers start. */
export const takersOf = oncePerConnection(() => new Map<OutboxKind, JobTaker>());

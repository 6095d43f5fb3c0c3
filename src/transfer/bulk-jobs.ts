/**
 * Runs bulk changes in the server, one of a workspace at a time. The reader's thread finds the next contacts; each transaction changes
 * contacts for a few milliseconds and is followed by a gap, so that other writers do not wait. Stopping the server
 * interrupts a change: it stays `running` and continues from there when a user starts it again.
 */

import type { Clock } from "#src/core/clock.ts";
import { allSentences } from "#src/core/fault.ts";
import type { Log } from "#src/core/log.ts";
import { Problem } from "#src/core/problem.ts";
import type { Reader, WorkspaceReaders } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import type { Sql } from "#src/domain/filters/compile.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { applyBatch, endBulkChange, getBulkChange, type NextContact, nextListed } from "./bulk-changes.ts";
import { nextTargetQuery } from "./bulk-target.ts";
import { FairQueue } from "./fair-queue.ts";
import type { BulkChange } from "./table.ts";
import { Throttle } from "./throttle.ts";

interface BulkJobsOptions {
  store: Store;
  clock: Clock;
  readers: WorkspaceReaders;
  log: Pick<Log, "error">;
  /** Aborted when the server stops. */
  stopping: AbortSignal;
}

/** How many workspaces' changes run beside each other. */
const RUNNING_MAX = 2;
/** Contacts per read; more than one transaction changes. */
const CONTACTS_PER_READ = 200;

export class BulkJobs {
  readonly #options: BulkJobsOptions;
  readonly #throttle: Throttle;
  readonly #running = new Set<number>();
  readonly #queue = new FairQueue(RUNNING_MAX);

  constructor(options: BulkJobsOptions) {
    this.#options = options;
    this.#throttle = new Throttle(options.store, options.clock, () => true, true);
  }

  isRunning(id: number): boolean {
    return this.#running.has(id);
  }

  /** Queues the change behind those that are running. Its row is in state `running`. */
  start({ id, workspaceId }: Pick<BulkChange, "id" | "workspaceId">): void {
    if (this.#running.has(id)) return;
    this.#running.add(id);
    this.#queue.add(workspaceId, () => this.#run(workspaceId, id));
  }

  async #run(workspaceId: number, id: number): Promise<void> {
    const { store, log, stopping } = this.#options;
    try {
      while (!stopping.aborted && (await this.#runBatch(workspaceId, id))) await this.#throttle.waitForGap();
    } catch (error) {
      // The row stays `running`, so that the change shows as interrupted after the next start.
      if (stopping.aborted) return;
      if (!(error instanceof Problem)) log.error("bulk_change.failed", "Bulk change failed", { error });
      const text =
        error instanceof Problem ? describeProblem(error) : "Internal error: the server's log has the details.";
      await store
        .write((tx) => endBulkChange(tx, id, "failed", text))
        .catch((reason: unknown) =>
          log.error("bulk_change.not_recorded", "Failure of a bulk change could not be recorded", { error: reason }),
        );
    } finally {
      this.#running.delete(id);
    }
  }

  /** Returns false if the change has ended. */
  async #runBatch(workspaceId: number, id: number): Promise<boolean> {
    const { store, clock, readers } = this.#options;
    const { job, listed, query } = store.read((tx) => {
      const found = getBulkChange(tx, workspaceId, id);
      const { target, position, createdAt } = found;
      const isOver = found.state !== "running" || target === null;
      if (isOver) return { job: found, listed: [], query: null };
      if ("isListed" in target) return { job: found, listed: nextListed(tx, found, CONTACTS_PER_READ), query: null };
      const workspace = getWorkspace(tx, workspaceId);
      const query = nextTargetQuery(tx, workspace, { target, position, at: createdAt }, CONTACTS_PER_READ);
      return { job: found, listed: [], query };
    });
    if (job.state !== "running") return false;
    const next = query === null ? listed : await readNext(readers.of(workspaceId), query);
    const first = next[0];
    if (first === undefined || first.position > job.last) {
      await store.write((tx) => endBulkChange(tx, id, "done"));
      return false;
    }
    const askedAt = clock.monotonic();
    const shouldContinue = await store.write((tx) => {
      const startedAt = clock.monotonic();
      const hasTime = () => clock.monotonic() - startedAt <= this.#throttle.transactionMs;
      return applyBatch(tx, getWorkspace(tx, workspaceId), job, next, hasTime);
    });
    this.#throttle.startGap(askedAt);
    return shouldContinue;
  }
}

async function readNext(reader: Reader, { sql, parameters }: Sql): Promise<NextContact[]> {
  const rows = await reader.query(sql, parameters);
  return rows.map((row) => {
    const contactId = "contact_id" in row ? row.contact_id : row.id;
    return { position: Number(row.id), contactId: contactId === null ? null : Number(contactId) };
  });
}

function describeProblem(problem: Problem): string {
  const sentences = allSentences(problem.details.fields);
  return sentences.length === 0 ? problem.message : sentences.join(" ");
}

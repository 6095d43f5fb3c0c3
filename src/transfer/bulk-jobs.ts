/**
 * Runs bulk changes in the server, one of a workspace at a time. The reader's thread finds the next contacts; each transaction changes
 * contacts for a few milliseconds and is followed by a gap, so that other writers do not wait. Stopping the server
 * interrupts a change: it stays `running` and continues from there when a user starts it again.
 */

import { type Clock, nextTurn } from "#src/core/clock.ts";
import { allSentences } from "#src/core/fault.ts";
import type { Log } from "#src/core/log.ts";
import { Problem } from "#src/core/problem.ts";
import type { Reader, WorkspaceReaders } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import type { Sql } from "#src/domain/filters/compile.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import {
  addListed,
  applyBatch,
  createListing,
  discardListing,
  endBulkChange,
  getBulkChange,
  listLeftLists,
  type NextContact,
  nextListed,
  PARTS_AT_ONCE,
  removeList,
} from "./bulk-changes.ts";
import { type CountedTarget, IDS_IN_PART, nextTargetQuery } from "./bulk-target.ts";
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
    // What a process that was killed has left: nothing has begun in this one.
    for (const id of options.store.read(listLeftLists)) void this.discard(id);
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

  /**
   * Stores a list of contacts, slice by slice, for a change that `beginListed` begins. Returns the change's id. A crash leaves a list
   * that the next start removes.
   */
  async list(workspaceId: number, userId: number, { count, parts }: CountedTarget): Promise<number> {
    const { store } = this.#options;
    const id = await store.write((tx) => createListing(tx, workspaceId, userId, count));
    for (let stored = 0; stored < parts.length; stored += PARTS_AT_ONCE) {
      await store.write((tx) => {
        for (const [index, ids] of parts.slice(stored, stored + PARTS_AT_ONCE).entries())
          addListed(tx, id, (stored + index) * IDS_IN_PART, ids);
      });
      await nextTurn();
    }
    return id;
  }

  /** Removes the list of a change that did not begin, slice by slice. Does nothing if it has begun. */
  async discard(id: number): Promise<void> {
    const { store, stopping, log } = this.#options;
    try {
      await store.write((tx) => discardListing(tx, id));
      await this.clear(id);
    } catch (error) {
      // The next start removes it.
      if (!stopping.aborted) log.error("bulk_change.failed", "List of a bulk change could not be removed", { error });
    }
  }

  /** Deletes what is left of the list of a change that has ended, slice by slice. */
  async clear(id: number): Promise<void> {
    const { store, stopping } = this.#options;
    while (!stopping.aborted && (await store.write((tx) => removeList(tx, id)))) await nextTurn();
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
      void this.clear(id).catch(() => undefined);
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

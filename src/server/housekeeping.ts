/** Deletes what is past its retention, in small batches with pauses between them, so that requests do not wait for it. */

import { type Clock, sleep } from "#src/core/clock.ts";
import { type Duration, durationBefore } from "#src/core/duration.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import { deleteExpired } from "#src/db/expiry.ts";
import type { Store } from "#src/db/store.ts";
import type { RetentionTask } from "#src/db/table-policies.ts";
import type { Tx } from "#src/db/transaction.ts";
import { purgeDrafts } from "#src/domain/broadcasts/drafts.ts";
import { purgeRecipients, skipUnsent } from "#src/domain/broadcasts/skip-unsent.ts";
import { purgeKeys } from "#src/domain/idempotency/keys.ts";
import { purgeCallbacks } from "#src/domain/inbound/callbacks.ts";
import { purgeEchoes, purgeInbounds } from "#src/domain/inbound/purge.ts";
import { countNotOurs } from "#src/domain/inbound/unused-items.ts";
import { expireMedia, expireUploads } from "#src/domain/media/release.ts";
import { purgeParked } from "#src/domain/messages/apply-status.ts";
import { expireHolds } from "#src/domain/messages/expire-hold.ts";
import { purgeKeyDays } from "#src/domain/messages/key-budget.ts";
import { purgeProviderRequests } from "#src/domain/messages/provider-requests.ts";
import { purgeMessages } from "#src/domain/messages/purge.ts";
import { purgeEvents } from "#src/domain/webhooks/purge.ts";
import { purgeKeyRequests } from "#src/domain/workspaces/request-log.ts";
import { WorkspaceRetention } from "./workspace-retention.ts";

interface HousekeepingOptions {
  store: Store;
  clock: Clock;
  /** Null: keep for ever. */
  retention: Record<"recipients" | "events" | "raw" | "messages" | "inbound" | "media" | "uploads", Duration | null>;
  log: Log;
  /** Ends uploads whose pieces stopped to come. */
  endUnfinished?: (() => Promise<void>) | undefined;
  /** Milliseconds. Default: ten minutes. */
  everyMs?: number | undefined;
}

/** Tasks that walk a whole table by id, one after the other. */
type Walk = "messages" | "inbounds" | "echoes";

/** It runs at fixed times of the clock, so that a server that restarts often still deletes what it has to. */
const INTERVAL_MS = 600_000;
const BATCH = 200;
const PAUSE_MS = 5;
/** Pages of 4 KiB: this many free ones stay in the file, the others are released in steps of a few milliseconds. */
const FREE_PAGES_KEPT = 2_000;
const FREE_PAGES_STEP = 100;

function untilNextRun(now: number, everyMs = INTERVAL_MS): number {
  return everyMs - (now % everyMs);
}

export class Housekeeping extends ServiceLoop {
  readonly #options: HousekeepingOptions;
  /** Up to this id nothing is left to delete; in memory only, so a restart begins with the first row. */
  #messagesAfter = 0;
  #inboundAfter = 0;
  #echoesAfter = 0;
  readonly #ofWorkspaces: WorkspaceRetention;

  constructor(options: HousekeepingOptions) {
    const { clock, log } = options;
    super({
      name: "housekeeping",
      clock,
      isUpkeep: true,
      firstRunAfterMs: untilNextRun(clock.now()),
      retryAfterMs: INTERVAL_MS,
      onError: (error) =>
        log.error("housekeeping.failed", "Housekeeping failed; trying again in ten minutes", { error }),
    });
    this.#options = options;
    this.#ofWorkspaces = new WorkspaceRetention(options.store, {
      batch: BATCH,
      repeat: (task) => this.#repeat(task),
      walk: (from, task) => this.#walk(from, task),
    });
  }

  /** Repeats each task until nothing is left to delete. */
  async runOnce(): Promise<NextRun> {
    const { retention } = this.#options;
    const { recipients, events, raw, messages, inbound, media, uploads } = retention;
    /** By the retention of `db/table-policies.ts`: each task that it names is here. */
    const tasks: Record<Exclude<RetentionTask, Walk>, (tx: Tx) => number> = {
      keys: (tx) => purgeKeys(tx, BATCH),
      key_days: (tx) => purgeKeyDays(tx, BATCH),
      key_requests: (tx) => purgeKeyRequests(tx, BATCH),
      drafts: (tx) => purgeDrafts(tx, BATCH),
      parked: (tx) => {
        const purged = purgeParked(tx, BATCH);
        countNotOurs(tx, purged);
        return purged;
      },
      recipients: (tx) => (recipients === null ? 0 : purgeRecipients(tx, durationBefore(tx.now, recipients), BATCH)),
      callbacks: (tx) => (raw === null ? 0 : purgeCallbacks(tx, durationBefore(tx.now, raw), BATCH)),
      provider_requests: (tx) => (raw === null ? 0 : purgeProviderRequests(tx, durationBefore(tx.now, raw), BATCH)),
      media: (tx) => (media === null ? 0 : expireMedia(tx, durationBefore(tx.now, media), BATCH)),
      uploads: (tx) => (uploads === null ? 0 : expireUploads(tx, durationBefore(tx.now, uploads), BATCH)),
      events: (tx) => (events === null ? 0 : purgeEvents(tx, durationBefore(tx.now, events), BATCH)),
    };
    const walks: Record<Walk, () => Promise<void>> = {
      messages: async () => {
        if (messages !== null) await this.#purgeMessages(messages);
      },
      inbounds: async () => {
        if (inbound === null) return;
        this.#inboundAfter = await this.#walk(this.#inboundAfter, (tx, after) =>
          purgeInbounds(tx, { before: durationBefore(tx.now, inbound), afterId: after, limit: BATCH }),
        );
      },
      echoes: async () => {
        if (inbound === null) return;
        this.#echoesAfter = await this.#walk(this.#echoesAfter, (tx, after) =>
          purgeEchoes(tx, { before: durationBefore(tx.now, inbound), afterId: after, limit: BATCH }),
        );
      },
    };
    const others = [
      (tx: Tx) => deleteExpired(tx, BATCH),
      (tx: Tx) => expireHolds(tx, BATCH),
      (tx: Tx) => skipUnsent(tx, BATCH),
    ];
    // Queued together, they share a commit: there is rarely anything to delete, and each commit costs.
    await Promise.all([...others, ...Object.values(tasks)].map((task) => this.#repeat(task)));
    for (const walk of Object.values(walks)) await walk();
    await this.#options.endUnfinished?.();
    await this.#ofWorkspaces.run();
    await this.#releaseFreePages();
    return untilNextRun(this.#options.clock.now(), this.#options.everyMs);
  }

  async #repeat(task: (tx: Tx) => number): Promise<void> {
    while (!this.isStopped && (await this.#options.store.write(task)) === BATCH) await this.#pause();
  }

  /** The next run begins with the first message that had to stay. */
  async #purgeMessages(retention: Duration): Promise<void> {
    let firstOpen: number | null = null;
    const last = await this.#walk(this.#messagesAfter, (tx, after) => {
      const purged = purgeMessages(tx, durationBefore(tx.now, retention), { afterId: after, limit: BATCH });
      firstOpen ??= purged.firstOpen;
      return purged.next;
    });
    this.#messagesAfter = firstOpen === null ? last : firstOpen - 1;
  }

  /** Calls `task` batch by batch until it returns null; returns the last id that it passed. */
  async #walk(from: number, task: (tx: Tx, after: number) => number | null): Promise<number> {
    let after = from;
    while (!this.isStopped) {
      const next = await this.#options.store.write((tx) => task(tx, after));
      if (next === null) break;
      after = next;
      await this.#pause();
    }
    return after;
  }

  /** Lets other writes in between two batches. */
  #pause(): Promise<void> {
    return sleep(this.#options.clock, PAUSE_MS);
  }

  /** Releases free pages to the file system, a few at a time, and keeps those that are likely to be needed soon. */
  async #releaseFreePages(): Promise<void> {
    const { store } = this.#options;
    while (!this.isStopped && (await store.write(() => store.freePages(FREE_PAGES_KEPT, FREE_PAGES_STEP)))) {
      await this.#pause();
    }
  }
}

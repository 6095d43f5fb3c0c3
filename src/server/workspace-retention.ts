/** Deletes what workspaces keep for a shorter time than the server, in the same small batches. */
import { durationBefore } from "#src/core/duration.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { purgeEchoes, purgeInbounds } from "#src/domain/inbound/purge.ts";
import { expireMedia } from "#src/domain/media/release.ts";
import { purgeMessages } from "#src/domain/messages/purge.ts";
import { listWorkspaces } from "#src/domain/workspaces/read.ts";
import { type RetentionKey, readRetention, retentionSettings } from "#src/domain/workspaces/retention.ts";

/** How housekeeping runs a task in batches, with pauses between them. */
interface Batches {
  batch: number;
  /** Repeats the task until it did less than a batch. */
  repeat: (task: (tx: Tx) => number) => Promise<void>;
  /** Calls `task` with the last id until it returns null; returns the last id that it passed. */
  walk: (from: number, task: (tx: Tx, after: number) => number | null) => Promise<number>;
}

/** Up to these ids nothing is left to delete for these workspaces. */
interface Passed {
  workspaceIds: ReadonlySet<number>;
  inbounds: number;
  echoes: number;
}

type Periods = ReadonlyMap<string, ReadonlySet<number>>;

/** Texts have no index by workspace, so one walk serves all workspaces with the same period. */
export class WorkspaceRetention {
  readonly #store: Store;
  readonly #batches: Batches;
  /** By period. In memory only, as in housekeeping. */
  readonly #texts = new Map<string, Passed>();
  /** By workspace. */
  readonly #messages = new Map<number, number>();

  constructor(store: Store, batches: Batches) {
    this.#store = store;
    this.#batches = batches;
  }

  async run(): Promise<void> {
    const periods = this.#store.read(readPeriods);
    const { batch, repeat } = this.#batches;
    for (const [period, workspaceIds] of periods.messages)
      for (const id of workspaceIds) await this.#purgeMessages(period, id);
    for (const [period, workspaceIds] of periods.inbound) await this.#purgeTexts(period, workspaceIds);
    for (const [period, workspaceIds] of periods.media)
      for (const id of workspaceIds) await repeat((tx) => expireMedia(tx, cutoff(tx, period), batch, id));
    for (const period of this.#texts.keys()) if (!periods.inbound.has(period)) this.#texts.delete(period);
  }

  /** The next run begins with the first message that had to stay. */
  async #purgeMessages(period: string, workspaceId: number): Promise<void> {
    const { batch: limit, walk } = this.#batches;
    let firstOpen: number | null = null;
    const last = await walk(this.#messages.get(workspaceId) ?? 0, (tx, afterId) => {
      const purged = purgeMessages(tx, cutoff(tx, period), { afterId, limit, workspaceId });
      firstOpen ??= purged.firstOpen;
      return purged.next;
    });
    this.#messages.set(workspaceId, firstOpen === null ? last : firstOpen - 1);
  }

  async #purgeTexts(period: string, workspaceIds: ReadonlySet<number>): Promise<void> {
    const { batch: limit, walk } = this.#batches;
    const passed = this.#texts.get(period);
    // The rows of a workspace that has just chosen the period were passed as another's.
    const isSame = passed !== undefined && [...workspaceIds].every((id) => passed.workspaceIds.has(id));
    const from = isSame ? passed : { inbounds: 0, echoes: 0 };
    const range = (tx: Tx, afterId: number) => ({ before: cutoff(tx, period), afterId, limit, workspaceIds });
    const inbounds = await walk(from.inbounds, (tx, after) => purgeInbounds(tx, range(tx, after)));
    const echoes = await walk(from.echoes, (tx, after) => purgeEchoes(tx, range(tx, after)));
    this.#texts.set(period, { workspaceIds, inbounds, echoes });
  }
}

function cutoff({ now }: Tx, period: string): number {
  const duration = readRetention(period);
  // Only periods that can be read are listed.
  return duration === null ? 0 : durationBefore(now, duration);
}

/** The workspaces with a retention of their own, by its period. */
function readPeriods(tx: ReadTx): Record<RetentionKey, Periods> {
  const workspaces = listWorkspaces(tx);
  const of = (key: RetentionKey): Periods => {
    const periods = new Map<string, Set<number>>();
    for (const workspace of workspaces) {
      const period = workspace[retentionSettings[key]];
      if (readRetention(period) === null) continue;
      const ids = periods.get(period) ?? new Set<number>();
      periods.set(period, ids.add(workspace.id));
    }
    return periods;
  };
  return { messages: of("messages"), inbound: of("inbound"), media: of("media") };
}

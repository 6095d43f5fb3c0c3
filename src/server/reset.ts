/**
 * Brings a server under test control back to the state that was saved, in the same process and at the same address.
 * Everything: the work in flight ends, the rows come back, and what works on them is built anew. One workspace: its work
 * ends and its rows come back, while everything else continues.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { restoreSeed, saveSeed, saveWorkspaceSeed } from "#src/db/seed.ts";
import { contactMessageIndex } from "#src/domain/messages/contact-messages.ts";
import { networkIdIndex } from "#src/domain/messages/network-ids.ts";
import type { ResetTime } from "#src/http/control/route.ts";
import { HandOutFiles } from "#src/transfer/person-data/hand-out-files.ts";
import type { Environment, Storage } from "./context.ts";
import type { Control } from "./control.ts";
import { KeptMedia } from "./kept-media.ts";
import { matchHandOuts } from "./person-jobs.ts";
import { createRuntime, type Runtime } from "./runtime.ts";
import { endAndRestore } from "./workspace-reset.ts";

interface ResetOptions {
  environment: Environment;
  storage: Storage;
  control: Control;
  onOtherCommit: () => void;
}

const SEED_FILE = "control.seed.db";
const SEED_MEDIA = "control.seed.media";

export class ResetPoint {
  readonly #options: ResetOptions;
  readonly #file: string;
  readonly #media: KeptMedia;
  /** Files with the rows of workspaces that were added after the start, by the workspace's id. */
  readonly #added = new Map<number, string>();

  #savedAt = 0;
  /** The last callback at the last reset of each workspace. */
  readonly #since = new Map<number, number>();

  constructor(options: ResetOptions) {
    const { data } = options.environment.config.storage;
    this.#options = options;
    this.#file = join(data, SEED_FILE);
    this.#media = new KeptMedia(options.storage.media.directory, join(data, SEED_MEDIA));
  }

  /** From now on, a reset brings back the state in which the server has come to rest. The journals are emptied. */
  async save(): Promise<void> {
    const { storage, control } = this.#options;
    this.#since.clear();
    await control.clock.settle();
    saveSeed(storage.store, this.#file);
    this.#savedAt = control.clock.now();
    this.#media.save();
    control.simulator.sent.clear();
    control.webhooks.clear();
  }

  /** From now on, a reset of this workspace, which is not in the seed, brings back its present state. */
  async saveWorkspace(workspaceId: number): Promise<void> {
    const { storage, control, environment } = this.#options;
    const file = join(environment.config.storage.data, `control.seed-${workspaceId}.db`);
    await control.clock.exclusively(() => saveWorkspaceSeed(storage.store, file, workspaceId));
    this.#added.set(workspaceId, file);
  }

  remove(): void {
    rmSync(this.#file, { force: true });
    this.#media.remove();
    this.#removeAdded();
  }

  /**
   * The rows are as old at the new time as they were when they were saved. `use` is called with the new runtime before
   * its services start.
   */
  async restore(current: () => Runtime, { at, isFrozen }: ResetTime, use: (runtime: Runtime) => void): Promise<void> {
    const { environment, storage, control, onOtherCommit } = this.#options;
    return control.holdRequests(async () => {
      await control.clock.exclusively(async () => {
        await this.#finish(current());
        const moved = at === null ? undefined : { from: this.#savedAt, to: at };
        await restoreSeed(storage.store, this.#file, moved);
        for (const index of [networkIdIndex, contactMessageIndex]) storage.store.read(index.forget);
        this.#removeAdded();
        this.#since.clear();
        this.#media.restore();
        control.simulator.reset();
        control.webhooks.clear();
        control.clock.reset(at, isFrozen);
        environment.onCommit.clear();
        environment.onNetworkTime.clear();
        environment.metrics.metrics.removeObserved();
        const runtime = await createRuntime(environment, storage, onOtherCommit);
        use(runtime);
        for (const service of runtime.services) service.start();
      });
      if (isFrozen) await control.clock.settle();
    });
  }

  /** The clock, the rules of the network and all other workspaces stay as they are. */
  async restoreWorkspace(current: () => Runtime, workspaceId: number): Promise<void> {
    const { control, storage } = this.#options;
    const file = this.#added.get(workspaceId) ?? this.#file;
    await control.holdRequests(() =>
      control.clock.exclusively(async () => {
        const since = this.#since.get(workspaceId) ?? null;
        this.#since.set(workspaceId, await endAndRestore(control, current(), workspaceId, file, since));
        this.#media.restore(workspaceId);
        await matchHandOuts(storage.store, new HandOutFiles(storage.files.database));
      }),
    );
    current().notifyAll();
  }

  /** What is in flight ends without waiting for its time: its rows are about to be replaced. */
  async #finish({ context, services, isWorking }: Runtime): Promise<void> {
    const { control } = this.#options;
    for (const service of services.toReversed()) service.stop();
    context.poster.close();
    await control.clock.drain(() => context.watch.inFlightCount === 0 && control.requestCount === 0 && !isWorking());
    context.recorder.stop();
  }

  #removeAdded(): void {
    for (const file of this.#added.values()) rmSync(file, { force: true });
    this.#added.clear();
  }
}

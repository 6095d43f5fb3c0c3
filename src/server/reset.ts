/**
 * Brings a server under test control back to the state that was saved, in the same process and at the same address: the
 * work in flight ends, the rows come back, and everything that works on them is built anew.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { newRunId } from "#src/core/id.ts";
import { restoreSeed, saveSeed } from "#src/db/seed.ts";
import type { Environment, Storage } from "./context.ts";
import type { Control } from "./control.ts";
import { createRuntime, type Runtime } from "./runtime.ts";

interface ResetOptions {
  environment: Environment;
  storage: Storage;
  control: Control;
  onOtherCommit: () => void;
}

const SEED_FILE = "control.seed.db";

export class ResetPoint {
  readonly #options: ResetOptions;
  readonly #file: string;

  constructor(options: ResetOptions) {
    this.#options = options;
    this.#file = join(options.environment.config.storage.data, SEED_FILE);
  }

  /** From now on, a reset brings back the state in which the server has come to rest. The journals begin anew. */
  async save(): Promise<void> {
    const { storage, control } = this.#options;
    await control.clock.settle();
    saveSeed(storage.store, this.#file);
    control.simulator.sent.clear();
    control.webhooks.clear();
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }

  /** `use` is called with the new runtime before its services start. */
  async restore(before: Runtime, use: (runtime: Runtime) => void): Promise<Runtime> {
    const { environment, storage, control, onOtherCommit } = this.#options;
    return control.holdRequests(() =>
      control.clock.exclusively(async () => {
        await this.#finish(before);
        await restoreSeed(storage.store, this.#file);
        control.simulator.reset();
        control.webhooks.clear();
        control.clock.reset();
        environment.onCommit.clear();
        environment.onNetworkTime.clear();
        environment.metrics.metrics.removeObserved();
        const renewed = { ...storage, runId: newRunId(environment.random) };
        const runtime = await createRuntime(environment, renewed, onOtherCommit);
        use(runtime);
        for (const service of runtime.services) service.start();
        return runtime;
      }),
    );
  }

  /** What is in flight ends without waiting for its time: its rows are about to be replaced. */
  async #finish({ context, services, isWorking }: Runtime): Promise<void> {
    const { control } = this.#options;
    for (const service of services.toReversed()) service.stop();
    context.poster.close();
    await control.clock.drain(() => context.watch.inFlightCount === 0 && control.requestCount === 0 && !isWorking());
    context.recorder.stop();
  }
}

/**
 * The reset of one workspace under test control. Nothing of it may begin, and what is in flight ends at once: a send
 * without an answer, a webhook without a receiver's. Then its rows come back, and what memory knows of them goes.
 */
import { nextTurn } from "#src/core/clock.ts";
import { restoreWorkspace } from "#src/db/seed.ts";
import { blockWorkspace, hasMessageOf, listNumberRows, listQueueKeys } from "#src/db/workspace-work.ts";
import { contactMessageIndex, indexAllOf } from "#src/domain/messages/contact-messages.ts";
import { networkIdIndex } from "#src/domain/messages/network-ids.ts";
import { Worker } from "#src/jobs/worker.ts";
import type { Control } from "./control.ts";
import type { Runtime } from "./runtime.ts";

/** Turns of the event loop, each with a commit, after which nothing of the workspace is on its way. */
const QUIET_TURNS = 4;

/**
 * Call it while no request enters and the clock does not move. `file`: where the workspace's rows are saved. `since`, and
 * what it returns: see restoreWorkspace.
 */
export async function endAndRestore(
  control: Control,
  runtime: Runtime,
  workspaceId: number,
  file: string,
  since: number | null,
): Promise<number> {
  const { store, pace, watch } = runtime.context;
  // Requests that wait for a frozen clock get their answer now, as they would without the reset.
  await control.clock.serveWaiting();
  const numbers = store.read((tx) => listNumberRows(tx, workspaceId));
  const queueKeys = store.read((tx) => listQueueKeys(tx, workspaceId));
  const phones = new Set(numbers.map(({ phone }) => phone));
  for (let quietTurns = 0; quietTurns < QUIET_TURNS; ) {
    control.simulator.cut(phones);
    control.cutPosts(workspaceId);
    await store.write((tx) => blockWorkspace(tx, workspaceId));
    runtime.notifyAll();
    await nextTurn();
    const isWorking =
      runtime.services.some(
        (service) => service instanceof Worker && queueKeys.some((key) => service.hasInFlight(key)),
      ) || store.read((tx) => hasMessageOf(tx, workspaceId, watch.listInFlight()));
    quietTurns = isWorking || control.isPosting(workspaceId) ? 0 : quietTurns + 1;
  }
  store.read(networkIdIndex.forget);
  runtime.requestLog.forget(workspaceId);
  const last = await restoreWorkspace(store, file, workspaceId, since);
  store.read(networkIdIndex.forget);
  await store.write((tx) => indexAllOf(tx, workspaceId));
  store.read(contactMessageIndex.forget);
  for (const { id } of numbers) pace.forget(id);
  for (const { phone } of store.read((tx) => listNumberRows(tx, workspaceId))) phones.add(phone);
  control.simulator.sent.remove(({ from }) => phones.has(from));
  control.webhooks.remove((sent) => sent.workspaceId === workspaceId);
  return last;
}

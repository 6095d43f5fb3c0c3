/** For tests of indexes that take entries in batches: a second connection, an indexer that does not wait, and a move at once. */
import type { Log } from "#src/core/log.ts";
import type { Service } from "#src/core/service-loop.ts";
import { openStore, type Store } from "#src/db/store.ts";
import type { BatchIndex } from "#src/domain/messages/batch-index.ts";
import { contactMessageIndex } from "#src/domain/messages/contact-messages.ts";
import { BatchIndexer } from "#src/server/batch-indexer.ts";
import type { TestStore } from "./store.ts";

/** Moves every single message to the index by contact, as the server does when thousands have accumulated. */
export async function indexContacts(store: Store): Promise<void> {
  const move = store.read((tx) => contactMessageIndex.plan(tx, 1));
  if (move === null) return;
  for (let step = 0; step < move.steps; step++) await store.write((tx) => contactMessageIndex.copy(tx, move, step));
  await store.write((tx) => contactMessageIndex.end(tx, move));
}

/** Another connection to the file of a store. */
export function openElsewhere({ client }: Store): Disposable & { store: Store } {
  const opened = openStore(client.name, { busyTimeoutMs: 5_000 });
  return { store: opened, [Symbol.dispose]: () => opened.close() };
}

/** `table` may have a WHERE. */
export const countOf = (from: Store, table: string): number =>
  Number(from.client.prepare(`SELECT count(*) FROM ${table}`).pluck().get());

/** An indexer of hundreds, and the events of what it logs as errors. */
export function indexerOf(at: TestStore, index: BatchIndex): { indexer: BatchIndexer; errors: string[] } {
  const errors: string[] = [];
  const log = { error: (event: string) => void errors.push(event) } as unknown as Log;
  const options = { store: at.store, clock: at.clock, realClock: quickClock, log, batch: 100 };
  return { indexer: new BatchIndexer(index, options), errors };
}

/** Pauses last a turn of the event loop. */
const quickClock = {
  now: () => 0,
  monotonic: () => 0,
  setTimer: (_: number, run: () => void) => {
    setImmediate(run);
    return { cancel: () => undefined };
  },
};

export async function untilIdle(indexer: Pick<Service, "isActive">): Promise<void> {
  while (indexer.isActive) await new Promise((resolve) => setImmediate(resolve));
}

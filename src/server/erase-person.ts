/**
 * Erases a person from the database and from the files beside it, also while a server runs. The command line and the test
 * control both call this.
 */
import { type Clock, sleep } from "#src/core/clock.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import {
  erasePerson as eraseContacts,
  eraseMentions,
  eraseTexts,
  listMediaOf,
  type MentionTable,
  mentionTables,
} from "#src/domain/erasure/erase-contact.ts";
import { findPerson } from "#src/domain/erasure/person.ts";
import type { MediaFiles } from "#src/media/files.ts";
import { removeUnusedMedia } from "#src/media/remove-unused.ts";
import type { SimulatedFiles } from "#src/networks/simulator/media.ts";
import type { ImportFiles } from "#src/transfer/import-files.ts";
import { listImports, removeEndedImports } from "#src/transfer/imports.ts";

/** Where files of people lie beside the database. */
interface PersonalFiles {
  imports: ImportFiles;
  media: MediaFiles;
  simulated: SimulatedFiles;
}

interface Erased {
  /** No data of the person is left in the WAL. */
  isLogEmpty: boolean;
  /** Files uploaded through the console and not imported yet. */
  waitingImports: number[];
  /** Files that were uploaded to be sent and that others got too: they stay. */
  sharedUploads: number[];
}

const BATCH = 200;
const GAP_MS = 3;

/**
 * Works in batches and removes the contact last, so that an interrupted erasure can be run again. `clock`: for the gaps.
 * Throws what `find` throws.
 */
export async function erasePerson(
  store: Store,
  clock: Clock,
  { imports: files, media, simulated }: PersonalFiles,
  find: (tx: Tx) => Contact,
): Promise<Erased> {
  const inBatches = async (batch: (tx: Tx) => boolean): Promise<void> => {
    while (await store.write(batch)) await sleep(clock, GAP_MS);
  };
  const person = await store.write((tx) => findPerson(tx, find(tx)));
  const checkedUpTo: Record<MentionTable, number> = { callbacks: 0, events: 0, audit_log: 0, idempotency_keys: 0 };
  const eraseEverything = async (): Promise<void> => {
    const fetched = store.read((tx) => listMediaOf(tx, person));
    for (const table of mentionTables) {
      await inBatches((tx) => {
        const last = eraseMentions(tx, person, table, checkedUpTo[table], BATCH);
        checkedUpTo[table] = last ?? checkedUpTo[table];
        return last !== null;
      });
    }
    await inBatches((tx) => eraseTexts(tx, person, BATCH));
    for (const { id, networkMediaId } of fetched) {
      media.discard(String(id));
      simulated.forget(networkMediaId);
    }
    await removeUnusedMedia({ store, clock, files: media });
  };
  await eraseEverything();
  const { ended, sharedUploads } = await store.write((tx) => ({
    sharedUploads: eraseContacts(tx, person),
    ended: removeEndedImports(tx, person.workspaceId),
  }));
  for (const id of ended) files.remove(id);
  // Erase again what a running server has recorded about the person in the meantime.
  await eraseEverything();
  const waiting = store.read((tx) => listImports(tx, person.workspaceId));
  return { isLogEmpty: store.checkpoint(), waitingImports: waiting.map(({ id }) => id), sharedUploads };
}

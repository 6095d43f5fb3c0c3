/**
 * Erases a person from the database and from the files beside it, also while a server runs. The transaction that begins an
 * erasure leaves a job behind. The server, the command line and the test control all call this to carry it out, and what a
 * crash interrupts is done again from the beginning of its round. What a crash must not leave is removed before the row by
 * which it is found.
 */
import { listLastingCopies } from "#src/backup/lasting.ts";
import type { Config } from "#src/config/config.ts";
import { type Clock, sleep } from "#src/core/clock.ts";
import { isReplicationTable } from "#src/db/schema-objects.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import type { ErasedCounts, Erasure, ErasureHolders } from "#src/domain/contacts/table.ts";
import { eraseMentions, type MentionTable, mentionTables } from "#src/domain/erasure/erase-mentions.ts";
import { eraseNames, FIRST_NAMES, type NamesPlace } from "#src/domain/erasure/erase-names.ts";
import { eraseTexts, FIRST_PLACE, type PersonFile, type Place } from "#src/domain/erasure/erase-texts.ts";
import {
  beginSecondRound,
  countErased,
  endErasure,
  eraseAttached,
  findErasure,
  forgetNames,
  personOf,
} from "#src/domain/erasure/erasures.ts";
import type { Person } from "#src/domain/erasure/person.ts";
import type { MediaFiles } from "#src/media/files.ts";
import { removeUnusedMedia } from "#src/media/remove-unused.ts";
import type { SimulatedFiles } from "#src/networks/simulator/media.ts";
import type { ImportFiles } from "#src/transfer/import-files.ts";
import { listEndedImports, listImports, removeImport } from "#src/transfer/imports.ts";
import { type HandOutFiles, removeStrayHandOuts } from "#src/transfer/person-data/hand-out-files.ts";

/** Where files of people lie beside the database. */
export interface PersonalFiles {
  imports: ImportFiles;
  media: MediaFiles;
  simulated: SimulatedFiles;
  handOuts: HandOutFiles;
}

interface EraseOptions {
  store: Store;
  /** Of the gaps: a clock that no test moves. */
  clock: Clock;
  files: PersonalFiles;
  config: Pick<Config, "backup" | "storage">;
  /** Read between two batches. Default: never. */
  isStopped?: () => boolean;
}

/** The server carries out an erasure of the command line that has not ended after so long: the command may have been killed. */
export const TAKEN_OVER_AFTER_MS = 60_000;

/** After each slice, for everything else. */
const GAP_MS = 3;

const countOf: Readonly<Record<MentionTable, keyof ErasedCounts>> = {
  callbacks: "callbacks",
  events: "events",
  audit_log: "audit_entries",
  idempotency_keys: "answers",
};

/** Undefined: there is no such erasure any more, or it was stopped and continues when this is called again. */
export async function erasePerson(options: EraseOptions, id: number): Promise<Erasure | undefined> {
  const { store, files } = options;
  const isStopped = (): boolean => options.isStopped?.() === true;
  const open = (): Erasure | undefined => store.read((tx) => findErasure(tx, id));
  const begun = open();
  if (begun === undefined || begun.endedAt !== null) return begun;
  const person = personOf(begun);
  if (person !== null) {
    if (begun.round === 1) {
      if (!(await eraseRound(options, id, person))) return undefined;
      await store.write((tx) => beginSecondRound(tx, id));
    }
    // Erase again what a running server has recorded about the person in the meantime.
    if (!(await eraseRound(options, id, person))) return undefined;
    await store.write((tx) => forgetNames(tx, id));
  }
  if (isStopped()) return undefined;
  removeStrayHandOuts(store, files.handOuts);
  const searched = open();
  if (searched === undefined) return undefined;
  // After the names are gone: a page of the log may have them.
  const holders = { ...holdersNow(options, searched), log_emptied: store.checkpoint() };
  await store.write((tx) => endErasure(tx, id, holders));
  return open();
}

/** Returns false if it was stopped. */
async function eraseRound(options: EraseOptions, id: number, person: Person): Promise<boolean> {
  const { store, clock, files } = options;
  const isStopped = (): boolean => options.isStopped?.() === true;
  const inSlices = async (slice: (tx: Tx) => boolean): Promise<void> => {
    while (!isStopped() && (await store.write(slice))) await sleep(clock, GAP_MS);
  };
  await inSlices((tx) => eraseAttached(tx, id, person));
  for (const table of mentionTables) {
    let checkedUpTo = 0;
    await inSlices((tx) => {
      const { last, emptied } = eraseMentions(tx, person, table, checkedUpTo);
      countErased(tx, id, { [countOf[table]]: emptied });
      checkedUpTo = last ?? checkedUpTo;
      return last !== null;
    });
  }
  await eraseTextsAndFiles(options, id, person, isStopped);
  let names: NamesPlace | null = FIRST_NAMES;
  await inSlices((tx) => {
    if (names === null) return false;
    const { next, drafts } = eraseNames(tx, person, names);
    countErased(tx, id, { drafts });
    names = next;
    return next !== null;
  });
  if (isStopped()) return false;
  await removeUnusedMedia({ store, clock, files: files.media }, isStopped);
  for (const ended of store.read((tx) => listEndedImports(tx, person.workspaceId))) {
    files.imports.remove(ended.id);
    await store.write((tx) => removeImport(tx, ended.id));
  }
  removeStrayHandOuts(store, files.handOuts);
  return !isStopped();
}

async function eraseTextsAndFiles(
  { store, clock, files }: EraseOptions,
  id: number,
  person: Person,
  isStopped: () => boolean,
): Promise<void> {
  const remove = ({ id: medium, networkMediaId }: PersonFile): void => {
    files.media.discard(String(medium));
    files.simulated.forget(networkMediaId);
  };
  for (let place: Place | null = FIRST_PLACE; place !== null && !isStopped(); await sleep(clock, GAP_MS)) {
    const from: Place = place;
    const found: PersonFile[] = [];
    const forget = (file: PersonFile): void => {
      found.push(file);
      remove(file);
    };
    place = await store.write((tx) => {
      const { next, erased } = eraseTexts(tx, person, from, forget);
      countErased(tx, id, erased);
      return next;
    });
    // One may have been fetched until its row was emptied.
    for (const file of found) remove(file);
  }
}

function holdersNow({ store, clock, config }: EraseOptions, { workspaceId, holders }: Erasure) {
  const waiting = store.read((tx) => listImports(tx, workspaceId));
  return {
    backups: copiesOf(config, clock.now()).map(({ kind, until }) => ({ kind, until })),
    is_replicated: isReplicated(store),
    shared_uploads: holders?.shared_uploads ?? [],
    still_blocked_on: holders?.still_blocked_on ?? [],
    waiting_imports: waiting.map(({ id }) => id),
  } satisfies Omit<ErasureHolders, "log_emptied">;
}

/** The copies of the database that last: a person who is erased now is still in them. */
export function copiesOf({ backup, storage }: EraseOptions["config"], now: number) {
  const { schedule, directory, retention: keep, remote } = backup;
  return listLastingCopies({ database: storage.path, schedule, directory, keep, remote, now });
}

/** Whether a program copies the database continuously. */
export function isReplicated({ client }: Pick<Store, "client">): boolean {
  const names = client.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[];
  return names.some(isReplicationTable);
}

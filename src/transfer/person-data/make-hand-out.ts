/** Makes the archive of a hand-out on disk. It is offered once it is complete and synced, whatever interrupts it. */
import { statfsSync } from "node:fs";
import { type Clock, nextTurn } from "#src/core/clock.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findById, isAddressable } from "#src/domain/contacts/find.ts";
import { findHandOut, recordFailed, recordMade } from "#src/domain/erasure/hand-outs.ts";
import type { MediaFile } from "#src/domain/media/table.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { writePersonArchive } from "./archive.ts";
import { type HandOutFiles, removeStrayHandOuts } from "./hand-out-files.ts";

type FileName = Pick<MediaFile, "workspaceId" | "hash">;

interface MakeOptions {
  store: Store;
  /** Of the pauses: a clock that no test moves. */
  clock: Clock;
  /** Of the time in the archive. */
  wallClock: Pick<Clock, "now">;
  files: HandOutFiles;
  /** Files that both sides sent. */
  media: { has(file: FileName): boolean; read(file: FileName): AsyncIterable<Uint8Array> };
  isStopped: () => boolean;
  /** Tests choose less. */
  bytesMax?: number | undefined;
}

const GIGABYTE = 1024 ** 3;
/** Of one archive. */
const BYTES_MAX = 4 * GIGABYTE;
/** Part of the disk that archives leave free, and how much of a large disk. */
const FREE_SHARE = 0.05;
const FREE_BYTES_MAX = GIGABYTE;
/** Between two looks at the disk. */
const LOOK_EVERY_BYTES = 16 * 1024 * 1024;

/** Why an archive cannot be made, for a person to read. */
class Impossible extends Error {}
class Interrupted extends Error {}

/**
 * Returns when the job is due again: until then the archive, or the reason for its absence, is kept. Null: it is not wanted any
 * more. Undefined: it was stopped, and is made from its beginning when this is called again.
 */
export async function makeHandOut(options: MakeOptions, id: number): Promise<number | null | undefined> {
  const { store, files } = options;
  removeStrayHandOuts(store, files);
  try {
    const report = await write(options, id);
    const keptUntil = await store.write((tx) => recordMade(tx, id, report));
    if (keptUntil === null) files.remove(id);
    return keptUntil;
  } catch (error) {
    files.remove(id);
    if (store.read((tx) => findHandOut(tx, id)) === undefined) return null;
    if (error instanceof Interrupted) return undefined;
    const reason = reasonOf(error);
    if (reason === null) throw error;
    return store.write((tx) => recordFailed(tx, id, reason));
  }
}

async function write(options: MakeOptions, id: number) {
  const { store, clock, wallClock, files, media, isStopped, bytesMax = BYTES_MAX } = options;
  const wanted = store.read((tx) => findHandOut(tx, id));
  if (wanted === undefined) throw new Interrupted();
  const workspace = store.read((tx) => getWorkspace(tx, wanted.workspaceId));
  const find = (tx: ReadTx) => {
    const contact = findById(tx, workspace.id, wanted.contactId);
    if (contact === undefined || !isAddressable(contact)) throw new Interrupted();
    return contact;
  };
  const handle = await files.begin(id);
  let bytes = 0;
  let lookAt = 0;
  try {
    const report = await writePersonArchive({
      ...{ store, workspace, find, clock, wallClock },
      readFile: (stored) => (media.has(stored) ? media.read(stored) : null),
      async write(piece) {
        if (isStopped() || store.read((tx) => findHandOut(tx, id)) === undefined) throw new Interrupted();
        bytes += piece.byteLength;
        if (bytes > bytesMax)
          throw new Impossible(`The archive is larger than ${bytesMax / GIGABYTE} GB. waxwing contact data makes it.`);
        if (bytes >= lookAt) {
          requireRoom(files.directory);
          lookAt = bytes + LOOK_EVERY_BYTES;
        }
        for (let done = 0; done < piece.byteLength; ) done += (await handle.write(piece, done)).bytesWritten;
        await nextTurn();
      },
    });
    await handle.datasync();
    await files.finish(id);
    const { contacts: _, ...kept } = report;
    return kept;
  } finally {
    await handle.close();
  }
}

function requireRoom(directory: string): void {
  const { bavail, blocks, bsize } = statfsSync(directory);
  if (bavail * bsize >= Math.min(blocks * bsize * FREE_SHARE, FREE_BYTES_MAX)) return;
  throw new Impossible("The server's disk is nearly full. Tell the operator of this server.");
}

/** Null: a fault, after which the job is tried again. */
function reasonOf(error: unknown): string | null {
  if (error instanceof Impossible) return error.message;
  const isFull = error instanceof Error && "code" in error && error.code === "ENOSPC";
  return isFull ? "The server's disk is full. Tell the operator of this server." : null;
}

/**
 * Sends a backup off-site: encrypts the archive while it is uploaded, reads back what the store then has, and only then
 * counts it. Blocks on files, so call it in a worker or in a command of its own.
 */
import { createHash, type Hash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Clock } from "#src/core/clock.ts";
import { version } from "#src/core/version.ts";
import { createPrivateDirectory } from "#src/db/files.ts";
import { type Instance, readInstance } from "#src/db/instance.ts";
import { lockExclusively } from "#src/db/lock.ts";
import { type ArchivedFiles, archiveEntries, maxArchiveBytes, writeArchive } from "../archive/archive.ts";
import { reading } from "../database-file.ts";
import { compareDigest } from "../digest.ts";
import { encrypt, encryptedBytes } from "./encryption.ts";
import { archiveName, backupTime, folderOf, isOwnArchive, surplusArchives } from "./names.ts";
import { ObjectStore, StoreFailure } from "./object-store.ts";
import { accessOf, placeOf, type RemoteSettings } from "./settings.ts";
import { changeRemoteState, readRemoteState, type SentArchive } from "./state.ts";

export interface SendRequest {
  /** The directory of backups, and the name of one in it. */
  directory: string;
  name: string;
  settings: RemoteSettings;
  files: ArchivedFiles;
}

export interface SentBackup extends SentArchive {
  /** Keys of archives that were deleted, because enough newer ones are kept. */
  removed: string[];
  /** Why older archives or incomplete uploads could not be deleted; null if they were. */
  notRemoved: string | null;
}

interface SendOptions {
  clock: Clock;
  onStep: (step: string) => void;
}

/** What the store has is not what was sent. */
export class ReadBackDiffers extends Error {
  override readonly name = "ReadBackDiffers";
}

/** Throws `LockHeld` if another process is sending. A failure is also kept in the state, and told by conditions. */
export async function sendBackup(request: SendRequest, options: SendOptions): Promise<SentBackup> {
  const { directory, settings } = request;
  const place = placeOf(settings);
  createPrivateDirectory(directory);
  const lock = lockExclusively(join(directory, "remote.lock"));
  try {
    return await send(request, options);
  } catch (error) {
    recordFailure(directory, place, options.clock.now(), error instanceof Error ? error.message : String(error));
    throw error;
  } finally {
    lock.release();
  }
}

async function send(request: SendRequest, { clock, onStep }: SendOptions): Promise<SentBackup> {
  const { directory, name, settings, files } = request;
  const place = placeOf(settings);
  const folder = folderOf(settings.prefix);
  const backup = inspect(join(directory, name));
  const { instance } = backup;
  const store = new ObjectStore(accessOf(settings), clock);
  const isOwn = (key: string): boolean => key.startsWith(folder) && isOwnArchive(key.slice(folder.length), instance);
  const key = folder + archiveName(name, backup.takenAt, instance.instanceId);
  const entries = archiveEntries({
    about: { version, instanceId: instance.instanceId, takenAt: backup.takenAt, move: null },
    ...{ database: backup.file, digest: backup.digest },
    files: settings.media ? files : { ...files, mediaDirectory: null },
  });

  onStep("looking at the store");
  let notRemoved = await removeLeftovers(store, { directory, place, folder, key, isOwn });
  changeRemoteState(directory, place, ({ begun }) => ({ begun: [...begun.filter((one) => one !== key), key] }));

  onStep("sending the archive");
  const digest = createHash("sha256");
  const counted = { bytes: 0 };
  const encrypted = await encrypt(settings.recipient, writeArchive(entries, true));
  try {
    await store.put(key, hashed(encrypted, digest, counted), encryptedBytes(maxArchiveBytes(entries)));
  } catch (error) {
    await store.abortUploads(key, (one) => one === key).catch(() => undefined);
    throw error;
  }
  const sha256 = digest.digest("hex");

  onStep("reading it back");
  await requireSame(store, key, sha256, counted.bytes);
  const sent: SentArchive = {
    ...{ backup: name, key, bytes: counted.bytes, sha256 },
    ...{ takenAt: backup.takenAt, provedAt: clock.now() },
  };
  changeRemoteState(directory, place, ({ archives, begun }) => ({
    failure: null,
    archives: [...archives.filter((one) => one.key !== key), sent],
    begun: begun.filter((one) => one !== key),
  }));

  onStep("deleting older archives");
  const removed: string[] = [];
  try {
    const listed = (await store.list(folder)).map((one) => one.key);
    for (const older of surplusArchives(listed.filter(isOwn), key, settings.keep)) {
      await store.remove(older);
      removed.push(older);
    }
    const there = new Set(listed.filter((one) => !removed.includes(one)));
    changeRemoteState(directory, place, ({ archives }) => ({ archives: archives.filter((one) => there.has(one.key)) }));
  } catch (error) {
    notRemoved = error instanceof Error ? error.message : String(error);
  }
  return { ...sent, removed, notRemoved };
}

type ArchivedInstance = Pick<Instance, "instanceId" | "lineage">;

/** Throws if the file is no longer the one that was verified. */
function inspect(file: string): { file: string; digest: string; instance: ArchivedInstance; takenAt: number } {
  const name = basename(file);
  if (!existsSync(file)) throw new Error(`the backup ${name} is gone`);
  const state = compareDigest(file);
  if (state.kind === "broken") throw new Error(`the backup ${name} is damaged: ${state.finding.ids.join("; ")}`);
  if (state.kind === "none") throw new Error(`the backup ${name} is without a digest`);
  const { digest } = state;
  return reading(file, (client) => {
    // A database that no server has started on yet has no instance id, and its backup no metadata.
    const instance = readInstance(client) ?? { instanceId: "", lineage: [], backupMetadata: null };
    const takenAt = instance.backupMetadata?.at ?? backupTime(name);
    if (takenAt === null) throw new Error(`${name} is not a backup that Waxwing made`);
    return { file, digest, instance, takenAt };
  });
}

/** Some credentials may write and neither list nor delete. */
const FORBIDDEN = /^(AccessDenied|Status403)$/;
/** Some stores know no list of uploads: there is nothing to do then, now or later. */
const NOT_THERE = /^(NotImplemented|Status501)$/;

interface Leftovers {
  directory: string;
  place: string;
  folder: string;
  key: string;
  isOwn: (key: string) => boolean;
}

/** Removes what killed uploads left. Returns why it could not; an unreachable store is an error. */
async function removeLeftovers(
  store: ObjectStore,
  { directory, place, folder, key, isOwn }: Leftovers,
): Promise<string | null> {
  const { begun, archives } = readRemoteState(directory, place);
  const proved = new Set(archives.map((one) => one.key));
  const problems: string[] = [];
  const trying = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
      if (FORBIDDEN.test(error.code)) problems.push(error.message);
      else if (!NOT_THERE.test(error.code)) throw error;
    }
  };
  await trying(async () => {
    for (const left of begun.filter((one) => one !== key && !proved.has(one))) await store.remove(left);
    changeRemoteState(directory, place, () => ({ begun: [] }));
  });
  await trying(() => store.abortUploads(folder, isOwn));
  return problems[0] ?? null;
}

async function* hashed(
  pieces: AsyncIterable<Uint8Array>,
  digest: Hash,
  counted: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    digest.update(piece);
    counted.bytes += piece.length;
    yield piece;
  }
}

async function requireSame(store: ObjectStore, key: string, sha256: string, bytes: number): Promise<void> {
  const digest = createHash("sha256");
  let length = 0;
  for await (const piece of store.get(key)) {
    digest.update(piece);
    length += piece.length;
  }
  if (digest.digest("hex") === sha256 && length === bytes) return;
  // It may not count as an archive, nor take the place of one.
  await store.remove(key).catch(() => undefined);
  throw new ReadBackDiffers(
    length === bytes
      ? `the store returned other bytes than were sent (${key})`
      : `the store returned ${length} bytes of the ${bytes} that were sent (${key})`,
  );
}

/** A state that cannot be written leaves the failure to the log. */
function recordFailure(directory: string, place: string, at: number, reason: string): void {
  try {
    changeRemoteState(directory, place, ({ failure }) => {
      const { since, attempts } = failure ?? { since: at, attempts: 0 };
      return { failure: { since, at, attempts: attempts + 1, reason } };
    });
  } catch {}
}

/**
 * `waxwing restore s3://…`: what an archive holds beside the database. The master key is put in place where there is
 * none; the configuration is laid beside the database, for a person to compare.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { formatFileTime, InsufficientSpace, moveIntoPlace, syncDirectory, UNFINISHED } from "#src/backup/files.ts";
import { readRecoveryKeys, WrongRecoveryKey } from "#src/backup/remote/encryption.ts";
import {
  discardFetched,
  type FetchedArchive,
  fetchArchive,
  MEDIA_PART,
  NoSuchArchive,
} from "#src/backup/remote/fetch-archive.ts";
import { ArchiveBroken } from "#src/backup/remote/tar.ts";
import type { Config } from "#src/config/config.ts";
import { SECRET_KEY_VARIABLE } from "#src/core/key-file.ts";
import { openClient } from "#src/db/driver.ts";
import { createPrivateDirectory, createPrivateFile } from "#src/db/files.ts";
import type { Context } from "./context.ts";
import { CommandFailure, UsageError } from "./failure.ts";
import { readInputFile } from "./input.ts";
import { inWords, openStore, type StoreValues } from "./remote-store.ts";

const SCHEME = "s3://";

interface ArchiveAddress {
  bucket: string;
  key: string;
}

export function isArchiveAddress(text: string): boolean {
  return text.startsWith(SCHEME);
}

/** Throws `UsageError`. */
export function readArchiveAddress(text: string): ArchiveAddress {
  const [bucket = "", ...rest] = text.slice(SCHEME.length).split("/");
  const isPlain = rest.every((part) => part !== "" && part !== "." && part !== ".." && !/[\p{Cc}\\?#]/u.test(part));
  if (/^[A-Za-z0-9][A-Za-z0-9._-]+$/.test(bucket) && rest.length > 0 && isPlain) return { bucket, key: rest.join("/") };
  throw new UsageError(`${text} is not the address of an archive, such as s3://BUCKET/NAME.tar.age`, "restore");
}

export interface FetchValues extends StoreValues {
  recoveryKeyFile?: string | undefined;
}

export async function fetchNamed(context: Context, address: string, values: FetchValues): Promise<FetchedArchive> {
  const { storage, media } = context.loadConfig();
  const { bucket, key } = readArchiveAddress(address);
  if (values.recoveryKeyFile === undefined)
    throw new CommandFailure(
      "recovery_key_missing",
      "an archive can only be decrypted with the recovery key",
      "write the recovery key of the recovery sheet into a file, and give --recovery-key-file FILE",
    );
  const text = await readInputFile(context, "--recovery-key-file", values.recoveryKeyFile);
  const store = await openStore(context, bucket, values);
  try {
    const recoveryKeys = readRecoveryKeys(text);
    return await inWords(() =>
      fetchArchive({
        store,
        key,
        recoveryKeys,
        database: resolve(storage.path),
        mediaDirectory: resolve(media.directory),
      }),
    );
  } catch (error) {
    throw describe(error, address);
  }
}

function describe(error: unknown, address: string): unknown {
  if (error instanceof NoSuchArchive)
    return new CommandFailure(
      "not_found",
      `there is no archive ${address}`,
      "see what is there: waxwing backup list --remote",
    );
  if (error instanceof WrongRecoveryKey)
    return new CommandFailure(
      "recovery_key_wrong",
      `${error.message}; nothing was changed`,
      "give the recovery key of this archive's recipient",
    );
  if (error instanceof ArchiveBroken)
    return new CommandFailure(
      "broken",
      `the archive ${address} cannot be used: ${error.message}; nothing was changed`,
      "take another archive: waxwing backup list --remote",
    );
  if (error instanceof InsufficientSpace)
    return new CommandFailure("no_room", error.message, "free some space; nothing was changed");
  return error;
}

/** What was put in place beside the database. */
export interface Placed extends PlacedKeys {
  configuration: string | null;
  media: number;
}

interface PlacedKeys {
  /** The file into which the master keys were written; null: they were there. */
  key: string | null;
  /** Where the keys of the replaced database are now, if they gave way to the archive's. */
  replacedKey: string | null;
  /** Set if another key than the archive's is in place: where the archive's was written. */
  otherKey: string | null;
}

/** Where the restore needs no keys: those of the archive are in place. */
export const NO_KEYS: PlacedKeys = { key: null, replacedKey: null, otherKey: null };

export interface KeyPlacement {
  placed: PlacedKeys;
  /** The restore failed: what was there is there again. */
  undo: () => void;
  /** The database is in place. */
  settle: () => void;
}

/**
 * Right before the database is replaced, so that it is never there without its keys. `isMerged`: rows of the replaced database
 * are in the result, which the keys in place may have sealed. Otherwise only the archive's keys open anything in it: those of
 * a database that an installation has made, for example, give way.
 */
export function placeKeys(
  { secrets }: Config,
  { io }: Context,
  { keys }: FetchedArchive,
  isMerged: boolean,
): KeyPlacement {
  const nothing = (): void => undefined;
  const keyFile = resolve(secrets.keyFile);
  const fromEnvironment = io.env[SECRET_KEY_VARIABLE];
  const time = formatFileTime(io.clock.now());
  if (fromEnvironment === undefined && !existsSync(keyFile)) {
    createPrivateDirectory(dirname(keyFile));
    writeBeside(keyFile, keys);
    return { placed: { ...NO_KEYS, key: keyFile }, undo: () => rmSync(keyFile, { force: true }), settle: nothing };
  }
  const present = fromEnvironment ?? readFileSync(keyFile, "utf8");
  if (holdsAll(present, keys)) return { placed: NO_KEYS, undo: nothing, settle: nothing };
  if (fromEnvironment !== undefined || isMerged) {
    const otherKey = writeBeside(`${keyFile}.restored-${time}`, keys);
    return { placed: { ...NO_KEYS, otherKey }, undo: () => rmSync(otherKey, { force: true }), settle: nothing };
  }
  const replacedKey = writeBeside(`${keyFile}.replaced-${time}`, present);
  // Until the database is in place, both can be read.
  writeBeside(keyFile, `${keys.trim()}\n${present}`);
  return {
    placed: { ...NO_KEYS, key: keyFile, replacedKey },
    undo() {
      writeBeside(keyFile, present);
      rmSync(replacedKey, { force: true });
    },
    settle: () => void writeBeside(keyFile, keys),
  };
}

/** Whether the newest of the archive's keys, with which it was sealed, is among those in place. */
function holdsAll(present: string, archived: string): boolean {
  const words = present.split(/\s+/);
  const [current = ""] = archived.trim().split(/\s+/);
  return words.includes(current);
}

/**
 * After the database is in place. A medium that is there stays, and one that the database does not name is not placed: its
 * person may have been erased since.
 */
export function placeRest(
  { storage, media }: Config,
  { io }: Context,
  fetched: FetchedArchive,
): Pick<Placed, "configuration" | "media"> {
  const directory = resolve(media.directory);
  const named = namedMedia(storage.path);
  let placed = 0;
  for (const name of fetched.media) {
    if (!named.has(name) || existsSync(join(directory, name))) continue;
    renameSync(join(directory, name + MEDIA_PART), join(directory, name));
    placed += 1;
  }
  if (placed > 0) syncDirectory(directory);
  if (fetched.configuration === null) return { configuration: null, media: placed };
  const path = join(resolve(storage.data), `waxwing.toml.restored-${formatFileTime(io.clock.now())}`);
  return { configuration: writeBeside(path, fetched.configuration), media: placed };
}

function namedMedia(database: string): ReadonlySet<string> {
  const client = openClient(database, { readonly: true, fileMustExist: true });
  try {
    const names = client.prepare("SELECT workspace_id || '-' || hash FROM media_files").pluck().all();
    return new Set(names as string[]);
  } finally {
    client.close();
  }
}

export function discard({ media }: Config, fetched: FetchedArchive): void {
  discardFetched(fetched, resolve(media.directory));
}

function writeBeside(path: string, text: string): string {
  const unfinished = `${path}${UNFINISHED}`;
  rmSync(unfinished, { force: true });
  createPrivateFile(unfinished);
  writeFileSync(unfinished, text);
  moveIntoPlace(unfinished, path);
  return path;
}

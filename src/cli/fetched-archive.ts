/**
 * `waxwing restore s3://…`: what an archive holds in addition to the database. The master key is put in place where there is
 * none; the configuration is written next to the database, for a person to compare.
 */
import { join, resolve } from "node:path";
import { type KeyPlacement, type PlacedKeys, placeKeys, placeMedia } from "#src/backup/archive/place.ts";
import type { Unpacked } from "#src/backup/archive/unpack.ts";
import { reading } from "#src/backup/database-file.ts";
import { formatFileTime, InsufficientSpace, replaceFile } from "#src/backup/files.ts";
import { readRecoveryKeys, WrongRecoveryKey } from "#src/backup/remote/encryption.ts";
import { fetchArchive, NoSuchArchive } from "#src/backup/remote/fetch-archive.ts";
import { SECRET_KEY_VARIABLE } from "#src/core/key-file.ts";
import { ArchiveBroken } from "#src/core/tar.ts";
import type { Context } from "./context.ts";
import { CommandFailure, type FailureRule, failingAs } from "./failure.ts";
import { readInputFile } from "./input.ts";
import { file, type Values } from "./option.ts";
import { inWords, openStore, storeOptions } from "./remote-store.ts";
import { UsageError } from "./usage-error.ts";

const SCHEME = "s3://";

export function isArchiveAddress(text: string): boolean {
  return text.startsWith(SCHEME);
}

/** Throws `UsageError`. */
export function readArchiveAddress(text: string): { bucket: string; key: string } {
  const [bucket = "", ...rest] = text.slice(SCHEME.length).split("/");
  const isPlain = rest.every((part) => part !== "" && part !== "." && part !== ".." && !/[\p{Cc}\\?#]/u.test(part));
  if (/^[A-Za-z0-9][A-Za-z0-9._-]+$/.test(bucket) && rest.length > 0 && isPlain) return { bucket, key: rest.join("/") };
  throw new UsageError(`${text} is not the address of an archive, such as s3://BUCKET/NAME.tar.age`);
}

export const fetchOptions = {
  recoveryKeyFile: file("FILE", "File with the recovery key of the archive, or - for stdin"),
  ...storeOptions,
};

export async function fetchNamed(
  context: Context,
  address: string,
  values: Values<typeof fetchOptions>,
): Promise<Unpacked> {
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
  return failingAs(rulesFor(address), () => {
    const places = { database: resolve(storage.path), mediaDirectory: resolve(media.directory) };
    return inWords(() => fetchArchive({ store, key, recoveryKeys: readRecoveryKeys(text), ...places }));
  });
}

function rulesFor(address: string): readonly FailureRule[] {
  const unchanged = (message: string): string => `${message}; nothing was changed`;
  const list = "waxwing backup list --remote";
  return [
    [NoSuchArchive, "not_found", `see what is there: ${list}`, () => `there is no archive ${address}`],
    [WrongRecoveryKey, "recovery_key_wrong", "give the recovery key of this archive's recipient", unchanged],
    [
      ArchiveBroken,
      "broken",
      `take another archive: ${list}`,
      (message) => unchanged(`the archive ${address} cannot be used: ${message}`),
    ],
    [InsufficientSpace, "no_room", "free some space; nothing was changed"],
  ];
}

/** What was put in place next to the database. */
export interface Placed extends PlacedKeys {
  configuration: string | null;
  media: number;
}

/** Right before the database is replaced. The database may be older than the keys: it gets those from before a rotation too. */
export function placeArchivedKeys(context: Context, { keys, olderKeys }: Unpacked, isMerged: boolean): KeyPlacement {
  const { io } = context;
  const keyFile = resolve(context.loadConfig().secrets.keyFile);
  const places = { keyFile, environment: io.env[SECRET_KEY_VARIABLE], random: io.random, now: io.clock.now() };
  return placeKeys({ keys, older: [...olderKeys.values()].flat() }, places, isMerged);
}

/**
 * After the database is in place. A medium that the database does not name is not placed: its person may have been erased
 * since.
 */
export function placeRest(context: Context, unpacked: Unpacked): Pick<Placed, "configuration" | "media"> {
  const { storage } = context.loadConfig();
  const named = namedMedia(storage.path);
  const media = placeMedia(unpacked, (name) => named.has(name)).length;
  if (unpacked.configuration === null) return { configuration: null, media };
  const path = join(resolve(storage.data), `waxwing.toml.restored-${formatFileTime(context.io.clock.now())}`);
  replaceFile(path, unpacked.configuration);
  return { configuration: path, media };
}

function namedMedia(database: string): ReadonlySet<string> {
  const named = "SELECT workspace_id || '-' || hash FROM media_files";
  return new Set(reading(database, (client) => client.prepare(named).pluck().all() as string[]));
}

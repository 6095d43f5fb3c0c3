/** Puts what was unpacked into its places; the database has a way of its own, as a restore or as a move. */
import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { keepKeyFile, parseKeys, readKeyFile, replaceKeyFile } from "#src/core/key-file.ts";
import type { Random } from "#src/core/random.ts";
import { createPrivateDirectory } from "#src/db/files.ts";
import { findFreeName, syncDirectory } from "../files.ts";
import { MEDIA_PART, type Unpacked } from "./unpack.ts";

interface KeyPlaces {
  keyFile: string;
  /** The keys in the environment, which take precedence over a file; undefined: there are none. */
  environment: string | undefined;
  random: Random;
  /** Milliseconds. */
  now: number;
}

export interface PlacedKeys {
  /** The file into which the master keys were written; null: they were there. */
  key: string | null;
  /** Where the keys of the replaced database are now, if they gave way to the archive's. */
  replacedKey: string | null;
  /** Set if another key than the archive's is in place: where the archive's was written. */
  otherKey: string | null;
}

export interface KeyPlacement {
  placed: PlacedKeys;
  /** The database did not get its place: what was there is there again. */
  undo: () => void;
  /** The database is in place. */
  settle: () => void;
}

/** Where nothing needs keys: those of the archive are in place. */
export const NO_KEYS: PlacedKeys = { key: null, replacedKey: null, otherKey: null };

const nothing = (): void => undefined;

/**
 * Right before the database gets its place, so that it is never there without its keys. `older`: keys that its rows may
 * need too. `isMerged`: rows of the replaced database are in the result, which the keys in place may have sealed.
 * Otherwise only the archive's keys open anything in it: those of a database that an installation has made give way.
 */
export function placeKeys(
  { keys, older }: { keys: Uint8Array[]; older: Uint8Array[] },
  { keyFile, environment, random, now }: KeyPlaces,
  isMerged: boolean,
): KeyPlacement {
  const all = distinct([...keys, ...older]);
  createPrivateDirectory(dirname(keyFile));
  const present = environment === undefined ? readKeyFile(keyFile) : (parseKeys(environment) ?? []);
  if (present === null) {
    replaceKeyFile(keyFile, all, random);
    return { placed: { ...NO_KEYS, key: keyFile }, undo: () => rmSync(keyFile, { force: true }), settle: nothing };
  }
  if (distinct([...present, ...keys]).length === distinct(present).length)
    return { placed: NO_KEYS, undo: nothing, settle: nothing };
  if (environment !== undefined || isMerged) {
    const otherKey = findFreeName(keyFile, "restored", now);
    keepKeyFile(otherKey, all, random);
    return { placed: { ...NO_KEYS, otherKey }, undo: () => rmSync(otherKey, { force: true }), settle: nothing };
  }
  const replacedKey = findFreeName(keyFile, "replaced", now);
  keepKeyFile(replacedKey, present, random);
  // Until the database is in place, both can be read.
  replaceKeyFile(keyFile, distinct([...all, ...present]), random);
  return {
    placed: { ...NO_KEYS, key: keyFile, replacedKey },
    undo() {
      replaceKeyFile(keyFile, present, random);
      rmSync(replacedKey, { force: true });
    },
    settle: () => replaceKeyFile(keyFile, all, random),
  };
}

function distinct(keys: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(keys.map((key) => [Buffer.from(key).toString("hex"), key])).values()];
}

/** Those that are wanted get their names. Returns their paths. */
export function placeMedia({ media, mediaDirectory }: Unpacked, isWanted: (name: string) => boolean): string[] {
  const paths = media.filter(isWanted).map((name) => join(mediaDirectory, name));
  for (const path of paths) if (existsSync(path + MEDIA_PART)) renameSync(path + MEDIA_PART, path);
  if (paths.length > 0) syncDirectory(mediaDirectory);
  return paths;
}

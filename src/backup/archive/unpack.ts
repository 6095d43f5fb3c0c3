/**
 * Unpacks an archive beside the places of its files. Nothing of it is used before all of it has arrived and its digest
 * holds; what was unpacked is removed if anything fails.
 */
import { closeSync, existsSync, fsyncSync, openSync, rmdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseKeys } from "#src/core/key-file.ts";
import { ArchiveBroken, type ReadEntry } from "#src/core/tar.ts";
import { createPrivateDirectory, createPrivateFile } from "#src/db/files.ts";
import { DIGEST } from "../digest.ts";
import { removeDatabase, requireFreeSpace, syncDirectory, writeWhole } from "../files.ts";
import { entryNames, type Manifest, manifestOf, readArchive, readText } from "./archive.ts";

interface UnpackPlaces {
  /** Where the database is written, with its digest beside it if the archive has one. */
  file: string;
  mediaDirectory: string;
}

export interface Unpacked extends UnpackPlaces {
  manifest: Manifest;
  keys: Uint8Array[];
  /** From before a rotation, by what follows the name of the key file. */
  olderKeys: ReadonlyMap<string, Uint8Array[]>;
  /** Null: the archive holds none. */
  configuration: string | null;
  /** The texts of secret files by the setting that names each. */
  secrets: ReadonlyMap<string, string>;
  /** Names in the directory of media that still carry the ending of unfinished files; those that are there stay. */
  media: readonly string[];
}

/** The server removes files with this ending from the directory of media at its start. */
export const MEDIA_PART = ".part";

const TEXTS_MAX = 100;

/** Throws `ArchiveBroken`, `InsufficientSpace`, and what `pieces` throws. */
export async function unpack(pieces: AsyncIterable<Uint8Array>, places: UnpackPlaces): Promise<Unpacked> {
  const texts = new Map<string, string>();
  const media: string[] = [];
  const hadMedia = existsSync(places.mediaDirectory);
  // Left by a killed process.
  discard({ ...places, media });
  try {
    for await (const entry of readArchive(pieces)) {
      const path = pathOf(entry.name, places);
      if (path === null && texts.size === TEXTS_MAX) throw new ArchiveBroken("it holds too many keys");
      if (path === null) texts.set(entry.name, await readText(entry));
      else if (!path.endsWith(MEDIA_PART)) await save(entry, path);
      else if (!isThere(path.slice(0, -MEDIA_PART.length), entry.bytes)) {
        media.push(basename(path, MEDIA_PART));
        await save(entry, path);
      }
    }
    return { ...places, ...readTexts(texts), media };
  } catch (error) {
    discard({ ...places, media });
    if (!hadMedia && existsSync(places.mediaDirectory)) rmdirSync(places.mediaDirectory);
    throw error;
  }
}

/** Null: its text is kept in memory. */
function pathOf(name: string, { file, mediaDirectory }: UnpackPlaces): string | null {
  if (name === entryNames.database) return file;
  if (name === entryNames.digest) return file + DIGEST;
  if (!name.startsWith(entryNames.media)) return null;
  return join(mediaDirectory, name.slice(entryNames.media.length) + MEDIA_PART);
}

/** The name of a medium is the hash of its content. */
function isThere(path: string, bytes: number): boolean {
  return statSync(path, { throwIfNoEntry: false })?.size === bytes;
}

function readTexts(texts: ReadonlyMap<string, string>) {
  const keys = parseKeys(texts.get(entryNames.keys) ?? "");
  if (keys === null) throw new ArchiveBroken("it holds no master key");
  const olderKeys = new Map<string, Uint8Array[]>();
  for (const [name, text] of texts) {
    const older = name.startsWith(entryNames.olderKeys) ? parseKeys(text) : null;
    if (older !== null) olderKeys.set(name.slice(entryNames.keys.length), older);
  }
  const manifest = manifestOf(texts.get(entryNames.manifest) ?? "");
  const secrets = new Map(
    [...texts].flatMap(([name, text]): [string, string][] =>
      name.startsWith(entryNames.secrets) ? [[name.slice(entryNames.secrets.length), text]] : [],
    ),
  );
  return { manifest, keys, olderKeys, secrets, configuration: texts.get(entryNames.configuration) ?? null };
}

/** What was placed stays. */
export function discard({ file, mediaDirectory, media }: Pick<Unpacked, "file" | "mediaDirectory" | "media">): void {
  removeDatabase(file);
  rmSync(file + DIGEST, { force: true });
  for (const name of media) rmSync(join(mediaDirectory, name + MEDIA_PART), { force: true });
}

/** A new file, complete on disk when it returns. */
async function save({ bytes, pieces }: ReadEntry, path: string): Promise<void> {
  createPrivateDirectory(dirname(path));
  requireFreeSpace(dirname(path), bytes, basename(path));
  rmSync(path, { force: true });
  createPrivateFile(path);
  const handle = openSync(path, "r+");
  try {
    let at = 0;
    for await (const piece of pieces) {
      writeWhole(handle, piece, at);
      at += piece.length;
    }
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  syncDirectory(dirname(path));
}

/** Writes what a move file holds beside its places. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { keepKeyFile, parseKeys, readKeyFile, replaceKeyFile } from "#src/core/key-file.ts";
import type { Random } from "#src/core/random.ts";
import { createPrivateDirectory, createPrivateFile } from "#src/db/files.ts";
import { findFreeName, requireFreeSpace, syncDirectory } from "../files.ts";
import { MoveFileBroken, readMoveFile, type Sink } from "./archive.ts";

export interface Places {
  /** Where the database is written. */
  database: string;
  /** Null: the keys come from the environment here, and the caller has made sure that they are the same. */
  keyFile: string | null;
  mediaDirectory: string;
  /** A new file for the configuration of the machine that was left; nothing reads it. */
  config: string;
  random: Random;
  now: number;
}

interface Extraction {
  /** Puts the keys in their place; a key that is there already, and differs, is kept beside it. */
  placeKeys(): void;
  undo(): void;
}

export function extract(
  handle: number,
  places: Places,
  mediaBytes: number,
  onStep: (step: string) => void,
): Extraction {
  const { database, mediaDirectory, config } = places;
  createPrivateDirectory(mediaDirectory);
  requireFreeSpace(mediaDirectory, mediaBytes, "the media");
  onStep("writing database and media");
  const texts = new Map<string, string>();
  const written: string[] = [];
  const sinkFor = (name: string, bytes: number): Sink | null => {
    if (name === "waxwing.db") return fileSink(database, database);
    if (!name.startsWith("media/")) return textSink((text) => texts.set(name, text));
    const path = join(mediaDirectory, basename(name));
    // The name is the hash of the content.
    if (statSync(path, { throwIfNoEntry: false })?.size === bytes) return null;
    written.push(path);
    return fileSink(`${path}.part`, path);
  };
  const removeWritten = (): void => {
    for (const path of written) for (const one of [path, `${path}.part`]) rmSync(one, { force: true });
    rmSync(database, { force: true });
  };
  try {
    readMoveFile(handle, sinkFor);
    syncDirectory(mediaDirectory);
  } catch (error) {
    removeWritten();
    throw error;
  }
  let undoKeys = (): void => undefined;
  return {
    placeKeys() {
      undoKeys = placeKeys(texts, places);
      const text = texts.get("waxwing.toml");
      if (text === undefined) return;
      rmSync(config, { force: true });
      const sink = fileSink(config, config);
      sink.write(Buffer.from(text, "utf8"));
      sink.end();
      syncDirectory(dirname(config));
    },
    undo() {
      undoKeys();
      rmSync(config, { force: true });
      removeWritten();
    },
  };
}

/** Returns what puts back the key that was there. */
function placeKeys(texts: ReadonlyMap<string, string>, { keyFile, random, now }: Places): () => void {
  const keys = parseKeys(texts.get("waxwing.key") ?? "");
  if (keys === null) throw new MoveFileBroken("it holds no master key");
  if (keyFile === null) return () => undefined;
  createPrivateDirectory(dirname(keyFile));
  const present = readKeyFile(keyFile);
  const isSame = present !== null && Buffer.concat(present).equals(Buffer.concat(keys));
  if (present !== null && !isSame) keepKeyFile(findFreeName(keyFile, "replaced", now), present, random);
  if (!isSame) replaceKeyFile(keyFile, keys, random);
  for (const [name, text] of texts) {
    const old = parseKeys(text);
    if (!name.startsWith("waxwing.key.old-") || old === null) continue;
    keepKeyFile(`${keyFile}${name.slice("waxwing.key".length)}`, old, random);
  }
  return () => {
    if (present === null) rmSync(keyFile, { force: true });
    else if (!isSame) replaceKeyFile(keyFile, present, random);
  };
}

function textSink(done: (text: string) => void): Sink {
  const pieces: Buffer[] = [];
  return {
    write: (piece) => pieces.push(Buffer.from(piece)),
    end: () => done(Buffer.concat(pieces).toString("utf8")),
  };
}

/** A new file, on disk and under its name when it ends. */
function fileSink(unfinished: string, path: string): Sink {
  rmSync(unfinished, { force: true });
  createPrivateFile(unfinished);
  const handle = openSync(unfinished, "r+");
  return {
    write(piece) {
      for (let done = 0; done < piece.length; ) done += writeSync(handle, piece, done);
    },
    end() {
      fsyncSync(handle);
      closeSync(handle);
      if (unfinished !== path) renameSync(unfinished, path);
    },
  };
}

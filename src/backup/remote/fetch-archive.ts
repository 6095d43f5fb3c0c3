/**
 * Fetches an archive from a store, decrypts it and unpacks it in one pass, beside the database. Nothing of it is used
 * before all of it has arrived and its authentication holds; what was unpacked is removed if anything fails.
 */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { createPrivateDirectory, createPrivateFile } from "#src/db/files.ts";
import { DIGEST } from "../digest.ts";
import { removeDatabase, requireFreeSpace, syncDirectory, UNFINISHED } from "../files.ts";
import { entryNames, type Manifest, MEDIA_NAME } from "./archive.ts";
import { decrypt } from "./encryption.ts";
import type { ObjectStore } from "./object-store.ts";
import { ArchiveBroken, type EntrySink, readTar } from "./tar.ts";

/** There is no such object in the store. */
export class NoSuchArchive extends Error {
  override readonly name = "NoSuchArchive";
}

interface FetchRequest {
  store: ObjectStore;
  key: string;
  recoveryKeys: readonly string[];
  /** The database that is to be replaced: the archive's is unpacked beside it. */
  database: string;
  /** The digest beside the database is then what the archive says, and `restore` compares it. */
  mediaDirectory: string;
}

export interface FetchedArchive {
  /** The unpacked database, with its digest beside it. */
  file: string;
  manifest: Manifest;
  keys: string;
  /** Null: the archive holds none. */
  configuration: string | null;
  /** Names in the directory of media that still carry the ending of unfinished files. */
  media: readonly string[];
}

const TEXT_BYTES_MAX = 16 * 1024 * 1024;
/** The server removes files with this ending from the directory of media at its start. */
export const MEDIA_PART = ".part";

export async function fetchArchive(request: FetchRequest): Promise<FetchedArchive> {
  const { store, key, recoveryKeys, database } = request;
  const found = (await store.list(key, 1)).find((object) => object.key === key);
  if (found === undefined) throw new NoSuchArchive(key);
  const file = `${database}${UNFINISHED}-fetched-${process.pid}`;
  requireFreeSpace(dirname(database), found.bytes, "the archive");
  const unpacking = new Unpacking(file, request.mediaDirectory);
  try {
    const plain = await decrypt(recoveryKeys, store.get(key));
    await readTar(plain, (name, bytes) => unpacking.open(name, bytes));
    return unpacking.result();
  } catch (error) {
    unpacking.discard();
    throw error;
  }
}

export function discardFetched({ file, media }: Pick<FetchedArchive, "file" | "media">, mediaDirectory: string): void {
  removeDatabase(file);
  rmSync(file + DIGEST, { force: true });
  for (const name of media) rmSync(join(mediaDirectory, name + MEDIA_PART), { force: true });
}

class Unpacking {
  readonly #file: string;
  readonly #mediaDirectory: string;
  readonly #texts = new Map<string, string>();
  readonly #media: string[] = [];
  readonly #open = new Set<number>();
  #hasDatabase = false;

  constructor(file: string, mediaDirectory: string) {
    this.#file = file;
    this.#mediaDirectory = mediaDirectory;
    // Left by a killed process that had the same id.
    discardFetched({ file, media: [] }, mediaDirectory);
  }

  /** Only the names that an archive has are known: none leads anywhere else. */
  open(name: string, bytes: number): EntrySink {
    switch (name) {
      case entryNames.manifest:
      case entryNames.keys:
      case entryNames.configuration:
        return this.#text(name, bytes);
      case entryNames.digest:
        return this.#fileAt(this.#file + DIGEST);
      case entryNames.database:
        this.#hasDatabase = true;
        return this.#fileAt(this.#file);
      default:
        return this.#medium(name);
    }
  }

  result(): FetchedArchive {
    const [manifest, keys] = [entryNames.manifest, entryNames.keys].map((name) => this.#texts.get(name));
    const hasDigest = existsSync(this.#file + DIGEST);
    if (manifest === undefined || keys === undefined || !this.#hasDatabase || !hasDigest)
      throw new ArchiveBroken("it does not hold what a backup holds");
    syncDirectory(dirname(this.#file));
    return {
      file: this.#file,
      manifest: readManifest(manifest),
      keys,
      configuration: this.#texts.get(entryNames.configuration) ?? null,
      media: this.#media,
    };
  }

  discard(): void {
    for (const handle of this.#open) closeSync(handle);
    this.#open.clear();
    discardFetched({ file: this.#file, media: this.#media }, this.#mediaDirectory);
  }

  #text(name: string, bytes: number): EntrySink {
    if (bytes > TEXT_BYTES_MAX || this.#texts.has(name)) throw new ArchiveBroken(`its ${name} is not one`);
    const pieces: Buffer[] = [];
    return {
      write: (piece) => pieces.push(Buffer.from(piece)),
      end: () => this.#texts.set(name, Buffer.concat(pieces).toString("utf8")),
    };
  }

  #medium(name: string): EntrySink {
    const file = name.slice(entryNames.media.length);
    if (!name.startsWith(entryNames.media) || !MEDIA_NAME.test(file))
      throw new ArchiveBroken(`it holds ${JSON.stringify(name)}, which no backup has`);
    createPrivateDirectory(this.#mediaDirectory);
    this.#media.push(file);
    const path = join(this.#mediaDirectory, file + MEDIA_PART);
    rmSync(path, { force: true });
    return this.#fileAt(path);
  }

  #fileAt(path: string): EntrySink {
    if (!createPrivateFile(path) && existsSync(path)) throw new ArchiveBroken("it holds a file twice");
    const handle = openSync(path, "r+");
    this.#open.add(handle);
    return {
      write: (piece) => {
        for (let done = 0; done < piece.length; ) done += writeSync(handle, piece, done);
      },
      end: () => {
        fsyncSync(handle);
        closeSync(handle);
        this.#open.delete(handle);
      },
    };
  }
}

function readManifest(text: string): Manifest {
  const read = (): Partial<Manifest> => {
    try {
      return JSON.parse(text) as Partial<Manifest>;
    } catch {
      return {};
    }
  };
  const manifest = read();
  if (manifest.format === 1 && typeof manifest.taken_at === "number") return manifest as Manifest;
  throw new ArchiveBroken(`its format is not known to this version (${String(manifest.format)}): use a newer one`);
}

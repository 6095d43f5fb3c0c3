/**
 * Where a release is read from: a folder, a tar archive of it (plain or gzipped), or an address. Each file is read by its
 * name and has a limit; nothing that is read is trusted before its signature and checksum are compared.
 */
import { closeSync, fsyncSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "#src/backup/files.ts";
import { readTar } from "#src/core/tar.ts";

/** The release cannot be read. */
export class ReleaseUnreadable extends Error {
  override readonly name = "ReleaseUnreadable";
}

export interface ReleaseSource {
  /** A small file, whole. Throws `ReleaseUnreadable`. */
  read(name: string): Promise<Uint8Array>;
  /** Writes a file to `path`, which must not exist, and syncs it. Throws `ReleaseUnreadable`. */
  save(name: string, path: string): Promise<void>;
}

const SMALL_BYTES_MAX = 1 << 20;
const LARGE_BYTES_MAX = 1 << 30;
/** Of one file. */
const DOWNLOAD_LIMIT_MS = 30 * 60_000;

/** `limitMs`: of the download of one file. */
export function openSource(from: string, limitMs = DOWNLOAD_LIMIT_MS): ReleaseSource {
  const open = opener(from, limitMs);
  return {
    async read(name) {
      const parts: Uint8Array[] = [];
      await copy(await open(name), SMALL_BYTES_MAX, name, (part) => parts.push(part));
      return Buffer.concat(parts);
    },
    async save(name, path) {
      const handle = openSync(path, "wx", 0o600);
      try {
        let at = 0;
        await copy(await open(name), LARGE_BYTES_MAX, name, (part) => {
          writeWhole(handle, part, at);
          at += part.length;
        });
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
    },
  };
}

type Open = (name: string) => Promise<AsyncIterable<Uint8Array>>;

function opener(from: string, limitMs: number): Open {
  if (/^https?:\/\//.test(from)) {
    return isArchive(from) ? archived(from, () => download(from, limitMs)) : downloaded(from, limitMs);
  }
  const found = statSync(from, { throwIfNoEntry: false });
  if (found === undefined) throw new ReleaseUnreadable(`there is no release at ${from}`);
  if (!found.isDirectory()) return archived(from, async () => Bun.file(from).stream());
  return async (name) => {
    const path = join(from, name);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw missing(name, from);
    return Bun.file(path).stream();
  };
}

function isArchive(address: string): boolean {
  return /\.(tar|tgz|tar\.gz)$/.test(new URL(address).pathname);
}

function archived(from: string, open: () => Promise<ReadableStream<Uint8Array<ArrayBuffer>>>): Open {
  const isZipped = /\.(tgz|gz)(\?|$)/.test(from);
  return async (name) => {
    const bytes = await open();
    return fileIn(isZipped ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes, name, from);
  };
}

/** The first file with this base name, without unpacking anything. */
async function* fileIn(archive: AsyncIterable<Uint8Array>, name: string, from: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const entry of readTar(archive)) {
      if (!entry.isFile || entry.name.split("/").at(-1) !== name) continue;
      yield* entry.pieces;
      return;
    }
  } catch (error) {
    throw new ReleaseUnreadable(`there is no release at ${from} that can be read: ${reasonOf(error)}`);
  }
  throw missing(name, from);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function downloaded(from: string, limitMs: number): Open {
  return (name) => download(`${from.replace(/\/+$/, "")}/${name}`, limitMs);
}

async function download(address: string, limitMs: number): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(limitMs) });
    if (!answer.ok || answer.body === null) throw new Error(`the answer is ${answer.status}`);
    return answer.body as ReadableStream<Uint8Array<ArrayBuffer>>;
  } catch (error) {
    throw new ReleaseUnreadable(`${address} cannot be fetched: ${reasonOf(error)}`);
  }
}

function missing(name: string, from: string): ReleaseUnreadable {
  return new ReleaseUnreadable(`${from} has no file ${name}, which every release has`);
}

async function copy(
  bytes: AsyncIterable<Uint8Array>,
  max: number,
  name: string,
  take: (part: Uint8Array) => void,
): Promise<void> {
  let length = 0;
  for await (const part of bytes) {
    length += part.length;
    if (length > max) throw new ReleaseUnreadable(`${name} is larger than that file of a release can be`);
    take(part);
  }
}

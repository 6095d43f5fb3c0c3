/**
 * The directory of media. A file is written under the name of its medium (`58.part`) or upload (`upload-3.part`), synced,
 * and then renamed to its workspace and hash (`1-9f86d0…`), so that a file with such a name is always complete. Everything else that the
 * directory may hold is removed at the start.
 */
import { createHash, type Hash } from "node:crypto";
import { existsSync, readdirSync, rmSync, statSync, unlinkSync } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { createPrivateDirectory } from "#src/db/files.ts";
import type { MediaFile } from "#src/domain/media/table.ts";

type FileName = Pick<MediaFile, "workspaceId" | "hash">;

const PART = ".part";
/** How much of a file tells its type. */
const HEAD_BYTES = 4_096;
/** Where an archive of some hundred entries lists them. */
const END_BYTES = 64 * 1024;
const PIECE_BYTES = 64 * 1024;
/**
 * After so many bytes of one file, the chunks that were written are freed. The runtime would let a fast network fill the
 * memory with 40 MB of them first (measured); most files are smaller and never get here.
 */
const COLLECTED_BYTES = 8 * 1024 * 1024;

export class MediaFiles {
  readonly directory: string;
  #working = 0;
  #lastSync: Promise<void> = Promise.resolve();
  #nextSync: Promise<void> | null = null;
  #lastRound: Promise<void> = Promise.resolve();
  #waiting: (() => Promise<void>)[] = [];

  constructor(directory: string) {
    this.directory = directory;
  }

  /** True while a file is read or written: the work continues without a timer. */
  get isWorking(): boolean {
    return this.#working > 0;
  }

  create(): void {
    createPrivateDirectory(this.directory);
  }

  nameOf({ workspaceId, hash }: FileName): string {
    return `${workspaceId}-${hash}`;
  }

  pathOf(file: FileName): string {
    return join(this.directory, this.nameOf(file));
  }

  /** Null if it is not there. */
  sizeOf(file: FileName): number | null {
    return statSync(this.pathOf(file), { throwIfNoEntry: false })?.size ?? null;
  }

  has(file: FileName): boolean {
    return existsSync(this.pathOf(file));
  }

  /** Read from disk while it is sent. */
  open(file: FileName): Blob {
    return Bun.file(this.pathOf(file));
  }

  /** Replaces an unfinished file of the same name. */
  async begin(name: string): Promise<UnfinishedFile> {
    const path = this.#unfinishedPath(name);
    const handle = await this.#work(() => open(path, "w", 0o600));
    return new UnfinishedFile(
      handle,
      () => open(path, "a", 0o600),
      (operation) => this.#work(operation),
      (sync) => this.#inRound(sync),
    );
  }

  /** The last bytes of an unfinished file: how an archive says what it holds. */
  readEnd(name: string): Promise<Uint8Array> {
    const file = Bun.file(this.#unfinishedPath(name));
    return this.#work(() => file.slice(Math.max(0, file.size - END_BYTES)).bytes());
  }

  /** A stored file from its beginning, in pieces, of which one is in memory at a time. */
  async *read(file: FileName): AsyncGenerator<Uint8Array, void, undefined> {
    const handle = await this.#work(() => open(this.pathOf(file), "r"));
    try {
      for (;;) {
        const buffer = Buffer.allocUnsafe(PIECE_BYTES);
        const { bytesRead } = await this.#work(() => handle.read(buffer, 0, PIECE_BYTES));
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await handle.close();
    }
  }

  /** The finished file gets its name, on disk when it returns. */
  finish(name: string, file: FileName): Promise<void> {
    return this.#work(async () => {
      await rename(this.#unfinishedPath(name), this.pathOf(file));
      await this.#sync();
    });
  }

  discard(name: string): void {
    rmSync(this.#unfinishedPath(name), { force: true });
  }

  /** Does nothing if the file is not there. */
  remove(file: FileName): void {
    try {
      unlinkSync(this.pathOf(file));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /** At the start, before anything is fetched: an unfinished file is fetched again from its beginning. */
  removeUnfinished(): void {
    for (const name of this.#names()) if (name.endsWith(PART)) rmSync(join(this.directory, name), { force: true });
  }

  #names(): string[] {
    return existsSync(this.directory) ? readdirSync(this.directory) : [];
  }

  #unfinishedPath(name: string): string {
    return join(this.directory, `${name}${PART}`);
  }

  /** Makes new names outlive a power cut. Names that are given while a sync is under way share the next one. */
  #sync(): Promise<void> {
    if (this.#nextSync !== null) return this.#nextSync;
    const next = this.#lastSync.then(async () => {
      this.#nextSync = null;
      const handle = await open(this.directory, "r");
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    });
    this.#nextSync = next;
    this.#lastSync = next.catch(() => undefined);
    return next;
  }

  /** Files that are finished while others are being synced are synced together: the database waits for the same disk. */
  #inRound(sync: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => sync().then(resolve, reject));
      if (this.#waiting.length > 1) return;
      this.#lastRound = this.#lastRound.then(async () => {
        const round = this.#waiting;
        this.#waiting = [];
        await Promise.all(round.map((one) => one()));
      });
    });
  }

  async #work<T>(operation: () => Promise<T>): Promise<T> {
    this.#working += 1;
    try {
      return await operation();
    } finally {
      this.#working -= 1;
    }
  }
}

/** A file that is being written, with its hash so far. */
export class UnfinishedFile {
  /** Null while it is paused. */
  #handle: FileHandle | null;
  readonly #reopen: () => Promise<FileHandle>;
  readonly #work: <T>(operation: () => Promise<T>) => Promise<T>;
  readonly #inRound: (sync: () => Promise<void>) => Promise<void>;
  readonly #hash: Hash = createHash("sha256");
  /** The first bytes. */
  readonly head: Buffer[] = [];
  bytes = 0;

  constructor(
    handle: FileHandle,
    reopen: () => Promise<FileHandle>,
    work: <T>(operation: () => Promise<T>) => Promise<T>,
    inRound: (sync: () => Promise<void>) => Promise<void>,
  ) {
    this.#handle = handle;
    this.#reopen = reopen;
    this.#inRound = inRound;
    this.#work = work;
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.bytes < HEAD_BYTES) this.head.push(Buffer.from(chunk.subarray(0, HEAD_BYTES - this.bytes)));
    this.#hash.update(chunk);
    const blocks = Math.floor(this.bytes / COLLECTED_BYTES);
    this.bytes += chunk.byteLength;
    if (Math.floor(this.bytes / COLLECTED_BYTES) > blocks) Bun.gc(true);
    const handle = await this.#open();
    let written = 0;
    while (written < chunk.byteLength) {
      written += (await this.#work(() => handle.write(chunk, written))).bytesWritten;
    }
  }

  /** On disk when it returns, still without its name. The hash is hexadecimal. */
  async complete(): Promise<string> {
    const handle = await this.#open();
    await this.#work(() => this.#inRound(() => handle.datasync()));
    await this.close();
    return this.#hash.digest("hex");
  }

  /** May be called again. What is written afterwards opens it once more, behind what is there. */
  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    if (handle !== null) await this.#work(() => handle.close()).catch(() => undefined);
  }

  async #open(): Promise<FileHandle> {
    this.#handle ??= await this.#work(this.#reopen);
    return this.#handle;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

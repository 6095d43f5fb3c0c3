/**
 * Takes uploads: the bytes go from the request to the disk as they arrive, never all into memory, and are
 * recognized by what they are. An upload that ends early, in whatever way, leaves nothing.
 */
import type { Duration } from "#src/core/duration.ts";
import type { Fault } from "#src/core/fault.ts";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import type { Store } from "#src/db/store.ts";
import {
  claimUpload,
  dayIsOver,
  recordUploaded,
  remainingToday,
  removeUnfinishedUploads,
  type StoredUpload,
  type Uploader,
} from "#src/domain/media/record-upload.ts";
import { removeUpload } from "#src/domain/media/release.ts";
import {
  AT_ONCE_MAX,
  inWords,
  type Recognized,
  tooLarge,
  UPLOAD_BYTES_MAX,
  uploadBytesMax,
  wrongType,
} from "#src/domain/media/upload.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import type { MediaFiles, UnfinishedFile } from "./files.ts";
import { isArchive, recognize } from "./recognize.ts";
import type { MediaRoom } from "./room.ts";

interface UploadOptions {
  store: Store;
  files: MediaFiles;
  room: MediaRoom;
  /** Of `[media] max_bytes`. */
  maxBytes: number;
  /** After its last use; null: for ever. */
  keptFor: Duration | null;
}

export interface Caller {
  workspace: Workspace;
  by: Uploader;
}

/** What the request says about its file. */
export interface GivenFile {
  filename: string | null;
  contentType: string | null;
}

/** Takes the file of a form. Throws the refusal. */
export interface FileSink {
  begin(given: GivenFile): void;
  write(chunk: Uint8Array): Promise<void>;
}

/** A file that arrives. */
export interface OpenUpload extends FileSink {
  /** That have arrived. */
  readonly bytes: number;
  /** The whole file is there. Throws `invalid_request` for what it is, and `rate_limited` at the end of the day's share. */
  finish(): Promise<StoredUpload>;
  /** No more comes for a time: it holds no file of the process until then. */
  pause(): Promise<void>;
  /** In any case, at the end. */
  discard(): Promise<void>;
}

/** Bytes of a form around its file: boundary and head of the part. */
const FORM_BYTES = 8 * 1024;
/** So many bytes tell the type. */
const HEAD_BYTES = 4_096;
const AT_ONCE_RETRY_MS = 2_000;
const BATCH = 200;

export class Uploads {
  readonly keptFor: Duration | null;
  /** Of one file, whatever it is. */
  readonly bytesMax: number;
  readonly #options: UploadOptions;
  readonly #running = new Map<number, number>();
  #count = 0;

  constructor(options: UploadOptions) {
    this.#options = options;
    this.keptFor = options.keptFor;
    this.bytesMax = Math.min(options.maxBytes, UPLOAD_BYTES_MAX);
  }

  /** At the start, before any upload: what a crash left. */
  async removeUnfinished(): Promise<void> {
    while ((await this.#options.store.write((tx) => removeUnfinishedUploads(tx, BATCH))) === BATCH);
  }

  /**
   * `formBytes`: of the whole form, null if the request does not say. `read` gives the file to the sink and returns at
   * the end of the form. Throws `rate_limited` or `invalid_request`, and whatever `read` throws.
   */
  async receive(
    caller: Caller,
    formBytes: number | null,
    read: (sink: FileSink) => Promise<void>,
  ): Promise<StoredUpload> {
    return this.oneOfFew(caller, async () => {
      const bytes = formBytes === null ? null : Math.max(0, formBytes - FORM_BYTES);
      const open = await this.open(caller, bytes);
      try {
        await read(open);
        return await open.finish();
      } finally {
        await open.discard();
      }
    });
  }

  /** Runs `act` as one of the uploads that a workspace makes at once. Throws `rate_limited` if there are too many. */
  async oneOfFew<T>({ workspace }: Pick<Caller, "workspace">, act: () => Promise<T>): Promise<T> {
    const running = this.#running.get(workspace.id) ?? 0;
    if (running >= AT_ONCE_MAX) {
      const says = `This workspace may make ${AT_ONCE_MAX} uploads at once. Wait until one of them has ended.`;
      throw new Problem("rate_limited", says, { retryAfterMs: AT_ONCE_RETRY_MS });
    }
    this.#running.set(workspace.id, running + 1);
    try {
      return await act();
    } catch (error) {
      throw isDiskFull(error) ? new Problem("unavailable", "The server's disk has no room for the file.") : error;
    } finally {
      const left = (this.#running.get(workspace.id) ?? 1) - 1;
      if (left === 0) this.#running.delete(workspace.id);
      else this.#running.set(workspace.id, left);
    }
  }

  /** `bytes`: of the file, null if they are not known. Until it is discarded, it has its room. */
  async open(caller: Caller, bytes: number | null): Promise<OpenUpload> {
    const { files, room } = this.#options;
    this.#count += 1;
    const name = `upload-${this.#count}`;
    this.#requireRoom(name, caller, bytes);
    try {
      const receiver = new Receiver(await files.begin(name), this.bytesMax, () => files.readEnd(name));
      return {
        get bytes() {
          return receiver.bytes;
        },
        begin: (given) => receiver.begin(given),
        write: (chunk) => receiver.write(chunk),
        finish: () => this.#finish(name, receiver, caller),
        pause: () => receiver.close(),
        discard: async () => {
          await receiver.close();
          files.discard(name);
          room.release(name);
        },
      };
    } catch (error) {
      room.release(name);
      throw error;
    }
  }

  async #finish(name: string, receiver: Receiver, { workspace, by }: Caller): Promise<StoredUpload> {
    const { store, files } = this.#options;
    const given = await receiver.complete();
    this.#reserve(name, workspace, given.bytes);
    const { upload, file } = await store.write((tx) => claimUpload(tx, workspace, by, given));
    try {
      if (!files.has(file)) await files.finish(name, file);
      return { file, upload: await store.write((tx) => recordUploaded(tx, upload.id)) };
    } catch (error) {
      // Where this fails too, the next start removes it.
      await store.write((tx) => removeUpload(tx, upload)).catch(() => undefined);
      throw error;
    }
  }

  /** Before the first byte is written. */
  #requireRoom(name: string, { workspace, by }: Caller, known: number | null): void {
    const bytes = known ?? this.bytesMax;
    if (bytes > this.bytesMax) throw refused(largerThan(this.bytesMax));
    this.#options.store.read((tx) => {
      const left = remainingToday(tx, by, workspace);
      if (left === 0 || (known !== null && bytes > left)) throw dayIsOver(tx, by, workspace);
    });
    this.#reserve(name, workspace, bytes);
  }

  /** In place of what `name` has reserved before. */
  #reserve(name: string, workspace: Workspace, bytes: number): void {
    const { isReserved, left, of } = this.#options.room.reserveUpload(name, workspace.id, bytes);
    if (isReserved) return;
    const until = "An upload is deleted when it has not been sent for a time: its `expires_at` says when.";
    throw refused(
      bytes > left
        ? `The uploads of this workspace may take ${inWords(of)}, of which ${inWords(left)} are left. ${until}`
        : `The server has no room for the file. ${until}`,
    );
  }
}

/** Writes what the request brings, and refuses it as soon as it shows what it is. */
class Receiver implements FileSink {
  readonly #file: UnfinishedFile;
  readonly #readEnd: () => Promise<Uint8Array>;
  readonly #ofServer: number;
  #given: GivenFile = { filename: null, contentType: null };
  #limit: number;
  #recognized: Recognized | null = null;

  constructor(file: UnfinishedFile, ofServer: number, readEnd: () => Promise<Uint8Array>) {
    this.#file = file;
    this.#ofServer = ofServer;
    this.#limit = ofServer;
    this.#readEnd = readEnd;
  }

  get bytes(): number {
    return this.#file.bytes;
  }

  begin(given: GivenFile): void {
    this.#given = given;
  }

  async write(chunk: Uint8Array): Promise<void> {
    await this.#file.write(chunk);
    if (this.#recognized === null && this.#file.bytes >= HEAD_BYTES) this.#recognizeEarly();
    if (this.#file.bytes > this.#limit) throw refused(this.#tooLarge());
  }

  /** The complete file, on disk, without a name yet. */
  async complete() {
    if (this.#file.bytes === 0) throw refused("The file is empty.");
    const head = Buffer.concat(this.#file.head);
    const hash = await this.#file.complete();
    const end = isArchive(head) ? Buffer.from(await this.#readEnd()) : Buffer.alloc(0);
    this.#apply(recognize(head, end, this.#given));
    const { mimeType } = this.#recognized ?? {};
    if (mimeType === undefined) throw new Error("a complete file has a type");
    return { hash, bytes: this.#file.bytes, mimeType, filename: this.#given.filename };
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** What an archive is, its end says. */
  #recognizeEarly(): void {
    const head = Buffer.concat(this.#file.head);
    if (!isArchive(head)) this.#apply(recognize(head, Buffer.alloc(0), this.#given));
  }

  #apply(recognized: Recognized): void {
    const limit = uploadBytesMax(recognized, this.#ofServer);
    if (limit === null) throw refused(wrongType(recognized));
    this.#recognized = recognized;
    this.#limit = limit;
    if (this.#file.bytes > limit) throw refused(this.#tooLarge());
  }

  #tooLarge(): Fault {
    return this.#recognized === null ? largerThan(this.#ofServer) : tooLarge(this.#recognized, this.#limit);
  }
}

function largerThan(limit: number): Fault {
  return { rule: "too_long", sentence: `A file may have at most ${inWords(limit)}.`, limit };
}

function refused(fault: Fault | string): Problem {
  return invalidRequest({ file: [fault] });
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}

/**
 * A power cut of a whole machine, for the files of one directory: `fsync-recorder.c` records what a server does to
 * them; `Disk` derives from the records what a disk must still hold, and changes the files accordingly. Unsynced
 * changes are lost (or some of them are kept at random: a disk may write early, and in any order).
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileInterposer } from "./interposer.ts";

export interface Recorder extends Disposable {
  /** The environment of the server whose writes are recorded. */
  env(directory: string): Record<string, string>;
  log: string;
}

export function makeRecorder(): Recorder {
  const workshop = mkdtempSync(join(tmpdir(), "waxwing-recorder-"));
  const library = compileInterposer("fsync-recorder.c", workshop);
  const log = join(workshop, "log");
  return {
    log,
    env: (directory) => ({ LD_PRELOAD: library, RECORDER_DIRECTORY: directory, RECORDER_LOG: log }),
    [Symbol.dispose]: () => rmSync(workshop, { recursive: true, force: true }),
  };
}

interface Change {
  offset: number;
  /** Null: the file was truncated or extended to `offset`. */
  data: Buffer | null;
}

/** One file, independent of its names: its safe content, and the changes since. */
interface StoredFile {
  safe: Buffer;
  unsynced: Change[];
}

export interface Cut {
  syncs: number;
  /** Changes that were not safe. */
  unsynced: number;
}

/** SQLite's shared memory: not stored on the disk. */
const NOT_STORED = /-shm$/;
/** Run markers, written around the C library and synced with their directory at once: they are left as they are. */
const NOT_RECORDED = /\.run-\w+$/;
const HEAD_BYTES = 19;

export class Disk {
  readonly #directory: string;
  readonly #log: string;
  /** The file of each name for running programs, and after a power cut. */
  #names = new Map<string, StoredFile>();
  #safeNames = new Map<string, StoredFile>();

  constructor(directory: string, { log }: Recorder) {
    this.#directory = directory;
    this.#log = log;
  }

  /** Takes everything that exists as safe; no process may have the files open. */
  remember(): void {
    rmSync(this.#log, { force: true });
    this.#names = new Map();
    for (const entry of readdirSync(this.#directory, { withFileTypes: true })) {
      const { name } = entry;
      const path = join(this.#directory, name);
      // Received files are in a directory of their own, and the load of the crash tests has none.
      if (entry.isFile() && !NOT_STORED.test(name) && !NOT_RECORDED.test(name))
        this.#names.set(path, { safe: readFileSync(path), unsynced: [] });
    }
    this.#safeNames = new Map(this.#names);
  }

  /**
   * Cuts the power: the files become what the disk holds. `mayKeep`: whether each unsynced change is kept all the same;
   * never, by default. `isForgetful`: a disk that reports syncs and does not do them.
   */
  cutPower({ mayKeep = () => false, isForgetful = false }: { mayKeep?: () => boolean; isForgetful?: boolean }): Cut {
    const cut: Cut = { syncs: 0, unsynced: 0 };
    if (existsSync(this.#log)) this.#replay(readFileSync(this.#log), isForgetful, cut);
    for (const name of new Set([...this.#names.keys(), ...this.#safeNames.keys()])) {
      const [now, safe] = [this.#names.get(name), this.#safeNames.get(name)];
      const left = now === safe || !mayKeep() ? safe : now;
      if (left === undefined) {
        rmSync(name, { force: true });
        continue;
      }
      cut.unsynced += left.unsynced.length;
      for (const change of left.unsynced) if (mayKeep()) left.safe = changed(left.safe, change);
      // Overwrite the existing file: a database with a new file identity would count as a copy.
      writeFileSync(name, left.safe, { mode: 0o600 });
    }
    for (const name of readdirSync(this.#directory)) {
      if (NOT_STORED.test(name)) rmSync(join(this.#directory, name));
    }
    return cut;
  }

  #replay(log: Buffer, isForgetful: boolean, cut: Cut): void {
    for (const { kind, path, offset, data } of readRecords(log)) {
      if (NOT_STORED.test(path)) continue;
      if (kind === "U") this.#names.delete(path);
      else if (kind !== "S") this.#open(path).unsynced.push({ offset, data: kind === "T" ? null : data });
      else if (!isForgetful) {
        cut.syncs += 1;
        if (path === this.#directory) this.#safeNames = new Map(this.#names);
        else settle(this.#open(path));
      }
    }
  }

  #open(path: string): StoredFile {
    const known = this.#names.get(path);
    if (known !== undefined) return known;
    const made = { safe: Buffer.alloc(0), unsynced: [] };
    this.#names.set(path, made);
    return made;
  }
}

interface RecordedCall {
  /** Write, truncation, sync or removal: `W`, `T`, `S`, `U`. */
  kind: string;
  path: string;
  offset: number;
  data: Buffer;
}

/** What a recorder's log has, in order. */
export function* readRecords(log: Buffer): Generator<RecordedCall> {
  for (let at = 0; at + HEAD_BYTES <= log.length; ) {
    const kind = String.fromCharCode(log.readUInt8(at));
    const pathLength = log.readUInt16LE(at + 1);
    const offset = Number(log.readBigUInt64LE(at + 3));
    const length = Number(log.readBigUInt64LE(at + 11));
    const dataAt = at + HEAD_BYTES + pathLength;
    const path = log.toString("utf8", at + HEAD_BYTES, dataAt);
    at = dataAt + length;
    // The last record of a killed process may be incomplete; its call had not returned.
    if (at > log.length) return;
    yield { kind, path, offset, data: log.subarray(dataAt, at) };
  }
}

function settle(file: StoredFile): void {
  for (const change of file.unsynced) file.safe = changed(file.safe, change);
  file.unsynced = [];
}

function changed(content: Buffer, { offset, data }: Change): Buffer {
  if (data === null) return resized(content, offset);
  const target = offset + data.length > content.length ? resized(content, offset + data.length) : content;
  data.copy(target, offset);
  return target;
}

/** With spare capacity: a log is written frame by frame. */
function resized(content: Buffer, size: number): Buffer {
  if (content.byteOffset === 0 && size >= content.length && size <= content.buffer.byteLength) {
    const grown = Buffer.from(content.buffer, 0, size);
    // Bytes from before the file was truncated must read as zero.
    return grown.fill(0, content.length);
  }
  const room = new ArrayBuffer(Math.max(size, content.length * 2));
  const moved = Buffer.from(room, 0, size);
  content.copy(moved, 0, 0, Math.min(size, content.length));
  return moved;
}

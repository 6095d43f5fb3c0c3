/**
 * A power cut for a whole machine, on the files of one directory: `fsync-recorder.c` writes down what a server did to
 * them, and `Disk` works out from that what a disk must still hold, and makes the files so. What was never synced is gone
 * (or, where chance decides, some of it is there all the same: a disk may write early, and in any order).
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileInterposer } from "./interposer.ts";

export interface Recorder extends Disposable {
  /** For the environment of the server whose writes are recorded. */
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
  /** Null: the file was made `offset` long. */
  data: Buffer | null;
}

/** One file, whatever it is called: what is safe, and what was changed since. */
interface StoredFile {
  safe: Buffer;
  unsynced: Change[];
}

export interface Cut {
  syncs: number;
  /** Changes that were not safe. */
  unsynced: number;
}

/** Its shared memory: nothing that is kept. */
const NOT_STORED = /-shm$/;
/** Marks of runs, made past the C library and synced with their directory on the spot: they stay as they are. */
const NOT_RECORDED = /\.run-\w+$/;
const HEAD_BYTES = 19;

export class Disk {
  readonly #directory: string;
  readonly #log: string;
  /** What each name means to running programs, and what it would mean after a power cut. */
  #names = new Map<string, StoredFile>();
  #safeNames = new Map<string, StoredFile>();

  constructor(directory: string, { log }: Recorder) {
    this.#directory = directory;
    this.#log = log;
  }

  /** Everything that is there counts as safe; nobody may have the files open. */
  remember(): void {
    rmSync(this.#log, { force: true });
    this.#names = new Map();
    for (const name of readdirSync(this.#directory)) {
      const path = join(this.#directory, name);
      if (!NOT_STORED.test(name) && !NOT_RECORDED.test(name))
        this.#names.set(path, { safe: readFileSync(path), unsynced: [] });
    }
    this.#safeNames = new Map(this.#names);
  }

  /**
   * The power goes: the files are what the disk holds. `mayKeep`: whether each thing that was not safe is there all the
   * same; never, by default. `isForgetful`: a disk that says that it has synced and has not.
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
      // Into the file that is there: a database that lay in another place would count as a copy.
      writeFileSync(name, left.safe, { mode: 0o600 });
    }
    for (const name of readdirSync(this.#directory)) {
      if (NOT_STORED.test(name)) rmSync(join(this.#directory, name));
    }
    return cut;
  }

  #replay(log: Buffer, isForgetful: boolean, cut: Cut): void {
    for (let at = 0; at + HEAD_BYTES <= log.length; ) {
      const kind = String.fromCharCode(log.readUInt8(at));
      const pathLength = log.readUInt16LE(at + 1);
      const offset = Number(log.readBigUInt64LE(at + 3));
      const length = Number(log.readBigUInt64LE(at + 11));
      const dataAt = at + HEAD_BYTES + pathLength;
      const path = log.toString("utf8", at + HEAD_BYTES, dataAt);
      at = dataAt + length;
      // The last record of a process that was killed may be cut off; its call had not returned.
      if (at > log.length) return;
      if (NOT_STORED.test(path)) continue;
      if (kind === "U") this.#names.delete(path);
      else if (kind !== "S")
        this.#open(path).unsynced.push({ offset, data: kind === "T" ? null : log.subarray(dataAt, at) });
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

/** With room to grow into: a log is written frame by frame. */
function resized(content: Buffer, size: number): Buffer {
  if (content.byteOffset === 0 && size >= content.length && size <= content.buffer.byteLength) {
    const grown = Buffer.from(content.buffer, 0, size);
    // What it held before it was cut is gone.
    return grown.fill(0, content.length);
  }
  const room = new ArrayBuffer(Math.max(size, content.length * 2));
  const moved = Buffer.from(room, 0, size);
  content.copy(moved, 0, 0, Math.min(size, content.length));
  return moved;
}

/**
 * The journal of an upgrade: a directory beside the executable that says which upgrade is under way and which step it is
 * in. Only the upgrade command writes it; servers read it at their start, to know whether they are the old executable or
 * the new one. A killed command leaves a journal from which the next start, or the next upgrade, continues.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { syncDirectory } from "#src/backup/files.ts";

/**
 * `trial`: the executable is swapped, and waits until it is declared ready. `go`: declared ready; it goes live. `done`:
 * it is live. `undo`: the old executable is put back, and the database if it was migrated. `undone`: it runs again.
 * `back`: servers leave the database alone, because an older one is restored.
 */
const phases = ["trial", "go", "done", "undo", "undone", "back"] as const;
export type Phase = (typeof phases)[number];

/** What does not change during an upgrade. */
export interface UpgradeFacts {
  /** Tells this upgrade from every other one. */
  nonce: string;
  /** Versions. */
  from: string;
  to: string;
  /** Inodes of the executables, which a rename does not change. */
  oldInode: string;
  newInode: string;
  /** The database file. */
  database: string;
}

/** The last upgrade that succeeded: what `upgrade back` returns to. */
interface LastUpgrade {
  from: string;
  to: string;
  /** The database before the upgrade; null if it was not migrated. */
  keptDatabase: string | null;
}

export class Journal {
  readonly executable: string;
  /** Of the journal's files. */
  readonly directory: string;
  /** The new executable, until the upgrade is over. */
  readonly fresh: string;
  /** The old executable, until the upgrade is over. */
  readonly old: string;
  /** The executable before the last upgrade that succeeded. */
  readonly previous: string;

  constructor(executable: string) {
    this.executable = executable;
    this.directory = `${executable}.upgrade`;
    this.fresh = join(this.directory, "new");
    this.old = join(this.directory, "old");
    this.previous = `${executable}.previous`;
  }

  /** Readable by the service's user, writable for the executable's owner alone. */
  create(): void {
    mkdirSync(this.directory, { recursive: true });
    chmodSync(this.directory, 0o755);
  }

  phase(): Phase | null {
    const word = this.#read("phase")?.trim();
    return phases.find((phase) => phase === word) ?? null;
  }

  /** On disk when it returns. */
  setPhase(phase: Phase): void {
    this.write("phase", `${phase}\n`);
  }

  facts(): UpgradeFacts | null {
    return this.#readJson("journal.json") as UpgradeFacts | null;
  }

  setFacts(facts: UpgradeFacts): void {
    this.write("journal.json", JSON.stringify(facts));
  }

  last(): LastUpgrade | null {
    return this.#readJson("last.json") as LastUpgrade | null;
  }

  setLast(last: LastUpgrade): void {
    this.write("last.json", JSON.stringify(last));
  }

  /** The command is alive: call it at least every second. */
  beat(): void {
    const path = join(this.directory, "heartbeat");
    writeFileSync(path, "");
    chmodSync(path, 0o644);
  }

  /** Changes with every beat. */
  lastBeat(): number {
    return statSync(join(this.directory, "heartbeat"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  }

  /** Puts `source` in the executable's place, in one step: a running server keeps the file that it has open. */
  swapIn(source: string): void {
    const next = join(this.directory, "next");
    rmSync(next, { force: true });
    linkSync(source, next);
    renameSync(next, this.executable);
    syncDirectory(dirname(this.executable));
  }

  keepOld(): void {
    rmSync(this.old, { force: true });
    linkSync(this.executable, this.old);
    syncDirectory(this.directory);
  }

  /** After an upgrade that succeeded, the old executable stays; after one that was undone, only the old one does. */
  sweep(keepsOld: boolean): void {
    if (keepsOld && existsSync(this.old)) renameSync(this.old, this.previous);
    this.#remove(["old", "new", "next", "starts", "guard"]);
  }

  /**
   * The command is over. Not part of `sweep`: a command also sweeps what an earlier one left, and without its own
   * heartbeat the servers would take it for gone.
   */
  endCommand(): void {
    this.#remove(["heartbeat", "command"]);
  }

  #remove(names: readonly string[]): void {
    for (const name of names) rmSync(join(this.directory, name), { force: true });
    syncDirectory(this.directory);
  }

  /** A small file of the journal, on disk when it returns. */
  write(name: string, text: string): void {
    const unfinished = join(this.directory, `.${name}`);
    const handle = openSync(unfinished, "w", 0o644);
    try {
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    chmodSync(unfinished, 0o644);
    renameSync(unfinished, join(this.directory, name));
    syncDirectory(this.directory);
  }

  #read(name: string): string | null {
    try {
      return readFileSync(join(this.directory, name), "utf8");
    } catch {
      return null;
    }
  }

  #readJson(name: string): unknown {
    const text = this.#read(name);
    try {
      return text === null ? null : JSON.parse(text);
    } catch {
      return null;
    }
  }
}

export function inodeOf(path: string): string {
  return String(statSync(path, { bigint: true }).ino);
}

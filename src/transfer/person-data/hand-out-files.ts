/**
 * Paths of the archives that are handed out: beside the database. An archive is written under another name and gets its own when
 * it is complete and on disk, so a file of that name is never half of one.
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createPrivateDirectory } from "#src/db/files.ts";
import type { Store } from "#src/db/store.ts";
import { listHandOutIds } from "#src/domain/erasure/hand-outs.ts";

const NAME = /^(\d+)\.zip(?:\.part)?$/;

export class HandOutFiles {
  readonly directory: string;

  constructor(database: string) {
    this.directory = join(dirname(database), "hand-outs");
  }

  pathOf(id: number): string {
    return join(this.directory, `${id}.zip`);
  }

  has(id: number): boolean {
    return statSync(this.pathOf(id), { throwIfNoEntry: false }) !== undefined;
  }

  /** Replaces an unfinished archive. */
  async begin(id: number): Promise<FileHandle> {
    createPrivateDirectory(this.directory);
    return open(this.#unfinished(id), "w", 0o600);
  }

  /** The archive gets its name, on disk when it returns. Throws `ENOENT` if it was removed meanwhile. */
  async finish(id: number): Promise<void> {
    await rename(this.#unfinished(id), this.pathOf(id));
    const directory = await open(this.directory, "r");
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  }

  /** Does nothing if there is none. */
  remove(id: number): void {
    rmSync(this.pathOf(id), { force: true });
    rmSync(this.#unfinished(id), { force: true });
  }

  /** Of all archives, finished or not. */
  ids(): number[] {
    if (statSync(this.directory, { throwIfNoEntry: false }) === undefined) return [];
    return readdirSync(this.directory).flatMap((name) => {
      const id = NAME.exec(name)?.[1];
      return id === undefined ? [] : Number(id);
    });
  }

  #unfinished(id: number): string {
    return `${this.pathOf(id)}.part`;
  }
}

/** Removes the archives that have no row any more: the person was erased, or the workspace was reset. */
export function removeStrayHandOuts(store: Store, files: HandOutFiles): void {
  const ids = files.ids();
  if (ids.length === 0) return;
  const known = new Set(store.read(listHandOutIds));
  for (const id of ids) if (!known.has(id)) files.remove(id);
}

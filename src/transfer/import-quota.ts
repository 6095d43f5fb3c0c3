/**
 * What a workspace may keep on the server's disk for imports. Files are counted as they lie on the disk, so that uploads
 * beside each other count together.
 */
import { statfsSync, statSync } from "node:fs";
import { Problem } from "#src/core/problem.ts";
import type { Store } from "#src/db/store.ts";
import type { ImportFiles } from "./import-files.ts";
import { listAllImports, listEndedImports, removeImport } from "./imports.ts";

const MEBIBYTE = 1024 * 1024;

export interface ImportLimits {
  /** Enough for a million people with many columns. */
  fileBytes: number;
  files: number;
  workspaceBytes: number;
}

export const IMPORT_LIMITS: ImportLimits = { fileBytes: 200 * MEBIBYTE, files: 20, workspaceBytes: 1024 * MEBIBYTE };

/** Part of the disk that uploads leave free, and how much of a large disk. */
const FREE_SHARE = 0.05;
const FREE_BYTES_MAX = 1024 * MEBIBYTE;

export class ImportQuota {
  readonly #store: Store;
  readonly #files: ImportFiles;
  readonly #limits: ImportLimits;

  constructor(store: Store, files: ImportFiles, limits: ImportLimits) {
    this.#store = store;
    this.#files = files;
    this.#limits = limits;
  }

  /** Discards the oldest ended imports while the workspace has as many as it may. Throws `invalid_request` if it still has. */
  async makeRoom(workspaceId: number, isIdle: (id: number) => boolean): Promise<void> {
    const isFull = (): boolean => {
      const { length } = this.#store.read((tx) => listAllImports(tx, workspaceId));
      return length > this.#limits.files || this.#usedBytes(workspaceId) >= this.#limits.workspaceBytes;
    };
    if (!isFull()) return;
    for (const { id } of this.#store.read((tx) => listEndedImports(tx, workspaceId)).filter((one) => isIdle(one.id))) {
      await this.#store.write((tx) => removeImport(tx, id));
      this.#files.remove(id);
      if (!isFull()) return;
    }
    throw invalidFile(`This workspace keeps ${this.#limits.files} files to import. Discard one that you do not need.`);
  }

  /** Throws `invalid_request` if the workspace, or the server, has no room for the rest of a file. */
  requireRoom(workspaceId: number): void {
    if (this.#usedBytes(workspaceId) > this.#limits.workspaceBytes) {
      const megabytes = this.#limits.workspaceBytes / MEBIBYTE;
      throw invalidFile(`The files of this workspace have at most ${megabytes} MB. Discard one that you do not need.`);
    }
    const { bavail, blocks, bsize } = statfsSync(this.#files.directory);
    if (bavail * bsize < Math.min(blocks * bsize * FREE_SHARE, FREE_BYTES_MAX)) {
      throw invalidFile("The server's disk is nearly full. Tell the operator of this server.");
    }
  }

  #usedBytes(workspaceId: number): number {
    const imports = this.#store.read((tx) => listAllImports(tx, workspaceId));
    return imports.reduce((sum, { id }) => sum + sizeOf(this.#files.fileOf(id)) + sizeOf(this.#files.errorsOf(id)), 0);
  }
}

export function invalidFile(sentence: string): Problem {
  return new Problem("invalid_request", sentence, { fields: { file: [sentence] } });
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

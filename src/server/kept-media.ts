/** The files of media as a seed has them: kept as links beside the database, and brought back with its rows. */
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** `1-9f86d0…`: a workspace, and the hash of a complete file. */
const COMPLETE = /^(\d+)-[0-9a-f]{64}$/;

export class KeptMedia {
  readonly #live: string;
  readonly #kept: string;

  /** `live`: the directory of media; `kept`: of the seed, on the same file system. */
  constructor(live: string, kept: string) {
    this.#live = live;
    this.#kept = kept;
  }

  save(): void {
    this.remove();
    const names = complete(this.#live);
    if (names.length === 0) return;
    mkdirSync(this.#kept, { recursive: true, mode: 0o700 });
    for (const name of names) linkSync(join(this.#live, name), join(this.#kept, name));
  }

  /** Of all workspaces, or of one. Files that the seed does not have are removed. */
  restore(workspaceId: number | null = null): void {
    const isMeant = (name: string): boolean => workspaceId === null || COMPLETE.exec(name)?.[1] === String(workspaceId);
    const kept = new Set(complete(this.#kept).filter(isMeant));
    const live = new Set(complete(this.#live).filter(isMeant));
    for (const name of live) if (!kept.has(name)) rmSync(join(this.#live, name), { force: true });
    for (const name of kept) if (!live.has(name)) linkSync(join(this.#kept, name), join(this.#live, name));
  }

  remove(): void {
    rmSync(this.#kept, { recursive: true, force: true });
  }
}

function complete(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).filter((name) => COMPLETE.test(name)) : [];
}

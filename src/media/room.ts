/**
 * Room for files on disk: what is stored, and what is arriving at this moment. A file reserves its bytes before the
 * first one arrives, so that files side by side stay within the quota together.
 */
import type { Store } from "#src/db/store.ts";
import { hasRoom } from "#src/domain/media/media.ts";
import { readUsage } from "#src/domain/media/read.ts";
import { uploadRoom } from "#src/domain/media/upload.ts";

interface Reserved {
  workspaceId: number;
  bytes: number;
  isUpload: boolean;
}

export class MediaRoom {
  readonly #store: Store;
  readonly #quotaBytes: number;
  readonly #reserved = new Map<string, Reserved>();

  constructor(store: Store, quotaBytes: number) {
    this.#store = store;
    this.#quotaBytes = quotaBytes;
  }

  /** False: there is no room. Until `release`, the bytes count as used. `holder`: the name of the unfinished file. */
  reserve(holder: string, workspaceId: number, bytes: number): boolean {
    this.release(holder);
    const { usage } = this.#usageOf(workspaceId);
    if (!hasRoom(bytes, this.#quotaBytes, usage)) return false;
    this.#reserved.set(holder, { workspaceId, bytes, isUpload: false });
    return true;
  }

  /** The same for an upload, which has a limit of its own: what the workspace's uploads may still take, if it is less. */
  reserveUpload(holder: string, workspaceId: number, bytes: number): { isReserved: boolean; left: number; of: number } {
    this.release(holder);
    const { usage, uploads } = this.#usageOf(workspaceId);
    const of = uploadRoom(this.#quotaBytes, usage.workspaceCount);
    const left = Math.max(0, of - uploads);
    const isReserved = bytes <= left && hasRoom(bytes, this.#quotaBytes, usage);
    if (isReserved) this.#reserved.set(holder, { workspaceId, bytes, isUpload: true });
    return { isReserved, left, of };
  }

  release(holder: string): void {
    this.#reserved.delete(holder);
  }

  #usageOf(workspaceId: number) {
    const stored = this.#store.read((tx) => readUsage(tx, workspaceId));
    const reserved = [...this.#reserved.values()];
    const own = reserved.filter((one) => one.workspaceId === workspaceId);
    return {
      usage: {
        total: stored.total + sum(reserved),
        workspace: stored.workspace + sum(own),
        workspaceCount: stored.workspaceCount,
      },
      uploads: stored.uploads + sum(own.filter(({ isUpload }) => isUpload)),
    };
  }
}

function sum(reservations: readonly { bytes: number }[]): number {
  return reservations.reduce((total, { bytes }) => total + bytes, 0);
}

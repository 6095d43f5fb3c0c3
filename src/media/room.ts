/**
 * Room for media on disk: what is stored, and what is being fetched at this moment. A fetch reserves its bytes before the
 * first one arrives, so that fetches side by side stay within the quota together.
 */
import type { Store } from "#src/db/store.ts";
import { hasRoom } from "#src/domain/media/media.ts";
import { readUsage } from "#src/domain/media/read.ts";

export class MediaRoom {
  readonly #store: Store;
  readonly #quotaBytes: number;
  readonly #reserved = new Map<number, { workspaceId: number; bytes: number }>();

  constructor(store: Store, quotaBytes: number) {
    this.#store = store;
    this.#quotaBytes = quotaBytes;
  }

  /** False: there is no room. Until `release`, the bytes count as used. */
  reserve(mediumId: number, workspaceId: number, bytes: number): boolean {
    this.release(mediumId);
    const stored = this.#store.read((tx) => readUsage(tx, workspaceId));
    const reserved = [...this.#reserved.values()];
    const own = reserved.filter((one) => one.workspaceId === workspaceId);
    const usage = {
      total: stored.total + sum(reserved),
      workspace: stored.workspace + sum(own),
      workspaceCount: stored.workspaceCount,
    };
    if (!hasRoom(bytes, this.#quotaBytes, usage)) return false;
    this.#reserved.set(mediumId, { workspaceId, bytes });
    return true;
  }

  release(mediumId: number): void {
    this.#reserved.delete(mediumId);
  }
}

function sum(reservations: readonly { bytes: number }[]): number {
  return reservations.reduce((total, { bytes }) => total + bytes, 0);
}

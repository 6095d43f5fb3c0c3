/** Gives the connector access to the stored ids of files that were uploaded to the network. */

import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import { findMediaId, invalidateUpload } from "#src/domain/templates/sample.ts";

interface StoredUploads {
  findMediaId(phoneNumberId: string, link: string): string | null;
  invalidate(phoneNumberId: string, link: string): void;
}

export function storedUploads(store: Store, log: Log): StoredUploads {
  return {
    findMediaId: (phoneNumberId, link) => store.read((tx) => findMediaId(tx, phoneNumberId, link)),
    invalidate: (phoneNumberId, link) =>
      void store
        .write((tx) => invalidateUpload(tx, phoneNumberId, link))
        .catch((error) => log.warn("media.forget_failed", "Id of an uploaded file could not be deleted", { error })),
  };
}

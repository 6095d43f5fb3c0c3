/** What the connector may know of files that lie at the network already. */

import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import { distrustUpload, findMediaId } from "#src/domain/templates/sample.ts";

export interface StoredUploads {
  findMediaId(phoneNumberId: string, link: string): string | null;
  distrust(phoneNumberId: string, link: string): void;
}

export function storedUploads(store: Store, log: Log): StoredUploads {
  return {
    findMediaId: (phoneNumberId, link) => store.read((reading) => findMediaId(reading, phoneNumberId, link)),
    distrust: (phoneNumberId, link) =>
      void store
        .write((tx) => distrustUpload(tx, phoneNumberId, link))
        .catch((error) => log.warn("a file's id could not be forgotten", { error })),
  };
}

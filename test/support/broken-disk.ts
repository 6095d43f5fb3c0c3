/** Storage that fails on demand, and works again on demand. */
import type { Store } from "#src/db/store.ts";

/** No page can be added any more: a write that needs one fails as on a full disk. */
export function fillDisk({ client }: Store): void {
  // Rows would still fit into free pages, of which a migration leaves some.
  client.pragma("incremental_vacuum");
  client.pragma(`max_page_count = ${Number(client.pragma("page_count", { simple: true }))}`);
}

/** No write succeeds, as on a disk that became read-only after an error. */
export function freezeDisk({ client }: Store): void {
  client.pragma("query_only = ON");
}

export function mendDisk({ client }: Store): void {
  client.pragma("query_only = OFF");
  client.pragma("max_page_count = 1073741823");
}

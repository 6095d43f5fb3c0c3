/** Storage that fails on demand, and works again on demand. */
import type { Store } from "#src/db/store.ts";

/** No page can be added any more: what needs one fails as on a full disk. */
export function fillDisk({ client }: Store): void {
  client.pragma(`max_page_count = ${Number(client.pragma("page_count", { simple: true }))}`);
}

/** Nothing can be written at all, as on a disk that went read-only after an error. */
export function freezeDisk({ client }: Store): void {
  client.pragma("query_only = ON");
}

export function mendDisk({ client }: Store): void {
  client.pragma("query_only = OFF");
  client.pragma("max_page_count = 1073741823");
}

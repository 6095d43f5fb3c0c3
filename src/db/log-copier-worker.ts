/**
 * The thread of `log-copier.ts`: copies the log once for each request, on a connection that it opens for that. A
 * connection that stayed open would keep the writer from removing the log at the end.
 */
import { fsyncSync } from "node:fs";
import { openClient } from "./driver.ts";
import { COPYING, type CopyRequest, type CopyResponse, IDLE } from "./log-copier.ts";

declare const self: {
  onmessage: ((event: { data: CopyRequest }) => void) | null;
  postMessage(response: CopyResponse): void;
};

self.onmessage = ({ data: { path, file, state } }) => {
  const shared = new Int32Array(state);
  let error: string | null = null;
  try {
    copy(path);
    // SQLite syncs the database only when all of the log is copied, in the writer's step. Here it waits for most of that.
    fsyncSync(file);
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
  }
  Atomics.compareExchange(shared, 0, COPYING, IDLE);
  Atomics.notify(shared, 0);
  self.postMessage({ error });
};

function copy(path: string): void {
  const client = openClient(path, { fileMustExist: true, timeout: 0 });
  try {
    // Before the log's pages are copied, the log itself is synced.
    client.pragma("synchronous = FULL");
    client.pragma("wal_autocheckpoint = 0");
    // PASSIVE waits neither for the writer nor for a reader of an older state.
    client.pragma("wal_checkpoint(PASSIVE)");
  } finally {
    client.close();
  }
}

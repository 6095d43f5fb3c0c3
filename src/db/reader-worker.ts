/**
 * The reader's thread: a separate read-only connection, on which long queries do not hold up requests. It answers
 * `{ id, sql, parameters }` with plain rows and knows nothing of the domain.
 */
import { type Client, openClient } from "./driver.ts";
import type { ReaderRequest, ReaderResponse } from "./reader.ts";

declare const self: {
  onmessage: ((event: { data: { path: string } | ReaderRequest }) => void) | null;
  postMessage(response: ReaderResponse): void;
};

let client: Client | undefined;

self.onmessage = ({ data }) => {
  if ("path" in data) {
    client = openClient(data.path, { readonly: true, timeout: 5_000 });
    return;
  }
  try {
    if (client === undefined) throw new Error("the reader has no database yet");
    const rows = client.prepare(data.sql).all(...data.parameters) as Record<string, unknown>[];
    self.postMessage({ id: data.id, rows });
  } catch (error) {
    self.postMessage({ id: data.id, error: error instanceof Error ? error.message : String(error) });
  }
};

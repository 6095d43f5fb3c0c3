/**
 * The reader's thread: one read-only connection of its own, on which queries may take as long as they need without
 * holding up a request. It answers plain rows to `{ id, sql, parameters }` and knows no noun.
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

/**
 * The reader's thread: a separate read-only connection, on which long queries do not hold up requests. It answers
 * `{ id, sql, parameters }` with plain rows and knows nothing of the domain.
 */
import { systemClock } from "#src/core/clock.ts";
import { type Client, defineBudget, openClient } from "./driver.ts";
import {
  CLOSE,
  CLOSED,
  CLOSED_MESSAGE,
  CLOSING,
  type ReaderBeginning,
  type ReaderRequest,
  type ReaderResponse,
} from "./reader.ts";

declare const self: {
  onmessage: ((event: { data: ReaderBeginning | ReaderRequest | typeof CLOSE }) => void) | null;
  postMessage(response: ReaderResponse): void;
  close(): void;
};

let client: Client | undefined;
let budgetMs: number | null = null;
let state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
let startedAt = 0;
let isOverBudget = false;

/** Runs inside a statement. What it throws ends the statement. */
function checkBudget(): void {
  if (Atomics.load(state, 0) === CLOSING) throw new Error(CLOSED_MESSAGE);
  isOverBudget = budgetMs !== null && systemClock.monotonic() - startedAt > budgetMs;
  if (isOverBudget) throw new Error("the query took too long");
}

function begin(beginning: ReaderBeginning): void {
  state = new Int32Array(beginning.state);
  budgetMs = beginning.budgetMs;
  try {
    client = openClient(beginning.path, { readonly: true, timeout: 5_000 });
    defineBudget(client, checkBudget);
  } catch (error) {
    tellClosed();
    throw error;
  }
}

function end(): void {
  client?.close();
  tellClosed();
  self.close();
}

function tellClosed(): void {
  Atomics.store(state, 0, CLOSED);
  Atomics.notify(state, 0);
}

self.onmessage = ({ data }) => {
  if (data === CLOSE) return end();
  if ("path" in data) return begin(data);
  try {
    if (client === undefined) throw new Error("the reader has no database yet");
    startedAt = systemClock.monotonic();
    isOverBudget = false;
    const rows = client.prepare(data.sql).all(...data.parameters) as Record<string, unknown>[];
    self.postMessage({ id: data.id, rows });
  } catch (error) {
    self.postMessage({ id: data.id, error: error instanceof Error ? error.message : String(error), isOverBudget });
  }
};

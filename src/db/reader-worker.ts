/**
 * The reader's thread: a separate read-only connection, on which long queries do not hold up requests. It answers
 * `{ id, sql, parameters }` with plain rows and knows nothing of the domain.
 */
import { systemClock } from "#src/core/clock.ts";
import { type Client, defineBudget, openClient } from "./driver.ts";
import type { ReaderBeginning, ReaderRequest, ReaderResponse } from "./reader.ts";

declare const self: {
  onmessage: ((event: { data: ReaderBeginning | ReaderRequest }) => void) | null;
  postMessage(response: ReaderResponse): void;
};

let client: Client | undefined;
let budgetMs: number | null = null;
let hasStopped: () => boolean = () => false;
let startedAt = 0;
let isOverBudget = false;

/** Runs inside a statement. What it throws ends the statement. */
function checkBudget(): void {
  if (hasStopped()) throw new Error("the reader was closed");
  isOverBudget = budgetMs !== null && systemClock.monotonic() - startedAt > budgetMs;
  if (isOverBudget) throw new Error("the query took too long");
}

self.onmessage = ({ data }) => {
  if ("path" in data) {
    const stopped = new Int32Array(data.stopped);
    hasStopped = () => Atomics.load(stopped, 0) !== 0;
    budgetMs = data.budgetMs;
    client = openClient(data.path, { readonly: true, timeout: 5_000 });
    defineBudget(client, checkBudget);
    return;
  }
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

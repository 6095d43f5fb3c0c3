/** The thread on which a large file is made ready: it answers one job, part by part, never further ahead than it may. */
import { Problem } from "#src/core/problem.ts";
import type { PreparationAnswer, PreparationOrder } from "./preparation.ts";
import { type PreparationJob, prepareRows } from "./prepare.ts";

declare const self: {
  onmessage: ((event: { data: PreparationOrder }) => void) | null;
  postMessage(answer: PreparationAnswer): void;
};

let allowed = 0;
let wake = Promise.withResolvers<void>();

self.onmessage = ({ data }) => {
  allowed += data === "taken" ? 1 : data.ahead;
  wake.resolve();
  wake = Promise.withResolvers<void>();
  if (data !== "taken") void work(data.job);
};

async function work(job: PreparationJob): Promise<void> {
  try {
    for await (const part of prepareRows(job)) {
      while (allowed === 0) await wake.promise;
      allowed -= 1;
      if ("columns" in part) self.postMessage({ kind: "columns", columns: part.columns });
      else {
        self.postMessage({ kind: "rows", rows: JSON.stringify(part.rows), cells: JSON.stringify(part.cells()) });
      }
    }
    self.postMessage({ kind: "end" });
  } catch (error) {
    if (error instanceof Problem) {
      self.postMessage({ kind: "problem", code: error.code, message: error.message, details: error.details });
    } else {
      self.postMessage({ kind: "failure", message: error instanceof Error ? error.message : String(error) });
    }
  }
}

/**
 * The worker thread that prepares a large file. It handles one job, part by part, and never gets further ahead of the
 * import than allowed.
 */
import { Problem } from "#src/core/problem.ts";
import { packRows } from "./packed-rows.ts";
import type { PreparationRequest, PreparationResponse } from "./preparation.ts";
import { type PreparationJob, prepareRows } from "./prepare.ts";

declare const self: {
  onmessage: ((event: { data: PreparationRequest }) => void) | null;
  postMessage(response: PreparationResponse): void;
};

let allowed = 0;
let resumed = Promise.withResolvers<void>();

self.onmessage = ({ data }) => {
  allowed += data === "taken" ? 1 : data.ahead;
  resumed.resolve();
  resumed = Promise.withResolvers<void>();
  if (data !== "taken") void run(data.job);
};

async function run(job: PreparationJob): Promise<void> {
  try {
    for await (const part of prepareRows(job)) {
      while (allowed === 0) await resumed.promise;
      allowed -= 1;
      if ("found" in part) self.postMessage({ kind: "found", found: part.found });
      else if ("totals" in part) self.postMessage({ kind: "totals", totals: part.totals });
      else {
        const [rows, cells] = [packRows(part.rows()), JSON.stringify(part.cells())];
        self.postMessage({ kind: "rows", count: part.count, rows, cells });
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

/**
 * Where a file is made ready: small files where they are asked for, large ones on a thread of their own, so that reading
 * and judging rows takes no time from writing them. Whoever takes the parts sets the pace: few are ever ready ahead.
 */
import { fstatSync, statSync } from "node:fs";
import { Problem, type ProblemCode, type ProblemDetails } from "#src/core/problem.ts";
import { type ColumnsPart, type Part, type PreparationJob, type PreparedRow, prepareRows } from "./prepare.ts";

/** To the thread: the job, then a word for each part that was taken. */
export type PreparationRequest = { job: PreparationJob; ahead: number } | "taken";

/** From the thread. Rows travel as JSON: a text is handed over whole, objects would be copied one by one. */
export type PreparationResponse =
  | { kind: "columns"; columns: ColumnsPart }
  | { kind: "rows"; rows: string; cells: string }
  | { kind: "end" }
  | { kind: "problem"; code: ProblemCode; message: string; details: ProblemDetails }
  | { kind: "failure"; message: string };

/** Starting a thread takes longer than making this much ready. */
const SMALL_FILE_BYTES = 256 * 1024;
/** Parts that may be ready and not taken; it bounds the memory. */
const PARTS_AHEAD = 4;

export function prepareFile(job: PreparationJob): AsyncGenerator<Part> {
  const { size } = typeof job.file === "number" ? fstatSync(job.file) : statSync(job.file);
  return size < SMALL_FILE_BYTES ? prepareRows(job) : prepareInThread(job);
}

async function* prepareInThread(job: PreparationJob): AsyncGenerator<Part> {
  const responses: PreparationResponse[] = [];
  let arrived = Promise.withResolvers<void>();
  const receive = (response: PreparationResponse): void => {
    responses.push(response);
    arrived.resolve();
  };
  const thread = new Worker(workerUrl());
  thread.onmessage = ({ data }: { data: PreparationResponse }) => receive(data);
  thread.onerror = ({ message }) => receive({ kind: "failure", message });
  try {
    thread.postMessage({ job, ahead: PARTS_AHEAD } satisfies PreparationRequest);
    for (;;) {
      const response = responses.shift();
      if (response === undefined) {
        await arrived.promise;
        arrived = Promise.withResolvers<void>();
        continue;
      }
      if (response.kind === "end") return;
      if (response.kind === "problem") throw new Problem(response.code, response.message, response.details);
      if (response.kind === "failure") throw new Error(response.message);
      thread.postMessage("taken" satisfies PreparationRequest);
      if (response.kind === "columns") yield { columns: response.columns };
      else {
        const { rows, cells } = response;
        yield { rows: JSON.parse(rows) as PreparedRow[], cells: () => JSON.parse(cells) as string[][] };
      }
    }
  } finally {
    thread.terminate();
  }
}

/** In the executable the thread's file is an entry of its own, found by its path in the project. */
function workerUrl(): string | URL {
  const isCompiled = import.meta.url.includes("/$bunfs/");
  return isCompiled ? "./src/transfer/preparation-worker.ts" : new URL("./preparation-worker.ts", import.meta.url);
}

/**
 * Prepares the rows of a file: small files on the calling thread, large ones on a worker thread, so that reading and
 * validating do not take time from writing. The consumer sets the pace: only a few parts are prepared ahead.
 */
import { fstatSync, statSync } from "node:fs";
import { Problem, type ProblemCode, type ProblemDetails } from "#src/core/problem.ts";
import type { FileTotals } from "./formats/open.ts";
import { unpackRows } from "./packed-rows.ts";
import { type FoundFile, type Part, type PreparationJob, prepareRows } from "./prepare.ts";

/** To the worker: the job, then "taken" for each part that was consumed. */
export type PreparationRequest = { job: PreparationJob; ahead: number } | "taken";

/**
 * From the worker. Rows are sent as text, because a string is transferred as a whole while objects are cloned one by
 * one.
 */
export type PreparationResponse =
  | { kind: "found"; found: FoundFile }
  | { kind: "rows"; count: number; rows: string; cells: string }
  | { kind: "totals"; totals: FileTotals }
  | { kind: "end" }
  | { kind: "problem"; code: ProblemCode; message: string; details: ProblemDetails }
  | { kind: "failure"; message: string };

/**
 * For files smaller than this, starting a thread takes longer than preparing the rows. Preparing is one turn of the event
 * loop, so the thread that answers requests prepares a few hundred rows at most.
 */
const SMALL_FILE_BYTES = { command: 256 * 1024, insideServer: 8 * 1024 };
/**
 * Number of parts prepared ahead; it limits memory use. A command's transaction takes the rows of some thirty parts: with
 * fewer ahead, writing and preparing would wait for each other in turns.
 */
const PARTS_AHEAD = { command: 32, insideServer: 4 };

export function prepareFile(job: PreparationJob, isInsideServer: boolean): AsyncGenerator<Part> {
  const { size } = typeof job.file === "number" ? fstatSync(job.file) : statSync(job.file);
  const place = isInsideServer ? "insideServer" : "command";
  return size < SMALL_FILE_BYTES[place] ? prepareRows(job) : prepareInThread(job, PARTS_AHEAD[place]);
}

async function* prepareInThread(job: PreparationJob, ahead: number): AsyncGenerator<Part> {
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
    thread.postMessage({ job, ahead } satisfies PreparationRequest);
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
      if (response.kind === "found") yield { found: response.found };
      else if (response.kind === "totals") yield { totals: response.totals };
      else {
        const { count, rows, cells } = response;
        yield { count, rows: () => unpackRows(rows), cells: parseOnce(cells) };
      }
    }
  } finally {
    thread.terminate();
  }
}

/** Most parts have no row for the errors file, and their cells are never parsed. */
function parseOnce(text: string): () => string[][] {
  let cells: string[][] | undefined;
  return () => {
    cells ??= JSON.parse(text) as string[][];
    return cells;
  };
}

/** In the compiled executable the worker is a separate entry point, addressed by its path in the project. */
function workerUrl(): string | URL {
  const isCompiled = import.meta.url.includes("/$bunfs/");
  return isCompiled ? "./src/transfer/preparation-worker.ts" : new URL("./preparation-worker.ts", import.meta.url);
}

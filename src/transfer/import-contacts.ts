/**
 * Imports contacts from a file. Each transaction writes rows for some milliseconds and is followed by a gap, so that a
 * running server never waits long. New contacts are inserted in batches; all other rows go through the operation behind
 * the API's `PUT`. Importing the same file again changes nothing. Consent is given for the whole file, not by its data,
 * and never lifts an opt-out.
 */

import { type Clock, sleep } from "#src/core/clock.ts";
import { Problem } from "#src/core/problem.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { withoutContactUpdates } from "#src/domain/contacts/contact-updates.ts";
import { listFields } from "#src/domain/contacts/custom-fields.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { ColumnMapping } from "./columns.ts";
import type { DateOrder } from "./date-cell.ts";
import type { FileSource } from "./formats/bytes.ts";
import type { FileTotals } from "./formats/open.ts";
import type { ReadOptions } from "./formats/record.ts";
import { prepareFile } from "./preparation.ts";
import type { FoundFile } from "./prepare.ts";
import { changeCounts, ReasonCounter, reasonCounts } from "./reasons.ts";
import { RowBuffer } from "./row-buffer.ts";
import { FIRST_ROWS, RowWriter, type WriteOptions, type WrittenRow } from "./row-writer.ts";
import { storedRow } from "./stored-row.ts";
import type { ImportCounters, ImportProgress, ImportReport, StoredRow } from "./table.ts";
import { Throttle } from "./throttle.ts";

interface ImportOptions extends Omit<WriteOptions, "country"> {
  store: Store;
  clock: Clock;
  workspaceId: number;
  /** The source to read instead of `path`, such as an open file. */
  file?: FileSource;
  /** `header → target`; see `columns.ts`. */
  map: ReadonlyMap<string, string>;
  /** A cell that cannot be read is left as it was and the rest of its row imported; else the row is rejected. Default: true. */
  skipsBadCells?: boolean;
  /** How to read the file, where it should not be found out. */
  reading?: ReadOptions;
  /** The order of day and month in dates, where it should not be found out. */
  dates?: DateOrder | undefined;
  /** In which numbers without a country code are read, where it should not be found out. */
  phoneCountry?: string | undefined;
  /** The import runs inside the server, whose other work gets at least as much time. */
  isInsideServer?: boolean;
  /** Validates every row and changes nothing. */
  isDryRun: boolean;
  /** Where it is recorded how far the import is. */
  record?: ImportRecord;
  /** Called repeatedly. Beside a running server the import leaves gaps in which the server can write. */
  isServerRunning: () => boolean;
  /** Called repeatedly with the counters so far. */
  onProgress: (counters: ImportCounters) => void;
  /** Called once with what was found out about the file. */
  onFound: (found: FoundFile) => void;
}

/** How far an import is, kept with the contacts that it writes. */
export interface ImportRecord {
  /** What earlier runs have written; null: nothing. */
  from: ImportProgress | null;
  /** Called at the start of each transaction. Throws if another run has begun. */
  requireLast(tx: Tx): void;
  /** Called at the end of each transaction; its refused rows have been reported. */
  save(tx: Tx, progress: ImportProgress): void;
}

/** Rows per lookup and insert. */
const ROWS_PER_STEP = 32;
/**
 * Rows buffered for writing. A transaction of a command alone writes all of them if it has the time: with more, it would
 * change more pages than the cache holds.
 */
const ROWS_BUFFERED = 16_000;

/** Throws `Problem` if the file as a whole cannot be imported. A rejected row never stops the import. */
export function importContacts(options: ImportOptions): Promise<ImportReport> {
  // Beside a server, a longer log would be copied while its requests wait.
  const isAlone = options.isInsideServer !== true && !options.isServerRunning();
  return options.store.withLargeCache(() => importFile(options), isAlone ? "bulk" : "large");
}

async function importFile(options: ImportOptions): Promise<ImportReport> {
  const { store, clock, workspaceId, file = options.path, skipsBadCells = true, reading = {} } = options;
  const from = options.record?.from ?? null;
  const counters: ImportCounters = from?.counters ?? {
    rows: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    repeated: 0,
    changed: 0,
    opted_in: 0,
    opted_out: 0,
    kept_opted_out: 0,
    cells_left_out: 0,
  };
  const { country, fields } = store.read((tx) => ({
    country: getWorkspace(tx, workspaceId).country,
    fields: listFields(tx, workspaceId),
  }));
  const run: ImportRun = {
    ...options,
    country,
    position: from?.position ?? 0,
    refusals: new ReasonCounter(from?.refusals),
    omissions: new ReasonCounter(from?.omissions),
    changes: new ReasonCounter(from?.changes),
    stored: [],
    targets: [],
    throttle: new Throttle(store, clock, options.isServerRunning, options.isInsideServer),
  };
  let found: FoundFile | null = null;
  let totals: FileTotals | null = null;
  const buffer = new RowBuffer();
  for await (const part of prepareFile(
    {
      file,
      options: reading,
      dates: options.dates,
      phoneCountry: options.phoneCountry,
      now: clock.now(),
      from: run.position,
      map: [...options.map],
      fields,
      country,
      skipsBadCells,
    },
    options.isInsideServer === true,
  )) {
    if ("found" in part) {
      found = part.found;
      run.targets = found.mapping.targets;
      options.onFound(found);
      continue;
    }
    if ("totals" in part) {
      totals = part.totals;
      continue;
    }
    buffer.add(part);
    while (buffer.count >= ROWS_BUFFERED) await writeSome(run, buffer, counters);
  }
  if (found === null || totals === null)
    throw new Problem("invalid_request", "The file is empty.", { fields: { file: ["It is empty."] } });
  while (buffer.count > 0) await writeSome(run, buffer, counters);
  options.onProgress(counters);
  await sleep(clock, 0);
  const { lines, skipped, continued, records, blank } = totals;
  return {
    lines,
    skipped_lines: skipped,
    continued,
    records,
    blank,
    ...counters,
    reasons: reasonCounts(run.refusals),
    omitted: reasonCounts(run.omissions),
    changes: changeCounts(run.changes),
    kind: found.kind,
    encoding: found.encoding,
    question: found.question,
    dates: found.dates,
    stored: run.stored,
  };
}

interface ImportRun extends ImportOptions {
  /** The workspace's country when the identifiers were read. */
  country: string;
  /** How many records are written or refused. */
  position: number;
  refusals: ReasonCounter;
  omissions: ReasonCounter;
  changes: ReasonCounter;
  /** The first rows as they would be stored; of a dry run. */
  stored: StoredRow[];
  targets: ColumnMapping["targets"];
  throttle: Throttle;
}

interface BatchResult {
  progress: ImportProgress;
  stored: StoredRow[];
}

/** Takes as many rows from the buffer as one transaction has time for, and writes them. */
async function writeSome(run: ImportRun, buffer: RowBuffer, counters: ImportCounters): Promise<void> {
  const { store, clock, workspaceId } = run;
  await run.throttle.waitForGap();
  const { transactionMs } = run.throttle;
  const askedAt = clock.monotonic();
  const operation = (tx: Tx): BatchResult => withoutContactUpdates(tx, workspaceId, () => writeBatch(tx));
  const writeBatch = (tx: Tx): BatchResult => {
    run.record?.requireLast(tx);
    const workspace = getWorkspace(tx, workspaceId);
    const writer = new RowWriter(tx, workspace, run, counters);
    const startedAt = clock.monotonic();
    let position = run.position;
    while (clock.monotonic() - startedAt <= transactionMs) {
      const step = buffer.take(ROWS_PER_STEP);
      if (step === null) break;
      writer.write(step);
      position += step.rows.length;
    }
    writer.end();
    const progress: ImportProgress = {
      position,
      counters: writer.counters,
      refusals: run.refusals.with(writer.refusals),
      omissions: run.omissions.with(writer.omissions),
      changes: run.changes.with(writer.changes),
    };
    run.record?.save(tx, progress);
    const show = (row: WrittenRow): StoredRow => storedRow(tx, workspace, row, run.targets);
    const stored = run.isDryRun ? writer.first.slice(0, FIRST_ROWS - run.stored.length).map(show) : [];
    const result = { progress, stored };
    if (run.isDryRun) throw new DryRun(result);
    return result;
  };
  // A dry run writes everything and rolls it back, so that it validates exactly like a real run.
  const { progress, stored } = await store.write(operation).catch((error: unknown) => {
    if (error instanceof DryRun) return error.outcome;
    throw error;
  });
  run.throttle.startGap(askedAt);
  Object.assign(counters, progress.counters);
  run.position = progress.position;
  run.refusals = new ReasonCounter(progress.refusals);
  run.omissions = new ReasonCounter(progress.omissions);
  run.changes = new ReasonCounter(progress.changes);
  run.stored.push(...stored);
  run.onProgress(counters);
}

class DryRun extends Error {
  readonly outcome: BatchResult;

  constructor(outcome: BatchResult) {
    super("a dry run is rolled back");
    this.outcome = outcome;
  }
}

/**
 * One run of an import, as it is recorded. How far the import is stands in its row, written in the transaction that
 * writes the contacts; the refused rows are in the errors file, synced, before that. A run that is cut off at any moment is
 * continued after its last transaction: every record of the file is counted once, and the errors file has each once.
 */
import { Problem } from "#src/core/problem.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { FailureFile } from "./failure-file.ts";
import type { ImportRecord } from "./import-contacts.ts";
import { beginRun, isLastRun, saveProgress } from "./imports.ts";
import type { ImportProgress, ImportTold } from "./table.ts";

interface RunOptions {
  /** The errors file. */
  errors: string;
  /** That file, if it is already open. */
  handle?: number | null;
  /** How many refused rows are kept with their reasons. */
  failuresKept: number;
}

export class ImportRun implements ImportRecord {
  readonly from: ImportProgress | null;
  readonly errors: FailureFile;
  readonly failures: ImportTold["failures"];
  readonly #failuresKept: number;
  /** Null: a dry run, of which nothing is recorded. */
  readonly #recorded: { id: number; run: number } | null;

  /** `job`: the import, as it is begun; null: a dry run. */
  private constructor(job: Begun | null, { errors, handle = null, failuresKept }: RunOptions) {
    this.from = job?.progress ?? null;
    this.errors = new FailureFile(errors, handle, job?.progress?.errors);
    this.failures = [...(job?.progress?.failures ?? [])];
    this.#failuresKept = failuresKept;
    this.#recorded = job;
  }

  static dry(options: RunOptions): ImportRun {
    return new ImportRun(null, options);
  }

  /** Begins the import, or continues it. An earlier run that is still at work ends at its next transaction. */
  static async begin(store: Store, id: number, options: RunOptions): Promise<ImportRun> {
    return new ImportRun(await store.write((tx) => beginRun(tx, id)), options);
  }

  readonly onFailure = (line: number, cells: readonly string[], reason: string): void => {
    if (this.failures.length < this.#failuresKept) this.failures.push({ line, reason });
    this.errors.add(line, cells, reason);
  };

  requireLast(tx: Tx): void {
    if (this.#recorded === null || isLastRun(tx, this.#recorded)) return;
    throw new Problem("invalid_request", "This import was continued by another process, or discarded.");
  }

  save(tx: Tx, progress: ImportProgress): void {
    if (this.#recorded === null) {
      this.errors.flush();
      return;
    }
    const told: ImportTold = { errors: this.errors.sync(), failures: this.failures };
    saveProgress(tx, this.#recorded.id, { ...progress, ...told });
  }
}

type Begun = ReturnType<typeof beginRun>;

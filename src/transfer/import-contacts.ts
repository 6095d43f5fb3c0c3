/**
 * Imports contacts from a file. Each transaction writes rows for some milliseconds and is followed by a gap, so that a
 * running server never waits long. New contacts are inserted in batches; all other rows go through the operation behind
 * the API's `PUT`. Importing the same file again changes nothing. Consent is given for the whole file, not by its data,
 * and never lifts an opt-out.
 */

import { type Clock, sleep } from "#src/core/clock.ts";
import { sentencesOf } from "#src/core/fault.ts";
import { Problem } from "#src/core/problem.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { changeConsent } from "#src/domain/contacts/change-consent.ts";
import type { ConsentEvidence } from "#src/domain/contacts/consent-log.ts";
import { withoutContactUpdates } from "#src/domain/contacts/contact-updates.ts";
import { listFields } from "#src/domain/contacts/custom-fields.ts";
import { findErasedOptOut } from "#src/domain/contacts/erased-opt-outs.ts";
import { lookUpContact, nameOfAddress } from "#src/domain/contacts/find.ts";
import { recordGivenIdentity } from "#src/domain/contacts/learn-identity.ts";
import { NewContactBatch } from "#src/domain/contacts/new-contacts.ts";
import { putContact } from "#src/domain/contacts/put.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import type { ColumnMapping } from "./columns.ts";
import { prepareFile } from "./preparation.ts";
import type { PreparedRow } from "./prepare.ts";
import { type ParsedRow, skipRefusedCells } from "./row.ts";
import { RowBuffer, type Step } from "./row-buffer.ts";
import type { ImportCounters } from "./table.ts";
import type { FileSource } from "./table-text.ts";
import { Throttle } from "./throttle.ts";

interface ImportOptions {
  store: Store;
  clock: Clock;
  workspaceId: number;
  path: string;
  /** The source to read instead of `path`, such as an open file. */
  file?: FileSource;
  /** `header → target`; see `columns.ts`. */
  map: ReadonlyMap<string, string>;
  /** All people in the file have agreed to receive messages. */
  optIn: boolean;
  /** A cell that cannot be read is left as it was and the rest of its row imported; default: the row is rejected. */
  skipsBadCells?: boolean;
  /** Evidence of the opt-ins, stored with the line number; default: the file's path. */
  evidence?: Readonly<Record<string, unknown>>;
  /** The import runs inside the server, whose other work gets at least as much time. */
  isInsideServer?: boolean;
  /** Validates every row and changes nothing. */
  isDryRun: boolean;
  /** Called repeatedly. Beside a running server the import leaves gaps in which the server can write. */
  isServerRunning: () => boolean;
  /** Called repeatedly with the counters so far. */
  onProgress: (counters: ImportCounters) => void;
  /** Called with line, unchanged cells and reason of each row that is rejected or has skipped cells. */
  onFailure: (line: number, cells: readonly string[], reason: string) => void;
  /** Called once with the column mapping. */
  onColumns: (header: readonly string[], mapping: ColumnMapping) => void;
}

/** Rows per lookup and insert. */
const ROWS_PER_STEP = 32;
/** Rows buffered for writing; more than one transaction writes. */
const ROWS_BUFFERED = 24_000;

/** Throws `Problem` if the file as a whole cannot be imported. A rejected row never stops the import. */
export function importContacts(options: ImportOptions): Promise<ImportCounters> {
  return options.store.withLargeCache(() => importFile(options));
}

async function importFile(options: ImportOptions): Promise<ImportCounters> {
  const { store, clock, workspaceId, file = options.path, skipsBadCells = false } = options;
  const counters: ImportCounters = {
    rows: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    opted_in: 0,
    kept_opted_out: 0,
    skipped_cells: 0,
  };
  const { country, fields } = store.read((tx) => ({
    country: getWorkspace(tx, workspaceId).country,
    fields: listFields(tx, workspaceId),
  }));
  const run = {
    ...options,
    country,
    seen: new Set<string>(),
    throttle: new Throttle(store, clock, options.isServerRunning, options.isInsideServer),
  };
  let isEmpty = true;
  const buffer = new RowBuffer();
  for await (const part of prepareFile(
    { file, map: [...options.map], fields, country, skipsBadCells },
    options.isInsideServer === true,
  )) {
    isEmpty = false;
    if ("columns" in part) {
      options.onColumns(part.columns.header, part.columns.mapping);
      continue;
    }
    buffer.add(part);
    while (buffer.count >= ROWS_BUFFERED) await writeSome(run, buffer, counters);
  }
  if (isEmpty) throw new Problem("invalid_request", "The file is empty.", { fields: { file: ["It is empty."] } });
  while (buffer.count > 0) await writeSome(run, buffer, counters);
  options.onProgress(counters);
  await sleep(clock, 0);
  return counters;
}

interface ImportRun extends ImportOptions {
  /** The workspace's country when the identifiers were read. */
  country: string;
  /** Identifiers of the contacts that a dry run would have created so far. */
  seen: Set<string>;
  throttle: Throttle;
}

interface BatchResult {
  counters: ImportCounters;
  failures: (() => void)[];
  createdIdentifiers: string[];
}

/** Takes as many rows from the buffer as one transaction has time for, and writes them. */
async function writeSome(run: ImportRun, buffer: RowBuffer, counters: ImportCounters): Promise<void> {
  const { store, clock, workspaceId } = run;
  await run.throttle.waitForGap();
  const { transactionMs } = run.throttle;
  const askedAt = clock.monotonic();
  const operation = (tx: Tx): BatchResult => withoutContactUpdates(tx, workspaceId, () => writeBatch(tx));
  const writeBatch = (tx: Tx): BatchResult => {
    const writer = new RowWriter(tx, getWorkspace(tx, workspaceId), run, counters);
    const startedAt = clock.monotonic();
    while (clock.monotonic() - startedAt <= transactionMs) {
      const step = buffer.take(ROWS_PER_STEP);
      if (step === null) break;
      writer.write(step);
    }
    writer.end();
    const outcome = {
      counters: writer.counters,
      failures: writer.failures,
      createdIdentifiers: writer.createdIdentifiers,
    };
    if (run.isDryRun) throw new DryRun(outcome);
    return outcome;
  };
  // A dry run writes everything and rolls it back, so that it validates exactly like a real run.
  const {
    counters: batchCounters,
    failures,
    createdIdentifiers,
  } = await store.write(operation).catch((error: unknown) => {
    if (error instanceof DryRun) return error.outcome;
    throw error;
  });
  run.throttle.startGap(askedAt);
  Object.assign(counters, batchCounters);
  for (const name of createdIdentifiers) run.seen.add(name);
  await reportFailures(run, failures);
  run.onProgress(counters);
}

/** Inside the server, rows are reported in turns as long as a transaction, with a gap after each. */
async function reportFailures(
  { clock, throttle, isInsideServer }: ImportRun,
  failures: readonly (() => void)[],
): Promise<void> {
  let startedAt = clock.monotonic();
  for (const report of failures) {
    report();
    if (isInsideServer !== true || clock.monotonic() - startedAt <= throttle.transactionMs) continue;
    throttle.startGap(startedAt);
    await throttle.waitForGap();
    startedAt = clock.monotonic();
  }
}

class DryRun extends Error {
  readonly outcome: BatchResult;

  constructor(outcome: BatchResult) {
    super("a dry run is rolled back");
    this.outcome = outcome;
  }
}

/** A row for the errors file: it was rejected, or written without its bad cells. A row written whole has no report. */
interface RowReport {
  isRejected: boolean;
  /** Sentences; for a row that was written, one for each skipped cell. */
  problems: readonly string[];
}

/** Writes the rows of one transaction. Its counters are valid once the transaction is committed. */
class RowWriter {
  readonly counters: ImportCounters;
  readonly failures: (() => void)[] = [];
  /** Identifiers of contacts created in this transaction; filled only in a dry run. */
  readonly createdIdentifiers: string[] = [];
  readonly #tx: Tx;
  readonly #workspace: Workspace;
  readonly #run: ImportRun;
  readonly #newContacts: NewContactBatch;

  constructor(tx: Tx, workspace: Workspace, run: ImportRun, counters: ImportCounters) {
    this.#tx = tx;
    this.#workspace = workspace;
    this.#run = run;
    this.#newContacts = new NewContactBatch(tx, workspace.id);
    this.counters = { ...counters };
  }

  write({ rows, cells }: Step): void {
    this.#newContacts.loadKnown(rows.flatMap(({ person }) => person.identifiers));
    for (const [place, prepared] of rows.entries()) {
      const report = this.#writeOne(prepared);
      this.counters.rows += 1;
      if (report === null) continue;
      const { isRejected, problems } = report;
      if (isRejected) this.counters.failed += 1;
      else this.counters.skipped_cells += problems.length;
      const reason = `${isRejected ? "" : "Skipped: "}${problems.join(" ")}`;
      this.failures.push(() => this.#run.onFailure(prepared.line, cells(place), reason));
    }
    this.#newContacts.write();
  }

  /** Call after the last rows. */
  end(): void {
    this.#newContacts.writeAll();
  }

  #writeOne({ line, row, person }: PreparedRow): RowReport | null {
    if ("problems" in row) return { isRejected: true, problems: row.problems };
    const { evidence = { file: this.#run.path } } = this.#run;
    const why = { source: "import", evidence: { ...evidence, line } } as const;
    const optIn = this.#run.optIn ? why : null;
    const isFirst = !person.identifiers.some((name) => this.#run.seen.has(name));
    // The identifiers were read for the workspace's country at the start of the import. If the country has changed
    // since, or the contact is known, the row is looked up and written on its own.
    const isCountryUnchanged = this.#run.country === this.#workspace.country;
    if (isCountryUnchanged && isFirst && this.#newContacts.add({ person, changes: row.changes, optIn })) {
      this.counters.created += 1;
      if (optIn !== null) this.counters.opted_in += 1;
      if (this.#run.isDryRun) this.createdIdentifiers.push(...person.identifiers);
      return reportSkipped(row);
    }
    this.#newContacts.writeAll();
    this.#newContacts.markKnown(person.identifiers);
    return this.#writeAlone(row, why, isFirst);
  }

  #writeAlone(row: ParsedRow, why: ConsentEvidence, isFirst: boolean): RowReport | null {
    try {
      const problem = this.#put(row, why, isFirst);
      return problem === null ? reportSkipped(row) : reportRejected(row, [problem]);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const refused = sentencesOf(error.details.fields ?? { "": [error.message] });
      const rest = this.#run.skipsBadCells === true ? skipRefusedCells(row, refused) : null;
      if (rest !== null) return this.#writeAlone(rest, why, isFirst);
      const problems = Object.entries(refused).map(
        ([path, sentences]) => `${path}${path === "" ? "" : ": "}${sentences.join(" ")}`,
      );
      return reportRejected(row, problems);
    }
  }

  /**
   * Returns why the row was rejected, in words; null if it was written. `isFirst` is false if this dry run has already
   * created and rolled back this contact.
   */
  #put(row: ParsedRow, why: ConsentEvidence, isFirst: boolean): string | null {
    const [tx, workspace, counters] = [this.#tx, this.#workspace, this.counters];
    const person = lookUpContact(tx, workspace.id, nameIn(row), workspace.country);
    if (person === null) return `phone: "${row.phone}" is not a phone number.`;
    // A new contact is created with its consent in one write; the consent of an existing one is handled below.
    const isNewContact =
      person.contact === null && findErasedOptOut(tx, workspace.id, person.phone, row.userId) === null;
    const changes = this.#run.optIn && isNewContact ? { ...row.changes, consent: "opted_in" as const } : row.changes;
    const { contact: put, isNew, isChanged: isPut } = putContact(tx, workspace, person, changes, why);
    const contact = recordGivenIdentity(tx, workspace, put, row);
    const isChanged = isPut || contact !== put;
    if (isNew && !isFirst) {
      counters.updated += 1;
      return null;
    }
    if (isNew && this.#run.isDryRun) this.createdIdentifiers.push(nameOfAddress(person));
    const isOptedIn = this.#run.optIn && this.#optIn(contact, isNew, why);
    counters[isNew ? "created" : isChanged || isOptedIn ? "updated" : "unchanged"] += 1;
    return null;
  }

  /** Returns whether the contact was changed. An opt-out stays, and so does a doubt. */
  #optIn(contact: Contact, isNew: boolean, why: ConsentEvidence): boolean {
    if (contact.consent === "opted_out") this.counters.kept_opted_out += 1;
    if (contact.mayWantToStopSince !== null) return false;
    if (contact.consent === "unknown" || (isNew && contact.consent === "opted_in")) this.counters.opted_in += 1;
    if (contact.consent !== "unknown") return false;
    changeConsent(this.#tx, this.#workspace, contact, { kind: "opt_in" }, why);
    return true;
  }
}

function nameIn({ phone, userId }: ParsedRow): string {
  return phone === "" ? (userId ?? "") : phone;
}

function reportSkipped({ skipped }: ParsedRow): RowReport | null {
  return skipped === undefined ? null : { isRejected: false, problems: skipped };
}

/** Nothing of the row was written, so its bad cells are problems like the others. */
function reportRejected({ skipped = [] }: ParsedRow, problems: readonly string[]): RowReport {
  return { isRejected: true, problems: [...skipped, ...problems] };
}

/**
 * Brings a file of people in: row by row through the same operation as the API's `PUT`, some milliseconds of rows in one
 * transaction with a gap after it, so that a running server never waits long. A second run of the same file changes
 * nothing. Consent is said for the whole file, apart from the data, and never lifts an opt-out.
 */

import { changeConsent } from "#src/domain/contacts/change-consent.ts";
import { findErasedOptOut } from "#src/domain/contacts/erased.ts";
import { findPerson } from "#src/domain/contacts/find.ts";
import { putContact } from "#src/domain/contacts/put.ts";
import { listFields } from "#src/domain/fields/read.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { type Clock, sleep } from "#src/primitives/clock.ts";
import { Problem } from "#src/primitives/problem.ts";
import type { Store } from "#src/storage/store.ts";
import type { Tx } from "#src/storage/transaction.ts";
import { type ColumnMapping, mapColumns } from "./columns.ts";
import { readRow } from "./row.ts";
import { type Row, readRows } from "./rows.ts";

export interface ImportOptions {
  store: Store;
  clock: Clock;
  workspaceId: number;
  path: string;
  /** `header → target`; see `columns.ts`. */
  map: ReadonlyMap<string, string>;
  /** Everybody in the file has agreed. */
  optIn: boolean;
  /** Judges every row and changes nothing. */
  isDryRun: boolean;
  /** Told now and then. */
  onProgress: (figures: ImportFigures) => void;
  /** Told of each row that failed: its line, its cells as they were, why. */
  onFailure: (line: number, cells: readonly string[], reason: string) => void;
  /** Told once what the columns are taken for. */
  onColumns: (header: readonly string[], mapping: ColumnMapping) => void;
}

export interface ImportFigures {
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  /** Who was recorded as opted in by this run. */
  opted_in: number;
  /** Who had opted out, and stayed so. */
  kept_opted_out: number;
}

/** A transaction stops taking rows after this long, and the next begins after a gap: the server writes meanwhile. */
const TRANSACTION_MS = 8;
const GAP_MS = 2;
/** Rows that are read ahead; it bounds the memory. */
const ROWS_AHEAD = 1_000;

/** Throws `Problem` where the file as a whole cannot be imported; single rows never stop it. */
export async function importContacts(options: ImportOptions): Promise<ImportFigures> {
  const { store, clock, workspaceId } = options;
  const figures: ImportFigures = {
    rows: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    opted_in: 0,
    kept_opted_out: 0,
  };
  const fields = store.read((reading) => {
    getWorkspace(reading, workspaceId);
    return listFields(reading, workspaceId);
  });
  let mapping: ColumnMapping | null = null;
  let ahead: Row[] = [];
  const flush = async (): Promise<void> => {
    if (mapping !== null) await writeRows(options, mapping, ahead, figures);
    ahead = [];
    options.onProgress(figures);
  };
  for await (const row of readRows(options.path)) {
    if (mapping === null) {
      mapping = mapColumns(row.cells, options.map, fields);
      options.onColumns(row.cells, mapping);
      continue;
    }
    if (ahead.push(row) >= ROWS_AHEAD) await flush();
  }
  if (mapping === null)
    throw new Problem("invalid_request", "The file is empty.", { fields: { file: ["It is empty."] } });
  await flush();
  await sleep(clock, 0);
  return figures;
}

/** Writes the rows in as many transactions as their time asks for. */
async function writeRows(
  options: ImportOptions,
  mapping: ColumnMapping,
  rows: readonly Row[],
  figures: ImportFigures,
): Promise<void> {
  const { store, clock, workspaceId } = options;
  let done = 0;
  while (done < rows.length) {
    const from = done;
    const run = (tx: Tx): { taken: number; part: ImportFigures; failures: (() => void)[] } => {
      const workspace = getWorkspace(tx, workspaceId);
      const part = { ...figures };
      const failures: (() => void)[] = [];
      const startedAt = clock.monotonic();
      let taken = 0;
      for (const row of rows.slice(from)) {
        taken += 1;
        part.rows += 1;
        const reason = importRow(tx, workspace, options, mapping, row, part);
        if (reason !== null) failures.push(() => options.onFailure(row.line, row.cells, reason));
        if (clock.monotonic() - startedAt > TRANSACTION_MS) break;
      }
      if (options.isDryRun) throw new DryRun({ taken, part, failures });
      return { taken, part, failures };
    };
    // A dry run does everything and takes it back, so that it judges exactly as the real one.
    const { taken, part, failures } = await store.write(run).catch((error: unknown) => {
      if (error instanceof DryRun) return error.outcome;
      throw error;
    });
    Object.assign(figures, part);
    for (const tell of failures) tell();
    done += taken;
    await sleep(clock, GAP_MS);
  }
}

class DryRun extends Error {
  readonly outcome: { taken: number; part: ImportFigures; failures: (() => void)[] };

  constructor(outcome: { taken: number; part: ImportFigures; failures: (() => void)[] }) {
    super("a dry run is taken back");
    this.outcome = outcome;
  }
}

/** Why the row failed, in words; null when it is in. */
function importRow(
  tx: Tx,
  workspace: Workspace,
  options: ImportOptions,
  mapping: ColumnMapping,
  { line, cells }: Row,
  figures: ImportFigures,
): string | null {
  const row = readRow(mapping, cells);
  if ("mistakes" in row) {
    figures.failed += 1;
    return row.mistakes.join(" ");
  }
  const person = findPerson(tx, workspace.id, row.phone, workspace.country);
  if (person === null) {
    figures.failed += 1;
    return `phone: "${row.phone}" is not a phone number.`;
  }
  const why = { source: "import", evidence: { file: options.path, line } } as const;
  try {
    // A new contact is made with its consent, in one write; the others are asked below what they said before.
    const isStranger = person.contact === null && findErasedOptOut(tx, workspace.id, person.phone) === null;
    const changes = options.optIn && isStranger ? { ...row.changes, consent: "opted_in" as const } : row.changes;
    const { contact, isNew, isChanged } = putContact(tx, workspace, person, changes, why);
    let isTouched = isChanged;
    if (options.optIn && contact.consent === "opted_out") figures.kept_opted_out += 1;
    if (options.optIn && isNew && contact.consent === "opted_in") figures.opted_in += 1;
    if (options.optIn && contact.consent === "unknown") {
      changeConsent(tx, workspace, contact, { kind: "opt_in" }, why);
      figures.opted_in += 1;
      isTouched = true;
    }
    figures[isNew ? "created" : isTouched ? "updated" : "unchanged"] += 1;
    return null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    figures.failed += 1;
    return Object.entries(error.details.fields ?? { "": [error.message] })
      .map(([path, sentences]) => `${path}${path === "" ? "" : ": "}${sentences.join(" ")}`)
      .join(" ");
  }
}

/**
 * Brings a file of people in, some milliseconds of rows in one transaction with a gap after it, so that a running server
 * never waits long. Strangers are made many at a time, everybody else goes through the same operation as the API's `PUT`.
 * A second run of the same file changes nothing. Consent is said for the whole file, apart from the data, and never lifts
 * an opt-out.
 */

import { type Clock, sleep } from "#src/core/clock.ts";
import { Problem } from "#src/core/problem.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { changeConsent } from "#src/domain/contacts/change-consent.ts";
import type { ConsentEvidence } from "#src/domain/contacts/consent-log.ts";
import { listFields } from "#src/domain/contacts/custom-fields.ts";
import { findErasedOptOut } from "#src/domain/contacts/erased-opt-outs.ts";
import { findPerson } from "#src/domain/contacts/find.ts";
import { Strangers } from "#src/domain/contacts/new-contacts.ts";
import { putContact } from "#src/domain/contacts/put.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import type { ColumnMapping } from "./columns.ts";
import { prepareFile } from "./preparation.ts";
import type { PreparedRow, RowsPart } from "./prepare.ts";
import type { ReadRow } from "./row.ts";
import type { ImportFigures } from "./table.ts";
import type { FileSource } from "./table-text.ts";
import { Pace } from "./throttle.ts";

export interface ImportOptions {
  store: Store;
  clock: Clock;
  workspaceId: number;
  path: string;
  /** What is read, where it is open already; left out: the file at `path`. */
  file?: FileSource;
  /** `header → target`; see `columns.ts`. */
  map: ReadonlyMap<string, string>;
  /** Everybody in the file has agreed. */
  optIn: boolean;
  /** What stands behind the consents, beside the line; left out: the file's path. */
  evidence?: Readonly<Record<string, unknown>>;
  /** It runs in the server itself, whose other work gets at least as much time. */
  isInsideServer?: boolean;
  /** Judges every row and changes nothing. */
  isDryRun: boolean;
  /** Asked now and then; beside a server the import takes care that it can write. */
  isServerRunning: () => boolean;
  /** Told now and then. */
  onProgress: (figures: ImportFigures) => void;
  /** Told of each row that failed: its line, its cells as they were, why. */
  onFailure: (line: number, cells: readonly string[], reason: string) => void;
  /** Told once what the columns are taken for. */
  onColumns: (header: readonly string[], mapping: ColumnMapping) => void;
}

/** Rows that are looked up, and written, together. */
const ROWS_A_TURN = 32;
/** Rows that wait to be written; more than one transaction takes. */
const ROWS_AHEAD = 16_000;

/** Throws `Problem` where the file as a whole cannot be imported; single rows never stop it. */
export async function importContacts(options: ImportOptions): Promise<ImportFigures> {
  const { store, clock, workspaceId, file = options.path } = options;
  const figures: ImportFigures = {
    rows: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    opted_in: 0,
    kept_opted_out: 0,
  };
  const { country, fields } = store.read((reading) => ({
    country: getWorkspace(reading, workspaceId).country,
    fields: listFields(reading, workspaceId),
  }));
  const run = {
    ...options,
    country,
    seen: new Set<string>(),
    pace: new Pace(store, clock, options.isServerRunning, options.isInsideServer),
  };
  let isEmpty = true;
  let ahead: WaitingRow[] = [];
  for await (const part of prepareFile({ file, map: [...options.map], fields, country })) {
    isEmpty = false;
    if ("columns" in part) {
      options.onColumns(part.columns.header, part.columns.mapping);
      continue;
    }
    ahead.push(...waiting(part));
    while (ahead.length >= ROWS_AHEAD) ahead = ahead.slice(await writeSome(run, ahead, figures));
  }
  if (isEmpty) throw new Problem("invalid_request", "The file is empty.", { fields: { file: ["It is empty."] } });
  while (ahead.length > 0) ahead = ahead.slice(await writeSome(run, ahead, figures));
  options.onProgress(figures);
  await sleep(clock, 0);
  return figures;
}

/** A row on its way into the database. */
interface WaitingRow extends PreparedRow {
  /** As it stood in the file. */
  cells: () => readonly string[];
}

function waiting({ rows, cells }: RowsPart): WaitingRow[] {
  return rows.map((row, index) => ({ ...row, cells: () => cells()[index] ?? [] }));
}

interface Run extends ImportOptions {
  /** Of the workspace, when the numbers were read. */
  country: string;
  /** Of a dry run: the names of those who would have been made by now. */
  seen: Set<string>;
  pace: Pace;
}

interface Outcome {
  taken: number;
  part: ImportFigures;
  failures: (() => void)[];
  made: string[];
}

/** Writes as many of the rows as one transaction has time for, and returns how many. */
async function writeSome(run: Run, rows: readonly WaitingRow[], figures: ImportFigures): Promise<number> {
  const { store, clock, workspaceId } = run;
  await run.pace.endGap();
  const { transactionMs } = run.pace;
  const operation = (tx: Tx): Outcome => {
    const writer = new RowWriter(tx, getWorkspace(tx, workspaceId), run, figures);
    const startedAt = clock.monotonic();
    let taken = 0;
    while (taken < rows.length && clock.monotonic() - startedAt <= transactionMs) {
      const turn = rows.slice(taken, taken + ROWS_A_TURN);
      writer.write(turn);
      taken += turn.length;
    }
    writer.end();
    const outcome = { taken, part: writer.figures, failures: writer.failures, made: writer.made };
    if (run.isDryRun) throw new DryRun(outcome);
    return outcome;
  };
  // A dry run does everything and takes it back, so that it judges exactly as the real one.
  const { taken, part, failures, made } = await store.write(operation).catch((error: unknown) => {
    if (error instanceof DryRun) return error.outcome;
    throw error;
  });
  run.pace.beginGap();
  Object.assign(figures, part);
  for (const name of made) run.seen.add(name);
  for (const tell of failures) tell();
  run.onProgress(figures);
  return taken;
}

class DryRun extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super("a dry run is taken back");
    this.outcome = outcome;
  }
}

/** The rows of one transaction. What it counts is true once that is committed. */
class RowWriter {
  readonly figures: ImportFigures;
  readonly failures: (() => void)[] = [];
  /** Of a dry run. */
  readonly made: string[] = [];
  readonly #tx: Tx;
  readonly #workspace: Workspace;
  readonly #run: Run;
  readonly #strangers: Strangers;

  constructor(tx: Tx, workspace: Workspace, run: Run, figures: ImportFigures) {
    this.#tx = tx;
    this.#workspace = workspace;
    this.#run = run;
    this.#strangers = new Strangers(tx, workspace.id);
    this.figures = { ...figures };
  }

  write(rows: readonly WaitingRow[]): void {
    this.#strangers.learn(rows.flatMap(({ person }) => person.names));
    for (const waiting of rows) {
      const reason = this.#writeOne(waiting);
      this.figures.rows += 1;
      if (reason === null) continue;
      this.figures.failed += 1;
      this.failures.push(() => this.#run.onFailure(waiting.line, waiting.cells(), reason));
    }
    this.#strangers.write();
  }

  /** After the last rows. */
  end(): void {
    this.#strangers.writeAll();
  }

  /** Why the row failed, in words; null when it is in. */
  #writeOne({ line, row, person }: WaitingRow): string | null {
    if ("mistakes" in row) return row.mistakes.join(" ");
    const { evidence = { file: this.#run.path } } = this.#run;
    const why = { source: "import", evidence: { ...evidence, line } } as const;
    const optIn = this.#run.optIn ? why : null;
    const isFirst = !person.names.some((name) => this.#run.seen.has(name));
    // Numbers were read for the country that the workspace had then; whoever is known is looked at one by one.
    const isRead = this.#run.country === this.#workspace.country;
    if (isRead && isFirst && this.#strangers.add({ person, changes: row.changes, optIn })) {
      this.figures.created += 1;
      if (optIn !== null) this.figures.opted_in += 1;
      if (this.#run.isDryRun) this.made.push(...person.names);
      return null;
    }
    this.#strangers.writeAll();
    this.#strangers.meet(person.names);
    try {
      return this.#put(row, why, isFirst);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return Object.entries(error.details.fields ?? { "": [error.message] })
        .map(([path, sentences]) => `${path}${path === "" ? "" : ": "}${sentences.join(" ")}`)
        .join(" ");
    }
  }

  /** `isFirst`: a dry run has not made this person before, and taken it back. */
  #put(row: ReadRow, why: ConsentEvidence, isFirst: boolean): string | null {
    const [tx, workspace, figures] = [this.#tx, this.#workspace, this.figures];
    const person = findPerson(tx, workspace.id, row.phone, workspace.country);
    if (person === null) return `phone: "${row.phone}" is not a phone number.`;
    // A new contact is made with its consent, in one write; the others are asked below what they said before.
    const isStranger = person.contact === null && findErasedOptOut(tx, workspace.id, person.phone) === null;
    const changes = this.#run.optIn && isStranger ? { ...row.changes, consent: "opted_in" as const } : row.changes;
    const { contact, isNew, isChanged } = putContact(tx, workspace, person, changes, why);
    if (isNew && !isFirst) {
      figures.updated += 1;
      return null;
    }
    if (isNew && this.#run.isDryRun) this.made.push(person.phone);
    let isTouched = isChanged;
    if (this.#run.optIn && contact.consent === "opted_out") figures.kept_opted_out += 1;
    if (this.#run.optIn && isNew && contact.consent === "opted_in") figures.opted_in += 1;
    if (this.#run.optIn && contact.consent === "unknown") {
      changeConsent(tx, workspace, contact, { kind: "opt_in" }, why);
      figures.opted_in += 1;
      isTouched = true;
    }
    figures[isNew ? "created" : isTouched ? "updated" : "unchanged"] += 1;
    return null;
  }
}

/** Writes prepared rows of a file to contacts, within one transaction, and counts the outcome of each. */

import { sentencesOf } from "#src/core/fault.ts";
import { Problem } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { changeConsent } from "#src/domain/contacts/change-consent.ts";
import { type ConsentEvidence, withOwnTerms } from "#src/domain/contacts/consent-log.ts";
import { listPeople } from "#src/domain/contacts/details.ts";
import { findErasedOptOut } from "#src/domain/contacts/erased-opt-outs.ts";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import { recordGivenIdentity } from "#src/domain/contacts/learn-identity.ts";
import { NewContactBatch } from "#src/domain/contacts/new-contacts.ts";
import { mergePeople } from "#src/domain/contacts/people.ts";
import { type ContactChanges, putContact } from "#src/domain/contacts/put.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import type { PreparedRow } from "./prepare.ts";
import { isOmission, ReasonCounter, type RowProblem } from "./reasons.ts";
import { type ParsedRow, skipRefusedCells } from "./row.ts";
import type { Step } from "./row-buffer.ts";
import type { ImportCounters } from "./table.ts";

/** What the rows of an import have in common. */
export interface WriteOptions {
  path: string;
  /** All people in the file have agreed to receive messages. */
  optIn: boolean;
  skipsBadCells?: boolean;
  /** Evidence of the opt-ins, stored with the line number; default: the file's path. */
  evidence?: Readonly<Record<string, unknown>>;
  isDryRun: boolean;
  /** The workspace's country when the identifiers were read. */
  country: string;
  /** Called within the transaction with line, unchanged cells and reason of each row that is rejected or has skipped cells. */
  onFailure: (line: number, cells: readonly string[], reason: string) => void;
}

/** A row for the errors file: it was rejected, or written without its bad cells. A row written whole has no report. */
interface RowReport {
  isRejected: boolean;
  /** For a row that was written, one for each cell that was skipped. */
  problems: readonly RowProblem[];
}

/** A row with its outcome. */
export interface WrittenRow {
  prepared: PreparedRow;
  report: RowReport | null;
}

/** How many rows of a file a dry run shows as they would be stored. */
export const FIRST_ROWS = 10;

/** Writes the rows of one transaction. Its counters are valid once the transaction is committed. */
export class RowWriter {
  readonly counters: ImportCounters;
  readonly refusals = new ReasonCounter();
  readonly omissions = new ReasonCounter();
  readonly changes = new ReasonCounter();
  /** The first rows of the transaction. */
  readonly first: WrittenRow[] = [];
  readonly #tx: Tx;
  readonly #workspace: Workspace;
  readonly #run: WriteOptions;
  readonly #newContacts: NewContactBatch;

  constructor(tx: Tx, workspace: Workspace, run: WriteOptions, counters: ImportCounters) {
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
      if (this.first.length < FIRST_ROWS) this.first.push({ prepared, report });
      if (report === null || !report.isRejected) this.#countChange(prepared);
      if (report === null) continue;
      const { isRejected, problems } = report;
      this.#count(report, prepared.line);
      const reason = `${isRejected ? "" : "Skipped: "}${problems.map(({ says }) => says).join(" ")}`;
      this.#run.onFailure(prepared.line, cells(place), reason);
    }
    this.#newContacts.write();
  }

  #countChange({ row, line }: PreparedRow): void {
    if (!("change" in row) || row.change === undefined) return;
    this.counters.changed += 1;
    this.changes.add(row.change, line);
  }

  #count({ isRejected, problems }: RowReport, line: number): void {
    if (isRejected) {
      this.counters.failed += 1;
      this.counters.rows += 1;
      this.refusals.add(reasonOfRow(problems), line);
      return;
    }
    this.counters.cells_left_out += problems.length;
    for (const { reason } of problems) this.omissions.add(reason, line);
  }

  /** Counts a row that was taken. */
  #taken(as: "created" | "updated" | "unchanged" | "repeated"): void {
    this.counters[as] += 1;
    if (as !== "repeated") this.counters.rows += 1;
  }

  /** Call after the last rows. */
  end(): void {
    this.#newContacts.writeAll();
  }

  #writeOne({ line, row, person, isRepeated }: PreparedRow): RowReport | null {
    if ("problems" in row) return { isRejected: true, problems: row.problems };
    const { evidence = { file: this.#run.path } } = this.#run;
    const why = { source: "import", evidence: { ...evidence, ...row.evidence, line } } as const;
    const optIn = wantsOptIn(row, this.#run) ? withTerms(this.#workspace, row, why) : null;
    // The identifiers were read for the workspace's country at the start of the import. If the country has changed
    // since, or the contact is known, the row is looked up and written on its own.
    const isCountryUnchanged = this.#run.country === this.#workspace.country;
    if (
      isCountryUnchanged &&
      !isRepeated &&
      row.consent !== "out" &&
      row.people === undefined &&
      this.#newContacts.add({ person, changes: row.changes, optIn })
    ) {
      this.#taken("created");
      if (optIn !== null) this.counters.opted_in += 1;
      return reportOmitted(row);
    }
    this.#newContacts.writeAll();
    this.#newContacts.markKnown(person.identifiers);
    return this.#writeAlone(row, why, isRepeated);
  }

  #writeAlone(row: ParsedRow, why: ConsentEvidence, isRepeated: boolean): RowReport | null {
    try {
      const problem = this.#put(row, why, isRepeated);
      return problem === null ? reportOmitted(row) : reportRejected(row, [problem]);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const refused = sentencesOf(error.details.fields ?? { "": [error.message] });
      const rest = this.#run.skipsBadCells !== false ? skipRefusedCells(row, refused) : null;
      if (rest !== null) return this.#writeAlone(rest, why, isRepeated);
      const problems = Object.entries(refused).map(([path, sentences]) => ({
        reason: "bad_cell" as const,
        says: `${path}${path === "" ? "" : ": "}${sentences.join(" ")}`,
      }));
      return reportRejected(row, problems);
    }
  }

  /**
   * Returns why the row was rejected; null if it was written. The person of a repeated row may be new all the same: a dry
   * run has rolled back the earlier row, or that row was rejected.
   */
  #put(row: ParsedRow, why: ConsentEvidence, isRepeated: boolean): RowProblem | null {
    const [tx, workspace] = [this.#tx, this.#workspace];
    const person = lookUpContact(tx, workspace.id, nameIn(row), workspace.country);
    if (person === null) return row.unread ?? notANumber(row);
    // A new contact is created with its consent in one write; the consent of an existing one is handled below.
    const isNewContact =
      person.contact === null && findErasedOptOut(tx, workspace.id, person.phone, row.userId) === null;
    const isOptIn = wantsOptIn(row, this.#run);
    const changes = { ...withConsent(row, isOptIn && isNewContact), ...peopleOf(tx, row, person.contact) };
    const { contact: put, isNew, isChanged: isPut } = putContact(tx, workspace, person, changes, why);
    const contact = recordGivenIdentity(tx, workspace, put, row);
    const isChanged = isPut || contact !== put;
    if (isNew && isRepeated && this.#run.isDryRun) {
      this.#taken("repeated");
      return null;
    }
    this.#countOptOut(row, person.contact);
    const isOptedIn =
      isOptIn && this.#optIn(contact, isNew, contact.consent === "unknown" ? withTerms(workspace, row, why) : why);
    const known = isRepeated ? "repeated" : isChanged || isOptedIn ? "updated" : "unchanged";
    this.#taken(isNew ? "created" : known);
    return null;
  }

  #countOptOut({ consent }: ParsedRow, before: Contact | null): void {
    if (consent === "out" && before?.consent !== "opted_out") this.counters.opted_out += 1;
  }

  /** Returns whether the contact was changed. An opt-out stays, and so does a doubt. */
  #optIn(contact: Contact, isNew: boolean, why: ConsentEvidence): boolean {
    if (contact.consent === "opted_out") this.counters.kept_opted_out += 1;
    if (contact.mayWantToStopSince !== null) return false;
    if (contact.consent === "unknown" || (isNew && contact.consent === "opted_in")) this.counters.opted_in += 1;
    return changeConsent(this.#tx, this.#workspace, contact, { kind: "opt_in" }, why) !== contact;
  }
}

function notANumber({ phone }: ParsedRow): RowProblem {
  return { reason: "not_a_number", says: `phone: "${phone}" is not a phone number.` };
}

/** A row of which the file says no is never opted in. */
function wantsOptIn({ consent }: ParsedRow, { optIn }: WriteOptions): boolean {
  return consent === "yes" || (consent === undefined && optIn);
}

function withConsent({ consent, changes, evidence }: ParsedRow, isOptIn: boolean): ContactChanges {
  if (consent === "out") return { ...changes, consent: "opted_out" };
  if (!isOptIn) return changes;
  return { ...changes, consent: "opted_in", ...(evidence === undefined ? {} : { keepsTerms: true }) };
}

/** A row that brings evidence of its own, such as one of our exports, keeps it as it is. */
function withTerms(workspace: Workspace, { evidence }: ParsedRow, why: ConsentEvidence): ConsentEvidence {
  return evidence === undefined ? withOwnTerms(workspace, why) : why;
}

function peopleOf(tx: Tx, { people }: ParsedRow, contact: Contact | null): Pick<ContactChanges, "people"> {
  if (people === undefined) return {};
  return { people: mergePeople(contact === null ? [] : listPeople(tx, contact.id), people) };
}

function nameIn({ phone, userId }: ParsedRow): string {
  return phone === "" ? (userId ?? "") : phone;
}

function reportOmitted({ omitted }: ParsedRow): RowReport | null {
  return omitted === undefined ? null : { isRejected: false, problems: omitted };
}

/** The class of a rejected row: what is wrong with its name, else its first problem. */
function reasonOfRow(problems: readonly RowProblem[]): string {
  const reason = problems.find((problem) => !isOmission(problem))?.reason;
  return reason ?? "bad_cell";
}

/** Nothing of the row was written, so its bad cells are problems like the others. */
function reportRejected({ omitted = [] }: ParsedRow, problems: readonly RowProblem[]): RowReport {
  return { isRejected: true, problems: [...omitted, ...problems] };
}

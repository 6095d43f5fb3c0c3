/** Opts out the numbers in a file: a file with a column of phone numbers or user ids, or one number per line. */

import { type Clock, sleep } from "#src/core/clock.ts";
import { invalidRequest } from "#src/core/problem.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import { optOut } from "#src/domain/contacts/opt-out.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { looksLikeHeader, mapColumns } from "./columns.ts";
import type { FileSource } from "./formats/bytes.ts";
import { looksLikePhone } from "./formats/looks.ts";
import { type OpenFile, openFile } from "./formats/open.ts";
import type { FileRecord, ReadOptions } from "./formats/record.ts";
import { readPhoneCell } from "./phone-cell.ts";
import { type ReasonCount, ReasonCounter, type Refusal, reasonCounts, refusals } from "./reasons.ts";

interface OptOutCounters {
  /** Records with content: `opted_out + already + failed`. */
  rows: number;
  opted_out: number;
  /** Had already opted out; their first date stays. */
  already: number;
  failed: number;
}

/** The outcome of every line of the file, with the meanings of `ImportReport`. */
interface OptOutReport extends OptOutCounters {
  lines: number;
  skipped_lines: number;
  continued: number;
  records: number;
  blank: number;
  reasons: ReasonCount[];
}

const ROWS_PER_BATCH = 25;
const GAP_MS = 2;
const NO_MAP: ReadonlyMap<string, string> = new Map();

/**
 * `onFailure` receives each line without a valid number. `file`: the source to read instead of `path`, such as an open
 * file.
 */
export async function bulkOptOut(
  { store, clock }: { store: Store; clock: Clock },
  workspaceId: number,
  path: string,
  onFailure: (line: number, cells: readonly string[], reason: string) => void,
  file: FileSource = path,
  reading: ReadOptions = {},
): Promise<OptOutReport> {
  const counters: OptOutCounters = { rows: 0, opted_out: 0, already: 0, failed: 0 };
  const counter = new ReasonCounter();
  const { country } = store.read((tx) => getWorkspace(tx, workspaceId));
  const isHeader = (cells: readonly string[]): boolean => looksLikeHeader(cells, NO_MAP, []);
  await using open = await openFile(file, country, { mayLackHeader: true, ...reading }, isHeader);
  if (open === null) throw invalidRequest({ file: ["It is empty."] });
  const numberIn = numberReader(open);
  const refuse = (line: number, cells: readonly string[], reason: Refusal, number: string): void => {
    counters.failed += 1;
    counter.add(reason, line);
    const says = reason === "not_a_number" ? `"${number}" is not a phone number.` : `${refusals[reason].says}.`;
    onFailure(line, cells, says);
  };
  const optOutRow = (tx: Tx, workspace: Workspace, { line, cells, problem }: FileRecord): void => {
    counters.rows += 1;
    const number = problem === undefined ? numberIn(cells) : "";
    const reading = readPhoneCell(number, workspace.country);
    // Of two numbers in a cell, both opt out; an id that is no number may still name a person.
    const names: string[] = "phone" in reading ? [reading.phone, ...reading.others] : [number];
    const found = names.flatMap((name) => lookUpContact(tx, workspaceId, name, workspace.country) ?? []);
    if (found.length === 0) {
      refuse(line, cells, problem ?? ("refused" in reading ? reading.refused : "no_phone"), number);
      return;
    }
    const isAlready = found.every(({ contact }) => contact?.consent === "opted_out");
    for (const lookup of found) optOut(tx, workspace, lookup, { source: "bulk", evidence: { file: path, line } });
    counters[isAlready ? "already" : "opted_out"] += 1;
  };
  const flush = async (records: readonly FileRecord[]): Promise<void> => {
    await store.write((tx) => {
      const workspace = getWorkspace(tx, workspaceId);
      for (const record of records) optOutRow(tx, workspace, record);
    });
    await sleep(clock, GAP_MS);
  };
  for await (const records of open.records) {
    for (let at = 0; at < records.length; at += ROWS_PER_BATCH) await flush(records.slice(at, at + ROWS_PER_BATCH));
  }
  const { lines, skipped, continued, records, blank } = open.totals;
  return { lines, skipped_lines: skipped, continued, records, blank, ...counters, reasons: reasonCounts(counter) };
}

/** Gives the cell that names the person, the phone number first; empty if there is none. */
function numberReader({ header, headerLine }: OpenFile): (cells: readonly string[]) => string {
  const isFilled = (cell: string): boolean => cell !== "";
  if (headerLine === null) {
    return (cells) => (cells.find(looksLikePhone) ?? cells.find(isFilled) ?? "").trim();
  }
  const { targets } = mapColumns(header, NO_MAP, []);
  const places = ["phone", "user_id"].flatMap((name) =>
    targets.flatMap((target, at) => (target?.to === name ? at : [])),
  );
  return (cells) => places.map((at) => (cells[at] ?? "").trim()).find(isFilled) ?? "";
}

/** Opts a file of numbers out: a CSV with a phone column, or one number a line. */

import { type Clock, sleep } from "#src/core/clock.ts";
import { Problem } from "#src/core/problem.ts";
import type { Store } from "#src/db/store.ts";
import { findPerson } from "#src/domain/contacts/find.ts";
import { optOut } from "#src/domain/contacts/opt-out.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { mapColumns } from "./columns.ts";
import { type Row, readRows } from "./rows.ts";
import type { FileSource } from "./table-text.ts";

export interface BulkOptOutFigures {
  rows: number;
  opted_out: number;
  /** Had opted out before: the first date stays. */
  already: number;
  failed: number;
}

const ROWS_A_TIME = 200;
const GAP_MS = 2;

/** `onFailure` is told of each line that is no number. `file`: what is read, where it is open already. */
export async function bulkOptOut(
  { store, clock }: { store: Store; clock: Clock },
  workspaceId: number,
  path: string,
  onFailure: (line: number, cells: readonly string[], reason: string) => void,
  file: FileSource = path,
): Promise<BulkOptOutFigures> {
  const figures: BulkOptOutFigures = { rows: 0, opted_out: 0, already: 0, failed: 0 };
  let column: number | null = null;
  let ahead: Row[] = [];
  const flush = async (): Promise<void> => {
    const rows = ahead;
    ahead = [];
    await store.write((tx) => {
      const workspace = getWorkspace(tx, workspaceId);
      for (const { line, cells } of rows) {
        figures.rows += 1;
        const number = (cells[column ?? 0] ?? "").trim();
        const person = findPerson(tx, workspaceId, number, workspace.country);
        if (person === null) {
          figures.failed += 1;
          onFailure(line, cells, `"${number}" is not a phone number.`);
          continue;
        }
        const wasOut = person.contact?.consent === "opted_out";
        optOut(tx, workspace, person, { source: "bulk", evidence: { file: path, line } });
        figures[wasOut ? "already" : "opted_out"] += 1;
      }
    });
    await sleep(clock, GAP_MS);
  };
  store.read((reading) => void getWorkspace(reading, workspaceId));
  for await (const row of readRows(file)) {
    if (column === null) {
      column = phoneColumn(row.cells);
      // Without a header the first line is a number like the others.
      if (column !== null) continue;
      column = 0;
    }
    if (ahead.push(row) >= ROWS_A_TIME) await flush();
  }
  await flush();
  return figures;
}

function phoneColumn(header: readonly string[]): number | null {
  try {
    return mapColumns(header, new Map(), []).targets.findIndex((target) => target?.to === "phone");
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/** Opts out the numbers in a file: a CSV file with a column of phone numbers or user ids, or one per line. */

import { type Clock, sleep } from "#src/core/clock.ts";
import { Problem } from "#src/core/problem.ts";
import type { Store } from "#src/db/store.ts";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import { optOut } from "#src/domain/contacts/opt-out.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { mapColumns } from "./columns.ts";
import { type Row, readRows } from "./rows.ts";
import type { FileSource } from "./table-text.ts";

interface BulkOptOutCounters {
  rows: number;
  opted_out: number;
  /** Had already opted out; their first date stays. */
  already: number;
  failed: number;
}

const ROWS_PER_BATCH = 200;
const GAP_MS = 2;

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
): Promise<BulkOptOutCounters> {
  const counters: BulkOptOutCounters = { rows: 0, opted_out: 0, already: 0, failed: 0 };
  let columns: number[] | null = null;
  let buffer: Row[] = [];
  const flush = async (): Promise<void> => {
    const rows = buffer;
    buffer = [];
    await store.write((tx) => {
      const workspace = getWorkspace(tx, workspaceId);
      for (const { line, cells } of rows) {
        counters.rows += 1;
        const [number = ""] = (columns ?? [0]).map((at) => (cells[at] ?? "").trim()).filter((cell) => cell !== "");
        const lookup = lookUpContact(tx, workspaceId, number, workspace.country);
        if (lookup === null) {
          counters.failed += 1;
          onFailure(line, cells, `"${number}" is not a phone number.`);
          continue;
        }
        const wasOptedOut = lookup.contact?.consent === "opted_out";
        optOut(tx, workspace, lookup, { source: "bulk", evidence: { file: path, line } });
        counters[wasOptedOut ? "already" : "opted_out"] += 1;
      }
    });
    await sleep(clock, GAP_MS);
  };
  store.read((tx) => void getWorkspace(tx, workspaceId));
  for await (const row of readRows(file)) {
    if (columns === null) {
      columns = nameColumns(row.cells);
      // Without a header, the first line holds a number like the others.
      if (columns !== null) continue;
      columns = [0];
    }
    if (buffer.push(row) >= ROWS_PER_BATCH) await flush();
  }
  await flush();
  return counters;
}

/** The columns that name the person, the phone number first. */
function nameColumns(header: readonly string[]): number[] | null {
  try {
    const { targets } = mapColumns(header, new Map(), []);
    const found = ["phone", "user_id"].map((name) => targets.findIndex((target) => target?.to === name));
    return found.filter((at) => at !== -1);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

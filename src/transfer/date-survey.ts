/** Decides whether days or months come first in a file, by all dates of it: 31/12 proves the one, 12/31 the other. */
import type { ColumnMapping } from "./columns.ts";
import { type DateOrder, usualOrder } from "./date-cell.ts";
import type { FileSource } from "./formats/bytes.ts";
import { openFile } from "./formats/open.ts";
import type { ReadOptions } from "./formats/record.ts";

const PAIR = /^(\d{1,2})[-/.](\d{1,2})(?:[-/.]\d{2,4})?(?:[T ].{0,20})?$/;

export function dateColumns({ targets }: ColumnMapping): number[] {
  return targets.flatMap((target, index) => {
    const isDate =
      (target?.to === "profile" && (target.field === "birthday" || target.field === "anniversary")) ||
      (target?.to === "field" && target.field.kind === "date");
    return isDate ? index : [];
  });
}

/** `unclear`: some dates have the day first and some the month, so those that can be read either way are skipped. */
export async function findDateOrder(
  file: FileSource,
  country: string,
  options: ReadOptions,
  isHeader: (cells: readonly string[]) => boolean,
  columns: readonly number[],
): Promise<DateOrder> {
  if (columns.length === 0) return usualOrder(country);
  const open = await openFile(file, country, options, isHeader);
  const proofs = { dayFirst: 0, monthFirst: 0 };
  for await (const records of open?.records ?? []) {
    for (const { cells } of records) for (const at of columns) addProof(proofs, cells[at] ?? "");
  }
  if (proofs.dayFirst > 0 && proofs.monthFirst > 0) return "unclear";
  if (proofs.dayFirst > 0) return "dmy";
  return proofs.monthFirst > 0 ? "mdy" : usualOrder(country);
}

function addProof(proofs: { dayFirst: number; monthFirst: number }, cell: string): void {
  const [, a, b] = PAIR.exec(cell.trim()) ?? [];
  const [first, second] = [Number(a), Number(b)];
  if (first > 12 && first <= 31 && second <= 12) proofs.dayFirst += 1;
  if (second > 12 && second <= 31 && first <= 12) proofs.monthFirst += 1;
}

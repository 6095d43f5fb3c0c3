/** Decides whether days or months come first in a file, by all dates of it: 31/12 proves the one, 12/31 the other. */
import type { ColumnMapping } from "./columns.ts";
import { type DateOrder, isReal, usualOrder } from "./date-cell.ts";
import type { FileRecord } from "./formats/record.ts";

const PAIR = /^(\d{1,2})[-/.](\d{1,2})(?:[-/.](\d{2}|\d{4})|\.)?(?:[T ].{0,20})?$/;

export function dateColumns({ targets }: Pick<ColumnMapping, "targets">): number[] {
  return targets.flatMap((target, index) => {
    const isDate =
      (target?.to === "person" && target.part === "birthday") ||
      (target?.to === "profile" && (target.field === "birthday" || target.field === "anniversary")) ||
      (target?.to === "field" && target.field.kind === "date");
    return isDate ? index : [];
  });
}

/** What the dates of some records prove. */
export class DateSurvey {
  readonly #columns: readonly number[];
  #dayFirst = 0;
  #monthFirst = 0;
  /** A date that can be read either way. */
  example: string | null = null;

  constructor(columns: readonly number[]) {
    this.#columns = columns;
  }

  add(records: readonly Pick<FileRecord, "cells">[]): void {
    for (const { cells } of records) for (const at of this.#columns) this.#addCell((cells[at] ?? "").trim());
  }

  get isCertain(): boolean {
    return this.#dayFirst > 0 || this.#monthFirst > 0;
  }

  /** `unclear`: some dates have the day first and some the month, so those that can be read either way are skipped. */
  orderIn(country: string): DateOrder {
    if (this.#dayFirst > 0 && this.#monthFirst > 0) return "unclear";
    if (this.#dayFirst > 0) return "dmy";
    return this.#monthFirst > 0 ? "mdy" : usualOrder(country);
  }

  #addCell(cell: string): void {
    const [, a, b, year = null] = PAIR.exec(cell) ?? [];
    if (a === undefined || b === undefined) return;
    const [isDayFirst, isMonthFirst] = [isReal(year, b, a), isReal(year, a, b)];
    if (isDayFirst && isMonthFirst) {
      if (Number(a) !== Number(b)) this.example ??= cell;
    } else if (isDayFirst) this.#dayFirst += 1;
    else if (isMonthFirst) this.#monthFirst += 1;
  }
}

/**
 * Lines of CSV. A cell that a spreadsheet would take for a formula gets an apostrophe before it: names come from
 * strangers, and whoever opens the file must not run what one of them is called. Our own import takes it off again.
 */

/** What begins a formula; an apostrophe before it as well, so that taking one off gives back what was there. */
const FORMULA = /^'*[=+\-@\t\r]/;
/** A number or a phone number alone computes to itself. */
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

export function safeCell(cell: string): string {
  return FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}

/** The cell as it was before `safeCell`. */
export function plainCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/** Cells as RFC 4180 wants them, with its line end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\r\n`;
}

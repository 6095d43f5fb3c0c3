/**
 * Writes CSV. A cell that a spreadsheet would run as a formula is prefixed with an apostrophe, because names come from
 * strangers and opening the file must not execute them. Our own import removes the apostrophe.
 */

/**
 * The start of a formula, or of one already prefixed with apostrophes, so that removing one apostrophe restores the
 * original.
 */
const FORMULA = /^'*[=+\-@\t\r]/;
/** A plain number or phone number evaluates to itself and is safe. */
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

export function safeCell(cell: string): string {
  return FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}

/** Reverses `safeCell`. */
export function plainCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/** A line in RFC 4180 format, with CRLF. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\r\n`;
}

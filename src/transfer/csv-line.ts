/**
 * Writes CSV. A cell that a spreadsheet would run as a formula is prefixed with an apostrophe, because names come from
 * strangers and opening the file must not execute them. Spreadsheets of countries with a decimal comma split lines at
 * semicolons and do not see our quotes, so the same holds for every part of a cell that another reader may take for one.
 * Our own import removes the apostrophes.
 */

/** What begins a formula, with the full-width and small forms that East Asian spreadsheets accept. */
const SIGNS = "=+\\-@＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋−";
/** Where another reader may begin a cell: its delimiter, or a line end. */
const SPLITS = ";|\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029";
/** What readers may drop before the sign: quotes, blanks and invisible characters. */
const DROPPED = '[" \\u00a0\\u1680\\u180e\\u2000-\\u200f\\u202a-\\u202f\\u205f-\\u206f\\u3000\\ufeff\\0]*';
const SPLIT = new RegExp(`([${SPLITS}])`, "u");
/**
 * The start of a formula, or of one already prefixed with apostrophes, so that removing one apostrophe restores the
 * original.
 */
const FORMULA = new RegExp(`^'*${DROPPED}[${SIGNS}]`, "u");
/** White space at the very start of a cell, which some spreadsheets drop as well. */
const BLANK_START = /^'*[\t\r\n]/;
/** A plain number or phone number evaluates to itself and is safe. */
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/**
 * `isFirst`: the first cell of a line. There even a number is prefixed: for a reader that splits at semicolons, the
 * number and everything after it are one cell.
 */
function safeCell(cell: string, isFirst = false): string {
  if (NUMBER.test(cell) && !isFirst) return cell;
  const safe = mapParts(cell, (part) => (FORMULA.test(part) ? `'${part}` : part));
  return BLANK_START.test(safe) ? `'${safe}` : safe;
}

/** Reverses `safeCell`. */
export function plainCell(cell: string): string {
  if (!cell.includes("'")) return cell;
  const bare = cell.startsWith("'") && BLANK_START.test(cell) ? cell.slice(1) : cell;
  return mapParts(bare, (part) => (part.startsWith("'") && FORMULA.test(part) ? part.slice(1) : part));
}

/** Changes each part that another reader may take for a cell, and leaves what separates them. */
function mapParts(cell: string, change: (part: string) => string): string {
  return cell
    .split(SPLIT)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("");
}

/** A line in RFC 4180 format, with CRLF and without formulas. The first cell should not be a number with a sign. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell, index) => quoted(safeCell(cell, index === 0))).join(",")}\r\n`;
}

function quoted(cell: string): string {
  return /[",;|\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

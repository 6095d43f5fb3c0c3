/** What cells look like before anybody has said what their columns are. */
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import type { FileRecord } from "./record.ts";

export function isEmptyCell(cell: string): boolean {
  return cell === "" || (cell.length < 200 && SHOWS_NOTHING.test(cell));
}

export function isBlank({ cells, problem }: FileRecord): boolean {
  return problem === undefined && cells.every(isEmptyCell);
}

const DATE = /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}/;
const PHONE_LENGTH_MAX = 60;
const PHONE_DIGITS_MIN = 8;

/** A phone number, perhaps with words around it: the cell is data, and not the name of a column. */
export function looksLikePhone(cell: string): boolean {
  const text = cell.trim();
  if (text.length > PHONE_LENGTH_MAX || DATE.test(text)) return false;
  const digits = text.replace(/\P{Nd}/gu, "").length;
  const letters = text.replace(/\P{L}/gu, "").length;
  return digits >= PHONE_DIGITS_MIN && letters <= digits;
}

/** `1=name,2=phone` for a file without a header, by its first row. */
export function suggestMap(cells: readonly string[]): string {
  const phone = cells.findIndex(looksLikePhone);
  const email = cells.findIndex((cell) => /^[^@\s]+@[^@\s]+$/.test(cell.trim()));
  const name = cells.findIndex((cell, at) => at !== phone && at !== email && /\p{L}/u.test(cell));
  const pairs = [
    [name, "name"],
    [phone, "phone"],
    [email, "email"],
  ] as const;
  return pairs
    .filter(([at]) => at !== -1)
    .sort(([a], [b]) => a - b)
    .map(([at, target]) => `${at + 1}=${target}`)
    .join(",");
}

/** Characters that were lost before the file came here, or that its encoding does not have. */
import type { FileRecord } from "./formats/record.ts";

/** What stands in the place of bytes that are no character: stored, it would be garbage over a good name. */
const DAMAGE = "\ufffd";

export function isDamaged(cell: string): boolean {
  return cell.includes(DAMAGE);
}

export interface Damage {
  rows: number;
  /** The first lines of them. */
  lines: number[];
}

const LINES_NAMED = 10;

/** Null: no cell is damaged. */
export function damageOf(records: readonly FileRecord[]): Damage | null {
  const damaged = records.filter(({ cells }) => cells.some(isDamaged));
  if (damaged.length === 0) return null;
  return { rows: damaged.length, lines: damaged.slice(0, LINES_NAMED).map(({ line }) => line) };
}

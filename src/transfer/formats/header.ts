/**
 * Finds the row with the names of the columns: below titles, or nowhere. What is not certain is refused with the options
 * that decide it.
 */
import { invalidRequest } from "#src/core/problem.ts";
import { isBlank, looksLikePhone, suggestMap } from "./looks.ts";
import type { FileRecord, ReadOptions } from "./record.ts";

interface FoundHeader {
  /** Null: the file has none. */
  header: FileRecord | null;
  titles: FileRecord[];
  /** Records after the header that are already read. */
  waiting: FileRecord[];
}

type IsHeader = (cells: readonly string[]) => boolean;

/** How many records may stand above the header. */
const TITLES_MAX = 30;

/** Null: the file has no records. */
export async function findHeader(
  records: AsyncGenerator<FileRecord[]>,
  { headerRow, mayLackHeader = false, mayGuess = false }: ReadOptions,
  isHeader: IsHeader,
): Promise<FoundHeader | null> {
  if (typeof headerRow === "number") return headerAt(records, headerRow);
  if (headerRow === "none") return withoutHeader((await records.next()).value ?? []);
  const seen: FileRecord[] = [];
  for (let isGoingOn = true; isGoingOn; ) {
    const record = await nextOf(records);
    if (record === null) break;
    seen.push(record);
    if (isHeader(record.cells)) return { header: record, titles: seen.slice(0, -1), waiting: [] };
    isGoingOn = !isData(record) && seen.length <= TITLES_MAX;
  }
  return mayLackHeader ? withoutHeader(seen) : withoutKnownHeader(seen, mayGuess);
}

/** Batches have one record while the header is looked for. */
async function nextOf(records: AsyncGenerator<FileRecord[]>): Promise<FileRecord | null> {
  const { value, done } = await records.next();
  return done === true ? null : (value[0] ?? null);
}

function withoutHeader(waiting: FileRecord[]): FoundHeader | null {
  return waiting.length === 0 ? null : { header: null, titles: [], waiting };
}

async function headerAt(records: AsyncGenerator<FileRecord[]>, line: number): Promise<FoundHeader> {
  const titles: FileRecord[] = [];
  for (;;) {
    const record = await nextOf(records);
    if (record === null) throw invalidRequest({ header_row: [`The file has no line ${line}.`] });
    if (record.line === line) return { header: record, titles, waiting: [] };
    if (record.line > line) throw invalidRequest({ header_row: [`No row begins at line ${line}.`] });
    titles.push(record);
  }
}

/** A title has no phone number: from here on the file has rows. */
function isData({ cells, problem }: FileRecord): boolean {
  return problem !== undefined || cells.some(looksLikePhone);
}

/** No row has a known name of a column: the first one is the header all the same, unless it looks like data. */
function withoutKnownHeader(seen: FileRecord[], mayGuess: boolean): FoundHeader | null {
  const at = seen.findIndex((record) => !isBlank(record));
  const first = seen[at];
  if (first === undefined) return null;
  if (first.cells.some(looksLikePhone)) {
    if (mayGuess) return withoutHeader(seen);
    const map = suggestMap(first.cells);
    throw invalidRequest({
      header_row: [
        `Line ${first.line}, the first line, looks like data, not like column names. Name the columns by their numbers: --header-row none --map ${map}; or add a line with column names.`,
      ],
    });
  }
  return { header: first, titles: seen.slice(0, at), waiting: seen.slice(at + 1) };
}

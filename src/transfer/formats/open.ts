/**
 * Opens a file of people of any kind: finds out what it is, how its text is encoded and where its header is, then gives
 * its records. Every line of the file is counted once: as part of a record, or as one that was skipped.
 */
import { invalidRequest } from "#src/core/problem.ts";
import { bytesOf, type FileSource } from "./bytes.ts";
import { openCsv } from "./csv-source.ts";
import { type EncodingSample, findEncoding } from "./encoding.ts";
import { decoderOf, type Encoding } from "./encodings.ts";
import { findHeader } from "./header.ts";
import { type FileKind, kindOfBytes, kindOfText } from "./kind.ts";
import { isBlank } from "./looks.ts";
import type { FileRecord, FoundSheet, ReadOptions, RecordSource } from "./record.ts";
import { openVcard } from "./vcard/vcard-source.ts";
import { openXlsx } from "./xlsx/xlsx-source.ts";

/** Lines of the file; of XLSX rows, of vCard lines of cards. `lines` = `skipped` + those of records. */
export interface FileTotals {
  lines: number;
  /** The header, what stands above it, and `sep=`. */
  skipped: number;
  /** Lines of records after their first. */
  continued: number;
  records: number;
  /** Records without any content. */
  blank: number;
}

/** Dispose of it: the file may be open until all records are read. */
export interface OpenFile extends AsyncDisposable {
  kind: FileKind;
  encoding: Encoding | null;
  /** Words of the file as each encoding that fits reads them, the likeliest first; empty where there is no doubt. */
  samples: EncodingSample[];
  /** Of a workbook; null: the file has no sheets. */
  sheet: FoundSheet | null;
  header: string[];
  /** Line of the header; null: the file has none. */
  headerLine: number | null;
  /** Complete once all records are read. */
  totals: FileTotals;
  /** The records that have content, in the order of the file. Read them once. */
  records: AsyncGenerator<FileRecord[]>;
}

/**
 * `isHeader`: whether these cells name the columns of a file of people. Throws `invalid_request` for a file that cannot
 * be read, and where a person has to decide. Null: the file is empty.
 */
export async function openFile(
  file: FileSource,
  country: string,
  options: ReadOptions,
  isHeader: (cells: readonly string[]) => boolean,
): Promise<OpenFile | null> {
  const source = await openSource(file, country, options);
  if (source === null) return null;
  const { records, kind, encoding, samples, sheet } = source;
  const close = async (): Promise<void> => void (await records.return(undefined));
  const looked =
    source.header === null ? findHeader(records, options, isHeader) : { header: null, titles: [], waiting: [] };
  const found = await Promise.resolve(looked).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  if (found === null) {
    await close();
    return emptyFile(sheet);
  }
  const { header, titles, waiting } = found;
  const columns = header === null ? widest(waiting) : header.cells.length;
  source.expectColumns(columns);
  const skipped = [...titles, ...(header === null ? [] : [header])];
  const skippedLines = source.skipped + skipped.reduce((sum, { lines }) => sum + lines, 0);
  const totals: FileTotals = { lines: skippedLines, skipped: skippedLines, continued: 0, records: 0, blank: 0 };
  return {
    kind,
    encoding,
    samples,
    sheet,
    header:
      header === null
        ? (source.header?.slice() ?? Array.from({ length: columns }, (_, index) => String(index + 1)))
        : header.cells.map((name) => name.trim()),
    headerLine: header?.line ?? null,
    totals,
    records: counted(waiting, records, totals),
    [Symbol.asyncDispose]: close,
  };
}

/** Of several sheets, another one may have the people. */
function emptyFile(sheet: FoundSheet | null): null {
  if (sheet === null || sheet.names.length === 1) return null;
  const others = sheet.names.flatMap((name, index) => (index === sheet.number - 1 ? [] : `${index + 1} ${name}`));
  throw invalidRequest({
    sheet: [`Sheet ${sheet.number}, ${sheet.name}, is empty; choose another one: ${others.slice(0, 50).join(", ")}.`],
  });
}

async function* counted(
  waiting: FileRecord[],
  records: AsyncGenerator<FileRecord[]>,
  totals: FileTotals,
): AsyncGenerator<FileRecord[]> {
  const count = (batch: FileRecord[]): FileRecord[] => {
    for (const { lines } of batch) {
      totals.lines += lines;
      totals.continued += lines - 1;
    }
    totals.records += batch.length;
    const filled = batch.filter((record) => !isBlank(record));
    totals.blank += batch.length - filled.length;
    return filled;
  };
  try {
    if (waiting.length > 0) yield count(waiting);
    for await (const batch of records) yield count(batch);
  } finally {
    await records.return(undefined);
  }
}

function widest(records: readonly FileRecord[]): number {
  return records.reduce((width, { cells }) => Math.max(width, cells.length), 1);
}

async function openSource(file: FileSource, country: string, options: ReadOptions): Promise<RecordSource | null> {
  const head = await firstBytes(file);
  if (head.length === 0) return null;
  if (kindOfBytes(head) === "xlsx") return openXlsx(file, options.sheet);
  const found =
    options.encoding === undefined
      ? await findEncoding(file, country, options.mayGuess)
      : { encoding: options.encoding, samples: [] };
  const text = decoderOf(found.encoding).decode(head);
  const kind = kindOfText(text);
  if (kind === "vcard") return openVcard(file, found);
  return openCsv(file, found, options.quotes ?? "csv");
}

async function firstBytes(file: FileSource): Promise<Buffer> {
  for await (const chunk of bytesOf(file)) return chunk;
  return Buffer.alloc(0);
}

/** Streams the rows of a CSV file, in any common encoding and with any common delimiter. */
import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { invalidRequest, type Problem } from "#src/core/problem.ts";
import { detectDelimiter, detectEncoding, type FileSource, readText } from "./table-text.ts";

export interface Row {
  /** Line number at which the row ends, counted from 1. */
  line: number;
  cells: string[];
}

const HEADER_LENGTH_MAX = 64 * 1024;
/** A quotation mark that is never closed makes one row of the rest of the file. */
const ROW_LENGTH_MAX = 1024 * 1024;

/** Skips empty lines. Rows may have more or fewer cells than the header. Throws `invalid_request`. */
export async function* readRows(file: FileSource): AsyncGenerator<Row> {
  const encoding = await detectEncoding(file);
  let header = "";
  for await (const text of readText(file, encoding)) {
    header += text;
    if (/[\r\n]/.test(header) || header.length > HEADER_LENGTH_MAX) break;
  }
  const parser = parse({
    delimiter: detectDelimiter(header.split(/[\r\n]/, 1)[0] ?? ""),
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    info: true,
    max_record_size: ROW_LENGTH_MAX,
  });
  const source = Readable.from(readText(file, encoding), { objectMode: false });
  source.on("error", (error) => parser.destroy(error));
  source.pipe(parser);
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      yield { line: info.lines, cells: record };
    }
  } catch (error) {
    throw error instanceof CsvError ? unreadable(error) : error;
  }
}

function unreadable({ code, lines }: CsvError): Problem {
  const what =
    code === "CSV_MAX_RECORD_SIZE"
      ? `a row has over ${ROW_LENGTH_MAX / 1024 / 1024} MB; perhaps a quotation mark is not closed`
      : "a quotation mark is not closed, or the row cannot be read";
  return invalidRequest({ file: [`Up to line ${String(lines)}: ${what}.`] });
}

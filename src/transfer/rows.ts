/** Streams the rows of a CSV file, in any common encoding and with any common delimiter. */
import { Readable } from "node:stream";
import { parse } from "csv-parse";
import { detectDelimiter, detectEncoding, type FileSource, readText } from "./table-text.ts";

export interface Row {
  /** Line number at which the row ends, counted from 1. */
  line: number;
  cells: string[];
}

const HEADER_LENGTH_MAX = 64 * 1024;

/** Skips empty lines. Rows may have more or fewer cells than the header. */
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
  });
  const source = Readable.from(readText(file, encoding), { objectMode: false });
  source.on("error", (error) => parser.destroy(error));
  source.pipe(parser);
  for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
    yield { line: info.lines, cells: record };
  }
}

/** A CSV file as records: its text, the delimiter that its first lines show, and its rows. */
import { type FileSource, textOfFile } from "./bytes.ts";
import { areWrapped, CsvReader, findBackslashes, findDelimiter, separatorIn, unwrapped } from "./csv.ts";
import type { FoundEncoding } from "./encoding.ts";
import { type Line, splitLines } from "./lines.ts";
import type { FileRecord, Quotes, RecordSource } from "./record.ts";

const HEADER_LENGTH_MAX = 64 * 1024;
const JUDGED_LINES = 200;

export async function openCsv(
  file: FileSource,
  { encoding, samples }: FoundEncoding,
  quotes: Quotes,
): Promise<RecordSource> {
  const lines = splitLines(textOfFile(file, encoding));
  const first = await firstLines(lines);
  const separator = separatorIn(first[0]?.text ?? "");
  const skipped = separator === null ? 0 : 1;
  const given = first.slice(skipped).map(({ text }) => text);
  const isWrapped = areWrapped(given);
  const judged = isWrapped ? given.map(unwrapped) : given;
  const delimiter = separator ?? findDelimiter(judged);
  const reader = new CsvReader({ delimiter, quotes, hasBackslashes: findBackslashes(judged, delimiter) });
  let isHeaderKnown = false;
  /** One record alone while the header is looked for. */
  function* batches(some: readonly Line[]): Generator<FileRecord[]> {
    let batch: FileRecord[] = [];
    for (const line of some) {
      const record = reader.read(isWrapped ? { ...line, text: unwrapped(line.text) } : line);
      if (record !== null) batch.push(record);
      if (isHeaderKnown || batch.length === 0) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }
  async function* records(): AsyncGenerator<FileRecord[]> {
    try {
      yield* batches(first.slice(skipped));
      for await (const some of lines) yield* batches(some);
      const last = reader.end();
      if (last !== null) yield [last];
    } finally {
      await lines.return(undefined);
    }
  }
  return {
    records: records(),
    expectColumns: (columns) => {
      isHeaderKnown = true;
      reader.expectColumns(columns);
    },
    header: null,
    skipped,
    kind: "csv",
    encoding,
    samples,
    sheet: null,
  };
}

async function firstLines(lines: AsyncGenerator<Line[]>): Promise<Line[]> {
  const first: Line[] = [];
  let length = 0;
  while (first.length < JUDGED_LINES && length <= HEADER_LENGTH_MAX) {
    const { value, done } = await lines.next();
    if (done === true) break;
    first.push(...value);
    for (const { text } of value) length += text.length;
  }
  return first;
}

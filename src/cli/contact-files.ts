/** `waxwing contact export` and `opt-out`, and what they share with `contact import`: files of people. */
import { closeSync, existsSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { visible } from "#src/core/shown-text.ts";
import { bulkOptOut } from "#src/transfer/bulk-opt-out.ts";
import { exportContacts } from "#src/transfer/export-contacts.ts";
import { FailureFile } from "#src/transfer/failure-file.ts";
import type { CountryQuestion } from "#src/transfer/foreign-numbers.ts";
import type { FileSource } from "#src/transfer/formats/bytes.ts";
import { encodings, readEncoding } from "#src/transfer/formats/encodings.ts";
import type { ReadOptions } from "#src/transfer/formats/record.ts";
import type { ChangeCount, ReasonCount } from "#src/transfer/reasons.ts";
import type { StoredRow } from "#src/transfer/table.ts";
import { type Command, command } from "./command.ts";
import type { Context, Io } from "./context.ts";
import { withDatabase } from "./database.ts";
import { CommandFailure } from "./failure.ts";
import { choice, file, number, required, text, type Values, workspaceOption } from "./option.ts";
import { lines, list } from "./output.ts";
import { UsageError } from "./usage-error.ts";

export const FAILURES = ".errors.csv";
export const source = required(file("FILE", "The file", { as: "read", beside: { [FAILURES]: "keep" } }));

/** How a file is read, where it should not be found out. */
export const readOptions = {
  encoding: text("E", "Encoding of the text, such as windows-1251 (default: detected)"),
  quotes: choice(["csv", "none"], "What quotation marks are; none: characters, so every line is a row"),
  headerRow: text("N|none", "Line with the column names; none: the columns are called 1, 2, …"),
  sheet: number("N", "Number of the sheet of a workbook (default: the first one)"),
};

export const fileCommands: readonly Command[] = [
  command(
    "contact export",
    "Export all contacts as CSV",
    {
      workspace: workspaceOption,
      file: file("FILE", "Target file (default: stdout); required with --json", { as: "fill" }),
    },
    (context, values) => {
      if (context.options.json && values.file === undefined) {
        throw new UsageError("with --json the CSV needs its own file: add --file FILE");
      }
      return withDatabase(context, "read", async ({ store }) => {
        const { file: path } = values;
        if (path === undefined) {
          await exportContacts(store, values.workspace, (text) => context.io.out(text));
          return null;
        }
        const handle = context.files.handleOf(path) ?? openSync(path, "w", 0o600);
        ftruncateSync(handle);
        try {
          const contacts = await exportContacts(store, values.workspace, (text) => void writeSync(handle, text));
          return { json: { contacts, file: path }, text: `Exported ${contacts} contacts to ${path}.` };
        } finally {
          closeSync(handle);
        }
      });
    },
  ),
  command(
    "contact opt-out",
    {
      summary: "Opt out every person in a file",
      details:
        "The file is a CSV with a phone column, or has one number per line. A person who has already opted out keeps the\nfirst date.",
    },
    { workspace: workspaceOption, file: source, ...readOptions },
    (context, values) => {
      const handle = requireFile(context, values.file);
      return withDatabase(context, "write", async ({ store }) => {
        const failures = failuresOf(context, values.file);
        try {
          const counters = await bulkOptOut(
            { store, clock: context.io.clock },
            values.workspace,
            values.file,
            (line, cells, reason) => failures.add(line, cells, reason),
            handle,
            readReadOptions(values),
          );
          // On disk before the report says that it is there.
          failures.close();
          return { ...describeReport(counters, failures), exitCode: counters.failed === 0 ? 0 : 1 };
        } finally {
          failures.abandon();
        }
      });
    },
  ),
];

/** The file to read: its path, or the handle that root opened. */
export function requireFile({ files }: Context, path: string): FileSource {
  if (files.isThere(path) ?? existsSync(path)) return files.handleOf(path) ?? path;
  throw new CommandFailure("unreadable_file", `there is no file ${path}`, "check the path");
}

function failuresOf({ files }: Context, path: string): FailureFile {
  return new FailureFile(path + FAILURES, files.handleOf(path + FAILURES));
}

export function readReadOptions(given: Values<typeof readOptions>): ReadOptions {
  const { encoding: name, quotes, headerRow: row, sheet } = given;
  const encoding = name === undefined ? undefined : readEncoding(name);
  if (encoding === null) throw new UsageError(`--encoding is one of ${encodings.join(", ")}`);
  const headerRow = row === undefined || row === "none" ? row : Number(row);
  if (typeof headerRow === "number" && !(Number.isSafeInteger(headerRow) && headerRow > 0)) {
    throw new UsageError("--header-row is the number of a line, or none");
  }
  return { encoding, quotes, headerRow, sheet };
}

/** Counters in their order, then the reasons in words, the most frequent first. */
export function describeReport(
  report: object & {
    import_id?: number;
    reasons: readonly ReasonCount[];
    omitted?: readonly ReasonCount[];
    changes?: readonly ChangeCount[];
    question?: CountryQuestion | null;
    stored?: readonly StoredRow[];
  },
  failures: FailureFile,
): { json: object; text: string } {
  const errors = failures.count === 0 ? {} : { errors_file: failures.path };
  const { reasons, omitted = [], changes = [], stored = [], question: _, ...counters } = { ...report, ...errors };
  const sentence =
    (unit: string) =>
    ({ reason, rows, example_line: line, lines: at = [line], fix }: ReasonCount) =>
      `${rows} ${rows === 1 ? unit : `${unit}s`}: ${reason}; ${fix} (${at.length === 1 ? "line" : "lines"} ${at.join(", ")})`;
  const text = lines(
    list(counters as Record<string, string | number | null>),
    reasons.map(sentence("row")),
    omitted.map(sentence("cell")),
    changes.map(({ change, rows, example_line: line }) => `${rows} changed: ${change} (line ${line})`),
    stored.length > 0 && ["The first rows as they would be stored:", ...stored.map(sayStored)],
  );
  return { json: { ...report, ...errors }, text };
}

function sayStored({ line, values, problems }: StoredRow): string {
  const shown = Object.entries(values ?? {}).map(([target, value]) => `${target}: ${visible(value)}`);
  const skipped = problems.map((says) => `${values === null ? "refused" : "skipped"}: ${visible(says)}`);
  return `line ${line}  ${[...shown, ...skipped].join(" | ")}`;
}

export function progress(io: Io, text: string): void {
  if (io.isTerminal) io.err(`\r${text}`);
}

export function endProgress(io: Io): void {
  if (io.isTerminal) io.err("\n");
}

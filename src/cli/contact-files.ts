/** `waxwing contact import`, `export` and `opt-out`: files of people. */
import { closeSync, existsSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { isCountry } from "#src/core/phone.ts";
import { visible } from "#src/core/shown-text.ts";
import { CONSENT_TERMS_MAX } from "#src/domain/contacts/consent-log.ts";
import { bulkOptOut } from "#src/transfer/bulk-opt-out.ts";
import { exportContacts } from "#src/transfer/export-contacts.ts";
import { FailureFile } from "#src/transfer/failure-file.ts";
import type { CountryQuestion } from "#src/transfer/foreign-numbers.ts";
import type { FileSource } from "#src/transfer/formats/bytes.ts";
import { encodings, readEncoding } from "#src/transfer/formats/encodings.ts";
import type { FoundSheet, ReadOptions } from "#src/transfer/formats/record.ts";
import { importContacts } from "#src/transfer/import-contacts.ts";
import type { ChangeCount, ReasonCount } from "#src/transfer/reasons.ts";
import type { StoredRow } from "#src/transfer/table.ts";
import { type Command, command } from "./command.ts";
import type { Context, Io } from "./context.ts";
import { withDatabase } from "./database.ts";
import { CommandFailure, UsageError } from "./failure.ts";
import { choice, file, flag, number, positional, required, text, workspaceOption } from "./option.ts";
import { list } from "./output.ts";

const FAILURES = ".errors.csv";
const source = required(file("FILE", "The file", { as: "read", beside: { [FAILURES]: "make" } }));

/** How a file is read, where it should not be found out. */
const readOptions = {
  encoding: text("E", "Encoding of the text, such as windows-1251 (default: detected)"),
  quotes: choice(["csv", "none"], "What quotation marks are; none: characters, so every line is a row"),
  headerRow: text("N|none", "Line with the column names; none: the columns are called 1, 2, …"),
  sheet: number("N", "Number of the sheet of a workbook (default: the first one)"),
};

export const fileCommands: readonly Command[] = [
  command(
    "contact import",
    {
      summary: "Import contacts from a CSV file",
      details:
        "Encoding, delimiter and columns are detected; --map overrides the columns. Importing the same file again changes\nnothing. A cell that cannot be read is skipped, and the rest of its row is imported. Refused rows and those with\nskipped cells are written to FILE.errors.csv. Kind, encoding, delimiter, header and columns are detected; what is not\nclear is refused with the option that decides it. Consent is recorded only with\n--consent, and never lifts an opt-out.",
    },
    {
      file: positional(source),
      workspace: workspaceOption,
      map: text("COL=FIELD,…", "Fields: phone, name, city, tags, fields.KEY …; - ignores the column"),
      consent: choice(["opted_in"], "Every person in the file has agreed to receive messages"),
      dryRun: flag("Check every row without changing anything"),
      badCells: choice(
        ["skip", "refuse"],
        "A cell that cannot be read, but not a phone number or user id: skip it (default) or refuse its row",
      ),
      skipBadCells: flag("The same as --bad-cells skip"),
      dates: choice(
        ["dmy", "mdy", "ymd"],
        "Order of day, month and year in dates (default: by all dates of the file, else the country)",
      ),
      purpose: text("TEXT", "What the people whom the file opts in agreed to (default: column consent_purpose)"),
      notice: text("TEXT", "What they were shown, or its version (default: column consent_notice)"),
      country: text("CC", "Country of numbers without a country code, such as DE (default: the workspace's)"),
      ...readOptions,
    },
    (context, values) => {
      const handle = requireFile(context, values.file);
      const phoneCountry = readPhoneCountry(values.country);
      const map = readMap(values.map);
      const reading = readReadOptions(values, "contact import");
      return withDatabase(context, "write", async ({ store, lockServer }) => {
        const failures = failuresOf(context, values.file);
        try {
          const report = await importContacts({
            store,
            clock: context.io.clock,
            workspaceId: values.workspace,
            path: values.file,
            file: handle,
            map,
            optIn: values.consent !== undefined,
            evidence: { file: values.file, ...readTerms(values) },
            skipsBadCells: values.badCells !== "refuse",
            reading,
            dates: values.dates,
            phoneCountry,
            isDryRun: values.dryRun,
            isServerRunning: () => {
              const lock = lockServer();
              lock?.release();
              return lock === null;
            },
            onProgress: ({ rows, failed }) => progress(context.io, `${rows} rows, ${failed} failed`),
            onFound: ({ header, sheet, question, mapping: { ignored } }) => {
              if (sheet !== null) context.io.err(`${describeSheet(sheet)}\n`);
              if (question !== null) throw countryNeeded(question);
              failures.header = header;
              if (ignored.length > 0) context.io.err(`ignored columns: ${visible(ignored.join(", "))}\n`);
            },
            onFailure: (line, cells, reason) => failures.add(line, cells, reason),
          });
          endProgress(context.io);
          return describeReport(report, failures);
        } finally {
          failures.close();
        }
      });
    },
  ),
  command(
    "contact export",
    "Export all contacts as CSV",
    {
      workspace: workspaceOption,
      file: file("FILE", "Target file (default: stdout); required with --json", { as: "fill" }),
    },
    (context, values) => {
      if (context.options.json && values.file === undefined) {
        throw new UsageError("with --json the CSV needs its own file: add --file FILE", "contact export");
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
            readReadOptions(values, "contact opt-out"),
          );
          const result = describeReport(counters, failures);
          return counters.failed === 0 ? result : { ...result, exitCode: 1 };
        } finally {
          failures.close();
        }
      });
    },
  ),
];

/** The file to read: its path, or the handle that root opened. */
function requireFile({ files }: Context, path: string): FileSource {
  if (files.isThere(path) ?? existsSync(path)) return files.handleOf(path) ?? path;
  throw new CommandFailure("unreadable_file", `there is no file ${path}`, "check the path");
}

function failuresOf({ files }: Context, path: string): FailureFile {
  return new FailureFile(path + FAILURES, files.handleOf(path + FAILURES));
}

interface GivenReadOptions {
  encoding: string | undefined;
  quotes: "csv" | "none" | undefined;
  headerRow: string | undefined;
  sheet: number | undefined;
}

function readReadOptions(given: GivenReadOptions, usage: string): ReadOptions {
  const { encoding: name, quotes, headerRow: row, sheet } = given;
  const encoding = name === undefined ? undefined : readEncoding(name);
  if (encoding === null) throw new UsageError(`--encoding is one of ${encodings.join(", ")}`, usage);
  const headerRow = row === undefined || row === "none" ? row : Number(row);
  if (typeof headerRow === "number" && !(Number.isSafeInteger(headerRow) && headerRow > 0)) {
    throw new UsageError("--header-row is the number of a line, or none", usage);
  }
  return { encoding, quotes, headerRow, sheet };
}

function readTerms({ purpose, notice }: { purpose: string | undefined; notice: string | undefined }): object {
  const terms = Object.entries({ purpose, notice }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text.trim()] as const],
  );
  for (const [name, text] of terms) {
    const longest = CONSENT_TERMS_MAX[name as keyof typeof CONSENT_TERMS_MAX];
    if (text === "" || text.length > longest) {
      throw new UsageError(`--${name} is a text of 1 to ${longest} characters`, "contact import");
    }
  }
  return Object.fromEntries(terms);
}

function readPhoneCountry(country: string | undefined): string | undefined {
  const code = country?.toUpperCase();
  if (code !== undefined && !isCountry(code)) {
    throw new UsageError(`--country is a country such as DE, not "${visible(code)}"`, "contact import");
  }
  return code;
}

function describeSheet({ number, name, names }: FoundSheet): string {
  const others = names.length === 1 ? "" : `, ${number} of ${names.length}; another one with --sheet`;
  return `sheet: ${visible(name)}${others}`;
}

function countryNeeded({ choices, example, example_line: line }: CountryQuestion): CommandFailure {
  const options = choices.map((country) => `--country ${country}`).join(" or ");
  return new CommandFailure(
    "country_unclear",
    `the file has numbers of ${choices.join(" and ")}, and ${visible(example)} in line ${line} may be of either; nothing was imported`,
    `say in which country numbers without a country code are, with ${options}, or add a column "country"`,
  );
}

/** Counters in their order, then the reasons in words, the most frequent first. */
function describeReport(
  report: object & {
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
    ({ reason, rows, example_line: line, fix }: ReasonCount) =>
      `${rows} ${rows === 1 ? unit : `${unit}s`}: ${reason}; ${fix} (line ${line})`;
  const lines = [
    list(counters as Record<string, string | number | null>),
    ...reasons.map(sentence("row")),
    ...omitted.map(sentence("cell")),
    ...changes.map(({ change, rows, example_line: line }) => `${rows} changed: ${change} (line ${line})`),
    ...(stored.length === 0 ? [] : ["The first rows as they would be stored:", ...stored.map(sayStored)]),
  ];
  return { json: { ...report, ...errors }, text: lines.join("\n") };
}

function sayStored({ line, values, problems }: StoredRow): string {
  const shown = Object.entries(values ?? {}).map(([target, value]) => `${target}: ${visible(value)}`);
  const skipped = problems.map((says) => `${values === null ? "refused" : "skipped"}: ${visible(says)}`);
  return `line ${line}  ${[...shown, ...skipped].join(" | ")}`;
}

/** `COL=FIELD,COL=FIELD` */
function readMap(text: string | undefined): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const pair of text?.split(",") ?? []) {
    const at = pair.lastIndexOf("=");
    if (at < 1)
      throw new UsageError(`--map is a list of COLUMN=FIELD, and "${pair}" is not of that form`, "contact import");
    map.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
  }
  return map;
}

function progress(io: Io, text: string): void {
  if (io.isTerminal) io.err(`\r${text}`);
}

function endProgress(io: Io): void {
  if (io.isTerminal) io.err("\n");
}

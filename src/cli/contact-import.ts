/** `waxwing contact import`: a file of people, from its start or, after an interruption, from where it stopped. */
import { resolve } from "node:path";
import { isCountry } from "#src/core/phone.ts";
import { visible } from "#src/core/shown-text.ts";
import { CONSENT_TERMS_MAX } from "#src/domain/workspaces/consent-terms.ts";
import type { CountryQuestion } from "#src/transfer/foreign-numbers.ts";
import { sha256Of } from "#src/transfer/formats/bytes.ts";
import type { FoundSheet } from "#src/transfer/formats/record.ts";
import { importContacts } from "#src/transfer/import-contacts.ts";
import { ImportRun } from "#src/transfer/import-run.ts";
import {
  changeImport,
  createCommandImport,
  findCommandImport,
  listUnfinishedCommandImports,
  removeUnbegunImport,
} from "#src/transfer/imports.ts";
import type { Import } from "#src/transfer/table.ts";
import { command } from "./command.ts";
import {
  describeReport,
  endProgress,
  FAILURES,
  progress,
  readOptions,
  readReadOptions,
  requireFile,
  source,
} from "./contact-files.ts";
import type { Context } from "./context.ts";
import { type Database, withDatabase } from "./database.ts";
import { CommandFailure } from "./failure.ts";
import { choice, flag, flagOf, number, positional, text, unless, type Values, workspaceOption } from "./option.ts";
import type { Report } from "./output.ts";
import { UsageError } from "./usage-error.ts";

const options = {
  file: unless("resume", positional(source)),
  workspace: unless("resume", workspaceOption),
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
  resume: number("ID", "Continue the interrupted import of this id; its file and options are kept"),
};
type Asked = Values<typeof options>;

export const importCommand = command(
  "contact import",
  {
    summary: "Import contacts from a CSV, XLSX or vCard file",
    details:
      "Kind, encoding, delimiter, header and columns are detected, and --map overrides the columns; what is not clear is\nrefused with the option that decides it. Importing the same file again changes nothing. A cell that cannot be read is\nskipped, and the rest of its row is imported. Refused rows and those with skipped cells are written to\nFILE.errors.csv. A column such as consent or status says who refuses or has opted out; consent also who has agreed.\n--consent opts in everybody of whom the file does not say no. An opt-out is never lifted. An import prints its id:\n--resume ID continues one that was interrupted, from the first row that is not imported, with its counters.",
  },
  options,
  (context, asked) => {
    const { resume } = asked;
    if (resume === undefined) {
      const plan = planOf(context, asked);
      return withDatabase(context, "write", (database) => run(context, database, plan, null));
    }
    return withDatabase(context, "write", (database) => {
      const job = requireImport(database, resume);
      return run(context, database, planOf(context, continued(asked, job)), job);
    });
  },
);

/** A checked command line. */
type Plan = ReturnType<typeof planOf>;

function planOf(context: Context, asked: Asked) {
  const { file: path = "", workspace: workspaceId = 0, resume: _, ...others } = asked;
  const given = Object.entries(others).flatMap(([property, value]) =>
    value === undefined || value === false ? [] : [[property, value] as const],
  );
  return {
    ...{ workspaceId, path, file: requireFile(context, path), given: Object.fromEntries(given) },
    phoneCountry: readPhoneCountry(asked.country),
    map: readMap(asked.map),
    reading: readReadOptions(asked),
    optIn: asked.consent !== undefined,
    terms: readTerms(asked),
    skipsBadCells: asked.badCells !== "refuse",
    dates: asked.dates,
    isDryRun: asked.dryRun,
  };
}

/** `from`: an import to continue. */
async function run(
  context: Context,
  { store, lockServer }: Database,
  plan: Plan,
  from: Import | null,
): Promise<Report> {
  const { path, file, isDryRun, terms, given, ...others } = plan;
  const job = isDryRun ? null : (from ?? (await create(store, plan)));
  if (from !== null) await requireSame(from, plan);
  const kept = { errors: path + FAILURES, handle: context.files.handleOf(path + FAILURES), failuresKept: 0 };
  const begun = job === null ? ImportRun.dry(kept) : await ImportRun.begin(store, job.id, kept);
  if (begun.errors.isIncomplete) context.io.err(`${begun.errors.path} lacks rows that were refused before\n`);
  try {
    const report = await importContacts({
      ...others,
      ...{ store, clock: context.io.clock, path, file, isDryRun },
      evidence: { file: job?.fileName ?? path, ...terms },
      record: begun,
      isServerRunning: () => {
        const lock = lockServer();
        lock?.release();
        return lock === null;
      },
      onProgress: ({ rows, failed }) => progress(context.io, `${rows} rows, ${failed} failed`),
      onFound: ({ header, sheet, question, mapping: { ignored } }) => {
        if (sheet !== null) context.io.err(`${describeSheet(sheet)}\n`);
        if (question !== null) throw countryNeeded(question);
        begun.errors.header = header;
        if (ignored.length > 0) context.io.err(`ignored columns: ${visible(ignored.join(", "))}\n`);
        if (job !== null) context.io.err(`import ${job.id}; after an interruption: --resume ${job.id}\n`);
      },
      onFailure: begun.onFailure,
    });
    endProgress(context.io);
    // On disk before the report says that it is there.
    begun.errors.close();
    if (job === null) return describeReport(report, begun.errors);
    await store.write((tx) => changeImport(tx, job.id, { state: "done" }));
    return describeReport({ import_id: job.id, ...report }, begun.errors);
  } catch (error) {
    // What was refused as a whole is not continued.
    if (job !== null) await store.write((tx) => removeUnbegunImport(tx, job.id));
    throw error;
  } finally {
    begun.errors.abandon();
  }
}

async function create(store: Database["store"], { workspaceId, path, file, given }: Plan): Promise<Import> {
  const sha256 = await sha256Of(file);
  return store.write((tx) =>
    createCommandImport(tx, workspaceId, path, { options: given, path: resolve(path), sha256 }),
  );
}

function requireImport({ store }: Database, id: number): Import {
  const job = store.read((tx) => findCommandImport(tx, id));
  if (job !== undefined) return job;
  const others = store.read(listUnfinishedCommandImports).map((one) => one.id);
  throw new CommandFailure(
    "not_found",
    `import ${id} is not one that can be continued`,
    others.length === 0 ? "import the file without --resume" : `unfinished imports: ${others.join(", ")}`,
  );
}

/** The command line of the import. What is named again must be the same; the file may have moved. */
function continued(asked: Asked, { id, workspaceId, settings: { command: given } }: Import): Asked {
  if (given === undefined) throw new Error(`import ${id} has no command line`);
  const kept: Readonly<Record<string, unknown>> = { ...given.options, workspace: workspaceId };
  const others = Object.entries(asked).filter(
    ([property, value]) =>
      ![undefined, false, kept[property]].includes(value as undefined) && !["file", "resume"].includes(property),
  );
  if (others.length > 0) {
    const names = others.map(([property]) => flagOf(property)).join(", ");
    throw new UsageError(`${names}: import ${id} was begun otherwise, and continues as it was begun`);
  }
  return { ...asked, ...given.options, workspace: workspaceId, file: asked.file ?? given.path };
}

async function requireSame({ id, settings }: Import, { path, file }: Plan): Promise<void> {
  if ((await sha256Of(file)) === settings.command?.sha256) return;
  throw new CommandFailure(
    "file_changed",
    `${path} is not the file of import ${id}: its content is another`,
    "name the file as it was, or import it without --resume: people who have not changed count as unchanged",
  );
}

function readTerms({ purpose, notice }: { purpose: string | undefined; notice: string | undefined }): object {
  const terms = Object.entries({ purpose, notice }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text.trim()] as const],
  );
  for (const [name, text] of terms) {
    const longest = CONSENT_TERMS_MAX[name as keyof typeof CONSENT_TERMS_MAX];
    if (text === "" || text.length > longest) {
      throw new UsageError(`--${name} is a text of 1 to ${longest} characters`);
    }
  }
  return Object.fromEntries(terms);
}

function readPhoneCountry(country: string | undefined): string | undefined {
  const code = country?.toUpperCase();
  if (code !== undefined && !isCountry(code)) {
    throw new UsageError(`--country is a country such as DE, not "${visible(code)}"`);
  }
  return code;
}

function describeSheet({ number: sheet, name, names }: FoundSheet): string {
  const others = names.length === 1 ? "" : `, ${sheet} of ${names.length}; another one with --sheet`;
  return `sheet: ${visible(name)}${others}`;
}

function countryNeeded({ choices, example, example_line: line }: CountryQuestion): CommandFailure {
  const choose = choices.map((country) => `--country ${country}`).join(" or ");
  return new CommandFailure(
    "country_unclear",
    `the file has numbers of ${choices.join(" and ")}, and ${visible(example)} in line ${line} may be of either; nothing was imported`,
    `say in which country numbers without a country code are, with ${choose}, or add a column "country"`,
  );
}

/** `COL=FIELD,COL=FIELD` */
function readMap(text: string | undefined): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const pair of text?.split(",") ?? []) {
    const at = pair.lastIndexOf("=");
    if (at < 1) throw new UsageError(`--map is a list of COLUMN=FIELD, and "${pair}" is not of that form`);
    map.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
  }
  return map;
}

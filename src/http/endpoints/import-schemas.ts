/** What the console sends and gets about an import, and how a stored import is shown. */
import { type Static, Type } from "@sinclair/typebox";
import { Form, Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { trimShown } from "#src/core/shown-text.ts";
import { encodings } from "#src/transfer/formats/encodings.ts";
import type { ImportPreview } from "#src/transfer/import-preview.ts";
import { fixOf, type ReasonCount } from "#src/transfer/reasons.ts";
import type { Import, ImportSettings } from "#src/transfer/table.ts";
import { timesOf } from "../times.ts";
import type { WorkspaceCall } from "./call.ts";
import { OptionalCount, OptionalText } from "./fragments.ts";
import { show } from "./show.ts";

const dateOrders = ["dmy", "mdy", "ymd"] as const;

/** What a user decides about a file; what is null or missing is detected. */
export const ImportChoices = Form({
  map: Type.Record(Type.String(), Type.String({ maxLength: 300 }), { maxProperties: 5_000 }),
  opt_in: Nullable(Type.Boolean()),
  proof: Type.String({ maxLength: 1_000 }),
  encoding: Type.Optional(Nullable(OneOf(encodings))),
  quotes: Type.Optional(OneOf(["csv", "none"])),
  /** Line of the header; 0: the file has none. */
  header_row: Type.Optional(Nullable(Type.Integer({ minimum: 0 }))),
  dates: Type.Optional(Nullable(OneOf(dateOrders))),
  /** In which numbers without a country code are read. */
  country: Type.Optional(Nullable(Type.String({ pattern: "^[A-Z]{2}$" }))),
  bad_cells: Type.Optional(OneOf(["skip", "refuse"])),
});

/** A class of reasons, how often it was met, and what the user can do about it. */
const Reason = Type.Object({
  code: Type.String(),
  reason: Type.String(),
  rows: Type.Integer(),
  example_line: Type.Integer(),
  /** The first ones. */
  lines: Type.Array(Type.Integer()),
  fix: Type.String(),
});

/** The order in which dates were read. `unclear`: dates that can be read either way were skipped. */
const DateOrderRead = OneOf([...dateOrders, "unclear"]);

/** Which country the national numbers of the file belong to; the likeliest comes first. */
const CountryQuestion = Type.Object({
  option: Type.Literal("country"),
  choices: Type.Array(Type.String()),
  example: Type.String(),
  example_line: Type.Integer(),
});

/** With the meanings of `ImportReport`. */
const ImportOutcome = Type.Object({
  lines: Type.Integer(),
  skipped_lines: Type.Integer(),
  continued: Type.Integer(),
  records: Type.Integer(),
  blank: Type.Integer(),
  rows: Type.Integer(),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer(),
  failed: Type.Integer(),
  repeated: Type.Integer(),
  changed: Type.Integer(),
  opted_in: Type.Integer(),
  opted_out: Type.Integer(),
  kept_opted_out: Type.Integer(),
  cells_left_out: Type.Integer(),
  reasons: Type.Array(Reason),
  omitted: Type.Array(Reason),
  changes: Type.Array(Type.Object({ change: Type.String(), rows: Type.Integer(), example_line: Type.Integer() })),
  kind: OneOf(["csv", "xlsx", "vcard"]),
  encoding: OptionalText,
  dates: Nullable(DateOrderRead),
  question: Nullable(CountryQuestion),
  stored: Type.Array(
    Type.Object({
      line: Type.Integer(),
      is_repeated: Type.Boolean(),
      values: Nullable(Type.Record(Type.String(), Type.String())),
      problems: Type.Array(Type.String()),
    }),
  ),
  /** The first rejected rows. */
  failures: Type.Array(Type.Object({ line: Type.Integer(), reason: Type.String() })),
});

const job = {
  id: Type.Integer(),
  name: Type.String(),
  state: OneOf(["given", "checking", "checked", "importing", "interrupted", "done", "failed"]),
  /** Null: not running. */
  rows_done: OptionalCount,
  choices: ImportChoices,
  outcome: Nullable(ImportOutcome),
  error: OptionalText,
  has_errors: Type.Boolean(),
  created_at: Instant(),
};

export const ImportView = Type.Object(job);

/** What was found out about the file. */
const Found = Type.Object({
  kind: OneOf(["csv", "xlsx", "vcard"]),
  encoding: Nullable(OneOf(encodings)),
  /** More than one: the user has to choose. */
  samples: Type.Array(Type.Object({ encoding: OneOf(encodings), sample: Type.String() })),
  header_line: OptionalCount,
  dates: Nullable(Type.Object({ order: DateOrderRead, is_certain: Type.Boolean(), example: OptionalText })),
  question: Nullable(CountryQuestion),
  /** Of the first rows, those with damaged characters; those cells would be skipped. */
  damaged: Nullable(Type.Object({ rows: Type.Integer(), lines: Type.Array(Type.Integer()) })),
});

export const ImportDetail = Type.Object({
  ...job,
  /** Null while the import is running. */
  found: Nullable(Found),
  columns: Type.Array(Type.Object({ name: Type.String(), target: Type.String() })),
  rows: Type.Array(Type.Array(Type.String())),
  targets: Type.Array(Type.String()),
  /** Labels of custom fields, by target. */
  labels: Type.Record(Type.String(), Type.String()),
});

export function readChoices(choices: Static<typeof ImportChoices>): ImportSettings {
  const { map, opt_in: optIn, proof, encoding, quotes, header_row: row, dates, country, bad_cells: badCells } = choices;
  const headerRow = row === 0 ? "none" : (row ?? undefined);
  return {
    ...{ map, optIn, proof: trimShown(proof), dates: dates ?? undefined, phoneCountry: country ?? undefined },
    reading: { encoding: encoding ?? undefined, quotes, headerRow },
    skipsBadCells: badCells !== "refuse",
  };
}

function viewChoices({
  map,
  optIn,
  proof,
  reading = {},
  dates,
  phoneCountry,
  skipsBadCells,
}: ImportSettings): Static<typeof ImportChoices> {
  const { encoding = null, quotes = "csv", headerRow = null } = reading;
  return {
    ...{ map, opt_in: optIn, proof, encoding, quotes },
    header_row: headerRow === "none" ? 0 : headerRow,
    dates: dates === "unclear" ? null : (dates ?? null),
    country: phoneCountry ?? null,
    bad_cells: skipsBadCells === false ? "refuse" : "skip",
  };
}

export function viewImport(job: Import, { workspace, imports }: WorkspaceCall): Static<typeof ImportView> {
  const { id, fileName, state, settings, outcome } = job;
  const done = imports.progressOf(id);
  // Stored as running, but not running in this process: the server stopped in between.
  const isInterrupted = done === null && (state === "checking" || state === "importing");
  return show(ImportView, job, timesOf(workspace), {
    name: fileName,
    state: isInterrupted ? (state === "checking" ? "given" : "interrupted") : state,
    rows_done: done,
    choices: viewChoices(settings),
    outcome:
      outcome === null
        ? null
        : { ...outcome, reasons: outcome.reasons.map(viewReason), omitted: outcome.omitted.map(viewReason) },
    has_errors: outcome !== null && outcome.failed + outcome.cells_left_out > 0,
  });
}

export function viewFound({
  kind,
  encoding,
  samples,
  headerLine,
  dates,
  question,
  damage,
}: ImportPreview): Static<typeof Found> {
  const seen = dates === null ? null : { order: dates.order, is_certain: dates.isCertain, example: dates.example };
  return { kind, encoding, samples, header_line: headerLine, dates: seen, question, damaged: damage };
}

/** Without the options of the command. */
function viewReason(reason: ReasonCount): Static<typeof Reason> {
  return { ...reason, lines: reason.lines ?? [reason.example_line], fix: fixOf(reason.code) };
}

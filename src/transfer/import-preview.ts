/**
 * Looks at the beginning of an uploaded file, so that a person can see and correct what was found out about it before any
 * row is read for real. What is not clear is guessed here and named, instead of being refused.
 */
import { invalidRequest } from "#src/core/problem.ts";
import { showControls } from "#src/core/shown-text.ts";
import type { CustomField } from "#src/domain/contacts/table.ts";
import { type ColumnMapping, guessColumns, looksLikeHeader, nameOfTarget, requireColumns } from "./columns.ts";
import { type Damage, damageOf } from "./damaged-cell.ts";
import type { DateOrder } from "./date-cell.ts";
import { DateSurvey, dateColumns } from "./date-survey.ts";
import type { CountryQuestion } from "./foreign-numbers.ts";
import { type EncodingSample, findEncoding } from "./formats/encoding.ts";
import type { Encoding } from "./formats/encodings.ts";
import type { FileKind } from "./formats/kind.ts";
import { type OpenFile, openFile } from "./formats/open.ts";
import type { FileRecord } from "./formats/record.ts";
import { surveyFile } from "./survey.ts";
import type { ImportSettings } from "./table.ts";

export interface ImportPreview {
  kind: FileKind;
  encoding: Encoding | null;
  /** Words of the file in each encoding that fits; more than one: a person has to choose. */
  samples: EncodingSample[];
  /** Null: the file has no header. */
  headerLine: number | null;
  /** Each with its target as a mapping spells it. */
  columns: { name: string; target: string }[];
  rows: string[][];
  /** What the dates of the first rows show; null: no column has dates. */
  /** Whose national numbers the first rows may have. */
  question: CountryQuestion | null;
  dates: { order: DateOrder; isCertain: boolean; example: string | null } | null;
  /** Rows among the first ones with damaged cells, which would be skipped; the check names all of them. */
  damage: Damage | null;
}

/** The custom fields and the country of the workspace. */
export interface PreviewContext {
  fields: CustomField[];
  country: string;
}

const ROWS_SHOWN = 5;
/** Rows whose dates are looked at. */
const ROWS_READ = 500;

/** Null: the file has no rows. Throws `invalid_request` for a file that cannot be read, and for settings that do not fit. */
export async function previewImport(
  path: string,
  { fields, country }: PreviewContext,
  settings: ImportSettings,
): Promise<ImportPreview | null> {
  const { reading = {} } = settings;
  const map = new Map(Object.entries(settings.map));
  const open = await openFile(path, country, { ...reading, mayGuess: true }, (cells) =>
    looksLikeHeader(cells, new Map(), fields),
  );
  if (open === null) return null;
  const { kind, encoding, header, headerLine } = open;
  const samples =
    reading.encoding === undefined || encoding === null
      ? open.samples
      : (await findEncoding(path, country, true)).samples;
  const rows = await firstRows(open);
  const mapping = guessColumns(header, map, fields);
  const { targets } = mapping;
  return {
    ...{ kind, encoding, samples, headerLine },
    columns: header.map((name, at) => ({ name: showControls(name), target: nameOfTarget(targets[at] ?? null) })),
    rows: rows.slice(0, ROWS_SHOWN).map(({ cells }) => cells.map(showControls)),
    dates: datesOf(rows, dateColumns(mapping), country),
    damage: damageOf(rows),
    question: await askCountry(rows, mapping, country, settings),
  };
}

/**
 * The settings with every decision that the preview guessed, so that the check and the import read the file as it was
 * shown. Throws `invalid_request` where a person has to decide first.
 */
export function decidedSettings(
  { encoding, samples, headerLine, columns, dates, question }: ImportPreview,
  settings: ImportSettings,
  fields: CustomField[],
): ImportSettings {
  const { reading = {}, map, optIn } = settings;
  const names = columns.map(({ name }) => name);
  requireColumns(names, new Map(Object.entries(map)), fields);
  if (reading.encoding === undefined && samples.length > 1) {
    throw invalidRequest({ encoding: ["Choose the encoding that shows the names right."] });
  }
  const isDateOpen = dates !== null && !dates.isCertain && dates.example !== null && settings.dates === undefined;
  if (isDateOpen) throw invalidRequest({ dates: ["Choose whether the day or the month comes first."] });
  if (question !== null) throw invalidRequest({ country: ["Choose the country of numbers without a country code."] });
  if (optIn === null) throw invalidRequest({ opt_in: ["Choose whether they agreed."] });
  const decided = { encoding: encoding ?? undefined, headerRow: headerLine ?? ("none" as const) };
  return { ...settings, reading: { ...reading, ...decided } };
}

function datesOf(rows: readonly FileRecord[], columns: readonly number[], country: string): ImportPreview["dates"] {
  if (columns.length === 0) return null;
  const survey = new DateSurvey(columns);
  survey.add(rows);
  const { example, isCertain } = survey;
  return { order: survey.orderIn(country), isCertain, example };
}

async function askCountry(
  rows: FileRecord[],
  mapping: ColumnMapping,
  country: string,
  { phoneCountry }: ImportSettings,
): Promise<CountryQuestion | null> {
  if (phoneCountry !== undefined) return null;
  async function* records(): AsyncGenerator<FileRecord[]> {
    yield rows;
  }
  const open = async () => ({ records: records() });
  const { doubts } = await surveyFile(open, { mapping, country }, { dates: "unclear", isCountryGiven: false });
  return doubts.question;
}

async function firstRows({ records }: OpenFile): Promise<FileRecord[]> {
  const rows: FileRecord[] = [];
  for await (const some of records) {
    rows.push(...some);
    if (rows.length >= ROWS_READ) break;
  }
  return rows.slice(0, ROWS_READ);
}

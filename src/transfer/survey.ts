/**
 * Reads a whole file once before its rows are imported, because one row decides how another is read: 31/12 proves the
 * order of every date, a "no" holds for each row of its person, and international numbers say from where the national
 * ones are.
 */
import type { ColumnMapping } from "./columns.ts";
import { readCountry } from "./countries.ts";
import type { DateOrder } from "./date-cell.ts";
import { DateSurvey, dateColumns } from "./date-survey.ts";
import { ForeignNumbers, type NumberDoubts } from "./foreign-numbers.ts";
import { isEmptyCell } from "./formats/looks.ts";
import type { OpenFile } from "./formats/open.ts";
import type { FileRecord } from "./formats/record.ts";
import { type RowContext, readNames } from "./row.ts";
import { namesOf } from "./row-number.ts";
import { SeenPeople } from "./seen-people.ts";

interface Survey {
  order: DateOrder;
  /** The people of whom a row says no. */
  refused: SeenPeople;
  doubts: NumberDoubts;
  /** Most rows have more cells than the header. */
  hasNameless: boolean;
}

type SurveyContext = Pick<RowContext, "mapping" | "country">;

/** What a person has decided is not looked for. */
interface Decided {
  dates: DateOrder | undefined;
  isCountryGiven: boolean;
}

/** `open` is called once, and again if the countries of numbers are in doubt. */
export async function surveyFile(
  open: () => Promise<Pick<OpenFile, "records"> | null>,
  context: SurveyContext,
  { dates, isCountryGiven }: Decided,
): Promise<Survey> {
  const { mapping, country } = context;
  const days = new DateSurvey(dates === undefined ? dateColumns(mapping) : []);
  const refusals = new RefusalSurvey(context);
  const numbers = new NumberSurvey(context, isCountryGiven);
  let [rows, longer] = [0, 0];
  const file = await open();
  for await (const records of file?.records ?? []) {
    days.add(records);
    refusals.add(records);
    numbers.add(records);
    rows += records.length;
    for (const { cells } of records) if (isLonger(cells, mapping.targets.length)) longer += 1;
  }
  // The other countries are known: weigh the national numbers between them.
  const again = numbers.isInDoubt ? await open() : null;
  for await (const records of again?.records ?? []) {
    numbers.weigh(records);
    if (numbers.isDecided) break;
  }
  return {
    order: dates ?? days.orderIn(country),
    refused: refusals.people,
    doubts: numbers.doubts,
    hasNameless: longer * 2 > rows,
  };
}

/** Whether a row has content behind the columns of the header. */
export function isLonger(cells: readonly string[], columns: number): boolean {
  return cells.length > columns && !cells.slice(columns).every(isEmptyCell);
}

class RefusalSurvey {
  readonly people = new SeenPeople();
  readonly #context: SurveyContext;
  /** The context without any other column. */
  readonly #ofConsent: SurveyContext;
  readonly #columns: readonly number[];

  constructor(context: SurveyContext) {
    const { mapping } = context;
    this.#context = context;
    // A state may hold a word of refusal.
    const targets = mapping.targets.map((target) => {
      const isState = target?.to === "profile" && target.field === "state";
      return target?.to === "consent" || isState ? target : null;
    });
    this.#columns = targets.flatMap((target, at) => (target === null ? [] : at));
    this.#ofConsent = { ...context, mapping: { ...mapping, targets, countryColumn: null } };
  }

  add(records: readonly FileRecord[]): void {
    if (this.#columns.length === 0) return;
    for (const { cells } of records) {
      if (this.#isRefusal(cells)) {
        for (const { phone, userId } of namesOf(this.#context, cells)) this.people.add(phone, userId);
      }
    }
  }

  #isRefusal(cells: readonly string[]): boolean {
    if (this.#columns.every((at) => isEmptyCell(cells[at] ?? ""))) return false;
    const { consent } = readNames(this.#ofConsent, cells);
    return consent === "no" || consent === "out";
  }
}

class NumberSurvey {
  readonly #numbers: ForeignNumbers;
  readonly #phones: readonly number[];
  readonly #countryColumn: number | null;

  constructor({ mapping, country }: SurveyContext, isCountryGiven: boolean) {
    this.#numbers = new ForeignNumbers(country);
    this.#phones = isCountryGiven ? [] : columnsOfPhones(mapping);
    this.#countryColumn = isCountryGiven ? null : mapping.countryColumn;
  }

  add(records: readonly FileRecord[]): void {
    for (const { cells } of records) {
      for (const at of this.#phones) this.#numbers.count(cells[at] ?? "");
      if (this.#countryColumn !== null) this.#numbers.countCountry(cells[this.#countryColumn] ?? "");
    }
  }

  get isInDoubt(): boolean {
    return !this.#numbers.isEmpty;
  }

  get isDecided(): boolean {
    return this.#numbers.isDecided;
  }

  get doubts(): NumberDoubts {
    return this.#numbers.doubts();
  }

  /** A row that names its country is decided. */
  weigh(records: readonly FileRecord[]): void {
    for (const { cells, line } of records) {
      const country = this.#countryColumn === null ? null : readCountry(cells[this.#countryColumn] ?? "");
      if (country === null) for (const at of this.#phones) this.#numbers.weigh(cells[at] ?? "", line);
    }
  }
}

function columnsOfPhones({ targets }: ColumnMapping): number[] {
  return targets.flatMap((target, at) => (target?.to === "phone" ? at : []));
}

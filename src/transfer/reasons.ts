/**
 * Why rows of a file are refused, cells are skipped and numbers are changed: classes, each with the words for people
 * and the way to mend it. A report counts them, so that a file with 200,000 bad rows has a few lines of reasons.
 */

import { changes } from "./phone-damage.ts";

interface ReasonClass {
  says: string;
  /** What the person who has the file can do. */
  fix: string;
  /** What the command's user can do instead, with its option. */
  orElse?: string;
}

/** One class for each refused row: that of its phone number, else the first one. */
export const refusals = {
  no_phone: { says: "the row has no phone number", fix: "add the number, or remove the row" },
  not_a_number: { says: "the phone cell is not a phone number", fix: "correct the number" },
  excel_shortened: {
    says: "Excel shortened the number, and its last digits are lost",
    fix: "format the column as text and export again",
  },
  excel_error: {
    says: "the spreadsheet shows an error instead of the number",
    fix: "correct the formula or widen the column, and export again",
  },
  whatsapp_group: { says: "the cell is a group of WhatsApp, not a person", fix: "remove the row" },
  hidden_digits: { says: "digits of the number are hidden", fix: "export the whole numbers" },
  placeholder: { says: "the number is a placeholder", fix: "write the person's number, or remove the row" },
  no_area_code: {
    says: "the number has no area code or is too short",
    fix: "add the area code, or + and the country code",
  },
  other_country: {
    says: "the number may be another country's national number",
    fix: "write it with + and its country code",
    orElse: "choose the country with --country",
  },
  bad_user_id: { says: "the user id cannot be read", fix: "correct it; one has the form US.13491208655302741918" },
  bad_cell: { says: "a cell cannot be read", fix: "correct the cell", orElse: "import with --bad-cells skip" },
  quotes_swallow: {
    says: "a quoted cell holds line breaks that look like rows",
    fix: "close the quotation mark",
    orElse: "read quotation marks as characters with --quotes none",
  },
  quotes_open: {
    says: "a quotation mark is not closed",
    fix: "close the quotation mark",
    orElse: "read quotation marks as characters with --quotes none",
  },
  more_cells: {
    says: "the row has more cells than the header",
    fix: "put text that holds the delimiter in quotation marks",
  },
  card_broken: { says: "the lines are no complete card", fix: "export the contacts again" },
  row_too_long: { says: "the row has over 1 MB", fix: "remove the row, or close its quotation mark" },
} as const satisfies Record<string, ReasonClass>;

export type Refusal = keyof typeof refusals;

/** Cells that are skipped; what is stored in their place stays. */
const omissions = {
  shifted: {
    says: "the row has more cells than the header, so only its number is read",
    fix: "put text that holds the delimiter in quotation marks",
  },
  bad_email: { says: "the e-mail address cannot be read", fix: "correct the address" },
  bad_date: { says: "the date cannot be read", fix: "write it as 1990-02-28, or as --02-28 without a year" },
  no_such_day: { says: "the day does not exist", fix: "write a day of the calendar, such as 1990-02-28" },
  bad_field: { says: "the value does not fit its field", fix: "correct the value, or the kind of the field" },
  damaged: {
    says: "characters of the cell are damaged",
    fix: "correct the cell, or export the file again as UTF-8",
    orElse: "choose another encoding with --encoding",
  },
  too_long: { says: "the text is too long", fix: "shorten it" },
  no_person_name: { says: "a further person has no name", fix: "add the name" },
  bad_group: { says: "the group cannot be filled by hand", fix: "name a static group" },
} as const satisfies Record<string, ReasonClass>;

export type Omission = keyof typeof omissions;

/** What is wrong with a row or a cell. */
export interface RowProblem<Reason extends Refusal | Omission = Refusal | Omission> {
  reason: Reason;
  /** A sentence about this row, which names the column's target. */
  says: string;
}

export function isOmission(problem: RowProblem): problem is RowProblem<Omission> {
  return problem.reason in omissions;
}

/** How many lines of a class are named. */
const LINES_NAMED = 10;

/** How often something happened, and where. */
interface Count {
  times: number;
  line: number;
  /** The next lines of it; missing: there is none. */
  further?: readonly number[];
}

/** Each class with its count. */
export type ClassCounts = readonly (readonly [string, Count])[];

/** Counts classes. */
export class ReasonCounter {
  readonly #counts: Map<string, Count>;

  constructor(counts: ClassCounts = []) {
    this.#counts = new Map([...counts].map(([reason, count]) => [reason, { ...count }]));
  }

  add(reason: string, line: number): void {
    const known = this.#counts.get(reason);
    if (known === undefined) this.#counts.set(reason, { times: 1, line });
    else addTo(known, { times: 1, line });
  }

  /** The counts with those that another one has counted after this one. */
  with(other: ReasonCounter): [string, Count][] {
    const both = new ReasonCounter(this.counts);
    for (const [reason, count] of other.#counts) {
      const known = both.#counts.get(reason);
      if (known === undefined) both.#counts.set(reason, { ...count });
      else addTo(known, count);
    }
    return both.counts;
  }

  get counts(): [string, Count][] {
    return [...this.#counts];
  }
}

function addTo(known: Count, later: Count): void {
  known.times += later.times;
  for (const line of linesOf(later)) {
    const named = linesOf(known);
    if (named.length === LINES_NAMED) return;
    // Two cells of a row are one line.
    if (named.at(-1) !== line) known.further = [...(known.further ?? []), line];
  }
}

function linesOf({ line, further = [] }: Count): number[] {
  return [line, ...further];
}

/** Of the report of an import. `rows` of all reasons together are the rows that failed. */
export interface ReasonCount {
  /** The key of the class. */
  code: string;
  reason: string;
  rows: number;
  example_line: number;
  /** The first lines of it, at most ten; missing in outcomes that were stored without it. */
  lines?: number[];
  /** With the command's options, where one helps. */
  fix: string;
}

/** Of the report of an import: how often a number was changed before it was read. */
export interface ChangeCount {
  change: string;
  rows: number;
  example_line: number;
}

export function changeCounts(counter: ReasonCounter): ChangeCount[] {
  const says: Readonly<Record<string, string>> = changes;
  return counter.counts
    .map(([change, { times, line }]) => ({ change: says[change] ?? change, rows: times, example_line: line }))
    .sort((a, b) => b.rows - a.rows);
}

/** The most frequent first. */
export function reasonCounts(counter: ReasonCounter): ReasonCount[] {
  return counter.counts
    .map(([code, count]) => {
      const { says, fix, orElse } = classOf(code);
      const whole = orElse === undefined ? fix : `${fix}, or ${orElse}`;
      return { code, reason: says, rows: count.times, example_line: count.line, lines: linesOf(count), fix: whole };
    })
    .sort((a, b) => b.rows - a.rows);
}

/** What the person who has the file can do, whether a command or the console reads it. */
export function fixOf(code: string): string {
  return classOf(code).fix;
}

function classOf(code: string): ReasonClass {
  const classes: Readonly<Record<string, ReasonClass>> = { ...refusals, ...omissions };
  return classes[code] ?? { says: code, fix: "" };
}

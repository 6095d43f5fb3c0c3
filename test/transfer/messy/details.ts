/**
 * Cells beside the number as shops write them, each with what must be stored: birthdays, e-mail addresses, consent. Written
 * from the pages about imports, without sight of the reader.
 */
import type { Chance } from "#test/fuzz/chance.ts";

type ConsentState = "opted_in" | "opted_out" | "unknown";

/** What must be stored of a row; a cell that stands for nothing, or cannot be read, leaves the value empty. */
export interface Details {
  birthday?: string;
  email?: string;
  consent?: ConsentState;
}

interface Cell {
  cell: string;
  truth: Details;
}

/** A column of a file: its header, and the next cell of it. */
export interface Column {
  header: string;
  next: (chance: Chance, row: number) => Cell;
}

const two = (value: number): string => String(value).padStart(2, "0");
const EXCEL_EPOCH_MS = Date.UTC(1899, 11, 30);
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const NO_DATE = ["", "-", "n/a", "0000-00-00", "1900-01-01", "2131-05-05", "unknown"];
const BAD_DATES = ["31/02/1990", "soon", "99/99/1999"];

type Spell = (year: number, month: number, day: number) => string;

const dayFirst: readonly Spell[] = [
  (year, month, day) => `${two(day)}/${two(month)}/${year}`,
  (year, month, day) => `${two(day)}-${two(month)}-${year}`,
  (year, month, day) => `${day}.${month}.${year}`,
];
const monthFirst: readonly Spell[] = [
  (year, month, day) => `${two(month)}/${two(day)}/${year}`,
  (year, month, day) => `${month}-${day}-${year}`,
];
/** Read alike, whatever the order of the other dates. */
const clear: readonly Spell[] = [
  (year, month, day) => `${year}-${two(month)}-${two(day)}`,
  (year, month, day) => `${year}-${two(month)}-${two(day)}T00:00:00Z`,
  (year, month, day) => `${year}/${two(month)}/${two(day)}`,
  (year, month, day) => String((Date.UTC(year, month - 1, day) - EXCEL_EPOCH_MS) / 86_400_000),
  (year, month, day) => `${day} ${MONTHS[month - 1]} ${year}`,
];

/** One order of day and month in a file, as one program writes it. The first date proves the order. */
function birthdays(chance: Chance, country: string): Column {
  const spell = chance.pick(country === "US" ? monthFirst : dayFirst);
  return {
    header: chance.pick(["Birthday", "Date of birth", "DOB", "Geburtstag", "Cumpleaños"]),
    next: (dice, row) => {
      if (row > 0 && dice.happens(0.25)) return { cell: dice.pick(NO_DATE), truth: { birthday: "" } };
      if (row > 0 && dice.happens(0.04)) return { cell: dice.pick(BAD_DATES), truth: { birthday: "" } };
      const [year, month] = [1950 + dice.below(60), 1 + dice.below(12)];
      const day = row === 0 ? 13 + dice.below(15) : 1 + dice.below(28);
      const written = (row > 0 && dice.happens(0.2) ? dice.pick(clear) : spell)(year, month, day);
      return { cell: written, truth: { birthday: `${year}-${two(month)}-${two(day)}` } };
    },
  };
}

function addresses(chance: Chance): Column {
  return {
    header: chance.pick(["Email", "E-mail Address", "Correo electrónico", "E-Mail"]),
    next: (dice, row) => {
      const address = `person${row}@example.com`;
      if (dice.happens(0.2)) return { cell: dice.pick(["", "-", "n/a"]), truth: { email: "" } };
      if (dice.happens(0.05)) return { cell: dice.pick(["no address", "asha@", "a b@c d"]), truth: { email: "" } };
      const cell = dice.pick([address, address, address, `mailto:${address}`, `Asha <${address}>`, ` ${address} `]);
      return { cell, truth: { email: address } };
    },
  };
}

/** With `--consent opted_in`: who has no "no" in the file is opted in. */
const consents: readonly { header: string; cells: readonly [cell: string, consent: ConsentState][] }[] = [
  {
    header: "Accepts Marketing",
    cells: [
      ["yes", "opted_in"],
      ["no", "unknown"],
      ["", "opted_in"],
      ["TRUE", "opted_in"],
      ["FALSE", "unknown"],
    ],
  },
  {
    header: "Unsubscribed",
    cells: [
      ["", "opted_in"],
      ["yes", "opted_out"],
      ["no", "opted_in"],
    ],
  },
  {
    header: "Consent",
    cells: [
      ["opted_in", "opted_in"],
      ["opted_out", "opted_out"],
      ["no", "unknown"],
      ["unsubscribed", "opted_out"],
    ],
  },
];

function consentColumn(chance: Chance): Column {
  const { header, cells } = chance.pick(consents);
  return {
    header,
    next: (dice) => {
      const [cell, consent] = dice.pick(cells);
      return { cell, truth: { consent } };
    },
  };
}

/** The further columns of a file, in the shares in which shops have them. */
export function columnsOf(chance: Chance, country: string): Column[] {
  const columns: Column[] = [];
  if (chance.happens(0.5)) columns.push(birthdays(chance, country));
  if (chance.happens(0.6)) columns.push(addresses(chance));
  if (chance.happens(0.35)) columns.push(consentColumn(chance));
  return columns;
}

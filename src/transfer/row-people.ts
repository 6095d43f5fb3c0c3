/** The further people of a row, from columns `person_2_name`, `person_2_birthday`, `person_2_ref` and so on. Pure. */

import type { GivenPerson } from "#src/domain/contacts/people.ts";
import { PEOPLE_MAX, PERSON_NAME_MAX, PERSON_REF_MAX } from "#src/domain/contacts/people.ts";
import { type DateOrder, describeBadDate, readDateCell } from "./date-cell.ts";
import { NO_VALUE } from "./header-names.ts";
import type { Omission, RowProblem } from "./reasons.ts";

/** A column of one further person; the contact itself is person 1. */
export interface PersonTarget {
  to: "person";
  number: number;
  part: "name" | "birthday" | "ref";
}

const COLUMN = /^person[_ ]?(\d{1,2})[_ ]?(name|birthday|ref)$/;

/** Null: it is another column. */
export function readPersonTarget(name: string): PersonTarget | null {
  const [, digits, part] = COLUMN.exec(name.trim().toLowerCase()) ?? [];
  const number = Number(digits);
  if (number < 2 || number > PEOPLE_MAX + 1) return null;
  return part === "name" || part === "birthday" || part === "ref" ? { to: "person", number, part } : null;
}

export function nameOfPersonTarget({ number, part }: PersonTarget): string {
  return `person_${number}_${part}`;
}

type PersonParts = Partial<Record<PersonTarget["part"], string>>;
export type PersonCells = Map<number, PersonParts>;

interface ReadPeople {
  people: GivenPerson[];
  omitted: RowProblem<Omission>[];
}

type DateContext = { order: DateOrder; now: number };

/** Cells that cannot be read are named; a person without a name is skipped. */
export function readPeople(cells: PersonCells, context: DateContext): ReadPeople {
  const read: ReadPeople = { people: [], omitted: [] };
  for (const [number, parts] of [...cells].sort(([a], [b]) => a - b)) readPerson(read, number, parts, context);
  return read;
}

function readPerson({ people, omitted }: ReadPeople, number: number, cells: PersonParts, context: DateContext): void {
  const omit = (reason: Omission, part: PersonTarget["part"], what: string): null => {
    omitted.push({ reason, says: `${nameOfPersonTarget({ to: "person", number, part })}: ${what}` });
    return null;
  };
  const within = (part: "name" | "ref", longest: number): string | null => {
    const text = cells[part] ?? null;
    return text !== null && text.length > longest ? omit("too_long", part, `over ${longest} characters.`) : text;
  };
  const date = cells.birthday === undefined ? "empty" : readDateCell(cells.birthday, context.order, context.now, false);
  if (cells.name === undefined || NO_VALUE.test(cells.name)) {
    if (date !== "empty" || cells.ref !== undefined) omit("no_person_name", "name", "this field is missing.");
    return;
  }
  const name = within("name", PERSON_NAME_MAX);
  if (name === null) return;
  if (date === null) {
    omitted.push(
      describeBadDate(
        nameOfPersonTarget({ to: "person", number, part: "birthday" }),
        cells.birthday ?? "",
        context.order,
      ),
    );
  }
  const birthday = date === null || date === "empty" ? null : date.date;
  people.push({ number, name, birthday, ref: within("ref", PERSON_REF_MAX) });
}

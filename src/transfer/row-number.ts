/**
 * Reads the number of a row: the first of its cells that is one, in the country of the row, of the options, or of the
 * workspace. A number that may be another one in another country is refused, not guessed.
 */
import { type E164, isMobilePhone } from "#src/core/phone.ts";
import { quote } from "#src/core/problem.ts";
import { type ContactIdentifiers, readIdentifiers } from "#src/domain/contacts/find.ts";
import { mayBeForeign, type OtherCountry } from "./foreign-numbers.ts";
import { isFiller, readPhoneCell } from "./phone-cell.ts";
import type { PhoneChange } from "./phone-damage.ts";
import { type Refusal, type RowProblem, refusals } from "./reasons.ts";
import { type ParsedRow, type RowContext, readNames } from "./row.ts";

/** Where numbers are read. */
export interface NumberContext {
  /** Of numbers without a country code, where the row names no country. */
  country: string;
  /** In which the prepared rows are looked up. */
  workspaceCountry: string;
  /** Countries whose national numbers may be in the file. */
  others: readonly OtherCountry[];
}

export const NO_IDENTIFIERS: ContactIdentifiers = { phone: null, identifiers: [] };
export const NO_PHONE: RowProblem<Refusal> = { reason: "no_phone", says: "phone: this field is missing." };
/** A number as programs write it, which needs no further look. */
const PLAIN = /^\+?\d{7,15}$/;

/**
 * Reads the first of the row's cells that is a number, and stores in the row how it was read. Null: the row has no
 * number, or one that must not be looked up as it stands.
 */
export function readNumber(row: ParsedRow, context: NumberContext): ContactIdentifiers | null {
  const { phone, otherPhones = [], prefersMobile = false } = row;
  if (phone === "") return NO_IDENTIFIERS;
  delete row.otherPhones;
  delete row.prefersMobile;
  const found = firstOf(row, [phone, ...otherPhones], prefersMobile, context);
  if (found !== null) {
    delete row.unread;
    return found;
  }
  // Of a person whom the network named by an id, the literal digits are enough.
  const isLiteral = row.unread?.reason !== "placeholder" && row.unread?.reason !== "other_country";
  if (PLAIN.test(phone) && isLiteral) return readIdentifiers(phone, context.workspaceCountry);
  if (row.userId === null) return null;
  row.phone = "";
  return NO_IDENTIFIERS;
}

/** The first cell that is a number, or the first mobile if there is one. */
function firstOf(
  row: ParsedRow,
  cells: readonly string[],
  prefersMobile: boolean,
  context: NumberContext,
): ContactIdentifiers | null {
  let kept: { read: ContactIdentifiers; phone: string; change: PhoneChange | undefined } | null = null;
  for (const [place, cell] of cells.entries()) {
    delete row.change;
    const read = readOne(row, cell, context);
    if (read === null) continue;
    if (place > 0) row.change ??= "other_column";
    if (!prefersMobile || read.phone === null || isMobilePhone(read.phone)) return read;
    kept ??= { read, phone: row.phone, change: row.change };
  }
  if (kept === null) return null;
  row.phone = kept.phone;
  if (kept.change === undefined) delete row.change;
  else row.change = kept.change;
  return kept.read;
}

/** Null: the cell is not a number, and `unread` says why. */
function readOne(row: ParsedRow, cell: string, context: NumberContext): ContactIdentifiers | null {
  const country = row.country ?? context.country;
  const others = row.country === undefined ? context.others : [];
  const plain = PLAIN.test(cell) && !isFiller(cell) ? readIdentifiers(cell, country) : NO_IDENTIFIERS;
  const reading = plain.phone === null ? readPhoneCell(cell, country) : { phone: plain.phone, change: null };
  if (!("phone" in reading)) {
    row.unread ??= whyUnread(cell, "refused" in reading ? reading.refused : null, others);
    return null;
  }
  if (mayBeForeign(cell, reading.phone, others)) {
    row.unread ??= otherCountry(cell, others);
    return null;
  }
  // Prepared rows are looked up in the workspace's country: what was read in another one is written out.
  const isAsWritten = reading.change === null && country === context.workspaceCountry;
  row.phone = isAsWritten ? cell : reading.phone;
  if (reading.change !== null) row.change = reading.change;
  return plain.phone === null ? readIdentifiers(row.phone, country) : plain;
}

function whyUnread(cell: string, refused: Refusal | null, others: readonly OtherCountry[]): RowProblem<Refusal> {
  if (refused === null) return NO_PHONE;
  if (GUESSED.includes(refused) && mayBeForeign(cell, null, others)) return otherCountry(cell, others);
  return { reason: refused, says: sayUnread(cell, refused) };
}

/** Reasons of numbers that are none in the country in which they were read. */
const GUESSED: readonly Refusal[] = ["not_a_number", "no_area_code"];

function otherCountry(cell: string, others: readonly OtherCountry[]): RowProblem<Refusal> {
  const names = others.map(({ country }) => country).join(", ");
  return {
    reason: "other_country",
    says: `phone: ${quote(cell)} may be a number of another country (${names}): write it with + and its country code, or import with --country.`,
  };
}

function sayUnread(cell: string, reason: Refusal): string {
  const says = reason === "not_a_number" ? "" : ` (${refusals[reason].says})`;
  return `phone: ${quote(cell)} is not a phone number${says}.`;
}

/** Everybody whom the cells of a row name: each number of it, and its user id. */
export function namesOf(
  context: Pick<RowContext, "mapping" | "country">,
  cells: readonly string[],
): { phone: E164 | null; userId: string | null }[] {
  const { phones, userId, country = context.country } = readNames(context, cells);
  const numbers = phones.flatMap((cell) => {
    const read = readPhoneCell(cell, country);
    return "phone" in read ? [read.phone, ...read.others] : [];
  });
  return numbers.length === 0 ? [{ phone: null, userId }] : numbers.map((phone) => ({ phone, userId }));
}

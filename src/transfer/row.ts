/** Converts one row of a file to contact changes. Pure. */

import { isUserId } from "#src/core/user-id.ts";
import { findValueProblem } from "#src/domain/contacts/custom-field.ts";
import type { GivenPerson } from "#src/domain/contacts/people.ts";
import { readProfileValue } from "#src/domain/contacts/profile.ts";
import { type ProfileKind, profileFields } from "#src/domain/contacts/profile-fields.ts";
import type { ContactChanges } from "#src/domain/contacts/put.ts";
import type { CustomField } from "#src/domain/contacts/table.ts";
import { CONSENT_TERMS_MAX } from "#src/domain/workspaces/consent-terms.ts";
import { type ColumnMapping, type ColumnTarget, nameOfTarget } from "./columns.ts";
import { readCountry } from "./countries.ts";
import { plainCell } from "./csv-line.ts";
import { isDamaged } from "./damaged-cell.ts";
import { type DateOrder, describeBadDate, readDateCell } from "./date-cell.ts";
import { isEmptyCell } from "./formats/looks.ts";
import { type ConsentColumn, NO_VALUE, NO_VALUE_LENGTH_MAX, readConsentWord } from "./header-names.ts";
import type { PhoneChange } from "./phone-damage.ts";
import type { Omission, Refusal, RowProblem } from "./reasons.ts";
import { type PersonCells, readPeople } from "./row-people.ts";

/** What a row changes; its profile and fields are always there. */
type RowChanges = ContactChanges & Required<Pick<ContactChanges, "profile" | "fields">>;

/** `out`: the person opted out. `no`: the person has not agreed. */
type ConsentWord = "out" | "no" | "yes";

export interface ParsedRow {
  /** Empty: the row has a user id alone. */
  phone: string;
  userId: string | null;
  username: string | null;
  changes: RowChanges;
  /** Further cells that may be read if `phone` cannot, the most likely first; omitted if there is none. */
  otherPhones?: string[];
  /** Of `phone` and `otherPhones` the first mobile is taken; omitted if the columns say which one is. */
  prefersMobile?: true;
  /** How the number's cell was changed before it was read. */
  change?: PhoneChange;
  /** Why the number cannot be read; the person may still be known by it. */
  unread?: RowProblem<Refusal>;
  /** What the file says about consent; omitted if it says nothing. */
  consent?: ConsentWord;
  /** Evidence of the consent that the file has. */
  evidence?: Record<string, string>;
  /** What is wrong with each cell that is skipped; omitted if there is none. */
  omitted?: RowProblem<Omission>[];
  /** Others on the number; omitted if there is none. */
  people?: GivenPerson[];
  /** Of the row's own column of countries; omitted if it names none. */
  country?: string;
}

/** Ranks of columns from which on a number may be a fixed line. */
const KIND_UNKNOWN = 2;
/** Separators of lists within a cell: characters that tag and group names rarely need. */
const LIST_SEPARATORS = /:::|[;|,]/;

/** What the rows of a file have in common. */
export interface RowContext {
  mapping: ColumnMapping;
  /** In which numbers without a country code are read, where their row does not name a country. */
  country: string;
  skipsBadCells: boolean;
  order: DateOrder;
  now: number;
}

/**
 * Parses a row. An empty cell changes nothing. Problems are sentences that name the column's target, one for each bad
 * cell. A row with problems is rejected; if `skipsBadCells`, only one that does not say who the person is.
 */
export function readRow(context: RowContext, cells: readonly string[]): ParsedRow | { problems: RowProblem[] } {
  const { skipsBadCells } = context;
  const { row, phones, refused, omitted } = readCells(context, cells);
  const [first, ...others] = phones.sort((a, b) => a.rank - b.rank);
  row.phone = first?.cell ?? "";
  if (others.length > 0) row.otherPhones = others.map(({ cell }) => cell);
  // Of a number of an unknown kind and another one, the mobile is the one that WhatsApp is on.
  if (first !== undefined && first.rank >= KIND_UNKNOWN && others.length > 0) row.prefersMobile = true;
  const isNameless = row.phone === "" && row.userId === null && refused.length === 0;
  if (isNameless) refused.push({ reason: "no_phone", says: "phone: this field is missing." });
  if (refused.length > 0 || (omitted.length > 0 && !skipsBadCells)) return { problems: [...omitted, ...refused] };
  if (omitted.length > 0) row.omitted = omitted;
  return row;
}

/** The row's cells, whether or not it is imported. */
function readCells(context: RowContext, cells: readonly string[]): Reading {
  const reading: Reading = {
    row: { phone: "", userId: null, username: null, changes: { profile: {}, fields: {} } },
    phones: [],
    refused: [],
    omitted: [],
    people: new Map(),
  };
  const business = endOfBusiness(context.mapping, cells);
  context.mapping.targets.forEach((target, index) => {
    if (target === null || (target.to === "phone" && target.end !== undefined && target.end === business)) return;
    const cell = plainCell((cells[index] ?? "").trim());
    if (isEmptyCell(cell)) return;
    if (target.to === "phone" && target.kindColumn !== undefined)
      addOfKind(reading, cell, cells[target.kindColumn] ?? "", target.rank);
    else readCell(reading, target, cell, context);
  });
  const { countryColumn } = context.mapping;
  const country = countryColumn === null ? null : readCountry(cells[countryColumn] ?? "");
  if (country !== null) reading.row.country = country;
  if (reading.people.size === 0) return reading;
  const { people, omitted } = readPeople(reading.people, context);
  reading.omitted.push(...omitted);
  if (people.length > 0) reading.row.people = people;
  return reading;
}

/** A number whose kind another column says. */
function addOfKind({ phones }: Reading, cell: string, kind: string, rank: number): void {
  if (NO_PERSON.test(kind) && !MOBILE.test(kind)) return;
  phones.push({ cell, rank: MOBILE.test(kind) ? 1 : rank });
}

/** Kinds of numbers without a person at the other end, and of mobiles. */
const NO_PERSON = /fax|pager/i;
const MOBILE = /mobil|cell|cel\b|handy|portable|móvil|movil|iphone|whatsapp|मोबाइल|جوال|ponsel/i;

/** Of a row of a log of messages, the end that is not the person. */
function endOfBusiness({ directionColumn }: ColumnMapping, cells: readonly string[]): "from" | "to" | null {
  if (directionColumn === null) return null;
  return /^\W*in/i.test(cells[directionColumn] ?? "") ? "to" : "from";
}

/** The cells that say who the person of a row is, and what the row says about consent, whatever else is wrong with it. */
export function readNames(
  context: Pick<RowContext, "mapping" | "country">,
  cells: readonly string[],
): Pick<ParsedRow, "userId" | "consent" | "country"> & { phones: string[] } {
  const targets = context.mapping.targets.map((target) => (target !== null && isOfPerson(target) ? target : null));
  const mapping = { ...context.mapping, targets };
  const { row, phones } = readCells({ ...context, mapping, skipsBadCells: true, order: "ymd", now: 0 }, cells);
  return { ...row, phones: phones.map(({ cell }) => cell) };
}

function isOfPerson(target: ColumnTarget): boolean {
  return ["phone", "user_id", "consent"].includes(target.to) || (target.to === "profile" && target.field === "state");
}

/** A row while its cells are read. */
interface Reading {
  row: ParsedRow;
  phones: { cell: string; rank: number }[];
  refused: RowProblem<Refusal>[];
  omitted: RowProblem<Omission>[];
  people: PersonCells;
}

function readCell(
  { row, phones, people, refused, omitted }: Reading,
  target: ColumnTarget,
  cell: string,
  context: RowContext,
): void {
  // Who the person is and whether they refused is read all the same: a doubtful answer never opts in.
  if (isDamaged(cell) && !isOfPerson(target)) {
    omitted.push(describeDamage(target, cell));
    return;
  }
  switch (target.to) {
    case "country":
      return;
    case "phone":
      phones.push({ cell, rank: target.rank });
      return;
    case "consent":
      addConsent(row, readConsent(target.as, cell));
      return;
    case "consent_purpose":
    case "consent_notice":
    case "consent_source":
    case "consent_at": {
      const problem = addEvidence(row, target.to, cell);
      if (problem !== null) omitted.push(problem);
      return;
    }
    case "user_id": {
      const says = `user_id: "${cell}" is not a user id; one has the form US.13491208655302741918.`;
      if (isUserId(cell)) row.userId = cell;
      else refused.push({ reason: "bad_user_id", says });
      return;
    }
    case "username":
      row.username = cell.replace(/^@/, "");
      return;
    case "profile": {
      const problem = addProfile(row, target, cell, context);
      if (problem !== null) omitted.push(problem);
      return;
    }
    case "field": {
      const { key } = target.field;
      const value = readFieldCell(target.field, cell, context);
      if (value === "") return;
      const problem = findValueProblem(target.field, value);
      if (problem === null) row.changes.fields[key] = value;
      else omitted.push({ reason: "bad_field", says: `fields.${key}: ${problem}` });
      return;
    }
    case "person":
      people.set(target.number, { ...people.get(target.number), [target.part]: cell });
      return;
    case "tags":
      row.changes.addTags = readList(cell);
      return;
    case "groups":
      row.changes.addToGroups = readList(cell);
  }
}

/** Returns what is wrong with the cell. */
function addProfile(
  row: ParsedRow,
  target: Extract<ColumnTarget, { to: "profile" }>,
  cell: string,
  context: RowContext,
): RowProblem<Omission> | null {
  const { kind, column } = profileFields[target.field];
  // "Estado" is a state and a status: a word of refusal in it says that the person refused.
  if (target.field === "state" && readConsentWord(cell) === "out") {
    addConsent(row, "out");
    return null;
  }
  if (isDamaged(cell)) return describeDamage(target, cell);
  const value = readProfileCell(kind, cell, context);
  if (value === null) return describeBadCell(target.field, kind, cell, context);
  if (value !== "") row.changes.profile[column] = value;
  return null;
}

/**
 * The row without the cells that writing refused: values of custom fields and names of groups. `refused` has sentences
 * by path, as `putContact` names it. Returns null if it names anything else.
 */
export function skipRefusedCells(
  row: ParsedRow,
  refused: Readonly<Record<string, readonly string[]>>,
): ParsedRow | null {
  const { addToGroups, ...changes } = row.changes;
  const fields = { ...changes.fields };
  const omitted = [...(row.omitted ?? [])];
  const ofGroups: string[] = [];
  for (const [path, sentences] of Object.entries(refused)) {
    if (path.startsWith("add_to_groups.")) ofGroups.push(...sentences);
    else if (path.startsWith("fields.")) {
      delete fields[path.slice("fields.".length)];
      omitted.push({ reason: "bad_field", says: `${path}: ${sentences.join(" ")}` });
    } else return null;
  }
  if (ofGroups.length === 0) return { ...row, changes: { ...row.changes, fields }, omitted };
  // The names of a cell stand or fall together: half a cell would be neither what was there nor what the file says.
  omitted.push({ reason: "bad_group", says: `groups: ${ofGroups.join(" ")}` });
  return { ...row, changes: { ...changes, fields }, omitted };
}

function describeDamage(target: ColumnTarget, cell: string): RowProblem<Omission> {
  return { reason: "damaged", says: `${nameOfTarget(target)}: "${cell}" has a damaged character.` };
}

/** `unknown` stands in our own exports. */
const NO_ANSWER = /^(?:unknown|[-–—.]+|n\/?a|null)$/i;
/** When the person agreed. */
const TIME = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}/;

function readConsent(as: ConsentColumn, cell: string): ConsentWord | null {
  const word = readConsentWord(cell);
  if (NO_ANSWER.test(cell)) return null;
  if (as === "refused") return word === "no" ? null : "out";
  // A yes is about something else, such as e-mail, and so is a status that says neither.
  if (as === "accepts" && (word === "yes" || TIME.test(cell))) return null;
  if (as === "status" && !isDamaged(cell)) return word === "yes" ? null : word;
  // An answer that cannot be read is not an agreement.
  return word ?? "no";
}

/** Returns what is wrong with the cell. */
function addEvidence(row: ParsedRow, column: `consent_${string}`, cell: string): RowProblem<Omission> | null {
  const name = column.slice("consent_".length);
  const longest = CONSENT_TERMS_MAX[name === "notice" ? "notice" : "purpose"];
  if (cell.length > longest) return { reason: "too_long", says: `${column}: over ${longest} characters.` };
  row.evidence = { ...row.evidence, [name]: cell };
  return null;
}

/** Of two columns, what is less than an agreement counts. */
function addConsent(row: ParsedRow, word: ConsentWord | null): void {
  const strictest = (["out", "no", "yes"] as const).find((one) => one === word || one === row.consent);
  if (strictest !== undefined) row.consent = strictest;
}

function readList(cell: string): string[] {
  return cell
    .split(LIST_SEPARATORS)
    .map((name) => name.trim())
    .filter((name) => name !== "" && !isNoValue(name) && !name.startsWith("* "));
}

const YES = ["true", "yes", "y", "1", "ja", "si", "sí", "sim", "oui"];
const NO = ["false", "no", "n", "0", "nein", "não", "nao", "non"];

function isNoValue(cell: string): boolean {
  return cell.length <= NO_VALUE_LENGTH_MAX && NO_VALUE.test(cell);
}

/** Empty: the cell stands for no value. Null: it cannot be read. */
function readProfileCell(kind: ProfileKind, cell: string, { order, now }: RowContext): string | null {
  if (kind !== "date" && isNoValue(cell)) return "";
  // Spreadsheets write an apostrophe before digits that are to stay as they are.
  if (kind === "text") return cell.startsWith("'") && /^'\d/.test(cell) ? cell.slice(1) : cell;
  if (kind === "email") return readProfileValue(kind, bareAddress(cell));
  const read = readDateCell(cell, order, now, false);
  return read === "empty" ? "" : (read?.date ?? null);
}

function describeBadCell(field: string, kind: ProfileKind, cell: string, context: RowContext): RowProblem<Omission> {
  if (kind === "date") return describeBadDate(field, cell, context.order);
  return { reason: "bad_email", says: `${field}: "${cell}" cannot be read.` };
}

/** `Asha <asha@example.com>`, `mailto:asha@example.com` and `asha@example.com.` as addresses. */
function bareAddress(cell: string): string {
  const [, inside] = /<([^<>]{3,254})>$/.exec(cell) ?? [];
  return (inside ?? cell)
    .trim()
    .replace(/^mailto:/i, "")
    .replace(/\.$/, "");
}

function readFieldCell({ kind }: CustomField, cell: string, { order, now }: RowContext): unknown {
  if (kind === "number") return /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
  if (kind === "date") {
    const read = readDateCell(cell, order, now, true);
    return read === "empty" ? "" : (read?.date ?? cell);
  }
  if (kind !== "boolean") return cell;
  const folded = cell.toLowerCase();
  return YES.includes(folded) ? true : NO.includes(folded) ? false : cell;
}

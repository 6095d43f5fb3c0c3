/** Maps the columns of a file to contact fields: guessed from the header, or chosen by the user. */

import { invalidRequest } from "#src/core/problem.ts";
import { mapProfile, type ProfileName, profileFields } from "#src/domain/contacts/profile-fields.ts";
import type { CustomField } from "#src/domain/contacts/table.ts";
import { COUNTRY_NAMES } from "./countries.ts";
import { looksLikePhone } from "./formats/looks.ts";
import { type FoundSheet, otherSheets } from "./formats/record.ts";
import {
  type ConsentColumn,
  consentColumnOf,
  EXTRA_NAMES,
  FIRST_BESIDE,
  foldName,
  LAST_BESIDE,
  QUALIFIERS,
  WEAK_NAMES,
  withoutNote,
} from "./header-names.ts";
import { rankOfPhone } from "./phone-names.ts";

import { nameOfPersonTarget, type PersonTarget, readPersonTarget } from "./row-people.ts";

type MessageEnd = "from" | "to";

/** The contact field that receives a column's values. */
export type ColumnTarget =
  /** The lower the rank, the more likely WhatsApp is on the number. `end`: of the messages of a log that names both ends. `kindColumn`: the position of the column that says "Mobile" or "Work fax". */
  | { to: "phone"; rank: number; end?: MessageEnd; kindColumn?: number }
  /** The country in which the row's number is read. */
  | { to: "country" }
  | { to: "consent"; as: ConsentColumn }
  | { to: "consent_purpose" }
  | { to: "consent_notice" }
  | { to: "consent_source" }
  | { to: "consent_at" }
  | { to: "user_id" }
  | { to: "username" }
  | { to: "profile"; field: ProfileName }
  | { to: "field"; field: CustomField }
  | PersonTarget
  | { to: "tags" }
  | { to: "groups" };

/** Common column names, folded to letters and digits. */
const GUESSES: Record<string, readonly string[]> = {
  // Not "userid": that is usually the file's own numbering.
  user_id: ["whatsappuserid"],
  username: ["whatsappusername"],
  consent_purpose: ["consentpurpose"],
  consent_notice: ["consentnotice"],
  consent_source: ["consentsource"],
  consent_at: ["consentat"],
  ...mapProfile(({ csvNames }, name) => [...csvNames, ...(EXTRA_NAMES[name] ?? []).map(foldName)]),
  tags: ["tags", "tag", "labels", ...(EXTRA_NAMES.tags ?? []).map(foldName)],
  groups: ["groups", "group", "lists", "list", "grupos"],
};

export interface ColumnMapping {
  /** By position; null: the column is ignored. */
  targets: (ColumnTarget | null)[];
  /** Headers of ignored columns. */
  ignored: string[];
  /** Position of the column of countries, which may be a custom field too; null: there is none. */
  countryColumn: number | null;
  /** Position of the column that says which end of a message is the person; null: the file is no log of messages. */
  directionColumn: number | null;
}

/**
 * `map` is the user's mapping, `header → target`, or `#3 → target` for the third column. A target is a contact field, `country`,
 * `user_id`, `username`, `tags`, `groups`,
 * `fields.KEY`, or `-` to ignore the column. Columns that it omits are guessed. Throws `invalid_request` for an invalid mapping, and if no
 * column is the phone number or the user id.
 */
export function mapColumns(
  header: readonly string[],
  map: ReadonlyMap<string, string>,
  fields: CustomField[],
  sheet: FoundSheet | null = null,
): ColumnMapping {
  const { targets, problems, hasName } = readColumns(header, map, fields);
  if (problems.length === 0 && !hasName) {
    problems.push(
      `No column contains the phone number; name it with --map "COLUMN=phone". The file has ${header.join(", ")}.${otherSheets(sheet)}`,
    );
  }
  if (problems.length > 0) throw invalidRequest({ map: problems });
  return mappingOf(header, targets);
}

function mappingOf(header: readonly string[], targets: ColumnMapping["targets"]): ColumnMapping {
  const countryColumn = header.findIndex(
    (name, index) =>
      targets[index]?.to === "country" || (targets[index] != null && COUNTRY_NAMES.includes(foldName(name))),
  );
  return {
    targets,
    ignored: header.filter((_, index) => targets[index] === null),
    countryColumn: countryColumn === -1 ? null : countryColumn,
    directionColumn: targets.some((target) => target?.to === "phone" && target.end !== undefined)
      ? directionIn(header)
      : null,
  };
}

/** Logs of messages, such as Twilio's, say "inbound" or "outbound-api" beside both numbers. */
function directionIn(header: readonly string[]): number | null {
  const at = header.findIndex((name) => foldName(name) === "direction");
  return at === -1 ? null : at;
}

/**
 * Of a log of messages one number of each row is the business's own: the direction tells which. Without it, neither is
 * guessed.
 */
function markMessageEnds(
  header: readonly string[],
  targets: ColumnMapping["targets"],
  explicit: readonly (string | undefined)[],
): void {
  const ends = (["from", "to"] as const).map((end) => ({
    end,
    at: header.findIndex((name, index) => foldName(name) === end && targets[index]?.to === "phone"),
  }));
  if (ends.some(({ at }) => at === -1)) return;
  const hasDirection = directionIn(header) !== null;
  for (const { end, at } of ends) {
    const target = targets[at];
    if (target?.to !== "phone") continue;
    if (hasDirection) targets[at] = { ...target, end };
    else if (explicit[at] === undefined) targets[at] = null;
  }
}

/** Exports of Google Contacts say in "Phone 1 - Label" or "Phone 1 - Type" what "Phone 1 - Value" is. */
function markKinds(header: readonly string[], targets: ColumnMapping["targets"]): void {
  targets.forEach((target, at) => {
    const [, number] = target?.to === "phone" ? (/^(phone\d)value$/.exec(foldName(header[at] ?? "")) ?? []) : [];
    if (target?.to !== "phone" || number === undefined) return;
    const kindColumn = header.findIndex((name) => [`${number}label`, `${number}type`].includes(foldName(name)));
    if (kindColumn !== -1) targets[at] = { ...target, kindColumn };
  });
}

/** Whether these cells name the columns of a file of people: one of them is the phone number or the user id. */
export function looksLikeHeader(
  cells: readonly string[],
  map: ReadonlyMap<string, string>,
  fields: CustomField[],
): boolean {
  if (cells.some(looksLikePhone)) return false;
  const { problems, hasName } = readColumns(cells, map, fields);
  return problems.length === 0 && hasName;
}

/** Like `mapColumns`, but for a mapping that may still have mistakes. */
export function guessColumns(
  header: readonly string[],
  map: ReadonlyMap<string, string>,
  fields: CustomField[],
): ColumnMapping {
  return mappingOf(header, readColumns(header, map, fields).targets);
}

/** Validates a mapping like `mapColumns`, with messages for a form. Throws `invalid_request` (path `map`). */
export function requireColumns(
  header: readonly string[],
  map: ReadonlyMap<string, string>,
  fields: CustomField[],
): void {
  const { problems, hasName } = readColumns(header, map, fields);
  if (problems.length === 0 && !hasName) problems.push("Choose the column with the phone number.");
  if (problems.length > 0) throw invalidRequest({ map: problems });
}

function readColumns(
  header: readonly string[],
  map: ReadonlyMap<string, string>,
  fields: CustomField[],
): { targets: (ColumnTarget | null)[]; problems: string[]; hasName: boolean } {
  const problems: string[] = [];
  const isHeader = (name: string): boolean =>
    header.some((one, at) => foldName(one) === foldName(name) || name === columnAt(at));
  for (const name of map.keys()) {
    if (!isHeader(name)) problems.push(`The file has no column "${name}"; it has ${header.join(", ")}.`);
  }
  const byName = new Map([...map].map(([name, target]) => [foldName(name), target]));
  const explicit = header.map((name, at) => map.get(columnAt(at)) ?? byName.get(foldName(name)));
  const targets = header.map((name, at): ColumnTarget | null => {
    const target = explicit[at];
    const guess = guessTarget(name, fields);
    // Who names what was guessed keeps what the name of the column says besides.
    if (target === undefined || (guess !== null && nameOfTarget(guess) === target)) return guess;
    const read = readTarget(target, fields);
    if (read === undefined) problems.push(`"${target}" is not a field of a contact.`);
    return read ?? null;
  });
  dropLesserPhones(header, targets, explicit);
  markMessageEnds(header, targets, explicit);
  markKinds(header, targets);
  readTogether(header, targets, explicit);
  // An explicit target wins over a guess, and the first of two guesses wins.
  const used = new Set<string>();
  const names = header.map(foldName);
  const place = (at: number): number =>
    explicit[at] === undefined ? placeOf(targets[at], names, at) : at - names.length;
  const order = [...targets.keys()].sort((a, b) => place(a) - place(b));
  for (const index of order) {
    const target = targets[index];
    if (target == null) continue;
    const key = nameOfTarget(target);
    if (!used.has(key) || SHARED.includes(key)) {
      used.add(key);
      continue;
    }
    if (explicit[index] !== undefined) problems.push(`Two columns are mapped to ${key}.`);
    targets[index] = null;
  }
  return { targets, problems, hasName: used.has("phone") || used.has("user_id") };
}

/** Where the user chose a number, guessed ones do not count; beside a phone number, "Number" is that of something else. */
function dropLesserPhones(
  header: readonly string[],
  targets: ColumnMapping["targets"],
  explicit: readonly (string | undefined)[],
): void {
  const isChosen = targets.some((target, at) => target?.to === "phone" && explicit[at] !== undefined);
  const isWeak = header.map((name) => WEAK_NAMES.includes(foldName(name)));
  const hasStrong = targets.some((target, at) => target?.to === "phone" && isWeak[at] === false);
  targets.forEach((target, at) => {
    if (target?.to !== "phone" || explicit[at] !== undefined) return;
    if (isChosen || (hasStrong && isWeak[at] === true)) targets[at] = null;
  });
}

/** Guesses stand in the order of the columns, but those by weak names come last, and countries by their names. */
function placeOf(target: ColumnTarget | null | undefined, names: readonly string[], at: number): number {
  const name = names[at] ?? "";
  if (target?.to === "country") return COUNTRY_NAMES.indexOf(name);
  return WEAK_NAMES.includes(name) ? at + names.length : at;
}

/** How a mapping names a column by its place, counted from 0: two columns may have the same name. */
function columnAt(place: number): string {
  return `#${place + 1}`;
}

/** With its accent the word is Portuguese and means the birthday; without it is Spanish too, for an anniversary. */
const PORTUGUESE_BIRTHDAY = /^\s*(?:data\s+d[eo]\s+)?anivers\u00e1rio\s*$/iu;

function guessTarget(name: string, fields: CustomField[]): ColumnTarget | null {
  const bare = withoutNote(name);
  return guessName(name, fields) ?? (bare === name ? null : guessName(bare, fields));
}

/** Fields whose names may have a qualifier. */
const QUALIFIED: readonly string[] = ["first_name", "last_name", "email", "city", "state", "postal_code", "company"];

function guessName(name: string, fields: CustomField[]): ColumnTarget | null {
  const folded = foldName(name);
  const person = readPersonTarget(name);
  if (person !== null) return person;
  const rank = rankOfPhone(folded);
  if (rank !== null) return { to: "phone", rank };
  const known = PORTUGUESE_BIRTHDAY.test(name)
    ? "birthday"
    : Object.keys(GUESSES).find((target) => GUESSES[target]?.includes(folded));
  if (known !== undefined) return readTarget(known, fields) ?? null;
  const consent = consentColumnOf(folded);
  if (consent !== null) return { to: "consent", as: consent };
  const field = fields.find(({ key, label }) => [key, label, `fields.${key}`].some((one) => foldName(one) === folded));
  if (field !== undefined) return { to: "field", field };
  if (COUNTRY_NAMES.includes(folded)) return { to: "country" };
  const plain = folded.replace(QUALIFIERS, "");
  const qualified = plain === folded ? undefined : QUALIFIED.find((target) => GUESSES[target]?.includes(plain));
  return qualified === undefined ? null : (readTarget(qualified, fields) ?? null);
}

/**
 * What the other columns say of one: "Name" beside "Vorname" is the last name, "Nombre" beside "Apellidos" the first one,
 * and the id beside WhatsApp's own name of a person is their number.
 */
function readTogether(
  header: readonly string[],
  targets: ColumnMapping["targets"],
  explicit: readonly (string | undefined)[],
): void {
  const names = header.map(foldName);
  const has = (field: ProfileName): boolean => targets.some((one) => one?.to === "profile" && one.field === field);
  names.forEach((name, at) => {
    if (explicit[at] !== undefined) return;
    const isBeside = (others: Readonly<Record<string, readonly string[]>>): boolean =>
      Object.hasOwn(others, name) && others[name]?.some((other) => names.includes(other)) === true;
    if (isBeside(LAST_BESIDE) && !has("last_name")) targets[at] = { to: "profile", field: "last_name" };
    if (name === "id" && names.includes("pushname") && !targets.some((one) => one?.to === "phone")) {
      targets[at] = { to: "phone", rank: 0 };
    }
    if (isBeside(FIRST_BESIDE) && !has("first_name")) targets[at] = { to: "profile", field: "first_name" };
  });
}

const plainTargets = [
  ...(["country", "user_id", "username", "tags", "groups"] as const),
  ...(["consent_purpose", "consent_notice", "consent_source", "consent_at"] as const),
] as const;
/** Targets that several columns may have. */
const SHARED: readonly string[] = ["phone", "consent"];

/** Undefined: unknown target; null: explicitly ignored. */
function readTarget(target: string, fields: CustomField[]): ColumnTarget | null | undefined {
  if (target === "-") return null;
  if (target === "phone") return { to: "phone", rank: -1 };
  if (target === "consent") return { to: "consent", as: "answer" };
  const plain = plainTargets.find((one) => one === target);
  if (plain !== undefined) return { to: plain };
  if (Object.hasOwn(profileFields, target)) return { to: "profile", field: target as ProfileName };
  const person = readPersonTarget(target);
  if (person !== null) return person;
  const field = fields.find(({ key }) => target === `fields.${key}`);
  return field === undefined ? undefined : { to: "field", field };
}

/** The target as a mapping spells it. */
export function nameOfTarget(target: ColumnTarget | null): string {
  if (target === null) return "-";
  if (target.to === "profile") return target.field;
  if (target.to === "person") return nameOfPersonTarget(target);
  return target.to === "field" ? `fields.${target.field.key}` : target.to;
}

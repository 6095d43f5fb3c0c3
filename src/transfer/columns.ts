/** Which column is which: guessed from the header, or said by the person who imports. */

import { invalidRequest } from "#src/core/problem.ts";
import type { CustomField } from "#src/domain/contacts/table.ts";

/** Where a column's values go; null: nowhere. */
export type ColumnTarget =
  | { to: "phone" }
  | { to: "profile"; field: ProfileColumn }
  | { to: "field"; field: CustomField }
  | { to: "tags" }
  | { to: "groups" };

export const profileColumns = {
  name: "name",
  first_name: "firstName",
  last_name: "lastName",
  email: "email",
  city: "city",
  state: "state",
  postal_code: "postalCode",
  company: "company",
  birthday: "birthday",
  anniversary: "anniversary",
} as const;
export type ProfileColumn = keyof typeof profileColumns;

/** What people call their columns, folded to letters and digits. */
const GUESSES: Record<string, readonly string[]> = {
  phone: [
    ...["phone", "phonenumber", "mobile", "mobilenumber", "mobilephone", "cell", "cellphone", "tel", "telephone"],
    ...["whatsapp", "whatsappnumber", "number", "msisdn", "contactnumber", "telefon", "handy", "telefono", "celular"],
    ...["telefone", "movil", "portable", "numero", "nummer"],
  ],
  name: ["name", "fullname", "contactname", "customername", "displayname", "nombre", "nome", "nom"],
  first_name: ["firstname", "givenname", "forename", "vorname", "prenom", "primeironome"],
  last_name: ["lastname", "surname", "familyname", "nachname", "apellido", "apellidos", "sobrenome"],
  email: ["email", "emailaddress", "mail", "correo", "correoelectronico"],
  city: ["city", "town", "ciudad", "cidade", "ville", "stadt", "ort"],
  state: ["state", "province", "region", "estado", "provincia", "bundesland"],
  postal_code: ["postalcode", "zip", "zipcode", "postcode", "pincode", "pin", "plz", "cep", "codigopostal"],
  company: ["company", "companyname", "organization", "organisation", "business", "firma", "empresa"],
  birthday: ["birthday", "birthdate", "dateofbirth", "dob", "geburtstag", "geburtsdatum", "cumpleanos", "nascimento"],
  anniversary: ["anniversary", "weddinganniversary", "aniversario"],
  tags: ["tags", "tag", "labels", "etiquetas"],
  groups: ["groups", "group", "lists", "list", "grupos"],
};

export interface ColumnMapping {
  /** By position; null: the column is left out. */
  targets: (ColumnTarget | null)[];
  /** Headers of columns that go nowhere. */
  ignored: string[];
}

/**
 * `map`: what the person said, `header → target`, where a target is a contact's field, `tags`, `groups`, `fields.KEY`
 * or `-` for nowhere. What is not said is guessed. Throws `invalid_request` for a map that cannot be, and where no
 * column is the phone number.
 */
export function mapColumns(
  header: readonly string[],
  map: ReadonlyMap<string, string>,
  fields: CustomField[],
): ColumnMapping {
  const { targets, problems, hasPhone } = readColumns(header, map, fields);
  if (problems.length === 0 && !hasPhone) {
    problems.push(
      `No column is the phone number; say which with --map "COLUMN=phone". The file has ${header.join(", ")}.`,
    );
  }
  if (problems.length > 0) throw invalidRequest({ map: problems });
  return { targets, ignored: header.filter((_, index) => targets[index] === null) };
}

export interface GuessedColumn {
  name: string;
  /** As a map says it; `-` for nowhere. */
  target: string;
}

/** What each column is taken for as things stand, mistakes or not. */
export function guessColumns(
  header: readonly string[],
  map: ReadonlyMap<string, string>,
  fields: CustomField[],
): GuessedColumn[] {
  const { targets } = readColumns(header, map, fields);
  return header.map((name, index) => {
    const target = targets[index] ?? null;
    return { name, target: target === null ? "-" : keyOf(target) };
  });
}

/** The same as `mapColumns` for somebody who looks at a form. Throws `invalid_request` (path `map`). */
export function requireColumns(
  header: readonly string[],
  map: ReadonlyMap<string, string>,
  fields: CustomField[],
): void {
  const { problems, hasPhone } = readColumns(header, map, fields);
  if (problems.length === 0 && !hasPhone) problems.push("Say which column is the phone number.");
  if (problems.length > 0) throw invalidRequest({ map: problems });
}

function readColumns(
  header: readonly string[],
  map: ReadonlyMap<string, string>,
  fields: CustomField[],
): { targets: (ColumnTarget | null)[]; problems: string[]; hasPhone: boolean } {
  const problems: string[] = [];
  const isHeader = (name: string): boolean => header.some((one) => fold(one) === fold(name));
  for (const name of map.keys()) {
    if (!isHeader(name)) problems.push(`The file has no column "${name}"; it has ${header.join(", ")}.`);
  }
  const explicit = new Map([...map].map(([name, target]) => [fold(name), target]));
  const targets = header.map((name): ColumnTarget | null => {
    const target = explicit.get(fold(name));
    if (target === undefined) return guessTarget(name, fields);
    const read = readTarget(target, fields);
    if (read === undefined) problems.push(`"${target}" is nothing that a column can be.`);
    return read ?? null;
  });
  // A guess never takes what a column was said to be, and the first guess of two wins.
  const used = new Set<string>();
  const order = [...targets.keys()].sort((a, b) => rank(header, explicit, a) - rank(header, explicit, b));
  for (const index of order) {
    const target = targets[index];
    if (target == null) continue;
    const key = keyOf(target);
    if (!used.has(key)) {
      used.add(key);
      continue;
    }
    if (explicit.has(fold(header[index] ?? ""))) problems.push(`Two columns are said to be ${key}.`);
    targets[index] = null;
  }
  return { targets, problems, hasPhone: used.has("phone") };
}

function rank(header: readonly string[], explicit: ReadonlyMap<string, string>, index: number): number {
  return explicit.has(fold(header[index] ?? "")) ? index : index + header.length;
}

function guessTarget(name: string, fields: CustomField[]): ColumnTarget | null {
  const folded = fold(name);
  const known = Object.keys(GUESSES).find((target) => GUESSES[target]?.includes(folded));
  if (known !== undefined) return readTarget(known, fields) ?? null;
  const field = fields.find(({ key, label }) => [key, label, `fields.${key}`].some((one) => fold(one) === folded));
  return field === undefined ? null : { to: "field", field };
}

/** Undefined: nothing of that name; null: left out on purpose. */
function readTarget(target: string, fields: CustomField[]): ColumnTarget | null | undefined {
  if (target === "-") return null;
  if (target === "phone" || target === "tags" || target === "groups") return { to: target };
  if (target in profileColumns) return { to: "profile", field: target as ProfileColumn };
  const field = fields.find(({ key }) => target === `fields.${key}`);
  return field === undefined ? undefined : { to: "field", field };
}

function keyOf(target: ColumnTarget): string {
  if (target.to === "profile") return target.field;
  return target.to === "field" ? `fields.${target.field.key}` : target.to;
}

/** Letters and digits alone, without accents and case: "E-mail Address" is emailaddress. */
function fold(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

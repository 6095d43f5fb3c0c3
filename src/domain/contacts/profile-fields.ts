/**
 * The profile fields of a contact, one row each. Columns, statements, JSON, CSV files, filters, forms, erasure, restore
 * and documents follow from this list; a new field is a row here and a column in a migration. The console's bundle
 * contains this file, so it imports nothing.
 */

/** `date`: `YYYY-MM-DD`, or `--MM-DD` if the year is unknown. */
export type ProfileKind = "text" | "email" | "date";

interface ProfileField {
  /** The column's name in the code. In the database it has the field's public name. */
  column: string;
  /** In the console. */
  label: string;
  kind: ProfileKind;
  /** Whether a broadcast can insert the value into its messages. */
  inBroadcasts: boolean;
  /** Names that an import recognises the field by, folded to letters and digits. */
  csvNames: readonly string[];
  /** Describes the value that a caller sends, if there is more to say than that it is a text. */
  description?: string;
  /** In the documents' example of a contact. */
  example: string | null;
}

/** By public name, in the order in which the API, exports and the console show them. */
export const profileFields = {
  name: {
    column: "name",
    label: "Name",
    kind: "text",
    inBroadcasts: true,
    csvNames: ["name", "fullname", "contactname", "customername", "displayname", "nombre", "nome", "nom"],
    example: "Asha Rao",
  },
  first_name: {
    column: "firstName",
    label: "First name",
    kind: "text",
    inBroadcasts: true,
    csvNames: ["firstname", "givenname", "forename", "vorname", "prenom", "primeironome"],
    example: "Asha",
  },
  last_name: {
    column: "lastName",
    label: "Last name",
    kind: "text",
    inBroadcasts: true,
    csvNames: ["lastname", "surname", "familyname", "nachname", "apellido", "apellidos", "sobrenome"],
    example: "Rao",
  },
  email: {
    column: "email",
    label: "E-mail",
    kind: "email",
    inBroadcasts: true,
    csvNames: ["email", "emailaddress", "mail", "correo", "correoelectronico"],
    description: "An e-mail address.",
    example: "asha@example.com",
  },
  city: {
    column: "city",
    label: "City",
    kind: "text",
    inBroadcasts: true,
    csvNames: ["city", "town", "ciudad", "cidade", "ville", "stadt", "ort"],
    example: "Pune",
  },
  state: {
    column: "state",
    label: "State",
    kind: "text",
    inBroadcasts: true,
    csvNames: ["state", "province", "region", "estado", "provincia", "bundesland"],
    example: null,
  },
  postal_code: {
    column: "postalCode",
    label: "Postal code",
    kind: "text",
    inBroadcasts: false,
    csvNames: ["postalcode", "zip", "zipcode", "postcode", "pincode", "pin", "plz", "cep", "codigopostal"],
    example: null,
  },
  company: {
    column: "company",
    label: "Company",
    kind: "text",
    inBroadcasts: true,
    csvNames: ["company", "companyname", "organization", "organisation", "business", "firma", "empresa"],
    example: null,
  },
  birthday: {
    column: "birthday",
    label: "Birthday",
    kind: "date",
    inBroadcasts: false,
    csvNames: ["birthday", "birthdate", "dateofbirth", "dob", "geburtstag", "geburtsdatum", "cumpleanos", "nascimento"],
    description: "`YYYY-MM-DD`, `--MM-DD` without a year, or `DD/MM/YYYY` (day first).",
    example: "--02-28",
  },
  anniversary: {
    column: "anniversary",
    label: "Anniversary",
    kind: "date",
    inBroadcasts: false,
    csvNames: ["anniversary", "weddinganniversary", "aniversario"],
    description: "Same formats as `birthday`.",
    example: null,
  },
} as const satisfies Record<string, ProfileField>;

/** A field's name in the API, in CSV files, in filters and in the database. */
export type ProfileName = keyof typeof profileFields;
/** A field's name in the code. */
export type ProfileColumn = (typeof profileFields)[ProfileName]["column"];
/** The fields that hold a value of this kind. */
export type ProfileNameOf<Kind extends ProfileKind> = {
  [Name in ProfileName]: (typeof profileFields)[Name]["kind"] extends Kind ? Name : never;
}[ProfileName];

type ProfileRow = ProfileField & { column: ProfileColumn };

const rows = Object.entries(profileFields) as [ProfileName, ProfileRow][];

export const profileNames = rows.map(([name]) => name);
export const profileColumns = rows.map(([, { column }]) => column);

/**
 * What a person is called wherever one is shown: the name, else first and last name. Null: show their number. The network's
 * own name of a person is the name of a contact that it made known.
 */
export function displayName(name: string | null, firstName: string | null, lastName: string | null): string | null {
  const parts = [firstName, lastName].filter((part) => part !== null && part !== "");
  return name ?? (parts.length === 0 ? null : parts.join(" "));
}

/** The names of the fields of these kinds. */
export function profileNamesOf<Kind extends ProfileKind>(...kinds: Kind[]): ProfileNameOf<Kind>[] {
  const isOfKind = (name: ProfileName): name is ProfileNameOf<Kind> =>
    kinds.some((kind) => kind === profileFields[name].kind);
  return profileNames.filter(isOfKind);
}

/** The names of the fields that a broadcast can insert into its messages. */
export const broadcastNames = profileNames.filter((name) => profileFields[name].inBroadcasts);

/** An object with a value for each field, under its public name. */
export function mapProfile<Value>(make: (field: ProfileRow, name: ProfileName) => Value): Record<ProfileName, Value> {
  const values = {} as Record<ProfileName, Value>;
  for (const [name, field] of rows) values[name] = make(field, name);
  return values;
}

/** The cells of a card, in columns whose names every import knows. */
import { type Property, partsOf, textOf } from "./property.ts";

/** Numbers come first: a mobile, then the others. */
export const COLUMNS = [
  ...["phone", "phone2", "otherphone", "name", "first_name", "last_name", "email", "company"],
  ...["city", "state", "postal_code", "birthday", "anniversary", "tags"],
];

/** Everything else of a card, such as photos and notes, is not read. */
const NAMES = ["tel", "fn", "n", "email", "org", "adr", "bday", "anniversary", "categories"];

export function isOfInterest(line: string): boolean {
  const [, name = ""] = /^(?:[\w-]{1,40}\.)?([\w-]{1,40})\s*[;:]/.exec(line.slice(0, 100)) ?? [];
  return NAMES.includes(name.toLowerCase());
}

export function cellsOf(properties: readonly Property[]): string[] {
  const all = (name: string): Property[] => properties.filter((one) => one.name === name);
  const first = (name: string): string => all(name).find(({ value }) => value !== "")?.value ?? "";
  const [lastName = "", firstName = ""] = partsOf(first("n"), ";");
  const [phone = "", second = "", ...others] = phonesOf(all("tel"));
  const [, , , city = "", state = "", postalCode = ""] = partsOf(first("adr"), ";");
  return [
    ...[phone, second, others.join(" ::: ")],
    textOf(first("fn")) || `${firstName} ${lastName}`.trim(),
    ...[firstName, lastName, textOf(first("email"))],
    partsOf(first("org"), ";")[0] ?? "",
    ...[city, state, postalCode],
    dayOf(all("bday")[0]),
    dayOf(all("anniversary")[0]),
    all("categories")
      .flatMap(({ value }) => partsOf(value, ","))
      .join(";"),
  ];
}

/** Numbers without a person at the other end. */
const NO_PERSON = ["fax", "pager", "modem", "bbs", "isdn"];

function phonesOf(phones: readonly Property[]): string[] {
  const ranked = phones
    .filter(({ types }) => types.includes("cell") || !types.some((type) => NO_PERSON.includes(type)))
    .map((phone) => ({ text: numberOf(phone), rank: rankOf(phone) }))
    .filter(({ text }) => text !== "")
    .sort((a, b) => a.rank - b.rank);
  return [...new Set(ranked.map(({ text }) => text))];
}

/** WhatsApp writes its id into the cards that it exports. */
function numberOf({ value, parameters }: Property): string {
  const id = parameters.get("waid") ?? "";
  if (/^\d{7,15}$/.test(id)) return `+${id}`;
  return textOf(value).replace(/;ext=(\d{1,6})$/i, " ext. $1");
}

function rankOf({ types, parameters }: Property): number {
  if (parameters.has("waid")) return 0;
  if (types.includes("cell") || types.includes("iphone")) return 1;
  return types.includes("pref") || parameters.has("pref") ? 2 : 3;
}

/** Apple writes this year where the year is unknown, and names it in a parameter. */
const OMITTED_YEAR = "1604";

function dayOf(property: Property | undefined): string {
  if (property === undefined) return "";
  const value = textOf(property.value);
  const [, year = "", month = "", day = ""] = /^(\d{4}|--)-?(\d\d)-?(\d\d)(?:T.*)?$/.exec(value) ?? [];
  if (month === "") return value;
  return year === "--" || year === OMITTED_YEAR ? `--${month}-${day}` : `${year}-${month}-${day}`;
}

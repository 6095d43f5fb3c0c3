/** Reads a cell of a column of countries: a code, a calling code, or a name in the nine languages of headers. */
import { callingCodeOf, isCountry, knownCountries } from "#src/core/phone.ts";
import { foldName } from "./header-names.ts";

/** Names of columns, folded. Of several in a file the first here counts: what is said of the number before an address. */
export const COUNTRY_NAMES = [
  ...["dialcode", "diallingcode", "dialingcode", "callingcode", "countrycallingcode", "phonecountrycode"],
  ...["phonecode", "mobilecountrycode", "isdcode", "isd", "ddi", "indicatif"],
  ...[
    "indicatifpays",
    "landesvorwahl",
    "ländervorwahl",
    "prefijopais",
    "prefijointernacional",
    "prefissointernazionale",
  ],
  ...["phonecountry", "countrycode", "codigodepais", "codigopais", "codepays", "ländercode"],
  ...["kodenegara"],
  ...["country", "countryregion", "countryname", "countryiso", "isocountry", "homecountry"],
  ...[
    "homecountryregion",
    "businesscountry",
    "businesscountryregion",
    "address1country",
    "defaultaddresscountrycode",
    "defaultaddresscountry",
  ],
  ...["billingcountry", "shippingcountry", "land", "pais", "pays", "paese"],
  ...["nazione", "negara", "देश", "البلد", "الدولة"],
].map(foldName);

const LANGUAGES = ["en", "es", "pt", "fr", "de", "it", "id", "hi", "ar"];
const OTHER_NAMES: Readonly<Record<string, string>> = {
  uk: "GB",
  england: "GB",
  scotland: "GB",
  wales: "GB",
  greatbritain: "GB",
  usa: "US",
  america: "US",
  bharat: "IN",
  uae: "AE",
  emirates: "AE",
  holland: "NL",
  ksa: "SA",
  turkey: "TR",
  ivorycoast: "CI",
  brd: "DE",
};
/** Of the countries that share a calling code, the one that people mean by it. */
const MAIN_OF_CODE = ["US", "RU", "GB", "AU", "IT", "NO", "FI", "MA", "GP", "RE", "CW", "NO", "SH"];

let known: ReadonlyMap<string, string> | undefined;

/** ISO 3166, two capitals; null if the cell names no country. */
export function readCountry(cell: string): string | null {
  const code = cell.trim().toUpperCase();
  if (isCountry(code)) return code;
  known ??= namesOfCountries();
  // "+44", "0044" and "UK (+44)".
  return known.get(foldName(cell)) ?? known.get(cell.replace(/\D/g, "").replace(/^00/, "")) ?? null;
}

/** The country that people mean by a calling code; null if there is none. */
export function countryOfCallingCode(code: string): string | null {
  known ??= namesOfCountries();
  return known.get(code) ?? null;
}

function namesOfCountries(): ReadonlyMap<string, string> {
  const names = new Map<string, string>(Object.entries(OTHER_NAMES));
  const countries = knownCountries();
  for (const language of LANGUAGES) {
    const display = new Intl.DisplayNames([language], { type: "region" });
    for (const country of countries) names.set(foldName(display.of(country) ?? country), country);
  }
  const isMain = (country: string): number => (MAIN_OF_CODE.includes(country) ? 1 : 0);
  for (const country of [...countries].sort((a, b) => isMain(a) - isMain(b))) {
    const code = callingCodeOf(country);
    if (code !== null) names.set(code, country);
  }
  return names;
}

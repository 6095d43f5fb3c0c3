/**
 * What happens to phone numbers in files: rules, tried in order on a cell that is not a number as it stands. A rule says
 * what to read instead, or why the cell is refused. Nothing of it holds for numbers that programs send.
 */

/** How a cell was changed before it was read. */
export const changes = {
  excel_text: "marks of a spreadsheet around the number removed",
  decimal: "zeros after a decimal point removed",
  grouped: "separators between the digits removed",
  link: "taken from a link or an id of WhatsApp",
  doubled_code: "a repeated country code removed",
  country_after_zero: "a zero before the country code removed",
  dialled: "prefix for calls abroad or from another area removed",
  words: "words or an extension after the number removed",
  first_of_two: "the first mobile number of two taken",
  old_plan: "an old number converted to the present numbering plan",
  other_column: "taken from another column of phone numbers",
} as const;
export type PhoneChange = keyof typeof changes;

/** A text that stands for no number. */
export const NO_NUMBER =
  /^(?:[-–—.?/*_x]+|0+|#?n\.?\/?a\.?|k\.? ?a\.?|none|null|nil|nan|undefined|unknown|no|nope|tbd|keine?|sin|ninguno|nenhum|aucune?|nessuno|tidak ada|لا يوجد)$/i;

interface Refused {
  pattern: RegExp;
  reason: "excel_shortened" | "excel_error" | "whatsapp_group" | "hidden_digits";
}

export const REFUSED: readonly Refused[] = [
  { pattern: /^[+'"=\s]*\d(?:[.,]\d+)?e\+?\d+$/i, reason: "excel_shortened" },
  { pattern: /^#{3,}$/, reason: "excel_error" },
  { pattern: /^#(?:name|ref|value|num|null|error|div)\b/i, reason: "excel_error" },
  { pattern: /@(?:g\.us|lid|broadcast|newsletter)$/i, reason: "whatsapp_group" },
  { pattern: /\d[\d\s-]*[x*•]{3,}|[x*•]{3,}[\d\s-]*\d/i, reason: "hidden_digits" },
];

export interface Rewriting {
  change: PhoneChange;
  pattern: RegExp;
  to: string;
}

/** Each takes away one kind of damage; the next one sees what it left. */
export const REWRITINGS: readonly Rewriting[] = [
  { change: "excel_text", pattern: /^="?([^"]*)"?$/, to: "$1" },
  { change: "excel_text", pattern: /^['’‘`´"]+\s*|\s*['’‘`´"]+$/g, to: "" },
  {
    change: "words",
    pattern: /^(?:[\s*~•·☎✆\p{Extended_Pictographic}]|\ufe0f)+|(?:[\s*~•·☎✆\p{Extended_Pictographic}]|\ufe0f)+$/gu,
    to: "",
  },
  {
    change: "link",
    pattern:
      /^(?:https?:\/\/)?(?:www\.)?(?:wa\.me|api\.whatsapp\.com\/send\/?\?phone=|web\.whatsapp\.com\/send\/?\?phone=)\/?\+?(?:%2b)?(\d{6,20})(?:[?&#/].*)?$/i,
    to: "+$1",
  },
  {
    change: "link",
    pattern: /^(?:https?:\/\/)?(?:api|web)\.whatsapp\.com\/send\/?\?phone=(?:%2b|\+)?(\d{6,20})(?:&.*)?$/i,
    to: "+$1",
  },
  { change: "link", pattern: /^\+?(\d{6,20})(?::\d{1,3})?@(?:c\.us|s\.whatsapp\.net)$/i, to: "+$1" },
  { change: "link", pattern: /^tel:([^;+]+);phone-context=(\+\d{1,4})(?:;.*)?$/i, to: "$2$1" },
  { change: "link", pattern: /^(?:tel|callto|sms|smsto|whatsapp|wa|phone) ?: ?(?:\/\/)?(?=[+\d( ])/i, to: "" },
  { change: "decimal", pattern: /^(\+?\d{5,20})[.,]0{1,2}$/, to: "$1" },
  { change: "grouped", pattern: /^(\d{1,3}(?:,\d{2,3}){2,5})$/, to: "$1" },
  { change: "grouped", pattern: /^\+?\d{2,4}(?:\/\d{2,4}){3,5}$|^\+?\d+(?:_\d+)+$/, to: "$&" },
  // The carrier that a caller chooses in Brazil: (0xx11) 98765-4321.
  { change: "dialled", pattern: /\(?\b0\s?xx\s?(\d{2})\)?/i, to: "$1 " },
  { change: "dialled", pattern: /^\+\s*(?:00|011)\s*(?=[1-9])/, to: "+" },
  { change: "doubled_code", pattern: /^\+(\d{1,3})\s*\+\1/, to: "+$1" },
];

/** Prefixes for calls abroad beside 00, by country; the calling code 1 has 011. */
export const ABROAD: Readonly<Record<string, string>> = {
  AU: "0011",
  JP: "010",
  HK: "001",
  TH: "001",
  SG: "001",
  KR: "001",
  TW: "002",
  RU: "810",
  KZ: "810",
  BY: "810",
  UZ: "810",
  CU: "119",
};

/** Prefixes for calls to another area or to mobiles that no longer exist, by country. */
export const FORMER_PREFIXES: Readonly<Record<string, RegExp>> = { MX: /^(?:044|045|01)(?=\d{10}$)/ };

interface PlanChange {
  country: string;
  /** The year from which only the new numbers work. */
  since: number;
  /** Old national digits. */
  old: RegExp;
  /** New national digits. */
  present: string;
}

/** Published changes of numbering plans since 2015 in which the old number decides the new one. */
export const PLAN_CHANGES: readonly PlanChange[] = [
  { country: "CI", since: 2021, old: /^((?:0[789]|[4-9][789])\d{6})$/, present: "07$1" },
  { country: "CI", since: 2021, old: /^((?:0[456]|[4-9][456])\d{6})$/, present: "05$1" },
  { country: "CI", since: 2021, old: /^((?:0[123]|[457][0-3])\d{6})$/, present: "01$1" },
  { country: "BJ", since: 2024, old: /^([4-9]\d{7})$/, present: "01$1" },
  { country: "GA", since: 2019, old: /^0?([256]\d{6})$/, present: "06$1" },
  { country: "GA", since: 2019, old: /^0?([47]\d{6})$/, present: "07$1" },
  { country: "VN", since: 2018, old: /^0?16([2-9]\d{7})$/, present: "03$1" },
  { country: "VN", since: 2018, old: /^0?120(\d{7})$/, present: "070$1" },
  { country: "VN", since: 2018, old: /^0?121(\d{7})$/, present: "079$1" },
  { country: "VN", since: 2018, old: /^0?122(\d{7})$/, present: "077$1" },
  { country: "VN", since: 2018, old: /^0?126(\d{7})$/, present: "076$1" },
  { country: "VN", since: 2018, old: /^0?128(\d{7})$/, present: "078$1" },
  { country: "VN", since: 2018, old: /^0?12([345]\d{7})$/, present: "08$1" },
  { country: "VN", since: 2018, old: /^0?127(\d{7})$/, present: "081$1" },
  { country: "VN", since: 2018, old: /^0?129(\d{7})$/, present: "082$1" },
  { country: "VN", since: 2018, old: /^0?18([68]\d{7})$/, present: "05$1" },
  { country: "VN", since: 2018, old: /^0?199(\d{7})$/, present: "059$1" },
];

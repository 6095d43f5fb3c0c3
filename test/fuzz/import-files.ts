/** Makes random files of people from cases, and from rows of people of whom the file says no. */
import type { ReadOptions } from "#src/transfer/formats/record.ts";
import { escaped, partsOfWorkbook, textWorkbook, zip } from "#test/transfer/workbook.ts";
import type { Chance } from "./chance.ts";

export interface FuzzedFile {
  kind: "text" | "workbook" | "cards";
  bytes: Buffer;
  options: ReadOptions;
  country: string | undefined;
}

const COUNTRIES = [undefined, undefined, "IN", "US", "AR", "CI", "MX", "DE"];

export function makeFile(chance: Chance, cases: readonly Buffer[]): FuzzedFile {
  const options: ReadOptions = {
    ...(chance.happens(0.1) ? { quotes: "none" as const } : {}),
    ...(chance.happens(0.1) ? { mayGuess: true } : {}),
    ...(chance.happens(0.03) ? { headerRow: chance.pick(["none", 1, 2, 7] as const) } : {}),
    ...(chance.happens(0.03)
      ? { encoding: chance.pick(["utf-8", "windows-1252", "shift_jis", "gb18030"] as const) }
      : {}),
  };
  const country = chance.pick(COUNTRIES);
  const kind = chance.pick(["text", "text", "text", "refusers", "refusers", "workbook", "cards"] as const);
  if (kind === "text") return { kind, bytes: mutate(chance, chance.pick(cases), cases), options, country };
  if (kind === "refusers")
    return { kind: "text", bytes: refusersText(chance, cases), options: plain(options), country };
  if (kind === "cards") return { kind, bytes: cards(chance, cases), options, country };
  return { kind, bytes: workbookOf(chance, cases), options, country };
}

/** A header row that is chosen may be one that does not name the column of consent. */
function plain({ headerRow: _, ...options }: ReadOptions): ReadOptions {
  return options;
}

/** Names of a column, and a value of it that says no. */
const NOES: readonly [column: string, value: string][] = [
  ["consent", "no"],
  ["consent", "opted_out"],
  ["Accepts SMS Marketing", "no"],
  ["unsubscribed", "yes"],
  ["opt-out", "true"],
  ["status", "unsubscribed"],
];

/** Rows of people who said no, between rows that are changed in every way; header and such rows stay as they are. */
function refusersText(chance: Chance, cases: readonly Buffer[]): Buffer {
  const [column, value] = chance.pick(NOES);
  const delimiter = chance.pick([",", ";", "\t"]);
  const rows = Array.from({ length: 2 + chance.below(30) }, (_, at): Buffer => {
    if (chance.happens(0.4))
      return Buffer.from([`No ${at}`, `+9198999000${String(at).padStart(2, "0")}`, value].join(delimiter));
    const row = Buffer.from([`Yes ${at}`, `+919812${400_000 + chance.below(90_000)}`, "yes"].join(delimiter));
    return chance.happens(0.5) ? mutate(chance, row, cases) : row;
  });
  const header = Buffer.from(["name", "phone", column].join(delimiter));
  const end = chance.pick(["\n", "\r\n"]);
  return Buffer.concat([header, ...rows].flatMap((row) => [row, Buffer.from(end)]));
}

const PIECES = [
  ...['"', '""', '\\"', "'", ",", ";", "\t", "|", "\n", "\r\n", "\r", "\0", "\x1a", "\x1b[2J", "=1+1", "sep=;\n"],
  ...["BEGIN:VCARD\n", "END:VCARD\n", "TEL:", "=\n", " \n", "<", "&#0;", "]]>", "9.1E+11", "\u200b", "�", "ñ", "山田"],
].map((text) => Buffer.from(text));
const ODD = [
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xef, 0xbb, 0xbf]),
  Buffer.from([0xe9]),
  Buffer.from([0x81, 0x40]),
];

function mutate(chance: Chance, given: Buffer, cases: readonly Buffer[]): Buffer {
  let bytes: Buffer = Buffer.from(given);
  for (let times = 1 + chance.below(4); times > 0; times -= 1) bytes = changed(chance, bytes, cases);
  return bytes;
}

function changed(chance: Chance, bytes: Buffer, cases: readonly Buffer[]): Buffer {
  const at = chance.below(bytes.length + 1);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const cut = after.subarray(chance.below(after.length + 1));
  switch (chance.below(9)) {
    case 0:
      return Buffer.from(bytes.map((byte) => (chance.happens(0.01) ? byte ^ (1 << chance.below(8)) : byte)));
    case 1:
      return Buffer.concat([before, chance.pick(PIECES), after]);
    case 2:
      return Buffer.concat([before, chance.pick(ODD), after]);
    case 3:
      return Buffer.concat([before, cut]);
    case 4:
      return before;
    case 5:
      return Buffer.concat([before, ...Array.from({ length: chance.below(40) }, () => chance.pick(PIECES)), after]);
    case 6:
      return Buffer.concat([bytes, chance.pick(cases)]);
    case 7: {
      const text = bytes.toString("utf8");
      return chance.happens(0.5) ? Buffer.from(text, "utf16le") : Buffer.from(text, "latin1");
    }
    default: {
      const lines = bytes.toString("latin1").split("\n");
      const line = chance.pick(lines);
      lines.splice(chance.below(lines.length), chance.below(2), ...Array.from({ length: chance.below(4) }, () => line));
      return Buffer.from(lines.join("\n"), "latin1");
    }
  }
}

function rowsOf(chance: Chance, cases: readonly Buffer[]): string[][] {
  const text = chance.pick(cases).toString("utf8");
  return text.split(/\r?\n|\r/).map((line) => line.split(/[,;\t]/));
}

function workbookOf(chance: Chance, cases: readonly Buffer[]): Buffer {
  const rows = rowsOf(chance, cases).map((cells) =>
    cells.map((cell) => cell.replace(/[^\P{Cc}\n]|\ufffd|\ufffe|\uffff/gu, "")),
  );
  if (chance.happens(0.3)) return mutate(chance, textWorkbook(rows), cases);
  const types = ["n", "s", "str", "b", "e", "inlineStr", "d", "x"];
  const cell = (text: string): string => {
    const type = chance.happens(0.7) ? "str" : chance.pick(types);
    const place = chance.happens(0.1) ? ` r="${chance.pick(["A1", "C3", "XFD1", "ZZZZ9", "7"])}"` : "";
    return `<c t="${type}" s="${chance.below(4)}"${place}><v>${escaped(text)}</v></c>`;
  };
  const lines = rows.map((cells) => {
    const place = chance.happens(0.05) ? ` r="${chance.below(200)}"` : "";
    return `<row${place}>${cells.map(cell).join("")}</row>`;
  });
  const parts = partsOfWorkbook({
    sheets: [{ name: "A", rows: lines.join("") }],
    sharedStrings: ["<t>a</t>", "<r><t>b</t></r>"],
    formats: [14, "yyyy-mm-dd", '"+"0'],
  });
  // What is changed inside is saved as it is: its sums are right, and only its meaning is not.
  const some = parts.map((part) => (chance.happens(0.1) ? { ...part, data: mutate(chance, part.data, cases) } : part));
  return zip(some);
}

function cards(chance: Chance, cases: readonly Buffer[]): Buffer {
  const properties = [
    "TEL",
    "TEL;TYPE=CELL",
    "FN",
    "N",
    "EMAIL",
    "BDAY",
    "CATEGORIES",
    "ADR",
    "NOTE",
    "FN;ENCODING=QUOTED-PRINTABLE",
  ];
  const lines = rowsOf(chance, cases).map((cells) => [
    "BEGIN:VCARD",
    ...cells.map((cell) => `${chance.pick(properties)}:${cell}`),
    "END:VCARD",
    "",
  ]);
  const bytes = Buffer.from(lines.flat().join(chance.pick(["\n", "\r\n"])));
  return chance.happens(0.9) ? mutate(chance, bytes, cases) : bytes;
}

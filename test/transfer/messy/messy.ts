/**
 * Imports files of messy rows with known truth through an executable and compares its export and its report with that
 * truth: no person with a readable number is missing, none is read wrongly, and the counters add up.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Chance } from "#test/fuzz/chance.ts";
import { columnsOf, type Details } from "./details.ts";
import { everywhere, fill, local, type PhoneCell, planOf, plans } from "./phones.ts";

interface Row extends PhoneCell {
  name: string;
  /** The cells beside number, name and city, and what must be stored of them. */
  others: readonly string[];
  details: Details;
  /** As written into the file. */
  text: string;
}

export interface MessyReport {
  rows: number;
  people: number;
  refused: number;
  faults: readonly string[];
  reasons: Readonly<Record<string, number>>;
}

/**
 * Kinds that the reader is known to get wrong, by country or `*`: not generated with `known: false`, until they are mended.
 */
export const knownFaults: readonly string[] = [];

const timezones: Readonly<Record<string, string>> = {
  IN: "Asia/Kolkata",
  US: "America/New_York",
  MX: "America/Mexico_City",
  CI: "Africa/Abidjan",
  DE: "Europe/Berlin",
  BR: "America/Sao_Paulo",
  GB: "Europe/London",
  AR: "America/Argentina/Buenos_Aires",
};
const headers = [
  ["Phone", "Name", "City"],
  ["Teléfono", "Nombre", "Ciudad"],
  ["Telefone", "Nome", "Cidade"],
  ["Téléphone", "Nom", "Ville"],
  ["Telefon", "Name", "Stadt"],
  ["Telefono", "Nome", "Città"],
  ["Nomor HP", "Nama", "Kota"],
  ["मोबाइल", "नाम", "शहर"],
  ["الهاتف", "الاسم", "المدينة"],
] as const;
/** Countries by the names that a column of countries has; their mobiles are written in one national form. */
const abroad: Readonly<Record<string, readonly string[]>> = {
  IN: ["IN", "India"],
  DE: ["DE", "Germany", "Deutschland"],
  GB: ["GB", "United Kingdom", "UK"],
  US: ["US", "USA", "United States"],
};
/** The share of rows of another country in a file that names countries. */
const ABROAD = 0.15;
const names = ["Asha Rao", "José Núñez", "Müller, Jörg", "O'Brien", 'Asha "Ash" Rao', "Zoë", "Conceição", "Ravi Das"];

/** `rows` rows over all countries. Faults name the seed, the file and the row with what was expected and got. */
export function importMessyRows(options: {
  executable: string;
  seed: number;
  rows: number;
  known?: boolean;
}): MessyReport {
  const chance = new Chance(options.seed);
  const directory = mkdtempSync(join(tmpdir(), "waxwing-messy-"));
  const faults: string[] = [];
  const reasons: Record<string, number> = {};
  const total = { rows: 0, people: 0, refused: 0 };
  try {
    for (let file = 1; total.rows < options.rows; file += 1) {
      const country = chance.pick(Object.keys(plans));
      const made = makeFile(chance, country, Math.min(80, options.rows - total.rows), options.known ?? true);
      const path = join(directory, `${file}.csv`);
      writeFileSync(path, made.bytes);
      const where = `seed ${options.seed}, file ${file} (${country}, ${made.how})`;
      const result = runImport(options.executable, join(directory, "data"), country, path, made.optsIn);
      total.rows += made.rows.length;
      if (typeof result === "string") {
        faults.push(`${where}: the import ended with: ${result}`);
        continue;
      }
      total.people += result.people.size;
      total.refused += result.report.failed;
      for (const { reason, rows } of result.report.reasons) reasons[reason] = (reasons[reason] ?? 0) + rows;
      for (const fault of [...compare(made.rows, result), ...sums(made.lines, result.report)])
        faults.push(`${where}: ${fault}`);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return { ...total, faults, reasons };
}

function makeFile(chance: Chance, country: string, count: number, known: boolean) {
  const kinds = [...everywhere, ...(local[country] ?? [])].filter(
    ([kind]) => known || !(knownFaults.includes(`* ${kind}`) || knownFaults.includes(`${country} ${kind}`)),
  );
  const separator = chance.pick([",", ",", ";", "\t"]);
  const end = chance.pick(["\n", "\n", "\r\n"]);
  const header = chance.pick(headers);
  const encoding = chance.pick(["utf-8", "utf-8", "utf-8 with a mark", "utf-16le with a mark", "latin-1"]);
  const lines: string[] = [];
  const titled = chance.happens(0.1);
  if (titled) lines.push(`Customer list 2026${separator}${separator}`, `${separator}${separator}`);
  else if (chance.happens(0.1) && separator === ";") lines.push("sep=;");
  const columns = columnsOf(chance, country);
  const hasCountries = chance.happens(0.2);
  const named = [...header, ...columns.map((column) => column.header), ...(hasCountries ? ["Country"] : [])];
  lines.push(named.join(separator) + (chance.happens(0.1) ? separator.repeat(3) : ""));
  const rows: Row[] = [];
  const taken = new Set<string>();
  // A quotation mark in the middle of a cell is a character: many programs write it as it is.
  const quote = (cell: string) => {
    const isStray = cell.includes('"') && !cell.startsWith('"') && chance.happens(0.3);
    return cell.includes(separator) || cell.includes("\n") || (cell.includes('"') && !isStray)
      ? `"${cell.replaceAll('"', '""')}"`
      : cell;
  };
  while (rows.length < count) {
    const [kind, spell] = pickWeighted(chance, kinds);
    const earlier = rows.length > 0 && chance.happens(0.03) ? chance.pick(rows) : null;
    const repeat = earlier?.phones.length === 1 ? earlier : null;
    const name = repeat?.name ?? `${chance.pick(names)} ${rows.length}`;
    const other = hasCountries && chance.happens(ABROAD) ? chance.pick(Object.keys(abroad)) : null;
    const phone: PhoneCell =
      repeat === null
        ? other === null || other === country
          ? { kind, ...spell(chance, country) }
          : { kind: `national number of ${other}`, ...nationalOf(chance, other) }
        : {
            kind: `repeat of "${repeat.cell}"`,
            cell: (repeat.phones[0] ?? "").replace("+", chance.pick(["+", "00", "tel:+"])),
            phones: repeat.phones,
          };
    // Two people of a file with one number by chance would be one person.
    if (repeat === null && phone.phones.some((one) => taken.has(canonical(one)))) continue;
    for (const one of phone.phones) taken.add(canonical(one));
    const made = columns.map(({ next }) => next(chance, rows.length));
    const abroadIn = repeat !== null || other === null ? "" : chance.pick(abroad[other] ?? []);
    const others = repeat?.others ?? [...made.map(({ cell }) => cell), ...(hasCountries ? [abroadIn] : [])];
    const details = repeat?.details ?? Object.assign({}, ...made.map(({ truth }) => truth));
    const city = chance.pick(["Pune", "München", "", "São Paulo", "12 Main Road\nNear the bank"]);
    const text = [phone.cell, name, city, ...others].map(quote).join(separator);
    rows.push({ ...phone, name, others, details, text });
    lines.push(text);
    if (chance.happens(0.02)) lines.push(chance.pick([`${separator}${separator}`, ` ${separator} ${separator}`]));
  }
  if (chance.happens(0.05)) {
    const [text, kind] = [`${separator}"Unclosed ${rows.length}${separator}Pune`, "a quotation mark that never closes"];
    const row = { kind, cell: "", phones: [], reason: /quotation mark/, others: [], details: {} };
    rows.push({ ...row, name: `Unclosed ${rows.length}`, text });
    lines.push(text);
  }
  const all = lines.join(end) + end;
  const latin = encoding === "latin-1" && Buffer.from(all, "latin1").toString("latin1") === all;
  const bytes = latin
    ? Buffer.from(all, "latin1")
    : encoding === "utf-16le with a mark"
      ? Buffer.from(`\ufeff${all}`, "utf16le")
      : Buffer.from(encoding === "utf-8 with a mark" ? `\ufeff${all}` : all);
  const how = `${latin || encoding !== "latin-1" ? encoding : "utf-8"}, ${JSON.stringify(separator)}, ${header[0]}`;
  const optsIn = columns.some(({ header: name }) => ["Accepts Marketing", "Unsubscribed", "Consent"].includes(name));
  return { rows, bytes, how, optsIn, lines: all.split("\n").length - 1 };
}

/** A mobile of a country as it is dialled there. */
function nationalOf(chance: Chance, country: string): Pick<PhoneCell, "cell" | "phones"> {
  const { code, trunk, mobiles } = planOf(country);
  const number = fill(chance, chance.pick(mobiles));
  return { cell: `${country === "US" ? "" : trunk}${number}`, phones: [`+${code}${number}`] };
}

function pickWeighted(chance: Chance, kinds: typeof everywhere) {
  let at = chance.next() * kinds.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [kind, weight, spell] of kinds) {
    at -= weight;
    if (at < 0) return [kind, spell] as const;
  }
  throw new Error("there is nothing to pick from");
}

interface ImportReport {
  lines: number;
  skipped_lines: number;
  continued: number;
  records: number;
  blank: number;
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  repeated: number;
  cells_left_out: number;
  reasons: readonly { reason: string; rows: number }[];
  omitted: readonly { rows: number }[];
}

interface Imported {
  report: ImportReport;
  people: ReadonlyMap<string, Stored>;
  /** Line of the file that says why a row was refused, found by the row's name. */
  refusals: string;
}

interface Stored extends Required<Details> {
  name: string;
}

/** What came of the file in a new workspace; the text of the error if the command refused it. */
function runImport(
  executable: string,
  data: string,
  country: string,
  path: string,
  optsIn: boolean,
): Imported | string {
  const call = (...args: string[]) => {
    const done = Bun.spawnSync([resolve(executable), ...args, "--data", data], { cwd: join(data, "..") });
    return { code: done.exitCode, out: done.stdout.toString(), error: done.stderr.toString() };
  };
  const zone = timezones[country] ?? "UTC";
  const made = call("workspace", "create", "--name", "Shop", "--country", country, "--timezone", zone, "--json");
  if (made.code !== 0) return made.out + made.error;
  const { id } = JSON.parse(made.out) as { id: number };
  const consent = optsIn ? ["--consent", "opted_in"] : [];
  const done = call("contact", "import", path, "--workspace", String(id), "--json", ...consent);
  if (done.code !== 0) return done.out + done.error;
  const report = JSON.parse(done.out) as ImportReport & { errors_file?: string };
  const exported = call("contact", "export", "--workspace", String(id)).out;
  const [columns = [], ...records] = recordsOf(exported);
  const people = new Map<string, Stored>();
  for (const record of records) {
    const cell = (column: string): string => record[columns.indexOf(column)] ?? "";
    const consent = cell("consent") as Stored["consent"];
    const stored = { name: cell("name"), birthday: cell("birthday"), email: cell("email"), consent };
    people.set(canonical(cell("phone")), stored);
  }
  const refusals = report.errors_file === undefined ? "" : readFileSync(report.errors_file, "utf8");
  return { report, people, refusals };
}

/** The cells of our own export, which quotes as RFC 4180 says. */
function recordsOf(text: string): string[][] {
  const records: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    records.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (end !== ",") records.push([]);
  }
  return records.filter(({ length }) => length > 1);
}

/** One form of the numbers that a country spells in two ways. */
function canonical(phone: string): string {
  return phone
    .replace(/^\+549/, "+54")
    .replace(/^\+521/, "+52")
    .replace(/^\+55(\d\d)9(\d{8})$/, "+55$1$2");
}

function* compare(rows: readonly Row[], { people, refusals }: Imported): Generator<string> {
  const explained = new Set<string>();
  for (const row of rows) {
    const accepted = row.phones.map(canonical);
    const found = [...people].find(([, { name }]) => name === row.name);
    const shown = `${row.kind}: ${JSON.stringify(row.text)}`;
    if (found !== undefined) {
      explained.add(found[0]);
      if (!accepted.includes(found[0]))
        yield `WRONG, ${shown}: expected ${accepted.join(" or ") || `refused ${row.reason}`}, got ${found[0]}`;
      for (const [field, value] of Object.entries(row.details))
        if (found[1][field as keyof Details] !== value)
          yield `WRONG, ${shown}: expected ${field} ${JSON.stringify(value)}, got ${JSON.stringify(found[1][field as keyof Details])}`;
    } else if (accepted.length > 0 && row.reason === undefined) {
      const other = accepted.map((phone) => people.get(phone)?.name).find((name) => name !== undefined);
      yield other === undefined
        ? `MISSING, ${shown}: expected ${accepted.join(" or ")}`
        : `NAME, ${shown}: the name is ${other}`;
    } else {
      const line = refusals.split("\n").find((one) => one.includes(row.name.replaceAll('"', '""'))) ?? "";
      if (!(row.reason ?? /./).test(line)) yield `REASON, ${shown}: expected ${row.reason}, got ${line}`;
    }
  }
  for (const [phone, { name }] of people)
    if (!explained.has(phone)) yield `WRONG, ${phone} (${name}) belongs to no row of the file`;
}

function* sums(lines: number, report: ImportReport): Generator<string> {
  const add = (list: readonly { rows: number }[]) => list.reduce((sum, { rows }) => sum + rows, 0);
  const pairs: [string, number, number][] = [
    ["lines of the file", lines, report.lines],
    ["records + continued + skipped lines", report.records + report.continued + report.skipped_lines, report.lines],
    ["rows + repeated + blank", report.rows + report.repeated + report.blank, report.records],
    [
      "created + updated + unchanged + failed",
      report.created + report.updated + report.unchanged + report.failed,
      report.rows,
    ],
    ["reasons", add(report.reasons), report.failed],
    ["omitted cells", add(report.omitted), report.cells_left_out],
  ];
  for (const [what, left, right] of pairs) if (left !== right) yield `SUM, ${what}: ${left}, reported ${right}`;
}

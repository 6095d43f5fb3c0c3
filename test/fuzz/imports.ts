/**
 * Imports random files of people: the cases of `test/transfer`, and files with people who said no, with bytes, lines,
 * quotation marks and encodings changed; as text, workbooks and vCards. Whatever a file holds, it is imported or refused
 * with a sentence, in bounded time; its lines are all counted; and no person of whom it says no is opted in.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#src/core/clock.ts";
import { Problem } from "#src/core/problem.ts";
import { decoderOf, type Encoding, readEncoding } from "#src/transfer/formats/encodings.ts";
import { importContacts } from "#src/transfer/import-contacts.ts";
import type { ImportReport } from "#src/transfer/table.ts";
import { openTestStore, type TestStore } from "#test/support/store.ts";
import { Chance } from "./chance.ts";
import { type FuzzedFile, makeFile } from "./import-files.ts";

export interface ImportFuzzReport {
  files: number;
  imported: number;
  /** Refused as a whole, with a sentence. */
  refused: number;
  rows: number;
  /** People of whom a file says no, and whom an import read. */
  refusers: number;
  /** Others, whom an import opted in. */
  optedIn: number;
  slowestMs: number;
  /** What must not happen; each with the number of its file. */
  faults: string[];
}

const FILES_PER_STORE = 400;
const cases = join(import.meta.dir, "../transfer/cases");

/** `onFile` is called before each file. `limitMs`: a file that takes longer is a fault. */
export async function fuzzImports(options: {
  seed: number;
  files: number;
  limitMs: number;
  keep?: string | undefined;
  onFile?: (number: number) => void;
}): Promise<ImportFuzzReport> {
  const report: ImportFuzzReport = {
    ...{ files: 0, imported: 0, refused: 0, rows: 0, refusers: 0, optedIn: 0, slowestMs: 0 },
    faults: [],
  };
  const bases = readdirSync(cases).map((name) => readFileSync(join(cases, name)));
  const directory = mkdtempSync(join(tmpdir(), "waxwing-fuzz-"));
  try {
    for (let from = 0; from < options.files; from += FILES_PER_STORE) {
      using opened = await openTestStore(0);
      for (let number = from; number < Math.min(from + FILES_PER_STORE, options.files); number += 1) {
        options.onFile?.(number);
        const file = makeFile(new Chance(options.seed + number), bases);
        const path = join(directory, "people");
        writeFileSync(path, file.bytes);
        const faults = await runOne(opened, path, file, report, options.limitMs);
        report.faults.push(...faults.map((fault) => `file ${number} (${file.kind}): ${fault}`));
        if (faults.length > 0 && options.keep !== undefined) {
          writeFileSync(join(options.keep, `${options.seed}-${number}`), file.bytes);
        }
      }
      countPeople(opened, report);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  return report;
}

async function runOne(
  { store, shop }: TestStore,
  path: string,
  { bytes, options, country }: FuzzedFile,
  report: ImportFuzzReport,
  limitMs: number,
): Promise<string[]> {
  report.files += 1;
  const faults: string[] = [];
  let failures = 0;
  const startedAt = process.cpuUsage();
  try {
    const outcome = await importContacts({
      ...{ store, clock: systemClock, workspaceId: shop.id, path, map: new Map(), optIn: true, isDryRun: false },
      ...{ reading: options, phoneCountry: country, isServerRunning: () => false },
      ...{ onFound: () => undefined, onProgress: () => undefined },
      onFailure: (_line, _cells, reason) => {
        if (!reason.startsWith("Skipped:")) failures += 1;
      },
    });
    report.imported += 1;
    report.rows += outcome.rows;
    faults.push(...faultsOf(outcome, failures, bytes));
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid_request") report.refused += 1;
    else faults.push(`it was not refused but failed: ${error instanceof Error ? error.stack : String(error)}`);
  }
  // Time of the processor: a machine that does other things is no fault.
  const { user, system } = process.cpuUsage(startedAt);
  const tookMs = (user + system) / 1000;
  report.slowestMs = Math.max(report.slowestMs, Math.round(tookMs));
  if (tookMs > limitMs) faults.push(`it took ${Math.round(tookMs)} ms`);
  const raised = store.client.prepare(RAISED).all() as { phone: string }[];
  if (raised.length > 0)
    faults.push(`the file says no, and it opted in ${raised.map(({ phone }) => phone).join(", ")}`);
  return faults;
}

/** The people of `import-files.ts` who say no. */
const SAY_NO = "phone GLOB '+9198999000[0-9][0-9]'";
const RAISED = `SELECT phone FROM contacts WHERE ${SAY_NO} AND consent = 'opted_in'`;

function countPeople({ store }: TestStore, report: ImportFuzzReport): void {
  const count = (where: string): number => {
    const row = store.client.prepare(`SELECT count(*) AS n FROM contacts WHERE ${where}`).get() as { n: number };
    return row.n;
  };
  report.refusers += count(SAY_NO);
  report.optedIn += count("consent = 'opted_in'");
}

function faultsOf(report: ImportReport, failures: number, bytes: Buffer): string[] {
  const { lines, skipped_lines: skipped, continued, records, rows, repeated, blank, reasons } = report;
  const { created, updated, unchanged, failed } = report;
  const sums: [name: string, left: number, right: number][] = [
    ["lines", lines, skipped + records + continued],
    ["records", records, rows + repeated + blank],
    ["rows", rows, created + updated + unchanged + failed],
    ["failed", failed, reasons.reduce((sum, one) => sum + one.rows, 0)],
    ["refused rows", failed, failures],
  ];
  if (report.kind !== "xlsx")
    sums.push(["lines of the file", lines, linesIn(bytes, readEncoding(report.encoding ?? "") ?? "utf-8")]);
  return sums.flatMap(([name, left, right]) => (left === right ? [] : `${name}: ${left}, not ${right}`));
}

/** Counted without the reader: line ends, and what follows the last one. */
function linesIn(bytes: Buffer, encoding: Encoding): number {
  const parts = decoderOf(encoding)
    .decode(bytes)
    .split(/\n|\r(?=[^\n])/);
  return parts.length - (parts.at(-1) === "" ? 1 : 0);
}

/**
 * What a file is, by its first bytes. Spreadsheets and address books save many kinds under the same names, so a kind
 * that cannot be read is named together with the way to a file that can.
 */
import { invalidRequest } from "#src/core/problem.ts";

export type FileKind = "csv" | "xlsx" | "vcard";

const SAVE_AS = "save it as CSV UTF-8 or .xlsx and import that file";

/** First bytes, as Latin-1, and what such a file is. */
const SIGNATURES: readonly [start: string, kind: string][] = [
  ["%PDF", `a PDF document: export the table itself, or ${SAVE_AS}`],
  ["{\\rtf", `an RTF document: open it, copy the table into a spreadsheet and ${SAVE_AS}`],
  ["\x1f\x8b", "a gzip archive: unpack it and import the file inside"],
  ["BZh", "a bzip2 archive: unpack it and import the file inside"],
  ["7z\xbc\xaf\x27\x1c", "a 7-Zip archive: unpack it and import the file inside"],
  ["Rar!", "a RAR archive: unpack it and import the file inside"],
  ["\xfd7zXZ", "an xz archive: unpack it and import the file inside"],
  ["\x28\xb5\x2f\xfd", "a Zstandard archive: unpack it and import the file inside"],
  ["\x89PNG", "a picture (PNG): import the file that the list comes from"],
  ["\xff\xd8\xff", "a picture (JPEG): import the file that the list comes from"],
  ["GIF8", "a picture (GIF): import the file that the list comes from"],
  ["RIFF", "a media file: import the file that the list comes from"],
  ["SQLite format 3", "a SQLite database: export its table of people as CSV"],
  ["PAR1", "a Parquet file: export it as CSV"],
  ["\x7fELF", "a program, not a list of people"],
  ["MZ", "a program, not a list of people"],
  ["bplist", "a property list: export the contacts as CSV or vCard"],
  ["\x09\x08", `an old Excel workbook (.xls): open it in Excel, ${SAVE_AS}`],
  ["\x09\x04\x06", `an old Excel workbook (.xls): open it in Excel, ${SAVE_AS}`],
  ["\x09\x02\x06", `an old Excel workbook (.xls): open it in Excel, ${SAVE_AS}`],
];

const COMPOUND_FILE = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
const ZIP = ["PK\x03\x04", "PK\x05\x06"];

/** The kind that the bytes alone show; null if they may be text. Throws `invalid_request` that names another kind. */
export function kindOfBytes(head: Buffer): "xlsx" | null {
  const start = head.subarray(0, 16).toString("latin1");
  if (ZIP.some((mark) => start.startsWith(mark))) return "xlsx";
  if (start.startsWith(COMPOUND_FILE)) {
    const hasPassword = head.includes(Buffer.from("EncryptedPackage", "utf16le"));
    throw otherKind(
      hasPassword
        ? `an Excel workbook with a password: open it in Excel, remove the password, ${SAVE_AS}`
        : `an old Excel workbook (.xls), not CSV: open it in Excel, ${SAVE_AS}`,
    );
  }
  const known = SIGNATURES.find(([mark]) => start.startsWith(mark));
  if (known !== undefined) throw otherKind(known[1]);
  return null;
}

/** Control characters that text does not have, beside NUL and ESC; more of them than this share are a program's data. */
const CONTROL_SHARE_MAX = 0.02;
const CONTROL_MIN = 4;

/** Starts of texts that are no table, lower case. */
const TEXTS: readonly [start: string, kind: string][] = [
  ["<html", `a web page, perhaps saved as .xls: open it in a spreadsheet, ${SAVE_AS}`],
  ["<!doctype html", `a web page, perhaps saved as .xls: open it in a spreadsheet, ${SAVE_AS}`],
  ["<table", `a web page, perhaps saved as .xls: open it in a spreadsheet, ${SAVE_AS}`],
  ["<meta", `a web page, perhaps saved as .xls: open it in a spreadsheet, ${SAVE_AS}`],
  ["<head", `a web page, perhaps saved as .xls: open it in a spreadsheet, ${SAVE_AS}`],
  ["<body", `a web page, perhaps saved as .xls: open it in a spreadsheet, ${SAVE_AS}`],
  ["<style", `a web page, perhaps saved as .xls: open it in a spreadsheet, ${SAVE_AS}`],
  ["<div", `a web page, perhaps saved as .xls: open it in a spreadsheet, ${SAVE_AS}`],
  ["<!--", `a web page, perhaps saved as .xls: open it in a spreadsheet, ${SAVE_AS}`],
  ["mime-version:", `a web archive (.mht), perhaps saved as .xls: open it in a spreadsheet, ${SAVE_AS}`],
  ["begin:vcalendar", "a calendar (iCalendar), not a list of people"],
  ["dn: ", "an LDIF address book: export the contacts as CSV or vCard"],
  ["id;p", `a SYLK spreadsheet: open it in a spreadsheet, ${SAVE_AS}`],
  ['{"', "a JSON file: save the list of people as CSV"],
  ["[{", "a JSON file: save the list of people as CSV"],
  ["[\n", "a JSON file: save the list of people as CSV"],
  ["{\n", "a JSON file: save the list of people as CSV"],
];

/** Throws `invalid_request` that names the kind if the text is not one that can be read. */
export function kindOfText(head: string): "csv" | "vcard" {
  const start = head.slice(0, 2_000).trimStart().toLowerCase();
  if (start.startsWith("begin:vcard")) return "vcard";
  if (start.startsWith("<?xml")) {
    if (start.includes("<html"))
      throw otherKind(`a web page, perhaps saved as .xls: open it in a spreadsheet, ${SAVE_AS}`);
    const isSheet = start.includes("excel.sheet") || start.includes("office:spreadsheet");
    throw otherKind(
      isSheet
        ? `an XML spreadsheet, perhaps saved as .xls: open it in Excel, ${SAVE_AS}`
        : "an XML file: save the list of people as CSV",
    );
  }
  const known = TEXTS.find(([mark]) => start.startsWith(mark));
  if (known !== undefined) throw otherKind(known[1]);
  const controls =
    head.match(/\p{Cc}/gu)?.filter((one) => !"\0\t\n\v\f\r\x1a\x1b\x7f".includes(one) && one < "\x80").length ?? 0;
  if (controls >= CONTROL_MIN && controls > head.length * CONTROL_SHARE_MAX) {
    throw otherKind("not a text file: import CSV, .xlsx or vCard");
  }
  return "csv";
}

/** `what` completes "This is …". */
function otherKind(what: string): Error {
  return invalidRequest({ file: [`This is ${what}.`] });
}

/** A sheet of an Excel workbook as records: its rows. */
import { invalidRequest } from "#src/core/problem.ts";
import type { FileSource } from "../bytes.ts";
import type { FileRecord, RecordSource } from "../record.ts";
import { Archive } from "./archive.ts";
import { refuseOtherArchive } from "./other-archives.ts";
import { type SheetContext, SheetReader } from "./sheet.ts";
import { sharedStringsInto, TextStore } from "./text-store.ts";
import { readFormats, readWorkbook, type Sheet } from "./workbook.ts";
import { parseXml, readXml } from "./xml.ts";

/** `number`: of the sheet, from 1; undefined: the first one that is not hidden. */
export async function openXlsx(file: FileSource, number: number | undefined): Promise<RecordSource> {
  const archive = await Archive.open(file);
  try {
    refuseOtherArchive(archive);
    const workbook = await readWorkbook(archive);
    const { sheets, is1904, sharedStrings, styles } = workbook;
    const sheet = chooseSheet(sheets, number);
    // A row is stored before the next one is unpacked, so the whole sheet must be known to be complete before.
    await archive.verify(sheet.part);
    const strings = new TextStore();
    if (sharedStrings !== null) await readXml(archive.read(sharedStrings), sharedStringsInto(strings));
    const formats = await readFormats(archive, styles);
    return sourceOf(archive, sheets, sheet, { strings, formats, is1904 });
  } catch (error) {
    archive.close();
    throw error;
  }
}

function sourceOf(archive: Archive, sheets: readonly Sheet[], sheet: Sheet, context: SheetContext): RecordSource {
  const reader = new SheetReader(context);
  let isHeaderKnown = false;
  async function* records(): AsyncGenerator<FileRecord[]> {
    try {
      for await (const _ of parseXml(archive.read(sheet.part), reader)) {
        const rows = reader.take();
        let at = 0;
        for (; at < rows.length && !isHeaderKnown; at += 1) yield rows.slice(at, at + 1);
        if (at < rows.length) yield rows.slice(at);
        if (reader.isDone) return;
      }
    } finally {
      archive.close();
    }
  }
  return {
    records: records(),
    expectColumns: () => {
      isHeaderKnown = true;
    },
    header: null,
    skipped: 0,
    kind: "xlsx",
    encoding: null,
    samples: [],
    sheet: { number: sheets.indexOf(sheet) + 1, name: sheet.name, names: sheets.map(({ name }) => name) },
  };
}

function chooseSheet(sheets: readonly Sheet[], number: number | undefined): Sheet {
  const chosen = number === undefined ? sheets.find(({ isHidden }) => !isHidden) : sheets[number - 1];
  if (chosen !== undefined) return chosen;
  const list = sheets.map(({ name, isHidden }, index) => `${index + 1} ${name}${isHidden ? " (hidden)" : ""}`);
  const fault = number === undefined ? "All sheets of the workbook are hidden" : `The workbook has no sheet ${number}`;
  throw invalidRequest({ sheet: [`${fault}; choose one by its number: ${list.slice(0, 50).join(", ")}.`] });
}

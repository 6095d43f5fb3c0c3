/** ZIP archives that are no workbooks of Excel, named together with the way to a file that can be read. */
import { invalidRequest } from "#src/core/problem.ts";
import { type Archive, damaged } from "./archive.ts";

const SAVE_AS = "save it as .xlsx or CSV UTF-8 and import that file";

/** A part that only such a file has, and what the file is. */
const KINDS: readonly [part: string, kind: string][] = [
  ["xl/workbook.bin", `a binary Excel workbook (.xlsb): open it in Excel, ${SAVE_AS}`],
  ["word/document.xml", `a Word document: copy its table into a spreadsheet, ${SAVE_AS}`],
  ["ppt/presentation.xml", "a presentation: import the file that the list comes from"],
  ["index/document.iwa", `a document of Apple Numbers: export it as .xlsx or CSV and import that file`],
  ["content.xml", `an OpenDocument spreadsheet (.ods): open it in a spreadsheet, ${SAVE_AS}`],
];

/** Throws `invalid_request` that names the kind. */
export function refuseOtherArchive(archive: Archive): void {
  const known = KINDS.find(([part]) => archive.has(part));
  if (known !== undefined) throw invalidRequest({ file: [`This is ${known[1]}.`] });
  const isWorkbook = archive.names.some((name) => name.startsWith("xl/") || name === "[content_types].xml");
  if (archive.names.length === 0) throw damaged("it is empty");
  if (!isWorkbook) throw invalidRequest({ file: ["This is a ZIP archive: unpack it and import the file inside."] });
}

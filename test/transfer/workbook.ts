/** Writes ZIP archives and workbooks for tests, from the text of their parts. */
import { crc32, deflateRawSync } from "node:zlib";

export interface ZipPart {
  name: string;
  data: Buffer;
  /** What the archive says about the part, where it lies. */
  size?: number;
  crc?: number;
  flags?: number;
  isStored?: boolean;
}

/** A ZIP archive as programs write it: local headers with data, then the central directory. */
export function zip(parts: readonly ZipPart[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, data, size = data.length, crc = crc32(data), flags = 0x800, isStored = false } of parts) {
    const packed = isStored ? data : deflateRawSync(data);
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(isStored ? 0 : 8, 4);
    common.writeUInt32LE(0x5a_39_79_5d, 6);
    common.writeUInt32LE(crc, 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size, 18);
    common.writeUInt16LE(path.length, 22);
    local.push(Buffer.from("PK\x03\x04", "latin1"), common, path, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.from("PK\x01\x02\x14\x00", "latin1"), common, rest, path);
    offset += 30 + path.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "latin1");
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

export interface WorkbookText {
  /** Name and content of `sheetData` of each sheet. */
  sheets: readonly { name: string; rows: string; state?: string; after?: string }[];
  sharedStrings?: readonly string[];
  /** Codes of number formats, for the styles 1, 2, …; a number is a format that Excel has. */
  formats?: readonly (string | number)[];
  is1904?: boolean;
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships";

export function partsOfWorkbook({ sheets, sharedStrings = [], formats = [], is1904 = false }: WorkbookText): ZipPart[] {
  const relation = (id: string, kind: string, target: string): string =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${kind}" Target="${target}"/>`;
  const ofSheets = sheets.map((_, at) => relation(`rId${at + 1}`, "worksheet", `worksheets/sheet${at + 1}.xml`));
  const others = [relation("rS", "sharedStrings", "sharedStrings.xml"), relation("rF", "styles", "styles.xml")];
  const list = sheets.map(
    ({ name, state = "visible" }, at) =>
      `<sheet name="${name}" sheetId="${at + 1}" state="${state}" r:id="rId${at + 1}"/>`,
  );
  const codes = formats.flatMap((format, at) =>
    typeof format === "number" ? [] : `<numFmt numFmtId="${164 + at}" formatCode="${escaped(format)}"/>`,
  );
  const styles = [0, ...formats].map(
    (format, at) => `<xf numFmtId="${typeof format === "number" ? format : 163 + at}" fontId="0"/>`,
  );
  const texts: [name: string, text: string][] = [
    ["[Content_Types].xml", `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`],
    [
      "_rels/.rels",
      `${XML}<Relationships xmlns="${PACKAGE}">${relation("rId1", "officeDocument", "xl/workbook.xml")}</Relationships>`,
    ],
    [
      "xl/workbook.xml",
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><workbookPr${is1904 ? ' date1904="1"' : ""}/><sheets>${list.join("")}</sheets></workbook>`,
    ],
    [
      "xl/_rels/workbook.xml.rels",
      `${XML}<Relationships xmlns="${PACKAGE}">${[...ofSheets, ...others].join("")}</Relationships>`,
    ],
    [
      "xl/sharedStrings.xml",
      `${XML}<sst xmlns="${MAIN}">${sharedStrings.map((text) => `<si>${text}</si>`).join("")}</sst>`,
    ],
    [
      "xl/styles.xml",
      `${XML}<styleSheet xmlns="${MAIN}"><numFmts>${codes.join("")}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles.join("")}</cellXfs></styleSheet>`,
    ],
    ...sheets.map(({ rows, after = "" }, at): [string, string] => [
      `xl/worksheets/sheet${at + 1}.xml`,
      `${XML}<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData>${after}</worksheet>`,
    ]),
  ];
  return texts.map(([name, text]) => ({ name, data: Buffer.from(text) }));
}

export function workbook(text: WorkbookText): Buffer {
  return zip(partsOfWorkbook(text));
}

/** A workbook of one sheet whose cells are all text. */
export function textWorkbook(rows: readonly (readonly string[])[]): Buffer {
  const cell = (text: string): string => `<c t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
  const lines = rows.map((cells, at) => `<row r="${at + 1}">${cells.map(cell).join("")}</row>`);
  return workbook({ sheets: [{ name: "People", rows: lines.join("") }] });
}

export function escaped(text: string): string {
  return text.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

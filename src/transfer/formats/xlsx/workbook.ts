/** What a workbook says about its sheets and about the formats of their cells. */
import { posix } from "node:path";
import { type Archive, damaged } from "./archive.ts";
import { formatOf, type NumberFormat } from "./numbers.ts";
import { attributeOf, readXml, type XmlHandler } from "./xml.ts";

export interface Sheet {
  name: string;
  /** Name of its part. */
  part: string;
  isHidden: boolean;
}

interface Workbook {
  sheets: Sheet[];
  is1904: boolean;
  sharedStrings: string | null;
  styles: string | null;
}

type Attributes = Readonly<Record<string, string>>;

/** Throws `invalid_request` for a workbook without sheets. */
export async function readWorkbook(archive: Archive): Promise<Workbook> {
  const roots = await readRelations(archive, "");
  const path = roots.find(({ kind }) => kind === "officeDocument")?.part ?? "xl/workbook.xml";
  if (!archive.has(path)) throw damaged("it does not say which sheets it has");
  const relations = await readRelations(archive, path);
  const partOf = (kind: string): string | null => {
    const part = relations.find((one) => one.kind === kind)?.part;
    return part !== undefined && archive.has(part) ? part : null;
  };
  const sheets: Sheet[] = [];
  let is1904 = false;
  await readXml(
    archive.read(path),
    onOpen((name, attributes) => {
      if (name === "workbookPr") is1904 = isOn(attributes.date1904);
      if (name !== "sheet") return;
      const id = attributeOf(attributes, "id");
      const relation = relations.find((one) => one.id === id);
      // Charts and dialogues are sheets too, and have no rows.
      if (relation?.kind !== "worksheet") return;
      const isHidden = (attributes.state ?? "visible") !== "visible";
      sheets.push({ name: attributes.name ?? `${sheets.length + 1}`, part: relation.part, isHidden });
    }),
  );
  if (sheets.length === 0) throw damaged("it has no sheet");
  return { sheets, is1904, sharedStrings: partOf("sharedStrings"), styles: partOf("styles") };
}

/** The number format of each cell style, by its number. */
export async function readFormats(archive: Archive, part: string | null): Promise<NumberFormat[]> {
  if (part === null) return [];
  const codes = new Map<number, string>();
  const formats: NumberFormat[] = [];
  let isInStyles = false;
  await readXml(archive.read(part), {
    open: (name, attributes) => {
      if (name === "cellXfs") isInStyles = true;
      const id = Number(attributes.numFmtId ?? 0);
      if (name === "numFmt") codes.set(id, attributes.formatCode ?? "");
      if (name === "xf" && isInStyles && formats.length < STYLES_MAX) formats.push(formatOf(id, codes.get(id)));
    },
    text: () => undefined,
    close: (name) => {
      if (name === "cellXfs") isInStyles = false;
    },
  });
  return formats;
}

/** Of Excel. */
const STYLES_MAX = 65_536;

interface Relation {
  id: string | undefined;
  /** The last word of its type, which older and newer kinds of workbooks have in common. */
  kind: string;
  part: string;
}

/** What a part refers to; empty: the whole archive. */
async function readRelations(archive: Archive, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part);
  const list = posix.join(folder, "_rels", `${posix.basename(part)}.rels`);
  const relations: Relation[] = [];
  if (!archive.has(list)) return relations;
  await readXml(
    archive.read(list),
    onOpen((name, { Id, Type = "", Target = "" }) => {
      if (name !== "Relationship") return;
      // "/xl/…" is a path from the root of the archive, "sheets/…" one from the folder of the part.
      const target = Target.startsWith("/") ? Target : posix.join("/", folder, Target);
      relations.push({ id: Id, kind: posix.basename(Type), part: posix.normalize(target).slice(1) });
    }),
  );
  return relations;
}

function onOpen(open: (name: string, attributes: Attributes) => void): XmlHandler {
  return { open, text: () => undefined, close: () => undefined };
}

function isOn(value: string | undefined): boolean {
  return value === "1" || value === "true";
}

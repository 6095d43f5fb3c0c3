/** Reads the XML of a workbook's parts in pieces, with bounds: no element, text or depth of it grows without end. */
import { SaxesParser } from "saxes";
import { damaged, tooLarge } from "./archive.ts";

export interface XmlHandler {
  /** Names are without prefixes, about which writers disagree. */
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text(text: string): void;
  close(name: string): void;
}

/** Characters between two tags, and of one tag. */
const TOKEN_LENGTH_MAX = 4 * 1024 * 1024;
const DEPTH_MAX = 100;

/** Throws `invalid_request` for XML that is not well-formed. `isDone`: the rest is of no interest. */
export async function readXml(
  bytes: AsyncIterable<Buffer>,
  handler: XmlHandler,
  isDone: () => boolean = () => false,
): Promise<void> {
  for await (const _ of parseXml(bytes, handler)) if (isDone()) return;
}

/** Yields after each piece, when its tags and texts have been handed to the handler. */
export async function* parseXml(bytes: AsyncIterable<Buffer>, handler: XmlHandler): AsyncGenerator<void> {
  const decoder = new TextDecoder();
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
  let depth = 0;
  let length = 0;
  parser.on("error", () => {
    throw damaged("its XML is broken");
  });
  parser.on("doctype", () => {
    throw damaged("its XML has a document type");
  });
  parser.on("opentag", ({ name, attributes }) => {
    length = 0;
    depth += 1;
    if (depth > DEPTH_MAX) throw damaged("its XML is nested too deep");
    handler.open(localName(name), attributes);
  });
  parser.on("text", (text) => {
    handler.text(text);
  });
  parser.on("cdata", (text) => {
    handler.text(text);
  });
  parser.on("closetag", ({ name }) => {
    length = 0;
    depth -= 1;
    handler.close(localName(name));
  });
  for await (const piece of bytes) {
    const text = decoder.decode(piece, { stream: true });
    length += text.length;
    parser.write(text);
    if (length > TOKEN_LENGTH_MAX) throw tooLarge("has a cell of more than 4 MB");
    yield;
  }
  parser.close();
  yield;
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** The attribute of that name, with any prefix. */
export function attributeOf(attributes: Readonly<Record<string, string>>, name: string): string | undefined {
  const key = Object.keys(attributes).find((one) => localName(one) === name);
  return key === undefined ? undefined : attributes[key];
}

/** `_x000D_` is how workbooks write characters that XML cannot have. */
export function decodeEscapes(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

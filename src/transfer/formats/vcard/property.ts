/** One line of a vCard, unfolded: its name, its parameters and its value, of the versions 2.1, 3 and 4. */
import { decoderOf, readEncoding } from "../encodings.ts";

export interface Property {
  /** In lower case, without a group such as `item1.`. */
  name: string;
  /** Values of `TYPE`, and parameters that have no name, in lower case. */
  types: string[];
  /** Named parameters, in lower case; their values as they are. */
  parameters: ReadonlyMap<string, string>;
  value: string;
}

/** Null: the line is no property. */
export function readProperty(line: string): Property | null {
  const colon = colonOf(line);
  if (colon === -1) return null;
  const [head = "", ...rest] = line.slice(0, colon).split(";");
  const types: string[] = [];
  const parameters = new Map<string, string>();
  for (const parameter of rest) {
    const equals = parameter.indexOf("=");
    const name = equals === -1 ? "type" : parameter.slice(0, equals).trim().toLowerCase();
    const value = parameter.slice(equals + 1).replaceAll('"', "");
    if (name === "type") types.push(...value.toLowerCase().split(","));
    else parameters.set(name, value);
  }
  const value = line.slice(colon + 1).trim();
  const name = head.slice(head.lastIndexOf(".") + 1).trim();
  return { name: name.toLowerCase(), types, parameters, value: decoded(value, types, parameters) };
}

/** Where the value begins: colons inside quoted parameters are characters. */
function colonOf(line: string): number {
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at];
    if (sign === '"') isQuoted = !isQuoted;
    if (sign === ":" && !isQuoted) return at;
  }
  return -1;
}

export function isQuotedPrintable(line: string): boolean {
  return line
    .slice(0, Math.max(colonOf(line), 0))
    .toLowerCase()
    .includes("quoted-printable");
}

function decoded(value: string, types: readonly string[], parameters: ReadonlyMap<string, string>): string {
  const encoding = parameters.get("encoding")?.toLowerCase();
  if (encoding !== "quoted-printable" && !types.includes("quoted-printable")) return value;
  return decoderOf(readEncoding(parameters.get("charset") ?? "") ?? "utf-8").decode(bytesOfQuoted(value));
}

function bytesOfQuoted(value: string): Buffer {
  const pieces = value.split(/(=[0-9a-f]{2})/i);
  return Buffer.concat(
    pieces.map((piece, index) => (index % 2 === 0 ? Buffer.from(piece) : Buffer.from(piece.slice(1), "hex"))),
  );
}

/** The parts of a value between signs that are not escaped, each with its escapes resolved. */
export function partsOf(value: string, separator: ";" | ","): string[] {
  const parts = [""];
  for (let at = 0; at < value.length; at += 1) {
    const sign = value.charAt(at);
    if (sign === separator) {
      parts.push("");
      continue;
    }
    const escaped = sign === "\\" ? value.charAt(at + 1) : "";
    if (escaped !== "") at += 1;
    const text = escaped === "" ? sign : escaped.toLowerCase() === "n" ? "\n" : escaped;
    parts[parts.length - 1] += text;
  }
  return parts.map((part) => part.trim());
}

/** A value that is one text. */
export function textOf(value: string): string {
  return partsOf(value, ";").join(";");
}

/** Changes single keys of a configuration file and leaves everything else, comments included, as it is; reads one section. */

import { parse } from "smol-toml";
import type { FileValue } from "./key.ts";

export interface KeyChange {
  section: string;
  /** The key's name in the file. */
  name: string;
  /** Null: the line becomes a comment, so that the default holds. */
  value: FileValue | null;
}

export function changeKey(toml: string, { section, name, value }: KeyChange): string {
  const lines = toml.split("\n");
  const begin = lines.findIndex((line) => sectionOf(line) === section);
  if (begin === -1) {
    if (value === null) return toml;
    return `${toml.trimEnd()}\n\n[${section}]\n${assignment(name, value)}\n`.trimStart();
  }
  const next = lines.findIndex((line, index) => index > begin && sectionOf(line) !== null);
  const end = next === -1 ? lines.length : next;
  const at = lines.findIndex((line, index) => index > begin && index < end && nameOf(line) === name);
  if (at === -1) {
    if (value !== null) lines.splice(begin + 1, 0, assignment(name, value));
  } else lines[at] = value === null ? `# ${lines[at]}` : assignment(name, value);
  return lines.join("\n");
}

function sectionOf(line: string): string | null {
  const match = /^\s*\[\s*([\w.]+)\s*\]\s*(?:#.*)?$/.exec(line);
  return match?.[1] ?? null;
}

function nameOf(line: string): string | null {
  return /^\s*(\w+)\s*=/.exec(line)?.[1] ?? null;
}

/** JSON's texts, numbers, booleans and lists of texts are TOML's too. */
function assignment(name: string, value: FileValue): string {
  return `${name} = ${JSON.stringify(value)}`;
}

/** The keys of a section with their values; a table within it is a section of its own. Throws if it is not TOML. */
export function readSection(toml: string, section: string): Record<string, FileValue> {
  const found = section
    .split(".")
    .reduce<unknown>((table, name) => (isTable(table) ? table[name] : undefined), parse(toml));
  const entries = isTable(found) ? Object.entries(found) : [];
  return Object.fromEntries(entries.filter((one): one is [string, FileValue] => isValue(one[1])));
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isValue(value: unknown): value is FileValue {
  return ["string", "number", "boolean"].includes(typeof value) || Array.isArray(value);
}

/** The values that a configuration file gives, each with its place in the file, before they are checked. */
import { parse, TomlError } from "smol-toml";
import {
  type ConfigProblem,
  describeValue,
  type SourceLocation,
  unknownKeyProblem,
  unknownSectionProblem,
} from "./errors.ts";
import { findLines } from "./lines.ts";
import { type ConfigKey, configKeys } from "./settings.ts";

/** A configured value before it is checked. */
export interface RawValue {
  readonly configKey: ConfigKey;
  readonly value: unknown;
  /** The location of the value, or of one element if it is a list. */
  locate(element: number | null): SourceLocation;
}

const innerSections = new Set(configKeys.map(({ section }) => section).filter((section) => section.includes(".")));

export function fromFile(name: string, text: string, problems: ConfigProblem[]): readonly RawValue[] {
  const document = parseToml(name, text, problems);
  const lineOf = findLines(text);
  // An element, or a key in a notation that the finder does not see, is located by the key or section that contains it.
  const locate = (path: readonly string[]): SourceLocation => {
    for (let length = path.length; length > 0; length--) {
      const line = lineOf(path.slice(0, length));
      if (line !== null) return { source: name, line };
    }
    return { source: name, line: null };
  };

  const rawValues: RawValue[] = [];
  for (const [section, content] of sectionsOf(document)) {
    const above = section.split(".");
    const matchingKeys = configKeys.filter((configKey) => configKey.section === section);
    if (matchingKeys.length === 0) {
      problems.push(unknownSectionProblem(locate([section]), section, isTable(content)));
    } else if (!isTable(content)) {
      problems.push({
        ...locate(above),
        path: section,
        message: `${section} is ${describeValue(content, true)}`,
        advice: `it must be a section: a line [${section}], and its keys below`,
      });
    } else {
      for (const [key, value] of Object.entries(content)) {
        const configKey = matchingKeys.find((one) => one.key.name === key);
        const path = [...above, key];
        if (configKey === undefined) {
          problems.push(unknownKeyProblem(locate(path), section, key));
        } else {
          rawValues.push({
            configKey,
            value,
            locate: (element) => locate(element === null ? path : [...path, String(element)]),
          });
        }
      }
    }
  }
  return rawValues;
}

/** The sections of the document. A section within another, such as `[backup.remote]`, is one of its own. */
function sectionsOf(document: Record<string, unknown>): [name: string, content: unknown][] {
  return Object.entries(document).flatMap(([name, content]): [string, unknown][] => {
    if (!isTable(content)) return [[name, content]];
    const inner = Object.keys(content).filter((key) => innerSections.has(`${name}.${key}`));
    const own = Object.entries(content).filter(([key]) => !inner.includes(key));
    return [
      [name, Object.fromEntries(own)],
      ...inner.map((key): [string, unknown] => [`${name}.${key}`, content[key]]),
    ];
  });
}

function parseToml(name: string, text: string, problems: ConfigProblem[]): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    // Only the first line of the parser's message: the rest shows the lines around the mistake, which may hold secrets.
    const [message = ""] = error instanceof Error ? error.message.split("\n") : [];
    const line = error instanceof TomlError ? error.line : null;
    const column = error instanceof TomlError ? ` at column ${error.column}` : "";
    const problem = `not valid TOML${column}: ${message.replace("Invalid TOML document: ", "")}`;
    problems.push({
      source: name,
      line,
      path: null,
      message: problem,
      advice: 'each line is key = value, with texts in "quotes"',
    });
    return {};
  }
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

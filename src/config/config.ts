/**
 * The configuration: defaults, then the file, then WAXWING_ variables, then options of the command line, each
 * stronger than the one before. Whatever is unknown or impossible in any of them stops the start, and every such
 * mistake is reported at once with its place and with what would be right. No value of a secret is ever repeated.
 */
import { lstatSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse, TomlError } from "smol-toml";
import { describe, type Mistake, type Origin, unknownKey, unknownSection, unknownVariable } from "./errors.ts";
import { Wrong } from "./kinds.ts";
import { findLines } from "./lines.ts";
import { type KeyPlace, keyPlaces, type Settings } from "./settings.ts";

export interface Config extends Omit<Settings, "storage" | "secrets" | "backup"> {
  /** The file that was read, or null where there was none. */
  readonly file: string | null;
  readonly storage: { readonly data: string /** The database file. */; readonly path: string };
  readonly secrets: { readonly keyFile: string };
  /** Backups of the server's own; `schedule` null: none. */
  readonly backup: Omit<Settings["backup"], "directory"> & { readonly directory: string };
}

export interface ConfigSources {
  /** `--config`: must exist. Without it the first of `places` that exists is read, if any. */
  readonly file?: string | undefined;
  /** What `findConfigFile` has found, where it was asked before. */
  readonly found?: ConfigFile | null | undefined;
  /** `--data` */
  readonly data?: string | undefined;
  /** `--listen` */
  readonly listen?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where a configuration is looked for; tests look elsewhere. */
  readonly places?: readonly string[] | undefined;
}

export interface ConfigFile {
  readonly name: string;
  readonly text: string;
}

/** The configuration cannot be used. The message names every mistake, one a line. */
export class ConfigError extends Error {
  readonly mistakes: readonly Mistake[];

  constructor(mistakes: readonly Mistake[]) {
    const lines = mistakes.map(
      ({ source, line, problem, advice }) => `${line === null ? source : `${source}:${line}`}: ${problem}; ${advice}`,
    );
    super(
      lines.length === 1 ? (lines[0] ?? "") : `${lines.length} mistakes in the configuration:\n${lines.join("\n")}`,
    );
    this.name = "ConfigError";
    this.mistakes = mistakes;
  }
}

/** Of the working directory: its name says so. */
export const LOCAL_FILE = "./waxwing.toml";
const PLACES = [LOCAL_FILE, "/etc/waxwing/waxwing.toml"];
const PREFIX = "WAXWING_";
/** Holds the key itself, not a setting: whoever loads the key reads it. */
const KEY_ITSELF = "WAXWING_SECRETS_KEY";

/** A value somebody gave, before it is checked. */
interface Given {
  readonly place: KeyPlace;
  readonly value: unknown;
  /** Of the value, or of an element where it is a list. */
  originOf(element: number | null): Origin;
}

/** Reads and checks the configuration, or throws `ConfigError`. Paths stay relative to the working directory. */
export function loadConfig(sources: ConfigSources): Config {
  const file = sources.found === undefined ? findConfigFile(sources) : sources.found;
  const mistakes: Mistake[] = [];
  const given = [
    ...(file === null ? [] : fromFile(file.name, file.text, mistakes)),
    ...fromEnvironment(sources.env, mistakes),
    ...fromOptions(sources),
  ];

  const values = new Map<string, unknown>();
  const origins = new Map<string, Origin>();
  for (const place of keyPlaces) values.set(place.path, place.key.kind.read(place.key.byDefault));
  // A weaker value is checked even where a stronger one replaces it: the variable may be gone tomorrow.
  for (const { place, value, originOf } of given) {
    const { kind } = place.key;
    const read = kind.read(value);
    if (!(read instanceof Wrong)) {
      values.set(place.path, read);
      origins.set(place.path, originOf(null));
      continue;
    }
    const found = read.element !== null && Array.isArray(value) ? value[read.element] : value;
    const path = read.element === null ? place.path : `${place.path}[${read.element}]`;
    mistakes.push({
      ...originOf(read.element),
      path,
      problem: `${path} is ${describe(found, kind.hidden)}`,
      advice: `it must be ${read.advice}`,
    });
  }
  // `--data` says where the database lives: a path from the file must not lead a command to another database.
  if (sources.data !== undefined) values.set("storage.path", null);

  const settings = assemble(values);
  // One of the two that is itself a mistake reads as absent here.
  if (!mistakes.some((mistake) => mistake.path?.startsWith("server.tls_"))) {
    mistakes.push(...findLoneTlsFile(settings, origins));
  }
  if (mistakes.length > 0) {
    // In the order of the file; what has no line comes after it.
    throw new ConfigError(mistakes.toSorted((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity) || 0));
  }
  const { data } = settings.storage;
  return {
    ...settings,
    file: file?.name ?? null,
    storage: { data, path: settings.storage.path ?? join(data, "waxwing.db") },
    secrets: { keyFile: settings.secrets.keyFile ?? join(data, "waxwing.key") },
    backup: { ...settings.backup, directory: settings.backup.directory ?? join(data, "backups") },
  };
}

function assemble(values: ReadonlyMap<string, unknown>): Settings {
  const settings: Record<string, Record<string, unknown>> = {};
  for (const { section, property, path } of keyPlaces) {
    const target = settings[section] ?? {};
    settings[section] = target;
    target[property] = values.get(path);
  }
  // `Settings` is derived from the same table, each type from the kind that has just read the value.
  return settings as unknown as Settings;
}

/** Reads the file that `loadConfig` would read; `onlyRoots`: of the working directory's, only where it is root's own. */
export function findConfigFile(
  { file: asked, places = PLACES }: Pick<ConfigSources, "file" | "places">,
  onlyRoots = false,
): ConfigFile | null {
  for (const name of asked === undefined ? places : [asked]) {
    if (onlyRoots && asked === undefined && name === LOCAL_FILE && !isRoots(name)) continue;
    try {
      // Takes a byte order mark away, and refuses bytes that are no text rather than replacing them.
      return { name, text: new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(name)) };
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : null;
      if (asked === undefined && (code === "ENOENT" || code === "ENOTDIR")) continue;
      if (asked === undefined && name === LOCAL_FILE && isOutOfReach(name)) continue;
      throw new ConfigError([{ source: name, line: null, path: null, ...whyUnreadable(code) }]);
    }
  }
  return null;
}

/** Who may lay a file into the working directory must not configure what root does: the file, or a link in its place. */
function isRoots(name: string): boolean {
  const { uid } = lstatSync(name, { throwIfNoEntry: false }) ?? { uid: null };
  return uid === 0 && statSync(name, { throwIfNoEntry: false })?.uid === 0 && statSync(dirname(name)).uid === 0;
}

/** Whether its directory may not even be entered: then there is no file of that name for this user. */
function isOutOfReach(name: string): boolean {
  try {
    lstatSync(name);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EACCES";
  }
}

/** `code` of the system's error. What the decoder refuses carries one of its own. */
function whyUnreadable(code: string | null): Pick<Mistake, "problem" | "advice"> {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return { problem: "there is no such file", advice: "give --config the path of a file, or leave it out" };
    case "EISDIR":
      return { problem: "it is a directory", advice: "give --config the path of a file in it" };
    case "EACCES":
      return { problem: "it may not be read", advice: "run as its owner, or name another file with --config" };
    case "ERR_ENCODING_INVALID_ENCODED_DATA":
      return { problem: "it is not UTF-8 text", advice: "save it as UTF-8" };
    default:
      return { problem: `it cannot be read (${code})`, advice: "name another file with --config" };
  }
}

function fromFile(name: string, text: string, mistakes: Mistake[]): readonly Given[] {
  const document = parseToml(name, text, mistakes);
  const lineOf = findLines(text);
  // An element, or what a strange notation hides from the finder, is placed by what stands around it.
  const originOf = (path: readonly string[]): Origin => {
    for (let length = path.length; length > 0; length--) {
      const line = lineOf(path.slice(0, length));
      if (line !== null) return { source: name, line };
    }
    return { source: name, line: null };
  };

  const given: Given[] = [];
  for (const [section, content] of Object.entries(document)) {
    const places = keyPlaces.filter((place) => place.section === section);
    if (places.length === 0) {
      mistakes.push(unknownSection(originOf([section]), section, isTable(content)));
    } else if (!isTable(content)) {
      mistakes.push({
        ...originOf([section]),
        path: section,
        problem: `${section} is ${describe(content, true)}`,
        advice: `it must be a section: a line [${section}], and its keys below`,
      });
    } else {
      for (const [key, value] of Object.entries(content)) {
        const place = places.find((one) => one.key.name === key);
        if (place === undefined) {
          mistakes.push(unknownKey(originOf([section, key]), section, key));
        } else {
          const path = [section, key];
          given.push({
            place,
            value,
            originOf: (element) => originOf(element === null ? path : [...path, String(element)]),
          });
        }
      }
    }
  }
  return given;
}

function parseToml(name: string, text: string, mistakes: Mistake[]): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    // Only the first line of the parser's message: below it, it shows the lines around the mistake, secrets included.
    const [message = ""] = error instanceof Error ? error.message.split("\n") : [];
    const line = error instanceof TomlError ? error.line : null;
    const column = error instanceof TomlError ? ` at column ${error.column}` : "";
    const problem = `not valid TOML${column}: ${message.replace("Invalid TOML document: ", "")}`;
    mistakes.push({
      source: name,
      line,
      path: null,
      problem,
      advice: 'a line is key = value, and texts stand in "quotes"',
    });
    return {};
  }
}

function fromEnvironment(env: ConfigSources["env"], mistakes: Mistake[]): readonly Given[] {
  const given: Given[] = [];
  for (const [variable, text] of Object.entries(env)) {
    if (text === undefined || !variable.startsWith(PREFIX) || variable === KEY_ITSELF) continue;
    const place = keyPlaces.find((one) => one.variable === variable);
    if (place === undefined) mistakes.push(unknownVariable(variable));
    else
      given.push({ place, value: place.key.kind.fromText(text), originOf: () => ({ source: variable, line: null }) });
  }
  return given;
}

function fromOptions(options: Pick<ConfigSources, "data" | "listen">): readonly Given[] {
  const given: Given[] = [];
  for (const [option, path, value] of [
    ["--data", "storage.data", options.data],
    ["--listen", "server.listen", options.listen],
  ] as const) {
    const place = keyPlaces.find((one) => one.path === path);
    if (value !== undefined && place !== undefined)
      given.push({ place, value, originOf: () => ({ source: option, line: null }) });
  }
  return given;
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function findLoneTlsFile({ server }: Settings, origins: ReadonlyMap<string, Origin>): readonly Mistake[] {
  if ((server.tlsCert === null) === (server.tlsKey === null)) return [];
  const [path, other] =
    server.tlsCert === null ? ["server.tls_key", "server.tls_cert"] : ["server.tls_cert", "server.tls_key"];
  const origin = origins.get(path) ?? { source: path, line: null };
  return [
    { ...origin, path, problem: `${path} is set without ${other}`, advice: "HTTPS needs both, plain HTTP neither" },
  ];
}

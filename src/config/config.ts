/**
 * The configuration: defaults, then the file, then WAXWING_ variables, then command-line options, each overriding the
 * one before. An unknown key or an invalid value in any of them prevents the start. All mistakes are reported at once,
 * each with its location and the correct form. A secret's value never appears in a message.
 */
import { lstatSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ConfigProblem, describeValue, type SourceLocation, unknownVariableProblem } from "./errors.ts";
import { fromFile, type RawValue } from "./from-file.ts";
import { findIncomplete } from "./incomplete.ts";
import type { FileValue } from "./key.ts";
import { InvalidValue } from "./kinds.ts";
import { configKeys, type Settings } from "./settings.ts";

export interface Config extends Omit<Settings, "storage" | "secrets" | "backup" | "backup.remote" | "media"> {
  /** The file that was read; null if there was none. */
  readonly file: string | null;
  /** The text of that file. */
  readonly fileText: string | null;
  /** Where each value was given, by the key's path; a default has no place. */
  readonly places: ReadonlyMap<string, SourceLocation>;
  /** The values that were given, as a file would hold them, by the key's path; secrets too. */
  readonly given: ReadonlyMap<string, FileValue>;
  readonly storage: { readonly data: string /** The database file. */; readonly path: string };
  readonly secrets: { readonly keyFile: string };
  readonly media: Omit<Settings["media"], "directory"> & { readonly directory: string };
  /** The server's own backups; `schedule` null means none. */
  readonly backup: Omit<Settings["backup"], "directory"> & {
    readonly directory: string;
    /** Where each backup is sent; null: nowhere. */
    readonly remote: RemoteConfig | null;
  };
}

type RemoteConfig = {
  readonly [K in keyof Settings["backup.remote"]]: K extends "prefix" | "region"
    ? Settings["backup.remote"][K]
    : NonNullable<Settings["backup.remote"][K]>;
};

export interface ConfigSources {
  /** `--config`: must exist. Without it, the first existing file of `searchPaths` is read, if any. */
  readonly file?: string | undefined;
  /** The result of an earlier `findConfigFile`, to avoid reading the file again. */
  readonly found?: ConfigFile | null | undefined;
  /** `--data` */
  readonly data?: string | undefined;
  /** `--listen` */
  readonly listen?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where to look for a configuration; tests use other paths. */
  readonly searchPaths?: readonly string[] | undefined;
}

export interface ConfigFile {
  readonly name: string;
  readonly text: string;
}

/** The configuration is invalid. The message lists every mistake, one per line. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(
      ({ source, line, message, advice }) => `${line === null ? source : `${source}:${line}`}: ${message}; ${advice}`,
    );
    super(lines.length === 1 ? (lines[0] ?? "") : `${lines.length} errors in the configuration:\n${lines.join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** Relative to the working directory, as the `./` tells the operator. */
export const LOCAL_FILE = "./waxwing.toml";
const DEFAULT_PATHS = [LOCAL_FILE, "/etc/waxwing/waxwing.toml"];
const HTTPS_PORT = 443;
const PREFIX = "WAXWING_";
/** Holds the key itself and is not a setting; `loadKeys` reads it. */
const SECRET_KEY_VARIABLE = "WAXWING_SECRETS_KEY";
/**
 * Read by programs that call a server, as the documentation and the examples have them, by `listen`, `trigger` and `tail`,
 * and by install.sh. A shell that exports them for those starts servers and commands too: they are not misspelt settings.
 */
const OTHER_VARIABLES: ReadonlySet<string> = new Set([
  "WAXWING_KEY",
  "WAXWING_URL",
  "WAXWING_WEBHOOK_SECRET",
  "WAXWING_API_KEY",
  "WAXWING_CONTROL_TOKEN",
  "WAXWING_EXECUTABLE",
]);

/** Whether a variable of the environment belongs to this server's configuration. */
export function isSetting(variable: string): boolean {
  return variable.startsWith(PREFIX) && variable !== SECRET_KEY_VARIABLE && !OTHER_VARIABLES.has(variable);
}

/** Reads and checks the configuration. Throws `ConfigError`. Paths stay relative to the working directory. */
export function loadConfig(sources: ConfigSources): Config {
  const file = sources.found === undefined ? findConfigFile(sources) : sources.found;
  const problems: ConfigProblem[] = [];
  const rawValues = [
    ...(file === null ? [] : fromFile(file.name, file.text, problems)),
    ...fromEnvironment(sources.env, problems),
    ...fromOptions(sources),
  ];

  const { values, given, locations } = readValues(rawValues, problems);
  // `--data` decides where the database is: a path from the file must not lead a command to another database or its files.
  if (sources.data !== undefined) {
    for (const name of ["storage.path", "media.directory"]) {
      values.set(name, null);
      given.delete(name);
      locations.delete(name);
    }
  }

  const settings = assemble(values);
  problems.push(...findIncomplete(settings, locations, problems));
  if (problems.length > 0) {
    // In the order of the file, then the problems without a line.
    throw new ConfigError(problems.toSorted((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity) || 0));
  }
  const { "backup.remote": remote, ...others } = settings;
  const { data } = settings.storage;
  return {
    ...others,
    server: withDomain(settings.server, locations.has("server.listen")),
    ...describeFile(file),
    places: locations,
    given,
    storage: { data, path: settings.storage.path ?? join(data, "waxwing.db") },
    media: { ...settings.media, directory: settings.media.directory ?? join(data, "media") },
    secrets: { keyFile: settings.secrets.keyFile ?? join(data, "waxwing.key") },
    backup: {
      ...settings.backup,
      directory: settings.backup.directory ?? join(data, "backups"),
      // Checked above: all of it is there, or nothing.
      remote: remote.endpoint === null ? null : (remote as RemoteConfig),
    },
  };
}

function describeFile(file: ConfigFile | null): Pick<Config, "file" | "fileText"> {
  return file === null ? { file: null, fileText: null } : { file: file.name, fileText: file.text };
}

/** A domain alone means HTTPS on its usual port, at the address that follows from it. */
function withDomain(server: Settings["server"], hasListen: boolean): Settings["server"] {
  const { domain, listen, publicUrl } = server;
  if (domain === null) return server;
  return {
    ...server,
    listen: hasListen ? listen : { host: "::", port: HTTPS_PORT },
    publicUrl: publicUrl ?? `https://${domain}`,
  };
}

function readValues(
  rawValues: readonly RawValue[],
  problems: ConfigProblem[],
): { values: Map<string, unknown>; given: Map<string, FileValue>; locations: Map<string, SourceLocation> } {
  const values = new Map<string, unknown>();
  const given = new Map<string, FileValue>();
  const locations = new Map<string, SourceLocation>();
  for (const configKey of configKeys) values.set(configKey.path, configKey.key.kind.read(configKey.key.defaultValue));
  // An overridden value is checked too, because the value that overrides it may be removed later.
  for (const { configKey, value, locate } of rawValues) {
    const { kind } = configKey.key;
    const read = kind.read(value);
    if (!(read instanceof InvalidValue)) {
      values.set(configKey.path, read);
      // What a kind takes is a value of a file.
      given.set(configKey.path, value as FileValue);
      locations.set(configKey.path, locate(null));
      continue;
    }
    const found = read.element !== null && Array.isArray(value) ? value[read.element] : value;
    const path = read.element === null ? configKey.path : `${configKey.path}[${read.element}]`;
    problems.push({
      ...locate(read.element),
      path,
      message: `${path} is ${describeValue(found, kind.isSecret)}`,
      advice: `it must be ${read.advice}`,
    });
  }
  return { values, given, locations };
}

function assemble(values: ReadonlyMap<string, unknown>): Settings {
  const settings: Record<string, Record<string, unknown>> = {};
  for (const { section, property, path } of configKeys) {
    const target = settings[section] ?? {};
    settings[section] = target;
    target[property] = values.get(path);
  }
  // `Settings` is derived from the same table: each type comes from the kind that has read the value.
  return settings as unknown as Settings;
}

/**
 * Reads the file that `loadConfig` would read. With `onlyRoots`, a file in the working directory is read only if it
 * belongs to root.
 */
export function findConfigFile(
  { file: requested, searchPaths = DEFAULT_PATHS }: Pick<ConfigSources, "file" | "searchPaths">,
  onlyRoots = false,
): ConfigFile | null {
  if (requested !== undefined) return readConfigFile(requested, () => false);
  for (const name of searchPaths) {
    const isLocal = name === LOCAL_FILE;
    if (onlyRoots && isLocal && !isRoots(name)) continue;
    const isAbsent = (code: string | null) =>
      code === "ENOENT" || code === "ENOTDIR" || (isLocal && isOutOfReach(name));
    const file = readConfigFile(name, isAbsent);
    if (file !== null) return file;
  }
  return null;
}

/** Null if the error means that the file does not exist. Every other error is reported. */
function readConfigFile(name: string, isAbsent: (code: string | null) => boolean): ConfigFile | null {
  try {
    // Removes a byte order mark, and rejects invalid UTF-8 rather than replacing it.
    return { name, text: new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(name)) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : null;
    if (isAbsent(code)) return null;
    throw new ConfigError([{ source: name, line: null, path: null, ...whyUnreadable(code) }]);
  }
}

/**
 * Only root may configure what root runs: file, link target and directory must belong to root, or a user who can write
 * to the working directory could supply the configuration.
 */
function isRoots(name: string): boolean {
  const { uid } = lstatSync(name, { throwIfNoEntry: false }) ?? { uid: null };
  return uid === 0 && statSync(name, { throwIfNoEntry: false })?.uid === 0 && statSync(dirname(name)).uid === 0;
}

/** True if this user may not enter the directory; for this user, the file then does not exist. */
function isOutOfReach(name: string): boolean {
  try {
    lstatSync(name);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EACCES";
  }
}

/** Explains the `code` of a system error or of the decoder. */
function whyUnreadable(code: string | null): Pick<ConfigProblem, "message" | "advice"> {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return { message: "there is no such file", advice: "give --config the path of a file, or omit it" };
    case "EISDIR":
      return { message: "it is a directory", advice: "give --config the path of a file in it" };
    case "EACCES":
      return { message: "this user may not read it", advice: "run as its owner, or name another file with --config" };
    case "ERR_ENCODING_INVALID_ENCODED_DATA":
      return { message: "it is not UTF-8 text", advice: "save it as UTF-8" };
    default:
      return { message: `it cannot be read (${code})`, advice: "name another file with --config" };
  }
}

function fromEnvironment(env: ConfigSources["env"], problems: ConfigProblem[]): readonly RawValue[] {
  const rawValues: RawValue[] = [];
  for (const [variable, text] of Object.entries(env)) {
    if (text === undefined || !isSetting(variable)) continue;
    const configKey = configKeys.find((one) => one.variable === variable);
    if (configKey === undefined) problems.push(unknownVariableProblem(variable));
    else
      rawValues.push({
        configKey,
        value: configKey.key.kind.fromText(text),
        locate: () => ({ source: variable, line: null }),
      });
  }
  return rawValues;
}

function fromOptions(options: Pick<ConfigSources, "data" | "listen">): readonly RawValue[] {
  const rawValues: RawValue[] = [];
  for (const [option, path, value] of [
    ["--data", "storage.data", options.data],
    ["--listen", "server.listen", options.listen],
  ] as const) {
    const configKey = configKeys.find((one) => one.path === path);
    if (value !== undefined && configKey !== undefined)
      rawValues.push({ configKey, value, locate: () => ({ source: option, line: null }) });
  }
  return rawValues;
}

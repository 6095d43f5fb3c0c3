/**
 * The structured log, for people (`text`) or programs (`json`): one entry, one write. Logging never throws whatever it
 * is given, never repeats what stands under a secret's name, and lets no value forge another entry. It goes to stderr,
 * for stdout belongs to the command's own output.
 */
import { writeSync } from "node:fs";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** An `Error` under any name is printed with its stack and its causes; `undefined` is left out. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A log whose entries all carry these fields; the entry's own win over them. */
  with(fields: LogFields): Log;
}

export interface LogOptions {
  /** Entries below it are dropped. */
  readonly level: LogLevel;
  readonly format: "text" | "json";
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Takes an entry with its line end; several lines where there is a stack. Default: stderr. */
  readonly write?: ((entry: string) => void) | undefined;
}

const SECRET_NAME = /token|secret|authorization|password|passphrase|cookie|api_?key|private_?key/i;
/** What a report of an error has anyway. */
const BUILT_IN_MEMBERS: ReadonlySet<string> = new Set(["name", "message", "stack", "errors", "cause"]);
const DEPTH_MAX = 6;
const ELEMENTS_MAX = 100;
const TEXT_LENGTH_MAX = 8000;
const WEIGHTS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

export function createLog({ level: minLevel, format, now, write = writeToStderr }: LogOptions): Log {
  const render = format === "json" ? renderJson : renderText;
  const bind = (bound: LogFields): Log => {
    const at =
      (level: LogLevel) =>
      (message: string, fields: LogFields = {}): void => {
        if (WEIGHTS[level] < WEIGHTS[minLevel]) return;
        write(render(timeOf(now()), level, String(message), { ...bound, ...fields }));
      };
    return {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      with: (fields) => bind({ ...bound, ...fields }),
    };
  };
  return bind({});
}

function timeOf(now: number): string {
  const date = new Date(now);
  return Number.isNaN(date.getTime()) ? String(now) : date.toISOString();
}

function renderJson(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const walk: Walk = { logged: new Set(), ancestors: [] };
  const members: [string, Plain][] = [
    ["time", time],
    ["level", level],
    ["message", message],
  ];
  for (const [name, value] of Object.entries(fields)) {
    // Two members of one name make an object that every reader reads differently.
    const free = name === "time" || name === "level" || name === "message" ? `${name}_` : name;
    const plain = plainOf(value, name, walk);
    if (plain !== undefined) members.push([free, plain]);
  }
  return `${JSON.stringify(Object.fromEntries(members))}\n`;
}

function renderText(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const walk: Walk = { logged: new Set(), ancestors: [] };
  const words: string[] = [];
  let below = "";
  for (const [name, value] of Object.entries(fields)) {
    const plain = plainOf(value, name, walk);
    if (plain === undefined) continue;
    if (value instanceof Error && isReport(plain)) below += indent(`${name}: ${stackText(plain)}`);
    else words.push(`${word(name)}=${typeof plain === "string" ? word(plain) : visible(JSON.stringify(plain))}`);
  }
  const line = `${time} ${level.toUpperCase().padEnd(5)} ${visible(message)}`;
  return `${words.length === 0 ? line : `${line}  ${words.join(" ")}`}\n${below}`;
}

/** A value without quotes where that is unmistakable. */
function word(text: string): string {
  return /^[^\s"=\p{C}]+$/u.test(text) ? text : visible(JSON.stringify(text));
}

/** Line ends and control characters as escapes: they could forge an entry or drive the reader's terminal. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === "\n" ? "\\n" : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Indented, so that no line of a stack can pass for an entry. */
function indent(text: string): string {
  return text
    .split(/\r\n|[\n\r]/)
    .map((line) => `    ${visible(line)}\n`)
    .join("");
}

function stackText({ name, message, stack, cause, errors, ...details }: ErrorReport): string {
  const parts = [stack];
  for (const [detail, value] of Object.entries(details)) parts.push(`  ${detail}: ${JSON.stringify(value)}`);
  for (const one of Array.isArray(errors) ? errors : []) parts.push(`one of its errors: ${causeText(one)}`);
  if (cause !== undefined) parts.push(`caused by: ${causeText(cause)}`);
  return parts.join("\n");
}

function causeText(cause: Plain): string {
  if (isReport(cause)) return stackText(cause);
  return typeof cause === "string" ? cause : JSON.stringify(cause);
}

/** An error as it is logged; `stack` begins with name and message. */
type ErrorReport = Readonly<Record<string, Plain>> & { readonly stack: string };

type Plain = string | number | boolean | null | readonly Plain[] | { readonly [name: string]: Plain };

function isReport(value: Plain): value is ErrorReport {
  return typeof value === "object" && value !== null && "stack" in value && typeof value.stack === "string";
}

interface Walk {
  /** Errors that this entry has told already: no stack is printed twice. */
  readonly logged: Set<unknown>;
  /** The objects that we are inside of. */
  readonly ancestors: readonly unknown[];
}

/** Any value as plain JSON: bounded, without cycles, without what stands under a secret's name. */
function plainOf(value: unknown, name: string, walk: Walk): Plain | undefined {
  if (value === undefined) return undefined;
  // Whether there is a secret (true, false, null) may be told, the secret not.
  if (value === null || typeof value === "boolean") return value;
  if (SECRET_NAME.test(name)) return "[hidden]";
  if (typeof value === "string") return cut(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object") return cut(String(value));
  if (walk.ancestors.includes(value)) return "[circular]";
  if (walk.ancestors.length >= DEPTH_MAX) return "[deeper]";
  try {
    return plainOfObject(value, name, { logged: walk.logged, ancestors: [...walk.ancestors, value] });
  } catch (error) {
    // A getter or a toJSON of the value threw; the rest of the entry is still worth having.
    return `[unprintable: ${error instanceof Error ? error.name : typeof error}]`;
  }
}

function plainOfObject(value: object, name: string, walk: Walk): Plain | undefined {
  if (value instanceof Error) {
    if (walk.logged.has(value)) return `${value.name}: ${cut(value.message)} (told above)`;
    walk.logged.add(value);
    return reportError(value, walk);
  }
  if (value instanceof Date) return timeOf(value.getTime());
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (value instanceof Map) return members(value, walk);
  if (Array.isArray(value) || value instanceof Set) {
    const shown = [...value].slice(0, ELEMENTS_MAX).map((item) => plainOf(item, "", walk) ?? null);
    const size = Array.isArray(value) ? value.length : value.size;
    return size > ELEMENTS_MAX ? [...shown, `[${size - ELEMENTS_MAX} more]`] : shown;
  }
  if ("toJSON" in value && typeof value.toJSON === "function") return plainOf(value.toJSON(), name, walk);
  return members(Object.entries(value), walk);
}

function members(entries: Iterable<[unknown, unknown]>, walk: Walk): Readonly<Record<string, Plain>> {
  const plain: [string, Plain][] = [];
  for (const [key, value] of entries) {
    if (plain.length === ELEMENTS_MAX) {
      plain.push(["…", "[more]"]);
      break;
    }
    const item = plainOf(value, String(key), walk);
    if (item !== undefined) plain.push([cut(String(key)), item]);
  }
  return Object.fromEntries(plain);
}

function reportError(error: Error, walk: Walk): ErrorReport {
  const { name, message, stack = "", cause } = error;
  const head = message === "" ? name : `${name}: ${message}`;
  // The head in the stack is that of the moment it was made, before a subclass set its name; the frames are what counts.
  const known = message === "" ? -1 : stack.indexOf(message);
  const frames = known === -1 ? stack.replace(/^(?! *at ).*\n?/, "") : stack.slice(known + message.length);
  const details = Object.entries(error).filter(([key]) => !BUILT_IN_MEMBERS.has(key));
  return {
    name: cut(name),
    message: cut(message),
    ...members(details, walk),
    stack: cut(`${head}\n${frames.replace(/^\n/, "")}`.trimEnd()),
    ...members(Object.entries({ errors: error instanceof AggregateError ? error.errors : undefined, cause }), walk),
  };
}

function cut(text: string): string {
  return text.length > TEXT_LENGTH_MAX
    ? `${text.slice(0, TEXT_LENGTH_MAX)}… (${text.length - TEXT_LENGTH_MAX} more)`
    : text;
}

function writeToStderr(entry: string): void {
  // Synchronous: `process.stderr.write` to a full pipe keeps the rest in memory, and an exit right after loses it.
  const bytes = Buffer.from(entry, "utf8");
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(2, bytes, done);
  } catch (error) {
    // A reader that is slow on a non-blocking pipe gets the rest later; one that is gone gets nothing.
    if (error instanceof Error && "code" in error && error.code === "EAGAIN")
      process.stderr.write(bytes.subarray(done));
  }
}

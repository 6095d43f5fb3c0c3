/**
 * The structured log, for people (`text`) or programs (`json`): one write per entry. Logging never throws, never prints
 * the value of a field whose name suggests a secret, and lets no value forge another entry. Entries go to stderr,
 * because stdout belongs to the command's output.
 */
import { writeSync } from "node:fs";
import type { LogEvent } from "./log-events.ts";
import { plainJson, visible } from "./shown-text.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** An `Error` in any field is printed with its stack and causes; `undefined` is omitted. */
export type LogFields = Readonly<Record<string, unknown>>;

/** `event` identifies the kind of entry and never changes; `message` is for people and may be reworded. */
type Write = (event: LogEvent, message: string, fields?: LogFields) => void;

export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  /** A log whose entries all carry these fields. An entry's own fields override them. */
  with(fields: LogFields): Log;
}

interface LogOptions {
  /** Entries below this level are dropped. */
  readonly level: LogLevel | (() => LogLevel);
  readonly format: "text" | "json";
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives an entry with its line end, and with several lines if there is a stack. Default: stderr. */
  readonly write?: ((entry: string) => void) | undefined;
  /** Receives every entry that was written, as well. */
  readonly keep?: ((entry: WrittenEntry) => void) | undefined;
}

const SECRET_NAME = /token|secret|authorization|password|passphrase|cookie|api_?key|private_?key/i;
/** Members that an error report already contains. */
const BUILT_IN_MEMBERS: ReadonlySet<string> = new Set(["name", "message", "stack", "errors", "cause"]);
const DEPTH_MAX = 6;
const ELEMENTS_MAX = 100;
const TEXT_LENGTH_MAX = 8000;
export const levelWeights: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

export function createLog({ level: min, format, now, write = writeToStderr, keep }: LogOptions): Log {
  const minLevel = typeof min === "function" ? min : () => min;
  const render = format === "json" ? renderJson : renderText;
  const bind = (bound: LogFields): Log => {
    const at =
      (level: LogLevel) =>
      (event: LogEvent, message: string, fields: LogFields = {}): void => {
        if (levelWeights[level] < levelWeights[minLevel()]) return;
        const entry = { time: timeOf(now()), level, event, message: String(message) };
        const text = render(entry, { ...bound, ...fields });
        write(text);
        keep?.({ ...entry, text });
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

interface Entry {
  readonly time: string;
  readonly level: LogLevel;
  readonly event: LogEvent;
  readonly message: string;
}

export interface WrittenEntry extends Entry {
  /** As it was written, with its fields. */
  readonly text: string;
}

function renderJson(entry: Entry, fields: LogFields): string {
  const walk: Walk = { logged: new Set(), ancestors: [] };
  const members: [string, Plain][] = Object.entries(entry);
  for (const [name, value] of Object.entries(fields)) {
    // A field must not repeat a built-in name: JSON readers differ in how they treat duplicate members.
    const free = Object.hasOwn(entry, name) ? `${name}_` : name;
    const plain = plainOf(value, name, walk);
    if (plain !== undefined) members.push([free, plain]);
  }
  return `${plainJson(Object.fromEntries(members))}\n`;
}

function renderText({ time, level, event, message }: Entry, fields: LogFields): string {
  const walk: Walk = { logged: new Set(), ancestors: [] };
  const words = [`event=${event}`];
  let below = "";
  for (const [name, value] of Object.entries(fields)) {
    const plain = plainOf(value, name, walk);
    if (plain === undefined) continue;
    if (value instanceof Error && isReport(plain)) below += indent(`${name}: ${stackText(plain)}`);
    else
      words.push(
        `${name === "event" ? "event_" : word(name)}=${typeof plain === "string" ? word(plain) : visible(JSON.stringify(plain))}`,
      );
  }
  const line = `${time} ${level.toUpperCase().padEnd(5)} ${visible(message)}`;
  return `${line}  ${words.join(" ")}\n${below}`;
}

/** A value, without quotes if it is unambiguous. */
function word(text: string): string {
  return /^[^\s"=\p{C}]+$/u.test(text) ? text : visible(JSON.stringify(text));
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
  /** Errors already printed in this entry, so that no stack is printed twice. */
  readonly logged: Set<unknown>;
  /** The objects that contain the current value. */
  readonly ancestors: readonly unknown[];
}

/** Converts any value to plain JSON: bounded, without cycles, without secrets. */
function plainOf(value: unknown, name: string, walk: Walk): Plain | undefined {
  if (value === undefined) return undefined;
  // Whether a secret is set (true, false, null) may be logged; the secret may not.
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
    // A getter or `toJSON` of the value threw; keep the rest of the entry.
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
  // On one line: a message may repeat a text from outside, whose lines would look like ours.
  const head = visible(message === "" ? name : `${name}: ${message}`);
  // The stack's head was written when the error was created, before a subclass set its name: keep only the frames.
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
  // Synchronous: when the pipe is full, `process.stderr.write` buffers the rest in memory, and an exit would lose it.
  const bytes = Buffer.from(entry, "utf8");
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(2, bytes, done);
  } catch (error) {
    // On a slow non-blocking pipe, the rest is written later; if the reader is gone, the entry is dropped.
    if (error instanceof Error && "code" in error && error.code === "EAGAIN")
      process.stderr.write(bytes.subarray(done));
  }
}

/**
 * Formats results: aligned columns and lists for people, JSON for programs. Control characters in stored texts are
 * escaped for people, because they could break the layout or control the terminal.
 */
import { formatInstant } from "#src/core/instant.ts";
import { plainJson, visible } from "#src/core/shown-text.ts";
import type { Context } from "./context.ts";

/** The result of a command. `cli.ts` decides which of the two forms is printed. */
export interface Report {
  readonly json: unknown;
  /** Without the last line end; if empty, nothing is printed. */
  readonly text: string;
  /** 1 if the result itself reports a failure; 0 if it is omitted. */
  readonly exitCode?: 0 | 1;
}

type Cell = string | number | boolean | null;

/** Values by their names, which are the headings of columns or stand before the values. */
export type Cells = Readonly<Record<string, Cell>>;

/** The rows as JSON, and as a table of what `columns` shows of each; `empty` is printed without rows. */
export function listed<Row>(rows: readonly Row[], columns: (row: Row) => Cells, empty: string): Report {
  return { json: rows, text: table(rows.map(columns), empty) };
}

/** Aligned columns under upper-case headings. Returns `empty` if there are no rows. */
export function table(rows: readonly Cells[], empty: string): string {
  const [first] = rows;
  if (first === undefined) return empty;
  const headings = Object.keys(first);
  const shown = [headings.map((heading) => heading.toUpperCase()), ...rows.map((row) => Object.values(row).map(show))];
  const widths = headings.map((_, column) => Math.max(...shown.map((row) => width(row[column] ?? ""))));
  return shown
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : pad(cell, widths[column] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** One line for each name and value, with the values aligned. Undefined values are omitted. */
export function list(entries: Readonly<Record<string, Cell | undefined>>): string {
  const shown = Object.entries(entries).filter((entry): entry is [string, Cell] => entry[1] !== undefined);
  const widest = Math.max(0, ...shown.map(([name]) => width(name)));
  return shown.map(([name, value]) => `${pad(name, widest)}  ${show(value)}`.trimEnd()).join("\n");
}

/** A part of a text: what is false or null is omitted. */
export type Line = string | false | null | readonly Line[];

/** A text of these lines, without a line end after the last one. */
export function lines(...parts: readonly Line[]): string {
  return parts.flatMap(linesOf).join("\n");
}

function linesOf(part: Line): readonly string[] {
  if (typeof part === "string") return [part];
  return part === false || part === null ? [] : part.flatMap(linesOf);
}

/** One JSON document with its line end: indented for a terminal, on one line for a program. */
export function json(value: unknown, isTerminal: boolean): string {
  return `${plainJson(value, isTerminal ? 2 : undefined)}\n`;
}

function show(cell: Cell): string {
  if (cell === null || cell === "") return "-";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  return visible(String(cell));
}

/** Returns a function that prints times in this workspace's timezone; null stays null. */
export function timesIn({ timezone }: { readonly timezone: string }) {
  return <At extends number | null>(ms: At) =>
    (ms === null ? null : formatInstant(ms, timezone)) as At extends number ? string : null;
}

/** Reports the steps of long work to a person. */
export function stepPrinter({ io, options }: Pick<Context, "io" | "options">): (step: string) => void {
  return (step) => {
    if (!options.json) io.err(`${step} …\n`);
  };
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function width(text: string): number {
  return Bun.stringWidth(text);
}

function pad(text: string, toWidth: number): string {
  return text + " ".repeat(Math.max(0, toWidth - width(text)));
}

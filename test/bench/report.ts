/** The measurements as a table: for the terminal, and for the marked place in docs/performance.md. */
import { readFileSync } from "node:fs";
import { cpus, release } from "node:os";
import type { Life } from "./life.ts";
import type { Rated, Sending } from "./measure.ts";
import type { Compared } from "./median.ts";

export interface Measurements {
  sending?: Sending;
  single?: Sending;
  me?: Rated;
  deliveries?: Rated;
  life?: Life;
  disk?: number;
  startMs?: number;
  memory?: { megabytes: number[]; eachMessages: number };
}

export interface Row {
  what: string;
  ours: string;
  bare: string;
  ratio: string;
  bound: string;
  /** Undefined if the row has no requirement. */
  isKept?: boolean;
}

/** The requirements; a ratio compares the rates. */
const MIN_SHARE = { sending: 0.28, me: 0.5, deliveries: 0.28, life: 0.1 };
/** Of the bare forwarder's. */
const MAX_TIMES = { p99: 6, processor: 3.8 };
const START_MS = 300;
const MEMORY_MEGABYTES = 200;
/** Flat: the second half of the samples adds at most this share. The first half fills SQLite's page cache. */
const FLAT_SHARE = 0.1;

export function rowsOf({ sending, single, me, deliveries, life, disk, startMs, memory }: Measurements): Row[] {
  const rows: Row[] = [];
  if (sending !== undefined) {
    rows.push(rateRow("`POST /messages`, 32 connections, messages/s", sending.rate, MIN_SHARE.sending));
    rows.push(plainRow("— median latency, ms", sending.p50, 1));
    rows.push(timesRow("— 99th percentile, ms", sending.p99, 1, MAX_TIMES.p99));
    rows.push(timesRow("— processor time a message, µs", sending.processor, 0, MAX_TIMES.processor));
    rows.push({ ...empty, what: "— writes that share a commit", ours: sending.writesPerCommit.toFixed(1) });
  }
  if (single !== undefined) {
    rows.push(plainRow("`POST /messages`, 1 connection, median latency, ms", single.p50, 2));
    rows.push(plainRow("— 99th percentile, ms", single.p99, 2));
  }
  if (me !== undefined) {
    rows.push(rateRow("`GET /me`, 32 connections, requests/s", me.rate, MIN_SHARE.me));
    rows.push(plainRow("— processor time a request, µs", me.processor, 1));
  }
  if (deliveries !== undefined) {
    rows.push(rateRow("Webhook deliveries, 32 at a time, /s", deliveries.rate, MIN_SHARE.deliveries));
    rows.push(plainRow("— processor time a delivery, µs", deliveries.processor, 0));
  }
  if (life !== undefined) {
    rows.push(rateRow("Whole life, 32 connections, messages/s", life.rate, MIN_SHARE.life));
    rows.push(plainRow("— 99th percentile of `POST /messages`, ms", life.p99, 1));
    rows.push(plainRow("— processor time a message, µs", life.processor, 0));
  }
  if (startMs !== undefined) {
    const bound = `under ${START_MS}`;
    rows.push({
      ...empty,
      what: "Start to first answer, ms",
      ours: startMs.toFixed(0),
      bound,
      isKept: startMs < START_MS,
    });
  }
  if (memory !== undefined) rows.push(memoryRow(memory));
  if (disk !== undefined) rows.push({ ...empty, what: "The disk alone, commits/s", ours: whole(disk) });
  return rows;
}

/** A row without a bare comparison; `isKept` undefined: no requirement. */
export function aloneRow(what: string, ours: string, bound = "", isKept?: boolean): Row {
  return { ...empty, what, ours, bound, ...(isKept === undefined ? {} : { isKept }) };
}

const empty: Row = { what: "", ours: "", bare: "", ratio: "", bound: "" };

function rateRow(what: string, { ours, bare, ratio, range }: Compared, min: number): Row {
  const ratios = `${ratio.toFixed(2)} (${range[0].toFixed(2)}–${range[1].toFixed(2)})`;
  return {
    what,
    ours: whole(ours),
    bare: whole(bare),
    ratio: ratios,
    bound: `at least ${min}`,
    isKept: ratio >= min,
  };
}

function timesRow(what: string, compared: Compared, digits: number, max: number): Row {
  const { ratio, range } = compared;
  return {
    ...plainRow(what, compared, digits),
    ratio: `${ratio.toFixed(1)} (${range[0].toFixed(1)}–${range[1].toFixed(1)})`,
    bound: `at most ${max}`,
    isKept: ratio <= max,
  };
}

function plainRow(what: string, { ours, bare }: Compared, digits: number): Row {
  return { ...empty, what, ours: ours.toFixed(digits), bare: bare.toFixed(digits) };
}

function memoryRow({ megabytes: memory, eachMessages }: NonNullable<Measurements["memory"]>): Row {
  const max = Math.max(...memory);
  const half = memory[Math.ceil(memory.length / 2) - 1] ?? max;
  const isFlat = (memory.at(-1) ?? max) <= half * (1 + FLAT_SHARE);
  return {
    ...empty,
    what: `Memory after each ${whole(eachMessages)} messages, MB`,
    ours: memory.map((megabytes) => megabytes.toFixed(0)).join(" → "),
    bound: `under ${MEMORY_MEGABYTES}, flat`,
    isKept: max < MEMORY_MEGABYTES && isFlat,
  };
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

const HEADS = ["", "Waxwing", "bare", "ratio (lowest–highest)", "demanded"] as const;

/** Aligned Markdown, so that it is readable in a terminal too. */
export function renderTable(rows: readonly Row[]): string {
  const lines = rows.map(({ what, ours, bare, ratio, bound, isKept }) => [
    what,
    ours,
    bare,
    ratio,
    isKept === undefined ? bound : `${bound}: ${isKept ? "kept" : "MISSED"}`,
  ]);
  const widths = HEADS.map((head, column) => Math.max(head.length, ...lines.map((line) => line[column]?.length ?? 0)));
  const render = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [render(HEADS), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...lines.map(render)].join(
    "\n",
  );
}

export function describeMachine(rounds: number): string {
  return `Medians of ${rounds} rounds in one run, ${machineText()}.`;
}

/** The date and the machine. */
export function machineText(): string {
  const [first] = cpus();
  const when = new Date().toISOString().slice(0, 10);
  return `${when}: ${cpus().length} × ${first?.model.trim() ?? "unknown processor"}, Linux ${release()}, Bun ${Bun.version}`;
}

export const DEFAULT_PLACE = "<!-- measured: bun run bench --write -->";
export const BROADCASTS_PLACE = "<!-- measured: bun run bench:broadcasts --write -->";
export const LATENCY_PLACE = "<!-- measured: bun run bench:latency --write -->";
export const PEOPLE_PLACE = "<!-- measured: bun run bench --only people --write -->";
export const CONSOLE_PLACE = "<!-- measured: bun run bench:console --write -->";
export const INBOX_PLACE = "<!-- measured: bun run bench:inbox --write -->";
export const CALLBACKS_PLACE = "<!-- measured: bun run bench:callbacks --write -->";
export const RETENTION_PLACE = "<!-- measured: bun run bench:retention --write -->";
export const NEIGHBOURS_PLACE = "<!-- measured: bun run bench:neighbours --write -->";
export const PEERS_PLACE = "<!-- measured: bun run bench:peers --write -->";
const END = "<!-- /measured -->";

/** Replaces the text between a marker of a document and the next end marker; throws if a marker is missing. */
export function putBetweenMarkers(document: string, place: string, text: string): string {
  const from = document.indexOf(place);
  const to = document.indexOf(END, from);
  if (from === -1 || to < from) throw new Error(`the document has no place marked ${place} … ${END}`);
  return `${document.slice(0, from + place.length)}\n${text}\n${document.slice(to)}`;
}

/** Writes the table into the document that explains it. */
export async function writeReport(path: string, place: string, text: string): Promise<void> {
  await Bun.write(path, putBetweenMarkers(readFileSync(path, "utf8"), place, text));
}

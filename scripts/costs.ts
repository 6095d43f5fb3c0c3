/**
 * `bun run costs`: what each way into the server costs at its worst, against the bounds of `test/support/cost-bounds.ts`.
 * `--write` puts what was measured into the map, docs/costs.md. Exit code 1: something costs more than its bound.
 */
import { loadavg } from "node:os";
import { join } from "node:path";
import { machineText } from "#test/bench/report.ts";
import { exceptions, MEBIBYTE, RULE } from "#test/support/cost-bounds.ts";
import { commandNames, measureCommands, unmeasured } from "#test/support/cost-commands.ts";
import { boundsOf, type Cost, CostServer, excess, minOf } from "#test/support/cost-map.ts";
import { readOptions } from "#test/support/options.ts";

const PAGE = join(import.meta.dir, "../docs/costs.md");

const { values } = readOptions(
  { call: "bun run costs", about: "Measures what each way into the server costs at its worst." },
  {
    write: { type: "boolean", default: false, about: "put what was measured into docs/costs.md" },
    missing: { type: "boolean", default: false, about: "only what is not on the map yet" },
    only: { type: "string", default: "", value: "TEXT", about: "ways whose name contains this" },
    check: {
      type: "boolean",
      default: false,
      about: "measure less, and allow six times the time and memory, as the suite does",
    },
    repeats: { type: "string", default: "5", about: "measurements of each input, of which the least counts" },
  },
);

/** Other work on the machine makes the processor slower; a way that holds it has tens of times its bound. */
const FACTOR = values.check ? 6 : 1;

interface Row extends Cost {
  name: string;
  /** The input with the longest slice. */
  input: string;
  exceeds: string[];
}

const LINE = /^\| `((?:API|console|server|command): [^`]+)` +\|.*\|.*\|.*\|$/gm;
/** The cells of the map's lines by the names of their ways. */
const onMap = new Map(
  [...(await Bun.file(PAGE).text()).matchAll(LINE)].map(([line, name = ""]) => [
    name,
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  ]),
);
const isWanted = (name: string): boolean => name.includes(values.only) && !(values.missing && onMap.has(name));
const lines = new Map<string, string[]>();
const note = (row: Row): void => {
  lines.set(row.name, cellsOf(row));
  if (row.exceeds.length > 0) process.exitCode = 1;
  console.log(cellsOf(row).join(" | "));
};
{
  await using server = await CostServer.start();
  for (const way of server.ways) {
    lines.set(way.name, onMap.get(way.name) ?? []);
    if (!isWanted(way.name)) continue;
    const bounds = boundsOf(way);
    const costs: (Cost & { input: string })[] = [];
    for (const input of way.inputs.filter(({ isShort }) => isShort || !values.check)) {
      const measured: Cost[] = [];
      const isKept = (): boolean => excess(minOf(measured), bounds, FACTOR).length === 0;
      do measured.push(await server.measure(input));
      while (measured.length < Number(values.repeats) && !(values.check && isKept()));
      costs.push({ ...minOf(measured), input: input.name });
    }
    const [longest] = costs.toSorted((one, other) => other.sliceMs - one.sliceMs);
    if (longest === undefined) throw new Error(`${way.name} has no input`);
    const max = {
      ...longest,
      bytes: Math.max(...costs.map(({ bytes }) => bytes)),
      memory: Math.max(...costs.map(({ memory }) => memory)),
    };
    note({ name: way.name, ...max, exceeds: excess(max, bounds, FACTOR) });
  }
  const commands = (await commandNames()).map((name) => `command: ${name}`);
  for (const name of commands) lines.set(name, onMap.get(name) ?? []);
  const isMeasured = commands.some((name) => isWanted(name) && !(name.replace("command: ", "") in unmeasured));
  for (const [command, cost] of isMeasured ? await measureCommands(server.side) : []) {
    const name = `command: ${command}`;
    if (!isWanted(name)) continue;
    const exceeds = excess(cost, boundsOf({ name, kind: "command" }), FACTOR);
    note({ name, input: "its example", ...cost, exceeds });
  }
}

function cellsOf({ name, input, status, sliceMs, bytes, memory, exceeds }: Row): string[] {
  const kilobytes = bytes < 1_000 ? "< 1" : Math.round(bytes / 1_000).toLocaleString("en");
  const cells = [sliceMs.toFixed(1), kilobytes, (memory / MEBIBYTE).toFixed(0)];
  return [
    `\`${name}\``,
    `${input} (${status})`,
    ...cells,
    exceeds.length === 0 ? "kept" : `MISSED: ${exceeds.join(", ")}`,
  ];
}

function table(head: string[], body: string[][]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}

const megabytes = (bytes: number): string =>
  Number.isFinite(bytes) ? `${(bytes / MEBIBYTE).toLocaleString("en", { maximumFractionDigits: 2 })} MiB` : "any";

if (values.write) {
  const [load = 0] = loadavg();
  const rule = Object.entries(RULE).map(([kind, bounds]) => [
    kind,
    String(bounds.sliceMs),
    megabytes(bounds.bytes),
    megabytes(bounds.memory),
  ]);
  const allowed = exceptions.map(({ ways, why, sliceMs, bytes, memory }) => [
    `\`${ways.source.replaceAll("\\", "").replaceAll("|", " or ")}\``,
    [
      ...(sliceMs === undefined ? [] : [`${sliceMs} ms`]),
      ...(bytes === undefined ? [] : [megabytes(bytes)]),
      ...(memory === undefined ? [] : [`${megabytes(memory)} of memory`]),
    ].join(", "),
    why,
  ]);
  await Bun.write(
    PAGE,
    `# What each way in costs

Generated by \`bun run costs --write\`, which takes some minutes. Every endpoint, route, callback and command is asked for the most
that its limits allow, on a server whose workspace is filled to its limits: pages of 500 of the largest rows, one person
with everything that a person may have, forms of 1 MiB. A new route fails \`test/pages/costs.test.ts\` until it is on this
page.

**A slice** is the processor time of the server's thread between two turns of its loop, in which no other request is answered;
of a command, it is that of one write, for which the server's own writes wait. Of several measurements the least counts. The time
of day plays no part, so other work on the machine changes little. The suite measures with \`--check\`: each input once and
against six times the time and memory, and again what exceeds that, so that it is only about what is of another size.

The bounds come from this rule and never from a measurement:

${table(["what it answers with", "a slice, ms", "bytes", "memory"], rule)}

What may cost more:

${table(["ways", "bound", "why"], allowed)}

Commands that are not measured:

${table(
  ["command", "why"],
  Object.entries(unmeasured).map(([name, why]) => [`\`command: ${name}\``, why]),
)}

## The map

${table(
  ["way", "longest slice with (status)", "slice, ms", "kB", "memory, MB", "bound"],
  [...lines.values()].filter((cells) => cells.length > 0),
)}

Last run, ${machineText()}. Load average at its end: ${load.toFixed(1)}.
`,
  );
}

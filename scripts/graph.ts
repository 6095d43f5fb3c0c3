/**
 * Prints the shape of the sources: `bun run graph [--json]`. Counts folders, files and the imports between them, and
 * lists import cycles, files per folder and the largest files. Type imports count like any other; packages do not.
 */
import { dirname } from "node:path";
import { readOptions } from "#test/support/options.ts";
import { readSources, type SourceFile } from "#test/support/source.ts";

const LARGEST_FILES = 5;

export interface Cycle {
  /** The modules that import themselves through others, sorted. */
  members: string[];
  /** A shortest cycle through them; the first module is repeated at the end. */
  example: string[];
}

export interface Graph {
  folders: number;
  files: number;
  fileEdges: number;
  folderEdges: number;
  fileCycles: Cycle[];
  folderCycles: Cycle[];
  /** Folders with the most files first. */
  filesPerFolder: { folder: string; files: number }[];
  largestFiles: { file: string; lines: number }[];
}

type Edges = ReadonlyMap<string, ReadonlySet<string>>;

export function graphOf(sources: readonly Pick<SourceFile, "path" | "text" | "imports">[]): Graph {
  const fileEdges = new Map<string, Set<string>>(sources.map(({ path }) => [path, new Set()]));
  const folderEdges = new Map<string, Set<string>>(sources.map(({ path }) => [dirname(path), new Set()]));
  const filesPerFolder = new Map<string, number>();
  for (const { path, imports } of sources) {
    const folder = dirname(path);
    filesPerFolder.set(folder, (filesPerFolder.get(folder) ?? 0) + 1);
    for (const { file } of imports) {
      if (file === null || !fileEdges.has(file)) continue;
      fileEdges.get(path)?.add(file);
      if (dirname(file) !== folder) folderEdges.get(folder)?.add(dirname(file));
    }
  }
  return {
    folders: folderEdges.size,
    files: fileEdges.size,
    fileEdges: countEdges(fileEdges),
    folderEdges: countEdges(folderEdges),
    fileCycles: cyclesOf(fileEdges),
    folderCycles: cyclesOf(folderEdges),
    filesPerFolder: [...filesPerFolder]
      .map(([folder, files]) => ({ folder, files }))
      .sort((one, other) => other.files - one.files || compare(one.folder, other.folder)),
    largestFiles: sources
      .map(({ path, text }) => ({ file: path, lines: text.split("\n").length - 1 }))
      .sort((one, other) => other.lines - one.lines || compare(one.file, other.file))
      .slice(0, LARGEST_FILES),
  };
}

function countEdges(edges: Edges): number {
  return [...edges.values()].reduce((sum, { size }) => sum + size, 0);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Two nodes are in the same cycle if each reaches the other. */
function cyclesOf(edges: Edges): Cycle[] {
  const reached = new Map([...edges.keys()].map((node) => [node, reachableFrom(node, edges)]));
  const seen = new Set<string>();
  const cycles: Cycle[] = [];
  for (const node of [...edges.keys()].sort(compare)) {
    const own = reached.get(node);
    if (own === undefined || !own.has(node) || seen.has(node)) continue;
    const members = [...own].filter((other) => reached.get(other)?.has(node)).sort(compare);
    for (const member of members) seen.add(member);
    const ways = members.map((member) => shortestWayRound(member, edges));
    const [example = []] = ways.sort((one, other) => one.length - other.length);
    cycles.push({ members, example });
  }
  return cycles;
}

/** Contains the start only if it lies on a cycle. */
function reachableFrom(start: string, edges: Edges): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const next of edges.get(node) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      open.push(next);
    }
  }
  return reached;
}

function shortestWayRound(start: string, edges: Edges): string[] {
  const ways: string[][] = [[start]];
  const visited = new Set<string>();
  // Grows during the loop: breadth first.
  for (const way of ways) {
    for (const next of edges.get(way.at(-1) ?? "") ?? []) {
      if (next === start) return [...way, start];
      if (visited.has(next)) continue;
      visited.add(next);
      ways.push([...way, next]);
    }
  }
  return [];
}

function render(graph: Graph): string {
  const listed = (cycles: readonly Cycle[]): string[] =>
    cycles.map(
      ({ members, example }) => `  ${members.length} members: ${example.join(" → ")}\n    ${members.join(" ")}`,
    );
  const counted = (rows: readonly [number, string][]): string[] =>
    rows.map(([count, name]) => `  ${String(count).padStart(5)}  ${name}`);
  return [
    `${graph.folders} folders, ${graph.files} files`,
    `${graph.fileEdges} imports between files, ${graph.folderEdges} between folders`,
    `${graph.fileCycles.length} cycles between files`,
    ...listed(graph.fileCycles),
    `${graph.folderCycles.length} cycles between folders`,
    ...listed(graph.folderCycles),
    "files per folder",
    ...counted(graph.filesPerFolder.map(({ folder, files }) => [files, folder])),
    "largest files, in lines",
    ...counted(graph.largestFiles.map(({ file, lines }) => [lines, file])),
  ].join("\n");
}

if (import.meta.main) {
  const { values } = readOptions(
    {
      call: "bun run graph",
      about: "Prints the shape of the sources: folders, imports, cycles and the largest files.",
    },
    {
      json: { type: "boolean", default: false, about: "prints JSON" },
    },
  );
  const graph = graphOf(readSources());
  console.log(values.json ? JSON.stringify(graph, null, 2) : render(graph));
}

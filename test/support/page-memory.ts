/**
 * What a page holds in memory: strings, names of properties and variables, and attributes of a heap snapshot, after what is
 * unused was collected; and what its fields hold, which the snapshot omits. Labels that V8 makes for the snapshot
 * are skipped: they contain ids, as in "scope @135791", and one of these may be any number.
 */
import type { BrowserContext, Page } from "playwright-core";

interface HeapSnapshot {
  snapshot: {
    meta: {
      node_fields: string[];
      node_types: [string[], ...unknown[]];
      edge_fields: string[];
      edge_types: [string[], ...unknown[]];
    };
  };
  /** The nodes one after another, each with the numbers that `node_fields` names. */
  nodes: number[];
  /** In the order of their nodes. */
  edges: number[];
  strings: string[];
}

/** The kinds whose name is what the page has written: a "native" one is an element with its attributes. */
const NODES = ["string", "regexp", "native"];
const EDGES = ["property", "context"];
const FIELDS = `[...document.querySelectorAll("input, textarea, select")].map(({ value }) => value)`;

export async function stringsInMemory(page: Page, context: BrowserContext): Promise<string[]> {
  const devtools = await context.newCDPSession(page);
  const chunks: string[] = [];
  devtools.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => void chunks.push(chunk));
  await devtools.send("HeapProfiler.collectGarbage");
  await devtools.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  await devtools.detach();
  const held = heldStrings(JSON.parse(chunks.join("")) as HeapSnapshot);
  return [...held, ...(await page.evaluate<string[]>(FIELDS))];
}

function heldStrings({ snapshot: { meta }, nodes, edges, strings }: HeapSnapshot): Set<string> {
  const held = new Set<string>();
  const keep = (at: number | undefined) => held.add(strings[at ?? 0] ?? "");
  const typesOfNodes = meta.node_types[0];
  const typesOfEdges = meta.edge_types[0];
  const [type, name] = [meta.node_fields.indexOf("type"), meta.node_fields.indexOf("name")];
  for (let at = 0; at < nodes.length; at += meta.node_fields.length)
    if (NODES.includes(typesOfNodes[nodes[at + type] ?? 0] ?? "")) keep(nodes[at + name]);
  const [kind, label] = [meta.edge_fields.indexOf("type"), meta.edge_fields.indexOf("name_or_index")];
  for (let at = 0; at < edges.length; at += meta.edge_fields.length)
    if (EDGES.includes(typesOfEdges[edges[at + kind] ?? 0] ?? "")) keep(edges[at + label]);
  return held;
}

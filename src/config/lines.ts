/**
 * Finds the line of each key in a TOML document, for messages. smol-toml reads the values and reports syntax errors, but
 * not where a value stands; this parser, made for a linter, does. For a text that it cannot read, no line is found.
 * See docs/decisions/structure.md, 0064.
 */
import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser";

/** Section, inner section, key, element: nothing deeper is looked up, and a path can be as long as the document. */
const DEPTH_MAX = 4;

/** `path` holds the segments of a key's path; the elements of a list are "0", "1", … */
type LineFinder = (path: readonly string[]) => number | null;

type Path = readonly string[];

/** The line (from 1) where a key, section or list element is first named; null if it is not found. */
export function findLines(toml: string): LineFinder {
  const lines = new Map<string, number>();
  const name = (path: Path, { loc }: AST.TOMLNode): void => {
    // A dotted key names the tables above it too; a reader looks for a table where it is first named.
    for (let length = 1; length <= Math.min(path.length, DEPTH_MAX); length++) {
      const key = nameOf(path.slice(0, length));
      if (!lines.has(key)) lines.set(key, loc.start.line);
    }
  };
  for (const node of parsed(toml)) visit(node, [], name);
  return (path) => lines.get(nameOf(path)) ?? null;
}

function parsed(toml: string): AST.TOMLTopLevelTable["body"] {
  try {
    return parseTOML(toml).body[0].body;
  } catch (error) {
    if (error instanceof ParseError) return [];
    throw error;
  }
}

function visit(
  node: AST.TOMLTable | AST.TOMLKeyValue | AST.TOMLContentNode,
  above: Path,
  name: (path: Path, node: AST.TOMLNode) => void,
): void {
  if (above.length >= DEPTH_MAX) return;
  if (node.type === "TOMLTable" || node.type === "TOMLKeyValue") {
    const path = [...above, ...getStaticTOMLValue(node.key)];
    name(path, node.key);
    for (const inner of node.type === "TOMLTable" ? node.body : [node.value]) visit(inner, path, name);
  } else if (node.type === "TOMLInlineTable") {
    for (const pair of node.body) visit(pair, above, name);
  } else if (node.type === "TOMLArray") {
    for (const [index, element] of node.elements.entries()) {
      const path = [...above, String(index)];
      name(path, element);
      visit(element, path, name);
    }
  }
}

function nameOf(path: Path): string {
  return JSON.stringify(path);
}

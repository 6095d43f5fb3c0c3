/** `scripts/graph.ts` on made-up sources: its counts, and the cycles between files and between folders. */
import { expect, test } from "bun:test";
import { graphOf } from "../scripts/graph.ts";
import { readSource } from "./support/source.ts";

test("the graph counts each import once, with types and without packages, and names a path for each cycle", () => {
  const graph = graphOf([
    readSource("src/a/one.ts", 'import { two } from "./two.ts";\nimport type { B } from "#src/b/one.ts";\n'),
    readSource("src/a/two.ts", 'import { three } from "./three.ts";\nimport { join } from "node:path";\n'),
    readSource("src/a/three.ts", 'import { one } from "./one.ts";\nimport { other } from "./one.ts";\n'),
    readSource("src/b/one.ts", 'export type { C } from "../c/one.ts";\n'),
    readSource("src/b/two.ts", 'import type { A } from "#src/a/three.ts";\n'),
    readSource("src/c/one.ts", "export const c = 1;\n"),
  ]);
  expect(graph).toEqual({
    folders: 3,
    files: 6,
    fileEdges: 6,
    folderEdges: 3,
    fileCycles: [
      {
        members: ["src/a/one.ts", "src/a/three.ts", "src/a/two.ts"],
        example: ["src/a/one.ts", "src/a/two.ts", "src/a/three.ts", "src/a/one.ts"],
      },
    ],
    // The folders form a cycle, although no file of one is in a cycle with a file of the other.
    folderCycles: [{ members: ["src/a", "src/b"], example: ["src/a", "src/b", "src/a"] }],
    filesPerFolder: [
      { folder: "src/a", files: 3 },
      { folder: "src/b", files: 2 },
      { folder: "src/c", files: 1 },
    ],
    largestFiles: [
      { file: "src/a/one.ts", lines: 2 },
      { file: "src/a/three.ts", lines: 2 },
      { file: "src/a/two.ts", lines: 2 },
      { file: "src/b/one.ts", lines: 1 },
      { file: "src/b/two.ts", lines: 1 },
    ],
  });
});

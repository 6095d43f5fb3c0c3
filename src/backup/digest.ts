/**
 * The digest of a backup: its SHA-256, in a file beside it that `sha256sum -c` reads too. It proves that a copied or
 * stored backup is, bit for bit, the one that was verified; SQLite's own check overlooks most changes of single bits.
 */
import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { piecesFrom } from "#src/core/pieces.ts";
import type { CheckFinding } from "#src/health/check.ts";
import { replaceFile } from "./files.ts";

export const DIGEST = ".sha256";
const LOG = "-wal";

type DigestState =
  /** There is no digest beside the file. */
  { kind: "none" } | { kind: "same"; digest: string } | { kind: "broken"; finding: CheckFinding };

/** Writes the digest of `file` beside `target`, under whose name the file is about to be moved. */
export function writeDigest(file: string, target: string): string {
  const digest = digestOf(file);
  replaceFile(`${target}${DIGEST}`, digestLine(digest, target));
  return digest;
}

export function digestLine(digest: string, target: string): string {
  return `${digest}  ${basename(target)}\n`;
}

/** Compares the file with the digest beside it. Reads the whole file. */
export function compareDigest(file: string): DigestState {
  let text: string;
  try {
    text = readFileSync(`${file}${DIGEST}`, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return { kind: "none" };
    throw error;
  }
  const expected = /^([0-9a-f]{64})(\s|$)/i.exec(text)?.[1]?.toLowerCase();
  if (expected === undefined) return broken(`${file}${DIGEST} holds no SHA-256`);
  // SQLite would apply the changes in it, and the digest does not cover them.
  if ((statSync(`${file}${LOG}`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    return broken(`${file}${LOG} holds changes that the digest does not cover`);
  const found = digestOf(file);
  return found === expected ? { kind: "same", digest: found } : broken(`its SHA-256 is ${found}, not ${expected}`);
}

function broken(id: string): DigestState {
  return {
    kind: "broken",
    finding: {
      name: "digest",
      sentence: "The file is bit for bit the one that was backed up, as the digest beside it says.",
      count: 1,
      of: "file",
      ids: [id],
      next: "use another backup, or copy this one again from where it was made",
    },
  };
}

function digestOf(path: string): string {
  const hash = createHash("sha256");
  const handle = openSync(path, "r");
  try {
    for (const piece of piecesFrom(handle)) hash.update(piece);
    return hash.digest("hex");
  } finally {
    closeSync(handle);
  }
}

/** The file of a planned move: what is written is read again, other programs read it, and no changed bit passes. */
import { afterAll, expect, test } from "bun:test";
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { isMoveName, MoveFileBroken, MoveFileWriter, markUsed, readMoveFile } from "#src/backup/move/archive.ts";
import { tar } from "../../scripts/release/tar.ts";

const directory = mkdtempSync(join(tmpdir(), "waxwing-move-file-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const path = join(directory, "file.move");
const isFull = process.env.MOVE_FULL === "1";
const MEDIUM = `media/1-${"0".repeat(64)}`;

interface Entry {
  name: string;
  bytes: Uint8Array;
}

function write(entries: readonly Entry[]): Buffer {
  const handle = openSync(path, "w+");
  const writer = new MoveFileWriter(handle);
  for (const { name, bytes } of entries) {
    writeFileSync(join(directory, "source"), bytes);
    writer.addFile(name, join(directory, "source"));
  }
  writer.finish();
  closeSync(handle);
  return readFileSync(path);
}

function read(bytes: Uint8Array): { entries: Entry[]; use: string } {
  writeFileSync(path, bytes);
  const handle = openSync(path, "r");
  const entries: Entry[] = [];
  try {
    const use = readMoveFile(handle, (name) => {
      const pieces: Buffer[] = [];
      return {
        write: (piece) => pieces.push(Buffer.from(piece)),
        end: () => entries.push({ name, bytes: new Uint8Array(Buffer.concat(pieces)) }),
      };
    });
    return { entries, use: use.kind === "used" ? `used ${use.at} ${use.by}` : use.kind };
  } finally {
    closeSync(handle);
  }
}

const sample: Entry[] = [
  { name: "move.json", bytes: Buffer.from("{}") },
  { name: "waxwing.db", bytes: new Uint8Array(3_000).fill(7) },
  { name: "waxwing.key", bytes: Buffer.from("key\n") },
  { name: MEDIUM, bytes: new Uint8Array(512) },
];

test("every entry is read again, whatever its size, and tar unpacks the same", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 6 }), (contents) => {
      const entries = contents.map((bytes, index) => ({ name: `media/${index + 1}-${"a".repeat(64)}`, bytes }));
      expect(read(write(entries))).toEqual({ entries, use: "unused" });
    }),
    { numRuns: 30 },
  );
  write(sample);
  const out = join(directory, "out");
  mkdirSync(out);
  expect(Bun.spawnSync(["tar", "-xf", path, "-C", out]).exitCode).toBe(0);
  expect(readdirSync(out).sort()).toEqual(["DIGEST", "STATE", "media", "move.json", "waxwing.db", "waxwing.key"]);
  expect(new Uint8Array(readFileSync(join(out, "waxwing.db")))).toEqual(new Uint8Array(3_000).fill(7));
});

test("the mark of a used file is its only change, and the file stays readable", () => {
  const before = write(sample);
  const handle = openSync(path, "r+");
  markUsed(handle, 1_700_000_000_000, "abcdefgh12345678");
  closeSync(handle);
  const after = readFileSync(path);
  expect(after.subarray(1_024).equals(before.subarray(1_024))).toBe(true);
  expect(read(after).use).toBe("used 1700000000000 abcdefgh12345678");
});

test("one changed bit, a missing tail and anything added are refused, wherever they are", () => {
  const bytes = write(sample);
  const step = isFull ? 1 : 29;
  for (let bit = 0; bit < bytes.length * 8; bit += step) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => read(changed)).toThrow(MoveFileBroken);
  }
  for (let length = 0; length < bytes.length; length += isFull ? 1 : 97)
    expect(() => read(bytes.subarray(0, length))).toThrow(MoveFileBroken);
  expect(() => read(Buffer.concat([bytes, Buffer.from("x")]))).toThrow(MoveFileBroken);
});

test("an archive with other names, links, other types or a wrong order is refused before anything is written", () => {
  const regular = { mode: 0o600, bytes: Buffer.from("text") };
  for (const name of ["../waxwing.key", "/etc/passwd", "media/../x", `media/1-${"A".repeat(64)}`, "media", "x", ""])
    expect(isMoveName(name)).toBe(false);
  const state = write([]).subarray(0, 1_024);
  for (const entry of [
    { path: "../escaped", ...regular },
    { path: "/tmp/escaped", ...regular },
    { path: "waxwing.key", mode: 0o777, target: "/etc/passwd" },
    { path: "media/", mode: 0o700 },
    { path: "waxwing.key", mode: 0o644, bytes: Buffer.from("text") },
  ])
    expect(() => read(Buffer.concat([state, tar([entry], 0)]))).toThrow("it holds what no move writes");
  expect(() => read(write([...sample].reverse()))).toThrow("is out of order in it");
  expect(() => read(write([...sample.slice(0, 2), ...sample.slice(1)]))).toThrow("is out of order in it");
  expect(() => read(Buffer.from("not a move file".repeat(100)))).toThrow(MoveFileBroken);
});

/** The one archive: what is written is read again, tar unpacks it too, and no changed bit and no foreign entry passes. */
import { afterAll, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { packTar } from "modern-tar";
import {
  archiveEntries,
  markFinished,
  markUsed,
  maxArchiveBytes,
  readArchive,
  readManifest,
  readUse,
  writeArchive,
} from "#src/backup/archive/archive.ts";
import { discard, unpack } from "#src/backup/archive/unpack.ts";
import { piecesFrom } from "#src/core/pieces.ts";
import { ArchiveBroken, type TarEntry, textEntry } from "#src/core/tar.ts";
import { inForm } from "#test/support/long-form.ts";
import { bytesOf, inPieces } from "#test/support/pieces.ts";

const directory = mkdtempSync(join(tmpdir(), "waxwing-archive-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const path = join(directory, "archive");
const MEDIUM = `media/1-${"0".repeat(64)}`;
const KEY = `${Buffer.alloc(32, 1).toString("base64")}\n`;

const sample: readonly TarEntry[] = [
  textEntry("manifest.json", '{"format":2,"takenAt":1}'),
  textEntry("waxwing.key", KEY),
  { name: "waxwing.db", bytes: 3_000, content: new Uint8Array(3_000).fill(7) },
  { name: MEDIUM, bytes: 512, content: new Uint8Array(512) },
];

const write = (entries: Iterable<TarEntry>, isFinished = true) => bytesOf(writeArchive(entries, isFinished));

async function read(bytes: Uint8Array, sizes: readonly number[] = [700]): Promise<[name: string, hex: string][]> {
  const found: [string, string][] = [];
  for await (const { name, bytes: length, pieces } of readArchive(inPieces(bytes, sizes))) {
    const content = await bytesOf(pieces);
    expect(content.length).toBe(length);
    found.push([name, content.toString("hex")]);
  }
  return found;
}

const refused = async (bytes: Uint8Array): Promise<string> => {
  const error = await read(bytes).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ArchiveBroken);
  return String(error);
};

test("every entry is read again, in any pieces and whatever its size, and tar unpacks the same", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 4 }),
      async (contents, sizes) => {
        const entries = contents.map((content, index) => ({
          ...{ name: `media/${index + 1}-${"a".repeat(64)}`, bytes: content.length, content },
        }));
        const bytes = await write(entries);
        expect(bytes.length).toBeLessThanOrEqual(maxArchiveBytes(entries));
        const expected = entries.map(({ name, content }) => [name, Buffer.from(content).toString("hex")]);
        expect(await read(bytes, sizes)).toEqual(expected as [string, string][]);
      },
    ),
    { numRuns: 30 },
  );
  writeFileSync(path, await write(sample));
  const listed = Bun.spawnSync(["tar", "-tf", path]).stdout.toString().trim().split("\n");
  expect(listed).toEqual(["STATE", "manifest.json", "waxwing.key", "waxwing.db", MEDIUM, "DIGEST"]);
  const unpacked = Bun.spawnSync(["tar", "-xOf", path, "waxwing.db"]).stdout;
  expect(new Uint8Array(unpacked)).toEqual(new Uint8Array(3_000).fill(7));
});

test("a file over 8 GB is named with its size, as tar names it", async () => {
  const large = join(directory, "large");
  writeFileSync(large, "");
  truncateSync(large, 9_000_000_000);
  const head: Uint8Array[] = [];
  for await (const piece of writeArchive(
    [{ name: "waxwing.db", bytes: 9_000_000_000, content: { path: large } }],
    true,
  )) {
    head.push(piece);
    if (head.reduce((sum, { length }) => sum + length, 0) > 1_000_000) break;
  }
  const listed = Bun.spawnSync(["tar", "-tvf", "-"], { stdin: Buffer.concat(head) }).stdout.toString();
  expect(listed).toContain(" 9000000000 ");
  const entries = readArchive(inPieces(Buffer.concat(head), [100_000]));
  expect((await entries.next()).value).toMatchObject({ name: "waxwing.db", bytes: 9_000_000_000 });
  await entries.return(undefined);
});

test("an unfinished archive is refused; the marks of one that is finished and used are its only changes", async () => {
  const before = await write(sample, false);
  writeFileSync(path, before);
  const handle = openSync(path, "r+");
  await expect(readUse(handle)).rejects.toThrow("move out was interrupted");
  await markFinished(handle);
  expect(await readUse(handle)).toEqual({ kind: "unused" });
  expect(await read(readFileSync(path))).toHaveLength(sample.length);
  await markUsed(handle, 1_700_000_000_000, "abcdefgh12345678");
  expect(await readUse(handle)).toEqual({ kind: "used", at: 1_700_000_000_000, by: "abcdefgh12345678" });
  closeSync(handle);
  expect(await refused(before)).toContain("move out was interrupted");
  const after = readFileSync(path);
  expect(after.subarray(1_024).equals(before.subarray(1_024))).toBe(true);
  expect(await read(after)).toHaveLength(sample.length);
});

test("one changed bit, a missing tail and anything added are refused, wherever they are", async () => {
  const bytes = await write(sample);
  for (let bit = 0; bit < bytes.length * 8; bit += inForm({ short: 29, long: 1 })) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    await refused(changed);
  }
  for (let length = 0; length < bytes.length; length += inForm({ short: 97, long: 1 }))
    await refused(bytes.subarray(0, length));
  await refused(Buffer.concat([bytes, Buffer.from("x")]));
  await refused(Buffer.concat([bytes, Buffer.alloc(512)]));
});

test("an archive with other names, links, other types or a name twice is refused before anything is written", async () => {
  const pax = await packTar([{ header: { name: "waxwing.key", size: 4, pax: { path: "../escaped" } }, body: "text" }]);
  const state = (await write([])).subarray(0, 1_024);
  for (const name of [
    "../escaped",
    "/tmp/escaped",
    "media/../x",
    `media/1-${"A".repeat(64)}`,
    "x",
    "waxwing.key.old-/x",
  ])
    expect(await refused(await write([textEntry(name, "text")]))).toContain("it holds what no archive has");
  for (const header of [
    { name: "waxwing.key", size: 0, type: "symlink", linkname: "/etc/passwd" },
    { name: "waxwing.key", size: 0, type: "link", linkname: "/etc/passwd" },
    { name: "waxwing.db/", size: 0, type: "directory" },
    { name: "waxwing.db", size: 0, type: "character-device" },
  ] as const)
    expect(await refused(Buffer.concat([state, await packTar([{ header }])]))).toContain(
      "it holds what no archive has",
    );
  expect(await refused(Buffer.concat([state, pax]))).toContain('it holds what no archive has ("../escaped")');
  expect(await refused(await write([...sample, ...sample.slice(2)]))).toContain("twice");
  expect(await refused(await packTar([{ header: { name: "waxwing.key", size: 1 }, body: "x" }]))).toContain("Waxwing");
  expect(await refused(Buffer.from("not an archive".repeat(100)))).toContain("it is no archive");
});

test("no more of a large entry is read ahead than a few megabytes", async () => {
  let taken = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of writeArchive([{ name: "waxwing.db", bytes: 64e6, content: new Uint8Array(64e6) }], true))
      for await (const part of inPieces(piece, [100_000])) {
        taken += part.length;
        yield part;
      }
  }
  for await (const { pieces } of readArchive(counted())) {
    for await (const _ of pieces) break;
    expect(taken).toBeLessThan(4e6);
    break;
  }
});

test("it is unpacked beside its places, or not at all", async () => {
  const database = join(directory, "source.db");
  writeFileSync(database, "SQLite");
  const entries = archiveEntries({
    about: { version: "1", instanceId: "x", takenAt: 5, move: null },
    ...{ database, digest: "ab".repeat(32) },
    files: { key: { text: KEY }, configuration: { text: "a = 1" }, mediaDirectory: null },
  });
  const places = { file: join(directory, "unpacked"), mediaDirectory: join(directory, "media") };
  const bytes = await write(entries);
  writeFileSync(path, bytes);
  const handle = openSync(path, "r");
  const unpacked = await unpack(inPieces(Buffer.concat([...piecesFrom(handle)]), [900]), places);
  closeSync(handle);
  expect(unpacked).toMatchObject({ configuration: "a = 1", media: [], manifest: { takenAt: 5 } });
  expect([readFileSync(unpacked.file, "utf8"), readFileSync(`${unpacked.file}.sha256`, "utf8")]).toEqual([
    "SQLite",
    `${"ab".repeat(32)}  waxwing.db\n`,
  ]);
  expect(await readManifest(inPieces(bytes, [500]))).toEqual(unpacked.manifest);
  discard(unpacked);
  const left = () => Bun.spawnSync(["ls", directory]).stdout.toString();
  const before = left();
  const failing: Uint8Array[] = [
    bytes.subarray(0, -1_500),
    await write(entries.filter(({ name }) => name !== "waxwing.key")),
    await write(entries.map((one) => (one.name === "manifest.json" ? textEntry(one.name, '{"format":9}') : one))),
  ];
  for (const one of failing) await expect(unpack(inPieces(one, [900]), places)).rejects.toBeInstanceOf(ArchiveBroken);
  const gone = async function* () {
    yield bytes.subarray(0, 3_000);
    throw new RangeError("the store is gone");
  };
  await expect(unpack(gone(), places)).rejects.toBeInstanceOf(RangeError);
  expect(left()).toBe(before);
});
